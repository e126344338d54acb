/* Choosing a format by content and by file name; files on disk, packed and not; the line that says what was read. */
#include "support/cmocka.h"

#include "support/read_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_format(const char *content, const char *want) {
    error e = {0};
    const format *used = NULL;
    input *in = input_memory("test", content, strlen(content), &e);
    history_free(format_read_input(in, NULL, &used, &e));
    input_close(in);
    assert_non_null(used);
    assert_string_equal(used->name, want);
}

static void by_content(void **unused) {
    (void)unused;
    expect_format("{\"client\":1,\"op\":\"enq\",\"args\":[1],\"call\":1,\"ret\":2,\"res\":null}\n", "plumb-jsonl");
    expect_format("{\"plumb\":\"history/1\"}\n", "plumb-jsonl");
    expect_format("{\"unknown\":1}\n", "plumb-jsonl");
    expect_format("{:process 0, :type :invoke, :f :read, :value nil}\n", "jepsen-edn");
    expect_format("; comment [\n\n[{:type :invoke, :process 0, :f :read}]", "jepsen-edn");
    expect_format("#jepsen.history.Op{:process 0, :type :invoke, :f :read}", "jepsen-edn");
    expect_format("JEPSEN\1", "jepsen-edn");
    expect_format("{\"ClientId\":9,\"Input\":{\"Type\":\"range\"}}", "etcd-operations");
    expect_format("# @object atomic-queue\n[1] call add(1)\n[1] return\n", "violin");
    expect_format("0\t:invoke\t:read\tnil\n", "jepsen-log");
}

static void unknown_content(void **unused) {
    (void)unused;
    error e = {0};
    assert_null(read_text(NULL, "\x89PNG\r\n", &e));
    assert_int_equal(e.code, 65);
    assert_string_equal(
        e.what,
        "test:1: unknown format, begins with '...'; expected one that `plumb formats` lists (or say which it is)");
    static const char *const begins[][2] = {
        {"<html>", "1: unknown format, begins with '<html>';"},
        {"<html>\n<body>", "1: unknown format, begins with '<html>';"},
        {"<html>\r\n", "1: unknown format, begins with '<html>';"},
        {"\n\r\t \n<html>\x7f", "3: unknown format, begins with '<html>...';"},
        {"<2345678901234567890123>", "1: unknown format, begins with '<2345678901234567890123>';"},
        {"<2345678901234567890123>5", "1: unknown format, begins with '<2345678901234567890123>...';"},
    };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        e = (error){0};
        assert_null(read_text(NULL, begins[i][0], &e));
        assert_non_null(strstr(e.what, begins[i][1]));
    }
    e = (error){0};
    assert_null(read_text(NULL, " \n\t\n", &e));
    assert_string_equal(e.what, "test:1: empty file; expected a history");
    assert_int_equal(e.code, 65);
}

static void by_file_name(void **unused) {
    (void)unused;
    assert_string_equal(format_for_path("a/b.jsonl")->name, "plumb-jsonl");
    assert_string_equal(format_for_path("b.jsonl.gz")->name, "plumb-jsonl");
    assert_string_equal(format_for_path("b.edn.zst")->name, "jepsen-edn");
    assert_null(format_for_path("b.c"));
    assert_null(format_for_path(".gz"));
    assert_null(format_find("nonsense"));
}

static void expect_short(const char *name, const char *want) {
    const format *f = format_find(name);
    if (want) assert_string_equal(f ? f->name : "none", want);
    else assert_null(f);
}

/* What stands behind the last dash is enough where one format has it. */
static void by_short_name(void **unused) {
    (void)unused;
    expect_short("jsonl", "plumb-jsonl");
    expect_short("events", "plumb-events");
    expect_short("edn", "jepsen-edn");
    expect_short("list", "operation-list");
    expect_short("operations", "etcd-operations");
    expect_short("violin", "violin");
    expect_short("log", NULL); /* of Jepsen, or of a recorder */
    expect_short("", NULL);
    expect_short("-jsonl", NULL);
    expect_short("sonl", NULL);
}

