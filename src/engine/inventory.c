#include "engine/inventory.h"

#include "base/mem.h"
#include "engine/rank_order.h"
#include "engine/value_index.h"

#include <stdio.h>
#include <string.h>

bool inventory_accepts(const problem *p, text *why_not) {
    for (unsigned i = 0; i < OBJECT_PARAMETERS; i++) {
        const parameter *limit = &p->o->type->parameters[i];
        if (!limit->name || strcmp(limit->name, "capacity") != 0 || p->o->parameter[i] == 0) continue;
        text_add(why_not, "does not know capacities");
        return false;
    }
    if (p->n > INVENTORY_MAX_OPERATIONS) {
        text_printf(why_not, "takes at most %d operations at once", INVENTORY_MAX_OPERATIONS);
        return false;
    }
    return true;
}

/* ---- what there is ------------------------------------------------------------------------------------------------- */

typedef struct survey {
    uint32_t empties, tokens, pending;
    value_range adds;
} survey;

static const char *survey_add(survey *s, const history *h, uint32_t op) {
    value v = h->arg[0] ? h->arg[0][op] : VALUE_NONE;
    if (v == VALUE_EMPTY || v == VALUE_UNKNOWN) return "an add of 'empty'";
    if (h->res[op] == VALUE_FULL) return "an add that returned 'full'";
    value_range_add(&s->adds, v);
    return NULL;
}

/* NULL, or what this engine does not understand. */
static const char *survey_part(survey *s, const problem *p) {
    const history *h = p->h;
    const method *methods = p->o->type->methods;
    *s = (survey){0};
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        const method *m = &methods[h->method[op]];
        s->pending += h->ret[op] == RANK_NEVER;
        if (m->role == ROLE_ADDS) {
            const char *odd = survey_add(s, h, op);
            if (odd) return odd;
        } else if (m->role == ROLE_REMOVES && h->nargs[op] == 0) {
            s->empties += h->res[op] == VALUE_EMPTY;
            s->tokens += h->ret[op] == RANK_NEVER;
        } else {
            return "an operation that is neither an add nor a remove of anything";
        }
    }
    return NULL;
}

/* ---- events in order ------------------------------------------------------------------------------------------------ */

/* The operations that returned, by return: item is the position. */
static ranked *sort_by_return(const problem *p, uint32_t completed, ranked **to_free) {
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)completed);
    uint32_t n = 0;
    *to_free = all;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->h->ret[p->op[i]] != RANK_NEVER) all[n++] = (ranked){p->h->ret[p->op[i]], i};
    return rank_order(all, all + completed, completed);
}

/* Ranks of the part alone: its calls merged with its returns. */
static void rank_part(inventory *c, uint32_t completed) {
    const problem *p = c->p;
    c->call = c->own_call = MEM_ARRAY(uint32_t, p->n);
    c->ret = c->own_ret = MEM_ARRAY(uint32_t, p->n);
    ranked *memory, *by_return = sort_by_return(p, completed, &memory);
    uint32_t rank = 0, next = 0;
    for (uint32_t i = 0; i <= p->n; i++) {
        uint32_t until = i < p->n ? p->h->call[p->op[i]] : RANK_NEVER;
        for (; next < completed && by_return[next].rank < until; next++) c->own_ret[by_return[next].item] = rank++;
        if (i == p->n) break;
        c->own_call[i] = rank++;
        if (p->h->ret[p->op[i]] == RANK_NEVER) c->own_ret[i] = RANK_NEVER;
    }
    free(memory);
}

static void rank_events_of(inventory *c, uint32_t pending) {
    const problem *p = c->p;
    c->events = 2 * p->n - pending;
    c->event = MEM_ARRAY(uint32_t, c->events);
    if (p->n == p->h->n && p->h->events == c->events) {
        c->call = p->h->call;
        c->ret = p->h->ret;
    } else {
        rank_part(c, p->n - pending);
    }
}

/* ---- matching removes with adds: when all is as it should be ---------------------------------------------------------- */

enum { AHEAD = 16 };

static void place(inventory *c, uint32_t i, uint32_t index, event_kind call, event_kind ret) {
    c->event[c->call[i]] = event_of(index, call);
    if (c->ret[i] != RANK_NEVER) c->event[c->ret[i]] = event_of(index, ret);
}

