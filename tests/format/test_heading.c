/* What a history says of itself beside its object and operations goes through every format, or the format refuses: its
 * initial value, the unit of its times, that not all that happened is in it. */
#include "support/cmocka.h"

#include "format/format.h"
#include "support/read_text.h"

#include <stdio.h>
#include <string.h>

#define READ_5 "{\"client\":1,\"op\":\"read\",\"args\":[],\"call\":10,\"ret\":20,\"res\":5}\n"

typedef struct said {
    const char *init, *lacks;
    int64_t tick;
    uint32_t sample;
} said;

static history *read_heading(const char *fields) {
    char lines[400];
    error e = {0};
    snprintf(lines, sizeof lines, "{\"plumb\":\"history/1\",\"object\":\"register\"%s}\n" READ_5, fields);
    history *h = read_text("plumb-jsonl", lines, &e);
    if (!h) fail_msg("%s", e.what);
    return h;
}

static void assert_same_words(const char *is, const char *was) {
    if (!was) assert_null(is);
    else assert_string_equal(is, was);
}

static void assert_says(const history *h, const said *what, bool units_too) {
    assert_same_words(h->init_hint, what->init);
    assert_same_words(h->lacks, what->lacks);
    if (units_too) assert_int_equal(h->tick, what->tick);
    assert_int_equal(h->sample, what->sample);
}

/* How many formats keep it; the others refuse with one line. */
static unsigned through_all(const char *fields, const said *what) {
    unsigned kept = 0;
    const format *f;
    history *h = read_heading(fields);
    assert_says(h, what, true);
    for (unsigned i = 0; (f = format_at(i)); i++) {
        text t = {0};
        error e = {0};
        bool units_too = !strcmp(f->name, "plumb-jsonl") || !strcmp(f->name, "plumb-binary");
        if (f->write && write_text(f->name, h, &t, &e)) {
            history *back = read_bytes(f->name, text_str(&t), t.size, false, &e);
            if (!back) fail_msg("%s: %s", f->name, e.what);
            assert_says(back, what, units_too);
            history_free(back);
            kept++;
        } else if (f->write) {
            assert_int_equal(e.code, EXIT_BAD_INPUT);
            assert_null(strchr(e.what, '\n'));
        }
        text_free(&t);
    }
    history_free(h);
    return kept;
}

static void initial_values(void **unused) {
    (void)unused;
    assert_int_equal(through_all(",\"init\":\"5\"", &(said){.init = "5"}), 4); /* as lines, events, binary and log */
    assert_int_equal(through_all(",\"init\":5", &(said){.init = "5"}), 4);
    assert_int_equal(through_all(",\"init\":null", &(said){0}), 8);
    through_all(",\"init\":1.5", &(said){.init = "1.5"});
    through_all(",\"init\":\"a 1\\nb \\\"two words\\\"\\n\"", &(said){.init = "a 1\nb \"two words\"\n"});
}

static void what_is_lacking(void **unused) {
    (void)unused;
    assert_int_equal(through_all(",\"lacks\":\"the file ends early\"", &(said){.lacks = "the file ends early"}), 3);
    assert_int_equal(through_all(",\"sample\":16", &(said){.sample = 16}), 3);
}

static void units(void **unused) {
    (void)unused;
    assert_int_equal(through_all(",\"clock\":\"ms\"", &(said){.tick = 1000000}), 8);
    through_all(",\"clock\":\"s\",\"init\":5,\"lacks\":\"x\",\"sample\":2",
                &(said){.init = "5", .lacks = "x", .tick = 1000000000, .sample = 2});
}

/* Jepsen's times are nanoseconds. */
static void other_units_become_nanoseconds(void **unused) {
    (void)unused;
    error e = {0};
    text t = {0};
    history *h = read_heading(",\"clock\":\"ms\"");
    assert_true(write_text("jepsen-edn", h, &t, &e));
    assert_non_null(strstr(text_str(&t), ":time 10000000}"));
    history_free(h);
    text_free(&t);
}

static void times_of_annotations(void **unused) {
    (void)unused;
    error e = {0};
    text t = {0};
    history *h = read_text("plumb-jsonl", READ_5 "{\"annotation\":\"partition\",\"time\":11,\"until\":15}\n", &e);
    assert_true(write_text("jepsen-edn", h, &t, &e));
    history *back = read_text("jepsen-edn", text_str(&t), &e);
    assert_int_equal(back->annotations, 1);
    assert_true(back->annotation->timed && back->annotation->lasts);
    assert_int_equal(back->annotation->time, 11);
    assert_int_equal(back->annotation->until, 15);
    history_free(back);
    history_free(h);
    text_free(&t);
}

/* Two clients that are written alike would be one. */
static void names_that_are_not_utf8(void **unused) {
    (void)unused;
    for (unsigned odd = 0; odd < 2; odd++) {
        error e = {0};
        text t = {0};
        builder *b = builder_new("test", &e);
        values *v = builder_values(b);
        call_record call = {.client = odd ? value_int(v, 1) : value_bytes(v, "\xff", 1),
                            .method = builder_method(b, odd ? "re\xff" : "read", odd ? 3 : 4, 1),
                            .key = VALUE_NONE,
                            .line = 1};
        assert_true(builder_operation(b, &call, 1, 2, VALUE_NONE));
        history *h = builder_finish(b);
        assert_false(write_text("plumb-jsonl", h, &t, &e));
        assert_non_null(strstr(e.what, odd ? "method 0 has a name" : "client 0 has a name"));
        history_free(h);
        builder_free(b);
        text_free(&t);
    }
}

static void refuses(const char *fields, const char *why) {
    char lines[400];
    error e = {0};
    snprintf(lines, sizeof lines, "{\"plumb\":\"history/1\",\"object\":\"register\"%s}\n" READ_5, fields);
    assert_null(read_text("plumb-jsonl", lines, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    if (!strstr(e.what, why)) fail_msg("%s: %s", fields, e.what);
}

static void wrong_headings(void **unused) {
    (void)unused;
    refuses(",\"init\":[1]", "\"init\"");
    refuses(",\"init\":\"a\\u0000b\"", "\"init\"");
    refuses(",\"lacks\":7", "\"lacks\"");
    refuses(",\"sample\":0", "\"sample\"");
    refuses(",\"sample\":-1", "\"sample\"");
    refuses(",\"sample\":4294967296", "\"sample\"");
    refuses(",\"clock\":\"h\"", "\"clock\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_values),
        cmocka_unit_test(what_is_lacking),
        cmocka_unit_test(units),
        cmocka_unit_test(other_units_become_nanoseconds),
        cmocka_unit_test(wrong_headings),
        cmocka_unit_test(times_of_annotations),
        cmocka_unit_test(names_that_are_not_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
