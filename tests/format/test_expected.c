/* Every format as a whole: what is written for a history, and what is said of small files that are damaged at every
 * place, is exactly what stands in tests/format/expected/ (support/expected.h says how these files are written anew).
 * */
#include "support/cmocka.h"

#include "base/hash.h"
#include "format/format.h"
#include "history/builder.h"
#include "support/expected.h"
#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- damage ---- */

typedef struct outcome {
    text what;
    unsigned times;
} outcome;

enum { OUTCOMES = 4000 };

typedef struct outcomes {
    outcome *of;
    unsigned n;
} outcomes;

static void count_outcome(outcomes *all, const text *what) {
    for (unsigned i = 0; i < all->n; i++) {
        if (strcmp(text_str(&all->of[i].what), text_str(what)) != 0) continue;
        all->of[i].times++;
        return;
    }
    assert_true(all->n < OUTCOMES);
    text_add(&all->of[all->n].what, text_str(what));
    all->of[all->n++].times = 1;
}

/* The message, or the history that was read, in short. */
static void read_one(const char *format_name, const char *p, size_t n, outcomes *all) {
    error e = {0};
    text what = {0}, shown = {0};
    history *h = read_bytes(format_name, p, n, false, &e);
    if (h) {
        print_history(h, true, &shown);
        text_printf(&what, "read: %016llx", (unsigned long long)hash_bytes(text_str(&shown), shown.size));
    } else {
        text_printf(&what, "%d %s", e.code, e.what);
    }
    count_outcome(all, &what);
    text_free(&what);
    text_free(&shown);
    history_free(h);
}

static void damage(const char *format_name, const char *sample, size_t n, text *out) {
    static const char instead[] = "0\"}:x\\[ -\xff\n]{,1#(e.@)'/";
    outcomes all = {.of = calloc(OUTCOMES, sizeof *all.of)};
    char *copy = malloc(n + 2);
    read_one(format_name, sample, n, &all);
    for (size_t i = 0; i < n; i++) {
        memcpy(copy, sample, i); /* cut here */
        read_one(format_name, copy, i, &all);
        memcpy(copy + i, sample + i + 1, n - i - 1); /* without this byte */
        read_one(format_name, copy, n - 1, &all);
        memcpy(copy, sample, n); /* another one */
        copy[i] = instead[i % (sizeof instead - 1)];
        read_one(format_name, copy, n, &all);
        memcpy(copy + i + 1, sample + i, n - i); /* one more */
        copy[i] = instead[(7 * i + 3) % (sizeof instead - 1)];
        read_one(format_name, copy, n + 1, &all);
    }
    text_printf(out, "---- %s, %zu bytes\n", format_name, n);
    for (unsigned i = 0; i < all.n; i++) {
        text_printf(out, "%u x %s\n", all.of[i].times, text_str(&all.of[i].what));
        text_free(&all.of[i].what);
    }
    free(copy);
    free(all.of);
}

static void damaged(const char *format_name, const char *const *samples, unsigned n, const char *path) {
    text out = {0};
    for (unsigned i = 0; i < n; i++) damage(format_name, samples[i], strlen(samples[i]), &out);
    is_expected(path, &out);
}

#define DAMAGED(name, ...) \
    static const char *const samples[] = {__VA_ARGS__}; \
    damaged(name, samples, sizeof samples / sizeof *samples, "tests/format/expected/damaged-" name ".txt")

static void damaged_jsonl(void **unused) {
    (void)unused;
    DAMAGED("plumb-jsonl",
            "{\"plumb\":\"history/1\",\"object\":\"queue\"}\n"
            "{\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":1,\"ret\":12,\"res\":null}\n"
            "{\"client\":\"c\",\"op\":\"deq\",\"args\":[],\"call\":13,\"ret\":null}\n",
            "{\"client\":1,\"op\":\"put\",\"key\":\"k\\n\\u00e9\",\"args\":[[1,\"a\"],true],\"call\":-5,\"ret\":9}\n\n"
            "{\"op\":\"get\",\"key\":3,\"call\":4,\"ret\":8,\"res\":[],\"more\":{\"a\":[null]}}\n");
}

