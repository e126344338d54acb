#include "support/cmocka.h"

#include "support/differential.h"

static void others(void **unused) {
    (void)unused;
    assert_int_equal(differential(GROUP_OTHERS, check_everything), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
