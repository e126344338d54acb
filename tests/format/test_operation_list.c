#include "support/cmocka.h"

#include "base/random.h"
#include "support/read_text.h"

#include <string.h>

static void expect(const char *content, const char *printed) {
    error e = {0};
    history *h = read_text("operation-list", content, &e);
    assert_string_equal(e.what, "");
    text t = {0};
    print_history(h, h->client != NULL, &t);
    assert_string_equal(text_str(&t), printed);
    text_free(&t);
    history_free(h);
}

static void expect_error(const char *content, const char *what) {
    error e = {0};
    assert_null(read_text("operation-list", content, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    if (!strstr(e.what, what)) fail_msg("got '%s', expected '%s'", e.what, what);
}

/* The object says which values are arguments. */
static void values_are_split_by_object(void **unused) {
    (void)unused;
    expect("# queue\nenq 3 10 20\ndeq 3 30 40\ndeq empty 50 60\nenq 4 full 70 80\n",
           "enq(3) -> none [0,1]\ndeq() -> 3 [2,3]\ndeq() -> empty [4,5]\nenq(4) -> full [6,7]\n");
    expect("# register\nwrite 3 1 2\nread 3 3 4\n", "write(3) -> none [0,1]\nread() -> 3 [2,3]\n");
    expect("# set\n0 add 3 true 1 2\n1 contains 3 true 1 4\n0 remove 3 1 5 6\n0 contains 3 7 inf\n",
           "0 add(3) -> true [0,2]\n1 contains(3) -> true [1,3]\n0 remove(3) -> 1 [4,5]\n0 contains(3) -> ? [6,-]\n");
    expect("# kv\nput k 3 1 2\nget k 3 3 4\n", "put(\"k\" 3) -> none [0,1]\nget(\"k\") -> 3 [2,3]\n");
    expect("# @object queue(capacity=8)\nadd 3 1 2\n", "add(3) -> none [0,1]\n");
}

static void values_are_split_by_name(void **unused) {
    (void)unused;
    expect("enq 3 10 20\nremove 3 30 40\nwrite 5 50 60\nread 5 70 80\n",
           "enq(3) -> none [0,1]\nremove() -> 3 [2,3]\nwrite(5) -> none [4,5]\nread() -> 5 [6,7]\n");
    expect("put 3 5 1 2\nput 3 1 3 4\nget 3 1 5 6\nget 3 none 7 8\n",
           "put(3 5) -> none [0,1]\nput(3 1) -> none [2,3]\nget(3) -> 1 [4,5]\nget(3) -> none [6,7]\n");
    expect("add 3 true 1 2\ncontains 3 1 3 4\nremove 3 false 5 6\nadd 3 7 8\n",
           "add(3) -> true [0,1]\ncontains(3) -> 1 [2,3]\nremove(3) -> false [4,5]\nadd(3) -> none [6,7]\n");
    expect("cas 1 2 true 1 2\ncas 1 2 3 4\nunlock 5 6\nexchange 1 2 7 8\n",
           "cas(1 2) -> true [0,1]\ncas(1 2) -> none [2,3]\nunlock() -> none [4,5]\nexchange(1) -> 2 [6,7]\n");
    expect("unheard-of 3 4 10 20\n", "unheard-of(3 4) -> none [0,1]\n");
}

static void the_arrow_decides(void **unused) {
    (void)unused;
    expect("contains 3 -> true 1 2\ncas 1 2 -> false 3 4\nfoo -> x 5 6\nfoo 1 -> 7 8\n",
           "contains(3) -> true [0,1]\ncas(1 2) -> false [2,3]\nfoo() -> \"x\" [4,5]\nfoo(1) -> none [6,7]\n");
    expect_error("foo 1 -> 2 3 4 5\n", "more than one value behind ->");
}

static void pending_operations(void **unused) {
    (void)unused;
    expect("# queue\ndeq 1 -\nenq 4 2 inf\ndeq 9 3 -\n", "deq() -> ? [0,-]\nenq(4) -> ? [1,-]\ndeq() -> ? [2,-]\n");
    /* where one returns at the stamp at which another is called, stamps are counted from the lowest: not those that
     * never come */
    expect("# queue\nenq 1 -3 3\ndeq 1 3 5\ndeq 4 -\n", "enq(1) -> none [0,1]\ndeq() -> 1 [2,4]\ndeq() -> ? [3,-]\n");
}

static void processes_come_first(void **unused) {
    (void)unused;
    expect("0 push 1 1 2\n1 pop 1 3 9\n0 push 2 4 5\n",
           "0 push(1) -> none [0,1]\n1 pop() -> 1 [2,5]\n0 push(2) -> none [3,4]\n");
    expect_error("0 push 1 1 2\npush 1 3 4\n", "some operations name a client and some do not");
    expect_error("0 push 1 1 9\n0 push 2 3 4\n", "client 0 calls at 3 while its operation of line 1 is open until 9");
}

/* After a pending operation a process goes on as another client, as in files of events. */
static void processes_go_on_after_pending(void **unused) {
    (void)unused;
    expect("0 enq 1 1 2\n0 enq 2 3 -\n0 enq 3 5 6\n",
           "0 enq(1) -> none [0,1]\n0 enq(2) -> ? [2,-]\n1 enq(3) -> none [3,4]\n");
}

static void keys_and_values(void **unused) {
    (void)unused;
    expect("write @k -5 1 2\nread @\"a b\" [1 x] 3 4\n",
           "write(@\"k\" -5) -> none [0,1]\nread(@\"a b\" ) -> [1 \"x\"] [2,3]\n");
    expect("write 1234567 1 2\nwrite 12345678 3 4\nwrite 123456789012345678 5 6\nwrite -9223372036854775808 7 8\n",
           "write(1234567) -> none [0,1]\nwrite(12345678) -> none [2,3]\nwrite(123456789012345678) -> none [4,5]\n"
           "write(-9223372036854775808) -> none [6,7]\n");
    expect("write 12a 1 2\nwrite a1 3 4\n", "write(\"12a\") -> none [0,1]\nwrite(\"a1\") -> none [2,3]\n");
}

/* Operations may come in any order; equal stamps overlap. */
static void order_is_by_stamps(void **unused) {
    (void)unused;
    expect("enq 2 10 20\n\nenq 1 1 10\r\n  # comment\n\tenq 3 -7  0\n",
           "enq(3) -> none [0,1]\nenq(1) -> none [2,3]\nenq(2) -> none [4,5]\n");
}

static void bad_input(void **unused) {
    (void)unused;
    expect_error("enq\n", "test:1: no stamps at the end of the line");
    expect_error("enq 1 2 x\n", "no stamps at the end");
    expect_error("enq 1 x 2\n", "no stamps at the end");
    expect_error("enq 1 - 2\n", "no stamps at the end");
    expect_error("enq 3 ->\n", "no stamps");
    expect_error("\nenq 1 20 10\n", "test:2: the return (10) is before the call (20)");
    expect_error("enq \"x 1 2\n", "string without end");
    expect_error("(x) 1 2\n", "no method; expected METHOD");
    expect_error("\xff\xfe 1 2\n", "invalid UTF-8");
    expect_error("enq 1 99999999999999999999 2\n", "no stamps at the end of the line");
    text t = {0};
    text_add(&t, "enq");
    for (int i = 0; i < 100; i++) text_add(&t, " 1");
    expect_error(text_str(&t), "more than 62 values");
    text_free(&t);
}

static void sniffed(void **unused) {
    (void)unused;
    static const char *const files[] = {"# stack\npush 1 1 2\n", "enq 3 10 20\n", "0 push 1 1 2\n", "deq 3 -\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        error e = {0};
        const format *used;
        input *in = input_memory("test", files[i], strlen(files[i]), &e);
        history *h = format_read_input(in, NULL, &used, &e);
        assert_string_equal(e.what, "");
        assert_string_equal(used->name, "operation-list");
        history_free(h);
        input_close(in);
    }
}

/* What other tools write is written as they write it. */
static void written_plainly(void **unused) {
    (void)unused;
    const char *content = "# queue\n0 enq 3 10 20\n1 deq 3 15 40\n0 deq empty 50 60\n1 deq 70 -\n";
    error e = {0};
    history *h = read_text(NULL, content, &e);
    assert_non_null(h);
    text t = {0};
    assert_true(write_text("operation-list", h, &t, &e));
    assert_string_equal(text_str(&t), content);
    text_free(&t);
    history_free(h);
}

/* What a file says: its history printed, or what is wrong with it. */
static void outcome(const char *content, text *out) {
    error e = {0};
    history *h = read_text("operation-list", content, &e);
    if (h) print_history(h, h->client != NULL, out);
    else text_add(out, e.what);
    history_free(h);
}

/* A line that begins with a blank is never a plain one (operation_list.c): it must mean the same nevertheless. */
static void plain_lines_are_lines(void **unused) {
    (void)unused;
    expect("0 # 5 1 2\n# 7 8 9\n0 enq 6 3 4\n", "0 #(5) -> none [0,1]\n0 enq(6) -> none [2,3]\n");
    expect("enq inf 1 2\nenq 5 inf\n", "enq(\"inf\") -> none [0,1]\nenq() -> ? [2,-]\n");
    static const char *const word[] = {
        "enq", "deq", "contains", "compare-and-set", "empty", "true", "inf", "-",       "->",
        "@k",  "k7",  "\"x\"",    "[1 2]",           "-3",    "#",    "Zü",  "seven77", "eight888"};
    static const char *const number[] = {"0",
                                         "1",
                                         "2",
                                         "7",
                                         "42",
                                         "007",
                                         "1234567",
                                         "12345678",
                                         "123456789012345",
                                         "1234567890123456",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "12345678901234567890",
                                         "1x",
                                         "5"};
    static const char *const gap[] = {" ", " ", " ", " ", " ", " ", " ", "  ", "\t"}, *const newline[] = {
                                                                                          "\n",   "\n",  "\n",
                                                                                          "\r\n", " \n", "\r\r\n"};
#define PICK(list) list[random_below(&r, sizeof list / sizeof *list)]
    random_source r = {7};
    for (unsigned i = 0; i < 20000; i++) {
        text plain = {0}, other = {0}, a = {0}, b = {0};
        text_add(&plain, "0 enq 1 0 0\n0 deq empty 0 0\n0 contains k7 true 0 0\n0 compare-and-set seven77 0 0\n");
        text_add(&other, text_str(&plain));
        for (unsigned line = 0; line < 2; line++) {
            size_t start = plain.size;
            if (random_below(&r, 8)) text_printf(&plain, "%s%s", random_below(&r, 9) ? "0" : PICK(number), PICK(gap));
            text_add(&plain, word[random_below(&r, random_below(&r, 8) ? 4 : sizeof word / sizeof *word)]);
            for (unsigned left = random_below(&r, 4); left; left--)
                text_printf(&plain, "%s%s", PICK(gap), random_below(&r, 2) ? PICK(word) : PICK(number));
            text_printf(&plain, "%s%u%s%u%s", PICK(gap), 1 + 2 * line, PICK(gap), 2 + 2 * line, PICK(newline));
            text_printf(&other, " %s", text_str(&plain) + start);
        }
        outcome(text_str(&plain), &a);
        outcome(text_str(&other), &b);
        if (strcmp(text_str(&a), text_str(&b)))
            fail_msg("plain:\n%s\ngave %s\nnot %s", text_str(&plain), text_str(&a), text_str(&b));
        text_free(&plain);
        text_free(&other);
        text_free(&a);
        text_free(&b);
    }
#undef PICK
}

TEST_MAIN(TEST(values_are_split_by_object), TEST(values_are_split_by_name), TEST(the_arrow_decides),
          TEST(pending_operations), TEST(processes_come_first), TEST(processes_go_on_after_pending),
          TEST(keys_and_values), TEST(order_is_by_stamps), TEST(bad_input), TEST(sniffed), TEST(written_plainly),
          TEST(plain_lines_are_lines))
