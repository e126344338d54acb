/* Every row of explore_options.def, on its ways: a message, a saved schedule, a report. A new row is tested without a
 * word here. */
#include "explore/model/run_request.h"

#include "base/mem.h"
#include "explore/strategy/strategy.h"
#include "support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Another value than the standard one, as it is written. */
static void other_value(const run_option *o, text *out) {
    text standard = {0};
    run_option_write(o, &run_request_standard, &standard);
    switch (o->kind) {
    case RUN_FLAG: text_add(out, strcmp(text_str(&standard), "0") ? "0" : "1"); break;
    case RUN_BYTES:
    case RUN_COUNT: text_add(out, "18446744073709551615"); break;
    case RUN_SECONDS: text_add(out, "0.125"); break;
    case RUN_TEXT: text_printf(out, "some(%s,1..2)\\t|:", o->key); break;
    case RUN_WORD: text_add(out, strrchr(o->words, ' ') + 1); break;
    }
    assert_string_not_equal(text_str(out), text_str(&standard));
    text_free(&standard);
}

static void assert_value(const run_option *o, const run_request *r, const char *expected) {
    text written = {0};
    assert_true(run_option_write(o, r, &written));
    assert_string_equal(text_str(&written), expected);
    text_free(&written);
}

static void assert_same(const run_request *a, const run_request *b) {
    for (unsigned i = 0; i < run_options_n; i++) {
        text x = {0}, y = {0};
        assert_int_equal(run_option_write(&run_options[i], a, &x), run_option_write(&run_options[i], b, &y));
        assert_string_equal(text_str(&x), text_str(&y));
        text_free(&x);
        text_free(&y);
    }
}

static void check_messages(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < run_options_n; i++) {
        const run_option *o = &run_options[i];
        run_request sent = run_request_standard, taken;
        text written = {0}, line = {0};
        talk_line l;
        error e = {0};
        other_value(o, &written);
        assert_true(run_option_read(o, &sent, written.at));
        talk_begin(&line, "run");
        run_request_send(&sent, &line);
        assert_true(talk_split(line.at, &l));
        assert_true(run_request_take(&taken, &l, &e));
        assert_value(o, &taken, written.at);
        assert_same(&sent, &taken);
        text_free(&written);
        text_free(&line);
    }
}

/* What is kept comes back, the rest is not touched. */
static void check_schedules(void **unused) {
    (void)unused;
    unsigned kept_options = 0;
    for (unsigned i = 0; i < run_options_n; i++) {
        const run_option *o = &run_options[i];
        run_request saved = run_request_standard, recalled = run_request_standard;
        text written = {0}, kept = {0};
        error e = {0};
        other_value(o, &written);
        assert_true(run_option_read(o, &saved, written.at));
        run_request_keep(&saved, &kept);
        assert_true(run_request_recall(&recalled, kept.at, &e));
        if (o->where == RUN_KEPT) {
            assert_same(&saved, &recalled);
            kept_options++;
        } else assert_same(&run_request_standard, &recalled);
        text_free(&written);
        text_free(&kept);
    }
    assert_true(kept_options > 0 && kept_options < run_options_n);
}

static void check_json(void **unused) {
    (void)unused;
    static const char *const expected[] = {[RUN_FLAG] = "true",
                                           [RUN_COUNT] = "18446744073709551615",
                                           [RUN_BYTES] = "18446744073709551615",
                                           [RUN_SECONDS] = "0.125"};
    for (unsigned i = 0; i < run_options_n; i++) {
        const run_option *o = &run_options[i];
        run_request r = run_request_standard;
        text written = {0}, json = {0};
        other_value(o, &written);
        run_option_read(o, &r, written.at);
        run_option_json(o, &r, &json);
        if (o->kind == RUN_TEXT || o->kind == RUN_WORD) assert_true(json.at[0] == '"' && json.at[json.size - 1] == '"');
        else assert_string_equal(json.at, written.at[0] == '0' && o->kind == RUN_FLAG ? "false" : expected[o->kind]);
        text_free(&written);
        text_free(&json);
    }
}

/* Texts that are not given have a word in schedules of earlier versions, too. */
static void check_absent(void **unused) {
    (void)unused;
    char kept[] = "reuse=oldest races=1 leaks=0 freed_reads=0 filter=1 steps=77 trust_loops=1 monitor=none "
                  "criterion=linearizable";
    run_request r = run_request_standard;
    error e = {0};
    r.monitor = r.criterion = "something";
    assert_true(run_request_recall(&r, kept, &e));
    assert_null(r.monitor);
    assert_null(r.criterion);
    assert_string_equal(r.reuse, "oldest");
    assert_true(r.races && r.filter && r.trust_loops && !r.leaks);
    assert_int_equal(r.steps, 77);
}

static void assert_refused(const char *kept, const char *why) {
    char copy[64];
    run_request r = run_request_standard;
    error e = {0};
    snprintf(copy, sizeof copy, "%s", kept);
    assert_false(run_request_recall(&r, copy, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    assert_non_null(strstr(e.what, why));
}

static void check_bad_values(void **unused) {
    (void)unused;
    assert_refused("races=2", "races");
    assert_refused("races=", "races");
    assert_refused("steps=-1", "steps");
    assert_refused("steps=1x", "steps");
    assert_refused("steps=99999999999999999999", "steps");
    assert_refused("reuse=sometimes", "reuse");
    assert_refused("reuse", "unknown reuse");
    assert_refused("colour=red", "unknown colour");
    assert_refused("seed=1", "unknown seed"); /* sent, but not kept */
    char words[] = "run\tseconds=nan";
    talk_line l;
    run_request r;
    error e = {0};
    assert_true(talk_split(words, &l));
    assert_false(run_request_take(&r, &l, &e));
    assert_non_null(strstr(e.what, "seconds=nan"));
}

static void check_keys_are_different(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < run_options_n; i++)
        for (unsigned j = 0; j < i; j++) {
            assert_string_not_equal(run_options[i].key, run_options[j].key);
            assert_int_not_equal(run_options[i].offset, run_options[j].offset);
            if (run_options[i].name && run_options[j].name)
                assert_string_not_equal(run_options[i].name, run_options[j].name);
        }
}

/* The words for strategies are strategies. */
static void check_strategies(void **unused) {
    (void)unused;
    char *words = mem_string(RUN_STRATEGIES), *rest = NULL;
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        assert_true(!strcmp(w, "auto") || strategy_find(w));
    free(words);
}

TEST_MAIN(TEST(check_messages), TEST(check_schedules), TEST(check_json), TEST(check_absent), TEST(check_bad_values),
          TEST(check_keys_are_different), TEST(check_strategies))
