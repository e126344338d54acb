/* The native JSON lines: what is understood, and that the fast way and the tokens agree. */
#include "support/cmocka.h"

#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>

static void expect_content(const char *content, const char *want) {
    error e = {0};
    text got = {0};
    history *h = read_text("plumb-jsonl", content, &e);
    assert_string_equal(e.what, "");
    print_history(h, h->client != NULL, &got);
    assert_string_equal(text_str(&got), want);
    text_free(&got);
    history_free(h);
}

/* As it is, and with one more newline: only lines that have one take the fast way. */
static void expect(const char *content, const char *want) {
    text ended = {0};
    text_printf(&ended, "%s\n", content);
    expect_content(content, want);
    expect_content(text_str(&ended), want);
    text_free(&ended);
}

static void expect_error(const char *content, const char *want) {
    error e = {0};
    assert_null(read_text("plumb-jsonl", content, &e));
    assert_int_equal(e.code, 65);
    assert_string_equal(e.what, want);
}

static void canonical_lines(void **unused) {
    (void)unused;
    expect("{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":12,\"ret\":31,\"res\":null}\n"
           "{\"client\":3,\"op\":\"deq\",\"args\":[],\"call\":14,\"ret\":null,\"res\":null}\n"
           "{\"client\":2,\"op\":\"deq\",\"args\":[],\"call\":40,\"ret\":41,\"res\":\"empty\"}",
           "0 enq(7) -> none [0,2]\n1 deq() -> ? [1,-]\n0 deq() -> empty [3,4]\n");
}

/* Order, blanks, escapes and unknown fields do not matter; the first two take the fast way when a newline ends them. */
static void any_spelling(void **unused) {
    (void)unused;
    static const char *const same[] = {
        "{\"client\":1,\"op\":\"cas\",\"key\":\"k\",\"args\":[1,\"a\"],\"call\":1,\"ret\":2,\"res\":true}",
        "{\"res\":true, \"ret\":2, \"call\":1, \"args\":[1, \"a\"], \"key\":\"k\", \"op\":\"cas\", \"client\":1}",
        " { \"client\" : 1 , \"op\" : \"c\\u0061s\" , \"key\" : \"k\" , \"args\" : [ 1 , \"a\" ] , \"call\" : 1 , "
        "\"ret\" : 2 , \"res\" : true } ",
        "{\"more\":{\"a\":[[],{}]},\"client\":1,\"op\":\"cas\",\"key\":\"k\",\"args\":[1,\"a\"],\"call\":1,\"ret\":2,"
        "\"res\":true,\"x\":null}\r",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) expect(same[i], "0 cas(@\"k\" 1 \"a\") -> true [0,1]\n");
}

/* Names of other tools for what one of ours says: refused where ours is not there, ignored beside it. */
static void names_of_others(void **unused) {
    (void)unused;
    expect_error("{\"client\":1,\"op\":\"deq\",\"call\":0,\"ret\":1,\"result\":7}",
                 "test:1: field \"result\"; expected \"res\"");
    expect_error("{\"process\":1,\"op\":\"deq\",\"call\":0,\"ret\":1,\"res\":7}",
                 "test:1: field \"process\"; expected \"client\"");
    expect_error("\n{\"client\":1,\"op\":\"deq\",\"call\":0,\"end\":1,\"res\":7}\n",
                 "test:2: field \"end\"; expected \"ret\"");
    expect_error("{\"client\":1,\"event\":\"call\",\"op\":\"enq\",\"arg\":1,\"time\":0}",
                 "test:1: field \"arg\"; expected \"args\"");
    expect_error("{\"client\":1,\"process\":1,\"op\":\"deq\",\"call\":0,\"ret\":1,\"result\":7}",
                 "test:1: field \"result\"; expected \"res\"");
    expect("{\"client\":1,\"op\":\"deq\",\"call\":0,\"ret\":1,\"result\":7,\"res\":8,\"end\":[2]}",
           "0 deq() -> 8 [0,1]\n");
    expect("{\"client\":1,\"event\":\"call\",\"op\":\"deq\",\"result\":7}\n"
           "{\"client\":1,\"event\":\"return\",\"res\":8,\"arg\":7}",
           "0 deq() -> 8 [0,1]\n");
}

static void what_may_be_missing(void **unused) {
    (void)unused;
    expect("{\"op\":\"deq\",\"call\":1}\n\n{\"op\":\"enq\",\"call\":0,\"args\":5,\"ret\":9}\n",
           "enq(5) -> none [0,2]\ndeq() -> ? [1,-]\n");
    expect("{\"client\":null,\"op\":\"deq\",\"call\":1,\"ret\":1,\"args\":[]}", "deq() -> none [0,1]\n");
    expect("", "");
}

