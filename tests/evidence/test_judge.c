/* Judgements agree with the oracle, and so does every piece of evidence. */
#include "support/cmocka.h"

#include "evidence/judge.h"
#include "evidence/oracle.h"
#include "evidence/witness_check.h"
#include "object/leave_out.h"
#include "support/planted.h"
#include "support/random_history.h"
#include "support/record_run.h"

#include <stdio.h>
#include <string.h>

static judgement ask_engine(const bound *b, const engine *g) {
    budget limits;
    budget_init(&limits, 0, 0);
    judgement j;
    error e = {0};
    bool good = judge(b->h, b->o, &(judge_options){.decide.engine = g}, &limits, NULL, &j, &e);
    if (!good) {
        text t = {0};
        history_text(b, &t);
        fprintf(stderr, "%s\n%s\n", e.what, text_str(&t));
        text_free(&t);
    }
    assert_true(good);
    return j;
}

static judgement ask(const bound *b) { return ask_engine(b, NULL); }

static bool violates(const object *o, const history *h, const uint32_t *op, uint32_t n, uint32_t cut) {
    history *s = history_select(h, op, n, cut);
    bool yes = oracle_linearizable(o, s, 0) == ORACLE_NO;
    history_free(s);
    return yes;
}

/* The core without the operations for which leaves[] holds is no violation any more. */
static void assert_needed(const object *o, const history *only, const uint8_t *leaves) {
    uint32_t keep[RANDOM_MAX_OPERATIONS], n = 0;
    for (uint32_t i = 0; i < only->n; i++)
        if (!leaves[i]) keep[n++] = i;
    assert_false(violates(o, only, keep, n, RANK_NEVER));
}

/* No single move that the object allows keeps the core a violation. */
static void assert_minimal(const bound *b, const core *c) {
    history *only = history_select(b->h, c->op, c->n, c->cut);
    uint32_t all[RANDOM_MAX_OPERATIONS];
    uint8_t leaves[RANDOM_MAX_OPERATIONS];
    bool fragile = false;
    for (uint32_t i = 0; i < only->n; i++) all[i] = i;
    leave_out l;
    object_leave_out(b->o, only, all, only->n, &l);
    for (uint32_t i = 0; i < only->n; i++) fragile |= l.flags[i] & LEAVE_FRAGILE;
    for (uint32_t g = 0; g < l.groups && !fragile && (!c->epochs || l.by_epochs); g++) {
        for (uint32_t i = 0; i < only->n; i++) leaves[i] = l.group[i] == g;
        assert_needed(b->o, only, leaves);
    }
    for (uint32_t k = 0; k < only->n; k++) {
        if (!(l.flags[k] & LEAVE_ALONE)) continue;
        for (uint32_t i = 0; i < only->n; i++) leaves[i] = i == k;
        assert_needed(b->o, only, leaves);
    }
    leave_out_free(&l);
    uint32_t last = 0;
    for (uint32_t i = 0; i < only->n; i++)
        if (only->ret[i] != RANK_NEVER && only->ret[i] > last) last = only->ret[i];
    assert_false(violates(b->o, only, all, only->n, last - 1));
    history_free(only);
}

static void assert_core(const bound *b, const core *c) {
    text wrong = {0};
    object begun = core_object(b->o, c);
    assert_true(c->minimal);
    assert_string_equal(c->checked_by, "oracle");
    assert_true(violates(&begun, b->h, c->op, c->n, c->cut));
    assert_true(core_check_moves(b->h, b->o, c, &wrong));
    assert_minimal(&(bound){&begun, b->h}, c);
    text_free(&wrong);
}

static void judged_like_the_oracle(void **unused) {
    (void)unused;
    random_source r = {.s = 4};
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++)
        for (unsigned i = 0; i < fewer_if_sanitized(1500); i++) {
            random_shape shape = random_shape_any(&r);
            bound b = random_history(&r, t->name, &shape);
            bool right = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES;
            judgement j = ask(&b);
            bool open = right && b.h->ties && j.verdict == VERDICT_UNDECIDED; /* the oracle takes them as overlapping */
            if (!open) assert_int_equal(j.verdict, right ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION);
            if (open) assert_non_null(strstr(j.decision.why, "several clients return and call again at one stamp"));
            else if (right) assert_true(j.witness_checked && witness_keeps_own_order(b.h, &j.decision.witness));
            else assert_core(&b, &j.core);
            judgement_free(&j);
            free_bound(&b);
        }
}

