#include "support/quasi_trial.h"

#include "support/criterion_oracle.h"
#include "evidence/witness_check.h"
#include "object/relax.h"

#include "support/cmocka.h"

#include <stdlib.h>

enum { MOST_K = 3, SOAK = 200000 };

object relaxed_object(const bound *b, criterion_kind kind, uint32_t first, uint32_t second) {
    object o = *b->o;
    error e = {0};
    o.relaxed = NULL;
    assert_true(object_relax(&o, &(criterion){.kind = kind, .limit = {first, second}, .asked = true}, &e));
    return o;
}

void free_relaxed(object *o) { relax_free(o); }

bound relaxed_history(random_source *r, const char *object_name, discipline right, uint32_t operations) {
    container_shape s = {.operations = operations, .clients = 1 + random_below(r, 4), .discipline = right};
    s.relax = 1 + random_below(r, 5);
    if (random_chance(r, 0.7)) s.first_adds = operations / 2;
    s.adds = 0.1 + 0.4 * (double)random_below(r, 1000) / 1000;
    static const double pending[] = {0, 0, 0.05, 0.15};
    s.pending = pending[random_below(r, 4)];
    if (right >= TAKE_GREATEST && random_chance(r, 0.4)) s.priorities = 1 + random_below(r, 4);
    if (random_chance(r, 0.4)) s.swaps = random_below(r, operations);
    if (random_chance(r, 0.3)) s.lies = 1 + random_below(r, 2);
    return container_history(r, object_name, &s);
}

static uint32_t histories(const quasi_trial *t) {
    const char *soak = getenv("PLUMB_SOAK");
    unsigned long asked = soak ? strtoul(soak, NULL, 10) : 0;
    if (soak) return asked > 1 ? (uint32_t)asked : SOAK;
    return getenv("PLUMB_FEWER") ? t->histories / 10 : t->histories;
}

static void wrong(const quasi_trial *t, const bound *b, const object *o, const char *what) {
    text said = {0}, name = {0};
    history_text(b, &said);
    criterion_print(&o->criterion, &name);
    fail_msg("%s on %s under %s: %s\n%s", t->engine ? t->engine : "oracle", t->object, text_str(&name), what,
             text_str(&said));
}

static bool is_violation(const object *o, const history *h, const uint32_t *op, uint32_t n) {
    history *only = history_select(h, op, n, RANK_NEVER);
    bool yes = oracle_linearizable(o, only, 0) == ORACLE_NO;
    history_free(only);
    return yes;
}

/* Decides with the engine and checks its evidence. Every second time it keeps all configurations from the beginning. */
static verdict decided(const quasi_trial *t, const bound *b, const object *o) {
    static const int64_t keep_all[ENGINE_SETTINGS] = {1 << 20};
    static uint32_t times;
    budget unlimited;
    budget_init(&unlimited, 0, 0);
    uint32_t all[64];
    for (uint32_t i = 0; i < b->h->n; i++) all[i] = i;
    problem p = {
        .h = b->h, .o = o, .op = all, .n = b->h->n, .budget = &unlimited, .setting = times++ % 2 ? keep_all : NULL};
    outcome out;
    outcome_init(&out);
    engine_find(t->engine)->decide(&p, &out);
    text why = {0};
    if (out.verdict == VERDICT_UNDECIDED && o->criterion.kind == CRITERION_QUASI) wrong(t, b, o, out.why);
    if (out.verdict == VERDICT_LINEARIZABLE && !witness_check(b->h, o, &out.witness, &why))
        wrong(t, b, o, text_str(&why));
    if (out.verdict == VERDICT_VIOLATION && out.pattern_n && !is_violation(o, b->h, out.pattern, out.pattern_n))
        wrong(t, b, o, "the pattern is no violation");
    verdict v = out.verdict;
    text_free(&why);
    outcome_free(&out);
    return v;
}

static void compare(const quasi_trial *t, const bound *b, const object *o, bool right) {
    verdict v = decided(t, b, o);
    if (v == VERDICT_LINEARIZABLE && !right) wrong(t, b, o, "a violation accepted");
    if (v == VERDICT_VIOLATION && right) wrong(t, b, o, "a right history refused");
}

static void compare_separate_limits(const quasi_trial *t, const bound *b, random_source *r) {
    object o = relaxed_object(b, CRITERION_QUASI, random_below(r, 4), random_below(r, 4));
    bool right = criterion_by_enumeration(&o, b->h) == ORACLE_YES;
    if (right != (oracle_linearizable(&o, b->h, 0) == ORACLE_YES))
        wrong(t, b, &o, "the relaxed object is not what the definition says");
    compare(t, b, &o, right);
    free_relaxed(&o);
}

