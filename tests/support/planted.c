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

static const mutation *any_mutation(random_source *r, const object_type *t) {
    const mutation *m, *chosen = NULL;
    uint32_t fit = 0;
    for (unsigned i = 0; (m = mutation_at(i)); i++)
        if (mutation_applies(m, t) && random_below(r, ++fit) == 0) chosen = m;
    return chosen;
}

bool random_planted_history(random_source *r, const char *object_name, const planted_shape *shape, bound *b) {
    error e = {0};
    generate_options options;
    b->o = object_open(object_name, NULL, &e);
    assert_non_null(b->o);
    generate_standard(b->o, &options);
    options.operations = 50 + random_below(r, shape->operations);
    options.clients = 2 + random_below(r, 4);
    options.overlap = (double)(1 + random_below(r, 10)) / 10;
    if (shape->occupancy) options.occupancy = random_below(r, shape->occupancy);
    options.pending = random_chance(r, shape->complete) ? 0 : shape->pending;
    options.keys = 1 + random_below(r, 4);
    options.seed = random_next(r);
    options.at = (double)random_below(r, 100) / 100;
    if (random_chance(r, shape->planted)) options.mutation = any_mutation(r, b->o->type);
    b->h = generate(b->o, &options, &e);
    if (b->h) return true;
    object_close(b->o); /* the mutation found no place */
    return false;
}

void each_planting(void (*visit)(const object_type *t, const mutation *m)) {
    const object_type *t;
    const mutation *m;
    for (unsigned i = 0; (t = object_type_at(i)); i++)
        for (unsigned k = 0; one_by_one(t) && !t->words && (m = mutation_at(k)); k++) /* wide: small ones only */
            if (mutation_applies(m, t)) visit(t, m);
}