/* Where two operations of one client are taken as overlapping, they still do not take effect together. */
static void a_client_does_not_meet_itself(void **unused) {
    (void)unused;
    static const char *const others[] = {
        "1 exchange(3) -> 4 [0,1]; 1 exchange(5) -> 6 [1,2]; 2 exchange(4) -> 3 [0,1]; 3 exchange(6) -> 5 [1,2]",
        "1 exchange(3) -> empty [0,1]; 1 exchange(5) -> empty [1,2]",
        "1 exchange(3) -> empty [-1,1]; 1 exchange(5) -> empty [1,3]"};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        text t = {0};
        text_printf(&t, "0 exchange(1) -> 2 [0,1]; 0 exchange(2) -> 1 [1,2]; %s", others[i]);
        bound b = make_history("exchanger", text_str(&t));
        object o = *b.o;
        assert_int_equal(b.h->ties, 1);
        for (criterion_kind kind = CRITERION_LINEARIZABLE; kind <= CRITERION_INTERVAL; kind++) {
            if (kind != CRITERION_LINEARIZABLE && kind != CRITERION_SET && kind != CRITERION_INTERVAL) continue;
            o.criterion = (criterion){.kind = kind, .asked = true};
            judgement j = ask(&(bound){&o, b.h});
            assert_int_not_equal(j.verdict, VERDICT_LINEARIZABLE);
            judgement_free(&j);
        }
        text_free(&t);
        free_bound(&b);
    }
}

static uint32_t *some_of(random_source *r, const uint32_t *op, uint32_t n, uint32_t *count) {
    uint32_t *chosen = MEM_ARRAY(uint32_t, n);
    *count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (random_chance(r, 0.6)) chosen[(*count)++] = op[i];
    return chosen;
}

/* Whatever an engine says about where to look, right or wrong, the core is one. */
static void hints_are_only_hints(void **unused) {
    (void)unused;
    random_source r = {.s = 10};
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++)
        for (unsigned i = 0; i < 120; i++) {
            random_shape shape = random_shape_any(&r);
            bound b = random_history(&r, t->name, &shape);
            judgement j = ask(&b);
            if (j.verdict == VERDICT_VIOLATION) {
                budget limits;
                core c;
                error e = {0};
                budget_init(&limits, 0, 0);
                decision d = j.decision;
                bool right = random_chance(&r, 0.5);
                const uint32_t *from = right ? j.core.op : d.part;
                d.pattern = some_of(&r, from, right ? j.core.n : d.part_n, &d.pattern_n);
                d.cut = random_chance(&r, 0.3) ? RANK_NEVER : random_below(&r, b.h->events);
                core_extract(b.h, b.o, &d, 0, &limits, &c);
                assert_true(core_recheck(b.h, b.o, NULL, &limits, &c, &e));
                assert_core(&b, &c);
                core_free(&c);
                free(d.pattern);
            }
            judgement_free(&j);
            free_bound(&b);
        }
}

/* What is known of a long history's violation is where it showed, or what is near there. */
static void long_one(const object_type *t, const mutation *m) {
    static const char *const engines[] = {"search", "frontier"};
    for (unsigned k = 0; k < 2; k++) {
        if (k && t->ends) continue; /* every order of everything inside */
        bound b = planted_history(t->name, m, 3000);
        judgement j = ask_engine(&b, engine_find(engines[k]));
        assert_int_equal(j.verdict, VERDICT_VIOLATION);
        assert_in_range(j.core.n, 1, 8);
        assert_core(&b, &j.core);
        judgement_free(&j);
        free_bound(&b);
    }
}

static void long_histories_have_small_cores(void **unused) {
    (void)unused;
    each_planting(long_one);
}

#define BAD_QUEUE "enq(1) [0,1]; enq(2) [2,3]; deq() -> 2 [4,5]; deq() -> 1 [6,7]; enq(3) [8,9]"

static void a_spent_budget_ends_the_reduction(void **unused) {
    (void)unused;
    bound b = make_history("queue", BAD_QUEUE);
    judgement j = ask(&b);
    budget limits;
    core c;
    text wrong = {0};
    budget_init(&limits, 0, 0);
    budget_stop(&limits, STOP_INTERRUPTED);
    core_extract(b.h, b.o, &j.decision, 1, &limits, &c);
    assert_false(c.minimal);
    assert_true(core_check_moves(b.h, b.o, &c, &wrong));
    assert_true(violates(b.o, b.h, c.op, c.n, c.cut));
    core_free(&c);
    judgement_free(&j);
    free_bound(&b);
}

