/* Every mutation plants a violation wherever it finds a place, on every object it names, and only names objects there
 * are. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "generate/generate.h"
#include "support/random_history.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 250 };

static history *small(object *o, const mutation *m, unsigned seed) {
    error e = {0};
    generate_options g = {.operations = 14,
                          .clients = 1 + seed % 3,
                          .overlap = seed % 3 / 2.0,
                          .occupancy = 2 + seed % 2,
                          .pending = seed % 4 == 0 ? 0.1 : 0,
                          .empties = -1,
                          .duplicates = seed % 5 == 0 ? 0.3 : 0,
                          .keys = 1,
                          .seed = seed,
                          .mutation = m,
                          .at = seed % 7 / 6.0};
    return generate(o, &g, &e);
}

static unsigned planted_in_small(const mutation *m, const char *object_name) {
    unsigned planted = 0;
    error e = {0};
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        bound b = {.o = object_open(object_name, NULL, &e)};
        b.h = small(b.o, m, seed);
        if (b.h) {
            planted++;
            if (oracle_linearizable(b.o, b.h, 5000000) == ORACLE_YES) {
                text t = {0};
                history_text(&b, &t);
                fail_msg("%s in %s, seed %u: linearizable\n%s", m->name, object_name, seed, text_str(&t));
            }
        }
        free_bound(&b);
    }
    return planted;
}

static verdict decide_large(const mutation *m, const char *object_name) {
    error e = {0};
    bound b = {.o = object_open(object_name, NULL, &e)};
    generate_options g;
    generate_standard(b.o, &g);
    g.operations = 2000;
    g.occupancy = 3;
    g.mutation = m;
    b.h = generate(b.o, &g, &e);
    if (!b.h) fail_msg("%s in %s: %s", m->name, object_name, e.what);
    budget limits;
    decision d;
    budget_init(&limits, 20, 0);
    decide(b.h, b.o, &(decide_options){.threads = 1}, &limits, NULL, &d);
    verdict v = d.verdict;
    decision_free(&d);
    free_bound(&b);
    return v;
}

static void every_mutation_on_every_object_it_names(void **unused) {
    (void)unused;
    const mutation *m;
    for (unsigned k = 0; (m = mutation_at(k)); k++) {
        for (const char *w = m->objects; *w;) {
            char name[64];
            size_t n = strcspn(w, " ");
            snprintf(name, sizeof name, "%.*s", (int)n, w);
            if (!object_type_find(name, n)) fail_msg("mutation %s names an object that is none: %s", m->name, name);
            unsigned planted = planted_in_small(m, name);
            if (planted < 10)
                fail_msg("%s finds a place in %u of %d small histories of %s", m->name, planted, SEEDS, name);
            assert_int_equal(decide_large(m, name), VERDICT_VIOLATION);
            w += n + strspn(w + n, " ");
        }
    }
}

/* The first operation whose result differs from the history without the mutation. */
static double position(const char *mutation_name, double at) {
    error e = {0};
    object *o = object_open("queue", NULL, &e), *o2 = object_open("queue", NULL, &e);
    generate_options g;
    generate_standard(o, &g);
    g.operations = 10000;
    history *right = generate(o, &g, &e);
    g.mutation = mutation_find(mutation_name);
    g.at = at;
    history *wrong = generate(o2, &g, &e);
    uint32_t i = 0;
    while (i < right->n && right->res[i] == wrong->res[i]) i++;
    double where = (double)i / right->n;
    bound a = {o, right}, b = {o2, wrong};
    free_bound(&a);
    free_bound(&b);
    return where;
}

static void the_place_is_where_it_was_asked_for(void **unused) {
    (void)unused;
    static const char *const names[] = {"fresh-value", "duplicate-remove", "lost-value", "wrong-order"};
    for (unsigned i = 0; i < 4; i++)
        for (double at = 0.1; at < 1; at += 0.4) {
            double where = position(names[i], at);
            assert_true(where > at - 0.01 && where < at + 0.01);
        }
}

TEST_MAIN(TEST(every_mutation_on_every_object_it_names), TEST(the_place_is_where_it_was_asked_for))
