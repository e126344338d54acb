/* Data races on plain accesses, by happens-before (races.c). */
#ifndef PLUMB_EXPLORE_INSIDE_RACES_H
#define PLUMB_EXPLORE_INSIDE_RACES_H

#include "explore/inside/shared.h"

enum { NO_RELEASE = UINT16_MAX };

void races_begin(void); /* an execution, from its start or from a snapshot */
void races_reset(void);
void races_forget(void);           /* what this execution found */
_Noreturn void races_report(void); /* the fatal race that was found last: its second access has been executed */
/* remembers an access to these bytes of it */
void races_log(granule *g, uint8_t bytes, uintptr_t pc, bool plain, bool write);
void races_remember(const step *s, bool plain, bool write);
static inline void races_atomic(granule *g) { g->atomic = true; }
/* Atomic accesses race only with plain ones: where there were none so far they are not worth remembering. */
static inline void races_access(const step *s, bool plain, bool write) {
    granule *g = fiber_now()->shared.touched;
    uintptr_t a = s->at[0].address;
    if (LIKELY(!plain && !g->plain && g->number == a / 8 && (a + s->at[0].size - 1) / 8 == a / 8)) races_atomic(g);
    else races_remember(s, plain, write);
}
/* An atomic access to the bytes of a step, as its memory order says. */
void races_sync_access(const step *s, bool reads, bool writes);
/* The same where the granule is known; it may end behind it. */
void races_sync_any(granule *g, const step *s, bool reads, bool writes);
/* A lock or another object: it is known by its address, and has no bytes that a program reads. */
void races_sync(const step *s, bool reads, bool writes);
/* Which bytes of its granule an access is of, if it does not end behind it. */
static inline uint8_t granule_bytes(uintptr_t a, uint32_t size) { return (uint8_t)(((1u << size) - 1) << a % 8); }
/* Does a thread with this clock know all that was released there? Most reads do; nothing is left then for a fence to
 * make known, either. */
static inline bool release_known(const granule *g, const uint16_t *knows) { return knows[g->releaser] >= g->release; }
static inline bool races_knows_release(const granule *g, const fiber *f) { return release_known(g, f->clocks.knows); }
static inline void races_read(granule *g, const step *s) {
    if (UNLIKELY(s->at[0].size > 8 || !races_knows_release(g, fiber_now()))) races_sync_any(g, s, true, false);
}
/* Nothing but these bytes was released there. */
static inline bool races_alone(const granule *g, uint8_t bytes) {
    return !g->split && (!g->synced || g->synced == bytes);
}
/* By a thread that knows all that was released there. */
static inline void races_publish(granule *g, fiber *f, uint8_t bytes) {
    INVARIANT(f->clocks.knows[f->number] < NO_RELEASE && races_alone(g, bytes));
    memcpy(g->released, f->clocks.knows, sizeof g->released);
    g->synced = bytes;
    g->releaser = f->number;
    g->release = f->clocks.knows[f->number]++;
}
/* what others released there before is not forgotten: readers of a lock, posts */
void races_release(const step *s);
/* A free of a block comes before the malloc that hands it out again. `at`: a place for this block alone. */
void races_freed(uintptr_t at);
void races_allocated(uintptr_t at);
/* One write of several at a place (messages.c): what a read of it gets to know, and what it releases; `continued`: of
 * the write that an update has read. */
void races_acquire_message(const uint16_t *released, unsigned order);
void races_release_message(uint16_t *released, const uint16_t *continued, unsigned order);
/* A store that goes through a buffer: what its thread publishes with it, and that it has reached memory. */
void races_leaves(fiber *f, uint16_t *knew, unsigned order);
void races_reaches_memory(uintptr_t a, uint32_t size, fiber *f, const uint16_t *knew, unsigned order);
void races_fence(int order);
void races_create(fiber *child);
void races_join(const fiber *child);
uint64_t races_hash(uint64_t h, uint64_t (*mix)(uint64_t h, uint64_t v)); /* of all clocks, for trials */

#endif
