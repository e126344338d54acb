#include "support/criterion_oracle.h"

typedef enum happening { PUT, TAKE, FIND_EMPTY } happening;

typedef struct occurrence {
    happening what;
    value v;
} occurrence;

typedef struct sequence_enumeration {
    const object *o;
    const history *h;
    occurrence at[ENUMERATE_MAX_OPERATIONS]; /* the sequence so far */
    uint32_t n;
    bool (*wanted)(struct sequence_enumeration *e); /* of a whole sequence: true ends the enumeration */
    uint32_t best;
} sequence_enumeration;

/* ---- what is ahead of what ---- */

static uint32_t place_of(const sequence_enumeration *e, happening what, value v) {
    for (uint32_t i = 0; i < e->n; i++)
        if (e->at[i].what == what && e->at[i].v == v) return i;
    return UINT32_MAX;
}

static bool takes_newest(const object *o) {
    for (unsigned m = 0; m < o->type->method_count; m++)
        if (o->type->methods[m].role & ROLE_REMOVES) return o->type->ends[m] == END_RIGHT;
    return false;
}

/* Both are inside. */
static bool ahead(const sequence_enumeration *e, value x, value y) {
    bool older = place_of(e, PUT, x) < place_of(e, PUT, y);
    if (!e->o->type->better) return takes_newest(e->o) ? !older : older;
    int c = e->o->type->better(e->o, x, y);
    return c > 0 || (c == 0 && e->o->type->oldest_among_equals && older);
}

/* Just before place i. */
static bool inside_at(const sequence_enumeration *e, value v, uint32_t i) {
    uint32_t taken = place_of(e, TAKE, v);
    return place_of(e, PUT, v) < i && taken >= i;
}

static uint32_t count_inside(const sequence_enumeration *e, uint32_t i) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < i; k++) count += e->at[k].what == PUT && inside_at(e, e->at[k].v, i);
    return count;
}

/* Every removal after its add, nothing twice, empty only when empty. */
static bool is_bag_run(const sequence_enumeration *e) {
    for (uint32_t i = 0; i < e->n; i++) {
        if (e->at[i].what == TAKE && (place_of(e, TAKE, e->at[i].v) < i || place_of(e, PUT, e->at[i].v) > i))
            return false;
        if (e->at[i].what == FIND_EMPTY && count_inside(e, i)) return false;
    }
    return true;
}

static uint32_t rank_at(const sequence_enumeration *e, uint32_t i, value v) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < i; k++)
        count += e->at[k].what == PUT && e->at[k].v != v && inside_at(e, e->at[k].v, i) && ahead(e, e->at[k].v, v);
    return count;
}

static uint32_t times_overtaken(const sequence_enumeration *e, value v) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->n; i++)
        count += e->at[i].what == TAKE && e->at[i].v != v && inside_at(e, v, i) && ahead(e, v, e->at[i].v);
    return count;
}

/* Nothing that was head before the add at place i still is. */
static bool makes_new_head(const sequence_enumeration *e, uint32_t i) {
    for (uint32_t k = 0; k < i; k++) {
        value v = e->at[k].v;
        if (e->at[k].what != PUT || !inside_at(e, v, i) || rank_at(e, i, v)) continue;
        if (!ahead(e, e->at[i].v, v)) return false;
    }
    return true;
}

/* Removals in a row, up to the one at i, that bypassed one head. */
static uint32_t lateness(const sequence_enumeration *e, uint32_t i) {
    uint32_t count = 0;
    for (uint32_t k = i + 1; k-- > 0;) {
        if (e->at[k].what == PUT && makes_new_head(e, k)) break;
        if (e->at[k].what != TAKE) continue;
        if (rank_at(e, k, e->at[k].v) == 0) break;
        count++;
    }
    return count;
}

static void raise(uint32_t *to, uint32_t n) {
    if (n > *to) *to = n;
}

