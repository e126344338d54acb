#include "support/engine_trial.h"

#include "evidence/oracle.h"
#include "object/leave_out.h"

#include "support/cmocka.h"

#include <stdio.h>

enum { SOAK = 2000000 };

typedef struct trial {
    const bound *b;
    const engine *engine;
    problem problem;
    outcome out;
} trial;

random_shape shape_small(random_source *r) {
    random_shape s = random_shape_any(r);
    s.operations = 2 + random_below(r, 8);
    s.clients = 2 + random_below(r, RANDOM_MAX_CLIENTS - 1);
    return s;
}

random_shape shape_distinct(random_source *r) {
    random_shape s = shape_small(r);
    s.values = 0;
    return s;
}

bool strip_results(random_source *r, bound *b) {
    for (uint32_t i = 0; i < b->h->n; i++) {
        result_kind kind = b->o->type->methods[b->h->method[i]].result;
        bool may_lack = kind == RESULT_MAYBE_BOOL || kind == RESULT_MAYBE_INT;
        if (may_lack && !history_pending(b->h, i) && random_chance(r, 0.8)) b->h->res[i] = VALUE_NONE;
    }
    return true;
}

static void wrong(const trial *t, const char *what) {
    text shown = {0};
    history_text(t->b, &shown);
    print_error("%s on %s: %s\n%s\n", t->engine->name, t->b->o->name, what, text_str(&shown));
    text_free(&shown);
    fail();
}

static void check_step(const trial *t, state *now, const operation *op, value assumed) {
    state next = {0};
    step_result r = STEP_LEGAL_MORE;
    bool found = false;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !found; choice++) {
        value res;
        state_copy(&next, now);
        r = t->b->o->type->step(t->b->o, &next, op, choice, &res);
        found = r != STEP_ILLEGAL && res == assumed;
    }
    if (!found) wrong(t, "the witness is no run of the object");
    state_copy(now, &next);
    state_free(&next);
}

static void check_witness(const trial *t) {
    const problem *p = &t->problem;
    const witness *w = &t->out.witness;
    bool *used = mem_zero(p->h->n, sizeof *used);
    state now = {0};
    uint32_t latest_call = 0, in_part = 0;
    p->o->type->init(p->o, &now);
    for (uint32_t i = 0; i < w->n; i++) {
        operation op;
        if (w->op[i] >= p->h->n || used[w->op[i]]) wrong(t, "the witness has an operation twice");
        used[w->op[i]] = true;
        history_operation(p->h, w->op[i], &op);
        if (op.call > latest_call) latest_call = op.call;
        if (op.ret < latest_call) wrong(t, "the witness breaks happens-before");
        check_step(t, &now, &op, w->res ? w->res[i] : op.res);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (!used[p->op[i]] && !history_pending(p->h, p->op[i])) wrong(t, "the witness lacks an operation");
        in_part += used[p->op[i]];
    }
    if (in_part != w->n) wrong(t, "the witness has an operation of another part");
    if (!object_may_end(p->o, &now)) wrong(t, "the witness ends where the object may not");
    state_free(&now);
    free(used);
}

static bool is_violation(const trial *t, const uint32_t *op, uint32_t n, uint32_t cut) {
    history *h = history_select(t->b->h, op, n, cut);
    bool no = oracle_linearizable(t->b->o, h, 0) == ORACLE_NO;
    history_free(h);
    return no;
}

/* What the pattern leaves out may be left out (leave_out.h). */
static void check_leaving(const trial *t, const bool *kept) {
    const problem *p = &t->problem;
    leave_out l;
    object_leave_out(p->o, p->h, p->op, p->n, &l);
    bool group_left = false, *left = mem_zero(l.groups + 1, sizeof *left);
    for (uint32_t i = 0; i < p->n; i++) {
        if (kept[p->op[i]] || l.flags[i] & LEAVE_ALONE) continue;
        if (l.group[i] == GROUP_KEEP) wrong(t, "the pattern leaves out an operation that has to stay");
        left[l.group[i]] = group_left = true;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        if (!kept[p->op[i]]) continue;
        if (l.group[i] != GROUP_KEEP && left[l.group[i]]) wrong(t, "the pattern has a part of a group");
        if (l.flags[i] & LEAVE_FRAGILE && group_left) wrong(t, "the pattern has a fragile operation");
    }
    free(left);
    leave_out_free(&l);
}

