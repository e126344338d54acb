#include "explore/outside/hunt.h"

#include "base/budget.h"
#include "base/mem.h"
#include "base/random.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Looking for a smaller program may take as long again as finding the first one took, within these. */
#define SHRINK_LEAST 0.5
#define SHRINK_MOST 2.0
#define SHRINK_EACH 0.3
#define CALM_SECONDS 1.0
#define CALM_DRAWN 3.0
#define SHRINK_DRAWN 4.0
#define SECONDS_LEAST 0.001
/* Where there are many programs none may take all of the time: each has a slice, and when that was not enough another
 * one of twice the size later. Half as much time goes to those that come again as to new ones. */
#define SLICE_MOST 0.5
#define SLICE_LEAST 0.1
#define SLICES 40
/* With a checkpoint what is left of a program is known after each slice: it goes on from there. */
#define SLICE_KEPT 30.0
#define KEPT_EVERY 1.0
/* Larger programs drawn by lot, each run at random for so many executions, once small ones had time to fail: what needs
 * long threads or many values is too far behind in the order of all programs. A quarter of the time is theirs. */
#define DRAWN_AFTER 0.5
#define DRAWN_EXECUTIONS 500
#define DRAWN_SLICE 0.2 /* of slow ones */
#define DRAWN_SHARE 3

typedef struct turn {        /* of a program */
    char *threads;           /* NULL: main */
    double slice;            /* 0: no limit of its own */
    campaign_result *before; /* NULL: it is its first */
    bool goes_on;            /* with what an earlier one left */
    uint64_t drawn;          /* its number; 0: it was not drawn by lot */
} turn;

typedef struct hunt_worker {
    struct hunter *k;
    session *s;
    bool shows; /* reports progress for all */
} hunt_worker;

typedef struct unfinished {
    char *threads;
    double slice;           /* next time */
    campaign_result so_far; /* what is known of it: the best of its turns */
} unfinished;

/* Programs are handed out by one thread that makes them, to workers that each own a process. */
typedef struct hunter {
    const hunt_options *o;
    hunt *h;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *offered; /* a program that waits for a worker */
    unsigned offered_operations;
    double offered_slice;
    campaign_result *offered_before; /* NULL: it is new */
    uint64_t offered_drawn;          /* see turn */
    bool offered_main, no_more, over;
    bool slices; /* see SLICE_MOST */
    unfinished *left;
    unsigned lefts, running;
    double new_seconds, again_seconds, drawn_seconds;
    bool draws, failure_drawn;
    uint64_t lots; /* programs drawn so far */
    struct hunt_worker *worker;
    unsigned workers;
    unsigned jobs_each;      /* processes that one program is explored with: more than one where programs are few */
    double started, kept_at; /* kept_at: when the checkpoint was written last */
    bool trying_first;       /* a schedule that failed earlier: one execution, not counted as coverage */
    _Atomic bool weak;       /* an order weaker than seq_cst was seen */
    _Atomic bool assembly;   /* inline assembly on shared memory was seen */
    error e;
} hunter;

static double seconds_left(const hunter *k) {
    const double other = k->assembly ? k->o->assembly_share : k->weak ? k->o->weak_share : 0;
    const double share = other > 0 ? other : 1;
    return k->o->seconds > 0 ? share * k->o->seconds - (clock_seconds() - k->started) : 1e9;
}
static bool told_to_stop(const hunter *k) { return (k->o->stop && *k->o->stop) || seconds_left(k) <= 0; }

/* ---- what must hold ---- */

/* Each program that was explored is counted as one of three; see hunt.h. */
static void assert_counts(const hunt *h) {
    assert(h->programs == h->complete + h->bounded + h->begun);
    assert((h->bounded > 0) == (h->preemptions >= 0));
    assert(!h->failed || h->failure.answer.died || h->failure.answer.result.failure != FAILURE_NONE);
    (void)h;
}

/* Under the lock. */
static void assert_bookkeeping(const hunter *k) {
    assert(!(k->offered && k->offered_main));
    assert(!k->offered_before || k->offered || k->offered_main);
    assert(k->offered_slice >= 0 && k->new_seconds >= 0 && k->again_seconds >= 0);
    assert(k->running <= k->workers && k->jobs_each >= 1);
    assert(k->lefts == 0 || k->slices || k->o->checkpoint); /* without a slice a program has all of the time */
    for (unsigned i = 0; i < k->lefts; i++) assert(k->left[i].slice >= 2 * SLICE_LEAST);
    assert_counts(k->h);
    (void)k;
}

