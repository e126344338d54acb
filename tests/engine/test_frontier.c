/* The frontier engine against the oracle, on every object there is. */
#include "support/cmocka.h"

#include "object/object.h"
#include "support/differential.h"

static void every_object(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        differential d = {.engine = "frontier", .object = t->name, .seed = 41 + i, .histories = 50000, .decided = 100, .has_cut = true, .earliest = !t->may_end};
        differential_run(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