/* Adds, tokens and empties. False: a value is added twice. */
static bool number_adds(inventory *c, const value_index *t, const bool *adds) {
    const history *h = c->p->h;
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t op = c->p->op[i];
        if (h->arg[0] && i + AHEAD < c->p->n) value_index_prefetch(t, h->arg[0][c->p->op[i + AHEAD]]);
        if (adds[h->method[op]]) {
            uint32_t *number = value_index_at(t, h->arg[0] ? h->arg[0][op] : VALUE_NONE);
            if (*number != NO_NUMBER) return false;
            place(c, i, c->values, ADD_CALL, ADD_RETURN);
            c->add[c->values] = i;
            c->remove[c->values] = NOBODY;
            *number = c->values++;
        } else if (h->res[op] == VALUE_EMPTY) {
            place(c, i, c->empties, EMPTY_CALL, EMPTY_RETURN);
            c->empty[c->empties++] = i;
        } else if (c->ret[i] == RANK_NEVER) {
            place(c, i, c->tokens, TOKEN_CALL, TOKEN_CALL);
            c->token[c->tokens++] = i;
        }
    }
    return true;
}

/* False: something came out that was not inside. */
static bool match_removes(inventory *c, const value_index *t, const bool *adds) {
    const history *h = c->p->h;
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t op = c->p->op[i];
        if (i + AHEAD < c->p->n) value_index_prefetch(t, h->res[c->p->op[i + AHEAD]]);
        if (adds[h->method[op]] || h->res[op] == VALUE_EMPTY || c->ret[i] == RANK_NEVER) continue;
        uint32_t v = value_index_find(t, h->res[op]);
        if (v == NO_NUMBER || is_removed(c, v) || c->ret[i] < add_call(c, v)) return false;
        c->remove[v] = i;
        place(c, i, v, REMOVE_CALL, REMOVE_RETURN);
    }
    return true;
}

/* ---- the same event by event, which finds out what is wrong first, and numbers values that come again -------------------- */

typedef enum match { MATCH_GOES_ON, MATCH_NOT_INSIDE, MATCH_AMBIGUOUS } match;

static inline match match_call(inventory *c, const value_index *t, uint32_t i, bool adds) {
    const history *h = c->p->h;
    uint32_t op = c->p->op[i], *e = &c->event[c->call[i]];
    if (adds) {
        uint32_t *number = value_index_at(t, h->arg[0] ? h->arg[0][op] : VALUE_NONE);
        if (*number != NO_NUMBER && !is_removed(c, *number)) return MATCH_AMBIGUOUS;
        c->renamed |= *number != NO_NUMBER;
        c->add[c->values] = i;
        c->remove[c->values] = NOBODY;
        *e = event_of(c->values, ADD_CALL);
        *number = c->values++;
    } else if (h->ret[op] == RANK_NEVER) {
        *e = event_of(c->tokens, TOKEN_CALL);
        c->token[c->tokens++] = i;
    } else if (h->res[op] == VALUE_EMPTY) {
        *e = event_of(c->empties, EMPTY_CALL);
        c->empty[c->empties++] = i;
    }
    return MATCH_GOES_ON; /* the call of any other remove is about a value not known yet */
}

static inline match match_return(inventory *c, const value_index *t, uint32_t i, bool adds) {
    uint32_t op = c->p->op[i], *called = &c->event[c->call[i]], *e = &c->event[c->ret[i]];
    if (adds) {
        *e = event_of(event_index(*called), ADD_RETURN);
    } else if (c->p->h->res[op] == VALUE_EMPTY) {
        *e = event_of(event_index(*called), EMPTY_RETURN);
    } else {
        uint32_t v = value_index_find(t, c->p->h->res[op]);
        if (v == NO_NUMBER || is_removed(c, v)) return MATCH_NOT_INSIDE;
        c->remove[v] = i;
        *called = event_of(v, REMOVE_CALL);
        *e = event_of(v, REMOVE_RETURN);
    }
    return MATCH_GOES_ON;
}

/* A remove returned v although, by then, as many had returned v as adds of v had been called. */
static void violation_not_inside(const inventory *c, uint32_t position, outcome *out) {
    pattern s = {0};
    const history *h = c->p->h;
    value v = h->res[c->p->op[position]];
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t op = c->p->op[i];
        bool adds = c->p->o->type->methods[h->method[op]].role == ROLE_ADDS;
        bool is_token = !adds && h->ret[op] == RANK_NEVER; /* not all are known yet */
        if (is_token || (adds ? h->arg[0][op] : h->res[op]) == v) pattern_add(&s, i);
    }
    inventory_violation(c, &s, position, out);
}

static void say_ambiguous(const inventory *c, uint32_t position, outcome *out) {
    text v = {0};
    value_print(c->p->h->values, c->p->h->arg[0] ? c->p->h->arg[0][c->p->op[position]] : VALUE_NONE, &v);
    snprintf(out->why, sizeof out->why, "value %.60s is added again while it may be inside", text_str(&v));
    text_free(&v);
}