static void files_packed_and_not(void **unused) {
    (void)unused;
    static const char *const suffixes[] = {".jsonl", ".jsonl.gz", ".jsonl.zst", ".edn.gz", ".edn"};
    char directory[] = "/tmp/plumb-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    text content = {0}, want = {0};
    for (int i = 0; i < 5000; i++)
        text_printf(&content, "{\"client\":%d,\"op\":\"enq\",\"args\":[%d],\"call\":%d,\"ret\":%d}\n", i % 3, i, 4 * i,
                    4 * i + 7);
    error e = {0};
    history *h = read_text(NULL, content.at, &e);
    print_history(h, true, &want);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(path, sizeof path, "%s/h%s", directory, suffixes[i]);
        assert_true(format_write(path, format_for_path(path), h, NULL, &e));
        const format *used;
        history *again = format_read(path, NULL, &used, &e);
        assert_string_equal(e.what, "");
        assert_ptr_equal(used, format_for_path(path));
        text got = {0};
        print_history(again, true, &got);
        assert_string_equal(text_str(&got), text_str(&want));
        text_free(&got);
        history_free(again);
        unlink(path);
    }
    rmdir(directory);
    history_free(h);
    text_free(&content);
    text_free(&want);
}

static void what_cannot_be_written(void **unused) {
    (void)unused;
    error e = {0};
    history *h = read_text(NULL, "{\"client\":1,\"op\":\"enq\",\"args\":[1],\"call\":1,\"ret\":2}", &e);
    assert_false(format_write("/nonexistent/x.jsonl", format_find("plumb-jsonl"), h, NULL, &e));
    assert_int_equal(e.code, 66);
    assert_string_equal(e.what, "/nonexistent/x.jsonl: cannot create: No such file or directory");
    e = (error){0};
    assert_false(format_write("/dev/full", format_find("plumb-jsonl"), h, NULL, &e));
    assert_int_equal(e.code, 66);
    assert_string_equal(e.what, "/dev/full: cannot write: No space left on device");
    e = (error){0};
    assert_false(format_write("x", format_find("etcd-operations"), h, NULL, &e));
    assert_string_equal(e.what,
                        "operation 0 (enq) cannot be written as etcd-operations: expected get, put, delete or cas");
    assert_int_equal(e.code, 65);
    history_free(h);
}

static void what_was_understood(void **unused) {
    (void)unused;
    error e = {0};
    text line = {0};
    history *h = read_text(NULL, "{\"op\":\"enq\",\"args\":[1],\"call\":1,\"ret\":2}\n{\"annotation\":\"x\"}", &e);
    format_understood("-", format_find("plumb-jsonl"), h, &line);
    assert_string_equal(text_str(&line), "read <stdin>: plumb-jsonl, 1 ok, 1 annotation");
    text_free(&line);
    history_free(h);
}

static void interruption_and_progress(void **unused) {
    (void)unused;
    error e = {0};
    _Atomic int stop = 0;
    _Atomic uint64_t bytes = 0;
    read_options options = {.bytes = &bytes, .stop = &stop};
    const char *content = "{\"op\":\"enq\",\"args\":[1],\"call\":1,\"ret\":2}";
    input *in = input_memory("test", content, strlen(content), &e);
    history_free(format_read_input(in, &options, NULL, &e));
    assert_int_equal(bytes, strlen(content));
    input_close(in);
    stop = 1;
    in = input_memory("test", content, strlen(content), &e);
    assert_null(format_read_input(in, &options, NULL, &e));
    assert_int_equal(e.code, 130);
    input_close(in);
}

TEST_MAIN(TEST(by_content), TEST(unknown_content), TEST(by_file_name), TEST(by_short_name), TEST(files_packed_and_not),
          TEST(what_cannot_be_written), TEST(what_was_understood), TEST(interruption_and_progress))
