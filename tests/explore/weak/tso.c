/* Code for x86: what needs a fence between a store and a load, with it (-DFENCED) and without; and what needs none.
 * PETERSON: a lock, by volatile accesses. ASSEMBLY: Dekker's meeting by instructions, FENCE is the one between.
 * DEQUE: Chase and Lev's, whose owner takes at the bottom. HAZARD: a pointer is announced, then looked at again.
 * SLEEPER: who sleeps says so before it looks once more; who wakes looks whether any sleeps. SPINLOCK: given back by a
 * plain store. SEQLOCK: a writer and a reader of two words. MUTEX_MESSAGE: a store that a lock makes visible. MARK: a
 * byte that is stored and read again, of every value. */
#include <plumbline/test.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FENCE
#define FENCE "mfence"
#endif
#ifdef FENCED
#define STORE_LOAD() atomic_thread_fence(memory_order_seq_cst)
#else
#define STORE_LOAD() atomic_thread_fence(memory_order_acq_rel)
#endif
#define RELAXED memory_order_relaxed
#define GET(a) atomic_load_explicit(&(a), RELAXED)
#define PUT(a, v) atomic_store_explicit(&(a), v, RELAXED)

#if defined MARK
#ifdef PLAIN
static uint8_t byte;
#define BARRIER() __asm__ volatile("" ::: "memory")
#else
static volatile uint8_t byte;
#define BARRIER() (void)0
#endif
static void *stores(void *p) {
    for (unsigned v = 0; v < 256; v += 3) { /* 0xa5 is among them */
        byte = (uint8_t)v;
        BARRIER();
        plumb_assert(byte == (uint8_t)v);
        BARRIER();
        byte = 0;
        atomic_thread_fence(memory_order_seq_cst);
    }
    return p;
}
static void *looks(void *p) {
    plumb_assert(byte % 3 == 0);
    return p;
}
#define FIRST stores
#define SECOND looks
#elif defined PETERSON
static volatile int wants[2], turn;
static atomic_int inside;
static void *enter(void *p) {
    const int me = p != NULL;
    wants[me] = 1;
    turn = !me;
    STORE_LOAD();
    while (wants[!me] && turn == !me) continue;
    plumb_assert(atomic_fetch_add_explicit(&inside, 1, RELAXED) == 0);
    atomic_fetch_sub_explicit(&inside, 1, RELAXED);
    wants[me] = 0;
    return NULL;
}
#define FIRST enter
#define SECOND enter
#elif defined ASSEMBLY
static int flag[2];
static atomic_int inside;
static void *enter(void *p) {
    const int me = p != NULL;
    int other;
    __asm__ volatile("movl $1, %1\n\t" FENCE "\n\tmovl %2, %0"
                     : "=&r"(other), "=m"(flag[me])
                     : "m"(flag[!me])
                     : "memory", "cc");
    if (other) return NULL;
    plumb_assert(atomic_fetch_add(&inside, 1) == 0);
    return NULL;
}
#define FIRST enter
#define SECOND enter
#elif defined DEQUE
static atomic_long top, bottom;
static atomic_int item[4];
static atomic_int taken[3];
static void push(int v) {
    const long b = GET(bottom);
    PUT(item[b % 4], v);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}
static int take(void) {
    const long b = GET(bottom) - 1;
    PUT(bottom, b);
    STORE_LOAD();
    long t = GET(top);
    if (t > b) {
        PUT(bottom, b + 1);
        return 0;
    }
    const int v = GET(item[b % 4]);
    if (t < b) return v;
    const bool won = atomic_compare_exchange_strong(&top, &t, t + 1);
    PUT(bottom, b + 1);
    return won ? v : 0;
}
static int steal(void) {
    long t = atomic_load_explicit(&top, memory_order_acquire);
    if (t >= atomic_load_explicit(&bottom, memory_order_acquire)) return 0;
    const int v = GET(item[t % 4]);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? v : 0;
}
static void note(int v) {
    if (v) plumb_assert(atomic_fetch_add_explicit(&taken[v], 1, RELAXED) == 0);
}
static void *owner(void *p) {
    push(1);
    push(2);
    note(take());
    note(take());
    return p;
}
static void *thief(void *p) {
    note(steal());
    note(steal());
    return p;
}
#define FIRST owner
#define SECOND thief
#elif defined HAZARD
static _Atomic(int *) shared, announced;
static void *reader(void *p) {
    int *seen = GET(shared);
    PUT(announced, seen);
    STORE_LOAD();
    if (GET(shared) == seen && seen) plumb_assert(*seen == 7);
    PUT(announced, NULL);
    return p;
}
static void *remover(void *p) {
    int *old = atomic_exchange(&shared, NULL);
    if (GET(announced) != old) free(old);
    return p;
}
#define PREPARE \
    int *made = malloc(sizeof *made); \
    *made = 7; \
    PUT(shared, made)
#define FIRST reader
#define SECOND remover
#elif defined SLEEPER
static atomic_int work, sleeps;
static sem_t bell;
static void *waker(void *p) {
    PUT(work, 1);
    STORE_LOAD();
    if (GET(sleeps)) sem_post(&bell);
    return p;
}
static void *sleeper(void *p) {
    PUT(sleeps, 1);
    STORE_LOAD();
    if (!GET(work)) sem_wait(&bell);
    return p;
}
#define PREPARE sem_init(&bell, 0, 0)
#define FIRST waker
#define SECOND sleeper
#elif defined SPINLOCK
static volatile int lock;
static int data;
static void *add(void *p) {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) continue;
    data++;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return p;
}
#define FIRST add
#define SECOND add
#define FINALLY plumb_assert(data == 2)
#elif defined SEQLOCK
static atomic_uint sequence;
static atomic_int word[2];
static void *writer(void *p) {
    for (int i = 1; i <= 2; i++) {
        PUT(sequence, GET(sequence) + 1);
        atomic_thread_fence(memory_order_release);
        PUT(word[0], i);
        PUT(word[1], i);
        atomic_store_explicit(&sequence, GET(sequence) + 1, memory_order_release);
    }
    return p;
}
static void *reader(void *p) {
    const unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    const int a = GET(word[0]), b = GET(word[1]);
    atomic_thread_fence(memory_order_acquire);
    if (!(before & 1) && GET(sequence) == before) plumb_assert(a == b);
    return p;
}
#define FIRST writer
#define SECOND reader
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int data, ready;
static void *first(void *p) {
    data = 1;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    return p;
}
static void *second(void *p) {
    pthread_mutex_lock(&mutex);
    const int seen = ready;
    pthread_mutex_unlock(&mutex);
    plumb_assert(!seen || data == 1);
    return p;
}
#define FIRST first
#define SECOND second
#endif
#ifndef PREPARE
#define PREPARE (void)0
#endif
#ifndef FINALLY
#define FINALLY (void)0
#endif

int main(void) {
    pthread_t t[2];
    PREPARE;
    pthread_create(&t[0], NULL, FIRST, NULL);
    pthread_create(&t[1], NULL, SECOND, t);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    FINALLY;
    return 0;
}