static inventory_answer match_events(inventory *c, const value_index *t, const bool *adds, outcome *out) {
    c->values = c->empties = c->tokens = 0;
    for (uint32_t i = 0; i < c->p->n; i++) { /* for now an event is 2 * position, +1 for a return */
        c->event[c->call[i]] = 2 * i;
        if (c->ret[i] != RANK_NEVER) c->event[c->ret[i]] = 2 * i + 1;
    }
    for (uint32_t r = 0; r < c->events; r++) {
        uint32_t e = c->event[r], i = e / 2;
        bool is_add = adds[c->p->h->method[c->p->op[i]]];
        match m = e & 1 ? match_return(c, t, i, is_add) : match_call(c, t, i, is_add);
        if (m == MATCH_NOT_INSIDE) violation_not_inside(c, i, out);
        if (m == MATCH_AMBIGUOUS) say_ambiguous(c, i, out);
        if (m != MATCH_GOES_ON || inventory_stopped(c, r, out)) return INVENTORY_DECIDED;
    }
    return INVENTORY_READY;
}

static inventory_answer match_operations(inventory *c, const survey *s, outcome *out) {
    bool adds[OBJECT_METHODS];
    for (unsigned m = 0; m < c->p->o->type->method_count; m++) adds[m] = c->p->o->type->methods[m].role == ROLE_ADDS;
    value_index t;
    value_index_init(&t, &s->adds);
    inventory_answer answer = INVENTORY_READY;
    if (!number_adds(c, &t, adds) || !match_removes(c, &t, adds)) {
        value_index_free(&t);
        value_index_init(&t, &s->adds);
        answer = match_events(c, &t, adds, out);
    }
    value_index_free(&t);
    return answer;
}

inventory_answer inventory_init(inventory *c, const problem *p, outcome *out) {
    enum { BYTES_PER_OPERATION = 20 };
    *c = (inventory){.p = p};
    survey s;
    const char *odd = survey_part(&s, p);
    if (odd) {
        snprintf(out->why, sizeof out->why, "the history has %s", odd);
        return INVENTORY_DECIDED;
    }
    c->charged = (size_t)p->n * BYTES_PER_OPERATION;
    budget_charge(p->budget, c->charged);
    if (budget_spent(p->budget)) {
        out->stopped = budget_why(p->budget);
        return INVENTORY_DECIDED;
    }
    rank_events_of(c, s.pending);
    c->add = MEM_ARRAY(uint32_t, s.adds.n);
    c->remove = MEM_ARRAY(uint32_t, s.adds.n);
    c->empty = MEM_ARRAY(uint32_t, s.empties);
    c->token = MEM_ARRAY(uint32_t, s.tokens);
    c->taken = MEM_ARRAY(value, s.tokens);
    for (uint32_t k = 0; k < s.tokens; k++) c->taken[k] = VALUE_UNKNOWN;
    return match_operations(c, &s, out);
}

void inventory_free(inventory *c) {
    budget_refund(c->p->budget, c->charged);
    free(c->own_call);
    free(c->own_ret);
    free(c->event);
    free(c->add);
    free(c->remove);
    free(c->empty);
    free(c->token);
    free(c->taken);
}

/* ---- tokens ---------------------------------------------------------------------------------------------------------- */

value inventory_value(const inventory *c, uint32_t v) {
    const value *arg = c->p->h->arg[0];
    return arg ? arg[c->p->op[c->add[v]]] : VALUE_NONE;
}

void inventory_assign(inventory *c, uint32_t token, uint32_t v) {
    c->remove[v] = c->token[token];
    c->taken[token] = inventory_value(c, v);
    c->event[c->call[c->token[token]]] = event_of(v, REMOVE_CALL);
}

void inventory_unassign(inventory *c, uint32_t token, uint32_t v) {
    c->remove[v] = NOBODY;
    c->taken[token] = VALUE_UNKNOWN;
    c->event[c->call[c->token[token]]] = event_of(token, TOKEN_CALL);
}

uint32_t *inventory_left_inside(const inventory *c, uint32_t *count) {
    uint32_t n = 0;
    for (uint32_t v = 0; v < c->values; v++) n += !is_removed(c, v) && !is_dropped(c, v);
    uint32_t *left = MEM_ARRAY(uint32_t, n);
    *count = n;
    n = 0;
    for (uint32_t r = 0; r < c->events; r++) {
        uint32_t e = c->event[r];
        if (event_kind_of(e) == ADD_RETURN && !is_removed(c, event_index(e))) left[n++] = event_index(e);
    }
    return left;
}

bool inventory_out_of_budget(const inventory *c, outcome *out) {
    if (!budget_check_clock(c->p->budget)) return false;
    out->stopped = budget_why(c->p->budget);
    return true;
}
