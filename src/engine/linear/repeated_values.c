/* Containers in which values repeat, which the near-linear engines do not take: two questions that cost next to
 * nothing, and whose answer, when it is no, is a violation of the whole.
 *
 *   - Is every value there that comes out? When a removal of v returns, no more removals of v may have returned than
 *     adds of v were called: each took something that was in, and a container is empty at first.
 *   - Is the history right without the values that repeat? All operations of a value may leave a right history, and it
 *     stays right (object/leave_out.h). What is left adds every value once: an engine that needs that decides it.
 *
 * When both say yes nothing is known, and others have to decide. */
#include "base/mem.h"
#include "engine/pattern.h"
#include "engine/general/weaken.h"
#include "engine/self_check.h"
#include "object/leave_out.h"

#include <stdio.h>

typedef struct value_tally { /* of one group: the operations of one value */
    uint32_t adds, called, returned;
} value_tally;

static bool has_role(const problem *p, uint32_t position, unsigned role) {
    return p->o->type->methods[p->h->method[p->op[position]]].role & role;
}

/* It returned, and not to say that nothing was there. */
static bool took(const problem *p, uint32_t position) {
    value res = p->h->res[p->op[position]];
    return has_role(p, position, ROLE_REMOVES) && res != VALUE_EMPTY && res != VALUE_FALSE && res != VALUE_NONE;
}

static value_tally *count_adds(const problem *p, const leave_out *l) {
    value_tally *t = mem_zero(l->groups, sizeof *t);
    for (uint32_t i = 0; i < p->n; i++)
        if (l->group[i] != GROUP_KEEP && has_role(p, i, ROLE_ADDS)) t[l->group[i]].adds++;
    return t;
}

/* The position of a removal that took what no add can have put in; p->n: there is none. */
static uint32_t removed_too_often(const problem *p, const leave_out *l, value_tally *t) {
    uint32_t count, *event = part_events(p, &count), wrong = p->n;
    for (uint32_t e = 0; e < count && wrong == p->n; e++) {
        uint32_t i = event[e] / 2, group = l->group[i];
        if (group == GROUP_KEEP) continue;
        if (!(event[e] & 1)) t[group].called += has_role(p, i, ROLE_ADDS);
        else if (took(p, i) && ++t[group].returned > t[group].called) wrong = i;
    }
    free(event);
    return wrong;
}

/* What stays when the values that are added several times leave, and with them what observes several of the
 * others. */
static uint32_t *without_repeated(const problem *p, const leave_out *l, const value_tally *t, uint32_t *n) {
    uint32_t *op = MEM_ARRAY(uint32_t, p->n);
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        bool repeats = l->group[i] != GROUP_KEEP && t[l->group[i]].adds > 1;
        if (!repeats && !(l->flags[i] & LEAVE_FRAGILE)) op[(*n)++] = p->op[i];
    }
    assert_costly(words_ascend(op, *n));
    return op;
}

static bool fragile_may_leave(const problem *p, const leave_out *l) {
    for (uint32_t i = 0; i < p->n; i++)
        if (l->flags[i] & LEAVE_FRAGILE && !(l->flags[i] & LEAVE_ALONE)) return false;
    return true;
}

static const engine *engine_for_distinct(const problem *p) {
    const engine *g;
    text ignored = {0};
    for (unsigned i = 0; (g = engine_at(i)); i++)
        if (g->needs & NEEDS_DISTINCT && !g->by_name_only && g->cost == COST_NEAR_LINEAR &&
            engine_accepts(g, p, &ignored))
            break;
    text_free(&ignored);
    return g;
}

static void decide_rest(const problem *p, const leave_out *l, const value_tally *t, outcome *out) {
    problem rest = *p;
    uint32_t *op = without_repeated(p, l, t, &rest.n);
    rest.op = op;
    rest.furthest = NULL;
    const engine *g = rest.n < p->n && fragile_may_leave(p, l) ? engine_for_distinct(&rest) : NULL;
    if (g) g->decide(&rest, out);
    if (out->verdict == VERDICT_LINEARIZABLE) {
        outcome_free(out);
        outcome_init(out);
    }
    free(op);
}

static void decide(const problem *p, outcome *out) {
    leave_out l;
    object_leave_out(p->o, p->h, p->op, p->n, &l);
    value_tally *t = count_adds(p, &l);
    uint32_t wrong = removed_too_often(p, &l, t);
    if (wrong < p->n) {
        outcome_violation(out, p->h->ret[p->op[wrong]]);
        pattern_from(p, &wrong, 1, out);
    } else {
        decide_rest(p, &l, t, out);
    }
    assert(out->verdict != VERDICT_LINEARIZABLE);
    if (out->verdict == VERDICT_UNDECIDED && !out->why[0])
        snprintf(out->why, sizeof out->why, "values repeat, and those that do not are right");
    free(t);
    leave_out_free(&l);
}

ENGINE_RECORD(engine_repeated_values, "repeated-values",
              "containers whose values repeat: nothing comes out too often, and the others are right; finds "
              "violations, not their absence",
              .growth = "n", .objects = "queue stack deque multiset pqueue-max pqueue-min",
              .promises = PROMISES_SOUND | PROMISES_PATTERN, .cost = COST_NEAR_LINEAR, .decide = decide);
