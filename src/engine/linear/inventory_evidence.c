/* From what an engine found to the outcome it reports: witnesses and patterns in terms of the history's operations. */
#include "engine/linear/inventory.h"
#include "engine/self_check.h"

#include "base/mem.h"
#include "object/about.h"

static value pending_result(const inventory *c, uint32_t position) {
    uint32_t low = 0, high = c->tokens;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->token[middle] < position) low = middle + 1;
        else high = middle;
    }
    assert(low == c->tokens || c->token[low] >= position);
    return low < c->tokens && c->token[low] == position ? c->taken[low] : VALUE_NONE;
}

static void name_operations(const problem *p, uint32_t *position, uint32_t n) {
    if (p->n && p->op[p->n - 1] == p->n - 1) return; /* ascending: positions are operations */
    for (uint32_t i = 0; i < n; i++) position[i] = p->op[position[i]];
}

static value *results(const inventory *c, const uint32_t *position, uint32_t n) {
    const history *h = c->p->h;
    if (!h->pending) return NULL;
    value *res = MEM_ARRAY(value, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t op = c->p->op[position[i]];
        res[i] = h->ret[op] == RANK_NEVER ? pending_result(c, position[i]) : h->res[op];
    }
    return res;
}

void inventory_witness(const inventory *c, uint32_t *position, uint32_t n, outcome *out) {
    assert(n <= c->p->n && !out->witness.op);
    assert_costly(words_are_below(position, n, c->p->n));
    position = MEM_GROW(position, uint32_t, n);
    value *res = results(c, position, n);
    name_operations(c->p, position, n);
    out->witness = (witness){.op = position, .res = res, .n = n};
    out->verdict = VERDICT_LINEARIZABLE;
    if (c->p->furthest) atomic_store_explicit(c->p->furthest, n, memory_order_relaxed);
}

void bad_pattern_add(bad_pattern *s, uint32_t position) {
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 8;
        s->position = MEM_GROW(s->position, uint32_t, s->room);
    }
    s->position[s->n++] = position;
}

void bad_pattern_add_value(bad_pattern *s, const inventory *c, uint32_t v) {
    assert(v < c->values);
    bad_pattern_add(s, c->add[v]);
    if (is_removed(c, v)) bad_pattern_add(s, c->remove[v]);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef struct cover {
    uint32_t from, to, value;
} cover;

static int by_from(const void *a, const void *b) {
    return by_number(&((const cover *)a)->from, &((const cover *)b)->from);
}

static cover cover_of(const inventory *c, uint32_t v, const cover_rule *rule) {
    cover k = {add_return(c, v), remove_call(c, v), v};
    if (!is_removed(c, v)) k.to = rule->left_until;
    if (rule->priority && rule->priority[v] <= rule->above) k.to = 0;
    return k;
}

/* The covers that meet the gaps from .. to-1, by where they begin. */
static cover *covers_meeting(const inventory *c, uint32_t from, uint32_t to, const cover_rule *rule, uint32_t *count) {
    cover *all = NULL;
    uint32_t n = 0, room = 0;
    for (uint32_t v = 0; v < c->values; v++) {
        cover k = cover_of(c, v, rule);
        if (k.from >= k.to || k.from >= to || k.to <= from) continue;
        if (n == room) all = MEM_GROW(all, cover, room = room ? 2 * room : 16);
        all[n++] = k;
    }
    if (n) qsort(all, n, sizeof *all, by_from);
    for (uint32_t i = 1; i < n; i++) assert(all[i - 1].from <= all[i].from);
    *count = n;
    return all;
}

uint32_t bad_pattern_add_cover(bad_pattern *s, const inventory *c, uint32_t from, uint32_t to, const cover_rule *rule) {
    uint32_t n, hole = NO_INDEX;
    cover *all = covers_meeting(c, from, to, rule, &n), *best = NULL;
    for (uint32_t next = 0, gap = from; gap < to;) {
        for (; next < n && all[next].from <= gap; next++)
            if (!best || all[next].to > best->to) best = &all[next];
        if (best && best->to > gap) {
            assert(best->from <= gap);
            bad_pattern_add_value(s, c, best->value);
            gap = best->to;
        } else {
            hole = gap++;
        }
    }
    free(all);
    return hole;
}

/* Tokens stay in every pattern: without them a right history can become a wrong one. */
void inventory_violation(const inventory *c, bad_pattern *s, uint32_t last, outcome *out) {
    for (uint32_t k = 0; k < c->tokens; k++) bad_pattern_add(s, c->token[k]);
    if (s->n) qsort(s->position, s->n, sizeof *s->position, by_number);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (i == 0 || s->position[i] != s->position[i - 1]) s->position[n++] = s->position[i];
    assert_costly(words_ascend(s->position, n) && words_are_below(s->position, n, c->p->n));
    for (uint32_t i = 0; i < n; i++) s->position[i] = c->p->op[s->position[i]];
    if (c->renamed) { /* all occurrences of what it is about */
        uint32_t *named = s->position;
        s->position = operations_about(c->p->h, c->p->op, c->p->n, named, n, &n);
        free(named);
    }
    assert(n > 0 && !out->pattern);
    out->verdict = VERDICT_VIOLATION;
    out->pattern = s->position;
    out->pattern_n = n;
    out->cut = last == NO_INDEX ? RANK_NEVER : c->p->h->ret[c->p->op[last]];
    *s = (bad_pattern){0};
}

/* An empty that had no gap in which the container could be empty, where any token may take any value that is left
 * inside: in each of its gaps some value that was removed is definitely inside, or more values are left inside than
 * tokens called. */
void inventory_violation_empty(const inventory *c, uint32_t empty, outcome *out) {
    bad_pattern s = {0};
    uint32_t position = c->empty[empty], count;
    cover_rule rule = {.left_until = c->tokens ? 0 : RANK_NEVER};
    bad_pattern_add(&s, position);
    uint32_t hole = bad_pattern_add_cover(&s, c, c->call[position], c->ret[position], &rule);
    if (hole != NO_INDEX) {
        uint32_t *left = inventory_left_inside(c, &count), called = 0;
        while (called < c->tokens && c->call[c->token[called]] <= hole) called++;
        for (uint32_t k = 0; k <= called && k < count; k++) bad_pattern_add_value(&s, c, left[k]);
        free(left);
    }
    inventory_violation(c, &s, NO_INDEX, out);
}
