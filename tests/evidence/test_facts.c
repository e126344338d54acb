/* Every fact that is found about a core, tested against all runs of the core's operations. */
#include "support/cmocka.h"

#include "evidence/explain.h"
#include "evidence/facts.h"
#include "evidence/judge.h"
#include "support/random_history.h"

enum { ENUMERATED = 7 }; /* operations in a core that are put in all orders */

typedef struct runs {
    const facts *f;
    const object *o;
    const fact *claim;
    uint32_t place[ORACLE_MAX_OPERATIONS]; /* in the run; UINT32_MAX: not in it */
    uint32_t n, completed;
} runs;

static bool comes_before(const runs *r, uint32_t a, uint32_t b) {
    return r->place[b] == UINT32_MAX || (r->place[a] != UINT32_MAX && r->place[a] < r->place[b]);
}

static bool agrees(const runs *r) {
    for (uint32_t k = 0; k < r->f->n && k < FACTS_MAX; k++)
        if (r->claim->from >> k & 1 && !comes_before(r, r->f->fact[k].a, r->f->fact[k].b)) return false;
    return true;
}

static void check_run(const runs *r) {
    if (!agrees(r)) return;
    assert_int_equal(r->claim->kind, FACT_FORCED); /* FACT_NO_ORDER says there is no such run */
    uint32_t a = r->place[r->claim->a], b = r->place[r->claim->b];
    assert_true(a != UINT32_MAX && (b == UINT32_MAX || a < b));
}

/* All sequences that the object allows of all completed and some pending operations, without regard to time. */
static void enumerate(runs *r, const state *now) {
    const history *only = r->f->only;
    if (r->completed == only->n - only->pending && object_may_end(r->o, now)) check_run(r);
    for (uint32_t i = 0; i < only->n; i++) {
        if (r->place[i] != UINT32_MAX) continue;
        operation op;
        history_operation(only, i, &op);
        step_result s = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; s == STEP_LEGAL_MORE; choice++) {
            state next = {0};
            value res;
            state_copy(&next, now);
            s = r->o->type->step(r->o, &next, &op, choice, &res);
            if (s != STEP_ILLEGAL) {
                r->place[i] = r->n++;
                r->completed += !history_pending(only, i);
                enumerate(r, &next);
                r->completed -= !history_pending(only, i);
                r->n--;
                r->place[i] = UINT32_MAX;
            }
            state_free(&next);
        }
    }
}

static void check_all_runs(const facts *f, const object *o, const fact *claim) {
    if (f->only->n > ENUMERATED) return;
    runs r = {.f = f, .o = o, .claim = claim};
    memset(r.place, 0xff, sizeof r.place);
    state first = {0};
    o->type->init(o, &first);
    enumerate(&r, &first);
    state_free(&first);
}

static bool has_argument(const bound *b, uint32_t i, value v) {
    operation op;
    history_operation(b->h, i, &op);
    for (unsigned a = 0; a < op.nargs; a++)
        if (op.arg[a] == v) return true;
    return false;
}

static bool same_part(const bound *b, uint32_t i, uint32_t j) { return !b->h->key || b->h->key[i] == b->h->key[j]; }

static void check_never_in(const bound *b, const fact *claim, uint32_t a) {
    assert_int_equal(b->h->res[a], claim->v);
    for (uint32_t i = 0; i < b->h->n; i++)
        if (same_part(b, i, a)) assert_false(has_argument(b, i, claim->v));
}

static void check_too_early(const bound *b, const fact *claim, uint32_t a) {
    assert_int_equal(b->h->res[a], claim->v);
    for (uint32_t i = 0; i < b->h->n; i++)
        if (same_part(b, i, a) && has_argument(b, i, claim->v)) assert_true(history_before(b->h, a, i));
}

static bool may_bring(const bound *b, uint32_t i, value v) {
    operation op;
    history_operation(b->h, i, &op);
    if (!b->o->type->brings) return has_argument(b, i, v);
    value brought = b->o->type->brings(b->o, &op);
    return brought == v || (brought == VALUE_UNKNOWN && has_argument(b, i, v));
}

