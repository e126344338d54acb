/* The page: nothing of a history becomes markup, its sentences are those of the text report, and without scripts it is
 * whole. */
#include "report/html.h"

#include "base/mem.h"
#include "evidence/explain.h"
#include "report/escape.h"
#include "report/html_pack.h"
#include "support/cmocka.h"
#include "support/random_history.h"
#include "support/read_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static text page_of(const bound *b, judgement *j) {
    error e = {0};
    budget limit;
    text page = {0};
    budget_init(&limit, 0, 0);
    assert_true(judge(b->h, b->o, &(judge_options){0}, &limit, NULL, j, &e));
    picture p = picture_of("a<b>.jsonl", b->h, b->o, j);
    html_page(&p, &page);
    return page;
}

static unsigned count(const text *t, const char *what) {
    unsigned n = 0;
    for (const char *at = strstr(t->at, what); at; at = strstr(at + 1, what)) n++;
    return n;
}

static bound read_history(const char *object_name, const char *content) {
    error e = {0};
    bound b = {.h = read_text("plumb-jsonl", content, &e), .o = object_open(object_name, NULL, &e)};
    assert_non_null(b.h);
    assert_true(object_bind(b.o, b.h, "test", &e));
    return b;
}

/* The text between the tags of an element, entities resolved as far as the escaping makes them. */
static void plain(const char *from, const char *to, text *out) {
    static const char *const entity[][2] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}};
    while (from < to) {
        if (*from == '<') {
            from = strchr(from, '>') + 1;
            continue;
        }
        size_t k = 0;
        while (k < 4 && strncmp(from, entity[k][0], strlen(entity[k][0]))) k++;
        text_add(out, k < 4 ? entity[k][1] : (char[]){*from, 0});
        from += k < 4 ? strlen(entity[k][0]) : 1;
    }
}

static void escaping_leaves_no_markup(void **unused) {
    (void)unused;
    text t = {0};
    escape_xml_string(&t, "</script><img src=\"x\">&\x01\xff");
    assert_string_equal(t.at, "&lt;/script&gt;&lt;img src=&quot;x&quot;&gt;&amp;??");
    text_clear(&t);
    escape_json(&t, "</script><!--&\"\n");
    assert_string_equal(t.at, "\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"\\n\"");
    text_free(&t);
}

static void numbers_are_packed_low_bits_first(void **unused) {
    (void)unused;
    text t = {0};
    pack_number(&t, 127);
    pack_number(&t, 128);
    pack_number(&t, UINT64_C(1) << 35);
    assert_int_equal(t.size, 1 + 2 + 6);
    assert_memory_equal(t.at, "\x7f\x80\x01\x80\x80\x80\x80\x80\x01", 9);
    assert_int_equal(pack_signed(0), 0);
    assert_int_equal(pack_signed(-1), 1);
    assert_int_equal(pack_signed(1), 2);
    assert_int_equal(pack_signed(-INT64_C(5000000000)), 9999999999);
    text_free(&t);
}

static void values_of_strangers_stay_text(void **unused) {
    (void)unused;
    bound b = read_history("kv", "{\"client\":\"<script>\",\"op\":\"put\",\"key\":\"</script>\",\"args\":[\"<img "
                                 "onerror=x>\"],\"call\":0,\"ret\":1,\"res\":null}\n"
                                 "{\"client\":\"c\",\"op\":\"get\",\"key\":\"</"
                                 "script>\",\"args\":[],\"call\":2,\"ret\":3,\"res\":\"<b>'&\\\"\"}\n");
    judgement j;
    text page = page_of(&b, &j);
    assert_int_equal(j.verdict, VERDICT_VIOLATION);
    assert_int_equal(count(&page, "<script"), 3); /* directory, columns, the page's own */
    assert_int_equal(count(&page, "</script"), 3);
    assert_int_equal(count(&page, "<img"), 0);
    assert_int_equal(count(&page, "<b>'"), 0);
    assert_null(strstr(page.at, "a<b>"));
    assert_non_null(strstr(page.at, "&lt;/script&gt;"));
    text_free(&page);
    judgement_free(&j);
    free_bound(&b);
}

