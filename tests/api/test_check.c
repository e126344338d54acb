/* Checks through the front door: what the result says, and what each option does. */
#include "support/cmocka.h"

#include <plumbline/plumbline.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static plumb_history *queue_of(const int64_t *put, const int64_t *taken, unsigned n) {
    plumb_history *h = plumb_history_new();
    for (unsigned i = 0; i < n; i++) {
        plumb_value arg = plumb_int(put[i]);
        assert_true(plumb_history_call(h, 1, "enq", &arg, 1) && plumb_history_return(h, 1, plumb_none()));
    }
    for (unsigned i = 0; i < n; i++)
        assert_true(plumb_history_call(h, 2, "deq", NULL, 0) && plumb_history_return(h, 2, plumb_int(taken[i])));
    return h;
}

static plumb_history *right(void) { return queue_of((int64_t[]){1, 2}, (int64_t[]){1, 2}, 2); }
static plumb_history *wrong(void) { return queue_of((int64_t[]){1, 2}, (int64_t[]){2, 1}, 2); }

static plumb_check_options all(void) { return (plumb_check_options){.struct_size = sizeof(plumb_check_options)}; }

static void results_say_what_was_found(void **unused) {
    (void)unused;
    size_t n = 99;
    plumb_history *h = right();
    plumb_result *r = plumb_check(h, "queue", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_LINEARIZABLE);
    assert_string_equal(plumb_result_explanation(r), "");
    assert_true(*plumb_result_engine(r));
    assert_null(plumb_result_core(r, &n));
    assert_int_equal(n, 0);
    assert_non_null(plumb_result_witness(r, &n));
    assert_int_equal(n, 4);
    assert_non_null(strstr(plumb_result_json(r), "\"file\":\"history\",\"object\":\"queue\""));
    assert_non_null(strstr(plumb_result_json(r), "\"operations\":4,\"pending\":0"));
    assert_non_null(strstr(plumb_result_json(r), "\"witness\":["));
    assert_non_null(strstr(plumb_result_json(r), "\"criterion\":\"linearizable\""));
    plumb_result_free(r);
    plumb_history_free(h);
    h = wrong();
    r = plumb_check(h, "queue", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_VIOLATION);
    assert_string_equal(plumb_result_object(r), "queue");
    assert_null(plumb_result_witness(r, &n));
    assert_int_equal(n, 0);
    /* the diagram, then the sentences */
    const char *picture = strstr(plumb_result_explanation(r), "|--|"),
               *words = strstr(plumb_result_explanation(r), "no order is left");
    assert_true(picture && words && picture < words);
    plumb_result_free(r);
    plumb_history_free(h);
    plumb_result_free(NULL);
}

/* An operation whose end is not known is counted as pending. */
static void pending_operations_are_counted(void **unused) {
    (void)unused;
    plumb_history *h = right();
    assert_true(plumb_history_call(h, 3, "deq", NULL, 0));
    plumb_result *r = plumb_check(h, "queue", NULL);
    assert_non_null(strstr(plumb_result_json(r), "\"operations\":5,\"pending\":1"));
    plumb_result_free(r);
    plumb_history_free(h);
}

static void error_is(plumb_history *h, const char *object, const plumb_check_options *o, const char *expected) {
    size_t n;
    plumb_result *r = plumb_check(h, object, o);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    if (!strstr(plumb_result_reason(r), expected)) fail_msg("'%s' does not say '%s'", plumb_result_reason(r), expected);
    assert_string_equal(plumb_result_engine(r), "");
    assert_null(plumb_result_core(r, &n));
    assert_null(plumb_result_witness(r, &n));
    assert_non_null(strstr(plumb_result_json(r), "\"error\":{"));
    plumb_result_free(r);
}

