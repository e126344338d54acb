/* The search engine against the oracle on small random histories, and its evidence. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "support/engine_trial.h"
#include "support/planted.h"

#include <stdio.h>

static decision ask(const bound *b, unsigned threads) {
    budget limits;
    budget_init(&limits, 0, 0);
    decision d;
    decide(b->h, b->o, &(decide_options){.engine = engine_find("search"), .threads = threads}, &limits, NULL, &d);
    return d;
}

static void show(const bound *b, const char *what) {
    text t = {0};
    history_text(b, &t);
    fprintf(stderr, "%s: %s\n%s\n", b->o->name, what, text_str(&t));
    text_free(&t);
}

/* The history cut before the engine's hint is linearizable still; not where a run can get further than it may end. */
static bool cut_is_not_late(const bound *b, const decision *d) {
    if (d->verdict != VERDICT_VIOLATION || d->cut == RANK_NEVER || b->o->type->may_end) return true;
    history *before = history_select(b->h, d->part, d->part_n, d->cut - 1);
    bool good = oracle_linearizable(b->o, before, 0) == ORACLE_YES;
    history_free(before);
    return good;
}

static void agrees_with_oracle(const char *object_name, unsigned count, random_shape (*shape_of)(random_source *r)) {
    random_source r = {.s = 1};
    unsigned linearizable = 0;
    for (unsigned i = 0; i < count; i++) {
        random_shape shape = shape_of(&r);
        bound b = random_history(&r, object_name, &shape);
        decision d = ask(&b, 1 + i % 2);
        bool expected = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES;
        verdict v = expected ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION;
        if (d.verdict != v) show(&b, "search disagrees with the oracle");
        assert_int_equal(d.verdict, v);
        if (!cut_is_not_late(&b, &d)) {
            show(&b, "a violation shows before the cut");
            fail();
        }
        linearizable += expected;
        decision_free(&d);
        free_bound(&b);
    }
    print_message("%s: %u histories, %u linearizable\n", object_name, count, linearizable);
}

static void every_object(void **unused) {
    (void)unused;
    const object_type *t;
    for (unsigned i = 0; (t = object_type_at(i)); i++)
        if (one_by_one(t)) agrees_with_oracle(t->name, getenv("PLUMB_FEWER") ? 300 : 3000, random_shape_any);
}

static random_shape many_time_outs(random_source *r) {
    random_shape shape = shape_distinct(r);
    shape.operations = 4 + random_below(r, 8);
    shape.pending = 0.2 + 0.1 * random_below(r, 4);
    return shape;
}

/* Elements in a line, all different: pending adds that came out are due, what is in the way is taken by a pending
 * removal, what goes through the line comes in before what stays longer (due.h, foresight.h). */
static void lines_with_time_outs(void **unused) {
    (void)unused;
    static const char *const objects[] = {"deque", "queue", "stack"};
    for (unsigned k = 0; k < sizeof objects / sizeof *objects; k++)
        agrees_with_oracle(objects[k], trial_histories(6000), many_time_outs);
}

/* The pending removal made room for 3, so it came first; it took 1 in one history and 2 in the other. */
static void every_outcome_of_a_pending_operation(void **unused) {
    (void)unused;
    static const char *const removed[] = {"remove() -> 1 [8,9]; remove() -> 3 [10,11]",
                                          "remove() -> 2 [8,9]; remove() -> 3 [10,11]"};
    for (unsigned i = 0; i < 2; i++) {
        text t = {0};
        text_printf(&t, "add(1) [0,1]; add(2) [2,3]; remove() [4,-]; add(3) [5,6]; %s; remove() -> empty [12,13]",
                    removed[i]);
        bound b = make_history("multiset(capacity=2)", text_str(&t));
        decision d = ask(&b, 1);
        assert_int_equal(d.verdict, VERDICT_LINEARIZABLE);
        decision_free(&d);
        free_bound(&b);
        text_free(&t);
    }
}

