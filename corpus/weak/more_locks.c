/* Locks of a few lines around a counter that is plain memory.
 *
 * Without a flag: a ticket lock. TTAS: test and test-and-set. BAKERY: Lamport's bakery for two threads. RW: one word
 * that counts readers, or is -1 for a writer. FUTEX_LIKE: three states, with a wait that spins (Drepper, "Futexes are
 * tricky").
 *
 * BUG_TICKET, BUG_TTAS, BUG_FUTEX: given back with a relaxed store. BUG_LOOK: the ticket lock waits with relaxed
 * loads.
 * BUG_BAKERY: the bakery without its fences. BUG_READERS: readers leave with a relaxed decrement. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#if defined BUG_TICKET || defined BUG_TTAS || defined BUG_FUTEX
#define GIVES RELAXED
#else
#define GIVES RELEASE
#endif

static int counter;

#if defined TTAS || defined BUG_TTAS
static atomic_int taken;
static void lock(int me) {
    (void)me;
    do
        while (atomic_load_explicit(&taken, RELAXED)) continue;
    while (atomic_exchange_explicit(&taken, 1, ACQUIRE));
}
static void unlock(int me) { (void)me, atomic_store_explicit(&taken, 0, GIVES); }
#elif defined BAKERY || defined BUG_BAKERY
#ifdef BUG_BAKERY
#define FENCE() (void)0
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif
static atomic_int choosing[2], number[2];
static void lock(int me) {
    const int other = !me;
    atomic_store_explicit(&choosing[me], 1, RELAXED);
    FENCE();
    const int mine = 1 + atomic_load_explicit(&number[other], RELAXED);
    atomic_store_explicit(&number[me], mine, RELAXED);
    atomic_store_explicit(&choosing[me], 0, RELEASE);
    FENCE();
    while (atomic_load_explicit(&choosing[other], ACQUIRE)) continue;
    for (;;) {
        const int theirs = atomic_load_explicit(&number[other], ACQUIRE);
        if (!theirs || theirs > mine || (theirs == mine && me < other)) return;
    }
}
static void unlock(int me) { atomic_store_explicit(&number[me], 0, RELEASE); }
#elif defined FUTEX_LIKE || defined BUG_FUTEX
static atomic_int word; /* 0 free, 1 taken, 2 taken and waited for */
static void lock(int me) {
    int zero = 0;
    (void)me;
    if (atomic_compare_exchange_strong_explicit(&word, &zero, 1, ACQUIRE, RELAXED)) return;
    while (atomic_exchange_explicit(&word, 2, ACQUIRE)) continue;
}
static void unlock(int me) { (void)me, atomic_store_explicit(&word, 0, GIVES); }
#else
#ifdef BUG_LOOK
#define LOOKS RELAXED
#else
#define LOOKS ACQUIRE
#endif
static atomic_uint next, serving;
static void lock(int me) {
    (void)me;
    const unsigned mine = atomic_fetch_add_explicit(&next, 1, RELAXED);
    while (atomic_load_explicit(&serving, LOOKS) != mine) continue;
}
static void unlock(int me) {
    (void)me;
    atomic_store_explicit(&serving, atomic_load_explicit(&serving, RELAXED) + 1, GIVES);
}
#endif

#if defined RW || defined BUG_READERS
#ifdef BUG_READERS
#define LEAVES RELAXED
#else
#define LEAVES RELEASE
#endif
static atomic_int state;
static void *reads(void *p) {
    for (;;) {
        int n = atomic_load_explicit(&state, RELAXED);
        if (n >= 0 && atomic_compare_exchange_strong_explicit(&state, &n, n + 1, ACQUIRE, RELAXED)) break;
    }
    assert(counter == 0 || counter == 1);
    atomic_fetch_sub_explicit(&state, 1, LEAVES);
    return p;
}
static void *writes(void *p) {
    int zero;
    do zero = 0;
    while (!atomic_compare_exchange_strong_explicit(&state, &zero, -1, ACQUIRE, RELAXED));
    counter = 1;
    atomic_store_explicit(&state, 0, RELEASE);
    return p;
}
#define FIRST reads
#define SECOND writes
#define EXPECTED 1
#else
static void *adds(void *p) {
    const int me = p != NULL;
    lock(me);
    counter++;
    unlock(me);
    return p;
}
#define FIRST adds
#define SECOND adds
#define EXPECTED 2
#endif

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, FIRST, NULL);
    pthread_create(&t[1], NULL, SECOND, &counter);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(counter == EXPECTED);
    return 0;
}
