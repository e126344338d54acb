#include "support/cmocka.h"

#include "support/differential.h"

static void others(void **unused) {
    (void)unused;
    assert_int_equal(differential(GROUP_OTHERS, check_everything), 0);
}

TEST_MAIN(TEST(others))
