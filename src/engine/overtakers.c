#include "engine/overtakers.h"

#include "base/mem.h"
#include "engine/rank_order.h"

#include <stdlib.h>

/* The removed values by the opening of their removals, in a tree. */
typedef struct tree {
    const stage *s;
    uint32_t *value;  /* by place */
    uint32_t n, leaves;
    const uint32_t *priority;
    uint64_t *least;  /* of each range: the first push of a stack, the worst priority of a priority queue */
    uint32_t *last_closes; /* the last return of a removal */
    overtakers *out;
    uint32_t x, limit, used, room;
    uint32_t end;     /* places from here on open after x's pop returns */
} tree;

static void tree_init(tree *t, const stage *s) {
    uint32_t n = s->c.values;
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)n);
    for (uint32_t v = 0; v < n; v++)
        if (!is_left(s, v)) all[t->n++] = (ranked){s->opens[v], v};
    ranked *sorted = rank_order(all, all + n, t->n);
    for (t->leaves = 1; t->leaves < t->n;) t->leaves *= 2;
    t->value = MEM_ARRAY(uint32_t, t->n);
    t->least = MEM_ARRAY(uint64_t, 2 * (size_t)t->leaves);
    t->last_closes = MEM_ARRAY(uint32_t, 2 * (size_t)t->leaves);
    for (uint32_t i = 0; i < t->leaves; i++) {
        bool real = i < t->n;
        if (real) t->value[i] = sorted[i].item;
        t->least[t->leaves + i] = !real ? UINT64_MAX : t->priority ? t->priority[sorted[i].item] : s->lo[sorted[i].item];
        t->last_closes[t->leaves + i] = real ? s->closes[sorted[i].item] : 0;
    }
    for (uint32_t i = t->leaves; i-- > 1;) {
        t->least[i] = t->least[2 * i] < t->least[2 * i + 1] ? t->least[2 * i] : t->least[2 * i + 1];
        t->last_closes[i] = t->last_closes[2 * i] > t->last_closes[2 * i + 1] ? t->last_closes[2 * i] : t->last_closes[2 * i + 1];
    }
    free(all);
}

static void report(tree *t, uint32_t y) {
    if (t->used == t->room) t->out->list = MEM_GROW(t->out->list, uint32_t, t->room = t->room ? 2 * t->room : 1024);
    t->out->list[t->used++] = y;
    if (t->used - t->out->start[t->x] > t->limit) t->out->many[t->x] = 1;
}

static void visit(tree *t, uint32_t node, uint32_t from, uint32_t to) {
    const stage *s = t->s;
    if (from >= t->end || t->out->many[t->x]) return;
    uint64_t below = t->priority ? t->priority[t->x] : s->hi[t->x];
    if (t->least[node] >= below || moment_of(t->last_closes[node]) <= s->lo[t->x]) return;
    if (to - from == 1) {
        if (t->value[from] != t->x) report(t, t->value[from]);
        return;
    }
    uint32_t middle = from + (to - from) / 2;
    visit(t, 2 * node, from, middle);
    visit(t, 2 * node + 1, middle, to);
}

uint32_t overtakers_limit(const stage *s) {
    enum { PER_OVERTAKING = 4, AT_LEAST = 64, MOST = 1 << 10 };
    return PER_OVERTAKING * (s->overtaken < MOST ? s->overtaken : MOST) + AT_LEAST;
}

void overtakers_init(overtakers *o, const stage *s, const uint32_t *priority, uint32_t limit) {
    uint32_t n = s->c.values;
    *o = (overtakers){.start = MEM_ARRAY(uint32_t, (size_t)n + 1), .many = mem_zero(n, 1)};
    tree t = {.s = s, .out = o, .limit = limit, .priority = priority};
    tree_init(&t, s);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t low = 0, high = t.n;
        o->start[v] = t.used;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (s->opens[t.value[middle]] < s->closes[v]) low = middle + 1;
            else high = middle;
        }
        t.x = v;
        t.end = low;
        if (t.n) visit(&t, 1, 0, t.leaves);
        if (o->many[v]) t.used = o->start[v];
    }
    o->start[n] = t.used;
    free(t.value);
    free(t.least);
    free(t.last_closes);
}

void overtakers_free(overtakers *o) {
    free(o->start);
    free(o->list);
    free(o->many);
}
