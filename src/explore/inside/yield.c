/* Sleeping and yielding: steps that touch nothing, where others may go on. Time passes only as far as the program
 * looks. */
#include "explore/inside/failures.h"
#include "explore/inside/hooks.h"
#include "explore/inside/time.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int yield(uintptr_t pc) {
    if (mode_now() != RECORDING || spin_hurries(fiber_now())) return 0;
    step_describe(STEP_YIELD, 0, 0, PLACE_UNUSED, pc);
    step_take();
    return 0;
}

EXPORT int sched_yield(void) { return INSIDE ? yield(CALLER) : REAL(sched_yield)(); }
int pthread_yield(void);
EXPORT int pthread_yield(void) { return INSIDE ? yield(CALLER) : REAL(sched_yield)(); }
EXPORT void thrd_yield(void) { INSIDE ? (void)yield(CALLER) : (void)REAL(sched_yield)(); }
EXPORT unsigned sleep(unsigned s) { return INSIDE ? (unsigned)yield(CALLER) : REAL(sleep)(s); }
EXPORT int usleep(useconds_t us) { return INSIDE ? yield(CALLER) : REAL(usleep)(us); }
EXPORT int nanosleep(const struct timespec *t, struct timespec *left) {
    return INSIDE ? yield(CALLER) : REAL(nanosleep)(t, left);
}
EXPORT int clock_nanosleep(clockid_t c, int flags, const struct timespec *t, struct timespec *left) {
    return INSIDE ? yield(CALLER) : REAL(clock_nanosleep)(c, flags, t, left);
}
EXPORT int thrd_sleep(const struct timespec *t, struct timespec *left) {
    return INSIDE ? yield(CALLER) : REAL(nanosleep)(t, left);
}

/* On no file at all they are ways to sleep. */
EXPORT int poll(struct pollfd *files, nfds_t n, int milliseconds) {
    if (INSIDE && !n) return yield(CALLER);
    refuse("poll", CALLER);
    return REAL(poll)(files, n, milliseconds);
}
EXPORT int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e, struct timeval *restrict t) {
    if (INSIDE && !n && t) return yield(CALLER);
    refuse("select", CALLER);
    return REAL(select)(n, r, w, e, t);
}

/* Clocks and random numbers, or an execution would not repeat itself. A thread's own steps are its time. */
static uint64_t nanoseconds(void) {
    return UINT64_C(1000000000000) +
           ((uint64_t)(fiber_now()->step.last == NO_STEP ? 0 : fiber_now()->step.last + 1) + fiber_now()->time.ticks) *
               1000;
}

EXPORT int clock_gettime(clockid_t c, struct timespec *t) {
    if (!INSIDE) return REAL(clock_gettime)(c, t);
    uint64_t n = nanoseconds();
    *t = (struct timespec){(time_t)(n / 1000000000), (long)(n % 1000000000)};
    return 0;
}
EXPORT int timespec_get(struct timespec *t, int base) { return clock_gettime(CLOCK_REALTIME, t) ? 0 : base; }
EXPORT time_t time(time_t *where) {
    time_t t = INSIDE ? (time_t)(nanoseconds() / 1000000000) : REAL(time)(NULL);
    return where ? *where = t : t;
}
EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    if (!INSIDE) return REAL(gettimeofday)(t, zone);
    uint64_t n = nanoseconds();
    *t = (struct timeval){(time_t)(n / 1000000000), (suseconds_t)(n % 1000000000 / 1000)};
    return 0;
}
EXPORT clock_t clock(void) { return INSIDE ? (clock_t)(nanoseconds() / 1000) : REAL(clock)(); }

/* Each thread draws from its own row, so that two draws commute: a seed is for the thread that sets it, and gives every
 * thread the same row. */
static void seed_row(unsigned seed) { fiber_now()->time.drawn = (uint64_t)seed << 32 | (uint64_t)1 << 31; }
static int draw(void) {
    uint64_t z = fiber_now()->time.drawn += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (int)(z >> 33);
}
EXPORT int rand(void) { return INSIDE ? draw() : REAL(rand)(); }
EXPORT long random(void) { return INSIDE ? draw() : REAL(random)(); }
EXPORT void srand(unsigned seed) {
    if (INSIDE) seed_row(seed);
    else REAL(srand)(seed);
}
EXPORT void srandom(unsigned seed) {
    if (INSIDE) seed_row(seed);
    else REAL(srandom)(seed);
}
EXPORT int sched_getcpu(void) { return INSIDE ? 0 : REAL(sched_getcpu)(); }