/* ---- what is known ---- */

static void note_once(hunt *h, const char *notes) {
    while (notes && *notes) {
        size_t n = strcspn(notes, "\n");
        if (n && !(h->notes.size && memmem(h->notes.at, h->notes.size, notes, n))) {
            text_bytes(&h->notes, notes, n);
            text_char(&h->notes, '\n');
        }
        notes += n + (notes[n] == '\n');
    }
}

static void take_counts(hunt *h, const campaign_result *r) {
    h->executions += r->executions;
    h->steps += r->steps;
}

static void take_blocked(hunt *h, const campaign_result *r) {
    for (unsigned i = 0; i < r->stages; i++) h->blocked += r->stage[i].assumed;
}

static void take_coverage(hunt *h, const campaign_result *r) {
    assert(r->preemptions >= -1 && r->failure < FAILURE_KINDS);
    h->programs++;
    h->histories += r->histories;
    h->states += r->states;
    coverage_join(&h->limits, &r->limits);
    if (r->complete) h->complete++;
    else if (r->preemptions < 0) h->begun++;
    else {
        h->bounded++;
        if (h->preemptions < 0 || r->preemptions < h->preemptions) h->preemptions = r->preemptions;
    }
}

/* What an earlier turn had shown stays shown. */
static void keep_best(campaign_result *r, const campaign_result *before) {
    if (!before) return;
    if (!r->complete && before->preemptions > r->preemptions) r->preemptions = before->preemptions;
    if (before->histories > r->histories) r->histories = before->histories;
    if (before->states > r->states) r->states = before->states;
    coverage_keep(&r->limits, &before->limits);
}

/* Its slice was too short. */
static void come_again(hunter *k, const turn *t, const campaign_result *r) {
    assert((t->threads || k->o->checkpoint) && t->slice > 0 && r->stopped);
    k->left = MEM_GROW(k->left, unfinished, k->lefts + 1);
    k->left[k->lefts++] = (unfinished){.threads = t->threads ? mem_string(t->threads) : NULL,
                                       .slice = t->slice < SLICE_KEPT ? 2 * t->slice : t->slice,
                                       .so_far = *r};
}

/* Under the lock. */
static void keep_turn(hunter *k, const char *threads, run_answer *a) {
    if (a->result.stopped) a->result.histories = 0;
    checkpoint_turn(k->o->checkpoint, threads, a);
    if (clock_seconds() - k->kept_at < KEPT_EVERY) return;
    if (!k->e.code) checkpoint_write(k->o->checkpoint, &k->e);
    k->kept_at = clock_seconds();
}

/* Under the lock: what is left of the program, and what earlier turns have shown. */
static void kept_turn(hunter *k, turn *t, run_request *r) {
    if (!k->o->checkpoint || k->trying_first) return;
    const kept_program *p = checkpoint_program(k->o->checkpoint, t->threads);
    t->goes_on = p->work != NULL;
    r->work = t->goes_on ? p->work : WORK_BEGINS;
    r->seed += p->turns; /* what draws lots draws others */
}

/* Under the lock. True: nothing is left of it. */
static bool take_known(hunter *k, const char *threads) {
    if (!k->o->checkpoint) return false;
    kept_program *p = checkpoint_program(k->o->checkpoint, threads);
    if (p->turns && !p->counted) {
        take_counts(k->h, &p->so_far);
        note_once(k->h, p->notes);
        p->counted = true;
    }
    if (!p->done) return false;
    const unsigned operations = threads ? threads_operations(threads) : 0;
    if (operations > k->h->largest) k->h->largest = operations;
    take_coverage(k->h, &p->so_far);
    return true;
}

/* Under the lock. */
static const campaign_result *known_before(hunter *k, const char *threads) {
    if (!k->o->checkpoint) return NULL;
    const kept_program *p = checkpoint_program(k->o->checkpoint, threads);
    return p->turns ? &p->so_far : NULL;
}

