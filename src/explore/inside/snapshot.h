/* What an execution has in common with the one before need not be run again: on its way the machine keeps snapshots of
 * everything that an execution changes, and the next one is taken up at the deepest that both have in common.
 *
 * Snapshots are a stack along the path of the execution: one is valid while every pick and choice before it is. What a
 * thread alone writes (its stack, its thread-local block, what we remember of its reads) is copied only if it ran since
 * the snapshot below, and put back only if it ran since; memory that threads share is copied whole. */
#ifndef PLUMB_EXPLORE_INSIDE_SNAPSHOT_H
#define PLUMB_EXPLORE_INSIDE_SNAPSHOT_H

#include "base/hash128.h"
#include "explore/inside/options.h"
#include "explore/inside/spin.h"
#include "explore/inside/tape.h"

/* The pieces of a snapshot beside the sections of attributes.h. Of each file, what an execution changes
 * there; a new one has to be added to copy_common, or to the pieces that only a thread itself changes. */
void world_copy(tape *t);
void fibers_copy(tape *t);              /* what others may change of them */
void fiber_keep_own(tape *t, fiber *f); /* what only it changes */
void fiber_bring_own(char *at, fiber *f);
void heap_copy(tape *t);
void segments_copy(tape *t);
void shared_copy(tape *t);
void keys_copy(tape *t);
void handlers_copy(tape *t);
void exits_copy(tape *t);
void windows_copy(tape *t);
void messages_copy(tape *t);
void buffers_copy(tape *t);

void execution_state_clear(void); /* every execution starts with the sections all zero */
void execution_state_hash(hash128 *h);

extern uint32_t snapshot_due_at HIDDEN; /* snapshot.c: the next one is due when so many steps were executed */

bool snapshots_open(char *wrong, size_t space);
/* True: memory is as it was at a snapshot that the coming execution passes; fiber_now() goes on. */
bool snapshot_resume(const driver *d);
void snapshot_keep(void); /* of now: every fiber has been left by fiber_exchange, or is held */
static inline bool snapshot_is_due(void) { return world_now()->steps >= snapshot_due_at; }
void snapshots_forget(void); /* what they hold is no longer right */

#endif
