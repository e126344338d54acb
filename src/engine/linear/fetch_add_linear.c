/* A counter that only goes one way and whose changes all know the count: no count comes twice, so the order is forced.
 * The operations are sorted by the count before them, observers first; that order is a linearization or there is
 * none.
 *
 * A gap between two counts was filled by pending changes. Of those with one amount the one that was called first may
 * as well be used first: it never returns, so it fits wherever the other does. A gap is filled by as few as possible;
 * where that leads nowhere another choice might, and the engine gives up. */
#include "engine/linear/counted.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/self_check.h"
#include "history/rank.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct count_chain {
    const problem *p;
    uint32_t *position; /* of the operations that count, by call; then in the forced order */
    int64_t *key;       /* 2 * count before, + 1 for a change */
    int64_t *after;     /* the count behind it */
    uint32_t n;
    bool downwards;
    struct gap_filler *filler; /* pending changes by amount, then by call */
    uint32_t fillers;
    struct filler_group *group; /* of one amount, ascending */
    uint32_t groups;
} count_chain;

typedef struct gap_filler {
    int64_t amount;
    uint32_t position;
} gap_filler;

typedef struct filler_group {
    int64_t amount;
    uint32_t next, end; /* the first one that is left */
} filler_group;

static void gather(count_chain *c) {
    const problem *p = c->p;
    for (uint32_t i = 0; i < p->n; i++) {
        counter_effect view;
        text unused = {0};
        if (problem_stopped(p, i)) return;
        counted_of(p, i, &view, &unused);
        if (!view.known) {
            if (!view.observes) c->filler[c->fillers++] = (gap_filler){c->downwards ? -view.change : view.change, i};
            continue;
        }
        int64_t before = view.before, change = view.change;
        if (c->downwards) {
            before = -before;
            change = -change;
        }
        assert(change >= 0 && (change > 0) == !view.observes);
        c->position[c->n] = i;
        c->after[c->n] = before + change;
        c->key[c->n++] = 2 * before + !view.observes;
    }
}

/* ---- gaps ---- */

static int by_amount(const void *p, const void *q) {
    const gap_filler *a = p, *b = q;
    if (a->amount != b->amount) return a->amount < b->amount ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

static void group_fillers(count_chain *c) {
    qsort(c->filler, c->fillers, sizeof *c->filler, by_amount);
    for (uint32_t i = 0; i < c->fillers; i++) {
        if (!c->groups || c->group[c->groups - 1].amount != c->filler[i].amount)
            c->group[c->groups++] = (filler_group){.amount = c->filler[i].amount, .next = i};
        c->group[c->groups - 1].end = i + 1;
    }
}

static uint32_t call_of(const count_chain *c, uint32_t filler) {
    return c->p->h->call[c->p->op[c->filler[filler].position]];
}

/* Exactly `more` pending changes, called before `ret`, that make up the gap; from group `at` downwards. They are taken,
 * their numbers in `used`. */
static bool take_fillers(count_chain *c, int64_t gap, unsigned more, uint32_t at, uint32_t ret, uint32_t *used) {
    if (!more) return gap == 0;
    for (uint32_t g = at; g-- > 0;) {
        filler_group *x = &c->group[g];
        if (x->amount > gap || x->amount * more < gap) {
            if (x->amount > gap) continue;
            return false; /* all that are left are too small */
        }
        if (x->next == x->end || call_of(c, x->next) > ret) continue;
        *used = x->next++;
        if (take_fillers(c, gap - x->amount, more - 1, g + 1, ret, used + 1)) return true;
        x->next--;
    }
    return false;
}

enum { FILLERS_MOST = 4 };

/* As few as possible; 0: not with a few. */
static unsigned fill_gap(count_chain *c, int64_t gap, uint32_t ret, uint32_t used[FILLERS_MOST]) {
    for (unsigned n = 1; n <= FILLERS_MOST; n++)
        if (take_fillers(c, gap, n, c->groups, ret, used)) return n;
    return 0;
}

typedef enum chain_end { CHAIN_WHOLE, CHAIN_GAP, CHAIN_WRONG } chain_end;

/* Fills the log; operations of one count that are out of order or counts that cannot be are CHAIN_WRONG. */
static chain_end walk(count_chain *c, const uint32_t *order, witness *w) {
    int64_t count = 0;
    uint32_t latest_call = 0;
    bool filled = false;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t i = order ? order[k] : k, op = c->p->op[c->position[i]];
        int64_t before = c->key[i] >> 1;
        assert(!k || c->key[order ? order[k - 1] : k - 1] <= c->key[i]);
        if (before < count) return filled ? CHAIN_GAP : CHAIN_WRONG;
        uint32_t used[FILLERS_MOST];
        unsigned fillers = before > count ? fill_gap(c, before - count, c->p->h->ret[op], used) : 0;
        if (before > count && !fillers) return CHAIN_GAP;
        filled |= fillers > 0;
        for (unsigned f = 0; f < fillers; f++) {
            const gap_filler *x = &c->filler[used[f]];
            uint32_t called = call_of(c, used[f]);
            if (called > latest_call) latest_call = called;
            order_log_add(w, c->p->op[x->position], counted_result(c->p, x->position, c->downwards ? -count : count));
            count += x->amount;
        }
        if (c->p->h->call[op] > latest_call) latest_call = c->p->h->call[op];
        if (c->p->h->ret[op] < latest_call) return filled ? CHAIN_GAP : CHAIN_WRONG;
        order_log_add(w, op, c->p->h->res[op]);
        count = c->after[i];
    }
    return CHAIN_WHOLE;
}

