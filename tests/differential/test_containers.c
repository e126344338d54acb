#include "support/cmocka.h"

#include "support/differential.h"

static void containers(void **unused) {
    (void)unused;
    assert_int_equal(differential(GROUP_CONTAINERS, check_everything), 0);
}

TEST_MAIN(TEST(containers))
