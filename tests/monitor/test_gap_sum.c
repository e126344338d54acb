/* Sums over gaps, against an array with the sum of every gap. */
#include "support/cmocka.h"

#include "base/random.h"
#include "monitor/gap_sum.h"

enum { GAPS = 3000 };

typedef struct model {
    int64_t sum[GAPS];
    uint64_t base, end; /* as the ring's */
} model;

static void change(gap_sum *s, model *m, uint64_t from, int64_t by) {
    gap_sum_change(s, from, by);
    for (uint64_t g = from; g < GAPS; g++) m->sum[g] += by;
}

static uint64_t good(const model *m, uint64_t g, uint64_t end) {
    for (g = g < m->base ? m->base : g; g < end; g++)
        if (m->sum[g] <= 0) return g;
    return GAP_NONE;
}

static void one_step(gap_sum *s, model *m, random_source *r) {
    uint64_t live = m->end - m->base, from = m->base + (live ? random_below(r, (uint32_t)live) : 0);
    switch (random_below(r, live ? 6 : 1)) {
    case 0:
        m->end += 1 + random_below(r, 6);
        gap_sum_reach(s, m->end - 1);
        break;
    case 1: {
        int64_t by = (int64_t)random_below(r, 3) - 1;
        gap_sum_next(s, by);
        for (uint64_t g = m->end++; g < GAPS; g++) m->sum[g] += by;
        break;
    }
    case 2: change(s, m, from, 1); break;
    case 3: change(s, m, random_below(r, (uint32_t)from + 1), -1); break; /* of long ago, too */
    case 4:
        assert_int_equal(gap_sum_good(s, from, m->end), good(m, from, m->end));
        assert_int_equal(gap_sum_last(s).sum, m->sum[m->end - 1]);
        break;
    default:
        if (!random_chance(r, 0.2)) break;
        m->base = from;
        gap_sum_settle(s, from);
    }
}

/* Asked one after the other from the last answer, as for many gaps that are near each other. */
static void ask_all(const gap_sum *s, const model *m) {
    if (m->base == m->end) return;
    gap_place at = gap_sum_last(s);
    for (uint64_t g = m->end; g-- > m->base;)
        assert_int_equal(gap_sum_good_from(s, &at, g, m->end), good(m, g, m->end));
}

static void sums_are_those_of_an_array(void **unused) {
    (void)unused;
    random_source r = {11};
    for (unsigned round = 0; round < 60; round++) {
        static model m;
        m = (model){0};
        gap_sum s;
        gap_sum_init(&s, 0);
        while (m.end + 8 < GAPS / 4) one_step(&s, &m, &r);
        ask_all(&s, &m);
        gap_sum_free(&s);
    }
}

TEST_MAIN(TEST(sums_are_those_of_an_array))
