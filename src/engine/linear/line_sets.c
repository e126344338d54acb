#include "engine/linear/line_sets.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <string.h>

typedef struct line_key {
    const line_branch *branch;
    uint32_t n;
} line_key;

static uint32_t hash_branches(const line_branch *b, uint32_t n) {
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) h = hash_pair(h, (uint64_t)b[i].v << 32 | b[i].rest);
    return (uint32_t)h;
}

static uint32_t set_hash(const void *owner, uint32_t item) {
    const line_sets *x = owner;
    return hash_branches(x->branch + x->at[item].branch, x->at[item].branches);
}

static bool set_is(const void *owner, uint32_t item, const void *key) {
    const line_sets *x = owner;
    const line_key *k = key;
    return x->at[item].branches == k->n && !memcmp(x->branch + x->at[item].branch, k->branch, k->n * sizeof *k->branch);
}

static void charge(line_sets *x) {
    size_t memory = x->room * (sizeof *x->at + sizeof *x->made + sizeof *x->stamp) +
                    x->branch_room * sizeof *x->branch + table_memory(&x->known);
    if (memory <= x->charged) return;
    budget_charge(x->budget, memory - x->charged);
    x->charged = memory;
}

static void grow(line_sets *x) {
    uint32_t room = x->room ? 2 * x->room : 64;
    x->at = MEM_GROW(x->at, line_choice, room);
    x->made = MEM_GROW(x->made, line_set, room);
    x->stamp = MEM_GROW(x->stamp, uint32_t, room);
    memset(x->stamp + x->room, 0, (room - x->room) * sizeof *x->stamp);
    x->room = room;
    charge(x);
}

/* The branches were put behind those of all sets. */
static line_set set_of_last(line_sets *x, uint32_t from) {
    uint32_t n = x->branches - from;
    if (!n) return LINES_NONE;
    line_key k = {x->branch + from, n};
    uint32_t hash = hash_branches(k.branch, n), found = table_find(&x->known, hash, set_is, x, &k);
    if (found != TABLE_NONE) {
        x->branches = from;
        return found;
    }
    if (x->n == x->room) grow(x);
    x->at[x->n] = (line_choice){from, n};
    table_add(&x->known, hash, set_hash, x, x->n);
    return x->n++;
}

static void add_branch(line_sets *x, value v, line_set rest) {
    if (x->branches == x->branch_room) {
        x->branch_room = x->branch_room ? 2 * x->branch_room : 64;
        x->branch = MEM_GROW(x->branch, line_branch, x->branch_room);
        charge(x);
    }
    x->branch[x->branches++] = (line_branch){v, rest};
}

void line_sets_init(line_sets *x, budget *b) {
    *x = (line_sets){.budget = b, .united = MEM_ARRAY(line_pair, LINE_PAIRS)};
    for (uint32_t i = 0; i < LINE_PAIRS; i++) x->united[i].a = LINES_NONE;
    grow(x);
    x->at[x->n++] = (line_choice){0, 0}; /* LINES_EMPTY; not in the table: no other set has no branches */
}

void line_sets_free(line_sets *x) {
    budget_refund(x->budget, x->charged);
    FREE_ALL(x->at, x->made, x->stamp, x->branch, x->united);
    table_free(&x->known);
}

const line_branch *lines_branches(const line_sets *x, line_set s, uint32_t *n) {
    *n = x->at[s].branches;
    return x->branch + x->at[s].branch;
}

line_set lines_follow(const line_sets *x, line_set s, value v) {
    uint32_t n;
    const line_branch *b = lines_branches(x, s, &n);
    for (uint32_t i = 0; i < n; i++)
        if (b[i].v == v) return b[i].rest;
    return LINES_NONE;
}

line_set lines_add_first(line_sets *x, value v, line_set s) {
    uint32_t from = x->branches;
    add_branch(x, v, s);
    return set_of_last(x, from);
}

/* ---- both ---- */

typedef struct line_merge { /* branches of two sets, by value */
    uint32_t a, a_end, b, b_end;
} line_merge;

