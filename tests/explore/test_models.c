/* Models of well-known structures: how many executions exhaust them, with which reductions. The figures are those that
 * real code gave as well, where model and code make the same steps. */
#include "base/hash.h"
#include "support/cmocka.h"
#include "support/toy_campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct expectation {
    toy_model model;
    const char *threads, *object;
    uint64_t traces; /* dpor alone */
    uint64_t signatures;
    /* executions that came to their end, with symmetry, with retry blocking, with both */
    uint64_t symmetric, retry, both;
    bool wrong;
} expectation;

static const expectation expected[] = {
    {MODEL_QUEUE, "1:g|g", "queue", 6, 4, 3, 2, 1, false},
    {MODEL_QUEUE, "0:pp|gg", "queue", 24, 20, 24, 13, 13, false},
    {MODEL_QUEUE, "1:pg|gp", "queue", 48, 17, 48, 11, 11, false},
    {MODEL_QUEUE, "1:pg|g|g", "queue", 728, 118, 364, 16, 8, false},
    {MODEL_QUEUE, "0:pg|pg|g", "queue", 55622, 942, 27811, 144, 72, false},
    {MODEL_QUEUE, "0:p|p|p", "queue", 9168, 42, 1528, 126, 21, false},
    {MODEL_QUEUE, "3:g|g|g", "queue", 198, 36, 33, 6, 1, false},
    {MODEL_STACK, "0:pg|pg|pg", "stack", 68892, 7134, 11482, 4812, 802, false},
    {MODEL_BROKEN_QUEUE, "1:g|g", "queue", 6, 6, 6, 4, 4, true},
    {MODEL_BROKEN_QUEUE, "1:pg|g", "queue", 11, 11, 11, 7, 7, true},
    {MODEL_MUTEX, "0:ppp|ggg", "queue", 20, 20, 20, 20, 20, false},
    {MODEL_MUTEX, "0:pg|pg|pg", "queue", 90, 90, 15, 90, 15, false},
    {MODEL_MUTEX, "0:p|p|p|g|g|g", "queue", 720, 720, 20, 720, 20, false},
    {MODEL_SPIN, "0:pg|pg|pg", "queue", 90, 90, 15, 90, 15, false},
    {MODEL_SPIN, "0:p|p|p|g|g|g", "queue", 720, 720, 20, 720, 20, false},
    {MODEL_GIVE_UP, "5:gggg|g", "stack", 76, 26, 76, 76, 76, true},
};
enum { EXPECTATIONS = sizeof expected / sizeof *expected };

static uint64_t useful(const expectation *e, bool symmetry, bool retry, uint64_t *signatures) {
    toy_program p;
    toy_structure(&p, e->model, e->threads);
    p.retry = retry;
    toy_outcome o = toy_explore(
        &p,
        &(toy_try){.strategy = "dpor", .object = e->object, .all = true, .symmetry = symmetry, .no_histories = true});
    assert_true(o.good && o.r.complete);
    assert_int_equal(o.r.failure, e->wrong ? FAILURE_VIOLATION : FAILURE_NONE);
    if (signatures) *signatures = o.r.histories;
    uint64_t n = o.r.executions - o.r.stage[0].pruned - o.r.stage[0].assumed;
    toy_outcome_free(&o);
    return n;
}

static void executions(void **s) {
    (void)s;
    for (unsigned i = 0; i < EXPECTATIONS; i++) {
        const expectation *e = &expected[i];
        uint64_t signatures, plain = useful(e, false, false, &signatures);
        uint64_t symmetric = useful(e, true, false, NULL), retry = useful(e, false, true, NULL),
                 both = useful(e, true, true, NULL);
        bool same = plain == e->traces && signatures == e->signatures && symmetric == e->symmetric &&
                    retry == e->retry && both == e->both;
        if (!same)
            print_message("%s: %lu traces, %lu signatures, %lu symmetric, %lu retry, %lu both\n", e->threads,
                          (unsigned long)plain, (unsigned long)signatures, (unsigned long)symmetric,
                          (unsigned long)retry, (unsigned long)both);
        assert_true(same);
    }
}

/* The same histories whatever the strategy, where dfs comes to an end. */
static void histories(void **s) {
    (void)s;
    static const struct {
        toy_model model;
        const char *threads;
    } small[] = {{MODEL_QUEUE, "0:p|g"},  {MODEL_STACK, "1:p|g"},   {MODEL_STACK, "0:p|p"},
                 {MODEL_MUTEX, "0:p|g"},  {MODEL_SPIN, "0:p|g"},    {MODEL_MUTEX, "0:pg|g"},
                 {MODEL_SPIN, "1:g|pg"},  {MODEL_QUEUE, "1:g|g"},   {MODEL_BROKEN_QUEUE, "1:g|g"},
                 {MODEL_STACK, "2:g|g"},  {MODEL_MUTEX, "0:p|p|g"}, {MODEL_SPIN, "0:p|g|g"},
                 {MODEL_STACK, "0:g|g|p"}};
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++) {
        toy_program p;
        toy_structure(&p, small[i].model, small[i].threads);
        toy_outcome dfs =
            toy_explore(&p, &(toy_try){.strategy = "dfs", .each_history = true, .all = true, .most = 400000});
        toy_outcome dpor = toy_explore(&p, &(toy_try){.strategy = "dpor", .all = true});
        toy_outcome renamed =
            toy_explore(&p, &(toy_try){.strategy = "dpor", .all = true, .symmetry = true, .rename = true});
        assert_true(dfs.r.complete && dpor.r.complete && renamed.r.complete);
        assert_true(toy_same_histories(&dfs.seen, &dpor.seen));
        assert_true(toy_same_histories(&dfs.seen, &renamed.seen));
        toy_outcome_free(&dfs);
        toy_outcome_free(&dpor);
        toy_outcome_free(&renamed);
    }
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t trace_print(const trace_clocks *c) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->steps; i++) sum += hash_pair(c->thread[i], hash_bytes(c->clock[i], sizeof c->clock[i]));
    return sum;
}

/* No trace is run twice: its steps with their clocks tell it from all others (no program here makes choices). */
static void no_duplicates(const toy_program *p) {
    const strategy_type *type = strategy_find("dpor");
    strategy *st = strategy_open(type, &(strategy_options){0});
    world *w = toy_open(p);
    static uint64_t print[100000];
    uint32_t n = 0, duplicates = 0;
    for (const driver *d; (d = strategy_next(st));) {
        toy_run(w, d);
        strategy_done(st, w);
        assert_false(type->diverged(st));
        trace_clocks c = type->clocks(st);
        if (w->ending == ENDED_WELL && n < 100000) print[n++] = trace_print(&c);
    }
    qsort(print, n, sizeof *print, compare);
    for (uint32_t i = 1; i < n; i++) duplicates += print[i] == print[i - 1];
    assert_int_equal(duplicates, 0);
    toy_close(w);
    strategy_close(st);
}

static void every_trace_once(void **s) {
    (void)s;
    toy_program p;
    for (unsigned i = 0; i < EXPECTATIONS; i++) {
        toy_structure(&p, expected[i].model, expected[i].threads);
        no_duplicates(&p);
    }
    for (uint64_t seed = 1; seed < 500; seed++) {
        random_source r = {seed};
        toy_random(&p, &r, seed % 2 ? FLAVOUR_MEMORY : FLAVOUR_LOCKS);
        no_duplicates(&p);
    }
}

TEST_MAIN(TEST(executions), TEST(histories), TEST(every_trace_once))