static void values_in_all_forms(void **unused) {
    (void)unused;
    expect("{\"op\":\"f\",\"args\":[-5,12345678901,0],\"call\":-3,\"ret\":-2,\"res\":-7}",
           "f(-5 12345678901 0) -> -7 [0,1]\n");
    expect("{\"op\":\"f\",\"args\":[-5,123456789012345678,9223372036854775807,-9223372036854775808],\"call\":0,\"ret\":"
           "1,\"res\":99999999999999999999}",
           "f([-5 123456789012345678 9223372036854775807 -9223372036854775808]) -> 99999999999999999999 [0,1]\n");
    expect("{\"op\":\"f\",\"args\":[[1,[2,null]],1.50],\"call\":0,\"ret\":1,\"res\":\"full\"}",
           "f([1 [2 none]] 1.5) -> full [0,1]\n");
    expect("{\"op\":\"f\",\"args\":[\"empty\",false],\"call\":-3,\"ret\":-2,\"res\":\"\xc3\xa9\"}",
           "f(\"empty\" false) -> \"\xc3\xa9\" [0,1]\n");
}

static void the_unit_of_times(void **unused) {
    (void)unused;
    static const char one_operation[] = "{\"op\":\"enq\",\"args\":[1],\"call\":1500,\"ret\":2000000}\n";
    error e = {0};
    text content = {0}, out = {0}, said = {0};
    text_printf(&content, "{\"plumb\":\"history/1\",\"object\":\"queue\",\"clock\":\"us\"}\n%s", one_operation);
    history *h = read_text(NULL, text_str(&content), &e);
    assert_non_null(h);
    assert_int_equal(h->tick, 1000);
    history_print_time(h, 1500, &said);
    text_char(&said, ' ');
    history_print_time(h, 2000000, &said);
    assert_string_equal(text_str(&said), "1.500 ms 2.000000 s");
    assert_true(write_text("plumb-jsonl", h, &out, &e));
    assert_non_null(strstr(text_str(&out), ",\"clock\":\"us\"}\n"));
    history_free(h);
    text_clear(&content);
    text_printf(&content, "{\"plumb\":\"history/1\",\"clock\":\"days\"}\n%s", one_operation);
    assert_null(read_text(NULL, text_str(&content), &e));
    assert_non_null(strstr(e.what, "expected \"ns\", \"us\", \"ms\" or \"s\""));
    text_free(&content);
    text_free(&out);
    text_free(&said);
}

static void header_and_annotations(void **unused) {
    (void)unused;
    error e = {0};
    history *h = read_text(NULL,
                           "{\"plumb\":\"history/1\",\"object\":\"queue(capacity=8)\"}\n{\"annotation\":\"begin\"}\n"
                           "{\"op\":\"enq\",\"args\":[1],\"call\":1,\"ret\":2}\n{\"annotation\":{\"n\":1}}\n{\"op\":"
                           "\"deq\",\"call\":3,\"ret\":4,\"res\":1}\n"
                           "{\"annotation\":\"end\"}",
                           &e);
    assert_non_null(h);
    assert_string_equal(h->object_hint, "queue(capacity=8)");
    assert_int_equal(h->annotations, 3);
    assert_int_equal(h->annotation[0].before, 0);
    assert_int_equal(h->annotation[1].before, 2);
    assert_int_equal(h->annotation[2].before, 4);
    text out = {0};
    assert_true(write_text("plumb-jsonl", h, &out, &e));
    assert_string_equal(text_str(&out),
                        "{\"plumb\":\"history/1\",\"object\":\"queue(capacity=8)\"}\n{\"annotation\":\"begin\"}\n"
                        "{\"op\":\"enq\",\"args\":[1],\"call\":1,\"ret\":2,\"res\":null}\n{\"annotation\":{\"n\":1}}\n"
                        "{\"op\":\"deq\",\"args\":[],\"call\":3,\"ret\":4,\"res\":1}\n{\"annotation\":\"end\"}\n");
    text_free(&out);
    history_free(h);
}

/* A register or a key can hold the string "empty"; only containers return the constant. */
static void the_string_empty(void **unused) {
    (void)unused;
    error e = {0};
    history *h = read_text("plumb-jsonl",
                           "{\"op\":\"write\",\"args\":[\"empty\"],\"call\":1,\"ret\":2}\n{\"op\":\"read\",\"call\":3,"
                           "\"ret\":4,\"res\":\"empty\"}",
                           &e);
    object *o = object_open("register", NULL, &e);
    assert_true(object_bind(o, h, "test", &e));
    assert_int_equal(h->res[1], h->arg[0][0]);
    object_close(o);
    history_free(h);
}

