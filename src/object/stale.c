/* stale(k): a read returns what is held, or one of the k values that were held before it (docs/CRITERIA.md, "stale").
 * Writes, compare-and-sets and swaps work on what is held. A write of what is there already makes no new version.
 *
 * State: the versions, newest first, at most k + 1. */
#include "object/relax.h"

#include <assert.h>

static const object_type *strict_type(const object *o) {
    assert(o->strict);
    return o->strict;
}

static bool is_read(const object *o, const operation *op) {
    const method *m = object_method(o, op);
    return m->role & ROLE_OBSERVES && m->result == RESULT_VALUE;
}

static step_result step_version(const object *o, value *held, const operation *op, value *res) {
    state one = {0};
    state_set(&one, held, 1);
    step_result r = strict_type(o)->step(o, &one, op, 0, res);
    *held = one.w[0];
    state_free(&one);
    return r;
}

/* A read whose result is not known may have returned any version: each is a choice. */
static step_result step_read(const object *o, const state *s, const operation *op, uint32_t choice, value *res) {
    if (op->res == VALUE_UNKNOWN) {
        if (choice >= s->n) return STEP_ILLEGAL;
        value held = s->w[choice];
        step_version(o, &held, op, res);
        return choice + 1 < s->n ? STEP_LEGAL_MORE : STEP_LEGAL;
    }
    for (uint32_t i = 0; i < s->n && !choice; i++) {
        value held = s->w[i];
        if (step_version(o, &held, op, res) == STEP_LEGAL) return STEP_LEGAL;
    }
    return STEP_ILLEGAL;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    assert(s->n >= 1 && s->n <= o->criterion.limit[0] + 1);
    if (is_read(o, op)) return step_read(o, s, op, choice, res);
    if (choice) return STEP_ILLEGAL;
    value held = s->w[0];
    if (step_version(o, &held, op, res) == STEP_ILLEGAL) return STEP_ILLEGAL;
    if (held == s->w[0]) return STEP_LEGAL;
    state_insert(s, 0, held);
    if (s->n > o->criterion.limit[0] + 1) s->n--;
    return STEP_LEGAL;
}

static void describe(const object *o, const state *s, text *out) {
    value_print(o->values, s->w[0], out);
    for (uint32_t i = 1; i < s->n; i++) {
        text_add(out, i == 1 ? " (before: " : ", ");
        value_print(o->values, s->w[i], out);
    }
    if (s->n > 1) text_char(out, ')');
}

/* Only reads may leave: without a write, what is read would be more recent, but what leaves together by value or in
 * stretches of time may be what a later read still returns. */
void relax_stale(object_type *t) {
    t->step = step;
    t->describe = describe;
    t->why_not = NULL;
    t->leave_out = NULL;
    t->settle = NULL;
    t->by_value = false;
}
