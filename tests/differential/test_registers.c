#include "support/cmocka.h"

#include "support/differential.h"

static void registers(void **unused) {
    (void)unused;
    assert_int_equal(differential(GROUP_REGISTERS, check_everything), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