static bool next_branch(const line_sets *x, line_merge *m, value *v, line_set *a, line_set *b) {
    bool more_a = m->a < m->a_end, more_b = m->b < m->b_end;
    if (!more_a && !more_b) return false;
    bool of_a = more_a && (!more_b || x->branch[m->a].v <= x->branch[m->b].v),
         of_b = more_b && (!more_a || x->branch[m->b].v <= x->branch[m->a].v);
    *v = x->branch[of_a ? m->a : m->b].v;
    *a = of_a ? x->branch[m->a++].rest : LINES_NONE;
    *b = of_b ? x->branch[m->b++].rest : LINES_NONE;
    return true;
}

/* Branches are made on the side: unions of what follows put theirs behind all sets meanwhile. */
static line_set unite(line_sets *x, line_set a, line_set b) {
    line_choice p = x->at[a], q = x->at[b];
    line_merge m = {p.branch, p.branch + p.branches, q.branch, q.branch + q.branches};
    line_branch few[16], *made = p.branches + q.branches <= 16 ? few : MEM_ARRAY(line_branch, p.branches + q.branches);
    uint32_t n = 0;
    value v;
    for (line_set in_a, in_b; next_branch(x, &m, &v, &in_a, &in_b); n++)
        made[n] = (line_branch){v, lines_union(x, in_a, in_b)};
    uint32_t from = x->branches;
    for (uint32_t i = 0; i < n; i++) add_branch(x, made[i].v, made[i].rest);
    if (made != few) free(made);
    return set_of_last(x, from);
}

line_set lines_union(line_sets *x, line_set a, line_set b) {
    if (a == LINES_NONE || a == b) return b;
    if (b == LINES_NONE) return a;
    assert(a != LINES_EMPTY && b != LINES_EMPTY); /* of one length */
    if (a > b) return lines_union(x, b, a);
    line_pair *known = &x->united[hash_pair(a, b) % LINE_PAIRS];
    if (known->a == a && known->b == b) return known->result;
    if (budget_tick(x->budget, &x->ticks)) return a; /* the caller gives up */
    line_set result = unite(x, a, b);
    *known = (line_pair){a, b, result};
    return result;
}

/* ---- the first value ---- */

line_set lines_take_first(line_sets *x, line_set s, value v) {
    if (v != VALUE_UNKNOWN) return lines_follow(x, s, v);
    line_set all = LINES_NONE;
    for (uint32_t i = 0; i < x->at[s].branches; i++) all = lines_union(x, all, x->branch[x->at[s].branch + i].rest);
    return all;
}

/* ---- the last one ---- */

/* What becomes of a set when v is added behind its lines, or taken from there. */
static line_set change_last(line_sets *x, line_set s, value v, bool adds) {
    if (x->stamp[s] == x->stamped) return x->made[s];
    line_choice c = x->at[s];
    line_branch few[16], *made = c.branches <= 16 ? few : MEM_ARRAY(line_branch, c.branches);
    uint32_t n = 0;
    line_set result = LINES_NONE;
    budget_tick(x->budget, &x->ticks);
    for (uint32_t i = 0; i < c.branches; i++) {
        line_branch b = x->branch[c.branch + i];
        bool last = b.rest == LINES_EMPTY;
        if (last && !adds && (v == VALUE_UNKNOWN || b.v == v)) result = LINES_EMPTY;
        if (last && !adds) continue;
        b.rest = last ? lines_add_first(x, v, LINES_EMPTY) : change_last(x, b.rest, v, adds);
        if (b.rest != LINES_NONE) made[n++] = b;
    }
    if (n) {
        uint32_t from = x->branches;
        for (uint32_t i = 0; i < n; i++) add_branch(x, made[i].v, made[i].rest);
        result = set_of_last(x, from);
    }
    if (made != few) free(made);
    x->stamp[s] = x->stamped;
    return x->made[s] = result;
}

line_set lines_add_last(line_sets *x, line_set s, value v) {
    if (s == LINES_EMPTY) return lines_add_first(x, v, s);
    x->stamped++;
    return change_last(x, s, v, true);
}

line_set lines_take_last(line_sets *x, line_set s, value v) {
    x->stamped++;
    return change_last(x, s, v, false);
}
