/* Two threads meet at a place and exchange what they bring: the first offers, the second takes it and answers.
 *
 * BUG_OFFER: the offer is a relaxed compare-and-swap. BUG_TAKE: it is taken by a relaxed one. BUG_ANSWER: the answer is
 * flagged by a relaxed store. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BUG_OFFER
#define OFFERS memory_order_relaxed
#else
#define OFFERS memory_order_release
#endif
#ifdef BUG_TAKE
#define TAKES memory_order_relaxed
#else
#define TAKES memory_order_acquire
#endif
#ifdef BUG_ANSWER
#define ANSWERS memory_order_relaxed
#else
#define ANSWERS memory_order_release
#endif

struct offer {
    int brings, gets;
    atomic_int answered;
};
static struct offer mine[2];
static struct offer *_Atomic place;

static int exchange(struct offer *o, int v) {
    struct offer *other = NULL;
    o->brings = v;
    if (atomic_compare_exchange_strong_explicit(&place, &other, o, OFFERS, TAKES)) {
        while (!atomic_load_explicit(&o->answered, memory_order_acquire)) continue;
        return o->gets;
    }
    const int got = other->brings;
    other->gets = v;
    atomic_store_explicit(&other->answered, 1, ANSWERS);
    return got;
}

static void *meets(void *p) {
    const int me = p != NULL;
    assert(exchange(&mine[me], me + 1) == 2 - me);
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, meets, NULL);
    pthread_create(&t[1], NULL, meets, &mine);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