static void sentences_are_those_of_the_text_report(void **unused) {
    (void)unused;
    bound b = make_history("stack", "1 push(1) [0,1]; 2 push(2) [2,5]; 1 pop() -> 1 [7,9]");
    judgement j;
    text page = page_of(&b, &j), said = {0}, shown = {0};
    explain_sentences(b.h, b.o, &j.core, &said);
    const char *from = strstr(page.at, "<ol class=\"sentences\">\n");
    assert_non_null(from);
    from += strlen("<ol class=\"sentences\">\n");
    plain(from, strstr(from, "</ol>"), &shown);
    assert_string_equal(shown.at, said.at);
    assert_non_null(strstr(page.at, "data-op=\"2\">#2 pop() -&gt; 1</a> comes before"));
    text_free(&page);
    text_free(&said);
    text_free(&shown);
    judgement_free(&j);
    free_bound(&b);
}

static void a_violation_has_picture_reasons_and_table(void **unused) {
    (void)unused;
    bound b = make_history("queue",
                           "1 enq(1) [0,2]; 2 enq(2) [3,6]; 3 enq(3) [4,7]; 1 deq() -> 2 [5,9]; 2 deq() -> 1 [10,12]");
    judgement j;
    text page = page_of(&b, &j);
    assert_non_null(strstr(page.at, "<svg class=\"scene\""));
    assert_non_null(strstr(page.at, "the head of the queue is 1")); /* why it cannot come next */
    assert_non_null(strstr(page.at, "class=\"arrow time clash\" data-from=\"0\" data-to=\"1\""));
    assert_non_null(strstr(page.at, "class=\"arrow forced clash\" data-from=\"1\" data-to=\"0\""));
    assert_non_null(strstr(page.at, "<caption>The operations of the core</caption>"));
    assert_int_equal(count(&page, "class=\"operation "), 3); /* enq(3) and the last deq have no part in it */
    assert_non_null(strstr(page.at, "default-src 'none'"));
    text_free(&page);
    judgement_free(&j);
    free_bound(&b);
}

static void a_linearizable_history_has_points_and_states(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,3]; 2 enq(2) [1,2]; 3 deq() -> 2 [4,7]; 1 enq(9) [8,-]");
    judgement j;
    text page = page_of(&b, &j);
    assert_non_null(strstr(page.at, "<header class=\"linearizable\">"));
    assert_non_null(strstr(page.at, "<td class=\"state\">[2 1]</td>"));
    assert_int_equal(count(&page, "<circle"), 3);
    text_free(&page);
    judgement_free(&j);
    free_bound(&b);
}

static void an_undecided_history_shows_no_evidence(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,3]");
    text page = {0};
    picture p = {.file = "f", .h = b.h, .o = b.o, .verdict = VERDICT_UNDECIDED, .reason = "time budget spent"};
    html_page(&p, &page);
    assert_non_null(strstr(page.at, "time budget spent"));
    assert_null(strstr(page.at, "<svg class=\"scene\""));
    text_free(&page);
    free_bound(&b);
}

/* Whatever the history, the page is made, and every sentence on it names operations of the history. */
static void pages_of_random_histories_are_whole(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack",   "register",     "kv",    "set",
                                          "lock",  "counter", "cas-register", "deque", "exchanger"};
    random_source r = {1};
    for (unsigned k = 0; k < 300; k++) {
        random_shape shape = random_shape_any(&r);
        bound b = random_history(&r, objects[k % (sizeof objects / sizeof *objects)], &shape);
        judgement j;
        text page = page_of(&b, &j);
        assert_non_null(strstr(page.at, "</html>"));
        assert_int_equal(count(&page, "</script"), 3);
        for (const char *at = strstr(page.at, "data-op=\""); at; at = strstr(at + 1, "data-op=\""))
            assert_true(strtoul(at + strlen("data-op=\""), NULL, 10) < b.h->n);
        text_free(&page);
        judgement_free(&j);
        free_bound(&b);
    }
}

/* ---- an interleaving ---- */

static const char *const thread_names[] = {"producer", "consumer <1>"};