static void check_stale(const bound *b, const fact *claim, uint32_t a) {
    uint32_t last = claim->first, over = claim->second, three[] = {last, over, a};
    assert_int_equal(b->h->res[a], claim->v);
    assert_true(may_bring(b, last, claim->v));
    for (uint32_t i = 0; i < b->h->n; i++)
        if (same_part(b, i, a) && may_bring(b, i, claim->v) && b->h->call[i] < b->h->ret[a])
            assert_true(b->h->ret[i] <= b->h->ret[last]);
    assert_true(history_before(b->h, last, over) && history_before(b->h, over, a));
    history *only = history_select(b->h, three, 3, RANK_NEVER);
    assert_int_equal(oracle_linearizable(b->o, only, 0), ORACLE_NO);
    history_free(only);
}

/* Elements of a set are parts of their own. */
static bool same_part_of(const bound *b, uint32_t i, uint32_t j) {
    operation x, y;
    history_operation(b->h, i, &x);
    history_operation(b->h, j, &y);
    return same_part(b, i, j) && (!b->o->type->parts_by_arg || x.arg[0] == y.arg[0]);
}

static void check_over(const bound *b, const fact *claim, const core *c) {
    uint32_t a = c->op[0], others = 0;
    assert_int_equal(c->n, 1);
    for (uint32_t i = 0; i < b->h->n; i++) {
        if (i == a || !same_part_of(b, i, a) || b->h->call[i] > b->h->ret[a]) continue;
        assert_true(others < claim->path_n);
        assert_int_equal(claim->path[others++], i);
        assert_true(history_before(b->h, i, a));
    }
    assert_int_equal(others, claim->path_n);
    history *all = over_history(b->h, c, claim), *rest = history_select(b->h, claim->path, claim->path_n, RANK_NEVER);
    assert_int_equal(all->n, others + 1);
    assert_int_equal(oracle_linearizable(b->o, all, 0), ORACLE_NO);
    assert_int_equal(oracle_linearizable(b->o, rest, 0), ORACLE_YES);
    history_free(all);
    history_free(rest);
}

static void check_too_often(const bound *b, const facts *f, const fact *claim) {
    uint32_t taken = 0, put = 0;
    for (uint32_t i = 0; i < f->only->n; i++) taken += f->only->res[i] == claim->v;
    for (uint32_t i = 0; i < b->h->n; i++) put += has_argument(b, i, claim->v);
    assert_int_equal(taken, claim->taken);
    assert_int_equal(put, claim->put);
    assert_true(put < taken);
}

/* The path is in time's order and legal; nothing that may come next is. States that a choice leads to are all
 * followed. */
static void check_stuck_from(const facts *f, const object *o, const fact *claim, uint32_t k, const state *now,
                             uint32_t done, bool *led_here) {
    const history *only = f->only;
    if (k == claim->path_n) *led_here = true;
    for (uint32_t i = 0; i < only->n; i++) {
        bool next_on_path = k < claim->path_n && claim->path[k] == i, may = !(done >> i & 1);
        for (uint32_t j = 0; j < only->n; j++) may &= !history_before(only, j, i) || done >> j & 1;
        if (next_on_path) assert_true(may);
        if (!may || (k < claim->path_n && !next_on_path)) continue;
        operation op;
        history_operation(only, i, &op);
        step_result s = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; s == STEP_LEGAL_MORE; choice++) {
            state next = {0};
            value res;
            state_copy(&next, now);
            s = o->type->step(o, &next, &op, choice, &res);
            if (k == claim->path_n) assert_int_equal(s, STEP_ILLEGAL);
            else if (s != STEP_ILLEGAL) check_stuck_from(f, o, claim, k + 1, &next, done | 1u << i, led_here);
            state_free(&next);
        }
    }
}

static void check_stuck(const facts *f, const object *o, const fact *claim) {
    state first = {0};
    bool led_here = false;
    o->type->init(o, &first);
    check_stuck_from(f, o, claim, 0, &first, 0, &led_here);
    assert_true(led_here);
    state_free(&first);
}

