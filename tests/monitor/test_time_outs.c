/* Many operations that never return: monitors against the engines that see the whole, at the event that is reported and
 * at the one before; and long histories, in which nothing is left unjudged because operations stayed open. */
#include "support/cmocka.h"

#include "base/random.h"
#include "engine/portfolio.h"
#include "support/feed.h"
#include "support/planted.h"

static const char *const names[] = {"register", "kv",    "cas-register", "set",  "counter",
                                    "queue",    "stack", "fetch-add",    "lock", "deque"};
enum { NAMES = sizeof names / sizeof *names };

typedef struct tally {
    unsigned histories, linearizable, violations, doubtful;
} tally;

/* Where sums or texts are made of many pending operations, not all ways are looked at, and the event may be told
 * late. */
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

/* A deque is decided as a whole each time. */
static uint64_t batch(const object *o, uint64_t asked) { return strcmp(o->type->name, "deque") ? asked : 0; }

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
            options.check_after = batch(b.o, options.check_after);
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
            if (n % (batch(b.o, 1) ? 997 : 7919) == 0) monitor_settle(m);
        assert_int_equal(monitor_settle(m), VERDICT_LINEARIZABLE);
        if (*monitor_doubt(m)) fail_msg("%s: %s", names[k], monitor_doubt(m));
        feed_free(&f);
        monitor_free(m);
        free_bound(&b);
    }
}

/* Texts to which many pending operations append, of few keys: at the end of the input all of them are known to be
 * pending, and thousands of events are decided at once. */
static void texts_of_few_keys(void **unused) {
    (void)unused;
    error e = {0};
    generate_options options;
    feed f;
    bound b = {.o = object_open("kv", NULL, &e)};
    generate_standard(b.o, &options);
    options.operations = getenv("PLUMB_FEWER") ? 12000 : 40000;
    options.clients = 16;
    options.keys = 8;
    options.pending = 0.01;
    b.h = generate(b.o, &options, &e);
    monitor *m = monitor_new(b.o, NULL, &e);
    feed_init(&f, b.h);
    while (feed_next(&f, m)) {}
    monitor_ends(m);
    assert_int_equal(monitor_settle(m), VERDICT_LINEARIZABLE);
    assert_string_equal(monitor_doubt(m), "");
    feed_free(&f);
    monitor_free(m);
    free_bound(&b);
}

/* ---- right histories ---- */

/* More than 64 writes timed out. A compare-and-set fails because of one of them, none knows which, so that two are
 * tried and ways are left out; a read then shows which one it was not. When the state is lost and found again, the
 * one that was taken for spent can still be read. */
static void what_was_spent_by_guess_comes_back(void **unused) {
    (void)unused;
    text t = {0};
    unsigned now = 0;
    for (unsigned i = 1; i <= 80; i++, now++) text_printf(&t, "write(%u) [%u,-];", i, now);
    for (unsigned i = 2; i <= 4; i += 2, now += 8) {
        text_printf(&t, "write(%u) [%u,%u];", 1000 + i, now, now + 1);
        text_printf(&t, "cas(%u,%u) -> false [%u,%u];", 1000 + i, 2000 + i, now + 2, now + 3);
        text_printf(&t, "write(%u) [%u,%u];read() -> %u [%u,%u];", 3000 + i, now + 4, now + 5, i, now + 6, now + 7);
    }
    text_printf(&t, "read() -> 1 [%u,%u];write(4000) [%u,%u];", now, now + 1, now + 2, now + 3);
    text_printf(&t, "read() -> 3 [%u,%u]", now + 4, now + 5);
    bound b = make_history("cas-register", text_str(&t));
    moment bad;
    assert_int_equal(verdict_offline(&b, RANK_NEVER, 10), VERDICT_LINEARIZABLE);
    assert_int_equal(feed_all(&b, NULL, &bad), VERDICT_LINEARIZABLE);
    assert_int_equal(feed_all(&b, &(monitor_options){.check_after = 1}, &bad), VERDICT_LINEARIZABLE);
    free_bound(&b);
    text_free(&t);
}

/* Operations that never return are said to be pending soon after their call, or never. */
static void feed_right_one(const bound *b, const monitor_options *options, random_source *r, const char *name) {
    error e = {0};
    monitor *m = monitor_new(b->o, options, &e);
    const bool told = random_chance(r, 0.7);
    feed f;
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {
        const uint32_t at = f.event[f.next - 1], i = at / 2;
        if (!told || at & 1 || !history_pending(b->h, i)) continue;
        if (random_chance(r, 0.5)) monitor_never_returns(m, f.open[i]);
        else monitor_info(m, f.open[i]);
    }
    if (monitor_settle(m) == VERDICT_VIOLATION) fail_msg("%s: %s", name, monitor_reason(m));
    feed_free(&f);
    monitor_free(m);
}

/* So many time-outs that ways are left out, so few ways that the state is lost: whatever is found again, it is no
 * violation. */
static void right_is_never_called_wrong(void **unused) {
    (void)unused;
    const char *soak = getenv("PLUMB_SOAK");
    const unsigned histories = soak ? (atoi(soak) > 1 ? (unsigned)atoi(soak) : 20000) : 3;
    static const uint32_t most[] = {2, 8, 32, 128, 1024, 0};
    for (unsigned k = 0; k < NAMES; k++) {
        random_source r = {k + 311};
        for (unsigned i = 0; i < histories; i++) {
            error e = {0};
            generate_options options;
            bound b = {.o = object_open(names[k], NULL, &e)};
            generate_standard(b.o, &options);
            options.operations = 200 + random_below(&r, soak ? 1500 : 300);
            options.clients = 2 + random_below(&r, 12);
            options.overlap = (double)(1 + random_below(&r, 10)) / 10;
            options.pending = (double)(1 + random_below(&r, 8)) / 20;
            options.duplicates = random_chance(&r, 0.5) ? 0 : (double)random_below(&r, 10) / 10;
            options.keys = 1 + random_below(&r, 2);
            options.occupancy = random_below(&r, 8);
            options.seed = random_next(&r);
            const monitor_options how = {.max_ways = most[random_below(&r, 6)],
                                         .check_after = batch(b.o, random_below(&r, 4) * 7)};
            if ((b.h = generate(b.o, &options, &e))) feed_right_one(&b, &how, &r, names[k]);
            if (b.h) free_bound(&b);
            else object_close(b.o);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_time_outs),
        cmocka_unit_test(at_any_length),
        cmocka_unit_test(texts_of_few_keys),
        cmocka_unit_test(what_was_spent_by_guess_comes_back),
        cmocka_unit_test(right_is_never_called_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
