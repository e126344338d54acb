/* Longer histories: monitors against the engines that see the whole; memory that does not grow. */
#include "support/cmocka.h"

#include "base/random.h"
#include "engine/portfolio.h"
#include "support/feed.h"
#include "support/planted.h"

static const planted_shape shape = {
    .operations = 1500, .occupancy = 20, .complete = 0.7, .pending = 0.002, .planted = 0.6};

/* The same verdict, and the event before the bad one is not one yet. */
static void online_and_offline(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue", "multiset",     "register", "swmr-register", "kv",        "set",
                                        "lock",  "semaphore(2)", "stack",    "pqueue-max",    "pqueue-min"};
    unsigned histories = getenv("PLUMB_SOAK") ? 5000 : getenv("PLUMB_FEWER") ? 12 : 25;
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
        random_source r = {k + 1};
        unsigned count[3] = {0};
        for (unsigned i = 0; i < histories; i++) {
            bound b;
            moment bad;
            if (!random_planted_history(&r, names[k], &shape, &b)) continue;
            monitor_options options = {.check_after = random_below(&r, 100)};
            verdict whole = verdict_offline(&b, RANK_NEVER, 20), v = feed_all(&b, &options, &bad);
            count[v]++;
            if (v != VERDICT_UNDECIDED && whole != VERDICT_UNDECIDED) assert_int_equal(v, whole);
            if (v == VERDICT_VIOLATION) {
                verdict at = verdict_offline(&b, (uint32_t)bad, 20),
                        before = bad ? verdict_offline(&b, (uint32_t)bad - 1, 20) : VERDICT_LINEARIZABLE;
                assert_int_not_equal(at, VERDICT_LINEARIZABLE);
                assert_int_not_equal(before, VERDICT_VIOLATION);
            }
            free_bound(&b);
        }
        print_message("%-14s %u linearizable, %u violations, %u undecided\n", names[k], count[0], count[1], count[2]);
        assert_true(count[VERDICT_LINEARIZABLE] && count[VERDICT_VIOLATION]);
    }
}

/* One history after the other, each once the last has come to its end: settled operations are forgotten. */
static void memory_stays(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue", "multiset",     "register", "swmr-register", "kv",         "set",
                                        "lock",  "semaphore(2)", "stack",    "pqueue-max",    "pqueue-min", "deque"};
    uint32_t most = getenv("PLUMB_FEWER") ? 10000 : 100000;
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
        error e = {0};
        generate_options options;
        monitor_status early = {0}, late;
        bound b = {.o = object_open(names[k], NULL, &e)};
        generate_standard(b.o, &options);
        options.operations = most;
        if (!strcmp(names[k], "deque")) { /* that is empty now and then, with nothing open */
            options.clients = 2;
            options.occupancy = 2;
        }
        b.h = generate(b.o, &options, &e);
        assert_non_null(b.h);
        monitor *m = monitor_new(b.o, NULL, &e);
        feed f;
        feed_init(&f, b.h);
        while (feed_next(&f, m)) {
            monitor_status now;
            if (f.next % 1024) continue;
            monitor_look(m, &now);
            if (f.next < b.h->events / 10 && now.memory > early.memory) early = now;
        }
        monitor_settle(m);
        monitor_look(m, &late);
        assert_int_equal(monitor_verdict(m), VERDICT_LINEARIZABLE);
        print_message("%-14s %zu bytes in the first tenth, %zu at the end\n", names[k], early.memory, late.memory);
        /* ten times as many operations; a key keeps the room of its busiest moment so far */
        assert_true(late.memory <= 5 * early.memory / 2);
        feed_free(&f);
        monitor_free(m);
        free_bound(&b);
    }
}

TEST_MAIN(TEST(online_and_offline), TEST(memory_stays))
