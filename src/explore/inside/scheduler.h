/* Which thread goes on: the question to the strategy whenever every thread stands before a step. */
#ifndef PLUMB_EXPLORE_INSIDE_SCHEDULER_H
#define PLUMB_EXPLORE_INSIDE_SCHEDULER_H

#include "explore/inside/fiber.h"

/* Of the running execution. */
typedef struct scheduler_state {
    thread_set waiting;   /* pending steps that may be disabled */
    thread_set refreshed; /* pending steps whose role depends on memory */
    thread_set joining;
    thread_set first;   /* pending steps that commute with all others (kind_goes_first), joins aside */
    thread_set assumed; /* stopped for good in a pure loop */
    bool stale;         /* refreshed steps are as they were some steps ago */
} scheduler_state;
extern scheduler_state scheduler HIDDEN; /* scheduler.c */

/* Of this call of machine_run. */
typedef struct scheduler_run {
    const driver *driver;
    bool passes; /* the driver may stay with a thread, and no file looks at each step */
} scheduler_run;
extern scheduler_run scheduled HIDDEN; /* scheduler.c */

void scheduler_start(const driver *d); /* before an execution, from its start or from a snapshot */
void scheduler_reset(void);

/* A step of this thread is being described. */
static inline void scheduler_begin(unsigned thread) {
    const thread_set others = ~thread_bit(thread);
    INVARIANT(thread == fiber_now()->number);
    scheduler.waiting &= others;
    scheduler.refreshed &= others;
    scheduler.joining &= others;
    scheduler.first &= others;
}
static inline void scheduler_stale(void) { scheduler.stale = true; }
static inline void scheduler_waits(unsigned thread) { scheduler.waiting |= thread_bit(thread); }
static inline void scheduler_refreshes(unsigned thread) { scheduler.refreshed |= thread_bit(thread); }
static inline void scheduler_refreshes_not(unsigned thread) { scheduler.refreshed &= ~thread_bit(thread); }
static inline void scheduler_joins(unsigned thread) { scheduler.joining |= thread_bit(thread); }
static inline void scheduler_goes_first(unsigned thread) { scheduler.first |= thread_bit(thread); }
static inline void scheduler_assumes(unsigned thread) { scheduler.assumed |= thread_bit(thread); }
static inline bool thread_may_wait(unsigned thread) { return scheduler.waiting >> thread & 1; }
static inline bool thread_is_assumed(unsigned thread) { return scheduler.assumed >> thread & 1; }
static inline bool any_is_assumed(void) { return scheduler.assumed != 0; }

/* What was done so far was done in the execution before: it was found good then. */
static inline bool is_repeated(void) {
    INVARIANT(scheduled.driver);
    return explored_world.steps < scheduled.driver->knowns;
}
static inline const driver *driver_now(void) { return scheduled.driver; }

void step_take(void);
fiber *fiber_choose(void); /* asks the driver; the step of the thread that it returns is the last one */
unsigned world_choose(unsigned n, choice_kind kind);
bool step_enabled(const fiber *f, const step *s); /* locks.c */

#endif
