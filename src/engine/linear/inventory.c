#include "engine/linear/inventory.h"

#include "base/mem.h"
#include "engine/rank_order.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

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

/* ---- what there is ---- */

typedef struct survey {
    uint32_t empties, tokens, pending;
    value_range adds;
} survey;

const char *inventory_odd(const problem *p) {
    const history *h = p->h;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        unsigned role = p->o->type->methods[h->method[op]].role;
        value v = role == ROLE_ADDS && h->arg[0] ? h->arg[0][op] : VALUE_NONE;
        if (v == VALUE_EMPTY || v == VALUE_UNKNOWN) return "an add of 'empty'";
        if (role == ROLE_ADDS && h->res[op] == VALUE_FULL) return "an add that returned 'full'";
        if (role != ROLE_ADDS && (role != ROLE_REMOVES || h->nargs[op]))
            return "an operation that is neither an add nor a remove of anything";
    }
    return NULL;
}

typedef struct operation_columns {
    const uint8_t *method, *nargs;
    const value *arg, *res;
    const uint32_t *ret;
} operation_columns;

static unsigned method_with(const object_type *t, unsigned role) {
    unsigned m = 0;
    while (m < t->method_count && t->methods[m].role != role) m++;
    return m;
}

/* Zero, or there is something this engine does not understand. Adds and removes come in any order, so nothing here
 * branches on which it is: a processor that guesses wrongly every other time would spend most of its time on that. */
static uint32_t survey_columns(survey *s, const operation_columns *c, uint32_t n, unsigned adds, unsigned removes) {
    survey seen = *s;
    uint32_t odd = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t add = -(uint32_t)(c->method[i] == adds), remove = c->method[i] == removes;
        value v = c->arg[i], res = c->res[i], lowest = v | ~add, highest = v & add;
        uint32_t pending = c->ret[i] == RANK_NEVER, empty = res == VALUE_EMPTY;
        uint32_t odd_add =
            (uint32_t)(v == VALUE_EMPTY) | (uint32_t)(v == VALUE_UNKNOWN) | (uint32_t)(res == VALUE_FULL);
        odd |= (add & odd_add) | (~add & ((remove ^ 1) | c->nargs[i]));
        seen.adds.low = lowest < seen.adds.low ? lowest : seen.adds.low;
        seen.adds.high = highest > seen.adds.high ? highest : seen.adds.high;
        seen.adds.n -= add;
        seen.pending += pending;
        seen.empties += ~add & empty;
        seen.tokens += ~add & pending;
    }
    *s = seen;
    return odd;
}

/* The same for operations that are not contiguous: they are copied into arrays first. */
static uint32_t survey_scattered(survey *s, const operation_columns *c, const uint32_t *op, uint32_t n, unsigned adds,
                                 unsigned removes) {
    enum { STRETCH = 512 };
    uint8_t kind[STRETCH], nargs[STRETCH];
    value arg[STRETCH], res[STRETCH];
    uint32_t ret[STRETCH], odd = 0;
    for (uint32_t from = 0, count; from < n; from += count) {
        count = n - from < STRETCH ? n - from : STRETCH;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t i = op[from + k];
            kind[k] = c->method[i];
            nargs[k] = c->nargs[i];
            arg[k] = c->arg[i];
            res[k] = c->res[i];
            ret[k] = c->ret[i];
        }
        odd |= survey_columns(s, &(operation_columns){kind, nargs, arg, res, ret}, count, adds, removes);
    }
    return odd;
}

/* NULL, or what this engine does not understand. */
static const char *survey_part(survey *s, const problem *p) {
    const history *h = p->h;
    unsigned adds = method_with(p->o->type, ROLE_ADDS), removes = method_with(p->o->type, ROLE_REMOVES);
    operation_columns all = {h->method, h->nargs, h->arg[0] ? h->arg[0] : h->res, h->res, h->ret};
    *s = (survey){.adds = {.low = UINT32_MAX}};
    uint32_t odd = p->n == h->n ? survey_columns(s, &all, p->n, adds, removes)
                                : survey_scattered(s, &all, p->op, p->n, adds, removes);
    s->adds.small = value_is_small_int(s->adds.high);
    return odd ? inventory_odd(p) : NULL;
}

/* ---- events in order ---- */

