/* Set- and interval-linearizability: engine, oracle and the checker of steps must agree, and the criteria must lie in
 * each other as their definitions say. */
#include "support/cmocka.h"

#include "base/mem.h"
#include "engine/engine.h"
#include "evidence/judge.h"
#include "evidence/oracle.h"
#include "evidence/steps_check.h"
#include "evidence/witness_check.h"
#include "support/engine_trial.h"
#include "support/random_history.h"
#include "support/together_trial.h"

#include <stdlib.h>

enum { HISTORIES = 50000, OPERATIONS = 6, NAMED_OPERATIONS = 4 };

static void fail_on(const bound *b, const object *o, uint64_t seed, const char *what) {
    text t = {0}, c = {0};
    history_text(b, &t);
    criterion_print(&o->criterion, &c);
    fail_msg("%s, %s, seed %llu: %s\n%s", o->name, text_str(&c), (unsigned long long)seed, what, text_str(&t));
}

static bool oracle_says(const bound *b, const object *o) {
    oracle_answer a = oracle_linearizable(o, b->h, 0);
    assert_int_not_equal(a, ORACLE_GAVE_UP);
    return a == ORACLE_YES;
}

static void decide_with(const bound *b, const object *o, const char *name, outcome *out) {
    budget limits;
    budget_init(&limits, 0, 0);
    uint32_t all[64];
    for (uint32_t i = 0; i < b->h->n; i++) all[i] = i;
    problem p = {.h = b->h, .o = o, .op = all, .n = b->h->n, .budget = &limits};
    outcome_init(out);
    engine_find(name)->decide(&p, out);
}

static bool right_before(const history *h, const object *o, uint32_t cut) {
    uint32_t all[64];
    for (uint32_t i = 0; i < h->n; i++) all[i] = i;
    history *before = history_select(h, all, h->n, cut - 1);
    bool right = oracle_linearizable(o, before, 0) == ORACLE_YES;
    history_free(before);
    return right;
}

/* The engine's answer, everything it says checked. */
static bool engine_says(const bound *b, const object *o, uint64_t seed) {
    outcome out;
    text wrong = {0};
    decide_with(b, o, "together", &out);
    bool right = out.verdict == VERDICT_LINEARIZABLE;
    assert_int_not_equal(out.verdict, VERDICT_UNDECIDED);
    if (right && !witness_check(b->h, o, &out.witness, &wrong)) fail_on(b, o, seed, text_str(&wrong));
    if (!right && out.cut && !right_before(b->h, o, out.cut)) fail_on(b, o, seed, "a violation before the cut");
    outcome_free(&out);
    text_free(&wrong);
    return right;
}

typedef struct answers {
    bool linearizable, set, interval;
} answers;

static bool both_say(const bound *b, criterion_kind kind, uint64_t seed) {
    object o = together_under(b, kind);
    bool right = oracle_says(b, &o);
    if (engine_says(b, &o, seed) != right)
        fail_on(b, &o, seed, right ? "the engine finds no steps" : "the engine finds steps");
    return right;
}

static answers ask_all(const bound *b, uint64_t seed) {
    object sequential = together_under(b, CRITERION_LINEARIZABLE);
    return (answers){.linearizable = oracle_says(b, &sequential),
                     .set = both_say(b, CRITERION_SET, seed),
                     .interval = both_say(b, CRITERION_INTERVAL, seed)};
}

static void check_nesting(const bound *b, const answers *a, uint64_t seed) {
    const set_spec *spec = b->o->type->together;
    const char *name = b->o->type->name;
    if (a->linearizable && !a->set) fail_on(b, b->o, seed, "linearizable and not set-linearizable");
    if (a->set && !a->interval) fail_on(b, b->o, seed, "set-linearizable and not interval-linearizable");
    if (!spec->intervals && a->set != a->interval)
        fail_on(b, b->o, seed, "nothing lasts, and yet intervals make a difference");
    bool one_by_one = !strcmp(name, "exchanger") || !strcmp(name, "consensus");
    if (one_by_one && a->linearizable != a->interval) fail_on(b, b->o, seed, "one by one is not the same as together");
}

/* Fewer operations happen before others: what was right stays right. */
static void check_weaker(random_source *r, const bound *b, const answers *a, uint64_t seed) {
    if (!weaken_order(r, b->h)) return;
    object set = together_under(b, CRITERION_SET), interval = together_under(b, CRITERION_INTERVAL);
    if (a->set && !engine_says(b, &set, seed)) fail_on(b, &set, seed, "right only with more order");
    if (a->interval && !engine_says(b, &interval, seed)) fail_on(b, &interval, seed, "right only with more order");
}

