/* SYMBOLIC: is there a total order that extends happens-before and is a model of the object's theory? As a question to
 * a SAT solver, in the folded encodings of symbolic.h. A model is a witness; an unsatisfiable answer, asked again with
 * one assumption for each group of operations that leave as one, names the groups that are a violation. */
#include "engine/symbolic/symbolic.h"

#include "base/mem.h"
#include "engine/client_order.h"
#include "engine/linear/inventory.h"
#include "engine/pattern.h"
#include "engine/self_check.h"
#include "object/leave_out.h"
#include "theory/theory_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENCODING, WHEN, REMOVAL };
enum { AT_END, AT_RETURNS };
enum { ENCODING_AUTO, ENCODING_FOLDED, ENCODING_GENERIC };
enum { MOST_GROUNDED = 4000 }; /* operations: match is a table of all pairs */

typedef struct encoder {
    const char *objects;
    bool (*encode)(encoding *e);
    const char *(*odd)(const problem *p); /* NULL, or what it does not understand of this history */
} encoder;

static const encoder encoders[] = {
    {" queue stack multiset pqueue-max pqueue-min ", encode_container, inventory_odd},
    {" register swmr-register set ", encode_cell, NULL},
    {" lock ", encode_lock, NULL},
};

static const encoder *encoder_for(const object *o) {
    char name[64];
    snprintf(name, sizeof name, " %s ", o->type->name);
    for (unsigned i = 0; i < sizeof encoders / sizeof *encoders; i++)
        if (strstr(encoders[i].objects, name)) return &encoders[i];
    return NULL;
}

extern const engine engine_symbolic;

typedef struct symbolic_query {
    const problem *whole;
    problem p;            /* the operations that a linearization may need */
    uint32_t *op, *place; /* of p: operations, and their positions in the whole */
    uint32_t *call, *ret;
    theory *theory; /* NULL: folded */
    bool only_propagate;
    literals *said, *learned; /* a proof is to be kept */
} symbolic_query;

/* ---- encodings ---- */

bool encoding_refute(encoding *e, const uint32_t *position, unsigned n) {
    e->cnf.contradiction = true;
    e->cnf.wrongs = n;
    memcpy(e->cnf.wrong, position, n * sizeof *position);
    return false;
}

void encoding_choice(encoding *e, literal chosen, uint32_t position, value res) {
    assert(position < e->p->n && is_pending(e, position));
    if (chosen == LIT_FALSE) return;
    if (e->choices == e->choice_room) {
        e->choice_room = e->choice_room ? 2 * e->choice_room : 64;
        e->choice = MEM_GROW(e->choice, result_choice, e->choice_room);
    }
    e->choice[e->choices++] = (result_choice){chosen, position, res};
}

void encoding_at_one_moment(encoding *e, literal chosen, uint32_t x, uint32_t y) {
    if (e->pairs == e->pair_room) {
        e->pair_room = e->pair_room ? 2 * e->pair_room : 64;
        e->pair = MEM_GROW(e->pair, matched_pair, e->pair_room);
    }
    assert(x != y && x < e->p->n && y < e->p->n);
    e->pair[e->pairs++] = (matched_pair){chosen, x, y};
}

bool encoding_goes_on(encoding *e, unsigned *ticks) {
    return !e->cnf.contradiction && !budget_tick(e->cnf.budget, ticks);
}

static void encoding_free(encoding *e) {
    overlap_free(&e->order);
    cnf_free(&e->cnf);
    FREE_ALL(e->used, e->choice, e->pair, e->sides, e->taken);
}

/* Everything up to the question. */
static void encode(encoding *e, const symbolic_query *q, const uint32_t *group, uint32_t groups) {
    const problem *p = &q->p;
    *e = (encoding){.p = p, .used = MEM_ARRAY(literal, (size_t)p->n + 1), .theory = q->theory};
    cnf_init(&e->cnf, p->budget);
    if (q->only_propagate) cnf_only_propagate(&e->cnf);
    if (q->said) cnf_keep_proof(&e->cnf, q->said, q->learned);
    if (group) cnf_assume_groups(&e->cnf, group, groups);
    if (!group && !q->said && !q->only_propagate) cnf_fold(&e->cnf);
    for (uint32_t i = 0; i < p->n; i++) e->used[i] = q->ret[i] == RANK_NEVER ? LIT_FALSE : LIT_TRUE;
    if (!overlap_init(&e->order, &e->cnf, q->call, q->ret, p->n)) {
        if (!budget_spent(p->budget)) e->odd = "so many overlapping pairs";
        return;
    }
    if (q->theory ? encode_theory(e) : encoder_for(p->o)->encode(e)) overlap_order(&e->order, &e->cnf);
}

