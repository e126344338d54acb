/* The fast checker of stacks against the monitor of the house, which asks the engines at every event: the same verdict,
 * with failed, unknown and excused operations; its evidence is decided again. And the way back of its sweep. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/checker_pair.h"
#include "support/engine_trial.h"
#include "support/record_run.h"

#include <stdlib.h>

typedef struct trial {
    uint64_t max_lag;
    uint32_t settle_every; /* 0: at random */
    unsigned unknown;      /* one in so many operations ends without a result; 0: none */
    uint32_t compared, violations, undecided;
} trial;

/* A verdict that is put off is late, never wrong. */
static void compare_now(const checker_pair *p, trial *t, bool settled) {
    verdict fast = settled ? p->fast->type->settle(p->fast) : p->fast->verdict, slow = p->slow->verdict;
    t->compared++;
    if (fast == VERDICT_UNDECIDED) t->undecided++;
    else if (fast == VERDICT_VIOLATION) assert_int_equal(slow, VERDICT_VIOLATION);
    else if (settled && !t->max_lag) assert_int_equal(slow, fast);
}

static unsigned any_end(random_source *r, const trial *t) {
    if (!t->unknown || random_below(r, t->unknown)) return LOG_RETURNED;
    return random_below(r, 2) ? LOG_FAILED : LOG_UNKNOWN;
}

static void compare(random_source *r, trial *t) {
    checker_pair p;
    random_shape shape = shape_distinct(r);
    shape.pending = random_below(r, 3) ? shape.pending : 0;
    if (!checker_pair_open(&p, r, "stack", &shape)) return;
    p.fast = stack_checker_new(p.b.o, PAIR_CLIENTS, &(checker_options){.max_lag = t->max_lag});
    for (uint32_t k = 0; k < p.b.h->events && p.fast->verdict == VERDICT_LINEARIZABLE; k++) {
        uint32_t given = k % 2 ? checker_pair_give_whole(&p, k) : 0;
        if (given) k += given - 1;
        else checker_pair_give(&p, k, any_end(r, t));
        compare_now(&p, t, t->settle_every ? k % t->settle_every == 0 : !random_below(r, 5));
    }
    compare_now(&p, t, true);
    if (p.fast->verdict == VERDICT_VIOLATION) {
        t->violations++;
        checker_pair_check_evidence(p.fast);
    }
    checker_pair_close(&p);
}

static uint32_t histories(uint32_t standard) {
    return soaking() ? 50 * standard : getenv("PLUMB_FEWER") ? standard / 10 : standard;
}

static void run(trial *t, uint64_t seed, uint32_t n) {
    random_source r = {seed};
    for (uint32_t i = 0; i < n; i++) compare(&r, t);
    print_message("%u histories: %u verdicts, %u violations, %u undecided\n", n, t->compared, t->violations,
                  t->undecided);
    assert_true(t->violations > n / 20);
}

static void exact_at_every_event(void **unused) {
    (void)unused;
    trial t = {.settle_every = 1};
    run(&t, 3, histories(8000));
    assert_int_equal(t.undecided, 0);
}

static void exact_when_asked(void **unused) {
    (void)unused;
    trial t = {0};
    run(&t, 5, histories(5000));
    assert_int_equal(t.undecided, 0);
}

static void with_operations_that_never_return(void **unused) {
    (void)unused;
    trial t = {.settle_every = 1, .unknown = 12};
    run(&t, 7, histories(5000));
    assert_int_equal(t.undecided, 0); /* nothing is left behind in so short a history */
}

static void excuses_are_sound(void **unused) {
    (void)unused;
    for (uint32_t lag = 1; lag < 6; lag++) {
        trial t = {.settle_every = lag % 2, .unknown = lag % 3 ? 12 : 0, .max_lag = lag};
        run(&t, 11 + lag, histories(1500));
    }
}

/* ---- long runs of a right stack, and of one that errs ---- */

enum { THREADS = 4, DEEPEST = 4096 };

typedef struct thread {
    sketched op;
    bool open, done; /* done: it has taken effect */
    uint32_t stalls; /* for so many events */
} thread;

typedef struct world {
    random_source r;
    object *o;
    values *values;
    checker *c, *slow;
    uint64_t inside[DEEPEST];
    uint32_t n;
    thread thread[THREADS];
    int64_t fresh;
    unsigned unknown, stalls, errs; /* one in so many operations; 0: never */
    bool erred, shown;
} world;

static bool one_in(world *w, unsigned n) { return n && !random_below(&w->r, n); }

