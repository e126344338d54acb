/* The linear queue engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/containers.h"

#define ENGINE "queue-linear"

static void against_oracle(void **unused) {
    (void)unused;
    differential_run(&(differential){.engine = ENGINE, .object = "queue", .seed = 11, .histories = 60000, .decided = 60, .has_pattern = true,
                                     .shape = shape_container});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