static void take_outcomes(hunt *h, const run_answer *a) {
    for (uint32_t i = 0; i < a->outcomes.n; i++) {
        const told_outcome *from = &a->outcomes.at[i];
        told_outcome *o = outcomes_add(&h->outcomes, from->what, from->executions);
        if (!o->schedule && from->schedule) o->schedule = mem_string(from->schedule);
    }
    outcomes_sort(&h->outcomes);
}

static void take_orders(hunt *h, const run_answer *a) {
    for (unsigned i = 0; i < a->orders; i++) {
        unsigned at = 0;
        while (at < h->orders && (h->order[at].pc != a->order[i].pc || h->order[at].role != a->order[i].role)) at++;
        if (at < h->orders) continue;
        h->order = MEM_GROW(h->order, order_site, h->orders + 1);
        h->order[h->orders++] = a->order[i];
    }
}

/* The code asks for another model. */
static void note_model(hunter *k, const coverage *seen) {
    if (seen->weak_orders) k->weak = true;
    if (seen->assembly) k->assembly = true;
}

/* Under the lock. */
static void take_answer(hunter *k, const turn *t, run_answer *a) {
    hunt *h = k->h;
    const char *threads = t->threads;
    bool failed = a->result.failure != FAILURE_NONE || a->died;
    take_counts(h, &a->result);
    note_model(k, &a->result.limits);
    if (k->o->how.messages) take_blocked(h, &a->result);
    if (t->goes_on) a->result.histories = 0; /* not all of them: which ones others were is not known */
    keep_best(&a->result, t->before);
    if (k->o->checkpoint && !k->trying_first && !failed) keep_turn(k, threads, a);
    if (t->drawn) {
        h->drawn++;
    } else if (!k->trying_first) {
        /* --executions ended it, not its slice */
        const bool spent = k->o->how.executions && a->result.seconds < t->slice;
        if (t->slice > 0 && a->result.stopped && !spent && !failed && !k->over && !told_to_stop(k))
            come_again(k, t, &a->result);
        else {
            take_coverage(h, &a->result);
            take_outcomes(h, a);
        }
    }
    note_once(h, a->notes);
    take_orders(h, a);
    if (failed && !h->failed) {
        h->failed = true;
        h->failure = (program_result){.threads = threads ? mem_string(threads) : NULL, .answer = *a};
        k->failure_drawn = t->drawn;
        if (!k->o->all) k->over = true;
    } else {
        run_answer_free(a);
    }
    assert_bookkeeping(k);
}

/* ---- workers ---- */

static void on_progress(void *context, const campaign_result *so_far) {
    hunt_worker *w = context;
    hunter *k = w->k;
    note_model(k, &so_far->limits);
    if (told_to_stop(k)) session_interrupt(w->s);
    if (!w->shows || !k->o->progress) return;
    pthread_mutex_lock(&k->lock);
    k->h->so_far = *so_far;
    k->h->seconds = clock_seconds() - k->started;
    k->o->progress(k->o->context, k->h);
    pthread_mutex_unlock(&k->lock);
}

static bool take_program(hunter *k, turn *t) {
    *t = (turn){0};
    bool taken = false;
    pthread_mutex_lock(&k->lock);
    while (!k->offered && !k->offered_main && !k->no_more && !k->over) pthread_cond_wait(&k->changed, &k->lock);
    if (!k->over && (k->offered || k->offered_main)) {
        *t = (turn){
            .threads = k->offered, .slice = k->offered_slice, .before = k->offered_before, .drawn = k->offered_drawn};
        taken = true;
        k->running++;
        if (!t->drawn && k->offered_operations > k->h->largest) k->h->largest = k->offered_operations;
    } else {
        free(k->offered);
        free(k->offered_before);
    }
    assert(!taken || k->running <= k->workers);
    k->offered = NULL;
    k->offered_before = NULL;
    k->offered_main = false;
    k->offered_drawn = 0;
    pthread_cond_broadcast(&k->changed);
    pthread_mutex_unlock(&k->lock);
    return taken;
}

/* The other workers need not go on. Under the lock. */
static void end_hunt(hunter *k, const hunt_worker *except) {
    for (unsigned i = 0; i < k->workers; i++)
        if (&k->worker[i] != except && k->worker[i].s) session_interrupt(k->worker[i].s);
    if (k->o->elsewhere) k->o->elsewhere->end(k->o->elsewhere->context);
    pthread_cond_broadcast(&k->changed);
}

