/* What must be plain: how many lines or maps of a text do not go the quick way (what the quick way reads, self-checks
 * compare with the other one). */
#include "support/cmocka.h"

#include "format/quick_way.h"
#include "support/read_text.h"

#include <string.h>

/* So many of `content`, which is right, are not plain. */
static void misses(const char *format_name, const char *content, uint64_t want) {
#ifdef PLUMB_SELF_CHECKS
    const uint64_t before = quick_way_missed;
    error e = {0};
    history *h = read_text(format_name, content, &e);
    if (!h) fail_msg("%s: %s: %s", format_name, content, e.what);
    if (quick_way_missed - before != want)
        fail_msg("%s: %u are not plain; expected %u", content, (unsigned)(quick_way_missed - before), (unsigned)want);
    history_free(h);
#else
    (void)format_name, (void)content, (void)want;
    skip();
#endif
}

/* ---- plumb-jsonl: what stands in one field, in an otherwise plain line; read a second time, when it is known ---- */

static void line_misses(const char *fields, bool missed) {
    text t = {0};
    text_printf(&t, "{\"client\":1,\"call\":1,%s}\n{\"client\":2,\"call\":1,%s}\n", fields, fields);
    misses("plumb-jsonl", text_str(&t), missed ? 2 : 0);
    text_free(&t);
}
static void is_plain(const char *fields) { line_misses(fields, false); }
static void is_not(const char *fields) { line_misses(fields, true); }

static void fields_of_json(void **unused) {
    (void)unused;
    is_plain("\"op\":\"deq\"");
    is_plain("\"op\":\"deq\",\"ret\":null");
    is_plain("\"op\":\"deq\",\"ret\":9,\"res\":null");
    is_plain("\"op\":\"enq\",\"args\":[7],\"ret\":2,\"res\":null");
    is_plain("\"res\":\"empty\",\"ret\":2,\"args\":[],\"op\":\"deq\"");
    is_plain("\"key\":\"x\",\"op\":\"get\",\"ret\":2,\"res\":true");
    is_plain(" \"op\": \"cas\", \"args\": [ 1, 2], \"ret\": 2, \"res\": false");
    is_not("  \"op\":\"deq\"");
    is_not("\"op\":\"deq\" ,\"ret\":2");
    is_not("\"op\":\"deq\",\"ret\" :2");
    is_not("\"op\":\"deq\",\"process\":2");
    is_not("\"op\":\"deq\",\"kind\":2");
    is_not("\"op\":\"deq\",\"returns\":2");
    is_not("\"op\":\"deq\",\"argument\":2");
    is_not("\"op\":\"deq\",\"time\":2");
}

static void methods_of_json(void **unused) {
    (void)unused;
    static const char *const names[] = {"a",
                                        "ab",
                                        "abc",
                                        "abcd",
                                        "abcde",
                                        "abcdef",
                                        "abcdefg",
                                        "abcdefgh",
                                        "abcdefghi",
                                        "compare and set",
                                        "A-Z_0.9",
                                        "~|}{[]+*",
                                        "abcdefghijklmnopqrstuvwxyz"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        text t = {0};
        text_printf(&t, "\"op\":\"%s\"", names[i]);
        is_plain(text_str(&t));
        text_free(&t);
    }
    is_not("\"op\":\"d\\u0065q\"");
    is_not("\"op\":\"d\xc3\xa9q\"");
}

static void values_of_json(void **unused) {
    (void)unused;
    static const char *const plain[] = {"0",
                                        "1",
                                        "9",
                                        "-1",
                                        "-0",
                                        "12345678",
                                        "123456789",
                                        "1234567890123456",
                                        "12345678901234567",
                                        "9223372036854775807",
                                        "-9223372036854775807",
                                        "true",
                                        "false",
                                        "null",
                                        "\"\"",
                                        "\"word\"",
                                        "\"two words ~\""};
    static const char *const others[] = {
        "9223372036854775808", "1.5", "1e3", "\"\\n\"", "\"\xc3\xa9\"", "\"\x7f\"", "[1]", "{\"a\":1}", "[]"};
    for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++) {
        text t = {0};
        text_printf(&t, "\"op\":\"put\",\"key\":%s,\"args\":[%s, %s,3],\"ret\":2,\"res\":%s", plain[i], plain[i],
                    plain[i], plain[i]);
        is_plain(text_str(&t));
        text_free(&t);
    }
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        text t = {0};
        text_printf(&t, "\"op\":\"put\",\"args\":[%s],\"ret\":2", others[i]);
        is_not(text_str(&t));
        text_free(&t);
    }
    is_plain("\"op\":\"put\",\"args\":[1,2,3,4,5,6,7,8],\"ret\":2");
    is_not("\"op\":\"put\",\"args\":5,\"ret\":2");
    is_not("\"op\":\"put\",\"args\":[1,2 ],\"ret\":2");
}

static void lines_of_json(void **unused) {
    (void)unused;
    misses("plumb-jsonl", "{\"plumb\":\"history/1\",\"object\":\"queue\"}\n{\"op\":\"deq\",\"call\":1}\n", 1);
    misses("plumb-jsonl", "{\"op\":\"deq\",\"call\":1}\r\n{ \"op\":\"deq\",\"call\":1}\n", 0);
    misses("plumb-jsonl", "{\"op\":\"deq\",\"call\":1}\n{\"op\":\"deq\",\"call\":1}", 1); /* not ended */
    misses("plumb-jsonl", " {\"op\":\"deq\",\"call\":1}\n{\"op\":\"deq\",\"call\":1} \n", 2);
    misses("plumb-jsonl", "{\"op\":\"deq\",\"call\":1}\n{\"client\":null,\"op\":\"deq\",\"call\":1}\n", 1);
    misses("plumb-jsonl",
           "{\"op\":\"deq\",\"call\":1}\n\n{\"annotation\":\"x\",\"time\":4}\n{\"op\":\"deq\",\"call\":9}\n", 2);
}