/* The operations that returned, by return: item is the position. */
static ranked *sort_by_return(const problem *p, uint32_t completed, ranked **to_free) {
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)completed);
    uint32_t n = 0;
    *to_free = all;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->h->ret[p->op[i]] != RANK_NEVER) all[n++] = (ranked){p->h->ret[p->op[i]], i};
    assert(n == completed);
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
    assert(next == completed && rank == c->events);
    free(memory);
}

static void rank_events_of(inventory *c, uint32_t pending) {
    const problem *p = c->p;
    c->events = 2 * p->n - pending;
    c->event = MEM_ARRAY(uint32_t, c->events);
    assert(pending <= p->n);
    if (p->n == p->h->n && p->h->events == c->events) {
        c->call = p->h->call;
        c->ret = p->h->ret;
    } else {
        rank_part(c, p->n - pending);
    }
}

/* ---- matching removes with adds: when all is as it should be ---- */

static void place(inventory *c, uint32_t i, uint32_t index, event_kind call, event_kind ret) {
    assert(c->call[i] < c->events && (c->ret[i] == RANK_NEVER || c->ret[i] < c->events));
    c->event[c->call[i]] = event_of(index, call);
    if (c->ret[i] != RANK_NEVER) c->event[c->ret[i]] = event_of(index, ret);
}

/* The call of an add means something only if the remove was called before. */
static void name_add(inventory *c, uint32_t v) {
    c->event[add_call(c, v)] = event_of(v, remove_call(c, v) < add_call(c, v) ? ADD_CALL_LATE : ADD_CALL);
}

static void place_valueless(inventory *c, uint32_t i) {
    if (c->ret[i] == RANK_NEVER) {
        place(c, i, c->tokens, TOKEN_CALL, TOKEN_CALL);
        c->token[c->tokens++] = i;
    } else {
        place(c, i, c->empties, EMPTY_CALL, EMPTY_RETURN);
        c->empty[c->empties++] = i;
    }
}

/* Removes that wait for something. Values that came out before anything that is still to come was called can be
 * forgotten: should they be added again, that is a value of its own (inventory.h). So a table that has to be hashed
 * holds what is inside and not much more, and stays in the cache. */
typedef struct waiting {
    /* positions of removes called before the adds of their values, if there are any */
    uint32_t *early, earlies, early_room;
    uint32_t *out, outs, out_room; /* positions of removes whose values are not forgotten yet */
    uint32_t forgotten;
} waiting;

enum { BATCH = 64 };

static void reserve(uint32_t **list, uint32_t *room, uint32_t n) {
    if (n > *room) *list = MEM_GROW(*list, uint32_t, *room = 2 * n);
}

/* False: something came out that was not inside, everything called up to `now` considered. */
static bool match_early(inventory *c, const value_index *t, waiting *w, uint32_t now) {
    uint32_t kept = 0;
    reserve(&w->out, &w->out_room, w->outs + w->earlies + BATCH);
    for (uint32_t k = 0; k < w->earlies; k++) {
        uint32_t i = w->early[k], v = value_index_find(t, c->p->h->res[c->p->op[i]]);
        if (v == NO_NUMBER && c->ret[i] > now) {
            w->early[kept++] = i;
            continue;
        }
        if (v == NO_NUMBER || is_removed(c, v) || c->ret[i] < add_call(c, v)) return false;
        c->remove[v] = i;
        place(c, i, v, REMOVE_CALL, REMOVE_RETURN);
        name_add(c, v);
        w->out[w->outs++] = i;
    }
    assert(w->outs <= w->out_room);
    w->earlies = kept;
    reserve(&w->early, &w->early_room, kept + BATCH);
    return true;
}

static void forget_batch(inventory *c, value_index *t, waiting *w, uint32_t now, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < w->outs; k++) {
        uint32_t i = w->out[k];
        if (c->ret[i] < now) value_index_forget(t, c->p->h->res[c->p->op[i]]);
        else w->out[kept++] = i;
    }
    assert(w->forgotten + w->outs - kept <= count);
    w->forgotten += w->outs - kept;
    w->outs = kept;
    value_index_reserve(t, count - w->forgotten + BATCH);
}

/* `a` where the mask is all ones, `b` where it is zero: compilers like to make a branch of anything simpler. */
static inline uint32_t *choose_place(uint32_t mask, uint32_t *a, uint32_t *b) {
    uintptr_t wide = (uintptr_t)(intptr_t)(int32_t)mask;
    return (uint32_t *)(((uintptr_t)a & wide) | ((uintptr_t)b & ~wide));
}

