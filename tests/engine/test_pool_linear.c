/* The linear pool engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/containers.h"

static const container_trial trial = {.engine = "pool-linear", .object = "multiset", .right = TAKE_ANY, .seed = 12, .histories = 60000};

static void against_oracle(void **unused) {
    (void)unused;
    containers_against_oracle(&trial);
}

static void against_search(void **unused) {
    (void)unused;
    container_trial t = trial;
    t.histories = 60;
    containers_against_search(&t, 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_oracle),
        cmocka_unit_test(against_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
