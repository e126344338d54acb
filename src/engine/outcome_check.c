#include "engine/outcome_check.h"

#include "engine/self_check.h"

bool problem_is_sound(const problem *p) {
    if (!words_ascend(p->op, p->n) || (p->n && p->op[p->n - 1] >= p->h->n)) return false;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        if (p->h->call[op] >= p->h->ret[op]) return false;
        if (i && p->h->call[p->op[i - 1]] >= p->h->call[op]) return false;
    }
    return true;
}

/* by operation of the history: 1 in the part, 2 in the part and in the witness; NULL: one is foreign or there twice */
static uint8_t *mark_members(const problem *p, const witness *w) {
    uint8_t *mark = mem_zero((size_t)p->h->n + 1, sizeof *mark);
    for (uint32_t i = 0; i < p->n; i++) mark[p->op[i]] = 1;
    for (uint32_t k = 0; k < w->n; k++) {
        if (w->op[k] >= p->h->n || mark[w->op[k]] != 1) {
            free(mark);
            return NULL;
        }
        mark[w->op[k]] = 2;
    }
    return mark;
}

static bool has_all_that_returned(const problem *p, const uint8_t *mark) {
    for (uint32_t i = 0; i < p->n; i++)
        if (mark[p->op[i]] != 2 && !history_pending(p->h, p->op[i])) return false;
    return true;
}

static bool line_respects_time(const problem *p, const witness *w) {
    uint32_t latest_call = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t call = p->h->call[w->op[k]];
        if (call > latest_call) latest_call = call;
        if (p->h->ret[w->op[k]] < latest_call) return false;
    }
    return true;
}

/* No operation begins in or before the step in which one ends that returned before its call. By step: the earliest
 * return of those that end in it or later must not precede a call of those that begin in it or earlier. */
static bool steps_respect_time(const problem *p, const witness *w, bool complete) {
    uint32_t steps = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        if (w->ends[k] != STEP_NEVER && w->ends[k] < w->begins[k]) return false;
        if (complete && w->ends[k] == STEP_NEVER && !history_pending(p->h, w->op[k])) return false;
        if (w->begins[k] >= steps) steps = w->begins[k] + 1;
        if (w->ends[k] != STEP_NEVER && w->ends[k] >= steps) steps = w->ends[k] + 1;
    }
    uint32_t *latest_call = mem_zero((size_t)steps + 1, sizeof *latest_call);
    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t call = p->h->call[w->op[k]], *at = &latest_call[w->begins[k]];
        if (call > *at) *at = call;
    }
    for (uint32_t s = 1; s < steps; s++)
        if (latest_call[s] < latest_call[s - 1]) latest_call[s] = latest_call[s - 1];
    bool good = true;
    for (uint32_t k = 0; k < w->n && good; k++)
        good = w->ends[k] == STEP_NEVER || p->h->ret[w->op[k]] > latest_call[w->ends[k]];
    free(latest_call);
    return good;
}

static bool line_respects_clients(const problem *p, const witness *w) {
    uint32_t clients = 0;
    for (uint32_t k = 0; k < w->n; k++)
        if (history_client(p->h, w->op[k]) >= clients) clients = history_client(p->h, w->op[k]) + 1;
    uint32_t *latest_call = mem_zero((size_t)clients + 1, sizeof *latest_call);
    bool good = true;
    for (uint32_t k = 0; k < w->n && good; k++) {
        uint32_t *latest = &latest_call[history_client(p->h, w->op[k])], call = p->h->call[w->op[k]];
        if (call > *latest) *latest = call;
        good = p->h->ret[w->op[k]] >= *latest;
    }
    free(latest_call);
    return good;
}

bool witness_is_sound(const problem *p, const witness *w, bool complete) {
    uint8_t *mark = mark_members(p, w);
    if (!mark) return false;
    bool good = !complete || has_all_that_returned(p, mark);
    free(mark);
    return good && (w->begins                                ? steps_respect_time(p, w, complete)
                    : criterion_keeps_time(&p->o->criterion) ? line_respects_time(p, w)
                                                             : line_respects_clients(p, w));
}

static bool pattern_is_sound(const problem *p, const uint32_t *pattern, uint32_t n) {
    if (!words_ascend(pattern, n)) return false;
    uint32_t i = 0;
    for (uint32_t k = 0; k < n; k++) {
        while (i < p->n && p->op[i] < pattern[k]) i++;
        if (i == p->n || p->op[i] != pattern[k]) return false;
    }
    return true;
}

bool outcome_is_sound(const engine *g, const problem *p, const outcome *out) {
    switch (out->verdict) {
    case VERDICT_LINEARIZABLE:
        if (out->pattern_n || !(g->promises & PROMISES_WITNESS)) return !out->pattern_n && !out->witness.n;
        return witness_is_sound(p, &out->witness, true);
    case VERDICT_VIOLATION:
        return g->promises & PROMISES_SOUND && !out->witness.n && pattern_is_sound(p, out->pattern, out->pattern_n);
    case VERDICT_UNDECIDED: return !out->witness.n && !out->pattern_n && witness_is_sound(p, &out->prefix, false);
    }
    return false;
}
