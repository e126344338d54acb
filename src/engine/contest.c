#include "engine/contest.h"

#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <time.h>

typedef enum entrant_state { ENTRANT_NEW, ENTRANT_WAITS, ENTRANT_RUNS, ENTRANT_ENDED } entrant_state;

typedef struct contest contest;

typedef struct entrant { /* one engine */
    contest *of;
    const engine *engine;
    outcome *out;
    budget budget; /* its hook is where the engine waits */
    entrant_state state;
    double used;  /* CPU seconds before this turn */
    double began; /* this turn, on the clock of its thread */
    pthread_t thread;
    bool has_thread;
} entrant;

struct contest {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const problem *p;
    budget budget; /* of all: stopped by the first that decides */
    entrant at[CONTEST_ENGINES];
    unsigned n, at_once;
    pool_scope *team;
};

static const double first_turn = 0.005, share_of_used = 0.1;

static double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *run_entrant(void *argument);

static unsigned running(const contest *c) {
    unsigned n = 0;
    for (unsigned i = 0; i < c->n; i++) n += c->at[i].state == ENTRANT_RUNS;
    return n;
}

/* The one that had the least time of those that do not run; NULL: there is none. */
static entrant *next_entrant(contest *c) {
    entrant *best = NULL;
    for (unsigned i = 0; i < c->n; i++) {
        entrant *x = &c->at[i];
        bool idle = x->state == ENTRANT_NEW || x->state == ENTRANT_WAITS;
        if (idle && (!best || x->used < best->used)) best = x;
    }
    return best;
}

/* Lets it run. A new one without a thread of its own stays new: the caller of contest_run sees to it at the end. */
static bool let_run(contest *c, entrant *x) {
    if (x->state == ENTRANT_NEW) {
        x->has_thread = pthread_create(&x->thread, NULL, run_entrant, x) == 0;
        if (!x->has_thread) return false;
    }
    x->state = ENTRANT_RUNS;
    pthread_cond_broadcast(&c->changed);
    return true;
}

static void fill_turns(contest *c) {
    entrant *x;
    while (running(c) < c->at_once && !budget_spent(&c->budget) && (x = next_entrant(c)) && let_run(c, x)) {}
}

static bool is_over(const contest *c) { return budget_spent(&c->budget); }

/* Called by the engine's look at its budget: the turn may be over. */
static void end_turn(budget *b) {
    entrant *x = b->hook_context;
    contest *c = x->of;
    double turn = thread_seconds() - x->began, most = x->used * share_of_used;
    if (turn < (most > first_turn ? most : first_turn)) return;
    pthread_mutex_lock(&c->lock);
    assert(x->state == ENTRANT_RUNS && running(c) <= c->at_once);
    x->used += turn;
    entrant *next = next_entrant(c);
    if (next && next->used < x->used && !is_over(c)) {
        x->state = ENTRANT_WAITS;
        if (!let_run(c, next)) x->state = ENTRANT_RUNS;
    }
    while (x->state != ENTRANT_RUNS && !is_over(c)) pthread_cond_wait(&c->changed, &c->lock);
    x->state = ENTRANT_RUNS; /* or it is over: they all come to their ends */
    pthread_mutex_unlock(&c->lock);
    x->began = thread_seconds();
}

static void decide_entrant(void *argument) {
    entrant *x = argument;
    contest *c = x->of;
    problem p = *c->p;
    p.budget = &x->budget;
    x->began = thread_seconds();
    engine_decide(x->engine, &p, x->out);
    pthread_mutex_lock(&c->lock);
    x->state = ENTRANT_ENDED;
    if (x->out->verdict != VERDICT_UNDECIDED) budget_stop(&c->budget, STOP_NOT_NEEDED);
    fill_turns(c);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void *run_entrant(void *argument) {
    entrant *x = argument;
    pool_team_try(x->of->team, decide_entrant, x); /* it ends well: engine_decide does */
    return NULL;
}

static void enter(contest *c, const engine *g, outcome *out) {
    entrant *x = &c->at[c->n++];
    *x = (entrant){.of = c, .engine = g, .out = out};
    outcome_init(out);
    budget_init_child(&x->budget, &c->budget);
    x->budget.hook = end_turn;
    x->budget.hook_context = x;
}

static bool better(const outcome *a, const outcome *b) {
    if (b->verdict != VERDICT_UNDECIDED) return false;
    return a->verdict != VERDICT_UNDECIDED || a->prefix.n > b->prefix.n;
}

/* The first one runs in the caller's thread: what is decided in one turn needs no other. */
static void run_all(contest *c) {
    for (unsigned i = 0; i < c->n; i++) {
        entrant *x = &c->at[i];
        pthread_mutex_lock(&c->lock);
        bool mine = x->state == ENTRANT_NEW && !is_over(c);
        if (mine) {
            x->state = ENTRANT_RUNS;
            if (c->at_once > 1) fill_turns(c);
        }
        pthread_mutex_unlock(&c->lock);
        if (mine) run_entrant(x);
    }
    for (unsigned i = 0; i < c->n; i++)
        if (c->at[i].has_thread) pthread_join(c->at[i].thread, NULL);
}

void contest_run(const engine *const *g, unsigned count, unsigned at_once, const problem *p, contest_result *r) {
    assert(count > 0 && count <= CONTEST_ENGINES && at_once > 0);
    contest c = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .p = p, .at_once = at_once};
    budget_init_child(&c.budget, p->budget);
    for (unsigned i = 0; i < count; i++) enter(&c, g[i], &r->out[i]);
    c.team = pool_team_begin();
    run_all(&c);
    pool_team_end(c.team);
    r->best = 0;
    for (unsigned i = 1; i < count; i++)
        if (better(&r->out[i], &r->out[r->best])) r->best = i;
    r->engine = g[r->best];
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
}