static void check_pattern(const trial *t) {
    const outcome *out = &t->out;
    bool *kept = mem_zero(t->b->h->n, sizeof *kept);
    for (uint32_t i = 0; i < out->pattern_n; i++) {
        if (i && out->pattern[i] <= out->pattern[i - 1]) wrong(t, "the pattern is not ascending");
        kept[out->pattern[i]] = true;
    }
    check_leaving(t, kept);
    if (t->b->h->n <= ORACLE_MAX_OPERATIONS && !is_violation(t, out->pattern, out->pattern_n, RANK_NEVER))
        wrong(t, "the pattern alone is no violation");
    free(kept);
}

static void check_cut(const trial *t, const differential *d) {
    const problem *p = &t->problem;
    uint32_t cut = t->out.cut;
    if (!d->cut_violates && !d->cut_is_early) return;
    if (cut == RANK_NEVER) wrong(t, "no cut");
    if (d->cut_violates && !is_violation(t, p->op, p->n, cut)) wrong(t, "the history cut there is no violation");
    if (d->cut_is_early && cut && is_violation(t, p->op, p->n, cut - 1))
        wrong(t, "the history is a violation before the cut");
}

static void run_engine(trial *t, const bound *b, const engine *g, const uint32_t *op, uint32_t n, budget *spend,
                       const int64_t *setting) {
    *t = (trial){.b = b, .engine = g, .problem = {b->h, b->o, op, n, spend, NULL, setting}};
    outcome_init(&t->out);
    g->decide(&t->problem, &t->out);
}

static void check_outcome(const trial *t) {
    if (t->out.verdict == VERDICT_LINEARIZABLE) check_witness(t);
    if (t->out.verdict != VERDICT_VIOLATION) return;
    if (t->out.pattern_n) check_pattern(t);
}

static bool accepts(const engine *g, const bound *b, const uint32_t *op, uint32_t n, budget *spend,
                    const int64_t *setting) {
    problem p = {b->h, b->o, op, n, spend, NULL, setting};
    text why = {0};
    bool yes = engine_accepts(g, &p, &why);
    if (!yes) assert_true(why.size);
    text_free(&why);
    return yes;
}

static bool trial_part(const differential *d, const engine *g, const bound *b, const uint32_t *op, uint32_t n,
                       uint32_t count[3]) {
    trial t;
    budget spend;
    budget_init(&spend, 0, 0);
    if (!accepts(g, b, op, n, &spend, d->setting)) return false;
    run_engine(&t, b, g, op, n, &spend, d->setting);
    if (t.out.verdict == VERDICT_UNDECIDED && t.out.why[0]) { /* finds out on the way that it cannot */
        outcome_free(&t.out);
        return false;
    }
    bool violation = is_violation(&t, op, n, RANK_NEVER);
    count[t.out.verdict]++;
    if (t.out.verdict == VERDICT_UNDECIDED) wrong(&t, "undecided");
    if (violation != (t.out.verdict == VERDICT_VIOLATION))
        wrong(&t, violation ? "a violation accepted" : "a linearizable history refused");
    check_outcome(&t);
    if (violation && d->has_pattern && !t.out.pattern_n) wrong(&t, "no pattern");
    if (violation) check_cut(&t, d);
    outcome_free(&t.out);
    if (spend.used) wrong(&t, "memory charged and not given back");
    return true;
}

uint32_t trial_histories(uint32_t standard) {
    const char *soak = getenv("PLUMB_SOAK");
    if (soak && *soak) return strtoul(soak, NULL, 10) > 1 ? (uint32_t)strtoul(soak, NULL, 10) : SOAK;
    return getenv("PLUMB_FEWER") ? standard / 10 : standard;
}

