/* Folders that Jepsen wrote: which files say so, which history is judged, and what is said about the run. */
#include "support/cmocka.h"

#include "format/jepsen_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void put(const char *name, const char *content) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

static const char *const all_files[] = {"history.edn",   "history.txt", "results.edn", "test.jepsen",
                                        "test.fressian", "test.edn",    "jepsen.log"};

static void empty(void) {
    char path[128];
    for (size_t i = 0; i < sizeof all_files / sizeof *all_files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, all_files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/independent", folder);
    rmdir(path);
}

static int make_folder(void **unused) {
    (void)unused;
    snprintf(folder, sizeof folder, "/tmp/plumb-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused) {
    (void)unused;
    empty();
    return rmdir(folder);
}

static bool is_store(void) {
    jepsen_store s;
    const bool found = jepsen_store_open(folder, &s);
    if (found) jepsen_store_free(&s);
    return found;
}

/* One file that only Jepsen writes, and a history. */
static void which_folders(void **unused) {
    (void)unused;
    empty();
    assert_false(is_store());
    put("history.edn", "");
    assert_false(is_store());
    for (size_t i = 2; i < sizeof all_files / sizeof *all_files; i++) {
        empty();
        put(all_files[i], "");
        const bool binary = !strcmp(all_files[i], "test.jepsen") || !strcmp(all_files[i], "test.fressian");
        assert_int_equal(is_store(), binary); /* these hold the history, too */
        put("history.txt", "");
        assert_true(is_store());
    }
}

static void which_history(void **unused) {
    (void)unused;
    jepsen_store s;
    empty();
    put("test.edn", "");
    put("history.txt", "");
    assert_true(jepsen_store_open(folder, &s));
    assert_non_null(strstr(s.history, "/history.txt"));
    assert_false(s.independent);
    jepsen_store_free(&s);
    put("history.edn", "");
    char path[128];
    snprintf(path, sizeof path, "%s/independent", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_true(jepsen_store_open(folder, &s));
    assert_non_null(strstr(s.history, "/history.edn"));
    assert_true(s.independent);
    assert_string_equal(text_str(&s.about), "a run of Jepsen, independent keys");
    jepsen_store_free(&s);
}

static void expect_about(const char *log, const char *map, const char *results, const char *want) {
    jepsen_store s;
    empty();
    put("history.edn", "");
    if (log) put("jepsen.log", log);
    if (map) put("test.edn", map);
    if (results) put("results.edn", results);
    assert_true(jepsen_store_open(folder, &s));
    assert_string_equal(text_str(&s.about), want);
    jepsen_store_free(&s);
}

static void what_is_said(void **unused) {
    (void)unused;
    expect_about(NULL, "", NULL, "a run of Jepsen");
    expect_about(NULL, "{:name \"etcd\"}", NULL, "a run of Jepsen, test etcd");
    expect_about(NULL, "{:name :etcd, :nodes [\"n1\"]}", NULL, "a run of Jepsen, test etcd, 1 node");
    expect_about(NULL, "{:nodes [\"n1\" [2 3] {:a 4}], :concurrency 10}", NULL,
                 "a run of Jepsen, 3 nodes, concurrency 10");
    expect_about(NULL, "{:nodes nil, :concurrency 10}", NULL, "a run of Jepsen, concurrency 10");
    expect_about(NULL, "{:nodes {:a 1}, :concurrency 10}", NULL, "a run of Jepsen, concurrency 10");
    expect_about(NULL, "{:nodes [1 2], :nodes [3]}", NULL, "a run of Jepsen, 1 node");
    expect_about(NULL, "{:concurrency 0}", NULL, "a run of Jepsen");
    expect_about(NULL, "{:concurrency -1}", NULL, "a run of Jepsen");
    expect_about(NULL, "{:concurrency \"2n\"}", NULL, "a run of Jepsen");
    expect_about(NULL, "{:name nil, :names \"x\", :nam \"y\", \"name\" \"z\"}", NULL, "a run of Jepsen");
    expect_about(NULL, "{:name \"a\" :nodes [1", NULL, "a run of Jepsen, test a, 1 node");
    expect_about(NULL, "{:name \"a\" ) :concurrency 3}", NULL, "a run of Jepsen, test a");
    expect_about(NULL, "#x {:name \"a\" :valid? true}", NULL, "a run of Jepsen, test a");
    expect_about(NULL, "[1 2]", NULL, "a run of Jepsen");
    expect_about(NULL, NULL, "{:valid? true}", "a run of Jepsen; its own checkers said :valid? true");
    expect_about(NULL, NULL, "{:valid? false}", "a run of Jepsen; its own checkers said :valid? false");
    expect_about(NULL, NULL, "{:a {:valid? true}, :valid? :unknown}",
                 "a run of Jepsen; its own checkers said :valid? unknown");
    expect_about("INFO {:name \"x\"}\nINFO Running test {:name \"y\"}\n", NULL, NULL, "a run of Jepsen, test y");
    expect_about("INFO Running test {:name \"y\" :concurrency 2}\n", "{:name \"z\"}", NULL,
                 "a run of Jepsen, test z, concurrency 2");
    expect_about("INFO Running test\n", NULL, NULL, "a run of Jepsen");
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(which_folders), TEST(which_history), TEST(what_is_said)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