static sequence_distance measure(const sequence_enumeration *e) {
    sequence_distance d = {0};
    for (uint32_t i = 0; i < e->n; i++) {
        if (e->at[i].what == TAKE) raise(&d.ahead, rank_at(e, i, e->at[i].v));
        if (e->at[i].what == TAKE) raise(&d.late, lateness(e, i));
        if (e->at[i].what == PUT) raise(&d.overtaken, times_overtaken(e, e->at[i].v));
    }
    return d;
}

/* ---- all sequences ---- */

static bool extend(sequence_enumeration *e, uint32_t done);

static bool with(sequence_enumeration *e, uint32_t done, uint32_t i, occurrence what) {
    e->at[e->n++] = what;
    bool found = extend(e, done | 1u << i);
    e->n--;
    return found;
}

/* A pending removal: anything that was added and not removed so far, or nothing was there. */
static bool with_any(sequence_enumeration *e, uint32_t done, uint32_t i) {
    for (uint32_t k = 0; k < e->n; k++)
        if (e->at[k].what == PUT && place_of(e, TAKE, e->at[k].v) == UINT32_MAX &&
            with(e, done, i, (occurrence){TAKE, e->at[k].v}))
            return true;
    return with(e, done, i, (occurrence){FIND_EMPTY, VALUE_EMPTY});
}

static bool go_on_with(sequence_enumeration *e, uint32_t done, uint32_t i) {
    operation op;
    history_operation(e->h, i, &op);
    if (object_method(e->o, &op)->role & ROLE_ADDS) return with(e, done, i, (occurrence){PUT, op.arg[0]});
    if (op.res == VALUE_UNKNOWN) return with_any(e, done, i);
    return with(e, done, i, (occurrence){op.res == VALUE_EMPTY ? FIND_EMPTY : TAKE, op.res});
}

static bool extend(sequence_enumeration *e, uint32_t done) {
    bool complete = true;
    for (uint32_t i = 0; i < e->h->n; i++) complete &= done >> i & 1 || history_pending(e->h, i);
    if (complete && is_bag_run(e) && e->wanted(e)) return true;
    for (uint32_t i = 0; i < e->h->n; i++) {
        bool may = !(done >> i & 1);
        for (uint32_t j = 0; j < e->h->n && may; j++) may = done >> j & 1 || !history_before(e->h, j, i);
        if (may && go_on_with(e, done, i)) return true;
    }
    return false;
}

static bool within_limits(sequence_enumeration *e) {
    sequence_distance d = measure(e);
    const criterion *c = &e->o->criterion;
    switch (c->kind) {
    case CRITERION_LINEARIZABLE: return d.ahead == 0;
    case CRITERION_QUASI: return d.ahead <= c->limit[0] && d.overtaken <= c->limit[1];
    default: return d.ahead <= c->limit[0] && d.late <= c->limit[1];
    }
}

oracle_answer criterion_by_enumeration(const object *o, const history *h) {
    bool known = o->criterion.kind == CRITERION_LINEARIZABLE || o->criterion.kind == CRITERION_QUASI ||
                 o->criterion.kind == CRITERION_OUT_OF_ORDER;
    if (!known || h->n > ENUMERATE_MAX_OPERATIONS || h->key) return ORACLE_GAVE_UP;
    sequence_enumeration e = {.o = o, .h = h, .wanted = within_limits};
    return extend(&e, 0) ? ORACLE_YES : ORACLE_NO;
}

static bool keep_best(sequence_enumeration *e) {
    sequence_distance d = measure(e);
    uint32_t k = d.ahead > d.overtaken ? d.ahead : d.overtaken;
    if (k < e->best) e->best = k;
    return k == 0;
}

bool quasi_by_enumeration(const object *o, const history *h, uint32_t *k) {
    if (h->n > ENUMERATE_MAX_OPERATIONS || h->key) return false;
    sequence_enumeration e = {.o = o, .h = h, .wanted = keep_best, .best = UINT32_MAX};
    extend(&e, 0);
    *k = e.best;
    return e.best != UINT32_MAX;
}