/* One pass in the order of the calls, in which adds and removes take the same way (see survey_part). False: a value is
 * added twice, or something came out that was not inside. */
static bool match_in_order(inventory *c, value_index *t, const bool *adds, waiting *w) {
    const history h = *c->p->h;
    const value *column[] = {h.res, h.arg[0] ? h.arg[0] : h.res};
    const uint32_t *part = c->p->op, *call = c->call, *ret = c->ret;
    uint32_t *event = c->event, *add_of = c->add, *remove_of = c->remove;
    uint32_t n = c->p->n, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t op = part[i];
        if ((i & 0xffff) == 0xffff && budget_check_clock(c->p->budget)) return false; /* the other way will notice */
        if (i % BATCH == 0) {
            if (!match_early(c, t, w, call[i])) return false;
            if (!t->dense) forget_batch(c, t, w, call[i], count);
            else w->outs = 0;
        }
        bool add = adds[h.method[op]];
        value v = column[add][op];
        if (v == VALUE_EMPTY || v == VALUE_UNKNOWN) {
            place_valueless(c, i);
            continue;
        }
        uint32_t *number = value_index_at(t, v);
        if (!number) return false;
        uint32_t known = *number, mask = -(uint32_t)add, x = (count & mask) | (known & ~mask);
        if (x == NO_NUMBER) {
            assert(w->earlies < w->early_room);
            w->early[w->earlies++] = i;
            continue;
        }
        assert(w->outs < w->out_room);
        add_of[count] = i; /* if it is not an add, the next one writes over this */
        remove_of[count] = NO_INDEX;
        uint32_t *matched = choose_place(mask, number, &remove_of[x]);
        if (*matched != NO_INDEX) return false;
        *matched = (x & mask) | (i & ~mask);
        count += add;
        w->out[w->outs] = i;
        w->outs += !add;
        uint32_t called = event_of(x, ADD_CALL) | (~mask & REMOVE_CALL);
        event[call[i]] = called;
        if (ret[i] != RANK_NEVER) event[ret[i]] = called + (ADD_RETURN - ADD_CALL);
    }
    c->values = count;
    c->renamed = w->forgotten > 0;
    return match_early(c, t, w, RANK_NEVER);
}

static bool match_quickly(inventory *c, value_index *t, const bool *adds) {
    waiting w = {0};
    bool good = match_in_order(c, t, adds, &w);
    free(w.early);
    free(w.out);
    return good;
}

_Static_assert(REMOVE_RETURN - REMOVE_CALL == ADD_RETURN - ADD_CALL, "a return follows its call in event_kind");
_Static_assert(NO_NUMBER == NO_INDEX, "one comparison finds out that a value was added or removed twice");

/* ---- the same event by event, which finds out what is wrong first, and numbers values that come again ---- */

typedef enum match { MATCH_GOES_ON, MATCH_NOT_INSIDE, MATCH_AMBIGUOUS } match;

static inline match match_call(inventory *c, const value_index *t, uint32_t i, bool adds) {
    const history *h = c->p->h;
    uint32_t op = c->p->op[i], *e = &c->event[c->call[i]];
    if (adds) {
        uint32_t *number = value_index_at(t, h->arg[0] ? h->arg[0][op] : VALUE_NONE);
        if (*number != NO_NUMBER && !is_removed(c, *number)) return MATCH_AMBIGUOUS;
        c->renamed |= *number != NO_NUMBER;
        c->add[c->values] = i;
        c->remove[c->values] = NO_INDEX;
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
        name_add(c, v);
    }
    return MATCH_GOES_ON;
}

/* A remove returned v although, by then, as many had returned v as adds of v had been called. */
static void violation_not_inside(const inventory *c, uint32_t position, outcome *out) {
    bad_pattern s = {0};
    const history *h = c->p->h;
    value v = h->res[c->p->op[position]];
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t op = c->p->op[i];
        bool adds = c->p->o->type->methods[h->method[op]].role == ROLE_ADDS;
        bool is_token = !adds && h->ret[op] == RANK_NEVER; /* not all are known yet */
        if (is_token || (adds ? h->arg[0][op] : h->res[op]) == v) bad_pattern_add(&s, i);
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
    c->renamed = false;
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
    value_index_init_small(&t, &s->adds);
    inventory_answer answer = INVENTORY_READY;
    if (!match_quickly(c, &t, adds)) {
        value_index_free(&t);
        value_index_init(&t, &s->adds);
        answer = match_events(c, &t, adds, out);
    }
    value_index_free(&t);
    return answer;
}

