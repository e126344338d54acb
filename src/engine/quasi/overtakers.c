#include "engine/quasi/overtakers.h"

#include "base/mem.h"
#include "engine/rank_order.h"
#include "engine/self_check.h"

#include <stdlib.h>

static uint64_t key_of(const overtakers *o, uint32_t v) { return o->priority ? o->priority[v] : o->s->lo[v]; }

static uint32_t enough_to_list(const stage *s) {
    enum { PER_OVERTAKING = 4, AT_LEAST = 64, MOST = 1 << 10 };
    return PER_OVERTAKING * (s->overtaken < MOST ? s->overtaken : MOST) + AT_LEAST;
}

static void fill_tree(overtakers *o, const ranked *sorted) {
    o->value = MEM_ARRAY(uint32_t, o->places);
    o->least = MEM_ARRAY(uint64_t, 2 * (size_t)o->leaves);
    o->last_closes = MEM_ARRAY(uint32_t, 2 * (size_t)o->leaves);
    for (uint32_t i = 0; i < o->leaves; i++) {
        bool real = i < o->places;
        if (real) o->value[i] = sorted[i].item;
        assert(!real || !i || sorted[i - 1].rank < sorted[i].rank);
        o->least[o->leaves + i] = real ? key_of(o, sorted[i].item) : UINT64_MAX;
        o->last_closes[o->leaves + i] = real ? o->s->closes[sorted[i].item] : 0;
    }
    for (uint32_t i = o->leaves; i-- > 1;) {
        o->least[i] = o->least[2 * i] < o->least[2 * i + 1] ? o->least[2 * i] : o->least[2 * i + 1];
        o->last_closes[i] =
            o->last_closes[2 * i] > o->last_closes[2 * i + 1] ? o->last_closes[2 * i] : o->last_closes[2 * i + 1];
    }
}

void overtakers_init(overtakers *o, const stage *s, const uint32_t *priority) {
    uint32_t n = s->c.values;
    *o = (overtakers){
        .s = s, .priority = priority, .limit = enough_to_list(s), .of = MEM_ARRAY(overtakers_list, n), .leaves = 1};
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)n);
    for (uint32_t v = 0; v < n; v++) {
        o->of[v].n = OVERTAKERS_NOT_ASKED;
        if (!is_left(s, v)) all[o->places++] = (ranked){s->opens[v], v};
    }
    while (o->leaves < o->places) o->leaves *= 2;
    assert(is_power_of_two(o->leaves));
    fill_tree(o, rank_order(all, all + n, o->places));
    free(all);
}

typedef struct overtaker_query {
    overtakers *o;
    uint32_t x;
    uint64_t below; /* least keys from here on are not overtakers' */
    uint32_t end;   /* places from here on open after x's removal returns */
    bool many;
} overtaker_query;

static void report(overtaker_query *q, uint32_t y) {
    overtakers *o = q->o;
    if (o->used == o->room) o->list = MEM_GROW(o->list, uint32_t, o->room = o->room ? 2 * o->room : 1024);
    assert(y != q->x && o->s->closes[y] != RANK_NEVER);
    o->list[o->used++] = y;
    if (o->used - o->of[q->x].start > o->limit) q->many = true;
}

static void visit(overtaker_query *q, uint32_t node, uint32_t from, uint32_t to) {
    const overtakers *o = q->o;
    if (from >= q->end || q->many) return;
    if (o->least[node] >= q->below || moment_of(o->last_closes[node]) <= o->s->lo[q->x]) return;
    if (to - from == 1) {
        if (o->value[from] != q->x) report(q, o->value[from]);
        return;
    }
    uint32_t middle = from + (to - from) / 2;
    visit(q, 2 * node, from, middle);
    visit(q, 2 * node + 1, middle, to);
}

static uint32_t places_before(const overtakers *o, uint32_t rank) {
    uint32_t low = 0, high = o->places;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (o->s->opens[o->value[middle]] < rank) low = middle + 1;
        else high = middle;
    }
    assert(low == o->places || o->s->opens[o->value[low]] >= rank);
    return low;
}

static void list_overtakers(overtakers *o, uint32_t v) {
    overtakers_list *l = &o->of[v];
    l->start = o->used;
    overtaker_query q = {
        .o = o, .x = v, .below = o->priority ? o->priority[v] : o->s->hi[v], .end = places_before(o, o->s->closes[v])};
    if (o->places) visit(&q, 1, 0, o->leaves);
    if (q.many) o->used = l->start;
    l->n = q.many ? OVERTAKERS_MANY : o->used - l->start;
    assert(q.many || l->n <= o->limit);
}

bool overtakers_of(overtakers *o, uint32_t v, const uint32_t **list, uint32_t *n) {
    overtakers_list *l = &o->of[v];
    if (l->n == OVERTAKERS_NOT_ASKED) list_overtakers(o, v);
    *list = o->list + l->start;
    *n = l->n;
    return l->n != OVERTAKERS_MANY;
}

void overtakers_free(overtakers *o) { FREE_ALL(o->of, o->list, o->value, o->least, o->last_closes); }
