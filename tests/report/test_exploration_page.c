/* Pages about explored code against tests/report/expected/page-explored.txt: what
 * failed, what was covered, how it is repeated. */
#include "report/exploration_page.h"

#include "support/cmocka.h"
#include "support/executed_steps.h"
#include "support/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the page says of this exploration: the rest is the same on all pages (test_expected.c). */
static void shorten(const char *page, text *out) {
    const char *begin = strstr(page, "<header"), *end = begin ? strstr(begin, "<section id=\"whole\"") : NULL;
    assert_true(begin && end);
    text_bytes(out, begin, (size_t)(end - begin));
}

static void show_page(const exploration *r, const saved_schedule *saved, int code, text *out) {
    char path[] = "/tmp/plumb-page-XXXXXX";
    int file = mkstemp(path);
    error e = {0};
    text page = {0};
    assert_true(file >= 0);
    close(file);
    assert_true(exploration_page(path, r, saved, "none", code, &e));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    for (int c; (c = getc(in)) != EOF;) text_char(&page, (char)c);
    fclose(in);
    unlink(path);
    shorten(text_str(&page), out);
    text_add(out, "\n========\n");
    text_free(&page);
}

static void nothing_found(text *out) {
    run_request how = {.progress = "lock-free"};
    hunt h = {.programs = 2, .complete = 2, .executions = 12, .histories = 3, .seconds = 0.5, .preemptions = -1};
    explained why = {0};
    exploration r = {.name = "q<1>.c", .object = "queue", .hunt = &h, .why = &why};
    show_page(&r, NULL, EXIT_LINEARIZABLE, out);
    h.complete = 1;
    h.begun = 1;
    show_page(&r, NULL, EXIT_UNDECIDED, out);
    text_add(&h.notes, "progress: enq " PROGRESS_WAITS " another\nloop @4013a4 is assumed\n");
    r.how = &how;
    show_page(&r, NULL, EXIT_VIOLATION, out);
    text_free(&h.notes);
    h = (hunt){.preemptions = -1};
    show_page(&r, NULL, EXIT_LINEARIZABLE, out); /* a replay that passes */
}

static void found(text *out) {
    executed_step s[] = {access_of(0, STEP_READ, HEAD, PLACE_READ, 3), access_of(1, STEP_WRITE, HEAD, PLACE_WRITE, 4),
                         access_of(0, STEP_CAS, HEAD, PLACE_WRITE, 5)};
    executed_operation op[] = {{.method = "deq", .thread = 0, .first = 0, .last = 2, .call_at = 0, .return_at = 1}};
    execution x = {.step = s, .steps = 3, .op = op, .ops = 1};
    hunt h = {.programs = 1, .begun = 1, .executions = 12, .seconds = 1.5, .failed = true, .preemptions = -1};
    exploration r = {.name = "q.c", .object = "queue", .hunt = &h, .x = &x}; /* the history could not be shown */
    campaign_result *failure = &h.failure.answer.result;
    failure->failure = FAILURE_VIOLATION;
    failure->failing_preemptions = 1;
    show_page(&r, NULL, EXIT_VIOLATION, out);
    r.object = NULL;
    show_page(&r, NULL, EXIT_VIOLATION, out);
    r.object = "queue";
    failure->failure = FAILURE_ASSERTION;
    failure->failing_preemptions = 2;
    strcpy(failure->message, "a <b> & c");
    h.failure.threads = "enq(1) | deq";
    h.shrunk_from = 5;
    r.schedule = "q.schedule";
    show_page(&r, NULL, EXIT_VIOLATION, out);
    r.asks_trust = true;
    h.executions = 0;
    x.ops = 0;
    show_page(&r, NULL, EXIT_VIOLATION, out);
    h.failure.answer.died = true;
    x.steps = 0;
    show_page(&r, NULL, EXIT_UNDECIDED, out);
}

/* At most so many facts fit; the rest is left out. */
static void many_notes(text *out) {
    hunt h = {.programs = 1, .complete = 1, .executions = 1, .preemptions = -1};
    exploration r = {.name = "q.c", .hunt = &h};
    for (unsigned i = 0; i < 30; i++) text_printf(&h.notes, "note %u\n", i);
    show_page(&r, NULL, EXIT_LINEARIZABLE, out);
    text_free(&h.notes);
}

static void pages(void **unused) {
    (void)unused;
    text out = {0};
    nothing_found(&out);
    found(&out);
    many_notes(&out);
    is_expected("tests/report/expected/page-explored.txt", &out);
}

static void a_page_that_cannot_be_written(void **unused) {
    (void)unused;
    hunt h = {.programs = 1, .complete = 1, .preemptions = -1};
    exploration r = {.name = "q.c", .hunt = &h};
    error e = {0};
    assert_false(exploration_page("/nowhere/at/all.html", &r, NULL, "none", EXIT_LINEARIZABLE, &e));
    assert_int_equal(e.code, EXIT_CANNOT_OPEN);
}

TEST_MAIN(TEST(pages), TEST(a_page_that_cannot_be_written))
