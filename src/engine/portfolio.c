#include "engine/portfolio.h"

#include "base/mem.h"
#include "base/pool.h"
#include "engine/contest.h"
#include "engine/merge.h"
#include "engine/regroup.h"
#include "engine/self_check.h"
#include "engine/outcome_check.h"
#include "object/initial.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct part_result {
    const engine *engine;
    outcome out; /* operations numbered as in work.g */
} part_result;

#define NO_PART UINT32_MAX

typedef struct work {
    const history *h;
    const history *g; /* h laid out part by part; h itself when there is one part */
    /* 0, 1, 2, ...: the parts of g are ranges, so each problem's operations follow one another */
    const uint32_t *op;
    const object *o;
    const decide_options *options;
    unsigned threads;
    budget *budget; /* a child of the caller's */
    double began;
    _Atomic uint32_t bad; /* the first part that is known to be a violation; NO_PART: none is */
    _Atomic double until; /* for parts before it: on clock_seconds() */
    _Atomic uint32_t *furthest;
    partition *parts;
    part_result *result; /* by part */
    _Atomic uint32_t next;
    pthread_mutex_t talk_lock;
    text *talk;
    pool_scope *team;
} work;

static void talk_line(work *w, uint32_t part, const engine *g, const char *what) {
    pool_enter(w->result, &w->talk_lock); /* the text outlives this part */
    if (w->talk->size < 1 << 16) {        /* thousands of parts would all say the same */
        if (w->parts->count > 1) text_printf(w->talk, "part %u: ", part);
        text_printf(w->talk, "%s %s\n", g->name, what);
    }
    pool_leave(&w->talk_lock);
}

static const char *why_undecided(const outcome *out) {
    return out->stopped != STOP_NONE ? stop_reason_text(out->stopped) : out->why;
}

static void talk_outcome(work *w, uint32_t part, const engine *g, const outcome *out) {
    bool decided = out->verdict != VERDICT_UNDECIDED;
    text said = {0};
    text_printf(&said, decided ? "decided: %s" : "gave up: %s",
                decided ? verdict_text(out->verdict) : why_undecided(out));
    talk_line(w, part, g, text_str(&said));
    text_free(&said);
}

/* Does the engine take this part? Otherwise the reason is kept, in case no engine does. */
static bool accepts(work *w, uint32_t part, const engine *g, const problem *p) {
    text why_not = {0};
    part_result *r = &w->result[part];
    bool yes = engine_accepts(g, p, &why_not);
    if (!yes) {
        talk_line(w, part, g, text_str(&why_not));
        if (!r->engine) snprintf(r->out.why, sizeof r->out.why, "engine %s %s", g->name, text_str(&why_not));
    }
    text_free(&why_not);
    return yes;
}

/* Results that are all as recorded are not worth keeping for millions of operations. */
static void forget_results(const work *w, witness *found) {
    if (w->h->pending) return;
    free(found->res);
    found->res = NULL;
}

/* One engine on one part; true when that settles it. */
static bool run_engine(work *w, uint32_t part, const engine *g, problem p) {
    part_result *r = &w->result[part];
    outcome_free(&r->out);
    r->engine = g;
    assert_costly(problem_is_sound(&p));
    engine_decide(g, &p, &r->out);
    assert_costly(outcome_is_sound(g, &p, &r->out));
    forget_results(w, &r->out.witness);
    talk_outcome(w, part, g, &r->out);
    return r->out.verdict != VERDICT_UNDECIDED || budget_spent(p.budget);
}

/* Those that might take long, against each other: on cores that have nothing else to do, or in turns. */
static void contend(work *w, uint32_t part, const engine **g, unsigned count, const problem *p) {
    contest_result found;
    part_result *r = &w->result[part];
    unsigned at_once = w->threads / w->parts->count;
    if (at_once == 0) at_once = 1;
    contest_run(g, count, at_once, p, &found);
    for (unsigned i = 0; i < count; i++) {
        assert_costly(outcome_is_sound(g[i], p, &found.out[i]));
        talk_outcome(w, part, g[i], &found.out[i]);
        if (i != found.best) outcome_free(&found.out[i]);
    }
    outcome_free(&r->out);
    r->engine = found.engine;
    r->out = found.out[found.best];
    forget_results(w, &r->out.witness);
}

