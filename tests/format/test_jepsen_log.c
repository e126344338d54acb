#include "support/cmocka.h"

#include "support/read_text.h"

#include <stdio.h>
#include <string.h>

static void expect_printed(history *h, const error *e, const char *printed) {
    assert_string_equal(e->what, "");
    text t = {0};
    print_history(h, true, &t);
    assert_string_equal(text_str(&t), printed);
    text_free(&t);
    history_free(h);
}

static void expect(const char *content, const char *printed) {
    error e = {0};
    history *h = read_text(NULL, content, &e);
    expect_printed(h, &e, printed);
}

static void both_prefixes_and_none(void **unused) {
    (void)unused;
    expect("0\t:invoke\t:read\tnil\n0\t:ok\t:read\t3\n", "0 read() -> 3 [0,1]\n");
    expect("INFO  jepsen.util - 2\t:invoke\t:write\t4\nINFO  jepsen.util - 2\t:ok\t:write\t4\n",
           "0 write(4) -> none [0,1]\n");
    expect("INFO [2019-04-17 17:38:16,855] jepsen worker 0 - jepsen.util 0  :invoke :write  1\n"
           "INFO [2019-04-17 17:38:16,900] jepsen worker 0 - jepsen.util 0  :info :write  1 :timeout\n",
           "0 write(1) -> ? [0,-]\n");
    expect("0 :invoke :cas [1 2]\n0 :ok :cas [1 2]\n1 :invoke :read nil\n1 :ok :read \"a b\"\n",
           "0 cas(1 2) -> true [0,1]\n1 read() -> \"a b\" [2,3]\n");
}

static void failures_and_timeouts(void **unused) {
    (void)unused;
    expect(
        "0\t:invoke\t:cas\t[0 "
        "1]\n1\t:invoke\t:write\t3\n0\t:fail\t:cas\t:timed-out\n1\t:info\t:write\t:timed-out\n1\t:invoke\t:read\tnil\n",
        "0 write(3) -> ? [0,-]\n1 read() -> ? [1,-]\n");
    error e = {0};
    read_options options = {.observe = "cas"};
    const char *log = "0\t:invoke\t:cas\t[0 1]\n0\t:fail\t:cas\t[0 1]\n";
    input *in = input_memory("test", log, strlen(log), &e);
    history *h = format_read_input(in, &options, NULL, &e);
    input_close(in);
    expect_printed(h, &e, "0 cas(0 1) -> false [0,1]\n");
}

static void other_lines_are_skipped(void **unused) {
    (void)unused;
    error e = {0};
    history *h = read_text(NULL,
                           "INFO  jepsen.core - Running test: {:type :ok, :name \"x\"}\n"
                           ":nemesis\t:info\t:start\tnil\n"
                           "WARN something :ok happened\n"
                           "0\t:invoke\t:read\tnil\n"
                           "INFO [2017] jepsen nemesis - jepsen.util :nemesis  :info :start  #object[x \"y\"\n"
                           "0\t:ok\t:read\tnil\n\n",
                           &e);
    assert_string_equal(e.what, "");
    assert_int_equal(h->n, 1);
    assert_int_equal(h->annotations, 2);
    assert_int_equal(h->annotation[0].before, 0);
    assert_int_equal(h->annotation[1].before, 1);
    history_free(h);
}

/* Dropped operations have no rank: what stands behind them moves up. */
static void annotations_stand_among_kept_events(void **unused) {
    (void)unused;
    error e = {0};
    history *h =
        read_text(NULL,
                  "0 :invoke :write 1\n0 :fail :write 1\n1 :invoke :write 2\n:nemesis :info :kill nil\n1 :ok :write 2\n"
                  ":nemesis :info :heal nil\n0 :invoke :write 3\n0 :fail :write 3\n",
                  &e);
    assert_non_null(h);
    assert_int_equal(h->annotation[0].before, 1);
    assert_int_equal(h->annotation[1].before, 2);
    history_free(h);
}

