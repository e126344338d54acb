/* Condition variables, semaphores, barriers and futexes: who waits is known from the fibers, so a condition variable
 * needs no state of its own. */
#include "explore/inside/limits.h"
#include "explore/inside/locks.h"

#include "explore/inside/faults.h"
#include "explore/inside/handlers.h"
#include "explore/inside/messages.h"
#include "explore/inside/time.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int fails_with(int error) {
    errno = error;
    return -1;
}

static unsigned waiters_find(wait_kind kind, uintptr_t on, unsigned *waiter) {
    unsigned n = 0;
    for (unsigned t = 0; t < world_now()->threads; t++) {
        const fiber *f = fiber_at(t);
        if (world_now()->live >> t & 1 && thread_may_wait(t) && f->wait.kind == kind && f->wait.on == on &&
            !f->wait.signalled && !f->wait.timed_out)
            waiter[n++] = t;
    }
    return n;
}

static unsigned waiters_wake(wait_kind kind, uintptr_t on, unsigned most) {
    unsigned waiter[THREADS_MAX], n = waiters_find(kind, on, waiter), woken = 0;
    for (; woken < most && n; woken++) {
        unsigned i = most < n ? world_choose(n, CHOICE_OF_SIGNAL) : 0;
        INVARIANT(i < n && !fiber_at(waiter[i])->wait.signalled);
        fiber_at(waiter[i])->wait.signalled = true;
        waiter[i] = waiter[--n];
    }
    return woken;
}

/* ---- condition variables: two steps, one to leave the mutex and wait, one to have been woken and hold it again
 * ---- */

/* ---- the same where graphs are explored: a place that every wait and signal updates, behind each other. Who waits
 * and who was woken is its value (update.h); the mutex is left and taken by steps of their own. ---- */

static bool repeated EXECUTION_STATE;
bool signals_are_repeated(void) { return repeated; }

static void condition_step(step_kind kind, uintptr_t c, update how, uint64_t operand, uintptr_t pc) {
    uint64_t *state = (uint64_t *)c;
    if (fiber_now()->number >= 32)
        fail(FAILURE_UNMODELLED, "a condition variable of more than 32 threads at %#lx under a weak memory model",
             (unsigned long)pc);
    shared_touch(c, 8, true);
    step_describe(kind, c, 8, PLACE_WRITE, pc);
    message_pending_condition((uint8_t)how, operand);
    if (kind == STEP_WAKE) step_waits(WAIT_SIGNALLED, c);
    step_take();
    const uint64_t waiting = (uint64_t)__builtin_popcountll(*state & UINT32_MAX);
    if (kind == STEP_SIGNAL && operand != SIGNAL_ALL && operand && operand >= waiting) repeated = true;
    *state = update_result(how, operand, *state, 8);
    step_last()->value = *state;
}

static int weak_condition_wait(void *condition, void *mutex, const struct timespec *until, uintptr_t pc) {
    const uintptr_t c = (uintptr_t)condition;
    const uint64_t me = UINT64_C(1) << fiber_now()->number % 32;
    if (until) fail(FAILURE_UNMODELLED, "a wait with a deadline at %#lx under a weak memory model", (unsigned long)pc);
    limit_at(PLACE_SPURIOUS, pc);
    condition_step(STEP_WAIT, c, UPDATE_OR, me, pc);
    const uint32_t count = mutex_release(mutex, pc);
    condition_step(STEP_WAKE, c, UPDATE_AND, ~(me << 32), pc);
    mutex_acquire(mutex, count, pc);
    return 0;
}

/* Which one is chosen before it is known who waits: in a graph that may become another one. */
static int weak_condition_signal(uintptr_t c, bool all, uintptr_t pc) {
    const unsigned others = world_now()->threads - 1;
    const uint64_t which = all ? SIGNAL_ALL : others > 1 ? world_choose(others, CHOICE_OF_SIGNAL) : 0;
    condition_step(STEP_SIGNAL, c, UPDATE_SIGNAL, which, pc);
    return 0;
}