static bool fits(const engine *g, const problem *p) { return !g->fits || g->fits(p); }

/* The cheap engines one after the other, then those that might take long against each other. */
static void choose_engines(work *w, uint32_t part, const problem *p) {
    const engine *g, *general[CONTEST_ENGINES];
    unsigned count = 0;
    for (unsigned i = 0; (g = engine_at(i)); i++) {
        if (g->by_name_only || !accepts(w, part, g, p) || !fits(g, p)) continue;
        if (g->cost == COST_NEAR_LINEAR) {
            if (run_engine(w, part, g, *p)) return;
        } else if (count < CONTEST_ENGINES) {
            general[count++] = g;
        }
    }
    if (count > 0) contend(w, part, general, count, p);
}

static value part_key(const work *w, uint32_t part) {
    uint32_t first = w->parts->start[part];
    return w->h->key && first < w->h->n ? w->h->key[w->parts->op[first]] : VALUE_NONE;
}

/* ---- which violation ----
 * Of several parts that are violations the first one is told, with one thread as with many. So a violation ends the
 * work on later parts at once; earlier ones, which are all under way then, get as much time again as it took. */

static const double EARLIER_FLOOR = 0.05;

typedef struct part_run {
    work *w;
    uint32_t part;
} part_run;

static void look_at_others(budget *b) {
    const part_run *t = b->hook_context;
    uint32_t bad = atomic_load(&t->w->bad);
    if (bad < t->part || (bad != NO_PART && bad > t->part && clock_seconds() > atomic_load(&t->w->until)))
        budget_stop(b, STOP_NOT_NEEDED);
}

static void found_violation(work *w, uint32_t part) {
    double now = clock_seconds(), took = now - w->began;
    uint32_t bad = atomic_load(&w->bad);
    if (bad == NO_PART) atomic_store(&w->until, now + (took > EARLIER_FLOOR ? took : EARLIER_FLOOR));
    while (part < bad && !atomic_compare_exchange_weak(&w->bad, &bad, part)) {}
}

static void decide_part(work *w, uint32_t part) {
    budget own;
    part_run turn = {w, part};
    budget_init_child(&own, w->budget);
    own.hook = look_at_others;
    own.hook_context = &turn;
    problem p = {.h = w->g, .budget = &own, .furthest = w->furthest};
    p.op = w->op + w->parts->start[part];
    object of_part = object_for_key(w->o, part_key(w, part));
    p.o = &of_part;
    p.n = w->parts->start[part + 1] - w->parts->start[part];
    outcome_init(&w->result[part].out);
    const engine *asked = w->options->engine;
    if (asked) p.setting = w->options->setting;
    if (!asked) choose_engines(w, part, &p);
    else if (accepts(w, part, asked, &p)) run_engine(w, part, asked, p);
    if (w->result[part].out.verdict == VERDICT_VIOLATION) found_violation(w, part);
}

static void run_part(void *argument) {
    const part_run *r = argument;
    decide_part(r->w, r->part);
}

/* What memory runs out for is one part: all threads come to their ends. */
static void decide_some(void *argument) {
    work *w = argument;
    uint32_t part;
    while ((part = atomic_fetch_add(&w->next, 1)) < w->parts->count) {
        outcome *out = &w->result[part].out;
        outcome_init(out);
        if (budget_spent(w->budget)) out->stopped = budget_why(w->budget);
        else if (atomic_load(&w->bad) < part) out->stopped = STOP_NOT_NEEDED;
        else if (!pool_try(run_part, &(part_run){w, part})) outcome_out_of_memory(out);
    }
}

static void *worker(void *argument) {
    pool_team_try(((work *)argument)->team, decide_some, argument);
    return NULL;
}

static void run_parts(work *w) {
    enum { MAX_THREADS = 64 };
    pthread_t thread[MAX_THREADS];
    unsigned threads = w->threads, started = 0;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    if (threads > w->parts->count) threads = w->parts->count;
    w->team = pool_team_begin();
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&thread[started], NULL, worker, w) == 0) started++;
    worker(w);
    assert(started < MAX_THREADS);
    for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
    pool_team_end(w->team);
}

