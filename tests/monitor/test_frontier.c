/* The frontier when it cannot keep up: it never ends for good, what it did not judge is counted, and what it says is
 * true. Against the oracle, with so few ways allowed that the state is lost again and again. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "generate/generate.h"
#include "support/feed.h"
#include "support/random_history.h"

static const char *const objects[] = {"set",          "lock",           "rwlock",          "semaphore(2)", "counter",
                                      "fetch-add",    "max-register",   "multiset",        "snapshot",     "kv",
                                      "cas-register", "deque",          "pqueue-max-fifo", "queue(2)",     "register",
                                      "consensus",    "semaphore(2,1)", "queue",           "stack"};
enum { OBJECTS = sizeof objects / sizeof *objects };

typedef struct tally {
    unsigned histories, violations, found, lost, again;
} tally;

static void fail_with(const bound *b, const char *what) {
    text t = {0};
    history_text(b, &t);
    fail_msg("%s: %s\n%s", b->o->name, what, text_str(&t));
}

/* A violation it reports is one, by that event; and where there is one, it does not say that there is none. */
static void judge_one(const bound *b, const monitor_options *options, tally *count) {
    error e = {0};
    monitor *m = monitor_new(b->o, options, &e);
    feed f;
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    verdict v = monitor_settle(m);
    const char *why;
    uint32_t expected = earliest_violation(b);
    uint64_t unjudged = monitor_unjudged(m, &why);
    assert_int_not_equal(v, VERDICT_UNDECIDED); /* for good */
    if (v == VERDICT_VIOLATION && (expected == RANK_NEVER || monitor_bad_event(m) < expected))
        fail_with(b, "a false alarm");
    if (v == VERDICT_LINEARIZABLE && !*monitor_doubt(m) && expected != RANK_NEVER)
        fail_with(b, "a violation is missed");
    if (unjudged) assert_true(*why && *monitor_doubt(m));
    count->histories++;
    count->violations += expected != RANK_NEVER;
    count->found += v == VERDICT_VIOLATION;
    count->lost += unjudged > 0;
    count->again += unjudged && v == VERDICT_VIOLATION;
    feed_free(&f);
    monitor_free(m);
}

static void with_few_ways(void **unused) {
    (void)unused;
    const char *soak = getenv("PLUMB_SOAK");
    unsigned histories = soak ? (atoi(soak) > 1 ? (unsigned)atoi(soak) : 100000) : getenv("PLUMB_FEWER") ? 60 : 400;
    for (unsigned k = 0; k < OBJECTS; k++) {
        random_source r = {k + 17};
        tally count = {0};
        for (unsigned i = 0; i < histories; i++) {
            random_shape shape = random_shape_any(&r);
            if (random_chance(&r, 0.5)) shape.values = 0;
            shape.pending = random_chance(&r, 0.5) ? 0.2 : 0;
            monitor_options options = {.general = true, .max_ways = 1 + random_below(&r, 4)};
            options.check_after = random_below(&r, 5);
            bound b = random_history(&r, objects[k], &shape);
            judge_one(&b, &options, &count);
            free_bound(&b);
        }
        print_message("%-16s %u histories, %u violations, %u found; state lost in %u, in %u of them one found\n",
                      objects[k], count.histories, count.violations, count.found, count.lost, count.again);
        assert_true(count.violations);
    }
}

/* What is open for longer than a few events is taken for pending for ever, and its client goes on all the same: nothing
 * that is right is called wrong for that. Here other clients' locks used to be taken for the one that was given up. */
static void given_up_early(void **unused) {
    (void)unused;
    const unsigned histories = getenv("PLUMB_SOAK") ? 100000 : getenv("PLUMB_FEWER") ? 60 : 300;
    for (unsigned k = 0; k < OBJECTS; k++) {
        random_source r = {k + 91};
        unsigned given_up = 0;
        for (unsigned i = 0; i < histories; i++) {
            random_shape shape = random_shape_any(&r);
            monitor_options options = {.general = random_chance(&r, 0.5), .max_lag = 1 + random_below(&r, 6)};
            error e = {0};
            feed f;
            monitor_status s;
            bound b = random_history(&r, objects[k], &shape);
            monitor *m = monitor_new(b.o, &options, &e);
            feed_init(&f, b.h);
            while (feed_next(&f, m)) {}
            if (monitor_settle(m) == VERDICT_VIOLATION && earliest_violation(&b) == RANK_NEVER)
                fail_with(&b, "a false alarm");
            monitor_look(m, &s);
            given_up += s.given_up > 0;
            feed_free(&f);
            monitor_free(m);
            free_bound(&b);
        }
        assert_true(given_up > 0);
    }
}

/* The state is lost at any moment, while operations without kept calls are open: what they do is no violation. */
static void lost_at_any_moment(void **unused) {
    (void)unused;
    const unsigned histories = getenv("PLUMB_SOAK") ? 30000 : getenv("PLUMB_FEWER") ? 60 : 400;
    for (unsigned k = 0; k < OBJECTS; k++) {
        random_source r = {k + 57};
        unsigned again = 0;
        for (unsigned i = 0; i < histories; i++) {
            random_shape shape = random_shape_any(&r);
            shape.pending = random_chance(&r, 0.5) ? 0.2 : 0;
            monitor_options options = {.general = true, .check_after = random_below(&r, 3)};
            error e = {0};
            feed f;
            bound b = random_history(&r, objects[k], &shape);
            monitor *m = monitor_new(b.o, &options, &e);
            const uint32_t at = random_below(&r, b.h->events + 1);
            feed_init(&f, b.h);
            for (uint32_t n = 0; n < at && feed_next(&f, m); n++) {}
            if (monitor_verdict(m) == VERDICT_LINEARIZABLE) monitor_lose(m, "the test wants it");
            while (feed_next(&f, m)) {}
            const bool found = monitor_settle(m) == VERDICT_VIOLATION;
            if (found && earliest_violation(&b) == RANK_NEVER) fail_with(&b, "a false alarm");
            again += found;
            feed_free(&f);
            monitor_free(m);
            free_bound(&b);
        }
        print_message("%-16s %u violations found although the state was lost once\n", objects[k], again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_few_ways),
        cmocka_unit_test(given_up_early),
        cmocka_unit_test(lost_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
