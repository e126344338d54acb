#include "support/cmocka.h"

#include "base/random.h"
#include "engine/rank_order.h"

enum { MOST = 2000 };

/* Nearly in order, in any order, near each other or anywhere: the same items, by rank, then as they came. */
static void items_are_ordered_by_rank(void **unused) {
    (void)unused;
    static ranked a[MOST], other[MOST];
    random_source r = {13};
    for (unsigned round = 0; round < 400; round++) {
        uint32_t n = random_below(&r, round % 2 ? MOST : 20), base = random_below(&r, 2) ? 0 : UINT32_MAX - (1 << 20);
        uint32_t span = 1u << random_below(&r, 20), rank_of[MOST];
        bool nearly = random_chance(&r, 0.3);
        for (uint32_t i = 0; i < n; i++) {
            rank_of[i] = base + (nearly ? i + random_below(&r, 4) : random_below(&r, span));
            a[i] = (ranked){.rank = rank_of[i], .item = i};
        }
        const ranked *in_order = rank_order(a, other, n);
        uint8_t seen[MOST] = {0};
        for (uint32_t i = 0; i < n; i++) {
            uint32_t item = in_order[i].item;
            assert_true(item < n && !seen[item] && in_order[i].rank == rank_of[item]);
            const ranked *before = i ? &in_order[i - 1] : NULL; /* of equal ranks, the one that came first */
            assert_true(!i || before->rank < in_order[i].rank ||
                        (before->rank == in_order[i].rank && before->item < item));
            seen[item] = 1;
        }
    }
}

TEST_MAIN(TEST(items_are_ordered_by_rank))
