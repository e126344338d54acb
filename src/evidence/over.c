/* A core of one operation is right, but says little: what others did before it, and undid again, was left out. When
 * that is all there is, it is told. */
#include "evidence/facts.h"

enum { OVER_MOST = 6 }; /* more are not told one by one */

/* The operations of the part that matter to `of`; false: there are none, too many, or one of them is not over. */
static bool over_before(const history *h, const uint32_t *op, uint32_t n, uint32_t of, fact *f) {
    for (uint32_t i = 0; i < n; i++) {
        if (op[i] == of || h->call[op[i]] > h->ret[of]) continue;
        if (f->path_n == OVER_MOST || !history_before(h, op[i], of)) return false;
        f->path[f->path_n++] = op[i];
    }
    return f->path_n > 0;
}

static bool over_in_part(const history *h, const object *o, uint32_t of, fact *f) {
    partition *parts = object_partition(o, h);
    bool found = false, good = false;
    for (uint32_t p = 0; p < parts->count && !found; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        for (uint32_t i = 0; i < n && !found; i++) found = op[i] == of;
        if (found) good = over_before(h, op, n, of, f);
    }
    partition_free(parts);
    return good;
}

history *over_history(const history *h, const core *c, const fact *f) {
    uint32_t op[OVER_MOST + 1], n = 0;
    for (uint32_t k = 0; k < f->path_n; k++)
        if (f->path[k] < c->op[0]) op[n++] = f->path[k];
    op[n++] = c->op[0];
    for (uint32_t k = 0; k < f->path_n; k++)
        if (f->path[k] > c->op[0]) op[n++] = f->path[k];
    return history_select(h, op, n, h->ret[c->op[0]]);
}

bool facts_find_over(const history *h, const object *o, const core *c, facts *f) {
    fact over = {0};
    if (c->n != 1 || h->ret[c->op[0]] == RANK_NEVER || !over_in_part(h, o, c->op[0], &over)) return false;
    history *others = history_select(h, over.path, over.path_n, RANK_NEVER), *all = over_history(h, c, &over);
    bool holds = oracle_linearizable(o, others, 0) == ORACLE_YES && oracle_linearizable(o, all, 0) == ORACLE_NO;
    history_free(others);
    history_free(all);
    fact *told = holds ? facts_add(f, FACT_OVER, 0, 0, 0) : NULL;
    if (!told) return false;
    memcpy(told->path, over.path, sizeof over.path);
    told->path_n = over.path_n;
    return true;
}
