/* SYMBOLIC: is there a total order that extends happens-before and is a model of the object's theory? As a question to a SAT
 * solver, in the folded encodings of symbolic.h. A model is a witness; an unsatisfiable answer, asked again with one
 * assumption for each group of operations that may leave together, names the groups that are a violation. */
#include "engine/symbolic.h"

#include "base/mem.h"
#include "engine/client_order.h"
#include "engine/inventory.h"
#include "engine/pattern.h"
#include "object/leave_out.h"

#include <stdio.h>
#include <string.h>

typedef struct encoder {
    const char *objects;
    bool (*encode)(encoding *e);
} encoder;

static const encoder encoders[] = {
    {" queue stack multiset pqueue-max pqueue-min ", encode_container},
    {" register swmr-register set ", encode_cell},
    {" lock ", encode_lock},
};

static bool encode_object(encoding *e) {
    char name[64];
    snprintf(name, sizeof name, " %s ", e->p->o->type->name);
    for (unsigned i = 0; i < sizeof encoders / sizeof *encoders; i++)
        if (strstr(encoders[i].objects, name)) return encoders[i].encode(e);
    e->odd = "this object";
    return false;
}

/* ---- encodings ---------------------------------------------------------------------------------------------------------------- */

bool encoding_refute(encoding *e, const uint32_t *position, unsigned n) {
    e->cnf.contradiction = true;
    e->cnf.wrongs = n;
    memcpy(e->cnf.wrong, position, n * sizeof *position);
    return false;
}

void encoding_choice(encoding *e, literal chosen, uint32_t position, value res) {
    if (chosen == LIT_FALSE) return;
    if (e->choices == e->choice_room) {
        e->choice_room = e->choice_room ? 2 * e->choice_room : 64;
        e->choice = MEM_GROW(e->choice, result_choice, e->choice_room);
    }
    e->choice[e->choices++] = (result_choice){chosen, position, res};
}

bool encoding_goes_on(encoding *e, unsigned *ticks) { return !e->cnf.contradiction && !budget_tick(e->cnf.budget, ticks); }

typedef struct ranks {
    uint32_t *call, *ret;
} ranks;

static ranks ranks_of(const problem *p) {
    ranks r = {MEM_ARRAY(uint32_t, (size_t)p->n + 1), MEM_ARRAY(uint32_t, (size_t)p->n + 1)};
    for (uint32_t i = 0; i < p->n; i++) {
        r.call[i] = p->h->call[p->op[i]];
        r.ret[i] = p->h->ret[p->op[i]];
    }
    return r;
}

static void encoding_free(encoding *e) {
    overlap_free(&e->order);
    cnf_free(&e->cnf);
    free(e->used);
    free(e->choice);
}

/* Everything up to the question. */
static void encode(encoding *e, const problem *p, ranks r, const uint32_t *group, uint32_t groups) {
    *e = (encoding){.p = p, .used = MEM_ARRAY(literal, (size_t)p->n + 1)};
    cnf_init(&e->cnf, p->budget);
    if (group) cnf_assume_groups(&e->cnf, group, groups);
    for (uint32_t i = 0; i < p->n; i++) e->used[i] = r.ret[i] == RANK_NEVER ? LIT_FALSE : LIT_TRUE;
    if (!overlap_init(&e->order, &e->cnf, r.call, r.ret, p->n)) {
        if (!budget_spent(p->budget)) e->odd = "so many overlapping pairs";
        return;
    }
    if (encode_object(e)) overlap_order(&e->order, &e->cnf);
}

/* ---- witness --------------------------------------------------------------------------------------------------------------------- */

static void add_to_witness(witness *w, uint32_t op, value res) {
    w->op[w->n] = op;
    w->res[w->n++] = res;
}

/* What pending operations of a set returned depends on the order. */
static void replay_set(const problem *p, witness *w) {
    state now = {0};
    p->o->type->init(p->o, &now);
    for (uint32_t i = 0; i < w->n; i++) {
        operation op;
        history_operation(p->h, w->op[i], &op);
        p->o->type->step(p->o, &now, &op, 0, &w->res[i]);
    }
    state_free(&now);
}

static void make_witness(const encoding *e, outcome *out) {
    const problem *p = e->p;
    uint32_t *sorted = overlap_sorted(&e->order, &e->cnf);
    bool *used = MEM_ARRAY(bool, (size_t)p->n + 1), pending = false;
    value *res = MEM_ARRAY(value, (size_t)p->n + 1);
    for (uint32_t i = 0; i < p->n; i++) {
        used[i] = cnf_true(&e->cnf, e->used[i]);
        res[i] = is_pending(e, i) ? VALUE_NONE : p->h->res[p->op[i]];
        pending |= used[i] && is_pending(e, i);
    }
    for (uint32_t k = 0; k < e->choices; k++) {
        if (!cnf_true(&e->cnf, e->choice[k].chosen)) continue;
        used[e->choice[k].position] = true;
        res[e->choice[k].position] = e->choice[k].res;
    }
    witness *w = &out->witness;
    *w = (witness){.op = MEM_ARRAY(uint32_t, (size_t)p->n + 1), .res = MEM_ARRAY(value, (size_t)p->n + 1)};
    for (uint32_t i = 0; i < p->n; i++)
        if (used[sorted[i]]) add_to_witness(w, p->op[sorted[i]], res[sorted[i]]);
    if (pending && !strcmp(p->o->type->name, "set")) replay_set(p, w);
    out->verdict = VERDICT_LINEARIZABLE;
    free(sorted);
    free(used);
    free(res);
}

