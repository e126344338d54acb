/* Many operations that never return: monitors against the engines that see the whole, at the event that is reported and
 * at the one before; and long histories, in which nothing is left unjudged because operations stayed open. */
#include "support/cmocka.h"

#include "base/random.h"
#include "engine/portfolio.h"
#include "support/feed.h"
#include "support/planted.h"

static const char *const names[] = {"register", "kv",    "cas-register", "set", "counter",
                                    "queue",    "stack", "fetch-add",    "lock"};
enum { NAMES = sizeof names / sizeof *names };

typedef struct tally {
    unsigned histories, linearizable, violations, doubtful;
} tally;

/* Where sums or texts are made of many pending operations, not all ways are looked at, and the event may be told late. */
static bool tells_the_event(const bound *b) {
    const char *name = b->o->type->name;
    return strcmp(name, "counter") && strcmp(name, "fetch-add") && strcmp(name, "kv");
}

/* In doubt nothing is claimed; otherwise what is said is so, and a violation was none one event earlier. */
static void judge_one(const bound *b, const monitor_options *options, tally *count) {
    error e = {0};
    monitor *m = monitor_new(b->o, options, &e);
    feed f;
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    const verdict v = monitor_settle(m);
    const bool doubt = *monitor_doubt(m);
    assert_int_not_equal(v, VERDICT_UNDECIDED); /* for good */
    count->histories++;
    count->doubtful += v == VERDICT_LINEARIZABLE && doubt;
    if (v == VERDICT_LINEARIZABLE && !doubt) {
        count->linearizable++;
        assert_int_not_equal(verdict_offline(b, RANK_NEVER, 1), VERDICT_VIOLATION);
    }
    if (v == VERDICT_VIOLATION) {
        const uint32_t bad = (uint32_t)monitor_bad_event(m);
        count->violations++;
        assert_int_not_equal(verdict_offline(b, bad, 1), VERDICT_LINEARIZABLE);
        if (bad && tells_the_event(b)) assert_int_not_equal(verdict_offline(b, bad - 1, 1), VERDICT_VIOLATION);
    }
    feed_free(&f);
    monitor_free(m);
}

static void many_time_outs(void **unused) {
    (void)unused;
    const char *soak = getenv("PLUMB_SOAK");
    const unsigned histories = soak                    ? (atoi(soak) > 1 ? (unsigned)atoi(soak) : 100000)
                               : getenv("PLUMB_FEWER") ? 20
                                                       : 150;
    for (unsigned k = 0; k < NAMES; k++) {
        random_source r = {k + 23};
        tally count = {0};
        for (unsigned i = 0; i < histories; i++) {
            bound b;
            const planted_shape shape = {.operations = 150, .occupancy = 8, .pending = 0.25, .planted = 0.5};
            monitor_options options = {.check_after = random_below(&r, 5)};
            if (!random_planted_history(&r, names[k], &shape, &b)) continue;
            judge_one(&b, &options, &count);
            free_bound(&b);
        }
        print_message("%-14s %u histories: %u linearizable, %u violations, %u in doubt\n", names[k], count.histories,
                      count.linearizable, count.violations, count.doubtful);
        assert_true(count.linearizable && count.violations);
    }
}

/* A hundredth of the operations of 16 clients. */
static void at_any_length(void **unused) {
    (void)unused;
    for (unsigned k = 0; k < NAMES; k++) {
        error e = {0};
        generate_options options;
        feed f;
        bound b = {.o = object_open(names[k], NULL, &e)};
        generate_standard(b.o, &options);
        options.operations = getenv("PLUMB_FEWER") ? 3000 : 12000;
        options.clients = 16;
        options.pending = 0.01;
        options.seed = 7;
        b.h = generate(b.o, &options, &e);
        monitor *m = monitor_new(b.o, NULL, &e);
        feed_init(&f, b.h);
        for (unsigned n = 1; feed_next(&f, m); n++) /* it may be asked at any moment */
            if (n % 997 == 0) monitor_settle(m);
        assert_int_equal(monitor_settle(m), VERDICT_LINEARIZABLE);
        if (*monitor_doubt(m)) fail_msg("%s: %s", names[k], monitor_doubt(m));
        feed_free(&f);
        monitor_free(m);
        free_bound(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_time_outs),
        cmocka_unit_test(at_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