static void damaged_edn(void **unused) {
    (void)unused;
    DAMAGED(
        "jepsen-edn",
        "{:process 0, :type :invoke, :f :write, :value 1, :time 5, :index 0}\n{:process 0, :type :ok, :f :write, "
        ":value 1}\n"
        "{:process 1 :type :invoke :f :cas :value [1 2]} ; why\n{:process 1 :type :fail :f :cas :value [1 2]}\n",
        "[{:process :nemesis :type :info :f :start :value \"x\"} {:process 3, :type :invoke, :f :read, :value nil}\n"
        " {:process 3, :type :info, :f :read, :value nil, :error #{:timeout}}]");
}

static void damaged_jepsen_log(void **unused) {
    (void)unused;
    DAMAGED("jepsen-log",
            "INFO  jepsen.util - 0\t:invoke\t:write\t3\nINFO  jepsen.util - 1\t:invoke\t:cas\t[3 4]\n"
            "INFO  jepsen.util - 0\t:ok\t:write\t3\nINFO  jepsen.util - 1\t:fail\t:cas\t[3 4]\n"
            "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\nINFO  jepsen.util - 2\t:invoke\t:read\tnil\n"
            "INFO  jepsen.util - 2\t:info\t:read\t:timed-out\n");
}

static void damaged_violin(void **unused) {
    (void)unused;
    DAMAGED("violin",
            "# @object atomic-queue\n[1] call enq(7)\n[2] call deq\n[1] return\n[2] return 7\n[3] call deq\n[3] return "
            "empty\n",
            "[1] call put(a, \"b c\\n\")\n[1] return [1 2]\n[4] call cas(-1, 5)\n");
}

static void damaged_list(void **unused) {
    (void)unused;
    DAMAGED("operation-list", "enq 7 0 5\ndeq 7 6 9\nenq 8 7 inf\n", "# a comment\nwrite 1 0 3\nread 1 2 4\n");
}

static void damaged_etcd(void **unused) {
    (void)unused;
    DAMAGED(
        "etcd-operations",
        "{\"ClientId\":1,\"Input\":{\"Type\":\"txn\",\"Txn\":{\"Conditions\":null,\"OperationsOnSuccess\":[{\"Type\":"
        "\"put-operation\","
        "\"Put\":{\"Key\":\"k\",\"Value\":{\"Value\":\"2\",\"Hash\":0}}}],\"OperationsOnFailure\":null}},\"Call\":10,"
        "\"Output\":{\"Txn\":{\"Failure\":false,\"Results\":[{\"Deleted\":0}]},\"Revision\":3},\"Return\":20}\n");
}

/* ---- logs ---- */

static void add(builder *b, int64_t client, const char *name, const value *arg, size_t nargs, int64_t call, int64_t ret,
                value res) {
    call_record c = {.client = value_int(builder_values(b), client),
                     .method = builder_method(b, name, strlen(name), 1),
                     .key = VALUE_NONE,
                     .arg = arg,
                     .nargs = nargs,
                     .line = 1};
    assert_true(builder_operation(b, &c, call, ret, res));
}

static history *sample_history(bool wild, error *e) {
    builder *b = builder_new("sample", e);
    values *v = builder_values(b);
    value one = value_int(v, 1), many[3] = {value_int(v, -5), value_int(v, INT64_MAX), VALUE_TRUE};
    add(b, 0, "enq", &one, 1, 0, 5, VALUE_NONE);
    add(b, 1, "deq", NULL, 0, 3, 9, one);
    add(b, 0, "deq", NULL, 0, 6, 8, VALUE_EMPTY);
    add(b, 7, "enq", &one, 1, 7, STAMP_NEVER, VALUE_UNKNOWN);
    if (wild) {
        value items[2] = {value_bytes(v, "a \"word\"\n\\", 10), value_int(v, 3)};
        value word = value_bytes(v, "plain", 5), made = value_tuple(v, items, 2), odd = value_bytes(v, "\xc3\xa9", 2);
        add(b, 2, "put", many, 3, 10, 12, VALUE_FALSE);
        add(b, 3, "look", &word, 1, 11, 14, made);
        add(b, 2, "look", &made, 1, 13, 15, odd);
        add(b, 4, "look", &odd, 1, 14, 16, VALUE_FULL);
        add(b, 5, "look", items, 2, 15, 17, value_tuple(v, NULL, 0));
    }
    builder_object(b, "queue");
    history *h = builder_finish(b);
    builder_free(b);
    return h;
}

