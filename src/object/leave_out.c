#include "object/leave_out.h"

#include "base/hash.h"
#include "base/table.h"

#include <assert.h>

/* Everything stays. */
static void leave_out_init(leave_out *l, uint32_t n) {
    l->group = MEM_ARRAY(uint32_t, n);
    l->flags = mem_zero(n, 1);
    l->groups = 0;
    l->by_epochs = false;
    l->focus = NULL;
    l->focus_n = 0;
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
    table known;  /* by value */
    bool focused; /* values that are not known yet belong to REST */
};

enum { REST };

static uint32_t group_hash(const void *owner, uint32_t i) { return hash_near(((const value_groups *)owner)->of[i]); }

static bool group_is(const void *owner, uint32_t i, const void *v) {
    return ((const value_groups *)owner)->of[i] == *(const value *)v;
}

static inline uint32_t find_group(const value_groups *g, value v) {
    return table_find(&g->known, hash_near(v), group_is, g, &v);
}

uint32_t value_group(value_groups *g, value v) {
    uint32_t i = find_group(g, v);
    if (i != TABLE_NONE) return i;
    if (g->focused) return REST;
    if (g->count == g->room) {
        g->room = g->room ? g->room * 2 : 32;
        g->of = MEM_GROW(g->of, value, g->room);
        g->parent = MEM_GROW(g->parent, uint32_t, g->room);
    }
    g->of[g->count] = v;
    g->parent[g->count] = g->count;
    table_add(&g->known, hash_near(v), group_hash, g, g->count);
    return g->count++;
}

/* Whatever the operations in focus may be about: some groups too many do no harm. */
value_groups *value_groups_new(const history *h, const leave_out *l) {
    value_groups *g = MEM_NEW(value_groups);
    if (!l->focus_n) return g;
    table_reserve(&g->known, 2048, group_hash,
                  g);              /* sparse: nearly all questions are about values that are not in it */
    value_group(g, VALUE_UNKNOWN); /* no operation's value: its group is REST */
    assert(g->count == REST + 1);
    for (uint32_t k = 0; k < l->focus_n; k++) {
        operation op;
        history_operation(h, l->focus[k], &op);
        for (unsigned a = 0; a < op.nargs && a < HISTORY_MAX_ARGS; a++) value_group(g, op.arg[a]);
        value_group(g, op.res);
    }
    g->focused = true;
    return g;
}

static inline uint32_t quick_group(value_groups *g, value v) {
    if (!g->focused) return value_group(g, v);
    uint32_t i = find_group(g, v);
    return i == TABLE_NONE ? REST : i;
}

void value_groups_assign(value_groups *g, const history *h, const uint32_t *op, uint32_t n, const bool *by_argument,
                         leave_out *l) {
    /* looked up: a branch would be mispredicted */
    const value *column[] = {h->res, h->arg[0] ? h->arg[0] : h->res};
    for (uint32_t i = 0; i < n; i++) {
        value v = column[by_argument[h->method[op[i]]]][op[i]];
        if (v != VALUE_UNKNOWN) l->group[i] = quick_group(g, v);
    }
}

static uint32_t root(value_groups *g, uint32_t i) {
    while (g->parent[i] != i) i = g->parent[i] = g->parent[g->parent[i]];
    return i;
}

void value_groups_join(value_groups *g, value a, value b) {
    uint32_t i = value_group(g, a), j = value_group(g, b);
    g->parent[root(g, i)] = root(g, j);
    assert(root(g, i) == root(g, j));
}

void value_groups_finish(value_groups *g, leave_out *l, uint32_t n) {
    uint32_t *number = MEM_ARRAY(uint32_t, g->count);
    for (uint32_t i = 0; i < g->count; i++) number[i] = GROUP_KEEP;
    l->groups = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (l->group[i] == GROUP_KEEP) continue;
        assert(l->group[i] < g->count);
        uint32_t r = root(g, l->group[i]);
        if (number[r] == GROUP_KEEP) number[r] = l->groups++;
        l->group[i] = number[r];
    }
    assert(l->groups <= g->count);
    free(number);
    free(g->of);
    free(g->parent);
    table_free(&g->known);
    free(g);
}

void leave_out_by_value(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    bool adds[OBJECT_METHODS];
    for (unsigned m = 0; m < o->type->method_count; m++) adds[m] = o->type->methods[m].role & ROLE_ADDS;
    value_groups_assign(g, h, op, n, adds, out);
    for (uint32_t i = 0; i < n; i++) {
        value res = h->res[op[i]];
        if (res != VALUE_EMPTY && res != VALUE_FULL) continue;
        out->group[i] = GROUP_KEEP;
        out->flags[i] = res == VALUE_EMPTY ? LEAVE_ALONE : LEAVE_ALONE | LEAVE_FRAGILE;
    }
    value_groups_finish(g, out, n);
}