static void check_fact(const bound *b, const core *c, const facts *f, uint32_t k) {
    if (k >= FACTS_MAX) return;
    const fact *claim = &f->fact[k];
    object begun = core_object(b->o, c);
    assert_int_equal(claim->from >> k, 0);
    switch (claim->kind) {
    case FACT_TIME: assert_true(b->h->ret[c->op[claim->a]] < b->h->call[c->op[claim->b]]); break;
    case FACT_FORCED:
    case FACT_NO_ORDER: check_all_runs(f, &begun, claim); break;
    case FACT_NEVER_IN: check_never_in(b, claim, c->op[claim->a]); break;
    case FACT_TOO_EARLY: check_too_early(b, claim, c->op[claim->a]); break;
    case FACT_STALE: check_stale(b, claim, c->op[claim->a]); break;
    case FACT_OVER: check_over(b, claim, c); break;
    case FACT_TOO_OFTEN: check_too_often(b, f, claim); break;
    case FACT_STUCK: check_stuck(f, &begun, claim); break;
    }
}

static void count_facts(const facts *f, unsigned count[]) {
    for (uint32_t k = 0; k < f->n; k++) count[f->fact[k].kind]++;
}

static bool find(const bound *b, judgement *j, facts *f) {
    budget limits;
    error e = {0};
    budget_init(&limits, 0, 0);
    assert_true(judge(b->h, b->o, &(judge_options){0}, &limits, NULL, j, &e));
    if (j->verdict != VERDICT_VIOLATION) return false;
    facts_find(b->h, b->o, &j->core, f);
    return true;
}

static void every_fact_is_true(void **unused) {
    (void)unused;
    random_source r = {.s = 6};
    unsigned count[FACT_STUCK + 1] = {0};
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++)
        for (unsigned i = 0; i < 400 && one_by_one(t); i++) {
            random_shape shape = random_shape_any(&r);
            bound b = random_history(&r, t->name, &shape);
            judgement j;
            facts f;
            if (find(&b, &j, &f)) {
                assert_in_range(f.n, 1, FACTS_MAX);
                for (uint32_t x = 0; x < f.n; x++) check_fact(&b, &j.core, &f, x);
                count_facts(&f, count);
                facts_free(&f);
            }
            judgement_free(&j);
            free_bound(&b);
        }
    for (unsigned k = 0; k <= FACT_STUCK; k++) assert_true(count[k] > 0);
}

static void assert_explained(const char *object_name, const char *operations, const char *diagram,
                             const char *sentences) {
    bound b = make_history(object_name, operations);
    budget limits;
    judgement j;
    error e = {0};
    text t = {0};
    budget_init(&limits, 0, 0);
    assert_true(judge(b.h, b.o, &(judge_options){0}, &limits, NULL, &j, &e));
    assert_int_equal(j.verdict, VERDICT_VIOLATION);
    explain_diagram(b.h, b.o, &j.core, 80, &t);
    assert_string_equal(text_str(&t), diagram);
    text_clear(&t);
    explain_sentences(b.h, b.o, &j.core, &t);
    assert_string_equal(text_str(&t), sentences);
    text_free(&t);
    judgement_free(&j);
    free_bound(&b);
}

/* Alone it would look wrong for lack of the operations that are not shown. */
static void an_element_that_left_again(void **unused) {
    (void)unused;
    assert_explained(
        "set", "1 add(2) -> true [0,1]; 3 add(3) -> true [0,9]; 2 remove(2) -> true [2,3]; 1 contains(2) -> true [4,5]",
        "  #3  1  contains(2) -> true  4..5  |--|\n",
        "#0 add(2) -> true and #2 remove(2) -> true returned (at 3) before #3 contains(2) -> true was called (at 4), "
        "and no "
        "other operation that matters to it was called before it returned.\n"
        "For example, after #0 add(2) -> true, #2 remove(2) -> true the state is {}: #3 contains(2) -> true cannot "
        "come next "
        "(2 is not in the set).\n"
        "re-checked: this 1 of 4 operations is a violation by itself (decided again by the oracle), and nothing more "
        "can be "
        "left out.\n");
}