/* The answer for a program that was not explored. */
static run_answer not_explored(void) { return (run_answer){.result = {.preemptions = -1, .stopped = true}}; }

static bool run_program(const hunter *k, session *s, run_request *r, run_progress *progress, void *context,
                        run_answer *a, error *e) {
    *a = not_explored();
    prepared p = k->o->prepare ? k->o->prepare(k->o->prepare_context, r->threads, r, a, e) : PREPARED;
    if (p == PREPARED) return session_run(s, r, progress, context, a, e);
    if (p == PREPARED_NOT) *a = not_explored();
    return p != PREPARED_ERROR;
}

/* Runs with different seeds draw different programs, all of them. */
static uint64_t drawn_seed(const hunter *k, uint64_t number) {
    random_source r = {.s = k->o->how.seed};
    return random_next(&r) + number;
}

/* What was saved is tried here. */
static bool is_elsewhere(const hunter *k) { return k->o->elsewhere && !k->trying_first; }

static bool explore_one(hunt_worker *w, turn *t) {
    hunter *k = w->k;
    run_request r = k->o->how;
    if (k->trying_first) {
        r.first = k->o->first;
        r.executions = 1;
    }
    run_answer a;
    error e = {0};
    double began = clock_seconds();
    r.threads = t->threads;
    r.jobs = k->jobs_each;
    if (t->drawn) {
        r.strategy = t->drawn % 2 ? "random" : "pct";
        r.seed = drawn_seed(k, t->drawn);
        if (!r.executions || r.executions > DRAWN_EXECUTIONS) r.executions = DRAWN_EXECUTIONS;
    }
    if (k->o->seconds > 0) { /* none left is not the same as no limit */
        double left = seconds_left(k);
        r.seconds = left > SECONDS_LEAST ? left : SECONDS_LEAST;
    }
    if (is_elsewhere(k)) { /* the same when it is asked for again; who runs it keeps the limit of all */
        r.seconds = k->o->seconds;
        r.jobs = k->slices ? 1 : 2; /* a program that has all of the time may be split */
    }
    pthread_mutex_lock(&k->lock);
    kept_turn(k, t, &r);
    pthread_mutex_unlock(&k->lock);
    if (t->slice > 0 && (r.seconds <= 0 || t->slice < r.seconds)) r.seconds = t->slice;
    assert((w->s || is_elsewhere(k)) && r.jobs >= 1 && (k->o->seconds <= 0 || r.seconds > 0));
    bool good = is_elsewhere(k) ? k->o->elsewhere->run(k->o->elsewhere->context, &r, &a, &e)
                                : run_program(k, w->s, &r, on_progress, w, &a, &e);
    pthread_mutex_lock(&k->lock);
    *(t->drawn ? &k->drawn_seconds : t->before ? &k->again_seconds : &k->new_seconds) += clock_seconds() - began;
    if (good) take_answer(k, t, &a);
    else if (!k->e.code)
        error_set(&k->e, e.code, "%s%s%s", e.what, t->threads ? "; threads: " : "", t->threads ? t->threads : "");
    if (!good) k->over = true;
    if (k->over) end_hunt(k, w);
    pthread_mutex_unlock(&k->lock);
    return good;
}

static void *work(void *context) {
    hunt_worker *w = context;
    hunter *k = w->k;
    bool good = true;
    for (turn t; good && take_program(k, &t);) {
        good = explore_one(w, &t);
        free(t.threads);
        free(t.before);
        pthread_mutex_lock(&k->lock);
        assert(k->running > 0);
        k->running--;
        pthread_cond_broadcast(&k->changed);
        pthread_mutex_unlock(&k->lock);
    }
    return NULL;
}

/* ---- handing out ---- */

/* Under the lock: waits until a worker has taken what was offered before. */
static bool offer_next(hunter *k, const char *threads, double slice, const campaign_result *before) {
    while ((k->offered || k->offered_main) && !k->over) pthread_cond_wait(&k->changed, &k->lock);
    if (told_to_stop(k)) k->h->stopped = k->over = true;
    if (!k->over) {
        assert(!k->offered && !k->offered_main && !k->offered_before && !k->no_more);
        k->offered = threads ? mem_string(threads) : NULL;
        k->offered_main = !threads;
        k->offered_operations = threads ? threads_operations(threads) : 0;
        k->offered_slice = slice;
        k->offered_before = before ? MEM_NEW(campaign_result) : NULL;
        if (before) *k->offered_before = *before;
    }
    pthread_cond_broadcast(&k->changed);
    return !k->over;
}

