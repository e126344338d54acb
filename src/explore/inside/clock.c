/* The clock of the code under test, or an execution would not repeat itself. All threads read one clock, and each look
 * at it is a step: a thread that looks later sees the same time or a later one.
 *
 * How much later is a choice: a little; or not at all, since clocks are coarse; or very much, since a thread may have
 * been away for long. The last two are offered a few times in an execution. In a loop that looks at the clock time
 * passes faster and faster, so that any deadline is reached after a few rounds. When even that has not ended the loop
 * time stands still for it, and the loop is one that waits for something else. */
#include "explore/inside/limits.h"
#include "explore/inside/time.h"

#include "explore/inside/hooks.h"
#include "explore/inside/signals.h"

#include <sys/time.h>

enum { EQUALS_OFFERED = 2, LEAPS_OFFERED = 1, IDLE_MOST = 10000 };
#define TICK UINT64_C(1000)
#define EPOCH (1000 * SECOND)
#define LEAP (1000 * SECOND)

typedef struct clock_state {
    uint64_t passed; /* since EPOCH, in nanoseconds */
    uint32_t equals, leaps;
} clock_state;
static clock_state all_clocks EXECUTION_STATE;

/* How much time passes until this look, unless it is chosen otherwise. 0: this loop does not wait for the clock. */
static uint64_t tick(fiber *f, uintptr_t pc) {
    static const uint64_t by_look[] = {TICK, TICK, 1000 * TICK, SECOND, 1000 * SECOND, 1000000 * SECOND};
    const uint32_t most = sizeof by_look / sizeof *by_look;
    bool again = f->spin.looked || (f->time.pc == pc && f->time.site == f->calls.site);
    f->time.looks = !again ? 0 : f->time.looks < most ? f->time.looks + 1 : most;
    f->time.pc = pc;
    f->time.site = f->calls.site;
    bool waits = f->spin.looked && mode_now() == RECORDING; /* alone, what it writes is not seen */
    return f->time.looks < most ? by_look[f->time.looks] : waits ? 0 : TICK;
}

/* A look that is equal to the one before is not followed by a leap, nor the other way round: that keeps the number of
 * alternatives small. */
static uint64_t choose(fiber *f, uint64_t gone) {
    bool equal = all_clocks.equals < EQUALS_OFFERED && !all_clocks.leaps;
    bool leap = gone < LEAP && all_clocks.leaps < LEAPS_OFFERED && !all_clocks.equals;
    if (!equal || (!leap && gone < LEAP)) limits_now()->clock_cut++;
    unsigned taken = world_choose(1u + (unsigned)equal + (unsigned)leap, CHOICE_OF_TEST);
    if (!taken) return gone;
    if (taken == 1 && equal) {
        all_clocks.equals++;
        if (f->time.looks) f->time.looks--; /* or the loop would not reach its deadline */
        step_last()->at[0].role = PLACE_READ;
        return 0;
    }
    all_clocks.leaps++;
    return LEAP;
}

/* Nothing has happened since its last look, and no time passes: steps would hide what else it does in its loop, which
 * may be to read what is not known to be shared (shared_quiet). */
static bool is_idle(fiber *f) { return f->step.last == f->time.last && f->time.idle++ < IDLE_MOST; }

uint64_t clock_look(uintptr_t pc) {
    fiber *f = fiber_now();
    signal_point(pc);
    uint64_t gone = tick(f, pc);
    if (gone) gone += f->time.ticks * TICK; /* where time stands still it does so in a hurry, too */
    bool late = f->time.least > f->time.seen;
    /* What changes the clock is a step, and ends a hurry: it may come behind the loop, and others look before or after
     * it. */
    bool steps = mode_now() == RECORDING && (gone || late || (!spin_hurries(f) && !is_idle(f)));
    if (steps) {
        step_describe(STEP_CLOCK, CLOCK_PLACE, 8, gone || late ? PLACE_WRITE : PLACE_READ, pc);
        step_take();
        f->time.last = f->step.last;
        f->time.idle = 0;
    } else if (!gone && !late) return f->time.seen;
    late = f->time.least > EPOCH + all_clocks.passed; /* that much has to pass */
    if (late) all_clocks.passed = f->time.least - EPOCH;
    else if (gone) all_clocks.passed += steps ? choose(f, gone) : gone;
    if (gone || late) spin_sees_time(f);
    f->time.ticks = 0;
    f->time.seen = EPOCH + all_clocks.passed;
    if (steps) step_last()->value = f->time.seen;
    return f->time.seen;
}

EXPORT int clock_gettime(clockid_t c, struct timespec *t) {
    if (!INSIDE) return REAL(clock_gettime)(c, t);
    uint64_t n = clock_look(CALLER);
    *t = (struct timespec){(time_t)(n / SECOND), (long)(n % SECOND)};
    return 0;
}
EXPORT int timespec_get(struct timespec *t, int base) {
    if (!INSIDE) return REAL(timespec_get)(t, base);
    uint64_t n = clock_look(CALLER);
    *t = (struct timespec){(time_t)(n / SECOND), (long)(n % SECOND)};
    return base;
}
EXPORT time_t time(time_t *where) {
    time_t t = INSIDE ? (time_t)(clock_look(CALLER) / SECOND) : REAL(time)(NULL);
    return where ? *where = t : t;
}
EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    if (!INSIDE) return REAL(gettimeofday)(t, zone);
    uint64_t n = clock_look(CALLER);
    *t = (struct timeval){(time_t)(n / SECOND), (suseconds_t)(n % SECOND / 1000)};
    return 0;
}
EXPORT clock_t clock(void) { return INSIDE ? (clock_t)(clock_look(CALLER) / 1000) : REAL(clock)(); }
