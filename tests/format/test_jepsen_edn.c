/* Jepsen's, Knossos' and Porcupine's EDN: what its events become. */
#include "support/cmocka.h"

#include "base/mem.h"
#include "support/read_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static history *read_with(const char *content, bool independent, const char *observe, error *e) {
    read_options options = {.format = format_find("jepsen-edn"), .independent = independent, .observe = observe};
    input *in = input_memory("test", content, strlen(content), e);
    history *h = format_read_input(in, &options, NULL, e);
    input_close(in);
    return h;
}

static void expect_with(const char *content, bool independent, const char *observe, const char *want) {
    error e = {0};
    text got = {0};
    history *h = read_with(content, independent, observe, &e);
    assert_string_equal(e.what, "");
    print_history(h, true, &got);
    assert_string_equal(text_str(&got), want);
    text_free(&got);
    history_free(h);
}

static void expect(const char *content, const char *want) { expect_with(content, false, NULL, want); }

static void expect_error(const char *content, const char *want) {
    error e = {0};
    assert_null(read_with(content, false, NULL, &e));
    assert_int_equal(e.code, 65);
    assert_string_equal(e.what, want);
}

static void register_events(void **unused) {
    (void)unused;
    static const char want[] = "0 write(3) -> none [0,2]\n1 read() -> 3 [1,3]\n";
    expect("{:process 0, :type :invoke, :f :write, :value 3}\n{:process 1, :type :invoke, :f :read, :value nil}\n"
           "{:process 0, :type :ok, :f :write, :value 3}\n{:process 1, :type :ok, :f :read, :value 3}\n",
           want);
    expect("; a comment\n[{:type :invoke :f :write :value 3 :process 0 :time -1 :index 0}{:process 1 :value nil :type "
           ":invoke :f :read}\n"
           "{:process 0, :type :ok, :f :write, :value 3, :debug {:nested [1 #{2}]}}, #jepsen.history.Op{:process 1, "
           ":type :ok, :f :read, :value 3}]",
           want);
    expect("({:process 0, :type :invoke, :f \"write\", :value 3} #_{:no :event}\n{:process 1, :type :invoke, :f read}\n"
           "{:process 0, :type :ok, :f nil}\n{:process 1, :type :ok, :value +3, :error [:a \"b\"]})",
           want);
}

static void failures_and_unknown_outcomes(void **unused) {
    (void)unused;
    static const char content[] =
        "{:process 0, :type :invoke, :f :cas, :value [1 2]}\n{:process 1, :type :invoke, :f :cas, :value [2 3]}\n"
        "{:process 0, :type :fail, :f :cas, :value [1 2], :error :mismatch}\n{:process 1, :type :ok, :f :cas, :value "
        "[2 3]}\n"
        "{:process 0, :type :invoke, :f :write, :value 7}\n{:process 0, :type :info, :f :write, :value :timed-out}\n"
        "{:process 0, :type :invoke, :f :write, :value 8}\n";
    expect(content, "0 cas(2 3) -> true [0,1]\n1 write(7) -> ? [2,-]\n2 write(8) -> ? [3,-]\n");
    expect_with(content, false, "write cas",
                "0 cas(1 2) -> false [0,2]\n1 cas(2 3) -> true [1,3]\n0 write(7) -> ? [4,-]\n2 write(8) -> ? [5,-]\n");
}

static void understood_line(void **unused) {
    (void)unused;
    error e = {0};
    text line = {0};
    history *h = read_with(
        "{:process 0, :type :invoke, :f :write, :value 1}\n{:process :nemesis, :type :info, :f :start, :value nil}\n"
        "{:process 0, :type :info, :f :write, :value 1}\n{:process 0, :type :invoke, :f :write, :value 2}\n"
        "{:process 0, :type :ok, :f :write, :value 2}\n{:process :nemesis, :type :info, :f :stop, :value [:n1 \"x\"]}\n"
        "{:process 1, :type :invoke, :f :read, :value nil}\n{:process 1, :type :fail, :f :read, :value nil}\n",
        false, NULL, &e);
    assert_string_equal(e.what, "");
    format_understood("x.edn", format_find("jepsen-edn"), h, &line);
    assert_string_equal(text_str(&line),
                        "read x.edn: jepsen-edn, 2 clients, 1 ok, 1 pending, 1 failed dropped, 2 annotations");
    assert_int_equal(h->annotation[0].before, 1);
    assert_int_equal(h->annotation[1].before, 3);
    assert_string_equal(value_as_bytes(h->values, h->annotation[1].text, NULL), "nemesis stop [\"n1\" \"x\"]");
    text_free(&line);
    history_free(h);
}