static void take_effect(world *w, thread *t) {
    t->done = true;
    if (t->op.method == 0) w->inside[w->n++] = t->op.arg[0];
    else if (w->n == 0) t->op.res = PLUMB_WORD_EMPTY;
    else {
        uint32_t at = w->n - 1;
        if (w->n > 1 && one_in(w, w->errs)) {
            at--;
            w->erred = true;
        }
        t->op.res = w->inside[at];
        w->inside[at] = w->inside[w->n - 1];
        w->n--;
    }
}

static void begin(world *w, thread *t, uint32_t client, uint32_t depth) {
    bool pushes = w->n < DEEPEST && random_below(&w->r, 2 * depth) >= w->n;
    *t = (thread){.open = true, .stalls = one_in(w, w->stalls) ? 200 : 0};
    t->op = (sketched){.client = client, .method = !pushes, .nargs = pushes, .res = PLUMB_WORD_NONE};
    if (pushes) t->op.arg[0] = PLUMB_WORD_INT(++w->fresh);
    w->c->type->call(w->c, &t->op);
    if (w->slow) w->slow->type->call(w->slow, &t->op);
}

static void end(world *w, thread *t) {
    t->open = false;
    t->op.outcome = t->done ? LOG_RETURNED : LOG_UNKNOWN;
    if (t->done && one_in(w, w->unknown)) t->op.outcome = LOG_UNKNOWN;
    w->c->type->ret(w->c, &t->op);
    if (w->slow) w->slow->type->ret(w->slow, &t->op);
}

static void step_world(world *w, uint32_t depth) {
    uint32_t i = random_below(&w->r, THREADS);
    thread *t = &w->thread[i];
    if (t->stalls) t->stalls--;
    else if (!t->open) begin(w, t, i, depth);
    else if (!t->done && !one_in(w, w->unknown)) take_effect(w, t);
    else end(w, t);
}

static verdict run_world(world *w, uint64_t seed, uint64_t max_lag, uint32_t steps) {
    error e = {0};
    w->r = (random_source){seed};
    w->o = object_open("stack", NULL, &e);
    object_use_values(w->o, w->values = values_new());
    w->c = stack_checker_new(w->o, THREADS, &(checker_options){.max_lag = max_lag});
    w->slow = w->errs ? monitor_checker_new(w->o, THREADS, &(checker_options){0}, &e) : NULL;
    verdict found = VERDICT_LINEARIZABLE;
    for (uint32_t i = 0; i < steps && found == VERDICT_LINEARIZABLE; i++) {
        step_world(w, seed % 3 ? 4 : 60);
        found = seed % 2 || i + 1 == steps ? w->c->type->settle(w->c) : w->c->verdict;
    }
    if (found == VERDICT_VIOLATION) w->shown = checker_pair_check_evidence(w->c);
    if (w->slow) assert_int_equal(w->slow->type->settle(w->slow), found);
    checker_free(w->c);
    checker_free(w->slow);
    object_close(w->o);
    values_free(w->values);
    return found;
}

static void long_runs(void **unused) {
    (void)unused;
    uint32_t undecided = 0, n = histories(200);
    for (uint32_t i = 0; i < n; i++) {
        world w = {.unknown = i % 4 == 1 ? 150 : 0, .stalls = i % 4 == 2 ? 100 : 0};
        verdict found = run_world(&w, i, i % 8 < 4 ? 0 : 100, 8000);
        assert_int_not_equal(found, VERDICT_VIOLATION);
        if (!w.unknown && i % 8 < 4) assert_int_equal(found, VERDICT_LINEARIZABLE); /* no thread is given up */
        undecided += found == VERDICT_UNDECIDED;
    }
    print_message("%u of %u right runs undecided\n", undecided, n);
    assert_true(undecided < n / 4);
}

static void long_runs_that_err(void **unused) {
    (void)unused;
    uint32_t found = 0, erred = 0, shown = 0, n = histories(200);
    for (uint32_t i = 0; i < n; i++) {
        world w = {.errs = 400};
        found += run_world(&w, i, 0, 8000) == VERDICT_VIOLATION;
        erred += w.erred;
        shown += w.shown;
    }
    print_message("%u violations in %u runs, %u of which erred; %u with evidence\n", found, n, erred, shown);
    assert_true(shown > found / 2);
    assert_true(found > erred / 4); /* what overlaps may come out in another order */
}

TEST_MAIN(TEST(exact_at_every_event), TEST(exact_when_asked), TEST(with_operations_that_never_return),
          TEST(excuses_are_sound), TEST(long_runs), TEST(long_runs_that_err))