/* ---- operation lists: a method and a word are known from the second line on ---- */

static void operation_lists(void **unused) {
    (void)unused;
    misses("operation-list", "deq 1 2\ndeq 3 4\ndeq 5 6\n", 1);
    misses("operation-list", "# queue\nenq 1 1 2\nenq 12345678 3 4\nenq 123456789 5 6\nenq 9223372036854775807 7 8\n",
           2);
    misses("operation-list", "deq empty 1 2\ndeq empty 3 4\ndeq full 5 6\ndeq full 7 8\ndeq empty 9 10\n", 2);
    misses("operation-list", "0 enq 5 1 2\n1 enq 6 3 4\n12345678901 enq 7 5 6\n", 1);
    misses("operation-list", "remove_the_first 1 2\nremove_the_first 3 4\nremove_the_last 5 6\nremove_the_last 7 8\n",
           2);
    misses("operation-list", "abcdefgh 1 2\nabcdefgh 3 4\nabcdefghi 5 6\nabcdefghi 7 8\n", 2);
    misses("operation-list", "deq seven77 1 2\ndeq seven77 3 4\ndeq eight888 5 6\ndeq eight888 7 8\n", 3);
    misses("operation-list", "deq 1 2\r\ndeq 3 4\r\ndeq 5 6\r\n", 1);
    misses("operation-list", "deq 1 2\ndeq 3 -\ndeq 5 inf\n", 3); /* pending */
    misses("operation-list", "deq 1 2\ndeq  3 4\n deq 5 6\ndeq 7 8 \ndeq\t9 10\n", 5);
    misses("operation-list", "enq 1 1 2\nenq -1 3 4\nenq @2 1 5 6\nenq 1 -> 2 7 8\n", 4);
    misses("operation-list", "deq 1 2\ndeq 3 4", 2); /* not ended */
    misses("operation-list", "deq 1 2\n\n# that is all\ndeq 3 4\n", 3);
}

/* ---- Jepsen's EDN: what :value is, in an otherwise plain map ---- */

/* The first map is read before the block is there. */
static void edn_misses(const char *content, uint64_t want) {
    text t = {0};
    text_printf(&t, "{:process 9 :type :invoke :f :start :value nil}%s", content);
    misses("jepsen-edn", text_str(&t), want + 1);
    text_free(&t);
}

static void maps_of_edn(void **unused) {
    (void)unused;
    static const char *const plain[] = {
        "nil",   "true",    "false",        "0",         "-7",           "123456789012345678", ":word", "\"\"",
        "\"a\"", "[1 nil]", "[:a \"b c\"]", "[-1 true]", ":a-z_.0/?!*+9"};
    static const char *const others[] = {":empty", ":full",   "1234567890123456789",
                                         "1.5",    "\"\\n\"", "[1]",
                                         "[1  2]", "[1 2 3]", "[1 [2 3]]",
                                         "{}",     "#{1}",    "(1 2)",
                                         ":A",     "word",    "1N",
                                         "[1 2 ]", "[]",      "[ 1 2]"};
    for (unsigned i = 0; i < sizeof plain / sizeof *plain + sizeof others / sizeof *others; i++) {
        const bool is_other = i >= sizeof plain / sizeof *plain;
        const char *content = is_other ? others[i - sizeof plain / sizeof *plain] : plain[i];
        text t = {0};
        text_printf(&t,
                    "{:process 0, :type :invoke, :f :write, :value %s}\n{:process 0 :type :ok :f :write :value %s}\n",
                    content, content);
        edn_misses(text_str(&t), is_other ? 2 : 0);
        text_free(&t);
    }
}

static void fields_of_edn(void **unused) {
    (void)unused;
    for (char c = 'a'; c <= 'z'; c++) { /* every letter is one of a name */
        text t = {0};
        text_printf(&t, "{:process 0 :type :invoke :f :x%c :value 1 :%cy 5}{:process 0 :type :ok :f :x%c :value 1}", c,
                    c, c);
        edn_misses(text_str(&t), 0);
        text_free(&t);
    }
    edn_misses("{:process 0,:type :invoke,\n :f :read, :value nil, :time 12, :index 3, :error :timeout}\n", 0);
    edn_misses("{:process :nemesis :type :info :f :kill :value nil}{:process 0 :type :invoke :f :r :key 4}", 0);
    edn_misses("{ :process 0 , :type :invoke \t:f :r \r\n:value 1 }", 0);
    edn_misses("{:process 0 :type :invoke :f \"r\" :value 1}", 1);
    edn_misses("{:process 0 :type :invoke :f r :value 1}", 1);
    edn_misses("{:process 0 :type :invoke :f :r :value 1 :time 1.5}", 1);
    edn_misses("{:process 0 :type :invoke :f :r :value 1 :error [:a :b]}", 1);
    edn_misses("{:process 0 :type :invoke :f :r :value  1}", 1);
    edn_misses("#a.b{:process 0 :type :invoke :f :r :value 1}", 1);
}

TEST_MAIN(TEST(fields_of_json), TEST(methods_of_json), TEST(values_of_json), TEST(lines_of_json), TEST(operation_lists),
          TEST(maps_of_edn), TEST(fields_of_edn))
