/* The frontier engine against the oracle, on every object there is. */
#include "support/cmocka.h"

#include "object/object.h"
#include "support/engine_trial.h"

static void every_object(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        differential d = {.engine = "frontier", .object = t->name, .seed = 41 + i, .histories = 5000, .decided = 100,
                          .cut_violates = true, .cut_is_early = !t->may_end};
        if (strcmp(t->name, "swmr-register")) differential_run(&d); /* one writer: test_swmr_linear.c */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
