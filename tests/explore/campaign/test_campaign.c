#include "explore/model/schedule.h"
#include "support/cmocka.h"
#include "support/toy_campaign.h"

#include <string.h>

static toy_program broken(const char *threads) {
    toy_program p;
    toy_structure(&p, MODEL_BROKEN_QUEUE, threads);
    return p;
}

static const stage_result *has_stage(const campaign_result *r, const char *name) {
    for (unsigned i = 0; i < r->stages; i++)
        if (!strcmp(r->stage[i].strategy, name)) return &r->stage[i];
    fail_msg("%s had no turn", name);
    return NULL;
}

static void says_what_is_proven(void **s) {
    (void)s;
    toy_program p;
    toy_structure(&p, MODEL_QUEUE, "1:pg|g|g");
    toy_outcome o =
        toy_explore(&p, &(toy_try){.strategy = "auto", .object = "queue", .bound = 2, .no_histories = true});
    assert_true(o.good && o.r.complete && !o.r.stopped);
    assert_int_equal(o.r.failure, FAILURE_NONE);
    /* what is exhaustive ends it, what draws lots had its turns besides */
    assert_string_equal(o.r.stage[0].strategy, "bounded");
    assert_true(o.r.stage[0].exhausted && o.r.preemptions >= 0);
    assert_true(has_stage(&o.r, "dpor")->exhausted);
    assert_true(has_stage(&o.r, "pct")->executions && has_stage(&o.r, "random")->executions);
    assert_false(has_stage(&o.r, "random")->exhausted);
    toy_outcome_free(&o);
    o = toy_explore(&p, &(toy_try){.strategy = "bounded", .object = "queue", .bound = 1, .no_histories = true});
    assert_true(o.r.stage[0].exhausted && !o.r.complete);
    assert_int_equal(o.r.preemptions, 1);
    toy_outcome_free(&o);
    o = toy_explore(&p,
                    &(toy_try){.strategy = "auto", .object = "queue", .bound = 2, .most = 900, .no_histories = true});
    assert_true(o.good && o.r.stopped && !o.r.complete);
    assert_int_equal(o.r.executions, 900);
    toy_outcome_free(&o);
    o = toy_explore(&p, &(toy_try){.strategy = "random", .object = "queue", .most = 100, .no_histories = true});
    assert_true(o.good && o.r.stopped && !o.r.complete && o.r.preemptions < 0);
    toy_outcome_free(&o);
}

/* A program in which no bound leaves anything out needs no further stage. */
static void ends_when_complete(void **s) {
    (void)s;
    toy_program p = {.threads = 1, .most_steps = 10};
    toy_emit(&p, 0, TOY_CALL, 0, TOY_N(0), TOY_N(0), TOY_N(1));
    toy_emit(&p, 0, TOY_WRITE, 0, TOY_N(0), TOY_N(1), TOY_N(-1));
    toy_emit(&p, 0, TOY_RETURN_NONE, 0, TOY_N(0), TOY_N(0), TOY_N(0));
    toy_outcome o = toy_explore(&p, &(toy_try){.strategy = "auto", .object = "register", .bound = 2});
    assert_true(o.good && o.r.complete);
    assert_int_equal(o.r.stages, 1);
    assert_int_equal(o.seen.n, 1);
    toy_outcome_free(&o);
}

static bool violates(const toy_program *p, const schedule *what) {
    static const uint8_t methods[] = {0, 1};
    error e = {0};
    object *q = object_open("queue", NULL, &e);
    world *w = toy_open(p);
    campaign_result r;
    campaign_options o = {
        .strategy = "replay", .how = {.prefix = what}, .object = q, .method_of = methods, .check_each_history = true};
    assert_true(campaign_run(w, toy_run, &o, &r));
    bool violation = r.failure == FAILURE_VIOLATION && r.executions == 1 && schedule_equal(&r.failing, what);
    campaign_result_free(&r);
    toy_close(w);
    object_close(q);
    return violation;
}

