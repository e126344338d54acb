#include "support/cmocka.h"

#include "support/quasi_trial.h"

static const quasi_trial trial = {.engine = "stack-quasi", .object = "stack", .right = TAKE_NEWEST, .seed = 703, .histories = 8000};

static void enumeration(void **unused) {
    (void)unused;
    quasi_against_enumeration(&trial);
}

static void larger(void **unused) {
    (void)unused;
    quasi_against_oracle(&trial, 12);
}

static void out_of_order(void **unused) {
    (void)unused;
    out_of_order_against_enumeration(&trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(enumeration), cmocka_unit_test(larger), cmocka_unit_test(out_of_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
