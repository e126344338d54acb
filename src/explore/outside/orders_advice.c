#include "explore/outside/orders_advice.h"

#include "base/budget.h"
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* An exploration has this part of the time, all of them twice the time. */
#define CHECK_SHARE 0.05
#define CHECK_LEAST 0.5
enum { PLACES_MOST = 64, SET_MOST = 3, ORDERS_WEAKEST_FIRST = 6 };

typedef struct advisor {
    const explore_settings *s;
    const criterion *asked;
    const test_program *t;
    const explore_watch *w;
    orders_advice *out;
    unsigned order[PLACES_MOST]; /* that are tried */
    double until;
    error *e;
} advisor;

const char *order_name(unsigned order) {
    static const char *const names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst", "none"};
    return names[order < sizeof names / sizeof *names ? order : 0];
}

/* ---- what may stand at a place ---- */

static bool is_weaker(unsigned a, unsigned than) {
    if (a == than || a == ORDER_SC) return false;
    return than == ORDER_SC || a == ORDER_NONE || (a == ORDER_RELAXED && than != ORDER_NONE) ||
           (than == 4 && a != ORDER_RELAXED);
}

/* The orders of a role, a weaker one before a stronger one; returns how many. */
static unsigned orders_of(unsigned role, unsigned out[ORDERS_WEAKEST_FIRST]) {
    static const unsigned load[] = {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_SC};
    static const unsigned store[] = {ORDER_RELAXED, ORDER_RELEASE, ORDER_SC};
    static const unsigned update[] = {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, 4, ORDER_SC};
    static const unsigned fence[] = {ORDER_NONE, ORDER_ACQUIRE, ORDER_RELEASE, 4, ORDER_SC};
    const bool few = role == ORDER_OF_LOAD || role == ORDER_OF_FAILURE || role == ORDER_OF_STORE;
    const unsigned *from = role == ORDER_OF_STORE ? store : few ? load : role == ORDER_OF_FENCE ? fence : update;
    const unsigned n = few ? 3 : 5;
    memcpy(out, from, n * sizeof *out);
    return n;
}

/* ---- one exploration ---- */

static void list_orders(const advisor *a, text *out) {
    for (unsigned i = 0; i < a->out->places; i++) {
        const order_place *p = &a->out->place[i];
        for (unsigned k = 0; k < p->sites && a->order[i] != p->order; k++)
            text_printf(out, "%s%lx/%u=%u", out->size ? " " : "", (unsigned long)p->site[k].pc, p->role, a->order[i]);
    }
}

static bool is_over(const advisor *a) {
    return a->e->code || (a->w->stop && *a->w->stop) || clock_seconds() > a->until;
}

/* Explores the test under rc11 with the orders that are tried. */
static bool explore_orders(advisor *a, explored_test *x) {
    text list = {0};
    explore_settings s = *a->s;
    list_orders(a, &list);
    s.models = "rc11";
    s.how.model = "rc11";
    s.how.orders = list.size ? text_str(&list) : NULL;
    s.schedule = "/dev/null";
    s.how.seconds = s.how.seconds * CHECK_SHARE > CHECK_LEAST ? s.how.seconds * CHECK_SHARE : CHECK_LEAST;
    const explore_watch quiet = {.stop = a->w->stop};
    a->out->checks++;
    const bool good = explore_test(&s, a->asked, a->t, &quiet, x, a->e);
    x->how.orders = NULL;
    text_free(&list);
    return good;
}

static bool is_exhaustive(const hunt *h) {
    return h->complete == h->programs && h->all_programs && !coverage_has(&h->limits, LIMIT_CUT);
}

static bool passes(advisor *a) {
    explored_test x = {0};
    const bool good = explore_orders(a, &x) && !x.hunt.failed;
    const hunt *h = &x.hunt;
    if (good && !is_exhaustive(h)) a->out->exhaustive = false;
    explored_test_free(&x);
    return good;
}

static bool passes_with(advisor *a, unsigned i, unsigned order) {
    const unsigned before = a->order[i];
    a->order[i] = order;
    const bool good = passes(a);
    a->order[i] = before;
    return good;
}

/* ---- places ---- */

static bool is_at(const order_place *p, const code_place *c, const order_site *s) {
    return p->role == s->role && p->order == s->order && p->where.line == c->line && p->where.file && c->file &&
           !strcmp(p->where.file, c->file);
}

static bool place_add(orders_advice *out, debug_info *d, const order_site *s) {
    const code_place c = d ? debug_info_line(d, s->pc) : (code_place){0};
    order_place *p = out->place;
    for (; p < out->place + out->places && !is_at(p, &c, s);) p++;
    if (p == out->place + out->places) {
        if (out->places == PLACES_MOST) return false;
        *p = (order_place){.where = c, .role = s->role, .order = s->order, .alone = s->order, .together = s->order};
        out->places++;
    }
    p->site = MEM_GROW(p->site, order_site, p->sites + 1);
    p->site[p->sites++] = *s;
    return true;
}

static int by_line(const void *x, const void *y) {
    const order_place *a = x, *b = y;
    const int file = strcmp(a->where.file ? a->where.file : "", b->where.file ? b->where.file : "");
    return file                             ? file
           : a->where.line != b->where.line ? (a->where.line < b->where.line ? -1 : 1)
                                            : (int)a->role - (int)b->role;
}

static bool is_known(const orders_advice *out, const order_site *s) {
    for (const order_place *p = out->place; p < out->place + out->places; p++)
        for (unsigned k = 0; k < p->sites; k++)
            if (p->site[k].pc == s->pc && p->role == s->role) return true;
    return false;
}

