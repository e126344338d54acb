#include "engine/general/due.h"

#include "base/mem.h"
#include "history/value_map.h"

#include <assert.h>
#include <stdlib.h>

#define ADDED_OFTEN (UINT32_MAX - 1)

static bool applies(const object *o) {
    return o->type->ends && !o->type->words && !o->parameter[0] && o->criterion.kind == CRITERION_LINEARIZABLE &&
           !o->relaxed;
}

static unsigned role_of(const problem *p, uint32_t i) { return p->o->type->methods[p->h->method[p->op[i]]].role; }

/* Of each value the position of its add; ADDED_OFTEN: it has several. */
static void note_adds(const problem *p, value_map *add) {
    for (uint32_t i = 0; i < p->n; i++) {
        if (!(role_of(p, i) & ROLE_ADDS)) continue;
        const value v = p->h->arg[0][p->op[i]];
        const bool again = value_map_find(add, v) != VALUE_MAP_ABSENT;
        value_map_set(add, v, again ? ADDED_OFTEN : i);
    }
}

bool adds_are_distinct(const problem *p) {
    value_map add = {0};
    bool distinct = true;
    note_adds(p, &add);
    for (uint32_t i = 0; i < p->n && distinct; i++)
        distinct = !(role_of(p, i) & ROLE_ADDS) || value_map_find(&add, p->h->arg[0][p->op[i]]) == i;
    free(add.slot);
    return distinct;
}

static void find_removed(due_times *d, const problem *p) {
    value_map add = {0};
    note_adds(p, &add);
    for (uint32_t i = 0; i < p->n; i++)
        d->out[i] = history_pending(p->h, p->op[i]) && role_of(p, i) & ROLE_ADDS &&
                    value_map_find(&add, p->h->arg[0][p->op[i]]) == i;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!(role_of(p, i) & ROLE_REMOVES) || history_pending(p->h, p->op[i])) continue;
        const uint32_t from = value_map_find(&add, p->h->res[p->op[i]]);
        if (from == VALUE_MAP_ABSENT || from == ADDED_OFTEN || !history_pending(p->h, p->op[from])) continue;
        const uint64_t before = due_scale(p->h->ret[p->op[i]]) - 1;
        assert(p->h->arg[0][p->op[from]] == p->h->res[p->op[i]]);
        d->out[from] = false;
        if (before > due_scale(p->h->call[p->op[from]]) && before < d->at[from]) d->at[from] = before;
    }
    free(add.slot);
}

void due_times_init(due_times *d, const problem *p) {
    uint32_t pending = 0;
    d->at = MEM_ARRAY(uint64_t, (size_t)p->n + 1);
    d->out = mem_zero((size_t)p->n + 1, sizeof *d->out);
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t ret = p->h->ret[p->op[i]];
        pending += ret == RANK_NEVER;
        d->at[i] = ret == RANK_NEVER ? DUE_NEVER : due_scale(ret);
    }
    if (pending && applies(p->o)) find_removed(d, p);
}

void due_times_free(due_times *d) {
    free(d->at);
    free(d->out);
}
