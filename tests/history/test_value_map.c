#include "support/cmocka.h"

#include "base/random.h"
#include "history/value_map.h"

#include <stdlib.h>

enum { KEYS = 700 };

static void assert_same(const value_map *m, const uint32_t *number) {
    uint32_t n = 0;
    for (uint32_t v = 0; v < KEYS; v++) {
        assert_int_equal(value_map_find(m, v * 64), number[v]);
        n += number[v] != VALUE_MAP_ABSENT;
    }
    assert_int_equal(m->n, n);
}

/* Against an array: values are added, given another number and removed; the map grows on the way, and by itself. */
static void a_map_has_what_an_array_has(void **unused) {
    (void)unused;
    random_source r = {7};
    value_map m = {0};
    uint32_t number[KEYS];
    for (uint32_t v = 0; v < KEYS; v++) number[v] = VALUE_MAP_ABSENT;
    assert_same(&m, number);
    for (unsigned step = 0; step < 40000; step++) {
        uint32_t room = step < 20000 ? 60 : KEYS, v = random_below(&r, room);
        if (number[v] == VALUE_MAP_ABSENT) value_map_add(&m, v * 64, number[v] = step);
        else if (random_chance(&r, 0.4)) value_map_set(&m, v * 64, number[v] = step);
        else {
            value_map_remove(&m, v * 64);
            number[v] = VALUE_MAP_ABSENT;
        }
        if (step % 500 == 0) assert_same(&m, number);
    }
    value_map_remove(&m, KEYS * 64); /* which is not there */
    assert_same(&m, number);
    free(m.slot);
}

TEST_MAIN(TEST(a_map_has_what_an_array_has))
