/* Programs with a main of their own: one for each thing that threads wait for. The first argument says which. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/futex.h>
#include <time.h>

static int shared, other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t semaphore;
static atomic_int word, guard;
static __thread int mine;

static void both(void *(*a)(void *), void *(*b)(void *)) {
    pthread_t x, y;
    pthread_create(&x, NULL, a, (void *)1);
    pthread_create(&y, NULL, b, (void *)2);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
}

static void *add_locked(void *n) { (void)n; pthread_mutex_lock(&mutex); shared++; pthread_mutex_unlock(&mutex); return NULL; }
static void *add_bare(void *n) { (void)n; shared++; return NULL; }
static void *add_atomic(void *n) { (void)n; atomic_fetch_add(&word, 1); return NULL; }
static void *lock_ab(void *n) { (void)n; pthread_mutex_lock(&mutex); pthread_mutex_lock(&second); pthread_mutex_unlock(&second); pthread_mutex_unlock(&mutex); return NULL; }
static void *lock_ba(void *n) { (void)n; pthread_mutex_lock(&second); pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); pthread_mutex_unlock(&second); return NULL; }
static void *try_it(void *n) { (void)n; if (!pthread_mutex_trylock(&mutex)) { shared++; pthread_mutex_unlock(&mutex); } else other++; return NULL; }
static void *timed(void *n) {
    struct timespec t = {0, 0};
    (void)n;
    if (!pthread_mutex_timedlock(&mutex, &t)) { shared++; pthread_mutex_unlock(&mutex); } else atomic_fetch_add(&guard, 1);
    return NULL;
}
static void *produce(void *n) { (void)n; pthread_mutex_lock(&mutex); shared = 1; pthread_cond_signal(&condition); pthread_mutex_unlock(&mutex); return NULL; }
static void *consume(void *n) { (void)n; pthread_mutex_lock(&mutex); while (!shared) pthread_cond_wait(&condition, &mutex); shared = 2; pthread_mutex_unlock(&mutex); return NULL; }
static void *consume_wrong(void *n) { (void)n; pthread_mutex_lock(&mutex); int empty = !shared; pthread_mutex_unlock(&mutex); pthread_mutex_lock(&mutex); if (empty) pthread_cond_wait(&condition, &mutex); pthread_mutex_unlock(&mutex); return NULL; }
static void *read_side(void *n) { (void)n; pthread_rwlock_rdlock(&rwlock); assert(shared == other); pthread_rwlock_unlock(&rwlock); return NULL; }
static void *write_side(void *n) { (void)n; pthread_rwlock_wrlock(&rwlock); shared++; other++; pthread_rwlock_unlock(&rwlock); return NULL; }
static void *spin_side(void *n) { (void)n; pthread_spin_lock(&spin); shared++; pthread_spin_unlock(&spin); return NULL; }
static void *at_barrier(void *n) { (void)n; atomic_fetch_add(&word, 1); pthread_barrier_wait(&barrier); assert(word == 2); return NULL; }
static void initialise(void) { shared++; }
static void *use_once(void *n) { (void)n; pthread_once(&once, initialise); assert(shared == 1); return NULL; }
static void destroyed(void *n) { (void)n; atomic_fetch_add(&word, 1); }
static void *use_key(void *n) { pthread_setspecific(key, n); mine = (int)(long)n; atomic_fetch_add(&guard, 1); assert(pthread_getspecific(key) == n && mine == (int)(long)n); return NULL; }
static void *post(void *n) { (void)n; shared = 7; sem_post(&semaphore); return NULL; }
static void *await(void *n) { (void)n; sem_wait(&semaphore); assert(shared == 7); return NULL; }
static void *futex_wait(void *n) { (void)n; while (!atomic_load(&word)) syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0); assert(shared == 7); return NULL; }
static void *futex_wake(void *n) { (void)n; shared = 7; atomic_store(&word, 1); syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0); return NULL; }
static void *futex_lost(void *n) { (void)n; shared = 7; syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0); atomic_store(&word, 1); return NULL; }
static void *flag_wait(void *n) { (void)n; while (!atomic_load_explicit(&word, memory_order_acquire)) ; assert(shared == 7); return NULL; }
static void *flag_set(void *n) { (void)n; shared = 7; atomic_store_explicit(&word, 1, memory_order_release); return NULL; }
static void *flag_relaxed(void *n) { (void)n; shared = 7; atomic_store_explicit(&word, 1, memory_order_relaxed); return NULL; }
static void *never_set(void *n) { (void)n; return NULL; }
static void *sleeper(void *n) { (void)n; for (int i = 0; i < 3; i++) { usleep(10); sched_yield(); } shared = 1; return NULL; }
static void *use_after(void *n) { int *p = *(int **)n; *p = 1; return NULL; }
static void *polls(void *n) { char c; int fd[2]; (void)n; if (pipe(fd)) return NULL; return (void *)read(fd[0], &c, 1); }
static int c11_body(void *n) { mtx_lock(n); shared++; mtx_unlock(n); return 5; }
static int *freed;
static void *writes_freed(void *n) { (void)n; *freed = 1; return NULL; }
static void *frees(void *n) { (void)n; free(freed); return NULL; }
static int depth_of(volatile int n) { volatile char big[4096]; big[0] = (char)n; return n ? depth_of(n + 1) + big[0] : 0; }
static void *local_shared(void *n) { int *p = n; ++*p; return NULL; }

#define IS(name) (!strcmp(what, name))
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "mutex";
    int sum;
    assert(shared == 0 && other == 0 && word == 0 && mine == 0); /* memory is clean in every execution */
    if (IS("mutex")) { both(add_locked, add_locked); assert(shared == 2); }
    else if (IS("bare")) { both(add_bare, add_bare); assert(shared == 2); }
    else if (IS("bare-ok")) { both(add_bare, add_bare); }
    else if (IS("atomic")) { both(add_atomic, add_atomic); assert(word == 2); }
    else if (IS("deadlock")) both(lock_ab, lock_ba);
    else if (IS("trylock")) { both(try_it, add_locked); assert(shared + other == 2); }
    else if (IS("trylock-both")) { both(try_it, add_locked); assert(other == 0); }
    else if (IS("timedlock")) { both(timed, timed); sum = shared + guard; assert(sum == 2); }
    else if (IS("timedlock-late")) { both(timed, timed); assert(guard == 0); }
    else if (IS("condition")) { both(produce, consume); assert(shared == 2); }
    else if (IS("condition-lost")) both(produce, consume_wrong);
    else if (IS("rwlock")) both(read_side, write_side);
    else if (IS("spin")) { pthread_spin_init(&spin, 0); both(spin_side, spin_side); assert(shared == 2); }
    else if (IS("barrier")) { pthread_barrier_init(&barrier, NULL, 2); both(at_barrier, at_barrier); }
    else if (IS("once")) both(use_once, use_once);
    else if (IS("keys")) { pthread_key_create(&key, destroyed); both(use_key, use_key); assert(word == 2); }
    else if (IS("semaphore")) { sem_init(&semaphore, 0, 0); both(post, await); }
    else if (IS("futex")) both(futex_wait, futex_wake);
    else if (IS("futex-lost")) both(futex_wait, futex_lost);
    else if (IS("flag")) both(flag_wait, flag_set);
    else if (IS("flag-relaxed")) both(flag_wait, flag_relaxed);
    else if (IS("livelock")) both(flag_wait, never_set);
    else if (IS("sleep")) both(sleeper, never_set);
    else if (IS("crash")) { int *p = NULL; both(use_after, never_set); *(volatile int *)p = 1; }
    else if (IS("null")) { volatile int *volatile p = NULL; *p = 1; }
    else if (IS("overflow")) depth_of(1);
    else if (IS("abort")) abort();
    else if (IS("exit")) exit(3);
    else if (IS("pipe")) both(polls, never_set);
    else if (IS("unlock")) pthread_mutex_unlock(&mutex);
    else if (IS("leak")) { void *volatile p = malloc(10); (void)p; }
    else if (IS("double-free")) { freed = malloc(4); both(frees, frees); }
    else if (IS("use-after-free")) { freed = malloc(4); both(frees, writes_freed); }
    else if (IS("invalid-free")) { static int local[8]; void *volatile p = (char *)malloc(32) + 8; free(p); (void)local; }
    else if (IS("overrun")) { volatile char *volatile p = malloc(16); p[16] = 1; free((void *)p); }
    else if (IS("local")) { int local = 0; pthread_t x, y; pthread_create(&x, NULL, local_shared, &local); pthread_create(&y, NULL, local_shared, &local); pthread_join(x, NULL); pthread_join(y, NULL); assert(local == 2); }
    else if (IS("c11")) { mtx_t x; thrd_t a, b; int r; mtx_init(&x, mtx_plain); thrd_create(&a, c11_body, &x); thrd_create(&b, c11_body, &x); thrd_join(a, &r); thrd_join(b, NULL); assert(shared == 2 && r == 5); }
    else if (IS("detach")) { pthread_t x; pthread_create(&x, NULL, add_atomic, NULL); pthread_detach(x); }
    else return 64;
    return 0;
}
