/* Pool (multiset whose removes take anything) in linear time, pending operations and empty removes included. The
 * condition, its proof and the witness: docs/proofs/containers.md. */
#include "engine/linear/empties.h"
#include "engine/self_check.h"

#include "base/mem.h"

static bool is_pool(inventory *c, empties *s, outcome *out) {
    for (uint32_t r = 0; r < c->events; r++)
        if (!empties_event(s, r, out) || inventory_stopped(c, r, out)) return false;
    return true;
}

static void assign_tokens(inventory *c, uint32_t n) {
    if (n == 0) return;
    uint32_t count, *left = inventory_left_inside(c, &count);
    assert(n <= count && n <= c->tokens);
    for (uint32_t k = 0; k < n; k++) inventory_assign(c, k, left[k]);
    free(left);
}

/* Adds as late and removes as early as can be; a value whose add and remove overlap goes in and out in one gap. In a
 * gap: removes, empties, such pairs, adds (whose return is the next event). Writes over events that were passed: in
 * place there are never more operations than calls. */
static void make_witness(inventory *c, const empties *s, outcome *out) {
    uint32_t n = 0, *to = c->event;
    for (uint32_t r = 0, k = 0; r < c->events; r++) {
        uint32_t e = c->event[r], x = event_index(e);
        event_kind kind = event_kind_of(e);
        assert(n <= r && (k == s->cuts || s->cut[k].gap >= r));
        if (kind == ADD_RETURN && remove_call(c, x) > r) to[n++] = c->add[x];
        if (kind == REMOVE_CALL && add_return(c, x) < r) to[n++] = c->remove[x];
        for (; k < s->cuts && s->cut[k].gap == r; k++) to[n++] = s->cut[k].position;
        bool both_open = (kind == REMOVE_CALL && add_call(c, x) < r && add_return(c, x) > r) || kind == ADD_CALL_LATE;
        if (both_open) {
            to[n++] = c->add[x];
            to[n++] = c->remove[x];
        }
    }
    assert(n <= c->p->n);
    inventory_witness(c, to, n, out);
    c->event = NULL;
}

static void decide(const problem *p, outcome *out) {
    inventory c;
    if (inventory_init(&c, p, out) == INVENTORY_READY) {
        empties s;
        empties_init(&s, &c);
        if (is_pool(&c, &s, out)) {
            assign_tokens(&c, s.assigned);
            make_witness(&c, &s, out);
        }
        empties_free(&s);
    }
    inventory_free(&c);
}

ENGINE_RECORD(
    engine_pool_linear, "pool-linear",
    "one sweep over the events: nothing comes out that was not inside, no empty remove while something is inside",
    .growth = "n", .objects = "multiset", .needs = NEEDS_DISTINCT,
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN, .cost = COST_NEAR_LINEAR,
    .accepts = inventory_accepts, .decide = decide);
