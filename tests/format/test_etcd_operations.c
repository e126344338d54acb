/* etcd's robustness reports: which requests become which operations, and which are refused. */
#include "support/cmocka.h"

#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>

/* The members that real reports have besides those that matter. */
#define INPUT(type, range, txn) \
    "{\"Type\":\"" type "\",\"LeaseGrant\":null,\"LeaseRevoke\":null,\"Range\":" range ",\"Txn\":" txn \
    ",\"Defragment\":null}"
#define OUTPUT(txn, range, revision, error) \
    "{\"Txn\":" txn ",\"Range\":" range \
    ",\"LeaseGrant\":null,\"LeaseRevoke\":null,\"Defragment\":null,\"Revision\":" revision \
    ",\"PartialResponse\":false,\"Error\":\"" error "\"}"
#define LINE(client, input, call, output, ret) \
    "{\"ClientId\":" client ",\"Input\":" input ",\"Call\":" call ",\"Output\":" output ",\"Return\":" ret "}\n"
#define RANGE(start, end) "{\"Start\":\"" start "\",\"End\":\"" end "\",\"Limit\":0,\"Revision\":0}"
#define FOUND(key, val, revision) \
    "{\"KVs\":[{\"Key\":\"" key "\",\"Value\":{\"Value\":\"" val "\",\"Hash\":0},\"ModRevision\":" revision \
    "}],\"Count\":1}"
#define TXN(conditions, success, failure) \
    "{\"Conditions\":" conditions ",\"OperationsOnSuccess\":" success ",\"OperationsOnFailure\":" failure "}"
#define STEP(type, start, key, val, erase) \
    "{\"Type\":\"" type "-operation\",\"Range\":{\"Start\":\"" start \
    "\",\"End\":\"\",\"Limit\":0},\"Put\":{\"Key\":\"" key "\",\"Value\":{\"Value\":\"" val \
    "\",\"Hash\":0},\"LeaseID\":0},\"Delete\":{\"Key\":\"" erase "\"}}"
#define PUT(key, val) STEP("put", "", key, val, "")
#define IF(key, revision) "[{\"Key\":\"" key "\",\"ExpectedRevision\":" revision ",\"ExpectedVersion\":0}]"
#define DONE "{\"Failure\":false,\"Results\":[{\"KVs\":null,\"Count\":0,\"Deleted\":0}]}"

static void expect(const char *content, unsigned annotations, const char *want) {
    error e = {0};
    text got = {0};
    history *h = read_text(NULL, content, &e);
    assert_string_equal(e.what, "");
    print_history(h, true, &got);
    assert_string_equal(text_str(&got), want);
    assert_int_equal(h->annotations, annotations);
    assert_string_equal(h->object_hint, "kv");
    text_free(&got);
    history_free(h);
}

static void expect_error(const char *content, const char *want) {
    error e = {0};
    assert_null(read_text("etcd-operations", content, &e));
    assert_int_equal(e.code, 65);
    assert_string_equal(e.what, want);
}

static void gets_puts_deletes(void **unused) {
    (void)unused;
    expect(LINE("9", INPUT("range", RANGE("key3", ""), "null"), "966524",
                OUTPUT("null", "{\"KVs\":[],\"Count\":0}", "1", ""), "2097104")
               LINE("9", INPUT("txn", "null", TXN("null", "[" PUT("key3", "2") "]", "null")), "2100000",
                    OUTPUT(DONE, "null", "2", ""), "2200000")
                   LINE("9", INPUT("range", RANGE("key3", ""), "null"), "2300000",
                        OUTPUT("null", FOUND("key3", "2", "2"), "2", ""), "2400000")
                       LINE("9", INPUT("txn", "null", TXN("[]", "[" STEP("delete", "", "", "", "key3") "]", "[]")),
                            "2500000", OUTPUT(DONE, "null", "3", ""), "2600000")
                           LINE("9", INPUT("txn", "null", TXN("[]", "[" STEP("range", "key3", "", "", "") "]", "[]")),
                                "2700000", OUTPUT(DONE, "null", "3", ""), "2800000"),
           0,
           "0 get(@\"key3\" ) -> none [0,1]\n0 put(@\"key3\" \"2\") -> none [2,3]\n0 get(@\"key3\" ) -> \"2\" [4,5]\n"
           "0 delete(@\"key3\" ) -> none [6,7]\n0 get(@\"key3\" ) -> none [8,9]\n");
}

