#include "support/planted.h"

#include "support/cmocka.h"

bound planted_history(const char *object_name, const mutation *m, uint32_t operations) {
    error e = {0};
    generate_options options;
    bound b = {.o = object_open(object_name, NULL, &e)};
    assert_non_null(b.o);
    generate_standard(b.o, &options);
    options.operations = operations;
    options.mutation = m;
    b.h = generate(b.o, &options, &e);
    assert_non_null(b.h);
    return b;
}

void each_planting(void (*visit)(const object_type *t, const mutation *m)) {
    const object_type *t;
    const mutation *m;
    for (unsigned i = 0; (t = object_type_at(i)); i++)
        for (unsigned k = 0; one_by_one(t) && !t->words && (m = mutation_at(k)); k++) /* wide: small ones only */
            if (mutation_applies(m, t)) visit(t, m);
}
