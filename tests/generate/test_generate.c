/* Generated histories are linearizable and have the shape that was asked for. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "generate/generate.h"
#include "support/make_history.h"

#include <stdio.h>
#include <string.h>

static generate_options standard(const char *object_name) {
    error e = {0};
    object *o = object_open(object_name, NULL, &e);
    generate_options g;
    generate_standard(o, &g);
    object_close(o);
    return g;
}

static bound make(const char *object_name, const generate_options *g) {
    error e = {0};
    bound b = {.o = object_open(object_name, NULL, &e)};
    b.h = generate(b.o, g, &e);
    if (!b.h) fail_msg("%s: %s", object_name, e.what);
    return b;
}

static verdict decide_it(const bound *b) {
    budget limits;
    decision d;
    budget_init(&limits, 20, 0);
    decide(b->h, b->o, &(decide_options){.threads = 1}, &limits, NULL, &d);
    verdict v = d.verdict;
    decision_free(&d);
    return v;
}

static void small_ones_are_linearizable(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        for (unsigned seed = 0; seed < 150; seed++) {
            generate_options g = {.operations = 11,
                                  .clients = 1 + seed % 4,
                                  .overlap = seed % 3 / 2.0,
                                  .occupancy = seed % 4,
                                  .pending = seed % 2 * 0.15,
                                  .empties = -1,
                                  .duplicates = seed % 5 / 5.0,
                                  .keys = 1 + seed % 2,
                                  .seed = seed};
            bound b = make(t->name, &g);
            if (oracle_linearizable(b.o, b.h, 5000000) == ORACLE_NO)
                fail_msg("%s, seed %u: a violation", t->name, seed);
            free_bound(&b);
        }
    }
}

static void large_ones_are_linearizable(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        generate_options g = standard(t->name);
        g.operations = 3000;
        g.occupancy = 2;
        bound b = make(t->name, &g);
        assert_in_range(b.h->n, 2992, 3000);
        assert_int_equal(b.h->pending, 0);
        if (decide_it(&b) != VERDICT_LINEARIZABLE) fail_msg("%s: not linearizable", t->name);
        free_bound(&b);
    }
}

static bool same(const bound *a, const bound *b) {
    text one = {0}, two = {0};
    for (uint32_t i = 0; i < a->h->n && i < b->h->n; i++) {
        operation x, y;
        history_operation(a->h, i, &x);
        history_operation(b->h, i, &y);
        operation_print(a->o, &x, &one);
        operation_print(b->o, &y, &two);
        text_printf(&one, " [%u,%u] %u;", x.call, x.ret, x.client);
        text_printf(&two, " [%u,%u] %u;", y.call, y.ret, y.client);
    }
    bool equal = a->h->n == b->h->n && !strcmp(text_str(&one), text_str(&two));
    text_free(&one);
    text_free(&two);
    return equal;
}

static void the_seed_decides(void **unused) {
    (void)unused;
    generate_options g = standard("queue");
    bound a = make("queue", &g), b = make("queue", &g);
    g.seed++;
    bound c = make("queue", &g);
    assert_true(same(&a, &b));
    assert_false(same(&a, &c));
    free_bound(&a);
    free_bound(&b);
    free_bound(&c);
}

typedef struct shape {
    uint32_t empties, adds, repeated;
    double open; /* operations open at a call, on average */
} shape;

static shape shape_of(const bound *b) {
    shape s = {0};
    const history *h = b->h;
    uint8_t *seen = mem_zero(h->n + 1u, 1);
    for (uint32_t i = 0; i < h->n; i++) {
        s.empties += h->res[i] == VALUE_EMPTY;
        if (!h->nargs[i]) continue;
        int64_t v = value_as_int(h->values, h->arg[0][i]);
        s.adds++;
        s.repeated += seen[v]++ > 0;
    }
    free(seen);
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t j = i; j-- && i - j < 64;) s.open += h->ret[j] > h->call[i];
    s.open /= h->n;
    return s;
}

