/* Mutexes, reader-writer locks and spin locks of pthreads. Their state is kept in the program's own objects, so that it
 * is reset with them; libc's layout is followed where static initializers are in use (a free mutex is all zero but its
 * type). */
#include "explore/inside/buffers.h"
#include "explore/inside/limits.h"
#include "explore/inside/locks.h"
#include "explore/inside/messages.h"
#include "explore/inside/signals.h"

#include "explore/inside/time.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* as libc's */
typedef struct modelled_mutex {
    int32_t held;
    uint32_t count;
    int32_t owner;
    uint32_t users;
    int32_t type;
} modelled_mutex;
typedef struct modelled_rwlock {
    int32_t writer;
    uint32_t readers;
    uint8_t reads[THREADS_MAX / 2]; /* how often each thread holds it, in four bits: it is to fit for many threads */
} modelled_rwlock;
_Static_assert(sizeof(modelled_mutex) <= sizeof(pthread_mutex_t) && sizeof(modelled_rwlock) <= sizeof(pthread_rwlock_t),
               "they live in pthread's objects");

enum { RECURSIVE = 1, ERRORCHECK = 2, TYPES = 3 };

static bool mutex_free(uintptr_t a) { return !((const modelled_mutex *)a)->held; }

bool step_enabled(const fiber *f, const step *s) {
    switch ((wait_kind)f->wait.kind) {
    case WAIT_READS: return spin_ends(f, s);
    case WAIT_MUTEX: return mutex_free(f->wait.on);
    case WAIT_SPINLOCK: return !*(const volatile int *)f->wait.on;
    case WAIT_READ_LOCK: return !((const modelled_rwlock *)f->wait.on)->writer;
    case WAIT_WRITE_LOCK:
        return !((const modelled_rwlock *)f->wait.on)->writer && !((const modelled_rwlock *)f->wait.on)->readers;
    case WAIT_CONDITION: return (f->wait.signalled || f->wait.timed_out) && mutex_free(f->wait.second);
    case WAIT_SIGNALLED: return *(const volatile uint64_t *)f->wait.on & UINT64_C(1) << (32 + f->number);
    case WAIT_FUTEX: return f->wait.signalled || f->wait.timed_out;
    case WAIT_SEMAPHORE: return *(const volatile uint32_t *)f->wait.on != 0;
    case WAIT_BARRIER: return *(const volatile uint32_t *)f->wait.on != f->wait.value;
    case WAIT_ONCE: return *(const volatile int *)f->wait.on != 1;
    case WAIT_GUARD: return ((const volatile uint8_t *)f->wait.on)[1] == 0;
    case WAIT_JOIN:
        INVARIANT(f->wait.value < world_now()->threads);
        return fiber_at(f->wait.value)->state == FIBER_ENDED;
    case WAIT_BUFFER: return buffer_is_at(f->number, f->wait.on);
    case WAIT_NONE: break;
    }
    return true;
}

bool wait_times_out(fiber *f) {
    if (!f->wait.timed || !thread_may_wait(f->number)) return false;
    /* whose time is over still has to wait for the mutex */
    if (f->wait.kind == WAIT_CONDITION && !mutex_free(f->wait.second)) return false;
    f->wait.timed_out = true;
    return true;
}

void wait_begin(fiber *f) { f->wait = (fiber_wait){0}; }

bool timeout_chosen(void) {
    if (mode_now() != RECORDING) return false;
    if (fiber_now()->wait.timeouts >= options_now()->timeouts) {
        limits_now()->timeouts_cut++;
        return false;
    }
    if (!world_choose(2, CHOICE_OF_TEST)) return false;
    fiber_now()->wait.timeouts++;
    return true;
}

/* The common step of everything that takes a lock. `may` tells whether it could be had at once: a try that could not is
 * a read. Returns false when a try or a timed wait ends without it. */
