/* The steps of the recorder (include/plumbline/record.h, src/runtime/record/) at which the order of memory matters,
 * over an object whose own accesses are relaxed: docs/proofs/runtime.md, "Weak memory". With BROKEN each lacks what it
 * needs.
 *
 *     PRECISE   two operations that the stamps of TICKET order did happen in that order
 *     CAUSAL    what a caller saw in order, the stamps order
 *     PUBLISH   a record whose publication was seen is seen whole
 *     ANNOUNCE  of a guard: a call that is not seen after the cut begins after it
 *     DARK      what came of an operation that was not recorded is not seen without the flag that says so */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef BROKEN
#define FENCE() atomic_signal_fence(memory_order_seq_cst)
#define STRONG memory_order_relaxed
#define TAKES memory_order_relaxed
#define GIVES memory_order_relaxed
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst) /* AFTER_EXCHANGE, BETWEEN_LOADS */
#define STRONG memory_order_seq_cst
#define TAKES memory_order_acquire
#define GIVES memory_order_release
#endif
#define GET(p, order) atomic_load_explicit(&(p), order)
#define PUT(p, v, order) atomic_store_explicit(&(p), v, order)

static atomic_int object, ticket, announced, done, record, dark, seen_by_caller;
static int first_returned, second_called, second_saw = -1, first_saw = -1, looked = -1;

static int stamp_at_call(void) { return GET(ticket, STRONG); }
static int stamp_at_return(void) { return atomic_fetch_add_explicit(&ticket, 1, STRONG) + 1; }

static void *first(void *p) {
#if defined PRECISE
    PUT(object, 1, memory_order_relaxed);
    first_returned = stamp_at_return();
#elif defined CAUSAL
    first_returned = stamp_at_return();
    PUT(seen_by_caller, 1, GIVES);
#elif defined PUBLISH
    PUT(record, 7, memory_order_relaxed);
    PUT(done, 1, GIVES);
#elif defined ANNOUNCE
    PUT(announced, 1, memory_order_seq_cst);
    FENCE();
    first_saw = GET(object, memory_order_relaxed);
#else
    PUT(dark, 1, memory_order_seq_cst);
    FENCE();
    PUT(object, 1, memory_order_relaxed);
#endif
    return p;
}

static void *second(void *p) {
#if defined PRECISE
    second_called = stamp_at_call();
    second_saw = GET(object, memory_order_relaxed);
#elif defined CAUSAL
    looked = GET(seen_by_caller, TAKES);
    second_called = stamp_at_call();
#elif defined PUBLISH
    looked = GET(done, TAKES);
    second_saw = GET(record, memory_order_relaxed);
#elif defined ANNOUNCE
    PUT(object, 1, memory_order_relaxed);
    stamp_at_return();
    PUT(done, 1, memory_order_seq_cst);
    FENCE();
    looked = GET(announced, memory_order_seq_cst);
#else
    second_saw = GET(object, memory_order_relaxed);
    stamp_at_return();
    PUT(done, second_saw + 1, memory_order_release);
#endif
    return p;
}

#ifdef DARK
static void *verifier(void *p) {
    int came = GET(done, memory_order_acquire);
    FENCE();
    looked = GET(dark, memory_order_seq_cst);
    assert(came != 2 || looked == 1);
    return p;
}
#else
#define verifier NULL
#endif

int main(void) {
    void *(*run[])(void *) = {first, second, verifier};
    pthread_t t[3];
    for (int i = 0; i < 3 && run[i]; i++) pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 3 && run[i]; i++) pthread_join(t[i], NULL);
#if defined PRECISE
    assert(!first_returned || first_returned > second_called || second_saw == 1);
#elif defined CAUSAL
    assert(looked != 1 || first_returned <= second_called);
#elif defined PUBLISH
    assert(looked != 1 || second_saw == 7);
#elif defined ANNOUNCE
    assert(looked == 1 || first_saw == 1);
#endif
    return 0;
}