static void bad_lines(void **unused) {
    (void)unused;
    expect_error(
        "[1]", "test:1: expected an object such as {\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":12,\"ret\":31}");
    expect_error("{\"op\":\"enq\"}", "test:1: operation without \"call\"; expected the time of the call");
    expect_error("{\"call\":1}", "test:1: operation without \"op\"; expected the method's name");
    expect_error("\n{\"op\":7,\"call\":1}", "test:2: \"op\" is a number; expected a method's name in quotes");
    expect_error("{\"op\":\"\",\"call\":14}", "test:1: empty method name; expected a word");
    expect_error("{\"client\":4,\"op\":\"\",\"call\":14}\n{\"op\":\"\",\"call\":15}",
                 "test:1: empty method name; expected a word");
    expect_error("{\"op\":\"f\",\"call\":\"1\"}", "test:1: \"call\" is a string; expected an integer");
    expect_error("{\"op\":\"f\",\"call\":1.5}", "test:1: \"call\" is no integer; expected an integer");
    expect_error("{\"op\":\"f\",\"call\":1,\"ret\":[]}", "test:1: \"ret\" is an array; expected an integer");
    expect_error("{\"op\":\"f\",\"call\":01}", "test:1: bad number '01'; expected digits");
    expect_error("{\"op\":\"f\",\"call\":1} {}", "test:1: more behind the operation; expected one a line");
    expect_error("{\"plumb\":\"history/2\"}", "test:1: \"plumb\" is \"history/2\"; expected \"history/1\"");
    expect_error("{\"plumb\":\"history/1\",\"object\":5}",
                 "test:1: \"object\" is a number; expected the name of an object");
    expect_error("{\"client\":1,\"op\":\"f\",\"call\":1,\"ret\":5}\n{\"op\":\"f\",\"call\":1}",
                 "test:2: some operations name a client and some do not; expected all or none");
    expect_error("{\"op\":\"f\",\"args\":[1,2", "test:1: the line ends too early; expected ']'");
}

/* Everything in the first 64 KiB looks plain; then come lines that need the tokenizer, in the middle of fast ones. */
static void fast_and_slow_lines_mix(void **unused) {
    (void)unused;
    enum { COUNT = 20000 };
    text in = {0};
    for (unsigned i = 0; i < COUNT; i++)
        text_printf(&in,
                    i % 7 == 3 ? "{\"client\":%u,\"op\":\"\\u0065nq\",\"args\":[%u],\"call\":%u,\"ret\":%u}\n"
                               : "{\"client\":%u,\"op\":\"enq\",\"args\":[%u],\"call\":%u,\"ret\":%u,\"res\":null}\n",
                    i % 5, i, 3 * i, 3 * i + 4);
    error e = {0};
    history *h = read_text(NULL, in.at, &e);
    assert_string_equal(e.what, "");
    assert_int_equal(h->n, COUNT);
    assert_int_equal(h->methods, 1);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(value_as_int(h->values, h->arg[0][i]), i);
        assert_int_equal(history_ret_time(h, i), 3 * i + 4);
        assert_int_equal(h->line[i], i + 1);
        assert_int_equal(value_as_int(h->values, history_client_name(h, i)), i % 5);
    }
    history_free(h);
    text_free(&in);
}

/* A name of zeros is no name yet, and one that ends with zeros is not the known one before them: found by
 * fuzz_plumb_jsonl. */
static void names_with_zeros(void **unused) {
    (void)unused;
    static const char nothing[] = "{\"op\":\"\0\",\"args\":[],\"call\":1,\"ret\":2,\"res\":null}\n";
    static const char longer[] = "{\"op\":\"enq\",\"args\":[1],\"call\":1,\"ret\":2,\"res\":null}\n"
                                 "{\"op\":\"enq\0\",\"args\":[2],\"call\":3,\"ret\":4,\"res\":null}\n";
    error e[2] = {0};
    assert_null(read_bytes("plumb-jsonl", nothing, sizeof nothing - 1, false, &e[0]));
    assert_null(read_bytes("plumb-jsonl", longer, sizeof longer - 1, false, &e[1]));
    for (unsigned i = 0; i < 2; i++) assert_int_equal(e[i].code, 65);
}

TEST_MAIN(TEST(canonical_lines), TEST(any_spelling), TEST(names_of_others), TEST(what_may_be_missing),
          TEST(values_in_all_forms), TEST(header_and_annotations), TEST(the_unit_of_times), TEST(bad_lines),
          TEST(the_string_empty), TEST(fast_and_slow_lines_mix), TEST(names_with_zeros))