/* Whatever finds a violation, the schedule it reports shows it by itself. */
static void every_strategy_finds_it(void **s) {
    (void)s;
    static const char *const name[] = {"auto", "dfs", "bounded", "dpor", "pct", "random"};
    toy_program p = broken("1:pg|g");
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
        toy_outcome o = toy_explore(
            &p, &(toy_try){.strategy = name[i], .object = "queue", .bound = 2, .most = 100000, .no_histories = true});
        assert_true(o.good);
        assert_int_equal(o.r.failure, FAILURE_VIOLATION);
        assert_true(violates(&p, &o.r.failing));
        toy_outcome_free(&o);
    }
}

static void first_schedule_first(void **s) {
    (void)s;
    static const uint8_t methods[] = {0, 1};
    toy_program p = broken("1:pg|g");
    toy_outcome found = toy_explore(&p, &(toy_try){.strategy = "dpor", .object = "queue", .no_histories = true});
    for (int changed = 0; changed < 2; changed++) {
        if (changed) toy_structure(&p, MODEL_QUEUE, "1:g|g");
        error e = {0};
        object *q = object_open("queue", NULL, &e);
        world *w = toy_open(&p);
        campaign_result r;
        campaign_options o = {
            .strategy = "auto", .how = {.bound = 2}, .object = q, .method_of = methods, .first = &found.r.failing};
        assert_true(campaign_run(w, toy_run, &o, &r));
        assert_int_equal(r.failure, changed ? FAILURE_NONE : FAILURE_VIOLATION);
        if (!changed) assert_int_equal(r.executions, 1);
        assert_int_equal(r.complete, changed); /* a schedule of another program does no harm */
        campaign_result_free(&r);
        toy_close(w);
        object_close(q);
    }
    toy_outcome_free(&found);
}

static unsigned looks;
static void look(void *context, const campaign_result *so_far) {
    *(volatile int *)context = ++looks >= 2 && so_far->executions > 0;
}

/* The caller looks, and ends it. */
static void stop_when_told(void **s) {
    (void)s;
    static volatile int stop;
    toy_program p;
    toy_structure(&p, MODEL_QUEUE, "0:pg|pg|pg");
    world *w = toy_open(&p);
    campaign_result r;
    campaign_options o = {.strategy = "dpor", .progress = look, .context = (void *)&stop, .stop = &stop, .seconds = 60};
    assert_true(campaign_run(w, toy_run, &o, &r));
    assert_true(r.stopped && !r.complete && looks == 2 && r.estimate > 0);
    campaign_result_free(&r);
    toy_close(w);
}

/* The machine's own findings: an assertion, a deadlock, an execution that is too long. */
static void other_failures(void **s) {
    (void)s;
    toy_program p = {.threads = 3, .most_steps = 50};
    for (unsigned t = 1; t < 3; t++) toy_emit(&p, 0, TOY_SPAWN, 0, TOY_N(0), TOY_N((int)t), TOY_N(-1));
    for (unsigned t = 1; t < 3; t++) toy_emit(&p, 0, TOY_JOIN, 0, TOY_N(0), TOY_N((int)t), TOY_N(-1));
    for (unsigned t = 1; t < 3; t++) {
        for (unsigned k = 0; k < 2; k++) toy_emit(&p, t, TOY_LOCK, 0, TOY_N((int)((t + k) % 2)), TOY_N(-1), TOY_N(-1));
        for (unsigned k = 0; k < 2; k++) toy_emit(&p, t, TOY_UNLOCK, 0, TOY_N((int)k), TOY_N(-1), TOY_N(-1));
    }
    toy_outcome o = toy_explore(&p, &(toy_try){.strategy = "dpor"});
    assert_int_equal(o.r.failure, FAILURE_DEADLOCK);
    assert_true(o.good && o.r.failing.length > 0);
    toy_outcome_free(&o);

    p.length[1] = p.length[2] = 0;
    toy_emit(&p, 1, TOY_WRITE, 0, TOY_N(0), TOY_N(5), TOY_N(-1));
    toy_emit(&p, 2, TOY_READ, 1, TOY_N(0), TOY_N(-1), TOY_N(-1));
    toy_emit(&p, 2, TOY_ASSERT_DIFFERENT, 0, TOY_N(0), TOY_R(1), TOY_N(5));
    o = toy_explore(&p, &(toy_try){.strategy = "dpor"});
    assert_int_equal(o.r.failure, FAILURE_ASSERTION);
    toy_outcome_free(&o);

    p.length[1] = p.length[2] = 0;
    toy_emit(&p, 1, TOY_WRITE, 0, TOY_N(0), TOY_N(5), TOY_N(-1));
    toy_emit(&p, 2, TOY_READ, 1, TOY_N(0), TOY_N(-1), TOY_N(-1));
    toy_emit(&p, 2, TOY_JUMP_IF_DIFFERENT, 0, TOY_N(0), TOY_R(1), TOY_N(5))->target = 0;
    o = toy_explore(&p, &(toy_try){.strategy = "dpor", .most = 1000});
    assert_true(o.good && !o.r.complete && o.r.stage[0].cut_off > 0);
    toy_outcome_free(&o);
}

