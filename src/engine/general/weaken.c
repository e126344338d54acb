#include "engine/general/weaken.h"

#include "base/mem.h"
#include "engine/rank_order.h"
#include "engine/self_check.h"

void levels_init(levels *l, uint32_t n, uint32_t k) {
    *l = (levels){.k = k, .first = MEM_ARRAY(uint32_t, (size_t)n + 1), .last = MEM_ARRAY(uint32_t, (size_t)n + 1)};
}

void levels_free(levels *l) {
    free(l->first);
    free(l->last);
    *l = (levels){0};
}

static uint32_t lowered(uint32_t level, uint32_t by) {
    return level == LEVEL_OPEN ? level : level > by ? level - by : 0;
}

static void forget(levels *l, uint32_t count) {
    for (uint32_t i = 0; i < l->called; i++) {
        l->first[i] = lowered(l->first[i], count);
        l->last[i] = lowered(l->last[i], count);
    }
    assert(count <= l->top);
    l->top -= count;
    l->forgot = true;
}

void levels_call(levels *l) {
    if (l->returned) {
        l->top++;
        if (l->top > l->k) forget(l, 1);
    }
    assert(l->top <= l->k);
    l->returned = false;
    l->first[l->called] = l->top;
    l->last[l->called++] = LEVEL_OPEN;
}

void levels_return(levels *l, uint32_t position) {
    assert(position < l->called && l->last[position] == LEVEL_OPEN && l->first[position] <= l->top);
    l->returned = true;
    l->last[position] = l->top;
}

SELF_CHECK static bool returns_follow_calls(const uint32_t *event, uint32_t n, uint32_t positions) {
    bool *called = mem_zero((size_t)positions + 1, sizeof *called), good = true;
    for (uint32_t e = 0, next = 0; e < n && good; e++) {
        if (event[e] & 1) good = called[event[e] / 2];
        else good = event[e] / 2 == next++; /* calls in their order */
        called[event[e] / 2] = !(event[e] & 1);
    }
    free(called);
    return good;
}

uint32_t *part_events(const problem *p, uint32_t *count) {
    ranked *all = MEM_ARRAY(ranked, 4 * (size_t)p->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        all[n++] = (ranked){p->h->call[p->op[i]], 2 * i};
        if (!history_pending(p->h, p->op[i])) all[n++] = (ranked){p->h->ret[p->op[i]], 2 * i + 1};
    }
    ranked *sorted = rank_order(all, all + 2 * (size_t)p->n, n);
    uint32_t *event = MEM_ARRAY(uint32_t, (size_t)n + 1);
    for (uint32_t e = 0; e < n; e++) event[e] = sorted[e].item;
    free(all);
    *count = n;
    assert_costly(returns_follow_calls(event, n, p->n));
    return event;
}

void levels_of_part(levels *l, const problem *p, uint32_t k) {
    uint32_t count, *event = part_events(p, &count);
    levels_init(l, p->n, UINT32_MAX);
    for (uint32_t e = 0; e < count; e++) {
        if (event[e] & 1) levels_return(l, event[e] / 2);
        else levels_call(l);
    }
    free(event);
    l->k = k;
    if (l->top > k) forget(l, l->top - k);
    assert(l->called == p->n && l->top <= k);
}

/* In each level all calls come before all returns. Calls stay in order: a later call has no smaller past. */
history *levels_history(const levels *l, const problem *p, uint32_t cut) {
    history *h = history_select(p->h, p->op, l->called, cut);
    ranked *all = MEM_ARRAY(ranked, 4 * (size_t)l->called + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->called; i++) {
        all[n++] = (ranked){2 * l->first[i], 2 * i};
        if (l->last[i] != LEVEL_OPEN) all[n++] = (ranked){2 * l->last[i] + 1, 2 * i + 1};
    }
    const ranked *sorted = rank_order(all, all + 2 * (size_t)l->called, n);
    for (uint32_t e = 0; e < n; e++) {
        uint32_t *column = sorted[e].item & 1 ? h->ret : h->call;
        column[sorted[e].item / 2] = e;
    }
    for (uint32_t i = 0; i < l->called; i++) assert(h->call[i] < h->ret[i] && (!i || h->call[i - 1] < h->call[i]));
    h->events = n;
    free(all);
    return h;
}