bool lock_acquire(const lock_step *l) {
    fiber *f = fiber_now();
    uintptr_t a = (uintptr_t)l->lock;
    signal_point(l->pc);
    spin_locks(f, a);
    bool chosen = l->until && timeout_chosen(), tries = l->tries || chosen;
    if (address_is_heap(a)) heap_check_access(a, 4, true, l->pc);
    if (mode_now() != RECORDING || !shared_touch(a, 4, true)) {
        if (l->may(a)) return true;
        if (tries || l->until) {
            time_is_over(f, l->until);
            spin_locks(f, a);
            spin_forget(f);
            return false;
        }
        shared_demand(a);
        fail(FAILURE_DEADLOCK, "thread %u waits for ever for what it holds itself, at %#lx", f->number,
             (unsigned long)l->pc);
    }
    step *s = step_describe(tries ? l->try_kind : l->kind, a, 4, l->role, l->pc);
    s->flags |= STEP_MARKER;
    if (messages_wanted()) message_pending_lock(!l->may(a));
    if (messages_wanted() && l->until)
        fail(FAILURE_UNMODELLED, "a lock with a deadline at %#lx under a weak memory model", (unsigned long)l->pc);
    f->wait.timed = l->until != NULL;
    f->wait.timed_out = false;
    if (!tries) step_waits(l->wait, a);
    step_take();
    f->wait.timed = false;
    if (address_is_heap(a)) heap_check_access(a, 4, true, l->pc);
    races_sync(s, true, false);
    if (l->may(a)) return true;
    step_last_fails();
    time_is_over(f, l->until);
    spin_locks(f, a);
    spin_forget(f);
    return false;
}

void lock_release(void *lock, step_kind kind, uintptr_t pc) {
    uintptr_t a = (uintptr_t)lock;
    signal_point(pc);
    spin_locks(fiber_now(), a);
    if (address_is_heap(a)) heap_check_access(a, 4, true, pc);
    if (mode_now() != RECORDING || !shared_touch(a, 4, true)) return;
    step *s = step_describe(kind, a, 4, PLACE_RELEASE, pc);
    if (messages_wanted()) message_pending_lock(true);
    step_take();
    races_release(s);
}

/* ---- mutexes ---- */

static int mutex_lock(modelled_mutex *x, bool tries, const struct timespec *until, uintptr_t pc) {
    int me = fiber_now()->number + 1;
    if (x->type & ~TYPES & 0xff) fail(FAILURE_UNMODELLED, "a robust or priority mutex at %#lx", (unsigned long)pc);
    if (x->held && x->owner == me) {
        if ((x->type & TYPES) == RECURSIVE) {
            x->count++;
            return 0;
        }
        if (tries) return EBUSY;
        if ((x->type & TYPES) == ERRORCHECK) return EDEADLK;
        if (!until)
            fail(FAILURE_DEADLOCK, "thread %u locks a mutex that it already holds, at %#lx", fiber_now()->number,
                 (unsigned long)pc);
    }
    const lock_step l = {x, STEP_LOCK, STEP_TRYLOCK, WAIT_MUTEX, mutex_free, tries, until, PLACE_ACQUIRE, pc};
    if (!lock_acquire(&l)) return tries ? EBUSY : ETIMEDOUT;
    x->held = 1;
    x->owner = me;
    x->count = 1;
    return 0;
}

static int mutex_unlock(modelled_mutex *x, uintptr_t pc) {
    int me = fiber_now()->number + 1;
    if (!x->held || x->owner != me) {
        if ((x->type & TYPES) == ERRORCHECK || (x->type & TYPES) == RECURSIVE) return EPERM;
        fail(FAILURE_MISUSE, "thread %u unlocks a mutex that it does not hold, at %#lx", fiber_now()->number,
             (unsigned long)pc);
    }
    if (--x->count) return 0;
    lock_release(x, STEP_UNLOCK, pc);
    x->held = 0;
    x->owner = 0;
    return 0;
}

uint32_t mutex_leave(void *p, uintptr_t pc) {
    modelled_mutex *x = p;
    if (!x->held || x->owner != fiber_now()->number + 1)
        fail(FAILURE_MISUSE, "thread %u waits with a mutex that it does not hold, at %#lx", fiber_now()->number,
             (unsigned long)pc);
    uint32_t count = x->count;
    x->held = 0;
    x->owner = 0;
    x->count = 0;
    return count;
}
void mutex_enter(void *p, uint32_t count) {
    modelled_mutex *x = p;
    INVARIANT(!x->held); /* or its step was not enabled */
    x->held = 1;
    x->owner = fiber_now()->number + 1;
    x->count = count;
}

uint32_t mutex_release(void *p, uintptr_t pc) {
    const modelled_mutex *x = p;
    if (x->held && x->owner == fiber_now()->number + 1) lock_release(p, STEP_UNLOCK, pc);
    return mutex_leave(p, pc);
}
void mutex_acquire(void *p, uint32_t count, uintptr_t pc) {
    lock_acquire(&(lock_step){p, STEP_LOCK, STEP_TRYLOCK, WAIT_MUTEX, mutex_free, false, NULL, PLACE_ACQUIRE, pc});
    mutex_enter(p, count);
}