static int condition_wait(void *condition, void *mutex, const struct timespec *until, uintptr_t pc) {
    fiber *f = fiber_now();
    uintptr_t c = (uintptr_t)condition, x = (uintptr_t)mutex;
    spin_forget(f);
    handlers_look(pc, true);
    handlers_see_wait();
    if (mode_now() != RECORDING && !until)
        fail(FAILURE_DEADLOCK, "thread %u waits for a signal that no thread can send, at %#lx", f->number,
             (unsigned long)pc);
    if (mode_now() != RECORDING) {
        time_is_over(f, until);
        return ETIMEDOUT;
    }
    if (messages_wanted()) return weak_condition_wait(condition, mutex, until, pc);
    bool chosen = until && timeout_chosen(), spurious = !chosen && wake_is_spurious();
    if (!options_now()->spurious) limit_at(PLACE_SPURIOUS, pc);
    shared_touch(c, 4, true);
    shared_touch(x, 4, true);
    step *s = step_describe(STEP_WAIT, c, 4, PLACE_WRITE, pc);
    step_second(x, 4, PLACE_RELEASE);
    step_take();
    uint32_t count = mutex_leave(mutex, pc);
    s->at[0].address = x; /* for the clocks of races: the mutex is released */
    races_sync(s, false, true);
    s = step_describe(STEP_WAKE, c, 4, PLACE_READ, pc);
    step_second(x, 4, PLACE_ACQUIRE);
    f->wait.signalled = false;
    f->wait.timed = until != NULL;
    f->wait.timed_out = chosen || spurious;
    f->wait.second = x;
    step_waits(WAIT_CONDITION, c);
    step_take();
    s->at[0].address = x;
    races_sync(s, true, false);
    mutex_enter(mutex, count);
    bool late = f->wait.timed_out && !f->wait.signalled && !spurious;
    f->wait.timed = f->wait.timed_out = f->wait.signalled = false;
    if (late) time_is_over(f, until);
    return late ? ETIMEDOUT : 0;
}

static int condition_signal(void *condition, unsigned most, uintptr_t pc) {
    spin_forget(fiber_now());
    if (mode_now() != RECORDING) return 0;
    if (messages_wanted()) return weak_condition_signal((uintptr_t)condition, most > 1, pc);
    shared_touch((uintptr_t)condition, 4, true);
    step_describe(STEP_SIGNAL, (uintptr_t)condition, 4, PLACE_WRITE, pc);
    step_take();
    waiters_wake(WAIT_CONDITION, (uintptr_t)condition, most);
    return 0;
}

EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) {
    (void)a;
    memset(c, 0, sizeof *c);
    return 0;
}
EXPORT int pthread_cond_destroy(pthread_cond_t *c) { return (void)c, 0; }
EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *x) {
    return INSIDE ? condition_wait(c, x, NULL, CALLER) : REAL(pthread_cond_wait)(c, x);
}
EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *x, const struct timespec *t) {
    return INSIDE ? condition_wait(c, x, t, CALLER) : REAL(pthread_cond_timedwait)(c, x, t);
}
EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *x, clockid_t k, const struct timespec *t) {
    return INSIDE ? condition_wait(c, x, t, CALLER) : REAL(pthread_cond_clockwait)(c, x, k, t);
}
EXPORT int pthread_cond_signal(pthread_cond_t *c) {
    return INSIDE ? condition_signal(c, 1, CALLER) : REAL(pthread_cond_signal)(c);
}
EXPORT int pthread_cond_broadcast(pthread_cond_t *c) {
    return INSIDE ? condition_signal(c, THREADS_MAX, CALLER) : REAL(pthread_cond_broadcast)(c);
}
EXPORT int cnd_init(cnd_t *c) {
    memset(c, 0, sizeof *c);
    return thrd_success;
}
EXPORT void cnd_destroy(cnd_t *c) { (void)c; }
EXPORT int cnd_wait(cnd_t *c, mtx_t *x) {
    return INSIDE && condition_wait(c, x, NULL, CALLER) ? thrd_error : thrd_success;
}
EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict x, const struct timespec *restrict t) {
    return INSIDE && condition_wait(c, x, t, CALLER) ? thrd_timedout : thrd_success;
}
EXPORT int cnd_signal(cnd_t *c) {
    if (INSIDE) condition_signal(c, 1, CALLER);
    return thrd_success;
}
EXPORT int cnd_broadcast(cnd_t *c) {
    if (INSIDE) condition_signal(c, THREADS_MAX, CALLER);
    return thrd_success;
}

/* ---- semaphores: the count is the first word, as libc's ---- */