static void unknown_outcomes(void **unused) {
    (void)unused;
    expect(LINE("1", INPUT("txn", "null", TXN("null", "[" PUT("a", "1") "]", "null")), "10",
                OUTPUT("null", "null", "0", "timeout"), "0")
               LINE("2", INPUT("txn", "null", TXN("null", "[" PUT("a", "2") "]", "null")), "11",
                    OUTPUT("null", "null", "0", "timeout"), "15")
                   LINE("3", INPUT("range", RANGE("a", ""), "null"), "12", OUTPUT("null", "null", "0", ""), "0"),
           0, "0 put(@\"a\" \"1\") -> ? [0,-]\n1 put(@\"a\" \"2\") -> ? [1,-]\n2 get(@\"a\" ) -> ? [2,-]\n");
}

static void compare_and_put(void **unused) {
    (void)unused;
    expect(
        LINE("1", INPUT("txn", "null", TXN(IF("a", "0"), "[" PUT("a", "1") "]", "null")), "1",
             OUTPUT(DONE, "null", "2", ""),
             "2") LINE("1", INPUT("txn", "null", TXN(IF("a", "2"), "[" PUT("a", "7") "]", "null")), "3",
                       OUTPUT(DONE, "null", "3", ""),
                       "4") LINE("1", INPUT("txn", "null", TXN(IF("a", "2"), "[" PUT("a", "8") "]", "null")), "5",
                                 OUTPUT("{\"Failure\":true,\"Results\":[]}", "null", "3", ""), "6")
            LINE("1",
                 INPUT("txn", "null", TXN(IF("a", "2"), "[" PUT("a", "9") "]", "[" STEP("range", "a", "", "", "") "]")),
                 "7", OUTPUT("{\"Failure\":true,\"Results\":[" FOUND("a", "7", "3") "]}", "null", "3", ""), "8"),
        0,
        "0 cas(@\"a\" none \"1\") -> true [0,1]\n0 cas(@\"a\" \"1\" \"7\") -> true [2,3]\n0 cas(@\"a\" \"1\" \"8\") -> "
        "false [4,5]\n0 get(@\"a\" ) -> \"7\" [6,7]\n");
}

static void what_changes_nothing(void **unused) {
    (void)unused;
    expect(LINE("1", INPUT("range", RANGE("a", "z"), "null"), "1", OUTPUT("null", FOUND("b", "1", "2"), "2", ""), "2")
               LINE("1", INPUT("leaseGrant", "null", "null"), "3", OUTPUT("null", "null", "2", ""), "4")
                   LINE("1", INPUT("defragment", "null", "null"), "5", OUTPUT("null", "null", "2", ""), "6")
                       LINE("1", INPUT("txn", "null", TXN(IF("b", "2"), "[" PUT("b", "3") "]", "null")), "7",
                            OUTPUT(DONE, "null", "3", ""), "8"),
           3, "0 cas(@\"b\" \"1\" \"3\") -> true [0,1]\n");
}