/* Two threads of a broken queue of one cell; the consumer reads the flag before the producer has written the cell. */
static const interleaving_step sample_steps[] = {
    {FROM_NOWHERE, .kind = ACCESS_ALONE, .words = "deq() returns empty, alone", .number = 0},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_CALL, .words = "enq(7) is called", .number = 1},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_LOCAL, .words = "fence", .file = "cell.c", .line = 10,
     .source = "int v = 7;", .number = UINT32_MAX, .dull = true},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_LOCAL, .words = "fence", .file = "cell.c", .line = 11,
     .source = "v &= 0xff;", .number = UINT32_MAX, .dull = true},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_WRITE, .words = "writes q->full 1", .file = "cell.c", .line = 12,
     .source = "q->full = true;", .number = UINT32_MAX, .change = {{"q->full", "0", "1", false}}},
    {FROM_NOWHERE, .thread = 1, .kind = ACCESS_CALL, .words = "deq() is called", .number = 2},
    {FROM_NOWHERE, .thread = 1, .kind = ACCESS_READ, .words = "reads q->full 1", .file = "cell.c", .line = 20,
     .source = "if (q->full)", .number = UINT32_MAX, .change = {{"q->full", "1", NULL, false}}},
    {FROM_NOWHERE, .thread = 1, .kind = ACCESS_READ, .words = "reads q->cell 0", .file = "cell.c", .line = 21,
     .source = "return q->cell;", .number = UINT32_MAX, .change = {{"q->cell", "0", NULL, false}}},
    {FROM_NOWHERE, .thread = 1, .kind = ACCESS_RETURN, .words = "deq() returns 0", .number = 2},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_REFUSED, .words = "cas q->owner: 2 expected, FAILS, is 0",
     .file = "cell.c", .line = 13, .source = "cas(&q->owner, 2, 1);", .number = UINT32_MAX,
     .change = {{"q->owner", "0", NULL, false}}},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_UPDATE, .words = "cas q->n: 0 -> 1, q->m: 5 -> 6", .file = "cell.c",
     .line = 14, .source = "dcas(&q->n, 0, 1, &q->m, 5, 6);", .number = UINT32_MAX,
     .change = {{"q->n", "0", "1", false}, {"q->m", "5", "6", false}}},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_WRITE, .words = "writes q->cell 7", .file = "cell.c", .line = 15,
     .source = "q->cell = v;", .number = UINT32_MAX, .change = {{"q->cell", NULL, "7", false}}},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_RETURN, .words = "enq(7) returns", .number = 1},
};

static const interleaving sample = {.thread = thread_names,
                                    .threads = 2,
                                    .step = sample_steps,
                                    .steps = sizeof sample_steps / sizeof *sample_steps,
                                    .ending = "0 was never <put> in",
                                    .schedule = "plumb-schedule/1 0*4 1*4 0*4",
                                    .again = "plumb replay x.schedule"};

/* PLUMB_SAMPLE_PAGE in the environment keeps the page, for the tests in a browser. */
static void an_interleaving_has_a_column_for_each_thread(void **unused) {
    (void)unused;
    bound b = make_history("queue", "0 deq() -> empty [0,1]; 0 enq(7) [2,5]; 1 deq() -> 0 [3,4]");
    judgement j;
    text page = page_of(&b, &j);
    text_clear(&page);
    picture p = picture_of("cell.c", b.h, b.o, &j);
    p.steps = &sample;
    html_page(&p, &page);
    assert_non_null(strstr(page.at, "<th scope=\"col\">consumer &lt;1&gt;</th>"));
    assert_int_equal(count(&page, "<tr class=\"local dull"), 2);
    assert_non_null(
        strstr(page.at, "<tr class=\"call switched\" data-thread=\"1\"><th scope=\"row\">6</th><td></td><td>"));
    assert_non_null(strstr(page.at, "data-location0=\"q-&gt;full\" data-before0=\"0\" data-after0=\"1\""));
    assert_non_null(strstr(page.at, "data-location1=\"q-&gt;m\" data-before1=\"5\" data-after1=\"6\""));
    assert_non_null(strstr(page.at, "<tr class=\"alone\"><th scope=\"row\">1</th><td colspan=\"2\">"));
    assert_non_null(strstr(page.at, "<p class=\"ending\">0 was never &lt;put&gt; in</p>"));
    assert_non_null(strstr(page.at, "plumb-schedule/1 0*4 1*4 0*4"));
    const char *keep = getenv("PLUMB_SAMPLE_PAGE");
    error e = {0};
    if (keep) assert_true(html_write(keep, &p, &e));
    text_free(&page);
    judgement_free(&j);
    free_bound(&b);
}