/* The same schedule, the same execution, bit by bit. */
static void replays_are_identical(void **s) {
    (void)s;
    const strategy_type *random = strategy_find("random"), *replay = strategy_find("replay");
    for (uint64_t seed = 0; seed < 1000; seed++) {
        random_source r = {seed};
        toy_program p;
        toy_random(&p, &r, (toy_flavour)(seed % FLAVOURS));
        world *w = toy_open(&p);
        strategy *a = strategy_open(random, &(strategy_options){.seed = seed});
        toy_run(w, strategy_next(a));
        strategy_done(a, w);
        uint64_t print = toy_fingerprint(w);
        ending ended = w->ending;
        schedule was = {0}, again = {0};
        random->schedule(a, &was);
        strategy *b = strategy_open(replay, &(strategy_options){.prefix = &was});
        toy_run(w, strategy_next(b));
        strategy_done(b, w);
        replay->schedule(b, &again);
        assert_false(replay->diverged(b));
        assert_null(strategy_next(b));
        assert_int_equal(w->ending, ended);
        assert_true(toy_fingerprint(w) == print && schedule_equal(&was, &again));
        schedule_free(&was);
        schedule_free(&again);
        strategy_close(a);
        strategy_close(b);
        toy_close(w);
    }
}

/* Shares by prefix, without any shared memory: every first step of a program, each continued, makes up the whole. */
static void prefixes(void **s) {
    (void)s;
    static const uint8_t methods[] = {0, 1};
    toy_program p;
    toy_structure(&p, MODEL_QUEUE, "1:pg|g|g");
    uint64_t useful = 0;
    for (unsigned first = 1; first <= 3; first++)
        for (unsigned second = 1; second <= 3; second++) {
            schedule prefix = {0};
            schedule_add(&prefix, first, 0);
            schedule_add(&prefix, second, 0);
            error e = {0};
            object *q = object_open("queue", NULL, &e);
            world *w = toy_open(&p);
            campaign_result r;
            campaign_options o = {.strategy = "dpor", .how = {.prefix = &prefix}, .object = q, .method_of = methods};
            assert_true(campaign_run(w, toy_run, &o, &r));
            assert_true(r.stage[0].exhausted && !r.complete);
            useful += r.executions - r.stage[0].pruned;
            campaign_result_free(&r);
            toy_close(w);
            object_close(q);
            schedule_free(&prefix);
        }
    assert_int_equal(useful, 728);
}

TEST_MAIN(TEST(says_what_is_proven), TEST(ends_when_complete), TEST(every_strategy_finds_it),
          TEST(first_schedule_first), TEST(stop_when_told), TEST(other_failures), TEST(replays_are_identical),
          TEST(prefixes))
