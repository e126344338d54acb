/* A barrier that turns its sense: what was written before it is read behind it, twice.
 *
 * BUG_ARRIVE: threads arrive with a relaxed decrement. BUG_TURN: the last one turns the sense with a relaxed store. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BUG_ARRIVE
#define ARRIVES memory_order_relaxed
#else
#define ARRIVES memory_order_acq_rel
#endif
#ifdef BUG_TURN
#define TURNS memory_order_relaxed
#else
#define TURNS memory_order_release
#endif

static atomic_int missing = 2, sense;
static int written[2];

static void meet(int turn) {
    if (atomic_fetch_sub_explicit(&missing, 1, ARRIVES) == 1) {
        atomic_store_explicit(&missing, 2, memory_order_relaxed);
        atomic_store_explicit(&sense, turn, TURNS);
    } else
        while (atomic_load_explicit(&sense, memory_order_acquire) != turn) continue;
}

static void *works(void *p) {
    const int me = p != NULL;
    for (int turn = 1; turn <= 2; turn++) {
        written[me] = turn;
        meet(2 * turn - 1);
        assert(written[!me] == turn);
        meet(2 * turn);
    }
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, works, NULL);
    pthread_create(&t[1], NULL, works, &sense);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