static void quick_judgements_keep_the_part(void **unused) {
    (void)unused;
    bound b = make_history("queue", BAD_QUEUE);
    budget limits;
    judgement j;
    error e = {0};
    budget_init(&limits, 0, 0);
    assert_true(judge(b.h, b.o, &(judge_options){.quick = true}, &limits, NULL, &j, &e));
    assert_int_equal(j.core.n, 5);
    assert_false(j.core.minimal);
    assert_null(j.core.checked_by);
    judgement_free(&j);
    free_bound(&b);
}

static void a_violation_that_is_none_is_an_internal_error(void **unused) {
    (void)unused;
    bound b = make_history("queue", "enq(1) [0,1]; deq() -> 1 [2,3]");
    uint32_t all[] = {0, 1};
    core c = {.op = all, .n = 2, .cut = RANK_NEVER};
    budget limits;
    error e = {0};
    budget_init(&limits, 0, 0);
    assert_false(core_recheck(b.h, b.o, engine_find("search"), &limits, &c, &e));
    assert_int_equal(e.code, EXIT_INTERNAL);
    free_bound(&b);
}

/* Takes operations out one by one as the object's rule allows it. */
static void leave_something_out(random_source *r, const bound *b, const history *h, uint8_t *leaves) {
    uint32_t all[RANDOM_MAX_OPERATIONS];
    for (uint32_t i = 0; i < h->n; i++) all[i] = i;
    leave_out l;
    object_leave_out(b->o, h, all, h->n, &l);
    bool groups = random_chance(r, 0.7);
    uint32_t chosen = (uint32_t)random_next(r);
    for (uint32_t i = 0; i < h->n; i++) {
        bool grouped = groups && l.group[i] != GROUP_KEEP && chosen >> l.group[i] % 32 & 1;
        bool alone = l.flags[i] & LEAVE_ALONE && (random_chance(r, 0.3) || (groups && l.flags[i] & LEAVE_FRAGILE));
        leaves[i] = grouped || alone;
    }
    for (uint32_t i = 0; i < h->n && groups; i++) /* something fragile stays: then no group may go */
        if (l.flags[i] & LEAVE_FRAGILE && !leaves[i]) memset(leaves, 0, h->n);
    leave_out_free(&l);
}

/* What cores rest on: a right history stays right when it is cut and when things are left out. */
static void moves_keep_right_histories_right(void **unused) {
    (void)unused;
    random_source r = {.s = 5};
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++)
        for (unsigned i = 0; i < fewer_if_sanitized(3000); i++) {
            random_shape shape = random_shape_any(&r);
            bound b = random_history(&r, t->name, &shape);
            if (oracle_linearizable(b.o, b.h, 0) == ORACLE_YES && b.h->n) {
                uint32_t op[RANDOM_MAX_OPERATIONS], n = 0;
                for (uint32_t x = 0; x < b.h->n; x++) op[x] = x;
                history *cut = history_select(b.h, op, b.h->n,
                                              random_chance(&r, 0.5) ? random_below(&r, b.h->events) : RANK_NEVER);
                uint8_t leaves[RANDOM_MAX_OPERATIONS] = {0};
                leave_something_out(&r, &b, cut, leaves);
                for (uint32_t x = 0; x < cut->n; x++)
                    if (!leaves[x]) op[n++] = x;
                if (violates(b.o, cut, op, n, RANK_NEVER)) {
                    text whole = {0};
                    history_text(&b, &whole);
                    fprintf(stderr, "%s: leaving something out makes this a violation:\n%s", t->name, text_str(&whole));
                    for (uint32_t x = 0; x < cut->n; x++)
                        if (leaves[x]) fprintf(stderr, "left out: #%u\n", x);
                    text_free(&whole);
                    fail();
                }
                history_free(cut);
            }
            free_bound(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judged_like_the_oracle),
        cmocka_unit_test(a_client_does_not_meet_itself),
        cmocka_unit_test(hints_are_only_hints),
        cmocka_unit_test(long_histories_have_small_cores),
        cmocka_unit_test(a_spent_budget_ends_the_reduction),
        cmocka_unit_test(quick_judgements_keep_the_part),
        cmocka_unit_test(a_violation_that_is_none_is_an_internal_error),
        cmocka_unit_test(moves_keep_right_histories_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
