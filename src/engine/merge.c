/* Each operation of a part's witness can take effect at the latest call up to it in that order (its own call or a later
 * one's, and before its return, since the order respects happens-before). These moments ascend along each part, so
 * sorting all operations by moment, parts in order where moments are equal, keeps every part's order and real time. */
#include "engine/merge.h"
#include "engine/self_check.h"

#include "base/mem.h"

typedef struct merging {
    const history *h, *g;
    const partition *parts;
    const witness *const *part;
    uint32_t *start; /* by moment: how many come before; then the next free place */
    witness *all;
} merging;

typedef struct witness_cursor { /* a part's witness, walked in order */
    const witness *w;
    uint32_t at, moment;
} witness_cursor;

/* The operation the cursor stands on takes effect at witness_cursor.moment; false behind the last. */
static bool look(witness_cursor *c, const uint32_t *call) {
    if (c->at == c->w->n) return false;
    assert(c->at < c->w->n);
    if (call[c->w->op[c->at]] > c->moment) c->moment = call[c->w->op[c->at]];
    return true;
}

/* All parts up to the end of a stretch of time before any part goes further, so that what is counted or written stays
 * near. `visit` is called for each operation, in order within each part. */
static void walk_parts_in_step(const merging *m, void (*visit)(const merging *m, const witness_cursor *c)) {
    enum { STRETCH = 1 << 15, FEW_PARTS = 1 << 12 };
    uint32_t parts = m->parts->count, events = m->g->events, stretch = parts <= FEW_PARTS ? STRETCH : events;
    witness_cursor *all = MEM_ARRAY(witness_cursor, parts);
    for (uint32_t p = 0; p < parts; p++) all[p] = (witness_cursor){.w = m->part[p]};
    for (uint32_t end = 0; end < events;) {
        end = events - end > stretch ? end + stretch : events;
        for (uint32_t p = 0; p < parts; p++)
            for (witness_cursor *c = &all[p]; look(c, m->g->call) && c->moment < end; c->at++) visit(m, c);
    }
    for (uint32_t p = 0; p < parts; p++) assert(all[p].at == all[p].w->n);
    free(all);
}

static void count(const merging *m, const witness_cursor *c) { m->start[c->moment + 1]++; }

static void place(const merging *m, const witness_cursor *c) {
    uint32_t at = m->start[c->moment]++;
    assert(at < m->all->n);
    uint32_t op = m->parts->op[c->w->op[c->at]];
    m->all->op[at] = op;
    if (m->all->res) m->all->res[at] = c->w->res ? c->w->res[c->at] : m->h->res[op];
}

SELF_CHECK static bool witness_has_no_operation_twice(const history *h, const witness *w) {
    bool *seen = mem_zero((size_t)h->n + 1, sizeof *seen), good = true;
    for (uint32_t k = 0; k < w->n && good; k++) {
        good = w->op[k] < h->n && !seen[w->op[k]];
        seen[w->op[k]] = true;
    }
    free(seen);
    return good;
}

void merge_witnesses(const history *h, const history *g, const partition *parts, const witness *const *part,
                     witness *all) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < parts->count; p++) n += part[p]->n;
    merging m = {.h = h, .g = g, .parts = parts, .part = part, .all = all};
    m.start = mem_zero((size_t)g->events + 1, sizeof *m.start);
    walk_parts_in_step(&m, count);
    for (uint32_t e = 0; e < g->events; e++) m.start[e + 1] += m.start[e];
    *all = (witness){.op = MEM_ARRAY(uint32_t, n), .res = h->pending ? MEM_ARRAY(value, n) : NULL, .n = n};
    assert(m.start[g->events] == n);
    walk_parts_in_step(&m, place);
    assert(g->events == 0 || m.start[g->events - 1] == n); /* each moment's places are filled up to the next one's */
    assert_costly(witness_has_no_operation_twice(h, all));
    free(m.start);
}

void merge_steps(const history *h, const partition *parts, const witness *const *part, witness *all) {
    uint32_t n = 0, first = 0;
    for (uint32_t p = 0; p < parts->count; p++) n += part[p]->n;
    *all = (witness){.op = MEM_ARRAY(uint32_t, n),
                     .res = MEM_ARRAY(value, n),
                     .begins = MEM_ARRAY(uint32_t, n),
                     .ends = MEM_ARRAY(uint32_t, n)};
    for (uint32_t p = 0; p < parts->count; p++) {
        uint32_t last = 0;
        for (uint32_t k = 0; k < part[p]->n; k++, all->n++) {
            uint32_t begins = part[p]->begins[k], ends = part[p]->ends[k];
            uint32_t op = parts->op[part[p]->op[k]];
            assert(begins != STEP_NEVER && (ends == STEP_NEVER || begins <= ends));
            all->op[all->n] = op;
            all->res[all->n] = part[p]->res ? part[p]->res[k] : h->res[op];
            all->begins[all->n] = first + begins;
            all->ends[all->n] = ends == STEP_NEVER ? STEP_NEVER : first + ends;
            if (begins >= last) last = begins + 1;
            if (ends != STEP_NEVER && ends >= last) last = ends + 1;
        }
        first += last;
    }
    assert(all->n == n);
    assert_costly(witness_has_no_operation_twice(h, all));
}