/* Under the lock: one more, when it is their turn. */
static bool offer_drawn(hunter *k) {
    text threads = {0};
    const double others = k->new_seconds + k->again_seconds;
    bool go_on = true;
    if (!k->draws || others < DRAWN_AFTER || k->drawn_seconds > others / DRAWN_SHARE) return true;
    if (programs_draw(k->o->space, drawn_seed(k, k->lots + 1), &threads)) {
        go_on = offer_next(k, text_str(&threads), DRAWN_SLICE, NULL);
        if (go_on) k->offered_drawn = ++k->lots;
    } else {
        k->draws = false;
    }
    text_free(&threads);
    return go_on;
}

/* Under the lock: the one that waits longest. */
static bool offer_again(hunter *k) {
    assert(k->lefts);
    unfinished u = k->left[0];
    if (!offer_next(k, u.threads, u.slice, &u.so_far)) return false;
    memmove(k->left, k->left + 1, --k->lefts * sizeof *k->left);
    free(u.threads);
    return true;
}

static double first_slice(const hunter *k) {
    if (k->o->checkpoint && !k->slices) return SLICE_KEPT;
    double share = k->o->seconds > 0 ? k->o->seconds / SLICES : SLICE_MOST;
    return !k->slices ? 0 : share < SLICE_LEAST ? SLICE_LEAST : share > SLICE_MOST ? SLICE_MOST : share;
}

static bool offer(hunter *k, const char *threads) {
    bool go_on = true;
    pthread_mutex_lock(&k->lock);
    while (go_on && k->lefts && k->again_seconds < k->new_seconds / 2) go_on = offer_again(k);
    if (go_on) go_on = offer_drawn(k);
    if (go_on && !take_known(k, threads)) go_on = offer_next(k, threads, first_slice(k), known_before(k, threads));
    pthread_mutex_unlock(&k->lock);
    return go_on;
}

static bool offer_program(void *context, const made_program *p) { return offer(context, p->text); }

/* There are no new ones: those that were not finished, until all are. */
static void offer_rest(hunter *k) {
    pthread_mutex_lock(&k->lock);
    while (!k->over && (k->offered || k->offered_main || k->running || k->lefts)) {
        if (told_to_stop(k)) k->h->stopped = k->over = true;
        else if (k->lefts) (void)(offer_drawn(k) && offer_again(k));
        else pthread_cond_wait(&k->changed, &k->lock);
    }
    pthread_mutex_unlock(&k->lock);
}

/* What is known of programs that did not get another turn. */
static void take_rest(hunter *k) {
    for (unsigned i = 0; i < k->lefts; i++) {
        take_coverage(k->h, &k->left[i].so_far);
        free(k->left[i].threads);
    }
    free(k->left);
}

static void try_first(hunter *k, hunt_worker *w) {
    assert(!k->running && !k->offered && k->o->first);
    k->trying_first = true;
    bool good = explore_one(w, &(turn){.threads = (char *)(uintptr_t)k->o->first_threads});
    if (!good) { /* the test has changed so much that it makes no sense any more */
        k->e = (error){0};
        k->over = false;
    }
    k->h->passed_again = good && !k->h->failed;
    k->trying_first = false;
}

static void offer_all(hunter *k) {
    bool all = true;
    if (k->o->threads)
        for (unsigned i = 0; all && i < k->o->threads_n; i++) all = offer(k, k->o->threads[i]);
    else if (k->o->space) all = programs_each(k->o->space, offer_program, k);
    else all = offer(k, NULL);
    if (all) offer_rest(k);
    pthread_mutex_lock(&k->lock);
    k->h->all_programs = all && !k->over;
    assert(!k->h->all_programs || (!k->lefts && !k->running && !k->offered && !k->offered_main));
    k->no_more = true;
    pthread_cond_broadcast(&k->changed);
    pthread_mutex_unlock(&k->lock);
}

/* ---- the smallest failing part ---- */

