#include "engine/general/visited.h"
#include "engine/self_check.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CHAIN = 12, FIRST_TABLE = 1024, FIRST_POOL = 32 };

struct chained {
    uint64_t mask;
    uint32_t situation;
    uint32_t next; /* pool index + 1 */
};

static void charge(visited *v, size_t bytes) {
    budget_charge(v->budget, bytes);
    v->charged += bytes;
}

void visited_init(visited *v, uint32_t deadlines, budget *b) {
    *v = (visited){.pool_room = FIRST_POOL, .budget = b, .deadlines = deadlines};
    v->head = mem_zero(deadlines, sizeof *v->head);
    v->pool = MEM_ARRAY(struct chained, v->pool_room);
    charge(v, deadlines * sizeof *v->head + v->pool_room * sizeof *v->pool);
}

void visited_free(visited *v) {
    budget_refund(v->budget, v->charged);
    FREE_ALL(v->pool, v->head, v->table);
    *v = (visited){0};
}

static bool chain_add(visited *v, configuration c) {
    if (v->chained == v->pool_room) {
        charge(v, v->pool_room * sizeof *v->pool);
        v->pool_room *= 2;
        v->pool = MEM_GROW(v->pool, struct chained, v->pool_room);
    }
    assert(c.deadline < v->deadlines && v->chained < v->pool_room && v->head[c.deadline] <= v->chained);
    v->pool[v->chained] = (struct chained){.mask = c.mask, .situation = c.situation, .next = v->head[c.deadline]};
    v->head[c.deadline] = ++v->chained;
    return true;
}

/* The place where c is, or the free one where it belongs. */
static configuration *place(const visited *v, configuration c) {
    for (size_t i = (size_t)hash_pair(c.mask, (uint64_t)c.deadline << 32 | c.situation);; i++) {
        configuration *at = &v->table[i & (v->room - 1)];
        if (at->deadline == UINT32_MAX) return at;
        if (at->deadline == c.deadline && at->situation == c.situation && at->mask == c.mask) return at;
    }
}

SELF_CHECK static size_t filled_places(const visited *v) {
    size_t n = 0;
    for (size_t i = 0; i < v->room; i++) n += v->table[i].deadline != UINT32_MAX;
    return n;
}

static void grow_table(visited *v) {
    configuration *old = v->table;
    size_t old_room = v->room;
    v->room = old_room ? old_room * 2 : FIRST_TABLE;
    charge(v, v->room * sizeof *v->table);
    v->table = MEM_ARRAY(configuration, v->room);
    memset(v->table, 0xff, v->room * sizeof *v->table);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].deadline != UINT32_MAX) *place(v, old[i]) = old[i];
    assert_costly(filled_places(v) == v->count);
    free(old);
    budget_refund(v->budget, old_room * sizeof *old);
    v->charged -= old_room * sizeof *old;
}

static bool table_add(visited *v, configuration c) {
    if (v->count * 4 >= v->room * 3) grow_table(v);
    assert(v->count < v->room && is_power_of_two(v->room));
    configuration *at = place(v, c);
    if (at->deadline != UINT32_MAX) return false;
    *at = c;
    v->count++;
    return true;
}

bool visited_add(visited *v, configuration c) {
    assert(c.deadline < v->deadlines);
    unsigned length = 0;
    for (uint32_t i = v->head[c.deadline]; i; i = v->pool[i - 1].next, length++)
        if (v->pool[i - 1].mask == c.mask && v->pool[i - 1].situation == c.situation) return false;
    assert(length <= CHAIN);
    return length < CHAIN ? chain_add(v, c) : table_add(v, c);
}