static void containers(void **unused) {
    (void)unused;
    expect(
        "{:process 0, :type :invoke, :f :enqueue, :value 5}\n{:process 0, :type :ok, :f :enqueue, :value 5}\n"
        "{:process 0, :type :invoke, :f :enqueue, :value nil}\n{:process 0, :type :ok, :f :enqueue, :value 6}\n"
        "{:process 0, :type :invoke, :f :enqueue, :value 7}\n{:process 0, :type :ok, :f :enqueue, :value :full}\n"
        "{:process 0, :type :invoke, :f :dequeue}\n{:process 0, :type :ok, :f :dequeue, :value 5}\n"
        "{:process 0, :type :invoke, :f :dequeue}\n{:process 0, :type :ok, :f :dequeue, :value :empty}\n"
        "{:process 0, :type :invoke, :f :dequeue}\n{:process 0, :type :ok, :f :dequeue, :value nil}\n"
        "{:process 0, :type :invoke, :f :enqueue, :value :empty}\n{:process 0, :type :ok, :f :enqueue, :value "
        ":empty}\n",
        "0 enqueue(5) -> none [0,1]\n0 enqueue(6) -> none [2,3]\n0 enqueue(7) -> full [4,5]\n0 dequeue() -> 5 [6,7]\n"
        "0 dequeue() -> empty [8,9]\n0 dequeue() -> none [10,11]\n0 enqueue(\"empty\") -> none [12,13]\n");
}

static void sets_and_others(void **unused) {
    (void)unused;
    expect("{:process 0, :type :invoke, :f :add, :value 0}\n{:process 0, :type :ok, :f :add, :value 0}\n"
           "{:process 0, :type :invoke, :f :add, :value 0}\n{:process 0, :type :ok, :f :add, :value false}\n"
           "{:process 0, :type :invoke, :f :contains, :value 1}\n{:process 0, :type :ok, :f :contains, :value true}\n"
           "{:process 0, :type :invoke, :f :remove, :value 0}\n{:process 0, :type :ok, :f :remove, :value 0}\n"
           "{:process 0, :type :invoke, :f :remove}\n{:process 0, :type :ok, :f :remove, :value 9}\n"
           "{:process 0, :type :invoke, :f :acquire, :value nil}\n{:process 0, :type :ok, :f :acquire, :value nil}\n"
           "{:process 0, :type :invoke, :f :decide, :value 4}\n{:process 0, :type :ok, :f :decide, :value 4}\n"
           "{:process 0, :type :invoke, :f :inc}\n{:process 0, :type :ok, :f :inc, :value 2}\n"
           "{:process 0, :type :invoke, :f :cas, :value [1 2]}\n{:process 0, :type :ok, :f :cas, :value false}\n",
           "0 add(0) -> none [0,1]\n0 add(0) -> false [2,3]\n0 contains(1) -> true [4,5]\n0 remove(0) -> none [6,7]\n"
           "0 remove() -> 9 [8,9]\n0 acquire() -> none [10,11]\n0 decide(4) -> 4 [12,13]\n0 inc() -> 2 [14,15]\n0 "
           "cas(1 2) -> false [16,17]\n");
}

static void independent_keys(void **unused) {
    (void)unused;
    expect_with(
        "{:process 0, :type :invoke, :f :cas, :value [3 [0 1]]}\n{:process 0, :type :ok, :f :cas, :value [3 [0 1]]}\n"
        "{:process 1, :type :invoke, :f :read, :value [4 nil]}\n{:process 1, :type :ok, :f :read, :value [4 7]}\n"
        "{:process 1, :type :invoke, :f :deq, :value [4 nil]}\n{:process 1, :type :ok, :f :deq, :value [4 :empty]}\n",
        true, NULL, "0 cas(@3 0 1) -> true [0,1]\n1 read(@4 ) -> 7 [2,3]\n1 deq(@4 ) -> empty [4,5]\n");
    error e = {0};
    assert_null(read_with("{:process 0, :type :invoke, :f :write, :value 3}", true, NULL, &e));
    assert_string_equal(e.what, "test:1: value is 3; expected [key value], of independent keys");
}

static void key_value_logs(void **unused) {
    (void)unused;
    error e = {0};
    const char *content = "{:process 0, :type :invoke, :f :append, :key \"0\", :value \"x 0 0 y\"}\n{:process 0, :type "
                          ":ok, :f :append, :key \"0\", :value \"x 0 0 y\"}\n"
                          "{:process 0, :type :invoke, :f :get, :key \"7\", :value nil}\n{:process 0, :type :ok, :f "
                          ":get, :key \"7\", :value \"\"}\n";
    expect(content, "0 append(@\"0\" \"x 0 0 y\") -> none [0,1]\n0 get(@\"7\" ) -> \"\" [2,3]\n");
    history *h = read_text(NULL, content, &e);
    assert_string_equal(h->object_hint, "kv");
    history_free(h);
}

static void recorded_key_value_logs(void **unused) {
    (void)unused;
    static const struct {
        const char *name, *understood;
    } logs[] = {{"c01-bad.txt", "jepsen-edn, 1 client, 38 ok"},
                {"c01-ok.txt", "jepsen-edn, 1 client, 58 ok"},
                {"c10-bad.txt", "jepsen-edn, 10 clients, 405 ok"},
                {"c10-ok.txt", "jepsen-edn, 10 clients, 337 ok"}};
    const char *data = data_directory();
    if (!data) skip();
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        error e = {0};
        text path = {0}, line = {0};
        const format *used;
        text_printf(&path, "%s/porcupine/kv/%s", data, logs[i].name);
        history *h = format_read(path.at, NULL, &used, &e);
        assert_string_equal(e.what, "");
        format_understood("f", used, h, &line);
        assert_string_equal(text_str(&line) + strlen("read f: "), logs[i].understood);
        assert_string_equal(h->object_hint, "kv");
        history_free(h);
        text_free(&path);
        text_free(&line);
    }
}

