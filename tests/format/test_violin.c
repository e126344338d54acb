#include "support/cmocka.h"

#include "support/read_text.h"

#include <stdio.h>
#include <string.h>

static void expect(const char *content, const char *printed) {
    error e = {0};
    history *h = read_text("violin", content, &e);
    assert_string_equal(e.what, "");
    text t = {0};
    print_history(h, true, &t);
    assert_string_equal(text_str(&t), printed);
    text_free(&t);
    history_free(h);
}

static void expect_error(const char *content, const char *what) {
    error e = {0};
    assert_null(read_text("violin", content, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    if (!strstr(e.what, what)) fail_msg("got '%s', expected '%s'", e.what, what);
}

static void spellings(void **unused) {
    (void)unused;
    expect("[1] call add(1)\n[1] return\n", "0 add(1) -> none [0,1]\n");
    expect("[1] call add 1\n[1] ret\n", "0 add(1) -> none [0,1]\n");
    expect("[1] call add(1, 2)\n[1] return 1, 2\n", "0 add(1 2) -> [1 2] [0,1]\n");
    expect("  [1]  call remove( )  # why\n\t[1] return   empty # so\n", "0 remove() -> empty [0,1]\n");
    expect("[a] call push(x)\r\n[a] return full\r\n", "0 push(\"x\") -> full [0,1]\n");
    expect("[1] call has(\"a b\\x00\\n\" [1 [] x])\n[1] return true",
           "0 has(\"a b\\u0000\\n\" [1 [] \"x\"]) -> true [0,1]\n");
    expect("[1] call put(@k, -7)\n", "0 put(@\"k\" -7) -> ? [0,-]\n");
    expect("[1] call put(9223372036854775807, -9223372036854775808)\n",
           "0 put(9223372036854775807 -9223372036854775808) -> ? [0,-]\n");
}

/* The bracket may be an operation or a thread. */
static void brackets_are_used_again(void **unused) {
    (void)unused;
    expect("[1] call add(1)\n[2] call remove\n[1] return\n[1] call add(2)\n[2] return 1\n",
           "0 add(1) -> none [0,2]\n1 remove() -> 1 [1,4]\n0 add(2) -> ? [3,-]\n");
}

/* LiMo: of an object that is named, what is one too many for an argument is the result. */
static void results_are_told_at_the_call(void **unused) {
    (void)unused;
    expect("# @object register\n[1] call write(a)\n[1] return\n[1] call read(a)\n[1] return\n",
           "0 write(\"a\") -> none [0,1]\n0 read() -> \"a\" [2,3]\n");
    expect("# @object atomic-stack\n[0] call push(?<1,0>)\n[0] return\n[0] call pop(?<1,0>)\n[0] return\n",
           "0 push(\"?<1,0>\") -> none [0,1]\n0 pop() -> \"?<1,0>\" [2,3]\n");
    expect("# @object kv\n[1] call get(@k, 7)\n[1] return\n[1] call get(j, 8)\n[1] return\n[1] call get(j)\n",
           "0 get(@\"k\" ) -> 7 [0,1]\n0 get(\"j\") -> 8 [2,3]\n0 get(\"j\") -> ? [4,-]\n");
    expect("# @object set\n[1] call remove(3)\n[1] return true\n[1] call pop 1\n[1] return\n",
           "0 remove(3) -> true [0,1]\n0 pop(1) -> none [2,3]\n");
    expect("# @object stack\n[1] call pop 1\n[1] return 1\n", "0 pop(1) -> 1 [0,1]\n"); /* not told: refused later */
}

static void object_is_taken(void **unused) {
    (void)unused;
    error e = {0};
    history *h = read_text(NULL, "# figure 1\n\n# @object atomic-queue  \n  # more\n[1] call add(1)\n", &e);
    assert_non_null(h);
    assert_string_equal(h->object_hint, "atomic-queue");
    assert_int_equal(h->pending, 1);
    history_free(h);
}

static void bad_input(void **unused) {
    (void)unused;
    expect_error("[1] return\n", "test:1: return of client 1 matches no open call; expected");
    expect_error("\n[1] call a\n[1] call b\n", "test:3: client 1 calls again");
    expect_error("[1] call a(1\n", "test:1: parenthesis without end; expected )");
    expect_error("[1 call a\n", "test:1: bracket without end; expected ]");
    expect_error("[1] call\n", "no method behind 'call'; expected");
    expect_error("[1] fall a\n", "expected call or return");
    expect_error("call a\n", "no event; expected [ID] call");
    expect_error("[1] call a(1) 2\n", "unexpected text '2' at the end");
    expect_error("[1] call a \"x\n", "string without end");
    expect_error("[1] call a [1 2\n", "tuple without end; expected ]");
    expect_error("[1] call a \xff\n", "invalid UTF-8");
    expect_error("[1] call a \"\\q\"\n", "bad escape");
}

static void deep_nesting_is_refused(void **unused) {
    (void)unused;
    text t = {0};
    text_add(&t, "[1] call a ");
    for (int i = 0; i < 100000; i++) text_char(&t, '[');
    expect_error(text_str(&t), "nested too deep");
    text_free(&t);
}

static void add_nested(text *t, const char *before, int depth, const char *behind) {
    text_add(t, before);
    for (int i = 0; i < depth; i++) text_char(t, '[');
    for (int i = 0; i < depth; i++) text_char(t, ']');
    text_add(t, behind);
}

/* Several results, and arguments that are too many, become a tuple: that is one level more, and what is read can be
 * written and read again. */
static void deep_items_of_a_tuple(void **unused) {
    (void)unused;
    static const struct {
        const char *before, *behind;
    } lines[] = {{"[1] call a(1 2 3 ", ")\n"}, {"[1] call a(1)\n[1] return 1 ", "\n"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int depth = 98; depth <= 101; depth++) {
            text t = {0}, again = {0};
            error e = {0};
            add_nested(&t, lines[i].before, depth, lines[i].behind);
            history *h = read_text("violin", text_str(&t), &e);
            assert_int_equal(h != NULL, depth < 100);
            assert_int_equal(e.code, h ? 0 : EXIT_BAD_INPUT);
            if (h) {
                assert_true(write_text("violin", h, &again, &e));
                history *back = read_text("violin", text_str(&again), &e);
                assert_non_null(back);
                history_free(back);
            }
            history_free(h);
            text_free(&t);
            text_free(&again);
        }
}

static void nul_bytes_are_refused(void **unused) {
    (void)unused;
    error e = {0};
    assert_null(read_bytes("violin", "[1] call a\0b\n", 13, false, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
}

/* Every file of the recorded data has the operations and pending ones its list of verdicts says. */
static void recorded_counts(void **unused) {
    (void)unused;
    const char *data = data_directory();
    if (!data) skip();
    char path[600], line[400], file[200];
    unsigned operations, pending, files = 0;
    snprintf(path, sizeof path, "%s/violin/verdicts.tsv", data);
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "%199s %*s %u %u", file, &operations, &pending) != 3) continue;
        snprintf(path, sizeof path, "%s/violin/%s", data, file);
        error e = {0};
        const format *used;
        history *h = format_read(path, NULL, &used, &e);
        if (!h) fail_msg("%s", e.what);
        assert_string_equal(used->name, "violin");
        assert_int_equal(h->n, operations);
        assert_int_equal(h->pending, pending);
        assert_true(h->object_hint != NULL);
        history_free(h);
        files++;
    }
    fclose(list);
    assert_true(files > 200);
}

TEST_MAIN(TEST(spellings), TEST(brackets_are_used_again), TEST(results_are_told_at_the_call), TEST(object_is_taken),
          TEST(bad_input), TEST(deep_nesting_is_refused), TEST(deep_items_of_a_tuple), TEST(nul_bytes_are_refused),
          TEST(recorded_counts))