/* ---- witness ---- */

static void add_to_witness(witness *w, uint32_t op, value res) {
    w->op[w->n] = op;
    w->res[w->n++] = res;
}

/* A theory's own object is asked at once, with the model's results. (Other objects may say another one for the same:
 * false for empty.) */
static bool replay_at_once(const problem *p, const witness *w) {
    if (!theory_of_object(p->o)) return false;
    state now = {0};
    operation_sequence q = {.h = p->h, .op = w->op, .res = w->res, .n = w->n};
    p->o->type->init(p->o, &now);
    bool legal = object_run(p->o, &now, &q) == w->n && object_may_end(p->o, &now);
    state_free(&now);
    return legal;
}

/* Runs the object along the witness: what a pending operation returned is what the model says, or, where that is left
 * to the order, what the object says. False: the object does not allow it. */
static bool replay(const problem *p, witness *w) {
    state now = {0}, next = {0};
    bool legal = true;
    p->o->type->init(p->o, &now);
    for (uint32_t i = 0; i < w->n && legal; i++) {
        operation op;
        value res;
        history_operation(p->h, w->op[i], &op);
        step_result r = STEP_LEGAL_MORE;
        legal = false;
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !(legal && res == w->res[i]); choice++) {
            state_copy(&next, &now);
            r = p->o->type->step(p->o, &next, &op, choice, &res);
            legal = r != STEP_ILLEGAL;
        }
        if (legal) w->res[i] = res;
        state_copy(&now, &next);
    }
    legal = legal && object_may_end(p->o, &now);
    state_free(&now);
    state_free(&next);
    return legal;
}

typedef struct witness_moment {
    uint32_t call, pair, position;
} witness_moment;