/* ---- one verdict from all parts ---- */

/* From operations of g to operations of h. */
static void name_as_in_history(const work *w, uint32_t *op, uint32_t n) {
    if (w->g == w->h) return;
    for (uint32_t i = 0; i < n; i++) {
        assert(op[i] < w->h->n);
        op[i] = w->parts->op[op[i]];
    }
}

static void take_part(work *w, uint32_t part, decision *d) {
    outcome *out = &w->result[part].out;
    uint32_t n;
    const uint32_t *op = partition_ops(w->parts, part, &n);
    if (w->parts->count == 1) { /* it is not needed any more */
        d->part = w->parts->op;
        w->parts->op = NULL;
    } else {
        d->part = mem_copy(op, n * sizeof *op);
    }
    d->part_n = n;
    assert_costly(words_ascend(d->part, d->part_n));
    d->engine = w->result[part].engine;
    d->pattern = out->pattern;
    d->pattern_n = out->pattern_n;
    d->cut = out->cut;
    d->prefix = out->prefix;
    out->pattern = NULL;
    out->prefix = (witness){0};
    name_as_in_history(w, d->pattern, d->pattern_n);
    assert_costly(words_ascend(d->pattern, d->pattern_n));
    name_as_in_history(w, d->prefix.op, d->prefix.n);
}

/* The first part that is a violation, else the first undecided. */
static uint32_t decisive_part(const work *w, verdict *v) {
    uint32_t best = 0;
    *v = VERDICT_LINEARIZABLE;
    for (uint32_t part = 0; part < w->parts->count; part++) {
        const outcome *out = &w->result[part].out;
        if (out->verdict == VERDICT_VIOLATION) {
            *v = VERDICT_VIOLATION;
            return part;
        }
        if (out->verdict == VERDICT_UNDECIDED && *v == VERDICT_LINEARIZABLE) {
            *v = VERDICT_UNDECIDED;
            best = part;
        }
    }
    return best;
}

/* One order for the whole history: its parts are independent, but happens-before holds between them. */
SELF_CHECK static bool witness_of_all_is_sound(const work *w, const witness *all) {
    uint32_t *op = MEM_ARRAY(uint32_t, w->h->n);
    for (uint32_t i = 0; i < w->h->n; i++) op[i] = i;
    bool good = witness_is_sound(&(problem){.h = w->h, .o = w->o, .op = op, .n = w->h->n}, all, true);
    free(op);
    return good;
}

static void merge_parts(work *w, witness *all) {
    const witness **part = MEM_ARRAY(const witness *, w->parts->count);
    for (uint32_t p = 0; p < w->parts->count; p++) part[p] = &w->result[p].out.witness;
    if (criterion_is_together(&w->o->criterion)) merge_steps(w->h, w->parts, part, all);
    else merge_witnesses(w->h, w->g, w->parts, part, all);
    assert_costly(criterion_is_together(&w->o->criterion) || witness_of_all_is_sound(w, all));
    free(part);
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
            merge_parts(w, &d->witness);
        }
        return;
    }
    const outcome *out = &w->result[part].out;
    d->stopped = out->stopped;
    assert(out->verdict == d->verdict);
    memcpy(d->why, out->why, sizeof out->why);
    take_part(w, part, d);
}

/* Every part ascends, and no operation is in two of them. */
SELF_CHECK static bool partition_is_complete(const partition *parts, uint32_t n) {
    bool good = parts->start[0] == 0 && parts->start[parts->count] <= n;
    uint8_t *seen = mem_zero((size_t)n + 1, sizeof *seen);
    for (uint32_t p = 0; p < parts->count && good; p++) {
        good = parts->start[p] <= parts->start[p + 1];
        for (uint32_t i = parts->start[p]; i < parts->start[p + 1] && good; i++) {
            good = parts->op[i] < n && !seen[parts->op[i]] && (i == parts->start[p] || parts->op[i - 1] < parts->op[i]);
            seen[parts->op[i]] = 1;
        }
    }
    free(seen);
    return good;
}

