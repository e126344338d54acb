/* The two ways to take a block apart agree, and what they choose fits. */
#include "support/cmocka.h"

#include "base/random.h"
#include "engine/linear/stack_block.h"

#include <string.h>

/* Covers with random beginnings and ends, operations that reach a few slots further. */
static void random_block(random_source *r, stack_block *b, uint32_t m) {
    uint32_t open[SMALL_BLOCK], opened = 0, begun = 0;
    stack_block_reserve(b, m);
    for (uint32_t place = 1; place <= 2 * m; place++) {
        if (begun < m && (opened == 0 || random_chance(r, 0.5))) {
            b->begin[begun] = place;
            open[opened++] = begun++;
        } else {
            uint32_t at = random_chance(r, 0.6) ? opened - 1 : random_below(r, opened);
            b->end[open[at]] = place;
            open[at] = open[--opened];
        }
    }
    for (uint32_t i = 0; i < m; i++) {
        uint32_t back = 1 + random_below(r, 3), on = random_below(r, 3);
        b->push_from[i] = b->begin[i] > back ? b->begin[i] - back : 0;
        b->pop_to[i] = b->end[i] + on < 2 * m ? b->end[i] + on : 2 * m;
    }
}

static void check_choice(const stack_block *b, uint32_t i) {
    assert_in_range(b->push_slot[i], b->push_from[i], b->begin[i] - 1);
    assert_in_range(b->pop_slot[i], b->end[i], b->pop_to[i]);
}

/* Chosen times nest: none begins inside another one and ends outside. */
static void check_nesting(const stack_block *b) {
    for (uint32_t i = 0; i < b->m; i++)
        for (uint32_t k = 0; k < b->m; k++) {
            bool crossing = b->push_slot[i] < b->push_slot[k] && b->push_slot[k] < b->pop_slot[i] &&
                            b->pop_slot[i] < b->pop_slot[k];
            assert_false(crossing);
        }
}

static void both_ways(void **unused) {
    (void)unused;
    random_source r = {21};
    stack_block b = {0};
    unsigned all = 0, trials = 40000;
    for (unsigned trial = 0; trial < trials; trial++) {
        random_block(&r, &b, 1 + random_below(&r, SMALL_BLOCK));
        bool small = stack_block_solve_small(&b), stuck[SMALL_BLOCK];
        for (uint32_t i = 0; i < b.m; i++) {
            stuck[i] = b.push_slot[i] == NOT_REMOVABLE;
            if (!stuck[i]) check_choice(&b, i);
        }
        if (small) check_nesting(&b);
        assert_int_equal(stack_block_solve_large(&b), small);
        for (uint32_t i = 0; i < b.m; i++) {
            assert_int_equal(b.push_slot[i] == NOT_REMOVABLE, stuck[i]);
            if (!stuck[i]) check_choice(&b, i);
        }
        if (small) check_nesting(&b);
        all += small;
    }
    assert_in_range(all, trials / 20, trials - trials / 20);
    stack_block_free(&b);
}

TEST_MAIN(TEST(both_ways))