/* The argument of one that succeeded is written where the result is: false there would say that it failed. */
static void a_success_stays_one(void **unused) {
    (void)unused;
    error e = {0};
    text written = {0}, before = {0}, after = {0};
    history *h = read_text(
        "jepsen-log", "INFO  jepsen.util - 2\t:invoke\t:cas\tfalse\nINFO  jepsen.util - 2\t:ok\t:cas\t[1 2]\n", &e);
    assert_non_null(h);
    assert_true(write_text("jepsen-log", h, &written, &e));
    history *again = read_text("jepsen-log", text_str(&written), &e);
    assert_non_null(again);
    print_history(h, true, &before);
    print_history(again, true, &after);
    assert_string_equal(text_str(&before), text_str(&after));
    history_free(h);
    history_free(again);
    text_free(&written);
    text_free(&before);
    text_free(&after);
}

/* Decimals and integers of any size are written as they are. */
static void numbers_are_written(void **unused) {
    (void)unused;
    static const char line[] =
        "{\"client\":1,\"op\":\"add\",\"args\":[9.5],\"call\":0,\"ret\":1,\"res\":18446744073709551616}\n";
    error e = {0};
    text written = {0};
    history *h = read_text("plumb-jsonl", line, &e);
    assert_non_null(h);
    assert_true(write_text("jepsen-log", h, &written, &e));
    assert_non_null(strstr(text_str(&written), "\t9.5\n"));
    assert_non_null(strstr(text_str(&written), "\t18446744073709551616\n"));
    history_free(h);
    text_free(&written);
}

static bool writes(const char *argument, const char *result) {
    error e = {0};
    text content = {0}, written = {0};
    text_printf(&content, "{\"client\":1,\"op\":\"add\",\"args\":[\"%s\"],\"call\":0,\"ret\":1,\"res\":\"%s\"}\n",
                argument, result);
    history *h = read_text("plumb-jsonl", text_str(&content), &e);
    assert_non_null(h);
    bool good = write_text("jepsen-log", h, &written, &e);
    if (!good) assert_non_null(strstr(e.what, "cannot be written as jepsen-log"));
    history_free(h);
    text_free(&content);
    text_free(&written);
    return good;
}

/* A return that repeats the argument says nothing of the result: one that looks like that is refused. */
static void results_that_look_like_arguments(void **unused) {
    (void)unused;
    assert_true(writes("a", "full"));
    assert_true(writes("empty", "full"));
    assert_true(writes("full", "empty"));
    assert_false(writes("full", "full"));
    assert_false(writes("empty", "empty"));
    assert_false(writes("a", "a"));
}

static void expect_error(const char *content, const char *what) {
    error e = {0};
    assert_null(read_text("jepsen-log", content, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    if (!strstr(e.what, what)) fail_msg("got '%s', expected '%s'", e.what, what);
}

static void bad_input(void **unused) {
    (void)unused;
    expect_error("0\t:ok\t:read\tnil\n", "test:1:");
    expect_error("0\t:invoke\t:read\tnil\n0\t:invoke\t:read\tnil\n", "test:2: client 0 calls again");
    expect_error("0\t:invoke\t:write\t[1\n", "test:1:");
    expect_error("nothing here\n", "no operation in the file");
}

static void recorded_files(void **unused) {
    (void)unused;
    const char *data = data_directory();
    if (!data) skip();
    unsigned calls = 0, dropped = 0, pending = 0;
    for (int i = 0, files = 0; files < 50 && i < 110; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/porcupine/jepsen/etcd_%03d.log", data, i);
        error e = {0};
        const format *used;
        history *h = format_read(path, NULL, &used, &e);
        if (!h && e.code == EXIT_CANNOT_OPEN) continue;
        if (!h) fail_msg("%s", e.what);
        assert_string_equal(used->name, "jepsen-log");
        calls += h->n + h->failed;
        dropped += h->failed;
        pending += h->pending;
        history_free(h);
        files++;
    }
    assert_int_equal(calls, 4177);
    assert_int_equal(dropped, 884);
    assert_int_equal(pending, 638);
}

TEST_MAIN(TEST(both_prefixes_and_none), TEST(failures_and_timeouts), TEST(other_lines_are_skipped),
          TEST(annotations_stand_among_kept_events), TEST(bad_input), TEST(recorded_files), TEST(a_success_stays_one),
          TEST(results_that_look_like_arguments), TEST(numbers_are_written))
