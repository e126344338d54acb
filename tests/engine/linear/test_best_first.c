/* The best of many, first: beyond the few that are kept sorted, and with values of equal priority. */
#include "support/cmocka.h"

#include "base/random.h"
#include "engine/linear/best_first.h"

#include <stdlib.h>

enum { MOST = 1000 };

typedef struct plain { /* the same without any order: the best is looked for */
    uint64_t item[MOST];
    uint32_t n;
} plain;

static uint32_t take_best(plain *p) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->n; i++)
        if (p->item[i] > p->item[best]) best = i;
    uint64_t item = p->item[best];
    p->item[best] = p->item[--p->n];
    return (uint32_t)item;
}

static void like_a_search(void **unused) {
    (void)unused;
    random_source r = {17};
    for (unsigned round = 0; round < 200; round++) {
        best_first b = {0};
        plain p = {0};
        uint32_t priorities = 1 + random_below(&r, 2000), most = 1 + random_below(&r, MOST), next = 0;
        double adds = 0.3 + 0.05 * random_below(&r, 9);
        for (unsigned i = 0; i < 3000; i++) {
            if (p.n < most && random_chance(&r, adds)) {
                uint32_t priority = random_below(&r, priorities);
                best_add(&b, priority, next);
                p.item[p.n++] = (uint64_t)priority << 32 | next++;
            } else if (p.n) {
                assert_true(b.n > 0);
                assert_int_equal(best_take(&b), take_best(&p));
            } else {
                assert_int_equal(b.n, 0);
            }
        }
        best_free(&b);
    }
}

TEST_MAIN(TEST(like_a_search))