static bool event_is(const inventory *c, uint32_t rank, uint32_t index, event_kind kind) {
    return c->event[rank] == event_of(index, kind);
}

/* The tables and the events say the same of values, empties and tokens; values are numbered by the calls of their
 * adds, no remove takes two of them, and every operation is one of these. */
SELF_CHECK static bool inventory_is_sound(const inventory *c) {
    uint32_t removes = 0;
    bool *is_taken = mem_zero((size_t)c->p->n + 1, sizeof *is_taken), good = true;
    for (uint32_t v = 0; v < c->values && good; v++) {
        good = v == 0 || add_call(c, v - 1) < add_call(c, v);
        event_kind call = remove_call(c, v) < add_call(c, v) ? ADD_CALL_LATE : ADD_CALL;
        good = good && event_is(c, add_call(c, v), v, call);
        if (add_return(c, v) != RANK_NEVER) good = good && event_is(c, add_return(c, v), v, ADD_RETURN);
        if (!is_removed(c, v)) continue;
        good = good && !is_taken[c->remove[v]] && remove_return(c, v) > add_call(c, v) &&
               event_is(c, remove_call(c, v), v, REMOVE_CALL) && event_is(c, remove_return(c, v), v, REMOVE_RETURN) &&
               c->p->h->res[c->p->op[c->remove[v]]] == inventory_value(c, v);
        is_taken[c->remove[v]] = true;
        removes++;
    }
    free(is_taken);
    for (uint32_t k = 0; k < c->empties && good; k++)
        good = event_is(c, c->call[c->empty[k]], k, EMPTY_CALL) && event_is(c, c->ret[c->empty[k]], k, EMPTY_RETURN);
    for (uint32_t k = 0; k < c->tokens && good; k++) good = event_is(c, c->call[c->token[k]], k, TOKEN_CALL);
    return good && words_ascend(c->empty, c->empties) && words_ascend(c->token, c->tokens) &&
           c->values + removes + c->empties + c->tokens == c->p->n;
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
    c->add = MEM_ARRAY(uint32_t, (size_t)s.adds.n + 1);
    c->remove = MEM_ARRAY(uint32_t, (size_t)s.adds.n + 1);
    c->empty = MEM_ARRAY(uint32_t, s.empties);
    c->token = MEM_ARRAY(uint32_t, s.tokens);
    c->taken = MEM_ARRAY(value, s.tokens);
    for (uint32_t k = 0; k < s.tokens; k++) c->taken[k] = VALUE_UNKNOWN;
    inventory_answer answer = match_operations(c, &s, out);
    assert(answer == INVENTORY_DECIDED || (c->values <= s.adds.n && c->empties <= s.empties && c->tokens == s.tokens));
    assert_costly(answer == INVENTORY_DECIDED || inventory_is_sound(c));
    return answer;
}

void inventory_free(inventory *c) {
    budget_refund(c->p->budget, c->charged);
    FREE_ALL(c->own_call, c->own_ret, c->event, c->add, c->remove, c->empty, c->token, c->taken);
}

/* ---- tokens ---- */

value inventory_value(const inventory *c, uint32_t v) {
    const value *arg = c->p->h->arg[0];
    return arg ? arg[c->p->op[c->add[v]]] : VALUE_NONE;
}

void inventory_assign(inventory *c, uint32_t token, uint32_t v) {
    assert(token < c->tokens && !is_removed(c, v) && c->taken[token] == VALUE_UNKNOWN);
    c->remove[v] = c->token[token];
    c->taken[token] = inventory_value(c, v);
    c->event[c->call[c->token[token]]] = event_of(v, REMOVE_CALL);
    name_add(c, v);
}

void inventory_unassign(inventory *c, uint32_t token, uint32_t v) {
    assert(token < c->tokens && c->remove[v] == c->token[token]);
    c->remove[v] = NO_INDEX;
    c->taken[token] = VALUE_UNKNOWN;
    c->event[c->call[c->token[token]]] = event_of(token, TOKEN_CALL);
    name_add(c, v);
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
    assert(n == *count);
    return left;
}

bool inventory_out_of_budget(const inventory *c, outcome *out) {
    if (!budget_check_clock(c->p->budget)) return false;
    out->stopped = budget_why(c->p->budget);
    return true;
}