/* The smallest k, both distributions as `plumb check --measure` counts them, and why no smaller one will do. */
static void a_measured_history_shows_how_relaxed_it_is(void **unused) {
    (void)unused;
    bound b =
        make_history("queue", "0 enq(1) [0,1]; 0 enq(2) [2,3]; 0 enq(3) [4,5]; 0 deq() -> 3 [6,7]; 0 deq() -> 1 [8,9]");
    error e = {0};
    relaxation r = {0};
    budget any;
    text page = {0};
    budget_init(&any, 0, 0);
    assert_true(object_relax(b.o, &(criterion){.kind = CRITERION_QUASI}, &e));
    assert_true(measure_relaxation(b.h, b.o, &(judge_options){0}, &any, NULL, &r, &e));
    picture p = picture_of("x", b.h, b.o, &r.above);
    p.criterion = "quasi(2)";
    p.relaxation = &r;
    html_page(&p, &page);
    assert_non_null(strstr(page.at, "The smallest k for which this history is quasi(k) is 2."));
    assert_int_equal(count(&page, "<svg class=\"plot\""), 2);
    assert_non_null(strstr(page.at, "<title>2: 1, 50.00 %</title>"));
    assert_non_null(strstr(page.at, "<h2>Why no smaller k will do</h2>"));
    assert_non_null(strstr(page.at, "3 has more than 1 ahead of it"));
    assert_non_null(strstr(page.at, "replayed on the sequential queue under quasi(2)"));
    text_free(&page);
    relaxation_free(&r);
    free_bound(&b);
}

/* A program without an object has no history to show: the page is about its execution alone. */
/* A fault that lasted is a stretch between two events, wherever its line stands; times are those of people. */
static void faults_are_stretches_of_time(void **unused) {
    (void)unused;
    judgement j = {0};
    bound b =
        read_history("register", "{\"plumb\":\"history/1\",\"object\":\"register\",\"clock\":\"ns\"}\n"
                                 "{\"client\":0,\"event\":\"call\",\"op\":\"write\",\"args\":[1],\"time\":1000000}\n"
                                 "{\"client\":0,\"event\":\"return\",\"res\":null,\"time\":2000000}\n"
                                 "{\"client\":0,\"event\":\"call\",\"op\":\"read\",\"time\":2500000000}\n"
                                 "{\"client\":0,\"event\":\"return\",\"res\":2,\"time\":2600000000}\n"
                                 "{\"event\":\"note\",\"text\":\"kill n1\",\"time\":1500000,\"until\":2550000000}\n");
    text page = page_of(&b, &j);
    assert_int_equal(count(&page, "[1,\"kill n1 (1.500 ms..2.550000 s)\",3]"), 1);
    assert_true(count(&page, "2.500000 s") >= 1);
    assert_int_equal(count(&page, "\"tick\":1"), 1);
    text_free(&page);
    judgement_free(&j);
    free_bound(&b);
}

static void a_page_needs_no_history(void **unused) {
    (void)unused;
    static const char *const more[] = {"threads: a | b", "note: <odd>"};
    picture p = {.file = "x.c",
                 .verdict = VERDICT_VIOLATION,
                 .steps = &sample,
                 .label = "deadlock",
                 .headline = "deadlock: m & n",
                 .fact = more,
                 .facts = 2};
    text page = {0};
    html_page(&p, &page);
    assert_non_null(strstr(page.at, "<p class=\"verdict\">deadlock</p>"));
    assert_non_null(strstr(page.at, "<h1>deadlock: m &amp; n</h1>"));
    assert_non_null(strstr(page.at, "<li>threads: a | b</li><li>note: &lt;odd&gt;</li>"));
    assert_non_null(strstr(page.at, "<section id=\"whole\" hidden>"));
    assert_null(strstr(page.at, "id=\"directory\""));
    const char *keep = getenv("PLUMB_BARE_PAGE");
    error e = {0};
    if (keep) assert_true(html_write(keep, &p, &e));
    text_free(&page);
}

TEST_MAIN(TEST(escaping_leaves_no_markup), TEST(numbers_are_packed_low_bits_first), TEST(values_of_strangers_stay_text),
          TEST(sentences_are_those_of_the_text_report), TEST(a_violation_has_picture_reasons_and_table),
          TEST(a_linearizable_history_has_points_and_states), TEST(an_undecided_history_shows_no_evidence),
          TEST(pages_of_random_histories_are_whole), TEST(an_interleaving_has_a_column_for_each_thread),
          TEST(a_measured_history_shows_how_relaxed_it_is), TEST(faults_are_stretches_of_time),
          TEST(a_page_needs_no_history))