static bool semaphore_positive(uintptr_t a) { return *(const volatile uint32_t *)a != 0; }

static int semaphore_wait(sem_t *p, bool tries, const struct timespec *until, uintptr_t pc) {
    /* Unlike a lock, several may have it: two of them commute only when there is enough for both, so call it a
     * write. */
    if (!tries && handlers_interrupt(pc)) return fails_with(EINTR);
    const lock_step l = {
        p, STEP_ACQUIRE, STEP_TRYACQUIRE, WAIT_SEMAPHORE, semaphore_positive, tries, until, PLACE_WRITE, pc};
    if (!lock_acquire(&l)) return fails_with(tries ? EAGAIN : ETIMEDOUT);
    --*(volatile uint32_t *)p;
    return 0;
}

static int semaphore_post(sem_t *p, uintptr_t pc) {
    spin_forget(fiber_now());
    if (mode_now() == RECORDING && shared_touch((uintptr_t)p, 4, true)) {
        step *s = step_describe(STEP_RELEASE, (uintptr_t)p, 4, PLACE_WRITE, pc);
        step_take();
        races_release(s);
    }
    ++*(volatile uint32_t *)p;
    return 0;
}

EXPORT int sem_init(sem_t *p, int shared, unsigned count) {
    (void)shared;
    memset(p, 0, sizeof *p);
    *(uint32_t *)p = count;
    return 0;
}
EXPORT int sem_destroy(sem_t *p) { return (void)p, 0; }
EXPORT int sem_wait(sem_t *p) { return INSIDE ? semaphore_wait(p, false, NULL, CALLER) : REAL(sem_wait)(p); }
EXPORT int sem_trywait(sem_t *p) { return INSIDE ? semaphore_wait(p, true, NULL, CALLER) : REAL(sem_trywait)(p); }
EXPORT int sem_timedwait(sem_t *restrict p, const struct timespec *restrict t) {
    return INSIDE ? semaphore_wait(p, false, t, CALLER) : REAL(sem_timedwait)(p, t);
}
EXPORT int sem_clockwait(sem_t *restrict p, clockid_t c, const struct timespec *restrict t) {
    return INSIDE ? semaphore_wait(p, false, t, CALLER) : REAL(sem_clockwait)(p, c, t);
}
EXPORT int sem_post(sem_t *p) { return INSIDE ? semaphore_post(p, CALLER) : REAL(sem_post)(p); }
EXPORT int sem_getvalue(sem_t *restrict p, int *restrict count) {
    if (mode_now() == RECORDING && shared_touch((uintptr_t)p, 4, false)) {
        step *s = step_describe(STEP_READ, (uintptr_t)p, 4, PLACE_READ, CALLER);
        step_take();
        races_sync(s, true, false);
    }
    *count = (int)*(volatile uint32_t *)p;
    return 0;
}

/* ---- barriers ---- */

typedef struct modelled_barrier {
    uint32_t round, wanted, arrived;
} modelled_barrier;