static void errors(void **unused) {
    (void)unused;
    plumb_check_options o = all();
    plumb_history *h = right();
    o.engine = "no such engine";
    error_is(h, "queue", &o, "no such engine");
    o = all();
    o.criterion = "sloppy";
    error_is(h, "queue", &o, "sloppy");
    error_is(h, "no such object", NULL, "no such object");
    error_is(h, "stack", NULL, "enq"); /* it has no such method */
    error_is(h, "queue", NULL, "enq"); /* and the history is of no further use */
    plumb_history_free(h);
    h = right();
    plumb_result *r = plumb_check(h, "queue", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_LINEARIZABLE);
    plumb_result_free(r);
    error_is(h, "stack", NULL, "the history is bound to object queue already");
    r = plumb_check(h, "queue", NULL); /* which does no harm */
    assert_int_equal(plumb_result_verdict(r), PLUMB_LINEARIZABLE);
    plumb_result_free(r);
    plumb_history_free(h);
    h = plumb_history_read("no/such/file", NULL);
    r = plumb_check(h, NULL, NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    assert_string_equal(plumb_result_object(r), ""); /* not known */
    plumb_result_free(r);
    plumb_history_free(h);
    h = plumb_history_new();
    assert_true(plumb_history_call(h, 1, "juggle", NULL, 0) && plumb_history_return(h, 1, plumb_none()));
    error_is(h, NULL, NULL, "juggle");
    plumb_history_free(h);
}

static plumb_history *reads(int64_t v) {
    plumb_history *h = plumb_history_new();
    assert_true(plumb_history_call(h, 1, "read", NULL, 0) && plumb_history_return(h, 1, plumb_int(v)));
    return h;
}

static plumb_verdict judged(plumb_history *h, const char *object, const plumb_check_options *o) {
    plumb_result *r = plumb_check(h, object, o);
    plumb_verdict v = plumb_result_verdict(r);
    plumb_result_free(r);
    plumb_history_free(h);
    return v;
}

/* Each option is looked at exactly when the caller's structure reaches behind it. */
#define UNTIL(field) (offsetof(plumb_check_options, field) + sizeof(((plumb_check_options *)0)->field))

static void options(void **unused) {
    (void)unused;
    plumb_check_options o = all();
    o.init = "7";
    assert_int_equal(judged(reads(7), "register", &o), PLUMB_LINEARIZABLE);
    assert_int_equal(judged(reads(8), "register", &o), PLUMB_VIOLATION);
    o.struct_size = UNTIL(init);
    assert_int_equal(judged(reads(7), "register", &o), PLUMB_LINEARIZABLE);
    o.struct_size = UNTIL(init) - 1;
    assert_int_equal(judged(reads(7), "register", &o), PLUMB_VIOLATION);
    o = all();
    o.criterion = "quasi(1)";
    assert_int_equal(judged(wrong(), "queue", &o), PLUMB_LINEARIZABLE);
    o.struct_size = UNTIL(criterion) - 1;
    assert_int_equal(judged(wrong(), "queue", &o), PLUMB_VIOLATION);
    o = all();
    o.engine = "no such";
    o.struct_size = UNTIL(engine);
    assert_int_equal(judged(right(), "queue", &o), PLUMB_ERROR);
    o.struct_size = UNTIL(engine) - 1;
    assert_int_equal(judged(right(), "queue", &o), PLUMB_LINEARIZABLE);
    o = all();
    o.engine = "search";
    o.threads = 2;
    assert_int_equal(judged(right(), "queue", &o), PLUMB_LINEARIZABLE);
}

/* Columns are those of the diagram; zero means eighty. */
static void columns(void **unused) {
    (void)unused;
    size_t widest[3] = {0};
    for (unsigned k = 0; k < 3; k++) {
        plumb_check_options o = all();
        int64_t put[40], taken[40];
        for (int i = 0; i < 40; i++) {
            put[i] = i;
            taken[39 - i] = i;
        }
        plumb_history *h = queue_of(put, taken, 40);
        o.columns = k == 1 ? 0 : k == 2 ? 160 : 80;
        if (k == 1) o.struct_size = UNTIL(columns);
        plumb_result *r = plumb_check(h, "queue", &o);
        for (const char *line = plumb_result_explanation(r); *line == ' ' || *line == '\n';
             line = strchr(line, '\n') + 1)
            if (strcspn(line, "\n") > widest[k]) widest[k] = strcspn(line, "\n");
        plumb_result_free(r);
        plumb_history_free(h);
    }
    assert_true(widest[0] == widest[1]);
    assert_true(widest[0] <= 80 && widest[2] >= widest[0]);
}

static void budgets_end_undecided(void **unused) {
    (void)unused;
    plumb_check_options o = all();
    plumb_history *h = plumb_history_new();
    for (int64_t c = 0; c < 24; c++) {
        plumb_value arg = plumb_int(c % 3);
        assert_true(plumb_history_operation(h, c, "enq", &arg, 1, 0, 1000, plumb_none()));
        assert_true(plumb_history_operation(h, c + 100, "deq", NULL, 0, 0, 1000, plumb_int((c + 1) % 3 + (c == 23))));
    }
    o.engine = "search";
    o.memory = 1;
    plumb_result *r = plumb_check(h, "queue", &o);
    assert_int_equal(plumb_result_verdict(r), PLUMB_UNDECIDED);
    assert_non_null(strstr(plumb_result_reason(r), "memory"));
    plumb_result_free(r);
    o.memory = 0;
    o.seconds = 1e-9;
    r = plumb_check(h, "queue", &o);
    assert_int_equal(plumb_result_verdict(r), PLUMB_UNDECIDED);
    assert_non_null(strstr(plumb_result_reason(r), "time"));
    plumb_result_free(r);
    plumb_history_free(h);
}

/* What was asked is told also where the object has no such criterion. */
static void criteria_are_told(void **unused) {
    (void)unused;
    plumb_check_options o = all();
    o.criterion = "quasi(1)";
    plumb_history *h = reads(7);
    plumb_result *r = plumb_check(h, "register", &o);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    assert_non_null(strstr(plumb_result_json(r), "\"criterion\":\"quasi(1)\""));
    plumb_result_free(r);
    plumb_history_free(h);
    /* one that tries all permutations says so of a long history */
    int64_t many[40];
    for (int i = 0; i < 40; i++) many[i] = i;
    h = queue_of(many, many, 40);
    o.criterion = "literal(1)";
    r = plumb_check(h, "queue", &o);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    assert_non_null(strstr(plumb_result_reason(r), "tries all permutations"));
    plumb_result_free(r);
    plumb_history_free(h);
}

/* Without a name the object is the one that the file names, or else what the methods say. */
static void the_file_names_the_object(void **unused) {
    (void)unused;
    static const char content[] = "{\"plumb\":\"history/1\",\"object\":\"pqueue-min\"}\n"
                                  "{\"client\":1,\"op\":\"add\",\"args\":[1],\"call\":0,\"ret\":1}\n";
    char path[] = "/tmp/plumb-api-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, content, sizeof content - 1) == sizeof content - 1);
    close(fd);
    plumb_history *h = plumb_history_read(path, NULL);
    plumb_result *r = plumb_check(h, NULL, NULL);
    assert_string_equal(plumb_result_object(r), "pqueue-min");
    plumb_result_free(r);
    plumb_history_free(h);
    unlink(path);
}

static void nothing_judged(const char *object) {
    plumb_history *h = plumb_history_new();
    plumb_result *r = plumb_check(h, object, NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_UNDECIDED);
    assert_string_equal(plumb_result_reason(r), "nothing was judged (the history has no operations)");
    plumb_result_free(r);
    plumb_history_free(h);
}

static void nothing_is_no_verdict(void **unused) {
    (void)unused;
    nothing_judged("queue");
    nothing_judged(NULL);
}

TEST_MAIN(TEST(nothing_is_no_verdict), TEST(results_say_what_was_found), TEST(pending_operations_are_counted),
          TEST(errors), TEST(options), TEST(columns), TEST(budgets_end_undecided), TEST(criteria_are_told),
          TEST(the_file_names_the_object))