typedef struct tally {
    unsigned linearizable, set, interval, all;
} tally;

static void try_one(const char *name, uint64_t seed, tally *t) {
    static const criterion_kind kinds[] = {CRITERION_SET, CRITERION_INTERVAL};
    random_source r = {.s = seed};
    bool many_names = !strncmp(name, "renaming", 8); /* a pending one can have any of them */
    bound b = together_history(&r, name, kinds[seed % 2], many_names ? NAMED_OPERATIONS : OPERATIONS);
    answers a = ask_all(&b, seed);
    check_nesting(&b, &a, seed);
    check_weaker(&r, &b, &a, seed);
    t->linearizable += a.linearizable;
    t->set += a.set;
    t->interval += a.interval;
    t->all++;
    free_bound(&b);
}

static void engine_against_oracle(void **unused) {
    (void)unused;
    for (unsigned k = 0; together_objects[k]; k++) {
        tally t = {0};
        bool variant = strchr(together_objects[k], '(');
        for (uint32_t i = 0, n = trial_histories(variant ? HISTORIES / 10 : HISTORIES); i < n; i++)
            try_one(together_objects[k], 1000003ull * k + i, &t);
        print_message("%-20s %u histories: %u linearizable, %u set-, %u interval-linearizable\n", together_objects[k],
                      t.all, t.linearizable, t.set, t.interval);
        assert_true(t.interval > t.all / 4 && t.interval < t.all * 19 / 20); /* both answers occur often */
    }
}

/* ---- every sequence of steps there is ---- */

/* All ways to give every operation its steps, or none if it is pending; the checker of steps decides. */
static bool any_steps(const bound *b, const object *o, witness *w, uint32_t i) {
    text wrong = {0};
    if (i == b->h->n) {
        bool right = steps_check(b->h, o, w, &wrong);
        text_free(&wrong);
        return right;
    }
    bool pending = history_pending(b->h, i), found = pending && any_steps(b, o, w, i + 1);
    uint32_t at = w->n++;
    w->op[at] = i;
    for (uint32_t begins = 0; begins < b->h->n && !found; begins++)
        for (uint32_t ends = begins; ends <= b->h->n && !found; ends++) {
            if (ends == b->h->n && !pending) break;
            w->begins[at] = begins;
            w->ends[at] = ends == b->h->n ? STEP_NEVER : ends;
            w->n = at + 1;
            found = any_steps(b, o, w, i + 1);
        }
    w->n = at;
    return found;
}

static bool by_enumeration(const bound *b, const object *o) {
    uint32_t op[4], begins[4], ends[4];
    witness w = {.op = op, .begins = begins, .ends = ends};
    return any_steps(b, o, &w, 0);
}

static void oracle_against_the_definition(void **unused) {
    (void)unused;
    for (unsigned k = 0; together_objects[k]; k++)
        for (uint32_t i = 0, n = trial_histories(HISTORIES) / 50; i < n; i++) {
            random_source r = {.s = 77 * k + i};
            bound b = together_history(&r, together_objects[k], i % 2 ? CRITERION_SET : CRITERION_INTERVAL, 3);
            for (criterion_kind kind = CRITERION_SET; kind <= CRITERION_INTERVAL; kind++) {
                object o = together_under(&b, kind);
                if (by_enumeration(&b, &o) != oracle_says(&b, &o))
                    fail_on(&b, &o, i, "the oracle and all sequences of steps differ");
            }
            free_bound(&b);
        }
}

/* ---- by hand: the literature's examples ---- */

typedef struct example {
    const char *object, *operations;
    answers expected;
} example;