static void refusals(void **unused) {
    (void)unused;
    static const char rest[] = "; expected gets, puts, deletes and compare-and-puts of one key";
    static const struct {
        const char *content, *what;
    } refused[] = {
        {LINE("1", INPUT("txn", "null", TXN("null", "[" PUT("a", "1") "," PUT("b", "1") "]", "null")), "1",
              OUTPUT(DONE, "null", "2", ""), "2"),
         "a transaction of several operations"},
        {LINE("1", INPUT("leaseRevoke", "null", "null"), "1", OUTPUT("null", "null", "2", ""), "2"),
         "a revoked lease (it deletes keys)"},
        {LINE("1", INPUT("dance", "null", "null"), "1", OUTPUT("null", "null", "2", ""), "2"), "this type of request"},
        {LINE("1", INPUT("txn", "null", TXN(IF("a", "5"), "[" PUT("a", "1") "]", "null")), "1",
              OUTPUT(DONE, "null", "2", ""), "2"),
         "a comparison with a revision that no earlier response showed"},
        {LINE("1", INPUT("txn", "null", TXN(IF("a", "0"), "[" PUT("b", "1") "]", "null")), "1",
              OUTPUT(DONE, "null", "2", ""), "2"),
         "a conditional transaction other than a put of the key compared"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        text want = {0};
        text_printf(&want, "test:1: %s is not understood%s", refused[i].what, rest);
        expect_error(refused[i].content, want.at);
        text_free(&want);
    }
}

static void bad_lines(void **unused) {
    (void)unused;
    static const char one[] =
        "test:1: expected one object such as {\"ClientId\":9,\"Input\":{...},\"Call\":1,\"Output\":{...},\"Return\":2}";
    expect_error("[]", one);
    expect_error("{} {}", one);
    expect_error("{}", "test:1: operation without \"ClientId\"; expected ClientId, Input, Call, Output and Return");
    expect_error("{\"ClientId\":1,\"Call\":2}",
                 "test:1: operation without \"Input\"; expected ClientId, Input, Call, Output and Return");
    expect_error("{\"ClientId\":1,\"Call\":\"x\"}", "test:1: unexpected kind of value; expected an integer");
    expect_error("\n{\"ClientId\":1,\"Input\":{\"Type\":", "test:2: the line ends too early; expected '}'");
}

/* ---- writing ---- */

#define JSONL(op, key, args, call, ret, res) \
    "{\"client\":9,\"op\":\"" op "\",\"key\":" key ",\"args\":" args ",\"call\":" call ",\"ret\":" ret ",\"res\":" res \
    "}\n"

static void written(const char *jsonl, const char *want, const char *wrong) {
    error e = {0};
    text got = {0};
    history *h = read_text("plumb-jsonl", jsonl, &e);
    assert_string_equal(e.what, "");
    assert_true(write_text("etcd-operations", h, &got, &e) == !*wrong);
    if (!*wrong) assert_string_equal(text_str(&got), want);
    assert_string_equal(e.what, wrong);
    if (*wrong) assert_int_equal(e.code, 65);
    text_free(&got);
    history_free(h);
}

/* As etcd writes it; a put gets the next revision, and the cas names it. */
static void lines(void **unused) {
    (void)unused;
    written(JSONL("get", "\"key3\"", "[]", "966524", "2097104", "null"),
            "{\"ClientId\":9,\"Input\":{\"Type\":\"range\",\"LeaseGrant\":null,\"LeaseRevoke\":null,\"Range\":{"
            "\"Start\":\"key3\",\"End\":\"\",\"Limit\":0,"
            "\"Revision\":0},\"Txn\":null,\"Defragment\":null},\"Call\":966524,\"Output\":{\"Txn\":null,\"Range\":{"
            "\"KVs\":[],\"Count\":0},\"LeaseGrant\":null,"
            "\"LeaseRevoke\":null,\"Defragment\":null,\"Revision\":1,\"PartialResponse\":false,\"Error\":\"\"},"
            "\"Return\":2097104}\n",
            "");
    error e = {0};
    text got = {0};
    history *h = read_text("plumb-jsonl",
                           JSONL("put", "\"a\"", "[\"1\"]", "1", "2", "null")
                               JSONL("cas", "\"a\"", "[\"1\",\"2\"]", "3", "null", "null"),
                           &e);
    assert_true(write_text("etcd-operations", h, &got, &e));
    assert_non_null(strstr(text_str(&got), "\"Revision\":2,\"PartialResponse\""));
    assert_non_null(
        strstr(text_str(&got), "\"Conditions\":[{\"Key\":\"a\",\"ExpectedRevision\":2,\"ExpectedVersion\":0}]"));
    assert_non_null(strstr(text_str(&got), "\"Error\":\"unknown\"},\"Return\":0}"));
    text_free(&got);
    history_free(h);
}

static void not_expressible(void **unused) {
    (void)unused;
#define CANNOT(op) "operation 0 (" op ") cannot be written as etcd-operations: "
    written(JSONL("append", "\"a\"", "[\"1\"]", "1", "2", "null"), "",
            CANNOT("append") "expected get, put, delete or cas");
    written(JSONL("get", "7", "[]", "1", "2", "null"), "", CANNOT("get") "its key is no string");
    written(JSONL("put", "\"a\"", "[7]", "1", "2", "null"), "", CANNOT("put") "its argument is no string");
    written(JSONL("put", "\"a\"", "[\"x\"]", "1", "2", "true"), "", CANNOT("put") "its result is none that etcd gives");
    written(JSONL("put", "\"a\"", "[\"x\"]", "-1", "0", "null"), "",
            CANNOT("put") "it returned at time 0, which means pending there");
    written(JSONL("cas", "\"a\"", "[\"x\",\"y\"]", "1", "2", "true"), "",
            CANNOT("cas") "no earlier response shows the value it compares with");
    written("{\"client\":1,\"op\":\"put\",\"args\":[\"k\",\"v\"],\"call\":1,\"ret\":2,\"res\":null}\n", "",
            CANNOT("put") "it has no key; expected a key-value history (perhaps object kv)");
    written("{\"plumb\":\"history/1\",\"object\":\"queue\"}\n" JSONL("get", "\"a\"", "[]", "1", "2", "null"), "",
            "a history of queue cannot be written as etcd-operations; expected kv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(not_expressible),
        cmocka_unit_test(gets_puts_deletes),
        cmocka_unit_test(unknown_outcomes),
        cmocka_unit_test(compare_and_put),
        cmocka_unit_test(what_changes_nothing),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bad_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
