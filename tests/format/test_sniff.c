/* What each format says of how a file begins: of every beginning of every sample, so that it is known how much has to
 * be there before a format is sure, and what takes its certainty away. */
#include "support/cmocka.h"

#include "format/format.h"
#include "support/expected.h"

#include <string.h>

static const char *const samples[] = {
    "\n \t\r {\"plumb\":\"history/1\"}\n",
    "{\"a\":1}\n{\"plumb\":\"history/1\"}\n",
    "{\"client\":1,\"op\":\"enq\",\"args\":[1],\"call\":1}\n",
    "{\"a\":1}\n{\"op\":\"enq\",\"call\":1}\n",
    "{\"client\":1,\"event\":\"call\",\"op\":\"enq\"}\n",
    "{\"op\":\"enq\"}\n{\"call\":1}\n",
    "{\"client\":1}\n{\"event\":\"call\"}\n",
    "{ \t\n\"x\":1}\n",
    "{1}",
    "[{\"op\":\"enq\"}]\n",
    "{:process 0, :type :invoke, :f :read, :value nil}\n",
    "[{:type :invoke, :process 0}]\n",
    "; comment\n\n{:index 0}\n",
    "#jepsen.history.Op{:process 0, :type :invoke}\n",
    "({:process 0})\n",
    "JEPSEN\1\n",
    "JEPSON\1\n",
    "{\"ClientId\":9,\"Input\":{\"Type\":\"range\"}}\n",
    "[{\"ClientId\":9}]\n",
    "# @object atomic-queue\n[1] call add(1)\n[1] return\n",
    "[1] call add(1)\n",
    "[12]: call add(1)\n",
    "[x] call add(1)\n",
    "[1] return 2\n",
    "[1] returns 2\n",
    "# queue\nenq 3 10 20\n",
    "enq 3 10 20\n",
    "zone_Z 3 10 20\n",
    "a 1 2\n",
    "A 1 2\n",
    "Z 1 2\n",
    "_ 1 2\n",
    "@ 1 2\n",
    "` 1 2\n",
    "7 push 1 1 2\n",
    "deq 3 -\n",
    "deq 3 inf\n",
    "deq x y\n",
    "0\t:invoke\t:read\tnil\n",
    "INFO [2024-01-01 00:00:00,000] jepsen worker 0 - jepsen.util 0\t:invoke\t:read\tnil\n",
    "2024-01-01 00:00:00,000{GMT}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:ok\t:read\t1\n",
    "plain words and nothing else\n",
    "\x89PNG\r\n",
    "PLUMBLOG",
    "plumbhst",
    "<html>\n",
};

static void say_scores(const char *p, size_t n, text *out) {
    const format *f;
    for (unsigned i = 0; (f = format_at(i)); i++) {
        const int score = f->sniff(p, n);
        if (score) text_printf(out, " %s %d", f->name, score);
    }
}

/* A line for each length from which on the scores are others. */
static void say_sample(const char *sample, text *out) {
    text before = {0}, now = {0};
    text_json(out, sample, strlen(sample));
    text_char(out, '\n');
    for (size_t n = 0; n <= strlen(sample); n++) {
        char exact[128]; /* what stands behind the beginning must not count */
        memset(exact, '"', sizeof exact);
        memcpy(exact, sample, n);
        text_clear(&now);
        say_scores(exact, n, &now);
        if (strcmp(text_str(&now), text_str(&before))) text_printf(out, "  from %zu:%s\n", n, text_str(&now));
        text_clear(&before);
        text_add(&before, text_str(&now));
    }
    text_free(&before);
    text_free(&now);
}

static void every_beginning(void **unused) {
    (void)unused;
    text out = {0};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) say_sample(samples[i], &out);
    is_expected("tests/format/expected/sniffed.txt", &out);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_beginning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