void differential_run(const differential *d) {
    const engine *g = engine_find(d->engine);
    const char *only = getenv("PLUMB_OBJECT");
    if (only && strcmp(only, d->object) != 0) return;
    assert_non_null(g);
    random_source r = {d->seed};
    uint32_t histories = trial_histories(d->histories), decided = 0, parts_seen = 0, count[3] = {0};
    for (uint32_t i = 0; i < histories; i++) {
        random_shape shape = d->shape ? d->shape(&r) : shape_small(&r);
        bound b = random_history(&r, d->object, &shape);
        if (d->prepare && !d->prepare(&r, &b)) {
            free_bound(&b);
            continue;
        }
        partition *parts = object_partition(b.o, b.h);
        for (uint32_t p = 0; p < parts->count; p++) {
            uint32_t n;
            const uint32_t *op = partition_ops(parts, p, &n);
            decided += trial_part(d, g, &b, op, n, count);
            parts_seen++;
        }
        partition_free(parts);
        free_bound(&b);
    }
    print_message("%s on %s: %u parts, %u decided, %u linearizable, %u violations\n", d->engine, d->object, parts_seen,
                  decided, count[VERDICT_LINEARIZABLE], count[VERDICT_VIOLATION]);
    assert_true((uint64_t)decided * 100 >= (uint64_t)parts_seen * d->decided);
    bool both = g->promises & PROMISES_COMPLETE;
    if (decided > 1000) {
        assert_true(!both || count[VERDICT_LINEARIZABLE] > decided / 100);
        assert_true(d->never_a_violation ? !count[VERDICT_VIOLATION] : count[VERDICT_VIOLATION] > decided / 100);
    }
}

verdict decide_all(const engine *g, const bound *b) {
    budget spend;
    budget_init(&spend, 0, 0);
    verdict all = VERDICT_LINEARIZABLE;
    partition *parts = object_partition(b->o, b->h);
    for (uint32_t p = 0; p < parts->count && all == VERDICT_LINEARIZABLE; p++) {
        trial t;
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        assert_true(accepts(g, b, op, n, &spend, NULL));
        run_engine(&t, b, g, op, n, &spend, NULL);
        check_outcome(&t);
        all = t.out.verdict;
        outcome_free(&t.out);
    }
    partition_free(parts);
    return all;
}

verdict decide_text(const char *engine_name, const char *object_name, const char *operations) {
    bound b = make_history(object_name, operations);
    verdict v = decide_all(engine_find(engine_name), &b);
    free_bound(&b);
    return v;
}

bool accepts_text(const char *engine_name, const char *object_name, const char *operations) {
    bound b = make_history(object_name, operations);
    budget spend;
    budget_init(&spend, 0, 0);
    uint32_t *op = MEM_ARRAY(uint32_t, b.h->n);
    for (uint32_t i = 0; i < b.h->n; i++) op[i] = i;
    bool yes = accepts(engine_find(engine_name), &b, op, b.h->n, &spend, NULL);
    free(op);
    free_bound(&b);
    return yes;
}

/* As one part, within a budget; the caller frees the outcome. */
static outcome decide_within(const bound *b, const char *engine_name, const int64_t *setting, budget *spend) {
    uint32_t *op = MEM_ARRAY(uint32_t, b->h->n);
    for (uint32_t i = 0; i < b->h->n; i++) op[i] = i;
    outcome out;
    outcome_init(&out);
    problem p = {.h = b->h, .o = b->o, .op = op, .n = b->h->n, .budget = spend, .setting = setting};
    engine_find(engine_name)->decide(&p, &out);
    free(op);
    return out;
}

verdict decide_whole(const bound *b, const char *engine_name, const int64_t *setting) {
    budget spend;
    budget_init(&spend, 0, 0);
    outcome out = decide_within(b, engine_name, setting, &spend);
    verdict v = out.verdict;
    if (v == VERDICT_UNDECIDED) assert_true(out.why[0]);
    outcome_free(&out);
    return v;
}

void runs_out_of_memory(const bound *b, const char *engine_name, size_t bytes) {
    budget spend;
    budget_init(&spend, 0, bytes);
    outcome out = decide_within(b, engine_name, NULL, &spend);
    assert_int_equal(out.verdict, VERDICT_UNDECIDED);
    assert_int_equal(out.stopped, STOP_MEMORY);
    assert_int_equal(spend.used, 0);
    outcome_free(&out);
}

void open_enqueues_run_out_of_memory(const char *engine_name, size_t bytes) {
    text many = {0};
    for (unsigned i = 0; i < 40; i++) text_printf(&many, "enq(%u) [%u,%u]; ", i, i, 100 + i);
    bound b = make_history("queue", text_str(&many));
    runs_out_of_memory(&b, engine_name, bytes);
    free_bound(&b);
    text_free(&many);
}
