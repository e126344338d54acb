#include "support/cmocka.h"

#include "support/differential.h"

static void registers(void **unused) {
    (void)unused;
    assert_int_equal(differential(GROUP_REGISTERS, check_everything), 0);
}

TEST_MAIN(TEST(registers))