/* ---- holds ---- */

typedef struct held_item {
    uint64_t what;
    uint32_t group;
    uint32_t below; /* the client's hold before it, + 1 */
} held_item;

typedef struct holder {
    uint32_t top;      /* its last hold, + 1 */
    uint32_t last_ret; /* of its operations so far */
    uint32_t group;    /* of all it does, + 1 */
    bool overlaps;     /* with itself */
} holder;

struct holds {
    holder *client;
    uint32_t clients;
    held_item *hold;
    uint32_t count, room;
    uint32_t groups;
};

holds *holds_new(const history *h, const uint32_t *op, uint32_t n) {
    holds *held = MEM_NEW(holds);
    for (uint32_t i = 0; i < n; i++)
        if (history_client(h, op[i]) >= held->clients) held->clients = history_client(h, op[i]) + 1;
    held->client = mem_zero(held->clients, sizeof *held->client);
    for (uint32_t i = 0; i < n; i++) {
        holder *c = &held->client[history_client(h, op[i])];
        c->overlaps |= c->last_ret > h->call[op[i]];
        if (h->ret[op[i]] > c->last_ret) c->last_ret = h->ret[op[i]];
    }
    return held;
}

bool holds_in_order(const holds *held, uint32_t client) { return !held->client[client].overlaps; }

/* One group for all of the client. */
static uint32_t hold_everything(holds *held, uint32_t client) {
    assert(client < held->clients);
    holder *c = &held->client[client];
    if (!c->group) c->group = ++held->groups;
    return c->group - 1;
}

uint32_t hold_nothing(holds *held) { return held->groups++; }

uint32_t hold_begin(holds *held, uint32_t client, uint64_t what) {
    if (held->count == held->room) {
        held->room = held->room ? held->room * 2 : 16;
        held->hold = MEM_GROW(held->hold, held_item, held->room);
    }
    assert(client < held->clients && holds_in_order(held, client));
    uint32_t *top = &held->client[client].top;
    held->hold[held->count] = (held_item){.what = what, .group = held->groups, .below = *top};
    *top = ++held->count;
    return held->groups++;
}

uint32_t hold_end(holds *held, uint32_t client, uint64_t what) {
    uint32_t *link = &held->client[client].top;
    while (*link && held->hold[*link - 1].what != what) link = &held->hold[*link - 1].below;
    if (!*link) return GROUP_KEEP;
    const held_item *last = &held->hold[*link - 1];
    *link = last->below;
    assert(last->group < held->groups);
    return last->group;
}

void holds_finish(holds *held, leave_out *l) {
    l->groups = held->groups;
    free(held->client);
    free(held->hold);
    free(held);
}

static uint32_t hold_group(holds *held, const operation *op, bool unlocks, uint64_t what) {
    if (!holds_in_order(held, op->client)) return hold_everything(held, op->client);
    if (!unlocks) return hold_begin(held, op->client, what);
    uint32_t group = hold_end(held, op->client, what);
    return group == GROUP_KEEP ? hold_nothing(held) : group;
}

void leave_out_holds(const history *h, const uint32_t *op, uint32_t n, bool (*unlocks)(const operation *op),
                     uint64_t (*what)(const operation *op), leave_out *out) {
    holds *held = holds_new(h, op, n);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.res == VALUE_FALSE) out->flags[i] = LEAVE_ALONE | LEAVE_FRAGILE;
        else out->group[i] = hold_group(held, &view, unlocks(&view), what(&view));
    }
    holds_finish(held, out);
}

/* ---- excursions ---- */

typedef struct excursion_part {
    uint64_t name;
    int64_t sum;
    uint32_t last_ret; /* RANK_NEVER: something is open for good, or the sum is not known any more */
    uint32_t group;
} excursion_part;

struct excursions {
    excursion_part *part;
    uint32_t count, room;
    table parts; /* by name */
    uint32_t groups;
};

excursions *excursions_new(void) { return MEM_NEW(excursions); }

static uint32_t part_hash(const void *owner, uint32_t i) {
    return (uint32_t)hash_mix(((const excursions *)owner)->part[i].name);
}

static bool part_is(const void *owner, uint32_t i, const void *name) {
    return ((const excursions *)owner)->part[i].name == *(const uint64_t *)name;
}