typedef struct shrinker {
    hunter *k;
    session *s;
    double until;
    failure_kind kind;
    bool found;
    bool left; /* a part that was not explored to its end */
} shrinker;

static void failure_replace(hunt *h, const char *threads, run_answer *a) {
    char *kept = threads ? mem_string(threads) : NULL;
    assert(h->failed && a->result.failure == h->failure.answer.result.failure);
    free(h->failure.threads);
    run_answer_free(&h->failure.answer);
    h->failure = (program_result){.threads = kept, .answer = *a};
}

static bool try_smaller(void *context, const char *smaller) {
    shrinker *z = context;
    hunter *k = z->k;
    run_request r = k->o->how;
    run_answer a;
    error e = {0};
    double left = z->until - clock_seconds();
    if (left <= 0 || (k->o->stop && *k->o->stop)) {
        z->left = true;
        return false;
    }
    r.threads = smaller;
    r.strategy = "auto"; /* whatever found the failure */
    r.seconds = left < SHRINK_EACH ? left : SHRINK_EACH;
    r.jobs = 1;
    if (!run_program(k, z->s, &r, NULL, NULL, &a, &e)) {
        z->left = true;
        return !a.died;
    }
    if (a.result.failure != z->kind) {
        z->left |= !a.result.complete && a.result.failure == FAILURE_NONE;
        run_answer_free(&a);
        return true;
    }
    k->h->shrunk_from = threads_operations(k->h->failure.threads);
    failure_replace(k->h, smaller, &a);
    assert(threads_operations(smaller) < k->h->shrunk_from);
    z->found = true;
    return false;
}

/* Of large programs there are too many parts: what can be left out one by one goes first, from the end, so that what
 * was put in comes behind what took it out. Again while anything goes. */
static void leave_out_calls(shrinker *z) {
    const hunt *h = z->k->h;
    text smaller = {0};
    bool goes_on = true;
    for (bool any = true; goes_on && any;) {
        any = false;
        for (unsigned call = threads_operations(h->failure.threads); goes_on && call--;) {
            if (!program_without(h->failure.threads, call, &smaller)) break;
            z->found = false;
            goes_on = try_smaller(z, text_str(&smaller)) || z->found;
            any |= z->found;
        }
    }
    text_free(&smaller);
}

enum { ALL_PARTS_MOST = 8 }; /* operations of a written program all of whose parts can be tried in the time there is */

/* Operations that never wait by contract have no excuse in any part of a program. */
static bool any_waits(const program_space *s) {
    for (unsigned i = 0; i < s->ops; i++)
        if (s->op[i].waits) return true;
    return false;
}

static void shrink_failure(hunter *k, session *s) {
    hunt *h = k->h;
    if (!h->failed || !h->failure.threads || k->o->keep_size || h->failure.answer.died) return;
    /* made smallest first; others may have been overtaken */
    if (k->o->space && !k->o->threads && k->workers == 1 && !k->failure_drawn) return;
    failure_kind kind = h->failure.answer.result.failure;
    /* a part of a program may rightly wait for what was left out */
    if ((kind == FAILURE_DEADLOCK || kind == FAILURE_LIVELOCK) && !(k->failure_drawn && !any_waits(k->o->space)))
        return;
    double took = clock_seconds() - k->started, allowed = took < SHRINK_LEAST  ? SHRINK_LEAST
                                                          : took > SHRINK_MOST ? SHRINK_MOST
                                                                               : took;
    if (k->failure_drawn) allowed = SHRINK_DRAWN;
    shrinker z = {.k = k, .s = s, .until = clock_seconds() + allowed, .kind = h->failure.answer.result.failure};
    const unsigned from = threads_operations(h->failure.threads);
    const bool one_by_one = k->failure_drawn || from > ALL_PARTS_MOST;
    if (one_by_one) leave_out_calls(&z);
    char *threads = mem_string(h->failure.threads);
    z.left = z.found = false;
    h->parts_left = !programs_within(threads, try_smaller, &z) || z.left;
    if (!one_by_one && z.left && !z.found) { /* large parts took the time of the others */
        z.until = clock_seconds() + SHRINK_MOST;
        leave_out_calls(&z);
    }
    if (h->shrunk_from) h->shrunk_from = from;
    free(threads);
}

/* ---- the same failure with the fewest preemptions ---- */