static void decide_parts(work *w) {
    history *regrouped = w->parts->count > 1 ? regroup(w->h, w->parts, w->o) : NULL;
    w->g = regrouped ? regrouped : w->h;
    atomic_store(&w->next, 0);
    atomic_store(&w->bad, NO_PART);
    w->began = clock_seconds();
    w->result = mem_zero(w->parts->count, sizeof *w->result);
    uint32_t *op = regrouped ? MEM_ARRAY(uint32_t, w->h->n) : NULL;
    for (uint32_t i = 0; regrouped && i < w->h->n; i++) op[i] = i;
    w->op = regrouped ? op : w->parts->op;
    assert_costly(partition_is_complete(w->parts, w->h->n));
    run_parts(w);
    assert(atomic_load(&w->next) >= w->parts->count);
    free(op);
    if (regrouped) regroup_keep_calls(regrouped); /* enough to merge witnesses by */
}

static void forget_parts(work *w) {
    if (w->g != w->h) history_free((history *)(uintptr_t)w->g);
    for (uint32_t i = 0; i < w->parts->count; i++) outcome_free(&w->result[i].out);
    free(w->result);
    partition_free(w->parts);
}

/* ---- all parts at once ---- */

/* The first engine that knows the object, if it can do that. */
static const engine *all_parts_engine(const work *w) {
    const engine *g = w->options->engine;
    for (unsigned i = 0; !w->options->engine && (g = engine_at(i)) && (g->by_name_only || !engine_knows(g, w->o));
         i++) {}
    return g && g->decide_all_parts && engine_knows(g, w->o) ? g : NULL;
}

static partition *only_part(const history *h, const uint32_t *number, uint32_t part) {
    partition *p = MEM_NEW(partition);
    p->count = 1;
    p->start = mem_zero(2, sizeof *p->start);
    for (uint32_t i = 0; i < h->n; i++) p->start[1] += number[i] == part;
    p->op = MEM_ARRAY(uint32_t, p->start[1]);
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (number[i] == part) p->op[n++] = i;
    assert(n > 0 && n == p->start[1]);
    return p;
}

/* True: `d` is complete. A violation is looked at once more, in its part alone, for its pattern. */
static bool decide_all_parts(work *w, decision *d) {
    const engine *g = all_parts_engine(w);
    uint32_t failed = 0, *number = g ? object_part_numbers(w->o, w->h, &d->parts) : NULL;
    if (!number) return false;
    all_parts_answer answer = g->decide_all_parts(w->h, number, d->parts, w->budget, &d->witness, &failed);
    if (answer == ALL_PARTS_VIOLATION) {
        w->parts = only_part(w->h, number, failed);
        decide_parts(w);
        summarize(w, d);
        forget_parts(w);
        if (d->verdict != VERDICT_VIOLATION) { /* a budget ended it */
            text talk = d->talk;
            d->talk = (text){0};
            decision_free(d);
            *d = (decision){.verdict = VERDICT_UNDECIDED, .cut = RANK_NEVER, .talk = talk};
            answer = ALL_PARTS_NO;
        }
    } else if (answer == ALL_PARTS_LINEARIZABLE) {
        assert_costly(witness_of_all_is_sound(w, &d->witness));
        d->verdict = VERDICT_LINEARIZABLE;
        d->engine = g;
        text_printf(w->talk, "%s decided all %u parts at once: linearizable\n", g->name, d->parts);
    }
    free(number);
    return answer != ALL_PARTS_NO;
}

void decide(const history *h, const object *o, const decide_options *options, budget *b, _Atomic uint32_t *furthest,
            decision *out) {
    budget shared;
    budget_init_child(&shared, b);
    *out = (decision){.verdict = VERDICT_UNDECIDED, .cut = RANK_NEVER};
    work w = {.h = h, .o = o, .options = options, .budget = &shared, .furthest = furthest, .talk = &out->talk};
    w.threads = options->threads ? options->threads : 1;
    pthread_mutex_init(&w.talk_lock, NULL);
    if (!decide_all_parts(&w, out)) {
        assert(!out->witness.n && !out->part && !out->pattern && !out->engine);
        w.parts = object_partition(o, h);
        out->parts = w.parts->count;
        decide_parts(&w);
        summarize(&w, out);
        forget_parts(&w);
    }
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
