#include "observe/labels.h"

#include <assert.h>
#include <string.h>

typedef struct thing {
    value v;
    uint32_t client;
    uint8_t inserts, removes;
} thing;

typedef struct making {
    labels *l;
    const observed *x;
    labels_family f;
    thing thing[LABELS_THINGS];
} making;

static const struct {
    const char *object;
    labels_family family;
} families[] = {{"queue", FAMILY_CONTAINER},
                {"stack", FAMILY_CONTAINER},
                {"register", FAMILY_REGISTER},
                {"lock", FAMILY_LOCK},
                {"set", FAMILY_SET}};
enum { FAMILIES = sizeof families / sizeof *families };

static unsigned family_index(const object *o) {
    unsigned i = 0;
    while (i < FAMILIES && strcmp(families[i].object, o->type->name)) i++;
    return i;
}

labels_family labels_family_of(const object *o) { return families[family_index(o)].family; }

bool labels_fit(const object *o, text *why_not) {
    unsigned i = family_index(o);
    if (i == FAMILIES) {
        text_printf(why_not, "there are bad patterns for queue, stack, register, lock and set, not for %s",
                    o->type->name);
        return false;
    }
    if (families[i].family != FAMILY_CONTAINER || o->parameter[0] == 0) return true;
    text_printf(why_not, "the bad patterns of a %s are those of one without capacity", o->type->name);
    return false;
}

/* ---- things ---- */

static bool new_thing(making *m, value v, uint32_t client, bool miss, uint8_t *out) {
    labels *l = m->l;
    if (l->things == LABELS_THINGS) return false;
    m->thing[l->things] = (thing){.v = v, .client = client};
    l->is_miss[l->things] = miss;
    *out = (uint8_t)l->things++;
    return true;
}

static bool thing_of_value(making *m, value v, uint8_t *out) {
    for (uint32_t t = 0; t < m->l->things; t++)
        if (!m->l->is_miss[t] && m->thing[t].v == v) {
            *out = (uint8_t)t;
            return true;
        }
    return new_thing(m, v, 0, false, out);
}

static bool refuse(text *why, const char *what) {
    text_add(why, what);
    return false;
}

static bool take(making *m, uint32_t i, pattern_role role, uint8_t t, text *why) {
    assert(t < m->l->things && m->l->of[i] == NO_THING && m->l->is_miss[t] == (role == DOES_MISS));
    m->l->role[i] = (uint8_t)role;
    m->l->of[i] = t;
    if (role == DOES_REMOVE) m->thing[t].removes++;
    if (role == DOES_INSERT && m->thing[t].inserts++)
        return refuse(why, "a value is inserted twice: patterns tell operations apart by their values");
    return true;
}

static bool classify_container(making *m, uint32_t i, text *why) {
    const operation *op = &m->x->op[i];
    bool adds = object_method(m->x->o, op)->role & ROLE_ADDS;
    uint8_t t;
    if (!adds && op->res == VALUE_UNKNOWN) return m->l->pending_remove[i] = true;
    if (!adds && op->res == VALUE_EMPTY)
        return new_thing(m, VALUE_NONE, 0, true, &t) ? take(m, i, DOES_MISS, t, why) : refuse(why, "too many values");
    if (!thing_of_value(m, adds ? op->arg[0] : op->res, &t)) return refuse(why, "too many values");
    return take(m, i, adds ? DOES_INSERT : DOES_REMOVE, t, why);
}

static bool classify_register(making *m, uint32_t i, text *why) {
    const operation *op = &m->x->op[i];
    bool writes = op->nargs > 0;
    uint8_t t;
    if (!writes && op->res == VALUE_UNKNOWN) return true;
    if (!thing_of_value(m, writes ? op->arg[0] : op->res, &t)) return refuse(why, "too many values");
    return take(m, i, writes ? DOES_INSERT : DOES_REMOVE, t, why);
}

/* Where stamps are equal, operations of one client may overlap: then it cannot be said which unlock ends which
 * section. */
static bool clients_take_turns(const observed *x) {
    for (uint32_t e = 0, open = 0; e < x->events; e++) {
        uint32_t i = x->event[e].op;
        if (x->event[e].what == OBSERVED_RETURN) open &= ~(1u << i);
        if (x->event[e].what != OBSERVED_CALL) continue;
        for (uint32_t rest = open; rest; rest &= rest - 1)
            if (x->op[__builtin_ctz(rest)].client == x->op[i].client) return false;
        open |= 1u << i;
    }
    return true;
}

/* A section is a lock and the next unlock of the same client. */
static bool classify_lock(making *m, uint32_t i, text *why) {
    const operation *op = &m->x->op[i];
    const char *name = object_method(m->x->o, op)->name;
    bool unlocks = !strcmp(name, "unlock");
    uint8_t t = NO_THING;
    if (op->res == VALUE_FALSE) return refuse(why, "there is no pattern for a trylock that fails");
    if (!unlocks && op->res == VALUE_UNKNOWN) return true;
    for (uint32_t k = 0; k < m->l->things && unlocks; k++)
        if (m->thing[k].client == op->client && m->thing[k].inserts && !m->thing[k].removes) t = (uint8_t)k;
    if (t == NO_THING && !new_thing(m, VALUE_NONE, op->client, false, &t)) return refuse(why, "too many sections");
    return take(m, i, unlocks ? DOES_REMOVE : DOES_INSERT, t, why);
}

