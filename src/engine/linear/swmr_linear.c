/* A register with one writer: its writes are numbered in their order, and a read is right iff its write had begun and
 * no operation that returned before the read was called wrote or read a later one. One pass over the events, so a
 * violation is found at the first event that shows it. Writes that overlap (equal time stamps, or one that is pending)
 * are refused. */
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/general/sweep.h"
#include "engine/value_index.h"
#include "engine/self_check.h"
#include "object/register.h"

#include <stdio.h>

typedef struct swmr {
    const problem *p;
    uint32_t *number; /* by position: of the write, or of the write it read; 0 is the initial value */
    uint32_t *bound;  /* by position, of reads: the largest number known at the call */
    uint32_t *write;  /* position of the write by number */
    uint32_t writes;
} swmr;

static bool refuse(const problem *p, value v, outcome *out, const char *what) {
    text shown = {0};
    value_print(p->h->values, v, &shown);
    snprintf(out->why, sizeof out->why, "value %.60s is %s", text_str(&shown), what);
    text_free(&shown);
    return false;
}

static bool number_writes(swmr *w, value_index *x, outcome *out) {
    const problem *p = w->p;
    uint32_t last_return = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        if (p->h->method[op] != REGISTER_WRITE) continue;
        value v = p->h->arg[0][op];
        uint32_t *number = value_index_at(x, v);
        if (v == p->o->init) return refuse(p, v, out, "written, and is the initial value");
        if (*number != NO_NUMBER) return refuse(p, v, out, "written twice");
        if (last_return > p->h->call[op]) return refuse(p, v, out, "written while another write is open");
        last_return = p->h->ret[op];
        assert(!w->writes || w->write[w->writes] < i);
        w->number[i] = *number = ++w->writes;
        w->write[w->writes] = i;
    }
    return true;
}

static void number_reads(swmr *w, const value_index *x) {
    const problem *p = w->p;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        if (p->h->method[op] != REGISTER_READ) continue;
        value v = p->h->res[op];
        w->number[i] = history_pending(p->h, op) ? NO_NUMBER : v == p->o->init ? 0 : value_index_find(x, v);
    }
}

static bool gather(swmr *w, outcome *out) {
    const problem *p = w->p;
    value_range range = {0};
    for (uint32_t i = 0; i < p->n; i++)
        if (p->h->method[p->op[i]] == REGISTER_WRITE) value_range_add(&range, p->h->arg[0][p->op[i]]);
    w->write = MEM_ARRAY(uint32_t, range.n + 1);
    value_index x;
    value_index_init(&x, &range);
    bool good = number_writes(w, &x, out);
    if (good) number_reads(w, &x);
    value_index_free(&x);
    return good;
}

static bool is_right(const swmr *w, const sweep_event *read) {
    uint32_t k = w->number[read->at];
    if (k == NO_NUMBER || k < w->bound[read->at]) return false;
    return k == 0 || w->p->h->call[w->p->op[w->write[k]]] < read->rank;
}

/* False at the first read that is wrong. */
static bool run(swmr *w, sweep_event *e) {
    sweep events;
    unsigned ticks = 0;
    uint32_t known = 0;
    bool good = true;
    sweep_init(&events, w->p, RANK_NEVER);
    while (good && sweep_next(&events, e) && !budget_tick(w->p->budget, &ticks)) {
        bool read = w->p->h->method[w->p->op[e->at]] == REGISTER_READ;
        if (!e->is_return) {
            if (read) w->bound[e->at] = known;
            continue;
        }
        good = !read || is_right(w, e);
        if (good && w->number[e->at] > known) known = w->number[e->at];
    }
    sweep_free(&events);
    return good;
}

static void explain(const swmr *w, const sweep_event *e, outcome *out) {
    const problem *p = w->p;
    uint32_t wrong[3] = {e->at}, n = 1, k = w->number[e->at], call = p->h->call[p->op[e->at]];
    if (k != NO_NUMBER && k) wrong[n++] = w->write[k];
    for (uint32_t i = 0; i < p->n && k != NO_NUMBER && k < w->bound[e->at]; i++) {
        if (p->h->ret[p->op[i]] > call || w->number[i] <= k) continue;
        wrong[n++] = i; /* returned before, and knew better */
        break;
    }
    outcome_violation(out, e->rank);
    pattern_from(p, wrong, n, out);
}

/* Each write with its reads, by their calls. */
static void write_witness(const swmr *w, outcome *out) {
    const problem *p = w->p;
    uint32_t *place = mem_zero(w->writes + 2, sizeof *place), n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (w->number[i] != NO_NUMBER) {
            place[w->number[i] + 1]++;
            n++;
        }
    uint32_t last = w->writes ? w->write[w->writes] : 0;
    bool absent = w->writes && history_pending(p->h, p->op[last]) && place[w->writes + 1] == 1;
    for (uint32_t k = 0; k < w->writes; k++) place[k + 1] += place[k];
    assert(place[w->writes] + (w->writes ? place[w->writes + 1] : 0) == n || !w->writes);
    order_log_init(&out->witness, n);
    out->witness.n = n - absent;
    for (uint32_t k = 1; k <= w->writes; k++) {
        uint32_t at = place[k]++;
        assert(at < n);
        out->witness.op[at] = p->op[w->write[k]];
        out->witness.res[at] = VALUE_NONE;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        if (p->h->method[op] != REGISTER_READ || w->number[i] == NO_NUMBER) continue;
        uint32_t at = place[w->number[i]]++;
        assert(at < n && w->number[i] <= w->writes);
        out->witness.op[at] = op;
        out->witness.res[at] = p->h->res[op];
    }
    free(place);
}

static void decide_swmr(const problem *p, outcome *out) {
    swmr w = {.p = p, .number = MEM_ARRAY(uint32_t, p->n), .bound = MEM_ARRAY(uint32_t, p->n)};
    sweep_event e = {0};
    if (gather(&w, out)) {
        bool good = run(&w, &e);
        if (budget_spent(p->budget)) {
            outcome_stopped(p, out);
        } else if (good) {
            out->verdict = VERDICT_LINEARIZABLE;
            write_witness(&w, out);
        } else {
            explain(&w, &e, out);
        }
    }
    free(w.number);
    free(w.bound);
    free(w.write);
}

ENGINE_RECORD(engine_swmr_linear, "swmr-linear",
              "single-writer registers with different written values: no read goes back",
              .growth = "n log(open operations)", .objects = "swmr-register", .needs = NEEDS_DISTINCT,
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
              .cost = COST_NEAR_LINEAR, .decide = decide_swmr);