EXPORT int pthread_mutex_init(pthread_mutex_t *p, const pthread_mutexattr_t *attributes) {
    memset(p, 0, sizeof *p);
    int kind = attributes ? *(const int *)attributes : 0;
    if (INSIDE && (kind & 0x70000000))
        fail(FAILURE_UNMODELLED, "a robust or priority mutex at %#lx", (unsigned long)CALLER);
    ((modelled_mutex *)p)->type = kind & TYPES;
    return 0;
}
EXPORT int pthread_mutex_destroy(pthread_mutex_t *p) {
    if (INSIDE && ((modelled_mutex *)p)->held)
        fail(FAILURE_MISUSE, "a mutex is destroyed while it is held, at %#lx", (unsigned long)CALLER);
    return 0;
}
EXPORT int pthread_mutex_lock(pthread_mutex_t *p) {
    return INSIDE ? mutex_lock((modelled_mutex *)p, false, NULL, CALLER) : REAL(pthread_mutex_lock)(p);
}
EXPORT int pthread_mutex_trylock(pthread_mutex_t *p) {
    return INSIDE ? mutex_lock((modelled_mutex *)p, true, NULL, CALLER) : REAL(pthread_mutex_trylock)(p);
}
EXPORT int pthread_mutex_unlock(pthread_mutex_t *p) {
    return INSIDE ? mutex_unlock((modelled_mutex *)p, CALLER) : REAL(pthread_mutex_unlock)(p);
}
EXPORT int pthread_mutex_timedlock(pthread_mutex_t *p, const struct timespec *until) {
    return INSIDE ? mutex_lock((modelled_mutex *)p, false, until, CALLER) : REAL(pthread_mutex_timedlock)(p, until);
}
EXPORT int pthread_mutex_clocklock(pthread_mutex_t *p, clockid_t clock, const struct timespec *until) {
    return INSIDE ? mutex_lock((modelled_mutex *)p, false, until, CALLER)
                  : REAL(pthread_mutex_clocklock)(p, clock, until);
}

/* ---- reader-writer locks ---- */

static bool may_read(uintptr_t a) { return !((const modelled_rwlock *)a)->writer; }
static bool may_write(uintptr_t a) {
    return !((const modelled_rwlock *)a)->writer && !((const modelled_rwlock *)a)->readers;
}

enum { READS_MOST = 15 };
static unsigned reads_of(const modelled_rwlock *x, unsigned thread) {
    return x->reads[thread / 2] >> thread % 2 * 4 & READS_MOST;
}
static void reads_count(modelled_rwlock *x, unsigned thread, int more) {
    x->readers += (unsigned)more;
    x->reads[thread / 2] = (uint8_t)(x->reads[thread / 2] + more * (1 << thread % 2 * 4));
}

static int read_lock(modelled_rwlock *x, bool tries, const struct timespec *until, uintptr_t pc) {
    const lock_step l = {x, STEP_RDLOCK, STEP_TRYRDLOCK, WAIT_READ_LOCK, may_read, tries, until, PLACE_ACQUIRE_SHARED,
                         pc};
    if (x->writer == fiber_now()->number + 1 && !tries) return EDEADLK;
    if (!lock_acquire(&l)) return tries ? EBUSY : ETIMEDOUT;
    if (reads_of(x, fiber_now()->number) == READS_MOST)
        fail(FAILURE_UNMODELLED, "more than %d read locks of one thread on one lock, at %#lx", READS_MOST,
             (unsigned long)pc);
    reads_count(x, fiber_now()->number, 1);
    return 0;
}
static int write_lock(modelled_rwlock *x, bool tries, const struct timespec *until, uintptr_t pc) {
    const lock_step l = {x, STEP_LOCK, STEP_TRYLOCK, WAIT_WRITE_LOCK, may_write, tries, until, PLACE_ACQUIRE, pc};
    if (x->writer == fiber_now()->number + 1 && !tries) return EDEADLK;
    if (!lock_acquire(&l)) return tries ? EBUSY : ETIMEDOUT;
    x->writer = fiber_now()->number + 1;
    return 0;
}
static int rw_unlock(modelled_rwlock *x, uintptr_t pc) {
    bool writes = x->writer == fiber_now()->number + 1;
    if (!writes && !reads_of(x, fiber_now()->number))
        fail(FAILURE_MISUSE, "thread %u unlocks a reader-writer lock that it does not hold, at %#lx",
             fiber_now()->number, (unsigned long)pc);
    lock_release(x, STEP_UNLOCK, pc);
    if (writes) x->writer = 0;
    else reads_count(x, fiber_now()->number, -1);
    return 0;
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *p, const pthread_rwlockattr_t *a) {
    (void)a;
    memset(p, 0, sizeof *p);
    return 0;
}
EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *p) { return (void)p, 0; }
EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *p) {
    return INSIDE ? read_lock((modelled_rwlock *)p, false, NULL, CALLER) : 0;
}
EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *p) {
    return INSIDE ? read_lock((modelled_rwlock *)p, true, NULL, CALLER) : 0;
}
EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *p, const struct timespec *t) {
    return INSIDE ? read_lock((modelled_rwlock *)p, false, t, CALLER) : 0;
}
EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *p, clockid_t c, const struct timespec *t) {
    return (void)c, INSIDE ? read_lock((modelled_rwlock *)p, false, t, CALLER) : 0;
}
EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *p) {
    return INSIDE ? write_lock((modelled_rwlock *)p, false, NULL, CALLER) : 0;
}
EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *p) {
    return INSIDE ? write_lock((modelled_rwlock *)p, true, NULL, CALLER) : 0;
}
EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *p, const struct timespec *t) {
    return INSIDE ? write_lock((modelled_rwlock *)p, false, t, CALLER) : 0;
}
EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *p, clockid_t c, const struct timespec *t) {
    return (void)c, INSIDE ? write_lock((modelled_rwlock *)p, false, t, CALLER) : 0;
}
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *p) { return INSIDE ? rw_unlock((modelled_rwlock *)p, CALLER) : 0; }