/* 10,000 pending writes of different values must not be tried in all combinations. */
static void many_pending_writes(void **unused) {
    (void)unused;
    text t = {0};
    for (int i = 0; i < 2000; i++) text_printf(&t, "write(%d) [%d,-]; ", i, i);
    text_add(&t, "read() -> 5 [3000,3001]; read() -> 7 [3002,3003]; read() -> 5 [3004,3005]");
    bound b = make_history("register", text_str(&t));
    decision d = ask(&b, 1);
    assert_int_equal(d.verdict, VERDICT_VIOLATION);
    assert_true(d.steps < 100000000);
    decision_free(&d);
    free_bound(&b);
    text_free(&t);
}

static void stops_when_time_is_spent(void **unused) {
    (void)unused;
    text t = {0};
    for (int i = 0; i < 40; i++) text_printf(&t, "enq(%d) [0,100]; ", i);
    for (int i = 0; i < 40; i++) text_printf(&t, "deq() -> %d [%d,200]; ", (i * 7) % 41, 101);
    bound b = make_history("queue", text_str(&t));
    budget limits;
    budget_init(&limits, 0.05, 0);
    decision d;
    decide(b.h, b.o, &(decide_options){.engine = engine_find("search")}, &limits, NULL, &d);
    assert_int_equal(d.verdict, VERDICT_UNDECIDED);
    assert_int_equal(d.stopped, STOP_TIME);
    assert_true(d.prefix.n > 0);
    decision_free(&d);
    free_bound(&b);
    text_free(&t);
}

enum { LONG = 6000 };

/* What was left out keeps right histories right, so what is left of this one has to be wrong by itself. */
static void violates_by_itself(const bound *b, const decision *d) {
    budget limits;
    budget_init(&limits, 0, 0);
    history *only = history_select(b->h, d->pattern, d->pattern_n, RANK_NEVER);
    decision again;
    decide(only, b->o, &(decide_options){.engine = engine_find("frontier")}, &limits, NULL, &again);
    if (again.verdict != VERDICT_VIOLATION) show(&(bound){b->o, only}, "what is near is no violation");
    assert_int_equal(again.verdict, VERDICT_VIOLATION);
    decision_free(&again);
    history_free(only);
}

/* A violation late in a long history takes hardly more steps than the history without it, where what is near can be
 * told from what is not: of values, of holds, of epochs. */
static void near_by(const object_type *t, const mutation *m) {
    bound right = planted_history(t->name, NULL, LONG), wrong = planted_history(t->name, m, LONG);
    decision clean = ask(&right, 1), d = ask(&wrong, 1);
    assert_int_equal(clean.verdict, VERDICT_LINEARIZABLE);
    assert_int_equal(d.verdict, VERDICT_VIOLATION);
    bool apart = !t->settle; /* else most of what is not near says something of what is */
    if (apart) {
        assert_in_range(d.steps, 0, clean.steps + clean.steps / 2);
        assert_true(d.part_n < 1000 || (d.pattern_n > 0 && d.pattern_n < 400));
    }
    if (d.pattern_n) violates_by_itself(&wrong, &d);
    decision_free(&clean);
    decision_free(&d);
    free_bound(&right);
    free_bound(&wrong);
}

static void long_violations(void **unused) {
    (void)unused;
    each_planting(near_by);
}

/* Right, and hard to search: what is near a deadline that takes long to pass is tried by itself, often in vain. */
static void right_is_right_however_long_it_takes(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "deque", "pqueue-max"};
    for (unsigned i = 0; i < 8; i++) {
        error e = {0};
        generate_options options;
        bound b = {.o = object_open(objects[i % 4], NULL, &e)};
        budget limits;
        decision d;
        generate_standard(b.o, &options);
        options.operations = 3000;
        options.clients = 10;
        options.overlap = 0.9;
        options.duplicates = 0.5;
        options.seed = i;
        b.h = generate(b.o, &options, &e);
        budget_init(&limits, 0.1, 0);
        decide(b.h, b.o, &(decide_options){.engine = engine_find("search")}, &limits, NULL, &d);
        assert_int_not_equal(d.verdict, VERDICT_VIOLATION);
        decision_free(&d);
        free_bound(&b);
    }
}

TEST_MAIN(TEST(every_object), TEST(lines_with_time_outs), TEST(every_outcome_of_a_pending_operation),
          TEST(many_pending_writes), TEST(stops_when_time_is_spent), TEST(long_violations),
          TEST(right_is_right_however_long_it_takes))
