#include "support/cmocka.h"

#include "support/differential.h"

static void containers(void **unused) {
    (void)unused;
    assert_int_equal(differential(GROUP_CONTAINERS, check_everything), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(containers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
