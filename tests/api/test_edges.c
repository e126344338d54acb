/* The front door at its edges: structures that end before an option, names that are none, rooms that are larger than
 * what is written to them. */
#include "support/cmocka.h"

#include <plumbline/monitor.h>
#include <plumbline/plumbline.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static plumb_verdict verdict_of(plumb_history *h, const char *object, const plumb_check_options *o) {
    plumb_result *r = plumb_check(h, object, o);
    plumb_verdict v = plumb_result_verdict(r);
    plumb_result_free(r);
    return v;
}

/* Many open operations on few values: too much for a byte of memory. */
static plumb_history *hard(void) {
    plumb_history *h = plumb_history_new();
    for (int64_t c = 0; c < 12; c++) {
        plumb_value arg = plumb_int(c % 3);
        assert_true(plumb_history_operation(h, c, "enq", &arg, 1, 0, 1000, plumb_none()));
        assert_true(plumb_history_operation(h, c + 100, "deq", NULL, 0, 0, 1000, plumb_int((c + 1) % 3)));
    }
    return h;
}

/* What stands behind the end of the caller's structure is not looked at, whatever it is. */
static void budgets_behind_the_end(void **unused) {
    (void)unused;
    plumb_history *h = hard();
    plumb_check_options o = {.struct_size = sizeof o, .engine = "search", .memory = 1};
    assert_int_equal(verdict_of(h, "queue", &o), PLUMB_UNDECIDED);
    o.struct_size = offsetof(plumb_check_options, memory);
    assert_int_equal(verdict_of(h, "queue", &o), PLUMB_LINEARIZABLE);
    plumb_history_free(h);
}

/* A structure that does not say its size is a mistake, and nothing is judged. */
static void a_size_is_needed(void **unused) {
    (void)unused;
    plumb_history *h = hard();
    plumb_result *r = plumb_check(h, "queue", &(plumb_check_options){0});
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    assert_non_null(strstr(plumb_result_reason(r), "struct_size"));
    plumb_result_free(r);
    plumb_history_free(h);
    h = plumb_history_read("examples/histories/queue-wrong.jsonl", &(plumb_read_options){0});
    assert_non_null(strstr(plumb_history_error(h), "struct_size"));
    assert_int_equal(verdict_of(h, "queue", NULL), PLUMB_ERROR);
    plumb_history_free(h);
}

static plumb_history *read_content(const char *content, const plumb_read_options *how) {
    char path[] = "/tmp/plumb-api-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    close(fd);
    plumb_history *h = plumb_history_read(path, how);
    unlink(path);
    return h;
}

/* [key value] pairs are keys and values where that is said, and plain vectors where it is not. */
static void independent_keys(void **unused) {
    (void)unused;
    static const char content[] =
        "{:process 0, :type :invoke, :f :write, :value [:x 1]}\n{:process 0, :type :ok, :f :write, :value [:x 1]}\n"
        "{:process 0, :type :invoke, :f :write, :value [:y 2]}\n{:process 0, :type :ok, :f :write, :value [:y 2]}\n"
        "{:process 0, :type :invoke, :f :read, :value [:x nil]}\n{:process 0, :type :ok, :f :read, :value [:x 1]}\n";
    plumb_read_options how = {.struct_size = sizeof how, .format = "jepsen-edn", .independent = true};
    plumb_history *h = read_content(content, &how);
    assert_int_equal(verdict_of(h, "register", NULL), PLUMB_LINEARIZABLE);
    plumb_history_free(h);
    how.independent = false;
    h = read_content(content, &how);
    assert_int_equal(verdict_of(h, "register", NULL), PLUMB_VIOLATION); /* the last vector was [:y 2] */
    plumb_history_free(h);
}

/* The empty name is no method: neither the call nor the operation is taken. */
static void names_are_words(void **unused) {
    (void)unused;
    plumb_value arg = plumb_int(1);
    plumb_history *h = plumb_history_new();
    assert_true(plumb_history_call(h, 1, "enq", &arg, 1));
    assert_false(plumb_history_call(h, 2, "", &arg, 1));
    assert_non_null(strstr(plumb_history_error(h), "empty method name"));
    plumb_history_free(h);
    h = plumb_history_new();
    assert_true(plumb_history_operation(h, 1, "enq", &arg, 1, 0, 1, plumb_none()));
    assert_false(plumb_history_operation(h, 2, "", &arg, 1, 0, 1, plumb_none()));
    assert_int_equal(verdict_of(h, "queue", NULL), PLUMB_ERROR);
    plumb_history_free(h);
}

/* The operations of a pattern are written, as many as there are and fit, and nothing behind them. */
static void patterns_fit_their_room(void **unused) {
    (void)unused;
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    for (int64_t i = 1; i <= 2; i++) {
        plumb_value v = plumb_int(i);
        plumb_monitor_call(m, 1, "enq", &v, 1);
        plumb_monitor_return(m, 1, plumb_none());
    }
    plumb_monitor_call(m, 2, "deq", NULL, 0);
    assert_int_equal(plumb_monitor_return(m, 2, plumb_int(2)), PLUMB_VIOLATION);
    for (size_t room = 0; room <= 5; room++) {
        uint64_t number[6];
        for (size_t i = 0; i < 6; i++) number[i] = 77;
        assert_int_equal(plumb_monitor_pattern(m, number, room), 3);
        for (size_t i = 0; i < 6; i++) assert_true((number[i] == 77) == (i >= 3 || i >= room));
    }
    plumb_monitor_free(m);
}

/* A method is given as many arguments as it takes; more than there are columns for are one, a tuple. */
static void many_arguments(void **unused) {
    (void)unused;
    plumb_value arg[40];
    for (int i = 0; i < 40; i++) arg[i] = plumb_int(i);
    for (size_t n = 0; n <= 40; n++) {
        const bool fits = n == 1 || n > 3;
        plumb_monitor *m = plumb_monitor_new("queue", NULL);
        assert_int_equal(plumb_monitor_call(m, 1, "enq", arg, n), fits ? PLUMB_LINEARIZABLE : PLUMB_ERROR);
        plumb_monitor_free(m);
        plumb_history *h = plumb_history_new();
        assert_true(plumb_history_call(h, 1, "enq", arg, n) && plumb_history_return(h, 1, plumb_none()));
        assert_int_equal(verdict_of(h, "queue", NULL), fits ? PLUMB_LINEARIZABLE : PLUMB_ERROR);
        plumb_history_free(h);
    }
}

TEST_MAIN(TEST(budgets_behind_the_end), TEST(a_size_is_needed), TEST(independent_keys), TEST(names_are_words),
          TEST(patterns_fit_their_room), TEST(many_arguments))
