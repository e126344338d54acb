#include "engine/portfolio.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct part_result {
    const engine *engine;
    outcome out;
} part_result;

typedef struct work {
    const history *h;
    const object *o;
    const decide_options *options;
    budget *budget;            /* a child of the caller's: stopped as soon as one part is a violation */
    _Atomic uint32_t *furthest;
    partition *parts;
    part_result *result;       /* by part */
    _Atomic uint32_t next;
    pthread_mutex_t talk_lock;
    text *talk;
} work;

static void talk_line(work *w, uint32_t part, const engine *g, const char *what) {
    pthread_mutex_lock(&w->talk_lock);
    if (w->talk->size < 1 << 16) { /* thousands of parts would all say the same */
        if (w->parts->count > 1) text_printf(w->talk, "part %u: ", part);
        text_printf(w->talk, "%s %s\n", g->name, what);
    }
    pthread_mutex_unlock(&w->talk_lock);
}

static const char *why_undecided(const outcome *out) {
    return out->stopped != STOP_NONE ? stop_reason_text(out->stopped) : out->why;
}

/* One engine on one part; true when that settles it. */
static bool run_engine(work *w, uint32_t part, const engine *g, const problem *p) {
    text why_not = {0};
    bool settled = false;
    part_result *r = &w->result[part];
    if (!engine_accepts(g, p, &why_not)) {
        talk_line(w, part, g, text_str(&why_not));
        if (!r->engine) snprintf(r->out.why, sizeof r->out.why, "engine %s %s", g->name, text_str(&why_not));
    } else {
        outcome_free(&r->out);
        r->engine = g;
        g->decide(p, &r->out);
        settled = r->out.verdict != VERDICT_UNDECIDED || budget_spent(w->budget);
        text said = {0};
        text_printf(&said, r->out.verdict != VERDICT_UNDECIDED ? "decided: %s" : "gave up: %s",
                    r->out.verdict != VERDICT_UNDECIDED ? verdict_text(r->out.verdict) : why_undecided(&r->out));
        talk_line(w, part, g, text_str(&said));
        text_free(&said);
    }
    text_free(&why_not);
    return settled;
}

static void decide_part(work *w, uint32_t part) {
    problem p = {.h = w->h, .o = w->o, .budget = w->budget, .furthest = w->furthest};
    p.op = partition_ops(w->parts, part, &p.n);
    outcome_init(&w->result[part].out);
    if (w->options->engine) {
        run_engine(w, part, w->options->engine, &p);
    } else {
        const engine *g;
        for (unsigned i = 0; (g = engine_at(i)); i++)
            if (run_engine(w, part, g, &p)) break;
    }
    if (w->result[part].out.verdict == VERDICT_VIOLATION) budget_stop(w->budget, STOP_NOT_NEEDED);
}

static void *worker(void *argument) {
    work *w = argument;
    uint32_t part;
    while ((part = atomic_fetch_add(&w->next, 1)) < w->parts->count) {
        outcome_init(&w->result[part].out);
        if (!budget_spent(w->budget)) decide_part(w, part);
        else w->result[part].out.stopped = budget_why(w->budget);
    }
    return NULL;
}

static void run_parts(work *w) {
    enum { MAX_THREADS = 64 };
    pthread_t thread[MAX_THREADS];
    unsigned threads = w->options->threads ? w->options->threads : 1, started = 0;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    if (threads > w->parts->count) threads = w->parts->count;
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&thread[started], NULL, worker, w) == 0) started++;
    worker(w);
    for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
}

/* ---- one witness from all parts ---------------------------------------------------------------------------------- */

/* Each operation of a part's witness can take effect at the latest call up to it in that order (its own call or a later
 * one's, and before its return, since the order respects happens-before). These moments ascend along each part, so sorting
 * all operations by moment, parts in order where moments are equal, keeps every part's order and real time. */