/* What an operation on an element was is for its result to say; an add that has not returned may have added. */
static bool classify_set(making *m, uint32_t i, text *why) {
    const operation *op = &m->x->op[i];
    const char *name = object_method(m->x->o, op)->name;
    bool adds = !strcmp(name, "add"), removes = !strcmp(name, "remove"), pending = op->res == VALUE_UNKNOWN;
    uint8_t t;
    if (op->res == VALUE_NONE) return refuse(why, "an add or a remove does not say whether it changed anything");
    m->l->pending_remove[i] = pending && removes;
    if (pending && !adds) return true;
    bool yes = pending || op->res == VALUE_TRUE;
    if (!adds && !yes)
        return new_thing(m, VALUE_NONE, 0, true, &t) ? take(m, i, DOES_MISS, t, why) : refuse(why, "too many values");
    if (!thing_of_value(m, op->arg[0], &t)) return refuse(why, "too many values");
    return take(m, i, adds && yes ? DOES_INSERT : removes ? DOES_REMOVE : DOES_SEE, t, why);
}

/* ---- events ---- */

static void emit(making *m, bool returns, pattern_role role, uint32_t t) {
    assert(m->l->n < LABELS_MAX && t < m->l->things && role < PATTERN_ROLES);
    m->l->at[m->l->n++] = (label){.returns = returns, .role = (uint8_t)role, .thing = (uint8_t)t};
}

static bool is_left(const making *m, uint32_t t) {
    return !m->l->is_miss[t] && m->thing[t].inserts && !m->thing[t].removes;
}

/* A pending remove may have taken any value that is left: from its call on none of them is certainly inside. */
static void emit_possible_removes(making *m) {
    if (m->l->open_removes) return;
    for (uint32_t t = 0; t < m->l->things; t++)
        if (is_left(m, t)) {
            emit(m, false, DOES_REMOVE, t);
            m->l->open_removes = true;
        }
}

/* The initial value was written before everything. */
static void emit_initial(making *m) {
    uint8_t t;
    for (t = 0; m->f == FAMILY_REGISTER && t < m->l->things; t++)
        if (m->thing[t].v == m->x->o->init && !m->thing[t].inserts) {
            m->thing[t].inserts = 1;
            m->l->initial = t;
            emit(m, false, DOES_INSERT, t);
            emit(m, true, DOES_INSERT, t);
        }
}

/* What is still inside is removed after the end, what was never inserted is inserted then. */
static void emit_end(making *m) {
    for (uint32_t t = 0; t < m->l->things; t++) {
        if (m->l->is_miss[t]) continue;
        if (!m->thing[t].inserts) emit(m, false, DOES_INSERT, t);
        if (m->f != FAMILY_REGISTER && is_left(m, t) && !m->l->open_removes) emit(m, false, DOES_REMOVE, t);
    }
}

static void mark_first_and_last(labels *l) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < l->n; seen |= 1u << l->at[i++].thing) l->at[i].is_first = !(seen >> l->at[i].thing & 1);
    seen = 0;
    for (uint32_t i = l->n; i-- > 0; seen |= 1u << l->at[i].thing) l->at[i].is_last = !(seen >> l->at[i].thing & 1);
}

/* Of every thing one label is the first and one the last; labels of one event follow those of the event before. */
#ifdef PLUMB_SELF_CHECKS
static void check_labels(const labels *l, uint32_t events) {
    uint32_t begun = 0, over = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const uint32_t bit = 1u << l->at[i].thing;
        assert(!(over & bit) && l->at[i].is_first == !(begun & bit));
        begun |= bit;
        if (l->at[i].is_last) over |= bit;
    }
    assert(begun == over);
    for (uint32_t e = 0; e <= events; e++) assert(l->end[e] <= l->n && (!e || l->end[e - 1] <= l->end[e]));
}
#else
static void check_labels(const labels *l, uint32_t events) { (void)l, (void)events; }
#endif

bool labels_make(labels *l, const observed *x, text *why) {
    static bool (*const classify[])(making *, uint32_t, text *) = {[FAMILY_CONTAINER] = classify_container,
                                                                   [FAMILY_REGISTER] = classify_register,
                                                                   [FAMILY_LOCK] = classify_lock,
                                                                   [FAMILY_SET] = classify_set};
    making m = {.l = l, .x = x, .f = labels_family_of(x->o)};
    *l = (labels){.initial = NO_THING};
    memset(l->of, NO_THING, sizeof l->of);
    for (uint32_t i = 0; i < x->n; i++)
        if (!classify[m.f](&m, i, why)) return false;
    if (m.f == FAMILY_LOCK && !clients_take_turns(x)) return refuse(why, "operations of one client overlap");
    if (m.f == FAMILY_REGISTER)
        for (uint32_t t = 0; t < l->things; t++)
            if (m.thing[t].v == x->o->init && m.thing[t].inserts)
                return refuse(why, "the initial value is written again");
    emit_initial(&m);
    for (uint32_t e = 0; e < x->events; e++) {
        uint32_t i = x->event[e].op;
        if (x->event[e].what == OBSERVED_CALL && l->pending_remove[i]) emit_possible_removes(&m);
        if (x->event[e].what != OBSERVED_POINT && l->of[i] != NO_THING)
            emit(&m, x->event[e].what == OBSERVED_RETURN, (pattern_role)l->role[i], l->of[i]);
        l->end[e] = l->n;
    }
    emit_end(&m);
    l->end[x->events] = l->n;
    mark_first_and_last(l);
    check_labels(l, x->events);
    return true;
}
