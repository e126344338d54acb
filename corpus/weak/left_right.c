/* Left-Right: two copies; readers count themselves into the one that they were shown, the writer changes the other one,
 * shows it, waits for the readers of the old one, and changes that, too.
 *
 * BUG_ARRIVE: a reader's arrival is not ordered before its look which copy is shown. BUG_SHOW: what is shown is not
 * ordered before the look whether readers are left. BUG_DEPART: readers leave with a relaxed decrement. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BUG_ARRIVE
#define ARRIVES memory_order_relaxed
#else
#define ARRIVES memory_order_seq_cst
#endif
#ifdef BUG_SHOW
#define SHOWS memory_order_release
#else
#define SHOWS memory_order_seq_cst
#endif
#ifdef BUG_DEPART
#define DEPARTS memory_order_relaxed
#else
#define DEPARTS memory_order_release
#endif

static int copy[2][2];
static atomic_int shown, readers;

static void *reads(void *p) {
    atomic_fetch_add_explicit(&readers, 1, ARRIVES);
    const int *c = copy[atomic_load_explicit(&shown, memory_order_seq_cst)];
    const int a = c[0], b = c[1];
    atomic_fetch_sub_explicit(&readers, 1, DEPARTS);
    assert(a == b);
    return p;
}

static void change(int *c) {
    c[0]++;
    c[1]++;
}

static void *writes(void *p) {
    change(copy[1]);
    atomic_store_explicit(&shown, 1, SHOWS);
    while (atomic_load_explicit(&readers, memory_order_seq_cst)) continue;
    change(copy[0]);
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, reads, NULL);
    pthread_create(&t[1], NULL, writes, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
