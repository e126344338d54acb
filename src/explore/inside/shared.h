/* Which memory is shared: only accesses to it are steps (shared.c). */
#ifndef PLUMB_EXPLORE_INSIDE_SHARED_H
#define PLUMB_EXPLORE_INSIDE_SHARED_H

#include "explore/inside/fiber.h"
#include "explore/inside/options.h"

enum { GRANULES_RECENT = 512, SPIN_MOST = 1999 };

/* Eight bytes of memory: which threads touched them in this execution, and what an acquire of them gets to know. Up to
 * `log` written by shared.c but for `plain`, `mixed` (races.c), `confirmed`, `unaligned` (windows.c); from `log` on by
 * races.c, but for `readers`, `writers`. */
typedef struct granule {
    uintptr_t number; /* address / 8 */
    uint32_t execution;
    bool shared, learned;
    /* in any execution: */
    bool plain : 1;     /* some step was a plain access: atomic ones are logged too */
    bool mixed : 1;     /* both plain and atomic accesses were steps */
    bool confirmed : 1; /* a confirmed load read it */
    bool unaligned : 1; /* a step wrote other than eight bytes there */
    /* in this execution: */
    uint32_t log; /* newest logged access, +1 */
    thread_set_packed readers, writers;
    bool atomic : 1;  /* one was not logged */
    bool split : 1;   /* not all that was released there is of the same bytes: `cell` holds it, not `released` */
    uint8_t synced;   /* the bytes that were released, one after the other the same; 0: none were */
    uint8_t releaser; /* the last one, when what it knew then is all that was released */
    /* its clock then: a thread that has seen it knows all that was released. NO_RELEASE: not known; 0: all know */
    uint16_t release;
    union {
        uint16_t released[THREADS_MAX];
        uint32_t cell[8]; /* of each byte: what was released there last, in a list of races.c, +1; 0: nothing */
    };
} __attribute__((aligned(64))) granule;

typedef struct shared_state {
    granule *recent[GRANULES_RECENT]; /* found last */
    uint32_t execution;               /* the number of this one, for granules */
    bool learned;                     /* in this execution: it does not count */
} shared_state;
extern shared_state shared_memory HIDDEN; /* shared.c */

bool shared_open(void);
void shared_begin(void);                                  /* an execution: what was learned counts from now on */
bool shared_look(uintptr_t a, uint64_t size, bool write); /* is it a step? remembers which thread touched it */
granule *granule_find(uintptr_t number);                  /* as of this execution */
static inline granule **granule_slot(uintptr_t number) {  /* arenas and stacks of different threads must not meet */
    return &shared_memory.recent[(number * UINT64_C(0x9E3779B97F4A7C15)) >> 55];
}
static inline bool granule_is_current(const granule *g) { return g->execution == shared_memory.execution; }
/* NULL: not asked for lately. */
static inline granule *granule_known(uintptr_t number) {
    granule *g = *granule_slot(number);
    return LIKELY(g->number == number && granule_is_current(g)) ? g : NULL;
}
/* The granule of a step that its thread has just touched. */
static inline granule *granule_at(uintptr_t address) {
    granule *g = fiber_now()->shared.touched;
    return LIKELY(g->number == address / 8) ? g : granule_find(address / 8);
}
void shared_start(fiber *f);      /* it has touched nothing so far */
void shared_suspect(uintptr_t a); /* so many accesses since the last step, and this is one of them */
static inline bool shared_count_quiet(uint32_t every) { return ++fiber_now()->shared.quiet % every == 0; }
static inline void shared_quiet(uintptr_t a) { /* an access that is no step: too many are suspicious */
    if (UNLIKELY(++fiber_now()->shared.quiet >= SPIN_MOST)) shared_suspect(a);
}
static inline void shared_touched(granule *g) { fiber_now()->shared.touched = g; }
/* Of a granule that is known to be shared it no longer matters which threads touched it. */
ALWAYS_INLINE bool shared_touch(uintptr_t a, uint64_t size, bool write) {
    granule *g = granule_known(a / 8);
    if (UNLIKELY(!g || (a + size - 1) / 8 != a / 8)) return shared_look(a, size, write);
    const fiber *f = fiber_now();
    shared_touched(g);
    if (g->shared) return true;
    if (UNLIKELY(!((write ? g->writers : g->readers) >> f->number & 1) || !options_now()->filter))
        return shared_look(a, size, write);
    shared_quiet(a); /* it has been here before: that tells nothing new */
    return false;
}
void shared_force(uintptr_t a); /* a thread spins on it */
/* a thread has to wait there: unless its accesses are steps already, the execution ends and they will be */
void shared_demand(uintptr_t a);
void shared_quiet_many(uintptr_t a, uint32_t accesses); /* one of so many */
bool granule_is_shared(uintptr_t number);
uint32_t shared_known(void); /* how much was learned so far, that counts */
bool await_known(uintptr_t pc);
bool await_will_be_known(uintptr_t pc); /* in the next execution */
void await_learn(uintptr_t pc);

/* This execution showed something that changes where steps are: it does not count. */
static inline bool execution_learned(void) { return shared_memory.learned; }
static inline void execution_learns(void) { shared_memory.learned = true; }
static inline void execution_learned_reset(void) { shared_memory.learned = false; }

#endif