/* Every byte that is not zero, with one bit less or more, or cut there. */
static void damage_log(text *log, text *out) {
    outcomes all = {.of = calloc(OUTCOMES, sizeof *all.of)};
    read_one("plumb-log", log->at, log->size, &all);
    for (size_t i = 0; i < log->size; i++) {
        char byte = log->at[i];
        if (!byte) continue;
        log->at[i] = byte ^ 1;
        read_one("plumb-log", log->at, log->size, &all);
        log->at[i] = (char)(byte ^ 0x40);
        read_one("plumb-log", log->at, log->size, &all);
        log->at[i] = 0;
        read_one("plumb-log", log->at, log->size, &all);
        log->at[i] = byte;
    }
    for (unsigned i = 0; i < all.n; i++) {
        text_printf(out, "%u x %s\n", all.of[i].times, text_str(&all.of[i].what));
        text_free(&all.of[i].what);
    }
    for (size_t i = 0; i < log->size; i += log->size / 16) {
        outcomes cut = {.of = all.of};
        memset(all.of, 0, sizeof *all.of);
        read_one("plumb-log", log->at, i, &cut);
        text_printf(out, "cut at %zu: %s\n", i, text_str(&all.of[0].what));
        text_free(&all.of[0].what);
    }
    free(all.of);
}

static void damaged_log(void **unused) {
    (void)unused;
    error e = {0};
    text log = {0}, out = {0};
    for (unsigned k = 0; k < 2; k++) {
        history *h = sample_history(k, &e);
        assert_true(write_text("plumb-log", h, &log, &e));
        text_printf(&out, "---- %zu bytes\n", log.size);
        damage_log(&log, &out);
        text_free(&log);
        log = (text){0};
        history_free(h);
    }
    is_expected("tests/format/expected/damaged-plumb-log.txt", &out);
}

/* ---- writing ---- */

static void show_bytes(const text *written, text *out) {
    for (size_t i = 0; i < written->size; i++) {
        unsigned char c = (unsigned char)written->at[i];
        if (c == '\n' || (c >= ' ' && c < 127)) text_char(out, (char)c);
        else text_printf(out, "<%02x>", c);
    }
}

static void write_all(const history *h, text *out) {
    static const char *const names[] = {"plumb-jsonl", "plumb-events",   "jepsen-edn",     "jepsen-log",
                                        "violin",      "operation-list", "etcd-operations"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        error wrong = {0};
        text t = {0};
        bool good = write_text(names[i], h, &t, &wrong);
        text_printf(out, "---- %s: %s\n", names[i], good ? "written" : wrong.what);
        if (good) show_bytes(&t, out);
        text_free(&t);
    }
}

/* In every format that is text. */
static void written(void **unused) {
    (void)unused;
    text out = {0};
    for (unsigned k = 0; k < 2; k++) {
        error e = {0};
        history *h = sample_history(k, &e);
        write_all(h, &out);
        history_free(h);
    }
    is_expected("tests/format/expected/written.txt", &out);
}

/* What each writer knows: what becomes of a store's operations, keys, pending and failed ones; values of all kinds;
 * clients with names and without, notes that last, times of events, ties; methods with a result in their name. */
