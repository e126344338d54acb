/* Steps: a hook that the compiler planted (access.c), an intercepted function (locks.c, threads.c, ...) or a hook in
 * assembly (assembly.c) describes the step that its fiber is about to take and calls `step_take` (scheduler.h), which
 * returns when a strategy has chosen this fiber. What the fiber then does until its next `step_take` is one
 * transition. */
#ifndef PLUMB_EXPLORE_INSIDE_STEPS_H
#define PLUMB_EXPLORE_INSIDE_STEPS_H

#include "explore/inside/buffers.h"
#include "explore/inside/fiber.h"
#include "explore/inside/limits.h"
#include "explore/inside/memory.h"
#include "explore/inside/options.h"
#include "explore/inside/record.h"
#include "explore/inside/scheduler.h"
#include "explore/inside/volatiles.h"

enum { RELAXED = 0, SEQUENTIALLY_CONSISTENT = 5 }; /* as compilers number memory orders */

/* The value of the last step is known only after the program has executed it. */
typedef struct unsettled_step {
    uint64_t old;
    uintptr_t sp;
    bool pending;
    bool races; /* it is a fatal race, reported when the value that it wrote is known */
} unsettled_step;
extern unsettled_step unsettled HIDDEN; /* steps.c */

static inline bool step_is_unsettled(void) { return unsettled.pending; }
/* The program is about to execute the store, or the instruction, that the last step stands before. */
static inline void step_settles_later(uint64_t old, uintptr_t sp) {
    INVARIANT(!unsettled.pending);
    unsettled.pending = true;
    unsettled.races = false;
    unsettled.old = old;
    unsettled.sp = sp;
}
static inline bool step_is_fatal_race(void) { return unsettled.pending && unsettled.races; }
static inline void step_settles_as_race(void) { unsettled.races = true; }
void last_settle(void); /* the program has executed it */
void steps_reset(void);
void step_begin(fiber *f); /* it has made none so far */

/* The step executed last: the thread that executes it may complete its description. */
static inline step *step_last(void) { return &explored_world.last; }

/* Whole words: what is read back as words soon (step_commit) would have to wait for the smaller stores to reach the
 * cache. */
static inline void place_set(place *p, uintptr_t address, uint32_t size, place_role role) {
    _Static_assert(offsetof(place, size) == 8 && offsetof(place, role) == 12 && sizeof(place) == 16, "two words");
    const uint64_t word = size | (uint64_t)role << 32;
    p->address = address;
    memcpy((char *)p + 8, &word, sizeof word);
}

static inline void step_set_head(step *s, step_kind kind, uint8_t flags, uint32_t size, unsigned order) {
    _Static_assert(offsetof(step, kind) == 0 && offsetof(step, flags) == 1 && offsetof(step, size) == 2 &&
                       offsetof(step, order) == 3 && offsetof(step, at) == 8 &&
                       offsetof(step, site) + 8 == sizeof(step) && offsetof(step, site) - offsetof(step, value) == 32,
                   "whole words");
    const uint64_t word =
        (uint64_t)kind | (uint64_t)flags << 8 | (uint64_t)(size <= 16 ? size : 0) << 16 | (uint64_t)order << 24;
    INVARIANT(kind < STEP_KINDS && order <= 0xff);
    memcpy(s, &word, sizeof word);
}

ALWAYS_INLINE void step_set(step *s, const fiber *f, step_kind kind, uint8_t flags, uintptr_t address, uint32_t size,
                            place_role role, unsigned order, uintptr_t pc) {
    const uint64_t site = f->calls.site;
    if (order != SEQUENTIALLY_CONSISTENT) limit_at(PLACE_WEAK_ORDER, pc);
    step_set_head(s, kind, flags, size, order);
    place_set(&s->at[0], address, size, role);
    place_set(&s->at[1], 0, 0, PLACE_UNUSED);
    s->pc = pc;
    memcpy(&s->site, &site, sizeof site); /* the padding as well */
    memset(&s->value, 0, offsetof(step, site) - offsetof(step, value));
}

ALWAYS_INLINE step *step_describe_ordered(step_kind kind, uintptr_t address, uint32_t size, place_role role,
                                          unsigned order, uintptr_t pc) {
    fiber *f = fiber_now();
    INVARIANT(mode_now() == RECORDING && role <= PLACE_DRAIN);
    volatile_settle();
    if (buffers_wanted()) buffer_before(kind, role, pc);
    step *s = &explored_world.pending[f->number];
    ONE_REGISTER(s);
    if (UNLIKELY(step_is_unsettled())) last_settle();
    scheduler_begin(f->number);
    f->step.update = UPDATE_NONE;
    f->step.opaque = false;
    step_set(s, f, kind, 0, address, size, role, order, pc);
    return s;
}
static inline step *step_describe(step_kind kind, uintptr_t address, uint32_t size, place_role role, uintptr_t pc) {
    return step_describe_ordered(kind, address, size, role, SEQUENTIALLY_CONSISTENT, pc);
}
void step_second(uintptr_t address, uint32_t size, place_role role);
void step_waits(wait_kind wait, uintptr_t on); /* the described step may be disabled: step_enabled decides */
void step_refreshes(update u, uint64_t operand, uint64_t operand_high);
void step_is_opaque(bool opaque); /* what the described step would write is unknown */
/* The described or executed step fails, and so only reads. */
void step_last_fails(void);
/* The last step of a thread that ends is what a join of it waits for. */
void step_last_releases(uintptr_t address);