static bool accepts_one_way(const problem *p, text *why_not) {
    bool up = false, down = false, silent = false;
    for (uint32_t i = 0; i < p->n; i++) {
        counter_effect view;
        if (!counted_of(p, i, &view, why_not)) return false;
        up |= view.change > 0;
        down |= view.change < 0;
        silent |= !view.observes && !view.known && !history_pending(p->h, p->op[i]);
    }
    if (up && down) text_add(why_not, "needs changes that all go one way");
    else if (silent) text_add(why_not, "needs the results of all changes");
    return !(up && down) && !silent;
}

static bool goes_down(const problem *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        counter_effect view;
        text unused = {0};
        counted_of(p, i, &view, &unused);
        if (view.change) return view.change < 0;
    }
    return false;
}

static void decide_chain(const problem *p, outcome *out) {
    count_chain c = {.p = p,
                     .position = MEM_ARRAY(uint32_t, p->n),
                     .key = MEM_ARRAY(int64_t, p->n),
                     .after = MEM_ARRAY(int64_t, p->n),
                     .filler = MEM_ARRAY(gap_filler, p->n + 1),
                     .group = MEM_ARRAY(filler_group, p->n + 1),
                     .downwards = goes_down(p)};
    gather(&c);
    group_fillers(&c);
    witness w;
    order_log_init(&w, c.n + c.fillers);
    uint32_t *order = rank_sort(c.key, c.n);
    chain_end end = walk(&c, order, &w);
    if (budget_spent(p->budget)) {
        outcome_stopped(p, out);
    } else if (end == CHAIN_WHOLE) {
        out->verdict = VERDICT_LINEARIZABLE;
        out->witness = w;
        w = (witness){0};
    } else if (end == CHAIN_GAP && c.fillers) {
        snprintf(out->why, sizeof out->why, "cannot tell which pending operations filled a gap");
    } else {
        outcome_violation(out, RANK_NEVER);
    }
    witness_free(&w);
    free(order);
    free(c.position);
    free(c.key);
    free(c.after);
    free(c.filler);
    free(c.group);
}

ENGINE_RECORD(engine_fetch_add_linear, "fetch-add-linear", "counters that go one way and say so: the order is forced",
              .growth = "n", .objects = "fetch-add counter", .promises = PROMISES_SOUND | PROMISES_WITNESS,
              .cost = COST_NEAR_LINEAR, .accepts = accepts_one_way, .decide = decide_chain);