/* ---- spin locks: the owner's number + 1 ---- */

static bool spin_free(uintptr_t a) { return !*(const volatile int *)a; }

static int spin_lock(volatile int *x, bool tries, uintptr_t pc) {
    const lock_step l = {(void *)(uintptr_t)x, STEP_LOCK, STEP_TRYLOCK, WAIT_SPINLOCK, spin_free, tries, NULL,
                         PLACE_ACQUIRE,        pc};
    if (!lock_acquire(&l)) return EBUSY;
    *x = fiber_now()->number + 1;
    return 0;
}
static int spin_unlock(volatile int *x, uintptr_t pc) {
    if (*x != fiber_now()->number + 1)
        fail(FAILURE_MISUSE, "thread %u unlocks a spin lock that it does not hold, at %#lx", fiber_now()->number,
             (unsigned long)pc);
    lock_release((void *)(uintptr_t)x, STEP_UNLOCK, pc);
    *x = 0;
    return 0;
}
static int spin_set(pthread_spinlock_t *p, int to) {
    *p = to;
    return 0;
}
EXPORT int pthread_spin_init(pthread_spinlock_t *p, int shared) {
    (void)shared;
    *p = 0;
    return 0;
}
EXPORT int pthread_spin_destroy(pthread_spinlock_t *p) { return (void)p, 0; }
EXPORT int pthread_spin_lock(pthread_spinlock_t *p) { return INSIDE ? spin_lock(p, false, CALLER) : spin_set(p, 1); }
EXPORT int pthread_spin_trylock(pthread_spinlock_t *p) { return INSIDE ? spin_lock(p, true, CALLER) : spin_set(p, 1); }
EXPORT int pthread_spin_unlock(pthread_spinlock_t *p) { return INSIDE ? spin_unlock(p, CALLER) : spin_set(p, 0); }

/* ---- C11: the same objects under other names ---- */

#include <threads.h>

static int c11(int error) {
    return !error ? thrd_success : error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}
EXPORT int mtx_init(mtx_t *p, int type) {
    memset(p, 0, sizeof *p);
    ((modelled_mutex *)p)->type = type & mtx_recursive ? RECURSIVE : 0;
    return thrd_success;
}
EXPORT void mtx_destroy(mtx_t *p) { (void)p; }
EXPORT int mtx_lock(mtx_t *p) { return c11(INSIDE ? mutex_lock((modelled_mutex *)p, false, NULL, CALLER) : 0); }
EXPORT int mtx_trylock(mtx_t *p) { return c11(INSIDE ? mutex_lock((modelled_mutex *)p, true, NULL, CALLER) : 0); }
EXPORT int mtx_timedlock(mtx_t *restrict p, const struct timespec *restrict t) {
    return c11(INSIDE ? mutex_lock((modelled_mutex *)p, false, t, CALLER) : 0);
}
EXPORT int mtx_unlock(mtx_t *p) { return c11(INSIDE ? mutex_unlock((modelled_mutex *)p, CALLER) : 0); }
