/* A monitor saved after any event and loaded into a new one goes on as if nothing had happened. */
#include "support/cmocka.h"

#include "base/random.h"
#include "monitor/checkpoint.h"
#include "monitor/store.h"
#include "support/feed.h"
#include "support/random_history.h"

#include <stdio.h>
#include <unistd.h>

static void reload(const bound *b, const char *path, feed *f, monitor **m) {
    error e = {0};
    text notes = {0};
    bool found;
    assert_true(monitor_save(*m, path, "note", 4, &e));
    uint64_t *number = MEM_ARRAY(uint64_t, b->h->n + 1);
    for (uint32_t i = 0; i < b->h->n; i++) {
        bool open = f->next > b->h->call[i] && (history_pending(b->h, i) || f->next <= b->h->ret[i]);
        number[i] = open ? open_operation_view(f->open[i])->number : UINT64_MAX;
    }
    monitor_free(*m);
    *m = monitor_new(b->o, NULL, &e);
    if (!monitor_load(*m, path, &notes, &found, &e)) fail_msg("%s", e.what);
    assert_true(found && notes.size == 4 && !memcmp(notes.at, "note", 4));
    for (uint32_t i = 0; i < b->h->n; i++)
        if (number[i] != UINT64_MAX) assert_non_null(f->open[i] = monitor_find_open(*m, number[i]));
    text_free(&notes);
    free(number);
}

static void round_trips(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue", "multiset",     "register", "swmr-register", "kv",          "set",
                                        "lock",  "semaphore(2)", "stack",    "pqueue-max",    "cas-register"};
    char path[64];
    random_source r = {5};
    snprintf(path, sizeof path, "/tmp/plumb-checkpoint-%ld", (long)getpid());
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        for (unsigned i = 0; i < 60; i++) {
            random_shape shape = random_shape_any(&r);
            bound b = random_history(&r, names[k], &shape);
            error e = {0};
            moment straight;
            verdict expected = feed_all(&b, NULL, &straight);
            monitor *m = monitor_new(b.o, NULL, &e);
            feed f;
            feed_init(&f, b.h);
            while (feed_next(&f, m))
                if (monitor_verdict(m) == VERDICT_LINEARIZABLE && random_chance(&r, 0.2)) reload(&b, path, &f, &m);
            assert_int_equal(monitor_settle(m), expected);
            if (expected == VERDICT_VIOLATION) assert_int_equal(monitor_bad_event(m), straight);
            feed_free(&f);
            monitor_free(m);
            free_bound(&b);
        }
    unlink(path);
}

static void bad_files(void **unused) {
    (void)unused;
    error e = {0};
    text notes = {0};
    bool found;
    char path[64];
    snprintf(path, sizeof path, "/tmp/plumb-checkpoint-%ld", (long)getpid());
    bound b = make_history("queue", "enq(1) [0,1]; deq() -> 1 [2,3]");
    monitor *m = monitor_new(b.o, NULL, &e);
    unlink(path);
    assert_true(monitor_load(m, path, &notes, &found, &e));
    assert_false(found);
    assert_true(monitor_save(m, path, NULL, 0, &e));
    FILE *f = fopen(path, "r+b");
    fseek(f, -1, SEEK_END);
    fputc('?', f);
    fclose(f);
    assert_false(monitor_load(m, path, &notes, &found, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    e = (error){0};
    assert_int_equal(truncate(path, 20), 0);
    assert_false(monitor_load(m, path, &notes, &found, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    unlink(path);
    monitor_free(m);
    free_bound(&b);
    text_free(&notes);
}

TEST_MAIN(TEST(round_trips), TEST(bad_files))