static void written_kinds(void **unused) {
    (void)unused;
    static const char *const histories[] = {
        "{\"plumb\":\"history/1\",\"object\":\"kv\"}\n"
        "{\"client\":1,\"op\":\"put\",\"key\":\"a\",\"args\":[\"x\"],\"call\":1,\"ret\":2,\"res\":null}\n"
        "{\"client\":2,\"op\":\"get\",\"key\":\"a\",\"args\":[],\"call\":3,\"ret\":4,\"res\":\"x\"}\n"
        "{\"client\":2,\"op\":\"get\",\"key\":\"b\",\"args\":[],\"call\":5,\"ret\":6,\"res\":null}\n"
        "{\"client\":1,\"op\":\"cas\",\"key\":\"a\",\"args\":[\"x\",\"y\"],\"call\":7,\"ret\":8,\"res\":true}\n"
        "{\"client\":1,\"op\":\"cas\",\"key\":\"a\",\"args\":[\"x\",\"z\"],\"call\":9,\"ret\":10,\"res\":false}\n"
        "{\"client\":1,\"op\":\"cas\",\"key\":\"b\",\"args\":[null,\"z\"],\"call\":11,\"ret\":12,\"res\":true}\n"
        "{\"client\":3,\"op\":\"get\",\"key\":\"a\",\"args\":[],\"call\":13,\"ret\":null,\"res\":null}\n"
        "{\"client\":4,\"op\":\"put\",\"key\":\"a\",\"args\":[\"w\"],\"call\":14,\"ret\":null,\"res\":null}\n"
        "{\"client\":5,\"op\":\"delete\",\"key\":\"a\",\"args\":[],\"call\":15,\"ret\":16,\"res\":null}\n"
        "{\"client\":5,\"op\":\"get\",\"key\":\"a\",\"args\":[],\"call\":17,\"ret\":18,\"res\":\"y\"}\n",
        "{\"plumb\":\"history/1\",\"object\":\"register\",\"clock\":\"us\"}\n"
        "{\"annotation\":\"begin\",\"time\":0,\"until\":90}\n"
        "{\"client\":\"ann\",\"op\":\"write\",\"args\":[{\"b\":[1,2.50,-0],\"a\":null}],\"call\":1,\"ret\":2}\n"
        "{\"client\":\"bob\",\"op\":\"read\",\"args\":[],\"call\":2,\"ret\":3,\"res\":\"\\u00e9\\n\\\"\\\\\\u202e\"}\n"
        "{\"client\":\"cat\",\"op\":\"write\",\"args\":[123456789012345678901234567890],\"call\":4,\"ret\":5}\n"
        "{\"client\":\"dan\",\"op\":\"read\",\"args\":[],\"call\":6,\"ret\":7,\"res\":[[],[1,[true,false]],\"empty\"]}"
        "\n"
        "{\"annotation\":\"end\",\"time\":91}\n",
        "{\"client\":1,\"op\":\"add\",\"args\":[-9223372036854775808],\"call\":1,\"ret\":9,\"res\":true}\n"
        "{\"client\":2,\"op\":\"contains\",\"args\":[7],\"call\":1,\"ret\":9,\"res\":false}\n"
        "{\"client\":1,\"op\":\"remove\",\"args\":[\"a b\"],\"call\":9,\"ret\":12,\"res\":true}\n"
        "{\"client\":2,\"op\":\"add\",\"args\":[\"\"],\"call\":10,\"ret\":null}\n",
        ("{\"op\":\"enq\",\"args\":[\"empty\"],\"call\":1,\"ret\":2,\"res\":\"full\"}\n"
         "{\"op\":\"deq\",\"args\":[],\"call\":3,\"ret\":4,\"res\":\"empty\"}\n"),
    };
    text out = {0};
    for (unsigned k = 0; k < sizeof histories / sizeof *histories; k++) {
        error e = {0};
        history *h = read_text("plumb-jsonl", histories[k], &e);
        assert_string_equal(e.what, "");
        text_printf(&out, "======== history %u\n", k);
        write_all(h, &out);
        history_free(h);
    }
    is_expected("tests/format/expected/written-kinds.txt", &out);
}

TEST_MAIN(TEST(damaged_jsonl), TEST(damaged_edn), TEST(damaged_jepsen_log), TEST(damaged_violin), TEST(damaged_list),
          TEST(damaged_etcd), TEST(damaged_log), TEST(written), TEST(written_kinds))
