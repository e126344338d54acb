#include "evidence/steps_check.h"

#include <assert.h>

enum { MAX_STATES = 1 << 12 };

typedef struct steps_checking {
    const history *h;
    const object *o;
    const witness *w;
    uint32_t *place; /* by operation: in the witness; UINT32_MAX: not there */
    text *wrong;
    void (*visit)(void *context, const step_view *v); /* may be NULL */
    void *context;
} steps_checking;

static bool refuse(const steps_checking *c, uint32_t i, const char *what) {
    text_printf(c->wrong, "operation #%u %s", history_number(c->h, i), what);
    return false;
}

static bool lasts(const steps_checking *c, uint32_t k) { return c->w->begins[k] != c->w->ends[k]; }

static bool check_one(const steps_checking *c, uint32_t k) {
    const witness *w = c->w;
    uint32_t i = w->op[k];
    if (c->place[i] != UINT32_MAX) return refuse(c, i, "occurs twice");
    c->place[i] = k;
    if (w->ends[k] == STEP_NEVER && !history_pending(c->h, i)) return refuse(c, i, "returned and never ends");
    if (w->ends[k] < w->begins[k]) return refuse(c, i, "ends before it begins");
    if (lasts(c, k) && !object_has_intervals(c->o)) return refuse(c, i, "lasts for more than one step");
    if (!history_pending(c->h, i) && w->res && w->res[k] != c->h->res[i])
        return refuse(c, i, "has another result than the recorded one");
    return true;
}

/* Completed operations exactly once, with the results they returned; pending ones at most once. */
static bool check_operations(const steps_checking *c) {
    for (uint32_t k = 0; k < c->w->n; k++) {
        if (c->w->op[k] >= c->h->n) {
            text_printf(c->wrong, "operation %u does not exist", c->w->op[k]);
            return false;
        }
        if (!check_one(c, k)) return false;
    }
    for (uint32_t i = 0; i < c->h->n; i++)
        if (c->place[i] == UINT32_MAX && !history_pending(c->h, i)) return refuse(c, i, "is missing");
    return true;
}

typedef struct step_place { /* an operation of the part, where it begins */
    uint32_t begins, k;
} step_place;

static int by_step(const void *a, const void *b) {
    const step_place *x = a, *y = b;
    if (x->begins != y->begins) return x->begins < y->begins ? -1 : 1;
    return x->k < y->k ? -1 : x->k > y->k;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The calls and returns of those that are in the witness, by rank: the rank in the upper half, the operation in the
 * lower. */
static uint64_t *events_of(const steps_checking *c, const uint32_t *op, uint32_t n, uint32_t *count) {
    uint64_t *event = MEM_ARRAY(uint64_t, 2 * (size_t)n + 1);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (c->place[op[i]] == UINT32_MAX) continue;
        event[(*count)++] = (uint64_t)c->h->call[op[i]] << 32 | op[i];
        if (!history_pending(c->h, op[i])) event[(*count)++] = (uint64_t)c->h->ret[op[i]] << 32 | op[i];
    }
    qsort(event, *count, sizeof *event, ascending);
    for (uint32_t e = 1; e < *count; e++) assert(event[e - 1] >> 32 < event[e] >> 32); /* one event a rank */
    return event;
}

/* Who returned before another was called has ended before the step in which that one begins. Along the events: whatever
 * is called begins behind the last end of all that have returned. */
static bool check_order(const steps_checking *c, const uint32_t *op, uint32_t n) {
    uint32_t events, behind = 0; /* steps from here on are behind all that have returned */
    uint64_t *event = events_of(c, op, n, &events);
    bool good = true;
    for (uint32_t e = 0; e < events && good; e++) {
        uint32_t i = (uint32_t)event[e], k = c->place[i];
        bool is_call = event[e] >> 32 == c->h->call[i];
        if (is_call && c->w->begins[k] < behind)
            good = refuse(c, i, "begins no later than one ends that returned before it was called");
        else if (!is_call && c->w->ends[k] >= behind) behind = c->w->ends[k] + 1;
    }
    free(event);
    return good;
}

/* ---- the replay ---- */

typedef struct states { /* that the object may be in, all different: nearly always one */
    state *at;
    uint32_t n, room;
} states;

static void states_add(states *s, const state *one) {
    for (uint32_t i = 0; i < s->n; i++)
        if (state_equal(&s->at[i], one)) return;
    if (s->n == s->room) {
        s->at = MEM_GROW(s->at, state, s->room = s->room ? 2 * s->room : 2);
        memset(s->at + s->n, 0, (s->room - s->n) * sizeof *s->at);
    }
    state_copy(&s->at[s->n++], one);
}

static void states_free(states *s) {
    for (uint32_t i = 0; i < s->room; i++) state_free(&s->at[i]);
    free(s->at);
}

