/* producer-fifo: a queue that keeps the order of each producer's values and no other (docs/CRITERIA.md,
 * "producer-fifo"): a dequeue takes the oldest value of any producer, `empty` only when there is none.
 *
 * State: producer and value of each element, by producer, each producer's from oldest to newest. */
#include "object/client_check.h"
#include "object/relax.h"

#include <assert.h>

enum { PRODUCER, VALUE, WIDTH };

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static uint32_t count(const object *o, const state *s) {
    (void)o;
    assert(s->n % WIDTH == 0);
    return s->n / WIDTH;
}

static step_result step_enq(const object *o, state *s, const operation *op, value *res) {
    bool full = relax_is_full(o, count(o, s));
    *res = full ? VALUE_FULL : VALUE_NONE;
    if (!operation_fits(op, *res)) return STEP_ILLEGAL;
    uint32_t at = 0;
    while (at < s->n && s->w[at + PRODUCER] <= op->client) at += WIDTH;
    if (full) return STEP_LEGAL;
    state_insert(s, at, op->client);
    state_insert(s, at + VALUE, op->arg[0]);
    return STEP_LEGAL;
}

static bool is_oldest(const state *s, uint32_t at) {
    return at == 0 || s->w[at - WIDTH + PRODUCER] != s->w[at + PRODUCER];
}

/* The choice-th that may leave and fits; s->n: there is none. */
static uint32_t find_choice(const state *s, const operation *op, uint32_t choice) {
    uint32_t at = 0;
    for (; at < s->n; at += WIDTH)
        if (is_oldest(s, at) && operation_fits(op, s->w[at + VALUE]) && choice-- == 0) break;
    return at;
}

static step_result step_deq(state *s, const operation *op, uint32_t choice, value *res) {
    *res = VALUE_EMPTY;
    if (s->n == 0) return step_if(choice == 0 && operation_fits(op, *res));
    uint32_t at = find_choice(s, op, choice);
    if (at == s->n) return STEP_ILLEGAL;
    bool more = find_choice(s, op, choice + 1) < s->n;
    *res = s->w[at + VALUE];
    state_remove(s, at + VALUE);
    state_remove(s, at);
    return more ? STEP_LEGAL_MORE : STEP_LEGAL;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (object_method(o, op)->role & ROLE_REMOVES) return step_deq(s, op, choice, res);
    return choice ? STEP_ILLEGAL : step_enq(o, s, op, res);
}

static void describe(const object *o, const state *s, text *out) {
    text_char(out, '[');
    for (uint32_t i = 0; i < s->n; i += WIDTH) {
        if (i) text_add(out, is_oldest(s, i) ? " | " : " ");
        value_print(o->values, s->w[i + VALUE], out);
    }
    text_char(out, ']');
}

/* What deals with one value may leave together, as in a queue: the others keep their producers' order. */
void relax_producer_fifo(object_type *t) {
    t->init = init;
    t->elements = count;
    t->step = step;
    t->describe = describe;
    t->why_not = NULL;
    t->sees_clients = true;
    t->check = check_clients;
}