static excursion_part *find_part(excursions *x, uint64_t name) {
    uint32_t hash = (uint32_t)hash_mix(name), i = table_find(&x->parts, hash, part_is, x, &name);
    if (i != TABLE_NONE) return &x->part[i];
    if (x->count == x->room) x->part = MEM_GROW(x->part, excursion_part, x->room = x->room ? x->room * 2 : 16);
    x->part[x->count] = (excursion_part){.name = name, .group = GROUP_KEEP};
    table_add(&x->parts, hash, part_hash, x, x->count);
    return &x->part[x->count++];
}

uint32_t excursion(excursions *x, uint64_t part, const operation *op, int64_t change, bool change_known) {
    excursion_part *p = find_part(x, part);
    if (p->group == GROUP_KEEP || (p->sum == 0 && p->last_ret < op->call)) p->group = x->groups++;
    if (!change_known) p->last_ret = RANK_NEVER;
    else if (op->ret > p->last_ret) p->last_ret = op->ret;
    p->sum = (int64_t)((uint64_t)p->sum + (uint64_t)change);
    assert(p->group < x->groups && (p->last_ret >= op->ret || p->last_ret == RANK_NEVER));
    return p->group;
}

void excursions_finish(excursions *x, leave_out *l) {
    l->groups = x->groups;
    free(x->part);
    table_free(&x->parts);
    free(x);
}

/* ---- epochs ---- */

static bool one_key(const history *h, const uint32_t *op, uint32_t n) {
    for (uint32_t i = 1; h->key && i < n; i++)
        if (h->key[op[i]] != h->key[op[0]]) return false;
    return true;
}

/* The epoch of each operation, GROUP_KEEP for pending ones; returns how many epochs there are. */
static uint32_t find_epochs(const history *h, const uint32_t *op, uint32_t n, bool (*overwrites)(const operation *op),
                            uint32_t *epoch) {
    uint32_t count = 0, last_ret = 0;
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.ret == RANK_NEVER) {
            epoch[i] = GROUP_KEEP;
            continue;
        }
        bool alone = last_ret < view.call && (i + 1 == n || view.ret < h->call[op[i + 1]]);
        if (count == 0 || (alone && overwrites(&view))) count++;
        epoch[i] = count - 1;
        if (view.ret > last_ret) last_ret = view.ret;
    }
    return count;
}

void leave_out_epochs(const object *o, const history *h, const uint32_t *op, uint32_t n,
                      bool (*overwrites)(const operation *op), leave_out *out) {
    if (out->focus_n || !one_key(h, op, n)) return; /* what is in focus is told apart by its values */
    uint32_t *epoch = MEM_ARRAY(uint32_t, n), count = find_epochs(h, op, n, overwrites, epoch);
    if (count <= out->groups) {
        free(epoch);
        return;
    }
    for (uint32_t i = 0; i < n; i++) assert(epoch[i] == GROUP_KEEP || epoch[i] < count);
    free(out->group);
    out->group = epoch;
    out->groups = count;
    out->by_epochs = true;
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        out->flags[i] = object_changes_nothing(o, &view) ? LEAVE_ALONE : 0;
    }
}

/* What no linearization needs can leave every one of them. */
static void leave_unneeded(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    if (!h->pending) return;
    uint8_t *needed = MEM_ARRAY(uint8_t, n);
    object_needed(o, h, op, n, needed);
    for (uint32_t i = 0; i < n; i++)
        if (!needed[i]) out->flags[i] |= LEAVE_ALONE;
    free(needed);
}

static void leave_observers(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
    }
}

/* Groups are numbers below `groups`, and what has to leave before any group does can leave alone. */
static void check_rule(const leave_out *l, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        assert(l->group[i] == GROUP_KEEP || l->group[i] < l->groups);
        assert(!(l->flags[i] & ~(LEAVE_ALONE | LEAVE_FRAGILE)));
        assert(!(l->flags[i] & LEAVE_FRAGILE) || l->flags[i] & LEAVE_ALONE);
        assert(!l->by_epochs || !(l->flags[i] & LEAVE_FRAGILE));
    }
    (void)l;
    (void)n;
}

void object_leave_out_around(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus,
                             uint32_t focus_n, leave_out *out) {
    leave_out_init(out, n);
    out->focus = focus;
    out->focus_n = focus_n;
    if (o->type->leave_out) o->type->leave_out(o, h, op, n, out);
    else leave_observers(o, h, op, n, out);
    leave_unneeded(o, h, op, n, out);
    check_rule(out, n);
}

void object_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    object_leave_out_around(o, h, op, n, NULL, 0, out);
}
