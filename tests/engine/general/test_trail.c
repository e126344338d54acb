/* The tree of ways: what is forgotten and what is settled must not change any witness. */
#include "support/cmocka.h"

#include "base/random.h"
#include "engine/general/trail.h"

enum { NODES = 60, ENDS = 4 };

static void witness_is(const trail *t, uint32_t end, const uint32_t *op, uint32_t n) {
    witness w;
    trail_witness(t, end, &w);
    assert_int_equal(w.n, n);
    for (uint32_t i = 0; i < n; i++) assert_int_equal(w.op[i], op[i]);
    witness_free(&w);
}

/* One way ends where another one goes on: nothing below that end is common. */
static void an_end_inside_the_trunk(void **unused) {
    (void)unused;
    trail t = {0};
    uint32_t a = trail_add(&t, TRAIL_ROOT, 10, VALUE_NONE), b = trail_add(&t, a, 11, VALUE_NONE),
             c = trail_add(&t, b, 12, VALUE_NONE);
    uint32_t *end[] = {&c, &a};
    trail_retain(&t, end, 2);
    witness_is(&t, a, (uint32_t[]){10}, 1);
    witness_is(&t, c, (uint32_t[]){10, 11, 12}, 3);
    assert_int_equal(t.settled.n, 1);
    trail_free(&t);
}

static void random_trees(void **unused) {
    (void)unused;
    random_source r = {17};
    for (unsigned round = 0; round < 2000; round++) {
        trail t = {0};
        uint32_t end[ENDS] = {TRAIL_ROOT, TRAIL_ROOT, TRAIL_ROOT, TRAIL_ROOT}, op[ENDS][NODES], n[ENDS] = {0};
        uint32_t *ends[ENDS];
        for (unsigned e = 0; e < ENDS; e++) ends[e] = &end[e];
        for (uint32_t i = 0; i < NODES; i++) {
            uint32_t e = random_below(&r, ENDS), from = random_chance(&r, 0.2) ? random_below(&r, ENDS) : e;
            memmove(op[e], op[from], n[from] * sizeof op[e][0]);
            n[e] = n[from];
            op[e][n[e]++] = i;
            end[e] = trail_add(&t, end[from], i, VALUE_NONE);
            if (random_chance(&r, 0.2)) trail_retain(&t, ends, ENDS);
        }
        for (unsigned e = 0; e < ENDS; e++) witness_is(&t, end[e], op[e], n[e]);
        trail_free(&t);
    }
}

TEST_MAIN(TEST(an_end_inside_the_trunk), TEST(random_trees))