static int by_moment(const void *a, const void *b) {
    const witness_moment *x = a, *y = b;
    if (x->call != y->call) return x->call < y->call ? -1 : 1;
    if (x->pair != y->pair) return x->pair < y->pair ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Matched operations take effect at one moment, when the later one is called; every other operation when it is called
 * itself. A pending operation without a partner is not used: it may as well not have happened. */
static uint32_t sort_by_moment(const encoding *e, bool *used, uint32_t *sorted) {
    uint32_t n = e->p->n;
    witness_moment *all = MEM_ARRAY(witness_moment, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = (witness_moment){e->order.call[i], i, i};
        used[i] = !is_pending(e, i);
    }
    for (uint32_t k = 0; k < e->pairs; k++) {
        const matched_pair *t = &e->pair[k];
        if (!cnf_true(&e->cnf, t->chosen) || !cnf_true(&e->cnf, e->used[t->x]) || !cnf_true(&e->cnf, e->used[t->y]))
            continue;
        uint32_t later = t->x > t->y ? t->x : t->y;
        all[t->x].call = all[t->y].call = e->order.call[later];
        all[t->x].pair = all[t->y].pair = later;
        used[t->x] = used[t->y] = true;
    }
    qsort(all, n, sizeof *all, by_moment);
    for (uint32_t i = 1; i < n; i++) assert(by_moment(&all[i - 1], &all[i]) < 0);
    for (uint32_t i = 0; i < n; i++) sorted[i] = all[i].position;
    free(all);
    return n;
}

static uint32_t sort_by_model(const encoding *e, uint32_t *sorted) {
    return e->sides ? encoding_merge(e, sorted) : overlap_sort(&e->order, &e->cnf, OVERLAP_SIDES - 1, sorted);
}

/* Did the pending operation take effect with this result? Those that only choices speak of have `used` false. */
static bool is_chosen(const encoding *e, const result_choice *c) {
    return cnf_true(&e->cnf, c->chosen) &&
           (e->used[c->position] == LIT_FALSE || cnf_true(&e->cnf, e->used[c->position]));
}

static void make_witness(const encoding *e, outcome *out) {
    const problem *p = e->p;
    bool total = !e->theory || theory_is_total(e->theory), pending = false;
    bool *used = MEM_ARRAY(bool, (size_t)p->n + 1);
    uint32_t *sorted = MEM_ARRAY(uint32_t, (size_t)p->n + 1),
             count = total ? sort_by_model(e, sorted) : sort_by_moment(e, used, sorted);
    value *res = MEM_ARRAY(value, (size_t)p->n + 1);
    for (uint32_t i = 0; i < p->n; i++) {
        if (total) used[i] = cnf_true(&e->cnf, e->used[i]);
        res[i] = is_pending(e, i) ? VALUE_NONE : p->h->res[p->op[i]];
        pending |= used[i] && is_pending(e, i);
    }
    for (uint32_t k = 0; k < e->choices; k++) {
        if (!is_chosen(e, &e->choice[k])) continue;
        used[e->choice[k].position] |= total;
        res[e->choice[k].position] = e->choice[k].res;
    }
    assert(count <= p->n);
    witness *w = &out->witness;
    *w = (witness){.op = MEM_ARRAY(uint32_t, (size_t)p->n + 1), .res = MEM_ARRAY(value, (size_t)p->n + 1)};
    for (uint32_t i = 0; i < count; i++)
        if (used[sorted[i]]) add_to_witness(w, p->op[sorted[i]], res[sorted[i]]);
    FREE_ALL(sorted, used, res);
    bool open = pending && !strcmp(p->o->type->name, "set"); /* their results depend on the order */
    if ((e->theory || open) && !replay_at_once(p, w) && !replay(p, w)) {
        witness_free(w);
        snprintf(out->why, sizeof out->why, "theory %s has a model that is no run of the object",
                 e->theory ? e->theory->name : "set");
        return;
    }
    out->verdict = VERDICT_LINEARIZABLE;
}

/* ---- pattern ---- */

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
static uint32_t positions_of_core(encoding *e, const uint32_t *group, uint32_t groups, const uint32_t *place,
                                  uint32_t *position) {
    bool *needed = MEM_ARRAY(bool, (size_t)groups + 1);
    uint32_t count = 0;
    cnf_core(&e->cnf, needed);
    for (uint32_t i = 0; i < e->p->n; i++) {
        if (group[i] == NO_GROUP || !needed[group[i]]) continue;
        needed[group[i]] = false;
        position[count++] = place[i];
    }
    assert_costly(words_ascend(position, count));
    free(needed);
    return count;
}

/* Folded clauses say no less of a part of a history than of the whole. A theory may, with "for all" inside of "exists",
 * so there the pattern is decided once more. */
static bool question_violates(const symbolic_query *q);
static void question_init(symbolic_query *q, const problem *whole, theory *t);
static void question_free(symbolic_query *q);

static void check_pattern(const symbolic_query *q, outcome *out) {
    problem part = *q->whole;
    symbolic_query again;
    part.op = out->pattern;
    part.n = out->pattern_n;
    question_init(&again, &part, q->theory);
    if (!question_violates(&again)) {
        free(out->pattern);
        out->pattern = NULL;
        out->pattern_n = 0;
    }
    question_free(&again);
}

static void ask_for_core(const symbolic_query *q, outcome *out) {
    uint32_t n = q->p.n, groups, *group = groups_of(q->whole, q->place, n, &groups),
             *position = MEM_ARRAY(uint32_t, (size_t)n + 1);
    encoding e;
    encode(&e, q, group, groups);
    if (!budget_spent(q->p.budget) && !e.cnf.contradiction && cnf_solve(&e.cnf) == CNF_UNSATISFIABLE)
        pattern_from(q->whole, position, positions_of_core(&e, group, groups, q->place, position), out);
    encoding_free(&e);
    free(group);
    free(position);
    if (q->theory && out->pattern_n) check_pattern(q, out);
}

static void pattern_of_wrong(const symbolic_query *q, const encoding *e, outcome *out) {
    uint32_t position[CNF_OWNERS];
    if (e->cnf.wrongs == 0) return;
    for (unsigned i = 0; i < e->cnf.wrongs; i++) position[i] = q->place[e->cnf.wrong[i]];
    pattern_from(q->whole, position, e->cnf.wrongs, out);
    if (q->theory && out->pattern_n) check_pattern(q, out);
}

/* ---- the engine ---- */

static void question_init(symbolic_query *q, const problem *whole, theory *t) {
    size_t room = (size_t)whole->n + 1;
    *q = (symbolic_query){.whole = whole,
                          .p = *whole,
                          .theory = t,
                          .op = MEM_ARRAY(uint32_t, room),
                          .place = MEM_ARRAY(uint32_t, room),
                          .call = MEM_ARRAY(uint32_t, room),
                          .ret = MEM_ARRAY(uint32_t, room)};
    uint8_t *needed = MEM_ARRAY(uint8_t, room);
    object_needed(whole->o, whole->h, whole->op, whole->n, needed);
    uint32_t n = 0;
    for (uint32_t i = 0; i < whole->n; i++) {
        if (!needed[i]) continue;
        q->op[n] = whole->op[i];
        q->call[n] = whole->h->call[whole->op[i]];
        q->ret[n] = whole->h->ret[whole->op[i]];
        q->place[n++] = i;
    }
    q->p.op = q->op;
    q->p.n = n;
    assert_costly(words_ascend(q->op, n) && words_ascend(q->place, n) && words_ascend(q->call, n));
    free(needed);
}

static void question_free(symbolic_query *q) { FREE_ALL(q->op, q->place, q->call, q->ret); }

static cnf_answer ask(const symbolic_query *q, encoding *e) {
    encode(e, q, NULL, 0);
    return e->odd || budget_spent(q->p.budget) ? CNF_STOPPED : cnf_solve(&e->cnf);
}

static bool question_violates(const symbolic_query *q) {
    encoding e;
    bool violates = ask(q, &e) == CNF_UNSATISFIABLE;
    encoding_free(&e);
    return violates;
}

/* Of a theory's own object nothing is known of what may be left out, and clauses that depend on groups are many. */
static bool may_leave_some_out(const symbolic_query *q) {
    return !q->theory || q->whole->o->type->leave_out || q->whole->n <= 200;
}

static void answer_question(const symbolic_query *q, outcome *out) {
    encoding e;
    cnf_answer answer = ask(q, &e);
    bool by_constants = e.cnf.contradiction;
    out->steps = e.cnf.clauses;
    if (answer == CNF_SATISFIABLE) make_witness(&e, out);
    if (answer == CNF_UNSATISFIABLE) outcome_violation(out, RANK_NEVER);
    if (answer == CNF_UNSATISFIABLE && by_constants) pattern_of_wrong(q, &e, out);
    if (answer == CNF_STOPPED) {
        outcome_stopped(&q->p, out);
        if (e.odd) snprintf(out->why, sizeof out->why, "the encoding does not know %s", e.odd);
    }
    encoding_free(&e);
    if (answer == CNF_UNSATISFIABLE && !by_constants && may_leave_some_out(q)) ask_for_core(q, out);
}

/* Does a folded encoding fit? */
static bool folds(const problem *p, text *why_not) {
    const encoder *own = encoder_for(p->o);
    const char *odd = own && own->odd ? own->odd(p) : NULL;
    if (!own) text_printf(why_not, "has no folded encoding of object %s", p->o->type->name);
    if (odd) text_printf(why_not, "does not fold %s", odd);
    if (!own || odd) return false;
    if (!strcmp(p->o->type->name, "lock")) return accepts_clients_in_order(p, why_not);
    return inventory_accepts(p, why_not);
}

static bool is_built(text *why_not) {
    if (!cnf_available()) text_add(why_not, "was not built: CaDiCaL (libcadical-dev) was not there");
    return cnf_available();
}

static theory *theory_to_ground(const problem *p, text *why_not) {
    if (p->n > MOST_GROUNDED) {
        text_printf(why_not, "grounds theories for at most %d operations", MOST_GROUNDED);
        return NULL;
    }
    theory *t = theory_for(p->o, p->h, p->op, p->n, why_not);
    if (!t || !t->counts) return t;
    text_add(why_not, "grounds theories without sums and counts");
    theory_free(t);
    return NULL;
}

/* The theory to be grounded; NULL: none, or `*folded`. */
static theory *choose_theory(const problem *p, bool *folded, text *why_not) {
    int64_t wanted = engine_setting_of(&engine_symbolic, p, ENCODING);
    *folded = wanted != ENCODING_GENERIC && folds(p, why_not);
    if (*folded || wanted == ENCODING_FOLDED) return NULL;
    text_clear(why_not);
    return theory_to_ground(p, why_not);
}

bool theory_propagation_refutes(const problem *p, bool *refutes, text *why_not) {
    if (!is_built(why_not)) return false;
    theory *t = theory_to_ground(p, why_not);
    if (!t) return false;
    symbolic_query q;
    question_init(&q, p, t);
    q.only_propagate = true;
    *refutes = question_violates(&q);
    question_free(&q);
    theory_free(t);
    return true;
}

/* A sweep finds contradictions without saying a clause. */
static void say_contradiction(encoding *e) {
    if (!e->cnf.contradiction) return;
    cnf_begin(&e->cnf);
    cnf_end(&e->cnf);
}

bool symbolic_refutation(const problem *p, literals *said, literals *learned, int *variables, text *why_not) {
    symbolic_query q;
    encoding e;
    bool folded, refuted = false;
    if (!is_built(why_not)) return false;
    theory *t = choose_theory(p, &folded, why_not);
    if (!folded && !t) return false;
    literals unused = {0};
    question_init(&q, p, t);
    q.said = said;
    q.learned = learned ? learned : &unused;
    encode(&e, &q, NULL, 0);
    say_contradiction(&e);
    *variables = e.cnf.variables;
    if (e.odd || budget_spent(p->budget)) text_printf(why_not, "stopped: %s", e.odd ? e.odd : "the budget is spent");
    else refuted = !learned || cnf_solve(&e.cnf) == CNF_UNSATISFIABLE;
    encoding_free(&e);
    question_free(&q);
    theory_free(t);
    literals_free(&unused);
    return refuted;
}

static void decide_whole(const symbolic_decider *d, const problem *p, outcome *out) {
    symbolic_query q;
    question_init(&q, p, d->theory);
    answer_question(&q, out);
    question_free(&q);
}

typedef struct symbolic_run {
    const problem *p;
    outcome *out;
} symbolic_run;

static void decide_guarded(void *argument) {
    const symbolic_run *r = argument;
    const problem *p = r->p;
    outcome *out = r->out;
    bool folded, removal = engine_setting_of(&engine_symbolic, p, REMOVAL) != 0;
    text why_not = {0};
    symbolic_decider whole = {decide_whole, choose_theory(p, &folded, &why_not)};
    bool settled = !folded && !whole.theory;
    if (settled) snprintf(out->why, sizeof out->why, "engine symbolic %.120s", text_str(&why_not));
    else if (engine_setting_of(&engine_symbolic, p, WHEN) == AT_RETURNS)
        settled = symbolic_at_returns(p, removal, &whole, out);
    if (!settled) decide_whole(&whole, p, out);
    theory_free(whole.theory);
    text_free(&why_not);
}

static void decide(const problem *p, outcome *out) { cnf_guarded(decide_guarded, &(symbolic_run){p, out}); }

static bool accepts(const problem *p, text *why_not) {
    bool folded;
    if (!is_built(why_not)) return false;
    theory *t = choose_theory(p, &folded, why_not);
    theory_free(t);
    return folded || t;
}

/* Grounded theories can have n^4 clauses. Other engines ask a theory's own object about the whole sequence at every
 * step, which takes longer. */
static bool fits(const problem *p) {
    enum { FOLDED_MOST = 2000, GROUNDED_MOST = 30 };
    if (theory_of_object(p->o)) return p->n <= MOST_GROUNDED && !theory_of_object(p->o)->counts;
    bool folded;
    text why_not = {0};
    theory_free(choose_theory(p, &folded, &why_not));
    text_free(&why_not);
    return p->n <= (folded ? FOLDED_MOST : GROUNDED_MOST);
}

ENGINE_RECORD(engine_symbolic, "symbolic",
              "the object's theory as clauses for a SAT solver: variables for overlapping pairs only",
              .growth = "n * open operations^2 clauses, then the solver; grounded theories: n^4 clauses",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
              .cost = COST_EXPONENTIAL, .fits = fits,
              .settings = {[ENCODING] = {"encoding", "auto folded generic", ENCODING_AUTO, 0, 0,
                                         "folded where there is one, else the theory grounded"},
                           [WHEN] = {"at", "end returns", AT_END, 0, 0,
                                     "asks about the whole history, or at every return"},
                           [REMOVAL] = {"removal", "none delayed", 0, 0, 0, "at every return: what is left out"}},
              .accepts = accepts, .decide = decide);