static void writing(void **unused) {
    (void)unused;
    static const char content[] = "{:process 0, :type :invoke, :f :cas, :key \"k\", :value [1 2]}\n{:process 1, :type "
                                  ":invoke, :f :deq, :value nil}\n"
                                  "{:process :annotation, :type :info, :f nil, :value \"heal\"}\n"
                                  "{:process 0, :type :ok, :f :cas, :key \"k\", :value [1 2]}\n{:process 2, :type "
                                  ":invoke, :f \"odd name\", :value \"a\\\"\\n\"}\n"
                                  "{:process 1, :type :ok, :f :deq, :value :empty}\n{:process 2, :type :info, :f \"odd "
                                  "name\", :value \"a\\\"\\n\"}\n";
    error e = {0};
    text out = {0};
    history *h = read_with(content, false, NULL, &e);
    assert_true(write_text("jepsen-edn", h, &out, &e));
    assert_string_equal(text_str(&out), content);
    text_free(&out);
    history_free(h);
}

static void bad_events(void **unused) {
    (void)unused;
    expect_error("{:process 0, :type :ok, :f :read, :value 3}",
                 "test:1: return of client 0 matches no open call; expected a call by this client first");
    expect_error("{:process 0, :type :invoke, :f :read}\n{:process 0, :type :invoke, :f :read}",
                 "test:2: client 0 calls again while its call of line 1 is open; expected its return first");
    expect_error("{:process 0, :type :invoke, :f :read}\n\n{:process 0, :type :ok, :f :write}",
                 "test:3: completion of :write, but the open call of line 1 is another method; expected the same");
    expect_error("{:process 9, :type :invoke, :f :read}{:process 0,\n :type :invoke,\n :f :read}\n{:process 0, :type "
                 ":start, :f :read}",
                 "test:4: :type is :start; expected :invoke, :ok, :fail or :info");
    expect_error("{:process 0, :type :start, :f :read}",
                 "test:1: :type is :start; expected :invoke, :ok, :fail or :info");
    expect_error("{:process 0, :type 3, :f :read}",
                 "test:1: :type is no keyword; expected :invoke, :ok, :fail or :info");
    expect_error("{:process 0, :f :read}", "test:1: operation without :type; expected :invoke, :ok, :fail or :info");
    expect_error("{:type :invoke, :f :read}", "test:1: operation without :process; expected the number of the client");
    expect_error("{:process 0, :type :invoke}", "test:1: call without :f; expected a method such as :read");
    expect_error("{:process 0, :type :invoke, :f [1]}", "test:1: :f is no keyword; expected a method such as :read");
    expect_error("[[]]", "test:1: expected a map such as {:process 0, :type :invoke, :f :read, :value nil}");
    expect_error("[{:process 0, :type :invoke,\n :f :read", "test:2: the file ends too early; expected '}'");
    expect_error("[{:process 0, :type :invoke, :f :read}", "test:1: the file ends too early; expected ']'");
}

/* Flat maps, nested ones and the borders of blocks in all combinations: the same history as in one spelling. */
static void fast_and_slow_maps_mix(void **unused) {
    (void)unused;
    enum { COUNT = 30000 };
    text in = {0};
    text_char(&in, '[');
    for (unsigned i = 0; i < COUNT; i++) {
        static const char *const spelling[] = {"{:process %u, :type :invoke, :f :enq, :value %u}\n",
                                               "{:process %u, :x {} :type :invoke, :f :enq, :value %u} ",
                                               "\n{:index 3 :process %u,:type :invoke,:f :enq,:value %u}"};
        text_printf(&in, spelling[i % 3], i % 4, i);
        text_printf(&in, "{:process %u, :type :ok, :f :enq, :value %u}", i % 4, i);
    }
    text_char(&in, ']');
    error e = {0};
    history *h = read_with(in.at, false, NULL, &e);
    assert_string_equal(e.what, "");
    assert_int_equal(h->n, COUNT);
    uint32_t line = 1;
    for (unsigned i = 0; i < COUNT; i++) {
        if (i % 3 == 2) line++;
        assert_int_equal(value_as_int(h->values, h->arg[0][i]), i);
        assert_int_equal(h->call[i], 2 * i);
        assert_int_equal(h->line[i], line);
        if (i % 3 == 0) line++;
    }
    history_free(h);
    text_free(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(register_events),
        cmocka_unit_test(failures_and_unknown_outcomes),
        cmocka_unit_test(understood_line),
        cmocka_unit_test(containers),
        cmocka_unit_test(sets_and_others),
        cmocka_unit_test(independent_keys),
        cmocka_unit_test(key_value_logs),
        cmocka_unit_test(recorded_key_value_logs),
        cmocka_unit_test(writing),
        cmocka_unit_test(bad_events),
        cmocka_unit_test(fast_and_slow_maps_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