static const example examples[] = {
    /* Neiger's: all three at one moment see all three. */
    {"immediate-snapshot",
     "write_snapshot(0, 1) -> [1 2 3] [0,9]; write_snapshot(1, 2) -> [1 2 3] [1,8]; write_snapshot(2, 3) -> [1 2 3] "
     "[2,7]",
     {false, true, true}},
    {"immediate-snapshot",
     "write_snapshot(0, 1) -> [1] [0,1]; write_snapshot(1, 2) -> [1 2] [2,3]",
     {true, true, true}},
    /* Castaneda, Rajsbaum and Raynal, figure 3: 2 sees 3 and 1 does not, though 1 sees 2. */
    {"write-snapshot",
     "write_snapshot(0, 1) -> [1 2] [0,5]; write_snapshot(1, 2) -> [1 2 3] [1,9]; write_snapshot(2, 3) -> [1 2 3] "
     "[6,8]",
     {false, false, true}},
    {"immediate-snapshot",
     "write_snapshot(0, 1) -> [1 2] [0,5]; write_snapshot(1, 2) -> [1 2 3] [1,9]; write_snapshot(2, 3) -> [1 2 3] "
     "[6,8]",
     {false, false, false}},
    /* Neither contains the other. */
    {"write-snapshot",
     "write_snapshot(0, 1) -> [1] [0,9]; write_snapshot(1, 2) -> [none 2] [1,8]",
     {false, false, false}},
    /* A pending write may be seen. */
    {"write-snapshot", "write_snapshot(0, 1) -> [1 2] [0,5]; write_snapshot(1, 2) [1,-]", {true, true, true}},
    {"write-snapshot", "write_snapshot(0, 1) -> [1 2] [0,5]; write_snapshot(1, 2) [6,-]", {false, false, false}},
    {"exchanger", "exchange(1) -> 2 [0,2]; exchange(2) -> 1 [1,3]", {true, true, true}},
    {"exchanger", "exchange(1) -> 2 [0,1]; exchange(2) -> 1 [2,3]", {false, false, false}},
    {"elimination", "push(1) -> true [0,2]; pop() -> 1 [1,3]", {false, true, true}},
    {"elimination", "push(1) -> true [0,2]; pop() -> 1 [1,3]; pop() -> 1 [1,3]", {false, false, false}},
    {"elimination", "push(1) -> false [0,2]; pop() -> empty [1,3]", {true, true, true}},
    {"elimination", "push(1) -> true [0,2]; pop() [1,-]", {false, true, true}},
    /* Each returns the other's. */
    {"set-agreement", "decide(1) -> 2 [0,2]; decide(2) -> 1 [1,3]", {false, true, true}},
    {"set-agreement(1)", "decide(1) -> 2 [0,2]; decide(2) -> 1 [1,3]", {false, false, false}},
    /* The second decides on what the third proposes, when the first has long decided. */
    {"set-agreement", "decide(1) -> 2 [0,2]; decide(2) -> 3 [1,6]; decide(3) -> 3 [4,5]", {false, false, true}},
    {"set-agreement", "decide(1) -> 9 [0,2]", {false, false, false}},
    /* Alone it has only one name; together they have three. */
    {"renaming", "rename(7) -> 2 [0,1]", {false, false, false}},
    {"renaming", "rename(7) -> 2 [0,2]; rename(8) -> 3 [1,3]", {false, true, true}},
    {"renaming", "rename(7) -> 3 [0,2]; rename(8) -> 5 [1,6]; rename(9) -> 1 [4,7]", {false, false, true}},
    {"renaming(2)", "rename(7) -> 2 [0,2]; rename(8) -> 2 [1,3]", {false, false, false}},
    {"consensus", "decide(1) -> 2 [0,2]; decide(2) -> 2 [1,3]", {true, true, true}},
    {"consensus", "decide(1) -> 2 [0,2]; decide(2) -> 1 [1,3]", {false, false, false}},
};

static void examples_of_the_literature(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        bound b = make_history(examples[i].object, examples[i].operations);
        answers a = ask_all(&b, i), x = examples[i].expected;
        if (a.linearizable != x.linearizable || a.set != x.set || a.interval != x.interval)
            fail_msg("%s: %s: %d %d %d", examples[i].object, examples[i].operations, a.linearizable, a.set, a.interval);
        free_bound(&b);
    }
}

/* ---- budgets ---- */

static void a_spent_budget_is_undecided(void **unused) {
    (void)unused;
    random_source r = {.s = 5};
    bound b = together_history(&r, "write-snapshot", CRITERION_INTERVAL, 7);
    budget limits;
    budget_init(&limits, 0, 0);
    budget_stop(&limits, STOP_TIME);
    uint32_t all[64];
    for (uint32_t i = 0; i < b.h->n; i++) all[i] = i;
    problem p = {.h = b.h, .o = b.o, .op = all, .n = b.h->n, .budget = &limits};
    outcome out;
    outcome_init(&out);
    engine_find("together")->decide(&p, &out);
    assert_int_equal(out.verdict, VERDICT_UNDECIDED);
    assert_int_equal(out.stopped, STOP_TIME);
    outcome_free(&out);
    free_bound(&b);
}

TEST_MAIN(TEST(examples_of_the_literature), TEST(oracle_against_the_definition), TEST(engine_against_oracle),
          TEST(a_spent_budget_is_undecided))
