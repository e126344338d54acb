/* Damaged files: every prefix of a small sample and every byte changed, through every reader. Whatever comes, the
 * answer is a history or one line with exit code 65; the sanitizers watch the rest. */
#include "support/cmocka.h"

#include "base/mem.h"
#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>

static const char *const samples[] = {
    "{\"plumb\":\"history/"
    "1\",\"object\":\"queue\"}\n{\"client\":2,\"op\":\"enq\",\"args\":[7,\"a\\u00e9\\ud83d\\ude00\"],\"call\":12,"
    "\"ret\":31,\"res\":null}\n"
    "{\"annotation\":[1]}\n{\"client\":3,\"op\":\"deq\",\"key\":\"k\",\"args\":[],\"call\":14,\"ret\":null,\"res\":"
    "\"empty\"}\n",
    "[{:process 0, :type :invoke, :f :cas, :key \"\xc3\xa9\", :value [1 2]} #_[x {:a 1}] ; c\n{:process :nemesis, "
    ":type :info, :f :go, :value #{:n1}}\n"
    "#t{:process 0, :type :ok, :f :cas, :value [1 2], :time 3/4, :error {\\a \"\\n\\u0041\"}}\n{:process 1, :type "
    ":invoke, :f :read}{:process 1 :type :fail}]",
    "{\"ClientId\":9,\"Input\":{\"Type\":\"txn\",\"Range\":null,\"Txn\":{\"Conditions\":[{\"Key\":\"a\","
    "\"ExpectedRevision\":0}],\"OperationsOnSuccess\":"
    "[{\"Type\":\"put-operation\",\"Put\":{\"Key\":\"a\",\"Value\":{\"Value\":\"1\",\"Hash\":0}}}],"
    "\"OperationsOnFailure\":[]}},\"Call\":5,"
    "\"Output\":{\"Txn\":{\"Failure\":false,\"Results\":[]},\"Revision\":2,\"Error\":\"\"},\"Return\":9}\n"
    "{\"ClientId\":9,\"Input\":{\"Type\":\"range\",\"Range\":{\"Start\":\"a\",\"End\":\"\"}},\"Call\":10,\"Output\":{"
    "\"Range\":{\"KVs\":[{\"Key\":\"a\",\"Value\":{\"Value\":\"1\"},\"ModRevision\":2}]}},\"Return\":11}",
    "# @object atomic-queue\n[1] call add(1)\n[2] call remove\n[1] return\n  [2] return 1\n[3] call remove\n[3] return "
    "empty\n",
    "INFO  jepsen.util - 0\t:invoke\t:write\t4\n0\t:info\t:write\t:timed-out\n1\t:invoke\t:cas\t[1 "
    "\"x\"]\n1\t:fail\t:cas\t[1 \"x\"]\n",
    "# queue\nenq 1 1 2\ndeq 1 3 4\ndeq empty 5 6\n",
};

static void check(const format *f, const char *p, size_t n) {
    error e = {0};
    read_options options = {.format = f, .observe = "cas"};
    input *in = input_memory("test", p, n, &e);
    history *h = format_read_input(in, &options, NULL, &e);
    input_close(in);
    if (h) {
        assert_int_equal(e.code, 0);
        assert_true(h->n == 0 || h->events >= h->n);
        history_free(h);
    } else {
        assert_int_equal(e.code, 65);
        assert_true(strncmp(e.what, "test:", 5) == 0 || strncmp(e.what, "test: ", 6) == 0);
        assert_null(strchr(e.what, '\n'));
    }
}

/* A recorder's log is a hundred kilobytes of zeros with a few records in it. What lies far from anything written is all
 * alike: one byte in a hundred stands for it. */
static bool is_worth_it(const char *p, size_t n, size_t i) {
    enum { NEAR = 64, ONE_IN = 97 };
    size_t from = i < NEAR ? 0 : i - NEAR, to = n - i < NEAR ? n : i + NEAR;
    if (i % ONE_IN == 0) return true;
    while (from < to && !p[from]) from++;
    return from < to;
}

/* The copy ends where the sample does, so that reading beyond is seen. */
static void damage(const format *f, const char *p, size_t n) {
    static const unsigned char change[] = {0x01, 0x08, 0x20, 0x80, 0xff};
    for (size_t cut = 0; cut <= n; cut++) {
        if (!is_worth_it(p, n, cut)) continue;
        char *copy = mem_copy(p, cut);
        check(f, copy, cut);
        free(copy);
    }
    char *copy = mem_copy(p, n);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < sizeof change && is_worth_it(p, n, i); c++) {
            copy[i] = (char)(p[i] ^ change[c]);
            check(f, copy, n);
            copy[i] = p[i];
        }
    free(copy);
}

static void every_reader_survives(void **unused) {
    (void)unused;
    const format *f;
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        damage(NULL, samples[s], strlen(samples[s]));
        for (unsigned i = 0; (f = format_at(i)); i++)
            if (f->sniff(samples[s], strlen(samples[s])) > 0) damage(f, samples[s], strlen(samples[s]));
    }
}

/* What a writer writes is a sample too: the only one a binary format has. */
static void written_files_damaged(void **unused) {
    (void)unused;
    const format *f;
    error e = {0};
    history *h =
        read_text("jepsen-edn",
                  "{:process 0, :type :invoke, :f :enq, :value 1}{:process 1, :type :invoke, :f :deq}{:process 0, "
                  ":type :ok, :f :enq, :value 1}"
                  "{:process 1, :type :ok, :f :deq, :value 1}{:process 2, :type :invoke, :f :enq, :value 70000}",
                  &e);
    assert_non_null(h);
    for (unsigned i = 0; (f = format_at(i)); i++) {
        text out = {0};
        e = (error){0};
        if (f->write && write_text(f->name, h, &out, &e)) damage(f, out.at, out.size);
        text_free(&out);
    }
    history_free(h);
}

static void every_reader_refuses_the_others(void **unused) {
    (void)unused;
    const format *f;
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++)
        for (unsigned i = 0; (f = format_at(i)); i++) check(f, samples[s], strlen(samples[s]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reader_survives),
        cmocka_unit_test(written_files_damaged),
        cmocka_unit_test(every_reader_refuses_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
