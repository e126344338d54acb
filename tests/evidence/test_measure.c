#include "support/cmocka.h"

#include "engine/quasi/overtakings.h"
#include "support/criterion_oracle.h"
#include "evidence/measure.h"
#include "format/format.h"
#include "generate/segments.h"
#include "generate/generate.h"
#include "support/quasi_trial.h"
#include "support/read_text.h"

#include <stdio.h>

static uint32_t sum(const number_counts *t) {
    uint32_t s = 0;
    for (uint32_t i = 0; i < t->n; i++) s += t->times[i];
    return s;
}

/* Measures under a criterion of its own; everything that comes with it is looked at. */
static bool measured(const bound *b, uint32_t *k) {
    object o = relaxed_object(b, CRITERION_QUASI, 0, 0);
    budget unlimited;
    relaxation found;
    error e = {0};
    budget_init(&unlimited, 0, 0);
    if (!measure_relaxation(b->h, &o, &(judge_options){0}, &unlimited, NULL, &found, &e)) fail_msg("%s", e.what);
    bool bounded = found.bounded;
    if (bounded) {
        assert_int_equal(found.low, found.high);
        assert_true(found.above.witness_checked);
        assert_true(found.ahead.n <= found.high + 1 && found.overtaken.n <= found.high + 1);
        assert_true(found.high == 0 || found.ahead.n == found.high + 1 || found.overtaken.n == found.high + 1);
        if (found.low) assert_int_equal(found.below.verdict, VERDICT_VIOLATION);
        if (found.low && b->h->n <= ORACLE_MAX_OPERATIONS) assert_string_equal(found.below.core.checked_by, "oracle");
        assert_true(sum(&found.overtaken) >= sum(&found.ahead));
        *k = found.high;
    } else {
        assert_int_equal(found.above.verdict, VERDICT_VIOLATION);
    }
    relaxation_free(&found);
    free_relaxed(&o);
    return bounded;
}

static void against_enumeration(const char *object_name, discipline right, uint64_t seed) {
    random_source r = {seed};
    uint32_t histories = getenv("PLUMB_FEWER") ? 100 : 1000, relaxed = 0;
    for (uint32_t i = 0; i < histories; i++) {
        bound b = relaxed_history(&r, object_name, right, 2 + random_below(&r, 7));
        uint32_t k = 0, expected = 0;
        bool bounded = measured(&b, &k), exists = quasi_by_enumeration(b.o, b.h, &expected);
        if (bounded != exists || (bounded && k != expected)) {
            text said = {0};
            history_text(&b, &said);
            fail_msg("%s: measured %u, enumerated %u\n%s", object_name, k, expected, text_str(&said));
        }
        relaxed += bounded && k;
        free_bound(&b);
    }
    assert_true(relaxed > histories / 20);
}

static void small_ones(void **unused) {
    (void)unused;
    against_enumeration("queue", TAKE_OLDEST, 11);
    against_enumeration("stack", TAKE_NEWEST, 12);
    against_enumeration("pqueue-max", TAKE_GREATEST, 13);
    against_enumeration("pqueue-min", TAKE_LEAST, 14);
}

/* The relaxed queues that were recorded: every smallest k is what enumeration says. */
static void recorded(void **unused) {
    (void)unused;
    static const char *const queue[] = {"bkq", "dq", "rdq", "ukq"};
    uint32_t files = 0, relaxed = 0;
    const char *data = data_directory();
    for (size_t q = 0; data && q < 4; q++)
        for (int i = 0; i < 20; i++) {
            char path[512];
            snprintf(path, sizeof path, "%s/violin/small/%s/ScalObject-%s.%02d.log", data, queue[q], queue[q], i);
            error e = {0};
            read_options how = {0};
            const format *used = NULL;
            bound b = {.h = format_read(path, &how, &used, &e), .o = object_open("queue", NULL, &e)};
            if (!b.h || !object_bind(b.o, b.h, path, &e)) fail_msg("%s", e.what);
            uint32_t k = 0, expected = 0;
            assert_true(measured(&b, &k));
            assert_true(quasi_by_enumeration(b.o, b.h, &expected));
            if (k != expected) fail_msg("%s: measured %u, enumerated %u", path, k, expected);
            files++;
            relaxed += k > 0;
            free_bound(&b);
        }
    if (data) assert_true(files == 80 && relaxed > 20);
}

/* Longer runs of relaxed containers: never more than what they were built for, and that much is reached. */
static void simulated(void **unused) {
    (void)unused;
    static const char *const object_name[] = {"queue", "stack", "pqueue-max"};
    uint32_t operations = getenv("PLUMB_FEWER") ? 300 : 3000;
    for (size_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 4; k++) {
            error e = {0};
            generate_options g;
            object *o = object_open(object_name[i], NULL, &e);
            generate_standard(o, &g);
            g.operations = operations;
            g.seed = k + 1;
            g.overlap = 0.3;
            object *relaxed = object_open(object_name[i], NULL, &e);
            assert_true(segments_relax(relaxed, k, &e));
            bound b = {.o = o, .h = generate(relaxed, &g, &e)};
            o->values = b.h->values;
            uint32_t found;
            assert_true(measured(&b, &found));
            assert_int_equal(found, k);
            object_close(relaxed);
            free_bound(&b);
        }
}

/* ---- forced overtakings ---- */

static void forced_pairs(const char *object_name, discipline right, element_order order, random_source *r) {
    bound b = relaxed_history(r, object_name, right, 8 + random_below(r, 8));
    uint32_t all[64];
    for (uint32_t i = 0; i < b.h->n; i++) all[i] = i;
    budget unlimited;
    budget_init(&unlimited, 0, 0);
    problem p = {.h = b.h, .o = b.o, .op = all, .n = b.h->n, .budget = &unlimited};
    outcome out;
    inventory c;
    outcome_init(&out);
    if (inventory_init(&c, &p, &out) == INVENTORY_READY) {
        uint32_t priority[64];
        for (uint32_t v = 0; v < c.values; v++) priority[v] = inventory_value(&c, v);
        overtakings f;
        overtakings_count(&f, &c, order, order == BEST_AHEAD ? priority : NULL);
        for (uint32_t x = 0; x < c.values; x++) {
            uint32_t list[64];
            assert_int_equal(f.ahead[x], overtakings_ahead_of(&f, x, list, 64));
            assert_int_equal(f.overtaken[x], overtakings_of(&f, x, list, 64));
        }
        overtakings_free(&f);
    }
    inventory_free(&c);
    outcome_free(&out);
    free_bound(&b);
}

/* What is counted by trees is what is found pair by pair. */
static void counted_pairs(void **unused) {
    (void)unused;
    random_source r = {21};
    for (int i = 0; i < 2000; i++) {
        forced_pairs("queue", TAKE_OLDEST, OLDEST_AHEAD, &r);
        forced_pairs("stack", TAKE_NEWEST, NEWEST_AHEAD, &r);
        forced_pairs("stack", TAKE_GREATEST, BEST_AHEAD, &r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_ones), cmocka_unit_test(recorded),
                                       cmocka_unit_test(simulated), cmocka_unit_test(counted_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
