#include "engine/linear/order_repair.h"

#include "base/mem.h"
#include "engine/order_log.h"
#include "engine/rank_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, FIRST_EXTRA = 2, GROWTH = 8, WINDOW_MOST = 4096 };

typedef struct misfit { /* an observer without a place, and the window that it needs: places from a up to b */
    uint32_t x, a, b, extra;
} misfit;

typedef struct order_window {
    uint32_t a, b, first, misfits; /* those of its misfits, in the sorted list */
    witness found;
} order_window;

typedef struct repair {
    const order_to_repair *in;
    misfit *misfit;
    uint32_t misfits;
    order_window *window;
    uint32_t windows;
    uint32_t *by_place, *start; /* observers that have places, and where those of each place begin */
} repair;

static void index_places(repair *r) {
    const order_to_repair *in = r->in;
    r->start = mem_zero((size_t)in->o->n + 3, sizeof *r->start);
    r->by_place = MEM_ARRAY(uint32_t, in->looses + 1);
    for (uint32_t x = 0; x < in->looses; x++)
        if (in->place[x] != PLACE_NONE) r->start[in->place[x] + 2]++;
    for (uint32_t k = 0; k <= in->o->n; k++) r->start[k + 2] += r->start[k + 1];
    for (uint32_t x = 0; x < in->looses; x++)
        if (in->place[x] != PLACE_NONE) r->by_place[r->start[in->place[x] + 1]++] = x;
}

static void find_misfits(repair *r) {
    const order_to_repair *in = r->in;
    r->misfit = MEM_ARRAY(misfit, in->looses + 1);
    for (uint32_t x = 0; x < in->looses; x++)
        if (in->place[x] == PLACE_NONE) r->misfit[r->misfits++] = (misfit){.x = x, .extra = FIRST_EXTRA};
}

/* ---- windows ---- */

static bool may_cut(const order_to_repair *in, uint32_t place) {
    return place == 0 || place == in->o->n || in->begins[place];
}

/* Begins before all places that time allows it, so that whatever follows it in time is inside or behind. */
static void measure_window(const order_to_repair *in, misfit *m) {
    uint32_t more = m->extra;
    m->a = in->room[m->x].from;
    for (m->a -= m->a > 0; m->a > 0 && (!may_cut(in, m->a) || more--); m->a--) {}
    more = m->extra;
    m->b = in->room[m->x].to;
    for (; m->b < in->o->n && (!may_cut(in, m->b) || more--); m->b++) {}
}

static int by_begin(const void *p, const void *q) {
    const misfit *a = p, *b = q;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return a->x < b->x ? -1 : a->x > b->x;
}

static void make_windows(repair *r) {
    for (uint32_t i = 0; i < r->misfits; i++) measure_window(r->in, &r->misfit[i]);
    qsort(r->misfit, r->misfits, sizeof *r->misfit, by_begin);
    r->windows = 0;
    for (uint32_t i = 0; i < r->misfits; i++) {
        const misfit *m = &r->misfit[i];
        order_window *last = r->windows ? &r->window[r->windows - 1] : NULL;
        if (last && m->a < last->b) {
            last->misfits++;
            if (m->b > last->b) last->b = m->b;
        } else {
            r->window[r->windows++] = (order_window){.a = m->a, .b = m->b, .first = i, .misfits = 1};
        }
    }
}