static void merge_witnesses(work *w, witness *all) {
    uint32_t events = w->h->events, n = 0;
    uint32_t *start = mem_zero((size_t)events + 1, sizeof *start);
    for (uint32_t part = 0; part < w->parts->count; part++) {
        const witness *one = &w->result[part].out.witness;
        for (uint32_t i = 0, moment = 0; i < one->n; i++, n++) {
            if (w->h->call[one->op[i]] > moment) moment = w->h->call[one->op[i]];
            start[moment + 1]++;
        }
    }
    for (uint32_t m = 0; m < events; m++) start[m + 1] += start[m];
    all->op = MEM_ARRAY(uint32_t, n);
    all->res = MEM_ARRAY(value, n);
    all->n = n;
    for (uint32_t part = 0; part < w->parts->count; part++) {
        const witness *one = &w->result[part].out.witness;
        for (uint32_t i = 0, moment = 0; i < one->n; i++) {
            if (w->h->call[one->op[i]] > moment) moment = w->h->call[one->op[i]];
            uint32_t at = start[moment]++;
            all->op[at] = one->op[i];
            all->res[at] = one->res[i];
        }
    }
    free(start);
}

/* ---- one verdict from all parts ------------------------------------------------------------------------------------ */

static uint32_t *copy_ops(const uint32_t *op, uint32_t n) { return mem_copy(op, n * sizeof *op); }

static void take_part(work *w, uint32_t part, decision *d) {
    outcome *out = &w->result[part].out;
    uint32_t n;
    const uint32_t *op = partition_ops(w->parts, part, &n);
    d->part = copy_ops(op, n);
    d->part_n = n;
    d->engine = w->result[part].engine;
    d->pattern = out->pattern;
    d->pattern_n = out->pattern_n;
    d->cut = out->cut;
    d->prefix = out->prefix;
    out->pattern = NULL;
    out->prefix = (witness){0};
}

/* The first part that is a violation (the one whose violation shows first, where engines say), else the first undecided. */
static uint32_t decisive_part(const work *w, verdict *v) {
    uint32_t best = 0;
    *v = VERDICT_LINEARIZABLE;
    for (uint32_t part = 0; part < w->parts->count; part++) {
        const outcome *out = &w->result[part].out;
        if (out->verdict == VERDICT_VIOLATION) {
            if (*v != VERDICT_VIOLATION || out->cut < w->result[best].out.cut) best = part;
            *v = VERDICT_VIOLATION;
        } else if (out->verdict == VERDICT_UNDECIDED && *v == VERDICT_LINEARIZABLE) {
            *v = VERDICT_UNDECIDED;
            best = part;
        }
    }
    return best;
}

static void summarize(work *w, decision *d) {
    uint32_t part = decisive_part(w, &d->verdict);
    for (uint32_t i = 0; i < w->parts->count; i++) d->steps += w->result[i].out.steps;
    if (d->verdict == VERDICT_LINEARIZABLE) {
        if (w->parts->count) d->engine = w->result[w->parts->count - 1].engine;
        if (w->parts->count == 1) {
            d->witness = w->result[0].out.witness;
            w->result[0].out.witness = (witness){0};
        } else {
            merge_witnesses(w, &d->witness);
        }
        return;
    }
    const outcome *out = &w->result[part].out;
    d->stopped = out->stopped;
    memcpy(d->why, out->why, sizeof out->why);
    take_part(w, part, d);
}

void decide(const history *h, const object *o, const decide_options *options, budget *b, _Atomic uint32_t *furthest, decision *out) {
    budget shared;
    budget_init_child(&shared, b);
    *out = (decision){.verdict = VERDICT_UNDECIDED, .cut = RANK_NEVER};
    work w = {.h = h, .o = o, .options = options, .budget = &shared, .furthest = furthest, .talk = &out->talk};
    pthread_mutex_init(&w.talk_lock, NULL);
    w.parts = object_partition(o, h);
    out->parts = w.parts->count;
    w.result = mem_zero(w.parts->count, sizeof *w.result);
    run_parts(&w);
    summarize(&w, out);
    for (uint32_t i = 0; i < w.parts->count; i++) outcome_free(&w.result[i].out);
    free(w.result);
    partition_free(w.parts);
    pthread_mutex_destroy(&w.talk_lock);
}

void decision_free(decision *d) {
    witness_free(&d->witness);
    witness_free(&d->prefix);
    free(d->part);
    free(d->pattern);
    text_free(&d->talk);
    *d = (decision){0};
}