static void a_queue_out_of_order(void **unused) {
    (void)unused;
    assert_explained("queue", "1 enq(1) [0,1]; 2 enq(2) [2,3]; 3 enq(9) [0,9]; 1 deq() -> 2 [4,5]; 2 deq() -> 1 [6,7]",
                     "  #0  1  enq(1)      0..1  |--|\n"
                     "  #1  2  enq(2)      2..3        |--|\n"
                     "  #3  1  deq() -> 2  4..5              |--|\n",
                     "In every order of these operations that the queue allows, #1 enq(2) comes before #0 enq(1).\n"
                     "But #0 enq(1) returned (at 1) before #1 enq(2) was called (at 2): no order is left.\n"
                     "For example, after #0 enq(1), #1 enq(2) the state is [1 2]: #3 deq() -> 2 cannot come next (the "
                     "head of the queue is 1).\n"
                     "re-checked: these 3 of 5 operations are a violation by themselves (decided again by the oracle), "
                     "and nothing more can be "
                     "left out.\n");
}

static void a_chain_of_reasons(void **unused) {
    (void)unused;
    assert_explained("queue",
                     "1 enq(3) [0,1]; 1 enq(3) [2,3]; 2 deq() -> 3 [4,5]; 2 deq() -> empty [6,7]; 3 deq() [9,-]",
                     "  #0  1  enq(3)          0..1  |--|\n"
                     "  #1  1  enq(3)          2..3        |--|\n"
                     "  #2  2  deq() -> 3      4..5              |--|\n"
                     "  #3  2  deq() -> empty  6..7                    |--|\n",
                     "#1 enq(3) returned (at 3) before #3 deq() -> empty was called (at 6).\n"
                     "Since #1 comes before #3, in every order of these operations that the queue allows, #3 deq() -> "
                     "empty comes before #0 "
                     "enq(3).\n"
                     "But #0 enq(3) returned (at 1) before #3 deq() -> empty was called (at 6): no order is left.\n"
                     "For example, after #0 enq(3), #1 enq(3), #2 deq() -> 3 the state is [3]: #3 deq() -> empty "
                     "cannot come next (the head of "
                     "the queue is 3).\n"
                     "re-checked: these 4 of 5 operations are a violation by themselves (decided again by the oracle), "
                     "and nothing more can be "
                     "left out.\n");
}

static void a_value_from_nowhere(void **unused) {
    (void)unused;
    assert_explained("queue", "1 enq(1) [0,1]; 2 deq() -> 7 [0,9]", "  #1  2  deq() -> 7  0..9  |--|\n",
                     "#1 deq() -> 7: no operation puts in 7.\n"
                     "re-checked: this 1 of 2 operations is a violation by itself (decided again by the oracle), and "
                     "nothing more can be left "
                     "out.\n");
}

static void a_long_core_is_folded(void **unused) {
    (void)unused;
    text t = {0};
    for (int i = 0; i < 40; i++) text_printf(&t, "inc() [%d,%d]; ", 2 * i, 2 * i + 1);
    text_add(&t, "get() -> 7 [100,101]");
    bound b = make_history("counter", text_str(&t));
    budget limits;
    judgement j;
    error e = {0};
    budget_init(&limits, 0, 0);
    assert_true(judge(b.h, b.o, &(judge_options){0}, &limits, NULL, &j, &e));
    text_clear(&t);
    explain_diagram(b.h, b.o, &j.core, 80, &t);
    unsigned lines = 0, column = 0;
    for (size_t i = 0; i < t.size; i++) {
        column = t.at[i] == '\n' ? 0 : column + 1;
        lines += t.at[i] == '\n';
        assert_true(column <= 80);
    }
    assert_true(lines <= 24);
    text_free(&t);
    judgement_free(&j);
    free_bound(&b);
}

TEST_MAIN(TEST(every_fact_is_true), TEST(an_element_that_left_again), TEST(a_queue_out_of_order),
          TEST(a_chain_of_reasons), TEST(a_value_from_nowhere), TEST(a_long_core_is_folded))