static void against_enumeration(void **given) {
    const quasi_trial *t = *given;
    random_source r = {t->seed};
    uint32_t n = histories(t), smallest[MOST_K + 2] = {0}, pending = 0, empties = 0;
    for (uint32_t i = 0; i < n; i++) {
        bound b = relaxed_history(&r, t->object, t->right, 2 + random_below(&r, 7));
        uint32_t k, limit;
        if (!quasi_by_enumeration(b.o, b.h, &k) || k > MOST_K) k = MOST_K + 1;
        smallest[k]++;
        pending += b.h->pending > 0;
        for (uint32_t op = 0; op < b.h->n; op++)
            if (b.h->res[op] == VALUE_EMPTY) {
                empties++;
                break;
            }
        for (limit = 0; limit <= MOST_K; limit++) {
            object o = relaxed_object(&b, CRITERION_QUASI, limit, limit);
            compare(t, &b, &o, k <= limit);
            free_relaxed(&o);
        }
        if ((oracle_linearizable(b.o, b.h, 0) == ORACLE_YES) != (k == 0))
            wrong(t, &b, b.o, "k = 0 is not linearizability");
        if (i % 4 == 0) compare_separate_limits(t, &b, &r);
        free_bound(&b);
    }
    print_message("%s on %s: %u histories; smallest k 0: %u, 1: %u, 2: %u, 3: %u, none of these: %u; %u with pending "
                  "operations, %u with empties\n",
                  t->engine, t->object, n, smallest[0], smallest[1], smallest[2], smallest[3], smallest[4], pending,
                  empties);
    assert_true(smallest[1] > n / 40 && smallest[2] > n / 200 && smallest[MOST_K + 1] > n / 100 && pending > n / 8 &&
                empties > n / 20);
}

typedef struct larger_trial {
    const quasi_trial *t;
    uint32_t operations;
} larger_trial;

static void against_oracle(void **given) {
    const larger_trial *larger = *given;
    const quasi_trial *t = larger->t;
    uint32_t operations = larger->operations;
    random_source r = {t->seed + 1};
    uint32_t n = histories(t), right_ones = 0;
    for (uint32_t i = 0; i < n; i++) {
        bound b = relaxed_history(&r, t->object, t->right, operations - random_below(&r, 4));
        uint32_t k = random_below(&r, MOST_K + 1);
        object o = relaxed_object(&b, CRITERION_QUASI, k, random_chance(&r, 0.2) ? random_below(&r, MOST_K + 1) : k);
        bool right = oracle_linearizable(&o, b.h, 0) == ORACLE_YES;
        compare(t, &b, &o, right);
        right_ones += right;
        free_relaxed(&o);
        free_bound(&b);
    }
    print_message("%s on %s: %u histories of up to %u operations, %u right\n", t->engine, t->object, n, operations,
                  right_ones);
    assert_true(right_ones > n / 5 && right_ones < n - n / 20);
}

static void out_of_order_against_enumeration(void **given) {
    const quasi_trial *t = *given;
    random_source r = {t->seed + 2};
    uint32_t n = histories(t), right_ones = 0;
    for (uint32_t i = 0; i < n; i++) {
        bound b = relaxed_history(&r, t->object, t->right, 2 + random_below(&r, 7));
        object o = relaxed_object(&b, CRITERION_OUT_OF_ORDER, random_below(&r, 4), random_below(&r, 4));
        bool right = criterion_by_enumeration(&o, b.h) == ORACLE_YES;
        if (right != (oracle_linearizable(&o, b.h, 0) == ORACLE_YES))
            wrong(t, &b, &o, "the relaxed object is not what the definition says");
        compare(t, &b, &o, right); /* the engine may not know */
        right_ones += right;
        free_relaxed(&o);
        free_bound(&b);
    }
    print_message("out-of-order on %s: %u histories, %u right\n", t->object, n, right_ones);
    assert_true(right_ones > n / 5 && right_ones < n - n / 20);
}

int quasi_trial_run(const quasi_trial *t, uint32_t largest) {
    quasi_trial one = *t;
    larger_trial larger = {&one, largest};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(against_enumeration, &one),
                                       cmocka_unit_test_prestate(against_oracle, &larger),
                                       cmocka_unit_test_prestate(out_of_order_against_enumeration, &one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
