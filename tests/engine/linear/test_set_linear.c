/* The set engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "engine/linear/set_roles.h"
#include "evidence/witness_check.h"
#include "generate/generate.h"
#include "history/builder.h"
#include "support/engine_trial.h"

AGAINST_THE_ORACLE(against_the_oracle, .engine = "set-linear", .object = "set", .seed = 3, .histories = 80000,
                   .decided = 40, .cut_is_early = true)

static void by_hand(void **unused) {
    (void)unused;
    const char *g = "set-linear";
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,1]; contains(1) -> false [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,2]; contains(1) -> false [1,3]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,1]; add(1) -> true [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,1]; remove(1) [2,-]; add(1) -> true [3,4]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(g, "set", "add(1) [0,-]; remove(1) -> true [1,2]; remove(1) -> true [3,4]"),
                     VERDICT_VIOLATION);
}

/* The waiting flip that returns first has to be used: with the other one the second remove finds no add. */
static void deadlines_matter(void **unused) {
    (void)unused;
    const char *shown = "add(1) -> true [0,9]; add(1) -> true [1,4]; remove(1) -> true [2,3]; remove(1) -> true [5,10]";
    assert_int_equal(decide_text("set-linear", "set", shown), VERDICT_LINEARIZABLE);
}

static void needs_results(void **unused) {
    (void)unused;
    assert_false(accepts_text("set-linear", "set", "add(1) [0,1]"));
    assert_true(accepts_text("set-linear", "set", "add(1) -> true [0,1]; add(1) [2,-]"));
}

/* All elements at once, and one by one: the same verdict, a witness of the whole, a violation in the part it is in. */
static verdict compare_ways(const bound *b) {
    const engine *g = engine_find("set-linear");
    budget spend;
    budget_init(&spend, 0, 0);
    uint32_t parts, *part = object_part_numbers(b->o, b->h, &parts), failed = 0;
    witness w = {0};
    text wrong = {0};
    all_parts_answer decided = set_decide_all_elements(b->h, part, parts, &spend, &w, &failed);
    verdict v = decide_all(g, b);
    assert_int_equal(decided, v == VERDICT_LINEARIZABLE ? ALL_PARTS_LINEARIZABLE : ALL_PARTS_VIOLATION);
    if (v == VERDICT_LINEARIZABLE && !witness_check(b->h, b->o, &w, &wrong)) fail_msg("%s", text_str(&wrong));
    decision d;
    decide(b->h, b->o, &(decide_options){.engine = g}, &spend, NULL, &d);
    assert_int_equal(d.verdict, v);
    assert_int_equal(d.parts, parts);
    if (v == VERDICT_VIOLATION)
        for (uint32_t i = 0; i < d.part_n; i++) assert_int_equal(part[d.part[i]], failed);
    decision_free(&d);
    witness_free(&w);
    free(part);
    return v;
}

static bool all_results_kept(const bound *b) {
    bool lacks = false;
    for (uint32_t i = 0; i < b->h->n; i++) lacks |= b->h->res[i] == VALUE_NONE;
    return !lacks;
}

static void all_at_once(void **unused) {
    (void)unused;
    random_source r = {77};
    uint32_t histories = trial_histories(60000), count[3] = {0};
    for (uint32_t i = 0; i < histories; i++) {
        random_shape shape = shape_small(&r);
        bound b = random_history(&r, "set", &shape);
        if (all_results_kept(&b)) count[compare_ways(&b)]++;
        free_bound(&b);
    }
    print_message("set, all elements at once: %u linearizable, %u violations\n", count[VERDICT_LINEARIZABLE],
                  count[VERDICT_VIOLATION]);
    assert_true(count[VERDICT_LINEARIZABLE] > histories / 10 && count[VERDICT_VIOLATION] > histories / 100);
}

static void all_at_once_longer(void **unused) {
    (void)unused;
    uint32_t count[3] = {0};
    for (uint32_t i = 0; i < 200; i++) {
        error e = {0};
        bound b = {.o = object_open("set", NULL, &e)};
        generate_options options;
        generate_standard(b.o, &options);
        options.operations = 600;
        options.clients = 2 + i % 9;
        options.keys = 1 + i % 23;
        options.overlap = i % 2 ? 0.9 : 0.4;
        options.pending = i % 3 ? 0 : 0.02;
        options.seed = i;
        options.mutation = i % 4 ? NULL : mutation_find("phantom-value");
        b.h = generate(b.o, &options, &e);
        if (!b.h) fail_msg("%s", e.what);
        count[compare_ways(&b)]++;
        free_bound(&b);
    }
    assert_true(count[VERDICT_LINEARIZABLE] > 20 && count[VERDICT_VIOLATION] > 20);
}

/* Thousands of operations open on one element: lists are too long, and the element is decided by itself. */
static void a_crowd(void **unused) {
    (void)unused;
    error e = {0};
    builder *to = builder_new("crowd", &e);
    values *v = builder_values(to);
    value one = value_int(v, 1);
    enum { CROWD = 6000 };
    for (uint32_t i = 0; i < CROWD; i++) {
        const char *name = i % 2 ? "remove" : "add";
        call_record call = {.client = CLIENT_OWN,
                            .method = builder_method(to, name, strlen(name), 1),
                            .key = VALUE_NONE,
                            .arg = &one,
                            .nargs = 1,
                            .line = 1};
        assert_true(builder_operation(to, &call, i, 2 * CROWD + i, VALUE_TRUE));
    }
    bound b = {.o = object_open("set", NULL, &e), .h = builder_finish(to)};
    builder_free(to);
    assert_true(b.h && object_bind(b.o, b.h, "crowd", &e));
    budget spend;
    budget_init(&spend, 0, 0);
    decision d;
    decide(b.h, b.o, &(decide_options){0}, &spend, NULL, &d);
    assert_int_equal(d.verdict, VERDICT_LINEARIZABLE);
    decision_free(&d);
    free_bound(&b);
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand), TEST(all_at_once), TEST(all_at_once_longer), TEST(a_crowd),
          TEST(deadlines_matter), TEST(needs_results))
