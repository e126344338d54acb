/* A monitor saved after any event and loaded into a new one goes on as if nothing had happened. */
#include "support/cmocka.h"

#include "base/random.h"
#include "monitor/checkpoint.h"
#include "monitor/store.h"
#include "support/feed.h"
#include "support/quasi_trial.h"
#include "support/random_history.h"

#include <stdio.h>
#include <stdlib.h>
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
    if (!monitor_load(*m, path, false, &notes, &found, &e)) fail_msg("%s", e.what);
    assert_true(found && notes.size == 4 && !memcmp(notes.at, "note", 4));
    for (uint32_t i = 0; i < b->h->n; i++)
        if (number[i] != UINT64_MAX) assert_non_null(f->open[i] = monitor_find_open(*m, number[i]));
    text_free(&notes);
    free(number);
}

/* Saved and loaded again and again, it finds what it finds without. */
static void compare_with_straight(random_source *r, const bound *b, const char *path) {
    error e = {0};
    moment straight;
    verdict expected = feed_all(b, NULL, &straight);
    monitor *m = monitor_new(b->o, NULL, &e);
    feed f;
    feed_init(&f, b->h);
    while (feed_next(&f, m))
        if (monitor_verdict(m) == VERDICT_LINEARIZABLE && random_chance(r, 0.2)) reload(b, path, &f, &m);
    assert_int_equal(monitor_settle(m), expected);
    if (expected == VERDICT_VIOLATION) assert_int_equal(monitor_bad_event(m), straight);
    feed_free(&f);
    monitor_free(m);
}

static void round_trips(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue", "multiset",     "register", "swmr-register", "kv",           "set",
                                        "lock",  "semaphore(2)", "stack",    "pqueue-max",    "cas-register", "deque"};
    char path[64];
    random_source r = {5};
    snprintf(path, sizeof path, "/tmp/plumb-checkpoint-%ld", (long)getpid());
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        for (unsigned i = 0; i < 60; i++) {
            random_shape shape = random_shape_any(&r);
            bound b = random_history(&r, names[k], &shape);
            compare_with_straight(&r, &b, path);
            free_bound(&b);
        }
    unlink(path);
}

static void round_trips_of_regular_and_safe(void **unused) {
    (void)unused;
    static const criterion_kind kinds[] = {CRITERION_REGULAR, CRITERION_SAFE};
    char path[64];
    random_source r = {6};
    snprintf(path, sizeof path, "/tmp/plumb-checkpoint-%ld", (long)getpid());
    for (unsigned i = 0; i < 200; i++) {
        random_shape shape = random_shape_any(&r);
        bound b = random_history(&r, "register", &shape), asked = b;
        object o = relaxed_object(&b, kinds[i & 1], 0, 0);
        asked.o = &o;
        compare_with_straight(&r, &asked, path);
        free_relaxed(&o);
        free_bound(&b);
    }
    unlink(path);
}

static char state_home[] = "/tmp/plumb-state-XXXXXX";

static int own_state(void **unused) {
    (void)unused;
    return mkdtemp(state_home) ? setenv("XDG_STATE_HOME", state_home, 1) : -1;
}

static int remove_state(void **unused) {
    (void)unused;
    char path[100];
    snprintf(path, sizeof path, "%s/plumb/key", state_home);
    unlink(path);
    snprintf(path, sizeof path, "%s/plumb", state_home);
    rmdir(path);
    return rmdir(state_home);
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
    assert_true(monitor_load(m, path, false, &notes, &found, &e));
    assert_false(found);
    assert_true(monitor_save(m, path, NULL, 0, &e));
    FILE *f = fopen(path, "r+b");
    fseek(f, -1, SEEK_END);
    fputc('?', f);
    fclose(f);
    assert_false(monitor_load(m, path, false, &notes, &found, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    e = (error){0};
    assert_int_equal(truncate(path, 20), 0);
    assert_false(monitor_load(m, path, false, &notes, &found, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    unlink(path);
    monitor_free(m);
    free_bound(&b);
    text_free(&notes);
}

/* Another user, another key: refused, unless it is trusted. */
static void files_of_strangers(void **unused) {
    (void)unused;
    error e = {0};
    text notes = {0};
    bool found;
    char path[64], key[100];
    snprintf(path, sizeof path, "/tmp/plumb-checkpoint-%ld", (long)getpid());
    bound b = make_history("queue", "enq(1) [0,1]; deq() -> 1 [2,3]");
    monitor *m = monitor_new(b.o, NULL, &e), *other = monitor_new(b.o, NULL, &e);
    assert_true(monitor_save(m, path, NULL, 0, &e));
    snprintf(key, sizeof key, "%s/plumb/key", state_home);
    assert_int_equal(unlink(key), 0);
    assert_false(monitor_load(other, path, false, &notes, &found, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    assert_non_null(strstr(e.what, "not written by you"));
    e = (error){0};
    assert_true(monitor_load(other, path, true, &notes, &found, &e));
    unlink(path);
    monitor_free(m);
    monitor_free(other);
    free_bound(&b);
    text_free(&notes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(round_trips_of_regular_and_safe),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(files_of_strangers),
    };
    return cmocka_run_group_tests(tests, own_state, remove_state);
}
