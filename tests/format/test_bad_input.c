/* Bad input of every kind: one line that says where and what, exit code 65. */
#include "support/cmocka.h"

#include "base/mem.h"
#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define CALL "{:process 1, :type :invoke, :f :enq, :value 1}\n"

static void refused(const char *format_name, const char *content, size_t n, const char *want) {
    error e = {0};
    history *h = read_bytes(format_name, content, n, false, &e);
    assert_null(h);
    assert_string_equal(e.what, want);
    assert_int_equal(e.code, 65);
}

static void refused_text(const char *content, const char *want) { refused(NULL, content, strlen(content), want); }

static void refused_by_object(const char *object_name, const char *content, const char *want) {
    error e = {0};
    history *h = read_text(NULL, content, &e);
    assert_non_null(h);
    object *o = object_open(object_name, NULL, &e);
    assert_non_null(o);
    assert_false(object_bind(o, h, "test", &e));
    assert_string_equal(e.what, want);
    assert_int_equal(e.code, 65);
    object_close(o);
    history_free(h);
}

static void unmatched_return(void **unused) {
    (void)unused;
    refused_text(CALL "{:process 2, :type :ok, :f :enq, :value 1}",
                 "test:2: return of client 2 matches no open call; expected a call by this client first");
    refused_text(CALL "{:process 2, :type :info, :f :enq, :value 1}",
                 "test:2: completion of client 2 matches no open call; expected a call by this client first");
    refused_text(CALL "{:process 2, :type :fail, :f :enq, :value 1}",
                 "test:2: failure of client 2 matches no open call; expected a call by this client first");
}

static void return_before_call(void **unused) {
    (void)unused;
    refused_text("{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":12,\"ret\":11,\"res\":null}",
                 "test:1: the return (11) is before the call (12); expected call <= return");
}

static void two_open_calls(void **unused) {
    (void)unused;
    refused_text(CALL CALL, "test:2: client 1 calls again while its call of line 1 is open; expected its return first");
    refused_text(
        "{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":1,\"ret\":9}\n{\"client\":2,\"op\":\"enq\",\"args\":[8],"
        "\"call\":5,\"ret\":12}",
        "test:2: client 2 calls at 5 while its operation of line 1 is open until 9; expected one open call a client");
}

static void what_the_object_does_not_know(void **unused) {
    (void)unused;
    refused_by_object("queue", CALL "{:process 2, :type :invoke, :f :dance, :value 1}",
                      "test:2: unknown method 'dance' of object queue; expected one of: enq, deq");
    refused_by_object("queue", "{\"op\":\"a\\nb\",\"call\":1}",
                      "test:1: unknown method 'a\\x0ab' of object queue; expected one of: enq, deq");
}

static void no_integer(void **unused) {
    (void)unused;
    refused_text("{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":\"soon\",\"ret\":31}",
                 "test:1: \"call\" is a string; expected an integer");
    refused_text("{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":1,\"ret\":2.5}",
                 "test:1: \"ret\" is no integer; expected an integer");
    refused_text("{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":9223372036854775808,\"ret\":2}",
                 "test:1: \"call\" is no integer; expected an integer");
}

static void truncated(void **unused) {
    (void)unused;
    refused_text("{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":1,\"ret\":2}\n{\"client\":2,\"op\":\"enq\","
                 "\"args\":[7],\"call\":3,\"re",
                 "test:2: the text ends inside this string; expected '\"'");
    refused_text("{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":1,\"ret\":2}\n{\"client\":2,\"op\":\"enq\","
                 "\"args\":[7],\"call\":3",
                 "test:2: the line ends too early; expected '}'");
    refused_text(CALL "{:process 1, :type :ok, :f :enq, :val", "test:2: the file ends too early; expected '}'");
    refused_text("[" CALL, "test:2: the file ends too early; expected ']'");
}

