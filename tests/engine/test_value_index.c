/* Values to numbers, with values that are forgotten again: against a plain list. */
#include "support/cmocka.h"

#include "base/random.h"
#include "engine/value_index.h"

#include <stdlib.h>

enum { ROOM = 4096 };

typedef struct listed {
    value v;
    uint32_t number;
} listed;

static uint32_t find(const listed *all, uint32_t n, value v) {
    for (uint32_t i = 0; i < n; i++)
        if (all[i].v == v) return i;
    return NO_NUMBER;
}

/* Few different values in a crowded table: most of them stand where another one belongs. */
static void forgets_only_what_it_is_told(uint32_t different, uint32_t most, uint64_t seed) {
    random_source r = {seed};
    listed all[ROOM];
    uint32_t n = 0, steps = getenv("PLUMB_FEWER") ? 20000 : 100000;
    value_index x;
    value_index_init_small(&x, &(value_range){.n = 1, .low = 0, .high = UINT32_MAX});
    for (uint32_t step = 0; step < steps; step++) {
        value v = 1 + 7919 * random_below(&r, different);
        uint32_t at = find(all, n, v);
        assert_int_equal(value_index_find(&x, v), at == NO_NUMBER ? NO_NUMBER : all[at].number);
        if (at != NO_NUMBER) {
            value_index_forget(&x, v);
            all[at] = all[--n];
        } else if (n < most) {
            value_index_reserve(&x, n + 1);
            *value_index_at(&x, v) = step;
            all[n++] = (listed){v, step};
        }
    }
    value_index_free(&x);
}

static void sparse_tables(void **unused) {
    (void)unused;
    forgets_only_what_it_is_told(100, 60, 1);
    forgets_only_what_it_is_told(1000, 500, 2);
}

/* The table never grows beyond 16 slots, and is nearly full. */
static void a_crowded_table(void **unused) {
    (void)unused;
    random_source r = {3};
    listed all[ROOM];
    uint32_t n = 0;
    value_index x;
    value_index_init_small(&x, &(value_range){.n = 1, .low = 0, .high = UINT32_MAX});
    for (uint32_t step = 0; step < 50000; step++) {
        value v = 1 + random_below(&r, 40);
        uint32_t at = find(all, n, v);
        assert_int_equal(value_index_find(&x, v), at == NO_NUMBER ? NO_NUMBER : all[at].number);
        if (at != NO_NUMBER) {
            value_index_forget(&x, v);
            all[at] = all[--n];
        } else if (n < 13) {
            *value_index_at(&x, v) = step;
            all[n++] = (listed){v, step};
        }
    }
    value_index_free(&x);
}

static void arrays_forget_nothing(void **unused) {
    (void)unused;
    value_index x;
    value_index_init_small(&x, &(value_range){.n = 3, .low = 10, .high = 12, .small = true});
    *value_index_at(&x, 11) = 5;
    value_index_forget(&x, 11);
    assert_int_equal(value_index_find(&x, 11), 5);
    assert_int_equal(value_index_find(&x, 12), NO_NUMBER);
    assert_int_equal(value_index_find(&x, 13), NO_NUMBER);
    value_index_free(&x);
}

TEST_MAIN(TEST(sparse_tables), TEST(a_crowded_table), TEST(arrays_forget_nothing))
