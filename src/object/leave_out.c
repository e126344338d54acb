#include "object/leave_out.h"

#include "base/hash.h"

void leave_out_init(leave_out *l, uint32_t n) {
    l->group = MEM_ARRAY(uint32_t, n);
    l->flags = mem_zero(n, 1);
    l->groups = 0;
    for (uint32_t i = 0; i < n; i++) l->group[i] = GROUP_KEEP;
}

void leave_out_free(leave_out *l) {
    free(l->group);
    free(l->flags);
    *l = (leave_out){0};
}

/* Union-find over values, found by an open-addressing table. */
struct value_groups {
    value *of;
    uint32_t *parent;
    uint32_t count, room;
    uint32_t *slot;
    uint32_t slots;
};

value_groups *value_groups_new(void) { return MEM_NEW(value_groups); }

static void insert(value_groups *g, uint32_t i) {
    uint32_t at = (uint32_t)hash_mix(g->of[i]) & (g->slots - 1);
    while (g->slot[at]) at = (at + 1) & (g->slots - 1);
    g->slot[at] = i + 1;
}

static void grow(value_groups *g) {
    g->room = g->room ? g->room * 2 : 32;
    g->of = MEM_GROW(g->of, value, g->room);
    g->parent = MEM_GROW(g->parent, uint32_t, g->room);
    free(g->slot);
    g->slots = g->room * 2;
    g->slot = mem_zero(g->slots, sizeof *g->slot);
    for (uint32_t i = 0; i < g->count; i++) insert(g, i);
}

uint32_t value_group(value_groups *g, value v) {
    if (g->count == g->room) grow(g);
    uint32_t at = (uint32_t)hash_mix(v) & (g->slots - 1);
    while (g->slot[at] && g->of[g->slot[at] - 1] != v) at = (at + 1) & (g->slots - 1);
    if (!g->slot[at]) {
        g->of[g->count] = v;
        g->parent[g->count] = g->count;
        g->slot[at] = ++g->count;
    }
    return g->slot[at] - 1;
}

static uint32_t root(value_groups *g, uint32_t i) {
    while (g->parent[i] != i) i = g->parent[i] = g->parent[g->parent[i]];
    return i;
}

void value_groups_join(value_groups *g, value a, value b) {
    uint32_t i = value_group(g, a), j = value_group(g, b);
    g->parent[root(g, i)] = root(g, j);
}

void value_groups_finish(value_groups *g, leave_out *l, uint32_t n) {
    uint32_t *number = MEM_ARRAY(uint32_t, g->count);
    for (uint32_t i = 0; i < g->count; i++) number[i] = GROUP_KEEP;
    l->groups = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (l->group[i] == GROUP_KEEP) continue;
        uint32_t r = root(g, l->group[i]);
        if (number[r] == GROUP_KEEP) number[r] = l->groups++;
        l->group[i] = number[r];
    }
    free(number);
    free(g->of);
    free(g->parent);
    free(g->slot);
    free(g);
}

void object_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    leave_out_init(out, n);
    if (o->type->leave_out) {
        o->type->leave_out(o, h, op, n, out);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
    }
}