static int ascending(const void *p, const void *q) {
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

/* Observers that stand at the end of the window see what is held there: they are part of it. */
static uint32_t *window_operations(const repair *r, const order_window *v, uint32_t *n) {
    const order_to_repair *in = r->in;
    uint32_t from = r->start[v->a ? v->a + 1 : 0], to = r->start[v->b + 1];
    uint32_t *op = MEM_ARRAY(uint32_t, (size_t)(v->b - v->a) + (to - from) + v->misfits + 1);
    *n = 0;
    for (uint32_t k = v->a; k < v->b; k++) op[(*n)++] = in->p->op[in->o->position[k]];
    for (uint32_t i = from; i < to; i++) op[(*n)++] = in->p->op[in->loose[r->by_place[i]].position];
    for (uint32_t i = 0; i < v->misfits; i++) op[(*n)++] = in->p->op[in->loose[r->misfit[v->first + i].x].position];
    qsort(op, *n, sizeof *op, ascending);
    return op;
}

static bool solve(const repair *r, order_window *v) {
    problem part = *r->in->p;
    object begun = *part.o;
    outcome out;
    uint32_t *op = window_operations(r, v, &part.n);
    begun.init = r->in->o->holds[v->a];
    part.o = &begun;
    part.op = op;
    part.furthest = NULL;
    part.setting = NULL;
    outcome_init(&out);
    if (part.n <= WINDOW_MOST) engine_find("search")->decide(&part, &out);
    bool good = out.verdict == VERDICT_LINEARIZABLE;
    if (good) {
        v->found = out.witness;
        out.witness = (witness){0};
    }
    outcome_free(&out);
    free(op);
    return good;
}

static void forget_windows(repair *r) {
    for (uint32_t i = 0; i < r->windows; i++) witness_free(&r->window[i].found);
}

/* All windows; those that have no order are larger in the next round. */
static bool solve_all(repair *r) {
    bool good = true;
    make_windows(r);
    for (uint32_t i = 0; i < r->windows && !budget_check_clock(r->in->p->budget); i++) {
        order_window *v = &r->window[i];
        if (solve(r, v)) continue;
        good = false;
        for (uint32_t k = 0; k < v->misfits; k++) r->misfit[v->first + k].extra *= GROWTH;
    }
    return good && !budget_spent(r->in->p->budget);
}

/* ---- the whole ---- */

static value result_of(const problem *p, uint32_t position) {
    value res = p->h->res[p->op[position]];
    if (res != VALUE_UNKNOWN) return res;
    const method *m = &p->o->type->methods[p->h->method[p->op[position]]];
    return m->result == RESULT_BOOL ? VALUE_TRUE : VALUE_NONE; /* a compare-and-set that counts succeeded */
}

static void tell(const problem *p, uint32_t position, witness *w) {
    order_log_add(w, p->op[position], result_of(p, position));
}

static void tell_observers(const repair *r, uint32_t place, witness *w) {
    for (uint32_t i = r->start[place]; i < r->start[place + 1]; i++)
        tell(r->in->p, r->in->loose[r->by_place[i]].position, w);
}

static void tell_window(const order_window *v, witness *w) {
    for (uint32_t i = 0; i < v->found.n; i++) order_log_add(w, v->found.op[i], v->found.res[i]);
}

static void tell_all(const repair *r, witness *w) {
    const value_order *o = r->in->o;
    order_log_init(w, o->n + r->in->looses);
    uint32_t next = 0;
    bool told = false; /* the observers at this place */
    for (uint32_t k = 0; k <= o->n;) {
        const order_window *v = next < r->windows && r->window[next].a == k ? &r->window[next] : NULL;
        if (!told && !(v && k == 0)) tell_observers(r, k, w);
        if (v) {
            tell_window(v, w);
            next++;
            told = true;
            if (k == v->b) break; /* nothing but observers */
            k = v->b;
            continue;
        }
        told = false;
        if (k < o->n) tell(r->in->p, o->position[k], w);
        k++;
    }
    assert(next == r->windows);
}

bool order_repair(const order_to_repair *in, witness *w) {
    repair r = {.in = in};
    bool good = false;
    index_places(&r);
    find_misfits(&r);
    r.window = mem_zero((size_t)r.misfits + 1, sizeof *r.window);
    for (unsigned round = 0; round < ROUNDS && !good && !budget_spent(in->p->budget); round++) {
        good = solve_all(&r);
        if (good) tell_all(&r, w);
        forget_windows(&r);
    }
    free(r.window);
    free(r.misfit);
    free(r.by_place);
    free(r.start);
    return good;
}