/* Word by word, as it was written: wider loads would wait for the stores of a step that was described just now. */
static inline void words_copy(void *to, const void *from, size_t words) {
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, (const char *)from + 8 * i, 8);
        __asm__("" : "+r"(word));
        memcpy((char *)to + 8 * i, &word, 8);
    }
}

static inline uint64_t trail_with(uint64_t trail, uint8_t kind, uintptr_t address) {
    return (trail ^ kind ^ address) * UINT64_C(0x9E3779B97F4A7C15);
}
static inline void trail_extend(void) {
    world *w = &explored_world;
    w->trail = trail_with(w->trail, w->last.kind, w->last.at[0].address);
}

/* The last step was made, and the driver is told of it later. Another is being made. */
ALWAYS_INLINE void last_pass(world *w) {
    INVARIANT(w->passed < PASSED_MAX);
    passed_step *p = &w->pass[w->passed++];
    ONE_REGISTER(p);
    const uint64_t trail = w->trail;
    const uintptr_t address = w->last.at[0].address;
    const uint8_t kind = w->last.kind;
    p->kind = kind;
    p->flags = w->last.flags;
    p->trail = trail;
    p->events = w->events[fiber_now()->number];
    p->at[0].address = address;
    words_copy((char *)p->at + 8, (const char *)w->last.at + 8, sizeof p->at / 8 - 1);
    w->trail = trail_with(trail, kind, address);
    scheduler_stale();
}

/* ---- steps that need no question and cannot wait: most of them where the driver stays with a thread. They are never
 * pending ---- */
static inline bool step_is_free(void) { return explored_world.passed < free_steps(); }

/* Where the thread is, should it crash: the last step is its own. */
static inline void thread_is_at(uintptr_t pc) { explored_world.last.pc = pc; }

/* Makes it, of a thread whose operation is visible, when nothing is to be settled. */
ALWAYS_INLINE step *step_make_quick(fiber *f, step_kind kind, uint8_t flags, uintptr_t address, uint32_t size,
                                    place_role role, unsigned order, uintptr_t pc) {
    world *w = &explored_world;
    INVARIANT(f == fiber_now() && !step_is_unsettled() && w->live >> f->number & 1);
    INVARIANT(w->steps < options_now()->most_steps);
    last_pass(w);
    step_set(&w->last, f, kind, flags, address, size, role, order, pc);
    f->step.last = w->steps++;
    f->shared.quiet = 0;
    return &w->last;
}

/* Returns the last step, about to be executed by the program. */
ALWAYS_INLINE step *step_make(step_kind kind, uint8_t flags, uintptr_t address, uint32_t size, place_role role,
                              unsigned order, uintptr_t pc) {
    fiber *f = fiber_now();
    if (UNLIKELY(step_is_unsettled())) last_settle();
    step *s = step_make_quick(f, kind, flags, address, size, role, order, pc);
    if (UNLIKELY(f->spin.called)) record_visible(f);
    return s;
}

/* The pending step of the thread becomes the last one. */
void step_commit(fiber *f);

/* What the step would do to memory as it is now. */
void pending_refresh_any(const fiber *f, step *s);
static inline void pending_refresh(const fiber *f, step *s) {
    if (f->step.update != UPDATE_CAS || s->at[0].size != 8) {
        pending_refresh_any(f, s);
        return;
    }
    uint64_t now = memory_at(s->at[0].address, 8);
    bool fails = now != s->expected, writes = !fails && f->step.operand != now;
    s->flags =
        (uint8_t)((s->flags & ~(STEP_FAILED | STEP_MARKER)) | (fails ? STEP_FAILED : 0) | (writes ? STEP_MARKER : 0));
    s->at[0].role = writes ? PLACE_WRITE : PLACE_READ;
    s->value = now;
    s->high = 0;
}
static inline void step_update_set(fiber *f, update u, uint64_t operand, uint64_t operand_high) {
    f->step.update = (uint8_t)u;
    f->step.operand = operand;
    f->step.operand_high = operand_high;
}
void pending_refresh_thread(unsigned thread);

#endif