static void truncated_gzip(void **unused) {
    (void)unused;
    unsigned char packed[256];
    z_stream z = {
        .next_in = (unsigned char *)CALL, .avail_in = sizeof CALL - 1, .next_out = packed, .avail_out = sizeof packed};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t n = sizeof packed - z.avail_out;
    deflateEnd(&z);
    for (size_t cut = 2; cut < n; cut++)
        refused(NULL, (char *)packed, cut, "test: truncated gzip data; expected the end of the compressed stream");
}

static void invalid_utf8(void **unused) {
    (void)unused;
    refused_text("{\"client\":2,\"op\":\"enq\",\"args\":[\"\xc3(\"],\"call\":1,\"ret\":2}",
                 "test:1: invalid UTF-8; expected text in UTF-8");
    refused_text(CALL "{:process 2, :type :invoke, :f :enq, :value \"a\xff\"}",
                 "test:2: invalid UTF-8; expected text in UTF-8");
    refused_text(CALL "{:process 2, :type :invoke, :f :e\xffnq, :value 1}",
                 "test:2: invalid UTF-8; expected text in UTF-8");
}

enum { LONG = 10 << 20 };

static char *long_line(const char *before, char fill, const char *after, size_t *n) {
    size_t head = strlen(before), tail = strlen(after);
    char *p = mem_alloc(head + LONG + tail);
    memcpy(p, before, head);
    memset(p + head, fill, LONG);
    memcpy(p + head + LONG, after, tail);
    *n = head + LONG + tail;
    return p;
}

static void long_lines(void **unused) {
    (void)unused;
    static const struct {
        const char *before, *after, *wrong; /* NULL: fine */
    } lines[] = {
        {"{\"client\":2,\"op\":\"enq\",\"args\":[\"", "\"],\"call\":1,\"ret\":2}", NULL},
        {"{:process 1, :type :invoke, :f :enq, :value \"", "\"}", NULL},
        {"{\"client\":2,\"op\":\"enq\",\"args\":[", "],\"call\":1,\"ret\":2}",
         "test:1: unexpected 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'; expected a value"},
        {"{:process 1, :type :invoke, :f :enq, :value \"", "",
         "test:1: the text ends inside this string; expected '\"'"},
        {"", "",
         "test:1: unknown format, begins with 'aaaaaaaaaaaaaaaaaaaaaaaa...'; expected one that `plumb formats` lists "
         "(or say which it is)"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t n, size;
        char *p = long_line(lines[i].before, 'a', lines[i].after, &n);
        if (lines[i].wrong) {
            refused(NULL, p, n, lines[i].wrong);
        } else {
            error e = {0};
            history *h = read_bytes(NULL, p, n, false, &e);
            assert_string_equal(e.what, "");
            value_as_bytes(h->values, h->arg[0][0], &size);
            assert_int_equal(size, LONG);
            history_free(h);
        }
        free(p);
    }
}

static void nested_deep(void **unused) {
    (void)unused;
    enum { DEEP = 100000 };
    static const struct {
        const char *before;
        char bracket;
        const char *wrong;
    } files[] = {
        {"{\"client\":2,\"op\":\"enq\",\"args\":", '[', "test:1: nested more than 104 deep; expected less"},
        {"{:process 1, :type :invoke, :f :enq, :value ", '[', "test:1: nested more than 104 deep; expected less"},
        {"{:process 1, :type :invoke, :f :enq, :value ", '{', "test:1: nested more than 104 deep; expected less"},
        {"{:process 1, :type :invoke, :x ", '(', "test:1: nested more than 200 deep; expected less"},
        {"{:type :ok :process #_", '[', "test:1: nested more than 200 deep; expected less"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        text t = {0};
        text_add(&t, files[i].before);
        for (int k = 0; k < DEEP; k++) text_char(&t, files[i].bracket);
        refused(NULL, t.at, t.size, files[i].wrong);
        text_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unmatched_return), cmocka_unit_test(return_before_call),
        cmocka_unit_test(two_open_calls),   cmocka_unit_test(what_the_object_does_not_know),
        cmocka_unit_test(no_integer),       cmocka_unit_test(truncated),
        cmocka_unit_test(truncated_gzip),   cmocka_unit_test(invalid_utf8),
        cmocka_unit_test(long_lines),       cmocka_unit_test(nested_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