static void shapes(void **unused) {
    (void)unused;
    generate_options g = standard("queue");
    g.operations = 20000;
    g.overlap = 0;
    g.empties = 0;
    bound b = make("queue", &g);
    shape s = shape_of(&b);
    assert_int_equal(s.empties, 0);
    assert_int_equal(s.repeated, 0);
    assert_true(s.open == 0);
    free_bound(&b);

    g.overlap = 1;
    g.empties = 0.1;
    g.duplicates = 0.25;
    b = make("queue", &g);
    s = shape_of(&b);
    assert_in_range(s.empties, 1900, 2100);
    assert_in_range(s.repeated * 100 / s.adds, 22, 28);
    assert_true(s.open > 2.5 && s.open < 3.5);
    free_bound(&b);

    g.pending = 0.05;
    b = make("queue", &g);
    assert_in_range(b.h->pending, 850, 1150);
    free_bound(&b);
}

static void occupancy_is_what_was_asked_for(void **unused) {
    (void)unused;
    generate_options g = standard("queue");
    g.operations = 20000;
    g.overlap = 0;
    g.occupancy = 32;
    bound b = make("queue", &g);
    int64_t size = 0, sum = 0;
    for (uint32_t i = 0; i < b.h->n; i++) {
        size += b.h->nargs[i] ? 1 : b.h->res[i] == VALUE_EMPTY ? 0 : -1;
        sum += size;
    }
    assert_in_range(sum / b.h->n, 26, 38);
    free_bound(&b);
}

static void keys_make_parts(void **unused) {
    (void)unused;
    static const char *const names[] = {"kv", "set", "register", "queue"};
    for (unsigned i = 0; i < 4; i++) {
        generate_options g = standard(names[i]);
        g.operations = 5000;
        g.keys = 64;
        bound b = make(names[i], &g);
        partition *parts = object_partition(b.o, b.h);
        assert_int_equal(parts->count, 64);
        partition_free(parts);
        free_bound(&b);
    }
}

static void refuses(const char *object_name, generate_options g, const char *why) {
    error e = {0};
    object *o = object_open(object_name, NULL, &e);
    assert_null(generate(o, &g, &e));
    assert_int_equal(e.code, EXIT_USAGE);
    assert_non_null(strstr(e.what, why));
    object_close(o);
}

static void bad_options_are_refused(void **unused) {
    (void)unused;
    generate_options g = standard("queue");
    g.clients = 0;
    refuses("queue", g, "threads");
    g = standard("queue");
    g.overlap = 1.5;
    refuses("queue", g, "overlap is 1.5; expected a share");
    g = standard("queue");
    g.keys = 0;
    refuses("queue", g, "keys");
    g = standard("queue");
    g.mutation = mutation_find("stale-read");
    refuses("queue", g, "does not apply to object queue");
}

static void initial_values_are_used(void **unused) {
    (void)unused;
    error e = {0};
    object *o = object_open("register", "hello", &e);
    generate_options g;
    generate_standard(o, &g);
    g.clients = 1;
    uint32_t initial = 0;
    history *h = generate(o, &g, &e);
    for (uint32_t i = 0; i < h->n && h->nargs[i] == 0; i++)
        initial += value_kind_of(h->values, h->res[i]) == KIND_BYTES;
    bound b = {.o = o, .h = h};
    assert_int_equal(decide_it(&b), VERDICT_LINEARIZABLE);
    assert_true(initial > 0 || h->nargs[0]);
    free_bound(&b);
}

TEST_MAIN(TEST(small_ones_are_linearizable), TEST(large_ones_are_linearizable), TEST(the_seed_decides), TEST(shapes),
          TEST(occupancy_is_what_was_asked_for), TEST(keys_make_parts), TEST(bad_options_are_refused),
          TEST(initial_values_are_used))
