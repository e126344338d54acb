#include "support/together_trial.h"

#include "base/mem.h"
#include "generate/generate.h"
#include "support/cmocka.h"

#include <stdlib.h>

const char *const together_objects[] = {
    "exchanger", "elimination",   "write-snapshot",   "write-snapshot(4)", "immediate-snapshot",
    "consensus", "set-agreement", "set-agreement(1)", "renaming",          "renaming(3)",
    NULL,
};

object together_under(const bound *b, criterion_kind kind) {
    object o = *b->o;
    o.criterion = (criterion){.kind = kind, .asked = true};
    return o;
}

/* ---- spoiling ---- */

static value any_result(random_source *r, const history *h, uint32_t i) {
    uint32_t other = random_below(r, h->n);
    if (h->res[other] != VALUE_UNKNOWN && h->method[other] == h->method[i] && random_chance(r, 0.6))
        return h->res[other];
    value_kind kind = value_kind_of(h->values, h->res[i]);
    if (kind == KIND_BOOL) return value_bool(random_chance(r, 0.5));
    if (kind == KIND_INT && (!h->arg[0] || h->arg[0][other] == VALUE_NONE || random_chance(r, 0.5)))
        return value_int(h->values, 1 + random_below(r, 6));
    if (kind != KIND_TUPLE) return random_chance(r, 0.7) && h->arg[0] ? h->arg[0][other] : h->res[i];
    size_t n;
    const value *item = value_as_tuple(h->values, h->res[i], &n);
    value *changed = mem_copy(item, n * sizeof *item);
    if (n) {
        size_t k = random_below(r, (uint32_t)n);
        bool writes = value_as_int(h->values, h->arg[0][other]) == (int64_t)k;
        changed[k] = writes && random_chance(r, 0.7) ? h->arg[1][other] : VALUE_NONE;
    }
    value v = value_tuple(h->values, changed, n);
    free(changed);
    return v;
}

static uint32_t *rank_at(const history *h, uint32_t rank, bool *is_return) {
    for (uint32_t i = 0; i < h->n; i++) {
        *is_return = h->ret[i] == rank;
        if (*is_return) return &h->ret[i];
        if (h->call[i] == rank) return &h->call[i];
    }
    return NULL;
}

/* Two neighbouring events change places, unless both are calls: operations stay in the order of these. */
static bool swap_events(const history *h, uint32_t rank, bool only_weaker) {
    bool first_returns, second_returns;
    uint32_t *first = rank_at(h, rank, &first_returns), *second = rank_at(h, rank + 1, &second_returns);
    if (!first || !second || (!first_returns && !second_returns)) return false;
    if (only_weaker && (!first_returns || second_returns)) return false;
    if (!first_returns && first - h->call == second - h->ret) return false; /* a call and its own return */
    uint32_t swap = *first;
    *first = *second;
    *second = swap;
    return true;
}

bool weaken_order(random_source *r, history *h) {
    uint32_t from = random_below(r, h->events);
    for (uint32_t k = 0; k < h->events; k++)
        if (swap_events(h, (from + k) % h->events, true)) return true;
    return false;
}

static void spoil(random_source *r, history *h) {
    uint32_t i = random_below(r, h->n);
    if (random_chance(r, 0.4)) swap_events(h, random_below(r, h->events), false);
    else if (!history_pending(h, i)) h->res[i] = any_result(r, h, i);
}

bound together_history(random_source *r, const char *object_name, criterion_kind kind, uint32_t operations) {
    error e = {0};
    bound b = {.o = object_open(object_name, NULL, &e)};
    assert_non_null(b.o);
    assert_true(object_relax(b.o, &(criterion){.kind = kind, .asked = true}, &e));
    generate_options g;
    generate_standard(b.o, &g);
    g.operations = 1 + random_below(r, operations);
    g.clients = 1 + random_below(r, 4);
    g.overlap = random_below(r, 5) / 4.0;
    g.pending = random_chance(r, 0.5) ? 0.2 : 0;
    g.duplicates = random_chance(r, 0.3) ? 0.4 : 0;
    g.seed = random_next(r);
    b.h = generate(b.o, &g, &e);
    if (!b.h) fail_msg("%s", e.what);
    if (b.h->n && random_chance(r, 0.6))
        for (uint32_t k = random_below(r, 3) + 1; k--;) spoil(r, b.h);
    return b;
}
