#include "support/cmocka.h"

#include "base/random.h"
#include "engine/general/visited.h"

#include <string.h>

enum { MASKS = 4000, DEADLINES = 3 };

/* Each configuration is new once: few of a deadline are a chain, thousands a table that grows; memory is given back. */
static void a_configuration_is_new_once(void **unused) {
    (void)unused;
    random_source r = {19};
    for (unsigned round = 0; round < 6; round++) {
        static uint8_t seen[DEADLINES][MASKS][2];
        memset(seen, 0, sizeof seen);
        budget limits;
        budget_init(&limits, 0, 0);
        visited v;
        visited_init(&v, DEADLINES, &limits);
        uint32_t masks = round % 2 ? MASKS : 8;
        for (unsigned step = 0; step < 20 * MASKS; step++) {
            configuration c = {.mask = random_below(&r, masks),
                               .deadline = random_below(&r, DEADLINES),
                               .situation = random_below(&r, 2)};
            uint8_t *was = &seen[c.deadline][c.mask][c.situation];
            c.mask <<= 40;
            assert_int_equal(visited_add(&v, c), !*was);
            *was = 1;
        }
        visited_free(&v);
        assert_int_equal((int)limits.used, 0);
    }
}

TEST_MAIN(TEST(a_configuration_is_new_once))
