/* x86-TSO: stores go into a buffer of their thread, first in, first out, and reach memory later, in steps of their own
 * (docs/proofs/tso.md).
 *
 * The program performs its stores itself, on memory. So while a thread runs its buffered stores lie over memory, and
 * are taken off when another goes on: machine code, memcpy and assembly see their own stores, others do not. Who looks
 * at memory between steps sees it without any of them.
 *
 * The buffer of thread t is a thread of the world, THREADS_MAX-1-t, live while there is a store in it: its steps are
 * STEP_FLUSH. Stores of a thread are numbered from 1, and every number is a place (no memory is there): what puts the
 * store into the buffer, what takes it out, what is answered by it and what waits for it meet there. */
#ifndef PLUMB_EXPLORE_INSIDE_BUFFERS_H
#define PLUMB_EXPLORE_INSIDE_BUFFERS_H

#include "explore/inside/attributes.h"
#include "explore/inside/options.h"
#include "explore/model/step.h"

struct tape;
struct fiber;

static inline bool buffers_wanted(void) { return UNLIKELY(options_now()->buffers); }
static inline unsigned buffer_thread(unsigned owner) { return THREADS_MAX - 1 - owner; }
static inline unsigned buffer_owner(unsigned thread) { return THREADS_MAX - 1 - thread; }
static inline bool is_buffer(unsigned thread) { return buffers_wanted() && thread >= THREADS_MAX / 2; }

void buffers_reset(void);
void buffers_copy(struct tape *t);
void buffers_create(unsigned owner); /* a thread was created */

/* ---- of the running thread, whose steps are recorded ---- */

/* The program is about to store there: a step, or several of large ones. Then it does, and that is in the buffer. */
void buffer_store(uintptr_t a, uint64_t size, uint8_t flags, unsigned order, uintptr_t pc);
/* It has, if it was about to. */
void buffer_settle(void);
/* What it is about to store it stores before it comes to any hook. */
void buffer_is_certain(void);
/* A step until all of its stores have reached memory, unless there were none since it last waited so. */
void buffer_drain(uintptr_t pc);
/* Before any step of this kind is described: most wait so. */
void buffer_before(step_kind kind, place_role role, uintptr_t pc);
/* Before a load is described: one that the newest store there does not answer alone waits until that is in memory. */
void buffer_before_load(uintptr_t a, uint64_t size, uintptr_t pc);
/* The load that was described may be answered by the buffer. */
void buffer_answers(step *s);
void buffer_loaded(void); /* it was made */
uint16_t buffer_unsynchronised(void); /* the number of its newest store, if that may not have reached memory */

/* ---- between steps ---- */

void buffers_aside(void);                            /* nothing lies over memory from now on */
void buffers_over(const struct fiber *f);            /* the stores of this thread do, which goes on */
bool buffer_is_at(unsigned owner, uintptr_t number); /* that many of its stores have reached memory */
bool buffer_is_empty(unsigned owner);
void buffer_refresh(unsigned thread); /* what its next step would do */
void buffer_flush(unsigned thread);   /* the step: its oldest store reaches memory */

#endif
