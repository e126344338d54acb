/* The priority queue engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/containers.h"

static const container_trial greatest = {.engine = "pqueue-linear", .object = "pqueue-max", .right = TAKE_GREATEST, .seed = 13, .histories = 60000};
static const container_trial least = {.engine = "pqueue-linear", .object = "pqueue-min", .right = TAKE_LEAST, .seed = 14, .histories = 50000};

static void against_oracle(void **unused) {
    (void)unused;
    containers_against_oracle(&greatest);
    containers_against_oracle(&least);
}

static void against_search(void **unused) {
    (void)unused;
    container_trial t = greatest;
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