static int barrier_wait(modelled_barrier *b, uintptr_t pc) {
    fiber *f = fiber_now();
    uintptr_t a = (uintptr_t)b;
    spin_forget(f);
    handlers_look(pc, true);
    if (mode_now() != RECORDING && b->arrived + 1 < b->wanted)
        fail(FAILURE_DEADLOCK, "thread %u waits alone at a modelled_barrier for %u, at %#lx", f->number, b->wanted,
             (unsigned long)pc);
    if (mode_now() == RECORDING) {
        shared_touch(a, 4, true);
        step *s = step_describe(STEP_BARRIER, a, 4, PLACE_WRITE, pc);
        step_take();
        races_sync(s, true, true);
    }
    if (++b->arrived == b->wanted) {
        b->arrived = 0;
        b->round++;
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    step *s = step_describe(STEP_BARRIER, a, 4, PLACE_READ, pc);
    f->wait.value = b->round;
    step_waits(WAIT_BARRIER, a);
    step_take();
    races_sync(s, true, false);
    return 0;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *p, const pthread_barrierattr_t *attributes, unsigned count) {
    (void)attributes;
    if (!count) return EINVAL;
    memset(p, 0, sizeof *p);
    ((modelled_barrier *)p)->wanted = count;
    return 0;
}
EXPORT int pthread_barrier_destroy(pthread_barrier_t *p) { return (void)p, 0; }
EXPORT int pthread_barrier_wait(pthread_barrier_t *p) {
    return INSIDE ? barrier_wait((modelled_barrier *)p, CALLER) : 0;
}

/* ---- futexes ---- */

enum { FUTEX_OF_WAIT = 0, FUTEX_OF_WAKE = 1, FUTEX_OF_WAIT_BITSET = 9, FUTEX_OF_WAKE_BITSET = 10, FUTEX_COMMAND = 127 };

static long futex_wait(uint32_t *word, uint32_t expected, bool timed, uintptr_t pc) {
    fiber *f = fiber_now();
    uintptr_t a = (uintptr_t)word;
    spin_forget(f);
    handlers_look(pc, true);
    handlers_see_wait();
    if (mode_now() == RECORDING) {
        bool chosen = timed && timeout_chosen();
        shared_touch(a, 4, true);
        step *s = step_describe(STEP_FUTEX_WAIT, a, 4, PLACE_WRITE, pc);
        s->expected = expected;
        step_take();
        races_sync(s, true, false);
        f->wait.timed_out = chosen;
    }
    if (*(volatile uint32_t *)word != expected) {
        if (mode_now() == RECORDING) {
            step_last()->at[0].role = PLACE_READ;
            step_last()->flags |= STEP_FAILED;
        }
        errno = EAGAIN;
        return -1;
    }
    if (mode_now() != RECORDING && !timed)
        fail(FAILURE_DEADLOCK, "thread %u waits for a futex that no thread can wake, at %#lx", f->number,
             (unsigned long)pc);
    if (mode_now() != RECORDING) return fails_with(ETIMEDOUT);
    step *s = step_describe(STEP_WAKE, a, 4, PLACE_READ, pc);
    f->wait.signalled = false;
    f->wait.timed = timed;
    step_waits(WAIT_FUTEX, a);
    step_take();
    races_sync(s, true, false);
    bool late = f->wait.timed_out && !f->wait.signalled;
    f->wait.timed = f->wait.timed_out = f->wait.signalled = false;
    return late ? fails_with(ETIMEDOUT) : 0;
}

static long futex_wake(uint32_t *word, unsigned most, uintptr_t pc) {
    uintptr_t a = (uintptr_t)word;
    spin_forget(fiber_now());
    if (mode_now() != RECORDING) return 0;
    shared_touch(a, 4, true);
    step_describe(STEP_FUTEX_WAKE, a, 4, PLACE_WRITE, pc);
    step_take();
    return waiters_wake(WAIT_FUTEX, a, most);
}

static long futex(uint32_t *word, int operation, uint32_t number, const struct timespec *timeout, uintptr_t pc) {
    switch (operation & FUTEX_COMMAND) {
    case FUTEX_OF_WAIT:
    case FUTEX_OF_WAIT_BITSET: return futex_wait(word, number, timeout != NULL, pc);
    case FUTEX_OF_WAKE:
    case FUTEX_OF_WAKE_BITSET: return futex_wake(word, number, pc);
    default: fail(FAILURE_UNMODELLED, "futex operation %d at %#lx", operation & FUTEX_COMMAND, (unsigned long)pc);
    }
}

/* System calls made directly: those that neither wait nor tell one thread anything of another are let through. */
EXPORT long syscall(long number, ...) {
    static const long harmless[] = {SYS_gettid, SYS_getpid,    SYS_membarrier,       SYS_getcpu,
                                    SYS_write,  SYS_getrandom, SYS_sched_getaffinity};
    va_list args;
    long a[6];
    va_start(args, number);
    for (unsigned i = 0; i < 6; i++) a[i] = va_arg(args, long);
    va_end(args);
    if (INSIDE && number == SYS_futex)
        return futex((uint32_t *)a[0], (int)a[1], (uint32_t)a[2], (const struct timespec *)a[3], CALLER);
    if (INSIDE && number == SYS_gettid) return fiber_now()->number + 1;
    bool allowed = !INSIDE;
    for (unsigned i = 0; i < sizeof harmless / sizeof *harmless; i++) allowed |= harmless[i] == number;
    if (!allowed) fail(FAILURE_UNMODELLED, "system call %ld at %#lx", number, (unsigned long)CALLER);
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