/* All outcomes of the step with the results that the operations in `t` have. */
static bool replay_step(const steps_checking *c, const together *t, const states *now, states *next) {
    value res[TOGETHER_MAX];
    state after = {0};
    next->n = 0;
    for (uint32_t i = 0; i < now->n; i++) {
        step_result r = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE && next->n <= MAX_STATES; choice++) {
            state_copy(&after, &now->at[i]);
            r = c->o->type->together->step(c->o, &after, t, choice, res);
            if (r != STEP_ILLEGAL) states_add(next, &after);
        }
    }
    state_free(&after);
    return next->n > 0 && next->n <= MAX_STATES;
}

typedef struct part_replay {
    operation op[TOGETHER_MAX]; /* that take part now */
    uint32_t k[TOGETHER_MAX];   /* their places in the witness */
    uint32_t n;
} part_replay;

static bool take_part(const steps_checking *c, part_replay *p, uint32_t k) {
    if (p->n == TOGETHER_MAX) {
        text_printf(c->wrong, "more than %d operations take part in one step", TOGETHER_MAX);
        return false;
    }
    operation *op = &p->op[p->n];
    history_operation(c->h, c->w->op[k], op);
    if (op->ret == RANK_NEVER && c->w->res && c->w->ends[k] != STEP_NEVER) op->res = c->w->res[k];
    p->k[p->n++] = k;
    return true;
}

static void leave(part_replay *p, uint32_t step, const witness *w) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (w->ends[p->k[i]] == step) continue;
        p->op[kept] = p->op[i];
        p->k[kept++] = p->k[i];
    }
    assert(kept <= p->n);
    p->n = kept;
}

static bool run_step(const steps_checking *c, part_replay *p, uint32_t step, states *now, states *next) {
    together t = {.n = 0};
    for (uint32_t i = 0; i < p->n; i++)
        together_add(&t, &p->op[i], c->w->begins[p->k[i]] == step, c->w->ends[p->k[i]] == step);
    bool good = t.ends != 0 && replay_step(c, &t, now, next);
    if (!good) {
        text_printf(c->wrong, "step %u of %u operations, from #%u on, is none that the object can take", step, p->n,
                    history_number(c->h, c->w->op[p->k[0]]));
        return false;
    }
    if (c->visit) c->visit(c->context, &(step_view){.number = step, .t = &t, .after = next->at, .states = next->n});
    states swap = *now;
    *now = *next;
    *next = swap;
    leave(p, step, c->w);
    return true;
}

static bool begins_somewhere(const step_place *at, uint32_t n, uint32_t step) {
    uint32_t low = 0;
    while (n) {
        uint32_t half = n / 2;
        if (at[low + half].begins < step) low += n - half;
        n = half;
    }
    return at[low].begins == step;
}

/* In every step an operation begins and one ends. */
static bool check_ends(const steps_checking *c, const step_place *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t ends = c->w->ends[at[i].k];
        if (ends != STEP_NEVER && (ends > at[n - 1].begins || !begins_somewhere(at, n, ends)))
            return refuse(c, c->w->op[at[i].k], "ends in a step in which none begins");
    }
    return true;
}

static bool replay_steps(const steps_checking *c, const step_place *at, uint32_t n) {
    states now = {.n = 0}, next = {.n = 0};
    part_replay p = {.n = 0};
    state first = {0};
    c->o->type->init(c->o, &first);
    states_add(&now, &first);
    state_free(&first);
    bool good = true;
    for (uint32_t i = 0; i < n && good;) {
        uint32_t step = at[i].begins;
        for (; i < n && at[i].begins == step && good; i++) good = take_part(c, &p, at[i].k);
        good = good && run_step(c, &p, step, &now, &next);
    }
    states_free(&now);
    states_free(&next);
    return good;
}

static bool check_part(const steps_checking *c, const uint32_t *op, uint32_t n) {
    step_place *at = MEM_ARRAY(step_place, n + 1);
    uint32_t there = 0;
    for (uint32_t i = 0; i < n; i++)
        if (c->place[op[i]] != UINT32_MAX) at[there++] = (step_place){c->w->begins[c->place[op[i]]], c->place[op[i]]};
    assert(there <= n);
    qsort(at, there, sizeof *at, by_step);
    bool good = check_order(c, op, n) && check_ends(c, at, there) && replay_steps(c, at, there);
    free(at);
    return good;
}

bool steps_walk(const history *h, const object *o, const witness *w, void (*visit)(void *context, const step_view *v),
                void *context, text *wrong) {
    if (w->n && (!w->begins || !w->ends)) {
        text_add(wrong, "the witness says nothing of steps");
        return false;
    }
    steps_checking c = {
        .h = h, .o = o, .w = w, .place = MEM_ARRAY(uint32_t, h->n), .wrong = wrong, .visit = visit, .context = context};
    for (uint32_t i = 0; i < h->n; i++) c.place[i] = UINT32_MAX;
    bool good = check_operations(&c);
    partition *parts = object_partition(o, h);
    for (uint32_t p = 0; p < parts->count && good; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        good = check_part(&c, op, n);
    }
    partition_free(parts);
    free(c.place);
    return good;
}

bool steps_check(const history *h, const object *o, const witness *w, text *wrong) {
    return steps_walk(h, o, w, NULL, NULL, wrong);
}