/* ---- pattern --------------------------------------------------------------------------------------------------------------------- */

/* By position: the group it leaves with, or one of its own if it may leave alone. */
static uint32_t *groups_of(const problem *whole, const uint32_t *place, uint32_t n, uint32_t *groups) {
    leave_out l;
    object_leave_out(whole->o, whole->h, whole->op, whole->n, &l);
    uint32_t *group = MEM_ARRAY(uint32_t, (size_t)n + 1);
    *groups = l.groups;
    for (uint32_t i = 0; i < n; i++) group[i] = l.flags[place[i]] & LEAVE_ALONE ? (*groups)++ : l.group[place[i]];
    leave_out_free(&l);
    return group;
}

/* One position for each needed group says enough: pattern_from completes groups. */
static uint32_t positions_of_core(encoding *e, const uint32_t *group, uint32_t groups, const uint32_t *place, uint32_t *position) {
    bool *needed = MEM_ARRAY(bool, (size_t)groups + 1);
    uint32_t count = 0;
    cnf_core(&e->cnf, needed);
    for (uint32_t i = 0; i < e->p->n; i++) {
        if (group[i] == NO_GROUP || !needed[group[i]]) continue;
        needed[group[i]] = false;
        position[count++] = place[i];
    }
    free(needed);
    return count;
}

static void ask_for_core(const problem *whole, const problem *p, ranks r, const uint32_t *place, outcome *out) {
    uint32_t groups, *group = groups_of(whole, place, p->n, &groups), *position = MEM_ARRAY(uint32_t, (size_t)p->n + 1);
    encoding e;
    encode(&e, p, r, group, groups);
    if (!budget_spent(p->budget) && !e.cnf.contradiction && cnf_solve(&e.cnf) == CNF_UNSATISFIABLE)
        pattern_from(whole, position, positions_of_core(&e, group, groups, place, position), out);
    encoding_free(&e);
    free(group);
    free(position);
}

static void pattern_of_wrong(const problem *whole, const encoding *e, const uint32_t *place, outcome *out) {
    uint32_t position[CNF_OWNERS];
    for (unsigned i = 0; i < e->cnf.wrongs; i++) position[i] = place[e->cnf.wrong[i]];
    pattern_from(whole, position, e->cnf.wrongs, out);
}

/* ---- the engine ------------------------------------------------------------------------------------------------------------------ */

static void decide_needed(const problem *whole, const problem *p, const uint32_t *place, outcome *out) {
    ranks r = ranks_of(p);
    encoding e;
    encode(&e, p, r, NULL, 0);
    cnf_answer answer = e.odd || budget_spent(p->budget) ? CNF_STOPPED : cnf_solve(&e.cnf);
    bool by_constants = e.cnf.contradiction;
    out->steps = e.cnf.clauses;
    if (answer == CNF_SATISFIABLE) make_witness(&e, out);
    if (answer == CNF_UNSATISFIABLE) outcome_violation(out, RANK_NEVER);
    if (answer == CNF_UNSATISFIABLE && by_constants) pattern_of_wrong(whole, &e, place, out);
    if (answer == CNF_STOPPED) {
        outcome_stopped(p, out);
        if (e.odd) snprintf(out->why, sizeof out->why, "the encoding does not know %s", e.odd);
    }
    encoding_free(&e);
    if (answer == CNF_UNSATISFIABLE && !by_constants) ask_for_core(whole, p, r, place, out);
    free(r.call);
    free(r.ret);
}

static void decide(const problem *whole, outcome *out) {
    uint8_t *needed = MEM_ARRAY(uint8_t, (size_t)whole->n + 1);
    uint32_t *op = MEM_ARRAY(uint32_t, (size_t)whole->n + 1), *place = MEM_ARRAY(uint32_t, (size_t)whole->n + 1);
    problem p = *whole;
    object_needed(p.o, p.h, p.op, p.n, needed);
    p.op = op;
    p.n = 0;
    for (uint32_t i = 0; i < whole->n; i++) {
        if (!needed[i]) continue;
        place[p.n] = i;
        op[p.n++] = whole->op[i];
    }
    free(needed);
    decide_needed(whole, &p, place, out);
    free(op);
    free(place);
}

static bool accepts(const problem *p, text *why_not) {
    if (!cnf_available()) {
        text_add(why_not, "was not built: CaDiCaL (libcadical-dev) was not there");
        return false;
    }
    if (!strcmp(p->o->type->name, "lock")) return accepts_clients_in_order(p, why_not);
    return inventory_accepts(p, why_not);
}

const engine engine_symbolic = {
    .name = "symbolic",
    .summary = "the object's theory as clauses for a SAT solver: variables for overlapping pairs only",
    .growth = "n * open operations^2 clauses, then the solver",
    .objects = "queue stack multiset pqueue-max pqueue-min register swmr-register set lock",
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
    .cost = COST_EXPONENTIAL,
    .by_name_only = true,
    .accepts = accepts,
    .decide = decide,
};
