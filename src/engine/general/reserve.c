#include "engine/general/reserve.h"

#include "base/hash.h"
#include "base/table.h"
#include "engine/self_check.h"

#include <string.h>

bool operations_do_the_same(const object *o, const operation *a, const operation *b) {
    if (o->type->may_end) return false;
    return a->method == b->method && a->res == b->res && a->nargs == b->nargs && a->key == b->key &&
           !memcmp(a->arg, b->arg, sizeof a->arg) && (!o->type->sees_clients || a->client == b->client);
}

static uint32_t hash_of_operation(const operation *op) {
    return (uint32_t)hash_pair(op->method, hash_pair(op->nargs > 0 ? op->arg[0] : 0, op->nargs > 1 ? op->arg[1] : 0));
}

static uint32_t hash_of_kind(const void *owner, uint32_t k) {
    return hash_of_operation(&((const reserve *)owner)->kind[k].op);
}

static bool is_kind_of(const void *owner, uint32_t k, const void *op) {
    const reserve *r = owner;
    return operations_do_the_same(r->p->o, &r->kind[k].op, op);
}

static uint32_t kind_of(reserve *r, table *known, const operation *op) {
    uint32_t hash = hash_of_operation(op), k = table_find(known, hash, is_kind_of, r, op);
    if (k != TABLE_NONE) return k;
    k = r->kinds++;
    r->kind[k] = (reserve_kind){.op = *op};
    table_add(known, hash, hash_of_kind, r, k);
    return k;
}

/* Registers and keys: what a pending write does until something looks for its value, nothing sees. What an append makes
 * depends on all that was there. */
static bool wait_until_wanted(const problem *p) {
    const object_type *t = p->o->type;
    int append = object_type_own_method(t, "append");
    if (strcmp(t->name, "cas-register") && strcmp(t->name, "kv")) return false;
    for (uint32_t i = 0; append >= 0 && i < p->n; i++)
        if (p->h->method[p->op[i]] == append) return false;
    return t->brings && t->looks_for;
}

static void sort_by_value(reserve *r) {
    for (uint32_t k = 0; k < r->kinds; k++) {
        const value v = r->p->o->type->brings(r->p->o, &r->kind[k].op);
        r->kind[k].next = reserve_bringing(r, v);
        value_map_set(&r->by_value, v, k);
    }
}

/* Kinds whose value no operation looks for, not even to fail. */
static void find_idle(reserve *r) {
    const problem *p = r->p;
    value_map wanted = {0};
    for (uint32_t i = 0; i < p->n; i++) {
        operation op;
        value v[2];
        history_operation(p->h, p->op[i], &op);
        const int n = p->o->type->looks_for(p->o, &op, v);
        for (int k = 0; k < n; k++) value_map_set(&wanted, v[k], 0);
        if (n == LOOKS_FOR_ANY && op.nargs) value_map_set(&wanted, op.arg[0], 0);
    }
    r->idle = MEM_ARRAY(uint32_t, (size_t)r->kinds + 1);
    for (uint32_t k = 0; k < r->kinds; k++) {
        const operation *op = &r->kind[k].op;
        value v[2];
        const bool overwrites = p->o->type->looks_for(p->o, op, v) == 0;
        if (overwrites && value_map_find(&wanted, p->o->type->brings(p->o, op)) == VALUE_MAP_ABSENT)
            r->idle[r->idle_n++] = k;
    }
    free(wanted.slot);
}

uint32_t reserve_bringing(const reserve *r, value v) {
    const uint32_t k = value_map_find(&r->by_value, v);
    return k == VALUE_MAP_ABSENT ? NO_MEMBER : k;
}

void reserve_init(reserve *r, const problem *p, const uint32_t *position, uint32_t n) {
    table known = {0};
    uint32_t *kind = MEM_ARRAY(uint32_t, (size_t)n + 1), at = 0;
    *r =
        (reserve){.p = p, .kind = MEM_ARRAY(reserve_kind, (size_t)n + 1), .member = MEM_ARRAY(uint32_t, (size_t)n + 1)};
    for (uint32_t i = 0; i < n; i++) {
        operation op;
        history_operation(p->h, p->op[position[i]], &op);
        kind[i] = kind_of(r, &known, &op);
        r->kind[kind[i]].n++;
    }
    for (uint32_t k = 0; k < r->kinds; at += r->kind[k++].n) r->kind[k].first = r->kind[k].last_seen = at;
    for (uint32_t i = 0; i < n; i++) r->member[r->kind[kind[i]].last_seen++] = p->op[position[i]];
    assert(at == n);
    r->waits = wait_until_wanted(p);
    if (r->waits) {
        sort_by_value(r);
        find_idle(r);
    }
    table_free(&known);
    free(kind);
}

void reserve_free(reserve *r) {
    free(r->kind);
    free(r->member);
    trail_free(&r->spent);
    free(r->by_value.slot);
    free(r->idle);
}

uint32_t reserve_next(const reserve *r, uint32_t spent, uint32_t kind, uint32_t rank) {
    const reserve_kind *k = &r->kind[kind];
    uint32_t gone = k->settled;
    if (gone == k->n || r->p->h->call[r->member[k->first]] > rank) return NO_MEMBER;
    for (uint32_t i = spent; i != TRAIL_ROOT; i = r->spent.node[i].parent) gone += r->spent.node[i].op == kind;
    assert(gone <= k->n);
    if (gone == k->n || r->p->h->call[r->member[k->first + gone]] > rank) return NO_MEMBER;
    return r->member[k->first + gone];
}

void reserve_retain(reserve *r, uint32_t *const *end, uint32_t n) {
    trail_retain(&r->spent, end, n);
    for (; r->counted < r->spent.settled.n; r->counted++) r->kind[r->spent.settled.op[r->counted]].settled++;
    while (r->idle_from < r->idle_n && r->kind[r->idle[r->idle_from]].settled == r->kind[r->idle[r->idle_from]].n)
        r->idle_from++;
}
