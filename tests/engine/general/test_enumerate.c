/* Every order, against the oracle: few operations, all objects. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

static random_shape shape_tiny(random_source *r) {
    random_shape s = shape_small(r);
    s.operations = 2 + random_below(r, 5);
    return s;
}

static void against_the_oracle(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        if (!one_by_one(t)) continue;
        differential d = {.engine = "enumerate",
                          .object = t->name,
                          .seed = 5 + i,
                          .histories = 1500,
                          .decided = 100,
                          .shape = shape_tiny};
        differential_run(&d);
    }
}

/* It is a baseline: it is used by name only. */
static void only_by_name(void **unused) {
    (void)unused;
    static const char *const names[] = {"enumerate", "soar", "clmt"};
    for (unsigned i = 0; i < 3; i++) assert_true(engine_find(names[i])->by_name_only);
    assert_false(engine_find("search")->by_name_only);
}

TEST_MAIN(TEST(against_the_oracle), TEST(only_by_name))
