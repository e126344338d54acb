#include "support/cmocka.h"

#include "base/random.h"
#include "history/history.h"
#include "history/partition.h"

#include <stdlib.h>

enum { OPERATIONS = 60 };

static bool same_part(const value *first, const value *second, uint32_t a, uint32_t b) {
    return (!first || first[a] == first[b]) && (!second || second[a] == second[b]);
}

/* Every operation in one part, in order; two in the same part if and only if they have the same names; parts by their
 * first operation. */
static void check(uint32_t n, const value *first, const value *second) {
    history h = {.n = n};
    partition *p = partition_by(&h, first, second);
    uint32_t part_of[OPERATIONS], seen = 0, newest = 0;
    for (uint32_t c = 0; c < p->count; c++) {
        uint32_t size;
        const uint32_t *op = partition_ops(p, c, &size);
        for (uint32_t i = 0; i < size; i++, seen++) {
            assert_true(op[i] < n && (!i || op[i - 1] < op[i]));
            part_of[op[i]] = c;
        }
        if (!size) continue;
        assert_true(!c || op[0] > newest);
        newest = op[0];
    }
    assert_int_equal(seen, n);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++) assert_int_equal(part_of[a] == part_of[b], same_part(first, second, a, b));
    partition_free(p);
}

/* Names close together (an array finds the part), far apart (a table), two columns, none. */
static void operations_with_one_name_are_one_part(void **unused) {
    (void)unused;
    random_source r = {9};
    for (unsigned round = 0; round < 2000; round++) {
        value first[OPERATIONS], second[OPERATIONS];
        uint32_t n = random_below(&r, OPERATIONS + 1), far = round % 2 ? 1 : 100003, names = 1 + random_below(&r, 9);
        for (uint32_t i = 0; i < n; i++) {
            first[i] = (value)(5 + random_below(&r, names) * far);
            second[i] = (value)random_below(&r, 3);
        }
        check(n, round % 3 ? first : NULL, round % 5 ? NULL : second);
    }
}

TEST_MAIN(TEST(operations_with_one_name_are_one_part))
