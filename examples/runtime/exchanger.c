/* An exchanger, recorded, monitored, guarded: two operations that meet take effect at one moment, and get each other's
 * value (docs/CRITERIA.md, "Operations that take effect together"). Offers are never freed, to keep it short. */
#include "run.h"

#include <sched.h>
#include <stdatomic.h>

enum { EXCHANGE }; /* as `plumb objects` lists the methods of exchanger */
enum { ALONE = -1, WAITING = -2, PATIENCE = 200 };

typedef struct offer {
    int64_t v;
    _Atomic int64_t got;
} offer;

static _Atomic(offer *) slot;

static int64_t wait_for_partner(offer *mine) {
    offer *still = mine;
    for (int i = 0; i < PATIENCE && atomic_load(&mine->got) == WAITING; i++) {}
    if (atomic_load(&mine->got) == WAITING && atomic_compare_exchange_strong(&slot, &still, NULL)) return ALONE;
    while (atomic_load(&mine->got) == WAITING) sched_yield(); /* it was taken: the value is on its way */
    return atomic_load(&mine->got);
}

static int64_t exchange(int64_t v) {
    offer *other = NULL, *mine = calloc(1, sizeof *mine);
    mine->v = v;
    atomic_store(&mine->got, WAITING);
    if (atomic_compare_exchange_strong(&slot, &other, mine)) return wait_for_partner(mine);
    if (!atomic_compare_exchange_strong(&slot, &other, NULL)) return ALONE;
    atomic_store(&other->got, v);
    return other->v;
}

void work(client *c) {
    for (unsigned i = 0; i < c->operations; i++) {
        int64_t v = (int64_t)c->number << 32 | i, got;
        APPLY(c, EXCHANGE, 1, PLUMB_WORD_INT(v), got = goes_wrong(c) ? v : exchange(v),
              got == ALONE ? PLUMB_WORD_EMPTY : PLUMB_WORD_INT(got));
    }
}

int main(int argc, char **argv) { return run_example(argc, argv, "exchanger"); }