/* A trace that violates is found by one of its executions, and shown by another that may switch more often. Executions
 * with 0, 1, ... preemptions, each checked for its own history: the first that fails has the fewest there are. */
static void calm_failure(hunter *k, session *s) {
    hunt *h = k->h;
    double until = clock_seconds() + (k->failure_drawn ? CALM_DRAWN : CALM_SECONDS);
    if (!h->failed || h->failure.answer.died || k->o->how.messages) return;
    for (unsigned bound = 0; bound < h->failure.answer.result.failing_preemptions; bound++) {
        run_request r = k->o->how;
        run_answer a;
        error e = {0};
        r.threads = h->failure.threads;
        r.strategy = "bounded";
        r.bound = bound;
        r.each_history = true;
        r.jobs = 1;
        r.seconds = until - clock_seconds();
        if (r.seconds <= 0 || (k->o->stop && *k->o->stop) || !run_program(k, s, &r, NULL, NULL, &a, &e)) return;
        const campaign_result *was = &h->failure.answer.result;
        if (a.result.failure == was->failure && a.schedule && a.result.failing_preemptions <= bound) {
            assert(a.result.failing_preemptions < was->failing_preemptions);
            failure_replace(h, h->failure.threads, &a);
            return;
        }
        run_answer_free(&a);
    }
}

/* ---- all of it ---- */

static unsigned start_workers(hunter *k, hunt_worker *w, unsigned n) {
    unsigned started = 0;
    for (; started < n; started++) {
        w[started] = (hunt_worker){.k = k, .shows = started == 0};
        if (k->o->elsewhere && started) continue; /* one is here, for making failures smaller */
        w[started].s = session_open(k->o->binary, k->o->argv, &k->e);
        if (!w[started].s) break;
    }
    return started;
}

/* What is compared with serial runs, explored as graphs or kept in a checkpoint has no room for them. */
static bool draws_programs(const hunt_options *o) {
    return o->space && !o->threads_n && !o->prepare && !o->checkpoint && !o->how.messages && !o->how.monitor &&
           !strcmp(o->how.strategy, "auto");
}

bool hunt_run(const hunt_options *o, hunt *out, error *e) {
    unsigned cores = o->jobs ? o->jobs : 1, jobs = cores;
    if (!o->space && o->threads_n < jobs) jobs = o->threads_n ? o->threads_n : 1;
    assert(jobs >= 1 && (!o->threads || o->threads_n));
    *out = (hunt){.preemptions = -1};
    hunter k = {.o = o,
                .h = out,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .changed = PTHREAD_COND_INITIALIZER,
                .started = clock_seconds(),
                .jobs_each = cores / jobs};
    hunt_worker *w = MEM_ARRAY(hunt_worker, jobs);
    pthread_t *thread = MEM_ARRAY(pthread_t, jobs);
    unsigned started = start_workers(&k, w, jobs);
    if (started == jobs) {
        k.worker = w;
        k.workers = jobs;
        if (o->first) try_first(&k, &w[0]);
        for (unsigned i = 0; i < jobs; i++) pthread_create(&thread[i], NULL, work, &w[i]);
        k.draws = draws_programs(o);
        k.slices = o->space ? o->threads_n == 0 : o->threads_n > jobs;
        offer_all(&k);
        for (unsigned i = 0; i < jobs; i++) pthread_join(thread[i], NULL);
        assert(!k.running);
        take_rest(&k);
        if (o->checkpoint && !k.e.code) checkpoint_write(o->checkpoint, &k.e);
        shrink_failure(&k, w[0].s);
        calm_failure(&k, w[0].s);
    }
    for (unsigned i = 0; i < started; i++) session_close(w[i].s); /* NULL: it has none */
    if (told_to_stop(&k) && !out->failed) out->stopped = true;
    out->seconds = clock_seconds() - k.started;
    out->made = o->space && !o->threads;
    if (out->made) programs_limits(o->space, &out->limits);
    assert_counts(out);
    FREE_ALL(k.offered, k.offered_before, w, thread);
    if (k.e.code) *e = k.e;
    return k.e.code == 0;
}

void hunt_free(hunt *h) {
    free(h->failure.threads);
    run_answer_free(&h->failure.answer);
    outcomes_free(&h->outcomes);
    free(h->order);
    text_free(&h->notes);
}