static void places_begin(advisor *a, bool strongest) {
    orders_advice *out = a->out;
    qsort(out->place, out->places, sizeof *out->place, by_line);
    for (unsigned i = 0; i < out->places; i++) a->order[i] = strongest ? ORDER_SC : out->place[i].order;
}

/* Places that this exploration came to for the first time; returns how many. */
static unsigned places_take(advisor *a, debug_info *d, const hunt *h) {
    unsigned fresh = 0;
    for (unsigned i = 0; i < h->orders && !a->e->code; i++) {
        if (is_known(a->out, &h->order[i])) continue;
        fresh++;
        if (!place_add(a->out, d, &h->order[i]))
            error_set(a->e, EXIT_UNDECIDED, "more than %d memory orders; expected a smaller test", PLACES_MOST);
    }
    return fresh;
}

static bool is_refused(const hunt *h) {
    const failure_kind kind = h->failure.answer.result.failure;
    return h->failed && (kind == FAILURE_UNMODELLED || kind == FAILURE_DIVERGED);
}

/* Explores with the orders that are tried; `fresh`: so many places were not known before. False: an error. */
static bool places_find(advisor *a, debug_info *d, bool *good, unsigned *fresh) {
    explored_test x = {0};
    const hunt *h = &x.hunt;
    *fresh = 0;
    if (explore_orders(a, &x)) {
        if (is_refused(h))
            error_set(a->e, EXIT_UNDECIDED, "--orders: not looked at under rc11: %s", h->failure.answer.result.message);
        *good = !h->failed;
        *fresh = places_take(a, d, h);
        a->out->exhaustive = h->failed || is_exhaustive(h);
    }
    explored_test_free(&x);
    return !a->e->code;
}

/* The test as it is: what it asks for, and whether it passes. One that fails has not come to all of its places: with
 * those that are known as strong as can be it goes further, or fails whatever they are. */
static bool places_find_all(advisor *a, debug_info *d) {
    orders_advice *out = a->out;
    unsigned fresh;
    if (!places_find(a, d, &out->passes, &fresh)) return false;
    bool good = out->passes;
    while (!good && fresh && !is_over(a)) {
        places_begin(a, true);
        if (!places_find(a, d, &good, &fresh)) return false;
    }
    out->hopeless = !good && !is_over(a);
    places_begin(a, false);
    return true;
}

/* ---- weaker ---- */

static void weaken_alone(advisor *a, unsigned i) {
    order_place *p = &a->out->place[i];
    unsigned order[ORDERS_WEAKEST_FIRST];
    const unsigned n = orders_of(p->role, order);
    for (unsigned k = 0; k < n && !is_over(a); k++)
        if (is_weaker(order[k], p->order) && passes_with(a, i, order[k])) {
            p->alone = order[k];
            break;
        }
    p->tried = !is_over(a);
}

/* What does not pass alone passes in no company: more executions are allowed then. */
static void weaken_together(advisor *a, unsigned i) {
    order_place *p = &a->out->place[i];
    unsigned order[ORDERS_WEAKEST_FIRST];
    const unsigned n = orders_of(p->role, order);
    for (unsigned k = 0; k < n && p->alone != p->order && !is_over(a); k++)
        if (is_weaker(order[k], p->order) && !is_weaker(order[k], p->alone) && passes_with(a, i, order[k])) {
            a->order[i] = p->together = order[k];
            break;
        }
}

static void weaken(advisor *a) {
    for (unsigned i = 0; i < a->out->places; i++) weaken_alone(a, i);
    for (unsigned i = 0; i < a->out->places; i++) weaken_together(a, i);
}

/* ---- stronger ---- */

/* Sets of `left` more places from `from` on. */
static bool strengthen_set(advisor *a, unsigned from, unsigned left) {
    if (!left) return passes(a);
    for (unsigned i = from; i < a->out->places && !is_over(a); i++) {
        if (a->out->place[i].order == ORDER_SC) continue;
        a->order[i] = ORDER_SC;
        if (strengthen_set(a, i + 1, left - 1)) return true;
        a->order[i] = a->out->place[i].order;
    }
    return false;
}

/* As little as is needed at each place of the set. */
static void relent(advisor *a, unsigned i) {
    const order_place *p = &a->out->place[i];
    unsigned order[ORDERS_WEAKEST_FIRST];
    const unsigned n = orders_of(p->role, order);
    for (unsigned k = 0; k < n && a->order[i] != p->order && !is_over(a); k++)
        if (is_weaker(p->order, order[k]) && order[k] != ORDER_SC && passes_with(a, i, order[k])) {
            a->order[i] = order[k];
            return;
        }
}

static void strengthen(advisor *a) {
    orders_advice *out = a->out;
    if (out->hopeless) return;
    for (unsigned n = 1; n <= SET_MOST && !out->mended && !is_over(a); n++) out->mended = strengthen_set(a, 0, n);
    for (unsigned i = 0; i < out->places && out->mended; i++) relent(a, i);
    for (unsigned i = 0; i < out->places && out->mended; i++) out->place[i].together = a->order[i];
}

bool orders_advise(const explore_settings *s, const criterion *asked, const test_program *t, debug_info *d,
                   const explore_watch *w, orders_advice *out, error *e) {
    *out = (orders_advice){.place = MEM_ARRAY(order_place, PLACES_MOST)};
    advisor a = {.s = s, .asked = asked, .t = t, .w = w, .out = out, .e = e};
    a.until = s->how.seconds > 0 ? clock_seconds() + 2 * s->how.seconds : 1e18;
    if (!places_find_all(&a, d)) return false;
    if (out->passes) weaken(&a);
    else strengthen(&a);
    return !e->code;
}

void orders_advice_free(orders_advice *a) {
    for (unsigned i = 0; i < a->places; i++) free(a->place[i].site);
    free(a->place);
    *a = (orders_advice){0};
}
