/* Saturation as a monitor: never a violation where there is none or before there is one; linearizable only when it is
 * so; memory that does not grow; an operation that never returns does not end removal. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "monitor/monitor_evidence.h"
#include "support/engine_trial.h"
#include "support/feed.h"

#include <stdio.h>

typedef struct tally {
    unsigned violations, found, patterns, sure;
} tally;

static void wrong(const bound *b, const char *what) {
    text shown = {0};
    history_text(b, &shown);
    print_error("%s: %s\n%s\n", b->o->name, what, text_str(&shown));
    text_free(&shown);
    fail();
}

static bool pattern_holds(const bound *b, const monitor *m) {
    history *h = monitor_evidence(m);
    if (!h) return false;
    if (oracle_linearizable(b->o, h, 0) != ORACLE_NO) wrong(b, "the pattern is no violation");
    history_free(h);
    return true;
}

/* Operations that never return end as pending for ever, or stay open. */
static void compare(const bound *b, const monitor_options *options, random_source *r, tally *t) {
    error e = {0};
    monitor *m = monitor_new(b->o, options, &e);
    assert_non_null(m);
    uint32_t rank_of[4 * RANDOM_MAX_OPERATIONS], expected = earliest_violation(b);
    feed f;
    feed_init(&f, b->h);
    feed_with_pending(&f, m, r, rank_of);
    verdict v = monitor_settle(m);
    bool sure = v == VERDICT_LINEARIZABLE && !*monitor_doubt(m);
    if (v == VERDICT_VIOLATION && (expected == RANK_NEVER || rank_of[monitor_bad_event(m)] < expected))
        wrong(b, "a violation where there is none yet");
    if (sure && expected != RANK_NEVER) wrong(b, "a violation called linearizable");
    t->violations += expected != RANK_NEVER;
    t->found += v == VERDICT_VIOLATION;
    t->patterns += v == VERDICT_VIOLATION && pattern_holds(b, m);
    t->sure += sure;
    feed_free(&f);
    monitor_free(m);
}

static void never_wrong(void **unused) {
    (void)unused;
    static const char *const name[] = {"queue", "stack", "multiset", "pqueue-max", "register", "set"};
    unsigned histories = getenv("PLUMB_SOAK") ? 300000 : getenv("PLUMB_FEWER") ? 500 : 5000;
    for (unsigned k = 0; k < sizeof name / sizeof *name; k++) {
        random_source r = {k + 1};
        tally t = {0};
        for (unsigned i = 0; i < histories; i++) {
            random_shape shape = i % 2 ? shape_distinct(&r) : shape_small(&r);
            if (i % 3) shape.pending = 0;
            bound b = random_history(&r, name[k], &shape);
            monitor_options options = {.type = "saturate",
                                       .saturation = {.batch = random_below(&r, 2), .cap = random_below(&r, 3)}};
            compare(&b, &options, &r, &t);
            free_bound(&b);
        }
        print_message("%-10s %u violations, %u found, %u with a pattern; %u surely linearizable\n", name[k],
                      t.violations, t.found, t.patterns, t.sure);
        assert_true(t.found > t.violations / 2 || k == 2);
    }
}

/* A queue of 4 clients that goes on and on; client 0's first dequeue returns at the very end, or never. */
typedef struct long_run {
    monitor *m;
    object *o;
    open_operation *stuck;
    uint64_t most;
    size_t memory;
} long_run;

static open_operation *call(long_run *l, uint32_t client, uint8_t which, int64_t v) {
    monitor_call_record c = {.client = client,
                             .method = which,
                             .nargs = which == 0,
                             .key = VALUE_NONE,
                             .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE}};
    if (which == 0) c.arg[0] = value_int(l->o->values, v);
    return monitor_call(l->m, &c);
}

static void watch_live(long_run *l) {
    monitor_status s;
    monitor_look(l->m, &s);
    if (s.live > l->most) l->most = s.live;
    if (s.memory > l->memory) l->memory = s.memory;
}

static void run_long(long_run *l, const char *object_name, const monitor_options *options, unsigned rounds,
                     bool stuck) {
    error e = {0};
    *l = (long_run){.o = object_open(object_name, NULL, &e)};
    values *v = values_new();
    object_use_values(l->o, v);
    l->m = monitor_new(l->o, options, &e);
    assert_non_null(l->m);
    if (stuck) l->stuck = call(l, 9, 1, 0);
    for (unsigned i = 0; i < rounds; i++) { /* two adds overlap, two removes overlap */
        open_operation *a = call(l, 1, 0, 2 * i), *b = call(l, 2, 0, 2 * i + 1);
        monitor_return(l->m, a, VALUE_NONE);
        monitor_return(l->m, b, VALUE_NONE);
        open_operation *c = call(l, 1, 1, 0), *d = call(l, 2, 1, 0);
        monitor_return(l->m, c, value_int(v, 2 * i + 1));
        monitor_return(l->m, d, value_int(v, 2 * i));
        if (i % 64 == 0) watch_live(l);
    }
    assert_int_equal(monitor_settle(l->m), VERDICT_LINEARIZABLE);
}

static void end_long(long_run *l) {
    values *v = l->o->values;
    monitor_free(l->m);
    object_close(l->o);
    values_free(v);
}

static void memory_does_not_grow(void **unused) {
    (void)unused;
    const monitor_options options = {.type = "saturate"};
    unsigned rounds = getenv("PLUMB_SOAK") ? 2500000 : 20000;
    static const char *const name[] = {"queue", "stack"};
    for (unsigned k = 0; k < 2; k++) {
        long_run l;
        run_long(&l, name[k], &options, rounds, false);
        assert_true(l.most < 200);
        assert_int_equal(*monitor_doubt(l.m) != 0, k); /* stacks: not proved */
        end_long(&l);
    }
}

static void one_that_never_returns(void **unused) {
    (void)unused;
    const monitor_options options = {.type = "saturate", .saturation = {.cap = 100}};
    long_run l;
    run_long(&l, "queue", &options, 3000, true);
    assert_true(l.most < 600);
    assert_true(*monitor_doubt(l.m));
    monitor_return(l.m, l.stuck, VALUE_EMPTY); /* it could have been empty, in the beginning */
    assert_int_equal(monitor_settle(l.m), VERDICT_LINEARIZABLE);
    end_long(&l);
    run_long(&l, "queue", &options, 3000, true);
    monitor_return(l.m, l.stuck, value_int(l.o->values, 1)); /* was taken long ago by another */
    assert_int_equal(monitor_verdict(l.m), VERDICT_VIOLATION);
    end_long(&l);
}

TEST_MAIN(TEST(never_wrong), TEST(memory_does_not_grow), TEST(one_that_never_returns))
