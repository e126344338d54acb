/* Sleeping and yielding: steps that touch nothing, where others may go on. Of how long it slept a thread sees something
 * only when it looks at the clock (clock.c). Random numbers. */
#include "explore/inside/failures.h"
#include "explore/inside/handlers.h"
#include "explore/inside/hooks.h"
#include "explore/inside/time.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/select.h>
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

/* Nothing is ever cancelled (unmodelled.c). Code that waits to be looks here again and again: the others go on. */
EXPORT void pthread_testcancel(void) { INSIDE ? (void)yield(CALLER) : REAL(pthread_testcancel)(); }

static int sleeps(uint64_t nanoseconds, uintptr_t pc) {
    handlers_look(pc, true);
    handlers_see_wait();
    time_sleeps(fiber_now(), nanoseconds);
    return yield(pc);
}

EXPORT unsigned sleep(unsigned s) { return INSIDE ? (unsigned)sleeps(s * SECOND, CALLER) : REAL(sleep)(s); }
EXPORT int usleep(useconds_t us) { return INSIDE ? sleeps(us * UINT64_C(1000), CALLER) : REAL(usleep)(us); }
EXPORT int nanosleep(const struct timespec *t, struct timespec *left) {
    return INSIDE ? sleeps(time_of(t), CALLER) : REAL(nanosleep)(t, left);
}
EXPORT int clock_nanosleep(clockid_t c, int flags, const struct timespec *t, struct timespec *left) {
    if (!INSIDE) return REAL(clock_nanosleep)(c, flags, t, left);
    if (!(flags & TIMER_ABSTIME)) return sleeps(time_of(t), CALLER);
    time_is_over(fiber_now(), t);
    return yield(CALLER);
}
EXPORT int thrd_sleep(const struct timespec *t, struct timespec *left) {
    return INSIDE ? sleeps(time_of(t), CALLER) : REAL(nanosleep)(t, left);
}

/* On no file at all they are ways to sleep. */
EXPORT int poll(struct pollfd *files, nfds_t n, int milliseconds) {
    if (INSIDE && !n) return sleeps(milliseconds > 0 ? (uint64_t)milliseconds * 1000000 : 0, CALLER);
    refuse("poll", CALLER);
    return REAL(poll)(files, n, milliseconds);
}
EXPORT int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e, struct timeval *restrict t) {
    if (INSIDE && !n && t)
        return sleeps(t->tv_sec < 0 ? 0 : (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_usec * 1000, CALLER);
    refuse("select", CALLER);
    return REAL(select)(n, r, w, e, t);
}

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
