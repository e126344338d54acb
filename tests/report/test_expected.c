/* Reports, pages and figures as a whole: for a few inputs that are written down here, exactly what stands in
 * tests/report/expected/ (support/expected.h says how these files are written anew).
 *
 * Of pages the style and the script are left out, and the columns are shown inflated, as bytes. */
#include "base/mem.h"
#include "evidence/measure.h"
#include "report/exploration.h"
#include "report/html.h"
#include "report/html_columns.h"
#include "report/plot.h"
#include "report/write.h"
#include "support/cmocka.h"
#include "support/executed_steps.h"
#include "support/expected.h"
#include "support/make_history.h"
#include "support/read_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void expect(const char *name, text *found) {
    text path = {0};
    text_printf(&path, "tests/report/expected/%s", name);
    is_expected(text_str(&path), found);
    text_free(&path);
}

/* ---- pages ---- */

static int digit_of(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static void add_unpacked(const char *p, size_t n, text *out) {
    text packed = {0};
    unsigned bits = 0, have = 0;
    for (size_t i = 0; i < n && digit_of(p[i]) >= 0; i++) {
        bits = bits << 6 | (unsigned)digit_of(p[i]);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        text_char(&packed, (char)(bits >> have & 255));
    }
    static unsigned char bytes[1 << 16];
    z_stream z = {.next_in = (unsigned char *)packed.at,
                  .avail_in = (unsigned)packed.size,
                  .next_out = bytes,
                  .avail_out = sizeof bytes};
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    for (size_t i = 0; i < sizeof bytes - z.avail_out; i++) text_printf(out, "%s%02x", i % 32 ? "" : "\n", bytes[i]);
    inflateEnd(&z);
    text_free(&packed);
}

/* The element that begins at `at`: its content is left out or unpacked. */
static const char *add_element(const char *at, text *out) {
    const char *content = strchr(at, '>') + 1,
               *end = strstr(content, *at == '<' && at[2] == 't' ? "</style" : "</script");
    text_bytes(out, at, (size_t)(content - at));
    if (strstr(at, "id=\"columns\"") && strstr(at, "id=\"columns\"") < content)
        add_unpacked(content, (size_t)(end - content), out);
    else if (strstr(at, "id=\"directory\"") && strstr(at, "id=\"directory\"") < content)
        text_bytes(out, content, (size_t)(end - content));
    return end;
}

static void shorten(const char *page, text *out) {
    for (const char *at = page; *at;) {
        const char *hash = "sha256-";
        if (!strncmp(at, "<style", 6) || !strncmp(at, "<script", 7)) at = add_element(at, out);
        else if (!strncmp(at, hash, 7)) {
            text_add(out, hash);
            at += strcspn(at, "'");
        } else text_char(out, *at++);
    }
}

static judgement judged(const bound *b) {
    error e = {0};
    judgement j;
    budget limit;
    budget_init(&limit, 0, 0);
    assert_true(judge(b->h, b->o, &(judge_options){0}, &limit, NULL, &j, &e));
    return j;
}

static void page_is(const char *name, const picture *p) {
    text page = {0}, shown = {0};
    html_page(p, &page);
    shorten(page.at, &shown);
    text_free(&page);
    expect(name, &shown);
}

static bound read_history(const char *object_name, const char *content) {
    error e = {0};
    bound b = {.h = read_text("plumb-jsonl", content, &e), .o = object_open(object_name, NULL, &e)};
    assert_non_null(b.h);
    assert_true(object_bind(b.o, b.h, "test", &e));
    return b;
}

static void judged_page(const char *name, bound b) {
    judgement j = judged(&b);
    picture p = picture_of("a<b>.jsonl", b.h, b.o, &j);
    p.decided_by = "an <engine>"; /* which one is not what is looked at here */
    page_is(name, &p);
    judgement_free(&j);
    free_bound(&b);
}

static void pages(void **unused) {
    (void)unused;
    judged_page("page-queue-wrong.txt",
                make_history("queue", "1 enq(1) [0,2]; 2 enq(2) [3,6]; 3 enq(3) [4,7]; "
                                      "1 deq() -> 2 [5,9]; 2 deq() -> 1 [10,12]; 3 enq(9) [13,-]"));
    judged_page("page-queue-right.txt",
                make_history("queue", "1 enq(1) [0,3]; 2 enq(2) [1,2]; 3 deq() -> 2 [4,7]; 1 enq(9) [8,-]"));
    judged_page("page-queue-alone.txt", make_history("queue", "deq() -> 5 [0,1]"));
    judged_page("page-stack-wrong.txt",
                make_history("stack", "1 push(1) [0,1]; 2 push(2) [2,5]; 1 pop() -> 1 [7,9]; 2 pop() -> 2 [10,11]"));
    judged_page(
        "page-register-wrong.txt",
        make_history("register", "1 write(1) [0,1]; 2 write(2) [2,3]; 1 read() -> 1 [4,5]; 3 read() -> 2 [6,9]"));
    judged_page("page-set-right.txt", make_history("set", "1 add(1) -> true [0,4]; 2 contains(1) -> false [1,2]; "
                                                          "1 remove(1) -> true [5,6]; 2 remove(1) -> false [7,8]"));
    judged_page(
        "page-kv-wrong.txt",
        read_history("kv",
                     "{\"client\":\"<x>\",\"op\":\"put\",\"key\":\"k\",\"args\":[\"a word & more\"],\"call\":0,"
                     "\"ret\":1,\"res\":null}\n{\"client\":\"c\",\"op\":\"put\",\"key\":\"l\",\"args\":[17],"
                     "\"call\":2,\"ret\":3,\"res\":null}\n{\"client\":\"c\",\"op\":\"get\",\"key\":\"k\",\"args\":[],"
                     "\"call\":5,\"ret\":9,\"res\":\"other\"}\n"));
}

/* One reason after another for a violation. */
static void pages_of_reasons(void **unused) {
    (void)unused;
    static const struct {
        const char *name, *object, *operations;
    } rows[] = {
        {"page-too-early.txt", "queue", "1 deq() -> 1 [0,1]; 2 enq(1) [2,3]; 3 enq(7) [4,5]"},
        {"page-related.txt", "set",
         "1 add(2) -> true [0,1]; 2 add(3) -> true [2,3]; 1 remove(2) -> true [4,5]; 3 contains(3) -> true [6,7]; "
         "2 contains(2) -> true [8,9]"},
        {"page-stale.txt", "register", "1 write(1) [0,1]; 2 write(2) [2,3]; 3 write(3) [4,5]; 1 read() -> 1 [6,7]"},
        {"page-over.txt", "queue", "1 enq(1) [0,1]; 2 enq(2) [2,3]; 3 deq() -> empty [4,5]; 1 deq() -> 1 [6,7]"},
        {"page-twice.txt", "stack", "1 push(5) [0,1]; 2 pop() -> 5 [2,3]; 3 pop() -> 5 [4,9]; 1 push(6) [5,-]"},
        {"page-lock.txt", "lock", "1 lock() [0,1]; 2 lock() [2,3]; 1 unlock() [4,5]; 2 unlock() [6,7]"},
        {"page-semaphore.txt", "semaphore(2)",
         "1 acquire() [0,1]; 2 acquire() [2,3]; 3 acquire() [4,5]; 1 release() [6,-]"},
        {"page-counter.txt", "counter", "1 inc() [0,9]; 2 inc() [1,2]; 3 read() -> 2 [3,4]; 3 read() -> 1 [5,6]"},
        {"page-cas.txt", "cas-register",
         "1 write(1) [0,1]; 2 cas(1,2) -> true [2,9]; 3 cas(1,3) -> true [3,8]; 4 read() -> 3 [10,12]"},
        {"page-not-needed.txt", "cas-register",
         "1 write(3) [0,1]; 2 write(9) [2,3]; 1 write(5) [4,5]; 3 cas(3,5) -> true [6,7]; 1 read() -> 3 [8,9]"},
        {"page-deque.txt", "deque", "1 push-left(1) [0,1]; 2 push-right(2) [2,3]; 3 pop-left() -> 2 [4,5]"},
        {"page-pqueue.txt", "pqueue-max",
         "add(1) [0,1]; add(5) [2,3]; remove() -> 1 [4,5]; add(3) [6,20]; remove() -> 3 [7,10]"},
        {"page-exchanger.txt", "exchanger",
         "1 exchange(1) -> 2 [0,5]; 2 exchange(2) -> 1 [1,4]; 3 exchange(3) -> 1 [6,7]"},
        {"page-keys.txt", "kv",
         "1 put(a,1) [0,1]; 2 put(b,2) [2,9]; 3 get(a) -> 2 [3,4]; 1 get(b) -> 2 [5,6]; 2 get(c) -> none [10,12]"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        judged_page(rows[i].name, make_history(rows[i].object, rows[i].operations));
}

static void long_pages(void **unused) {
    (void)unused;
    text many = {0};
    for (int i = 0; i < 70; i++)
        text_printf(&many, "%s%d enq(%d) [%d,%d]", i ? "; " : "", i % 5, 1000 + 37 * i % 900, 2 * i,
                    2 * i + (i % 3 ? 1 : 5));
    judged_page("page-long-right.txt", make_history("queue", many.at));
    text_clear(&many);
    for (int i = 0; i < 40; i++)
        text_printf(&many, "%senq(%d) [%d,%d]; deq() -> %d [%d,%d]", i ? "; " : "", i, 4 * i, 4 * i + 1, 39 - i,
                    4 * i + 2, 4 * i + 9);
    judged_page("page-long-wrong.txt", make_history("queue", many.at));
    text_free(&many);
}

static void add_columns(const column_sources *from, const char *title, text *out) {
    text directory = {0}, packed = {0};
    html_columns(from, &directory, &packed);
    text_printf(out, "---- %s\n%s", title, text_str(&directory));
    add_unpacked(packed.at, packed.size, out);
    text_char(out, '\n');
    text_free(&directory);
    text_free(&packed);
}

/* Parts of a history, which have gaps; when that count, when that do not; an order, a core, a cut. */
static void columns(void **unused) {
    (void)unused;
    text out = {0};
    bound b = make_history(
        "queue",
        "1 enq(1) [0,2]; 2 enq(2) [3,6]; 3 enq(3) [4,7]; 1 deq() -> 2 [5,9]; 2 deq() -> 1 [10,12]; 3 enq(9) [13,-]");
    static const uint32_t some[] = {1, 3, 5}, order[] = {2, 0, 1}, of_core[] = {0, 2};
    for (unsigned k = 0; k < 3; k++) {
        uint32_t cut = k == 1 ? 7 : RANK_NEVER;
        history *h = history_select(b.h, some, 3, cut);
        column_sources from = {.h = h,
                               .o = b.o,
                               .order = k ? order : NULL,
                               .ordered = k,
                               .core = k == 2 ? of_core : NULL,
                               .core_n = 2,
                               .cut = cut};
        add_columns(&from, "a part", &out);
        history_free(h);
    }
    history *none = history_select(b.h, some, 0, RANK_NEVER);
    add_columns(&(column_sources){.h = none, .o = b.o, .cut = RANK_NEVER}, "nothing", &out);
    history_free(none);
    free_bound(&b);
    static const char *const when[] = {"\"call\":100,\"ret\":101}|\"call\":102,\"ret\":103}",
                                       "\"call\":-7,\"ret\":101}|\"call\":5000000000,\"ret\":5000000007}"};
    for (unsigned k = 0; k < 2; k++) {
        const char *bar = strchr(when[k], '|');
        text content = {0};
        text_printf(&content,
                    "{\"client\":1,\"op\":\"enq\",\"args\":[\"a word that is much longer than what a table of values "
                    "keeps of it\"],%.*s\n"
                    "{\"client\":2,\"op\":\"enq\",\"args\":[70000000000],%s\n",
                    (int)(bar - when[k]), when[k], bar + 1);
        bound timed = read_history("queue", text_str(&content));
        add_columns(&(column_sources){.h = timed.h, .o = timed.o, .cut = RANK_NEVER}, "with times", &out);
        free_bound(&timed);
        text_free(&content);
    }
    expect("columns.txt", &out);
}

static const char *const thread_names[] = {"producer", "consumer <1>", "idle"};

static const interleaving_step sample_steps[] = {
    {FROM_NOWHERE, .kind = ACCESS_ALONE, .words = "deq() returns empty, alone", .number = 0},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_CALL, .words = "enq(7) is called", .number = 1},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_LOCAL, .words = "fence", .file = "cell.c", .line = 10,
     .source = "int v = 7;", .number = UINT32_MAX, .dull = true},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_WRITE, .words = "writes q->full 1", .file = "cell.c", .line = 12,
     .number = UINT32_MAX, .change = {{"q->full", "0", "1", false}}},
    {FROM_NOWHERE, .thread = 1, .kind = ACCESS_CALL, .words = "deq() is called", .number = 2},
    {FROM_NOWHERE, .thread = 1, .kind = ACCESS_READ, .words = "reads q->full 1", .source = "if (q->full)",
     .number = UINT32_MAX, .change = {{"q->full", "1", NULL, false}}},
    {FROM_NOWHERE, .thread = 1, .kind = ACCESS_RETURN, .words = "deq() returns 0", .number = 2},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_REFUSED, .words = "cas q->owner: 2 expected, FAILS, is 0",
     .number = UINT32_MAX, .change = {{"q->owner", "0", NULL, false}}},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_UPDATE, .words = "cas q->n: 0 -> 1, q->m: 5 -> 6", .file = "cell.c",
     .line = 14, .number = UINT32_MAX, .change = {{"q->n", "0", "1", false}, {"q->m", "5", "6", false}}},
    {FROM_NOWHERE, .thread = 0, .kind = ACCESS_RETURN, .words = "enq(7) returns", .number = 1},
};

static const interleaving sample = {.thread = thread_names,
                                    .threads = 3,
                                    .step = sample_steps,
                                    .steps = sizeof sample_steps / sizeof *sample_steps,
                                    .ending = "0 was never <put> in",
                                    .schedule = "plumb-schedule/1 0*4 1*4 0*4",
                                    .again = "plumb replay x.schedule"};

static void pages_of_executions(void **unused) {
    (void)unused;
    static const char *const more[] = {"threads: a | b", "note: <odd>"};
    picture bare = {.file = "x.c",
                    .verdict = VERDICT_VIOLATION,
                    .steps = &sample,
                    .label = "deadlock",
                    .headline = "deadlock: m & n",
                    .fact = more,
                    .facts = 2};
    page_is("page-execution.txt", &bare);
    bound b = make_history("queue", "0 deq() -> empty [0,1]; 0 enq(7) [2,5]; 1 deq() -> 0 [3,4]");
    judgement j = judged(&b);
    picture p = picture_of("cell.c", b.h, b.o, &j);
    interleaving quiet = sample;
    quiet.ending = quiet.again = NULL;
    p.steps = &quiet;
    p.decided_by = "an engine";
    page_is("page-execution-history.txt", &p);
    judgement_free(&j);
    picture doubt = {.file = "f",
                     .h = b.h,
                     .o = b.o,
                     .verdict = VERDICT_UNDECIDED,
                     .reason = "time budget spent",
                     .decided_by = "engine x"};
    page_is("page-undecided.txt", &doubt);
    free_bound(&b);
}

static bound measured_queue(relaxation *r) {
    bound b =
        make_history("queue", "0 enq(1) [0,1]; 0 enq(2) [2,3]; 0 enq(3) [4,5]; 0 deq() -> 3 [6,7]; 0 deq() -> 1 [8,9]");
    error e = {0};
    budget any;
    budget_init(&any, 0, 0);
    assert_true(object_relax(b.o, &(criterion){.kind = CRITERION_QUASI}, &e));
    assert_true(measure_relaxation(b.h, b.o, &(judge_options){0}, &any, NULL, r, &e));
    return b;
}

static bound measured_right(relaxation *r) {
    bound b = make_history("queue", "0 enq(1) [0,1]; 0 enq(2) [2,3]; 0 deq() -> 1 [6,7]; 0 deq() -> 2 [8,9]");
    error e = {0};
    budget any;
    budget_init(&any, 0, 0);
    assert_true(object_relax(b.o, &(criterion){.kind = CRITERION_QUASI}, &e));
    assert_true(measure_relaxation(b.h, b.o, &(judge_options){0}, &any, NULL, r, &e));
    return b;
}

static void pages_of_measurements(void **unused) {
    (void)unused;
    relaxation r = {0};
    bound b = measured_queue(&r);
    picture p = picture_of("x", b.h, b.o, &r.above);
    p.criterion = "quasi(2)";
    p.decided_by = "an engine";
    p.relaxation = &r;
    page_is("page-measured.txt", &p);
    relaxation_free(&r);
    free_bound(&b);
}

/* Nothing is relaxed: no smaller k, and nothing that refuses it. Undecided: what refuses is told, and that a smaller k
 * may do. */
static void pages_of_bounds(void **unused) {
    (void)unused;
    for (unsigned k = 0; k < 2; k++) {
        relaxation r = {0};
        bound b = k ? measured_queue(&r) : measured_right(&r);
        if (k) r.high++;
        picture p = picture_of("x", b.h, b.o, &r.above);
        p.criterion = k ? "quasi(3)" : "quasi(0)";
        p.decided_by = "an engine";
        p.relaxation = &r;
        page_is(k ? "page-bounds.txt" : "page-strict.txt", &p);
        relaxation_free(&r);
        free_bound(&b);
    }
}

/* Operations that take effect together are steps; of an object with several outcomes the states are counted. */
static void pages_of_steps_and_states(void **unused) {
    (void)unused;
    static const char *const met =
        "1 push(1) -> true [0,5]; 2 pop() -> 1 [1,6]; 1 push(2) -> true [7,9]; 2 pop() -> 2 [8,10]; 3 pop() [11,-]";
    bound b = make_history("elimination", met);
    error e = {0};
    assert_true(object_relax(b.o, &(criterion){.kind = CRITERION_SET}, &e));
    judged_page("page-together.txt", b);
    judged_page("page-states.txt",
                make_history("multiset",
                             "1 add(1) [0,1]; 1 add(2) [2,3]; 2 remove() [4,-]; 1 remove() -> empty [20,21]; "
                             "3 remove() -> 1 [5,6]; 1 add(3) [22,23]"));
}

/* ---- reports ---- */

static void all_forms(report *r, text *out) {
    if (r->engine) r->engine = "engine-x"; /* which one is not what is looked at here */
    r->steps = r->engine ? 12345 : 0;
    r->seconds = 0.25;
    r->read_seconds = 0.5;
    r->evidence_seconds = 0.125;
    report_line(r, colours_choose(COLOUR_ALWAYS, -1), out);
    report_full(r, colours_choose(COLOUR_NEVER, -1), false, out);
    report_full(r, colours_choose(COLOUR_ALWAYS, -1), true, out);
    report_json(r, out);
    report_junit((const report *const[]){r}, 1, out);
    text_printf(out, "exit %d: %s\n\n", report_exit_code(r), report_outcome(r));
}

static report *report_of(const char *object_name, const char *operations, bool keep_witness) {
    bound b = make_history(object_name, operations);
    judgement j = judged(&b);
    report *r = report_new("dir/f & g.jsonl");
    r->format = "plumb-jsonl";
    r->object = mem_string(object_name);
    r->operations = b.h->n;
    r->pending = b.h->pending;
    report_take(r, b.h, b.o, &j, &(report_wishes){.witness = keep_witness, .columns = 80});
    judgement_free(&j);
    free_bound(&b);
    return r;
}

static void reports(void **unused) {
    (void)unused;
    text out = {0};
    report *all[8];
    unsigned n = 0;
    all[n++] = report_of(
        "queue", "1 enq(1) [0,2]; 2 enq(2) [3,6]; 1 deq() -> 2 [7,9]; 2 deq() -> 1 [10,12]; 3 enq(4) [13,-]", true);
    all[n++] = report_of("queue", "1 enq(1) [0,3]; 2 enq(2) [1,2]; 3 deq() -> 2 [4,7]", true);
    all[n++] = report_of("queue", "1 enq(1) [0,3]", false);
    all[n++] = report_of("kv", "1 put(1,5) [0,1]; 2 put(2,6) [0,2]; 1 get(1) -> 6 [3,4]", true);
    all[n++] = report_new("f");
    text_add(&all[4]->reason, "time budget spent");
    all[4]->operations = 10;
    all[4]->pending = 1;
    all[4]->prefix = 4;
    all[n++] = report_new("g");
    text_add(&all[5]->reason, "memory budget spent");
    all[n++] = report_new("h");
    error_set(&all[6]->error, EXIT_CANNOT_OPEN, "cannot open h: no <such> file");
    all[n++] = report_new("i");
    error_set(&all[7]->error, EXIT_INTERNAL, "it is broken");
    for (unsigned i = 0; i < n; i++) all_forms(all[i], &out);
    report_summary((const report *const *)all, n, colours_choose(COLOUR_ALWAYS, -1), &out);
    report_summary((const report *const *)all, 1, colours_choose(COLOUR_NEVER, -1), &out);
    all[1]->relaxed = true;
    report_summary((const report *const *)all + 1, 1, colours_choose(COLOUR_ALWAYS, -1), &out);
    report_junit((const report *const *)all, n, &out);
    for (unsigned i = 0; i < n; i++) report_free(all[i]);
    expect("reports.txt", &out);
}

/* Measured: nothing relaxed, and bounds that do not meet, with and without something that refuses the lower one. */
static void reports_of_bounds(void **unused) {
    (void)unused;
    text out = {0};
    for (unsigned k = 0; k < 3; k++) {
        relaxation m = {0};
        bound b = k ? measured_queue(&m) : measured_right(&m);
        report *r = report_new("f");
        if (k) m.high++;
        if (k == 2) m.below.verdict = VERDICT_UNDECIDED;
        r->object = mem_string("queue");
        r->operations = b.h->n;
        report_criterion(r, &b.o->criterion);
        report_take_measure(r, b.h, b.o, &m, &(report_wishes){.witness = true, .columns = 80});
        all_forms(r, &out);
        report_free(r);
        relaxation_free(&m);
        free_bound(&b);
    }
    report *r = report_of("write-snapshot",
                          "1 write_snapshot(0, 1) -> [1 2] [0,5]; 2 write_snapshot(1, 2) -> [1 2] [1,6]", true);
    all_forms(r, &out);
    report_free(r);
    r = report_of("renaming", "1 rename() -> 1 [0,5]; 2 rename() -> 2 [1,6]; 3 rename() [2,-]", true);
    all_forms(r, &out);
    report_free(r);
    expect("reports-bounds.txt", &out);
}

static void reports_of_measurements(void **unused) {
    (void)unused;
    text out = {0};
    relaxation m = {0};
    bound b = measured_queue(&m);
    report *r = report_new("f");
    r->object = mem_string("queue");
    r->operations = b.h->n;
    report_criterion(r, &b.o->criterion);
    report_take_measure(r, b.h, b.o, &m, &(report_wishes){.witness = true, .columns = 80});
    all_forms(r, &out);
    report_free(r);
    relaxation_free(&m);
    free_bound(&b);
    /* a core that has no sentences, reduced or not, decided again or not */
    for (unsigned k = 0; k < 4; k++) {
        r = report_new("f");
        r->verdict = VERDICT_VIOLATION;
        r->operations = 1;
        r->has_core = true;
        r->core_n = 1;
        r->core = mem_zero(1, sizeof *r->core);
        r->core_cut = k % 2 ? 7 : RANK_NEVER;
        r->core_minimal = k % 2;
        r->core_checked_by = k / 2 ? "oracle" : NULL;
        text_add(&r->diagram, k ? "a picture\n" : "a picture");
        r->parts = k;
        all_forms(r, &out);
        report_free(r);
    }
    /* a witness in steps that several operations share; one never ends */
    r = report_new("f");
    r->verdict = VERDICT_LINEARIZABLE;
    r->operations = r->witness_n = 3;
    r->has_witness = r->witness_checked = true;
    r->witness = MEM_ARRAY(uint32_t, 3);
    r->begins = MEM_ARRAY(uint32_t, 3);
    r->ends = MEM_ARRAY(uint32_t, 3);
    for (uint32_t k = 0; k < 3; k++) {
        r->witness[k] = 2 - k;
        r->begins[k] = k / 2;
        r->ends[k] = k == 2 ? STEP_NEVER : k + 1;
    }
    text_add(&r->together, "#2 and #1 take effect together");
    text_add(&r->task, "all have answered");
    all_forms(r, &out);
    report_free(r);
    expect("reports-measured.txt", &out);
}

/* ---- figures ---- */

static void figures(void **unused) {
    (void)unused;
    text out = {0};
    plot_series s[3] = {{.name = "a<b", .x = {10, 100, 1000}, .y = {0.012, 0.1, 17}, .n = 3},
                        {.name = "b", .x = {20, 5000}, .y = {1, 1}, .n = 2},
                        {.name = "c", .x = {10}, .y = {3}, .n = 1}};
    plot_growth("title & more", "operations", "seconds", s, 3, &out);
    plot_growth("one point", "operations", "seconds", s + 2, 1, &out);
    uint32_t times[1000];
    for (uint32_t i = 0; i < 1000; i++) times[i] = i * i % 17 + (i == 40 ? 300 : 0);
    const unsigned sizes[] = {0, 1, 2, 6, 13, 40, 59, 60, 61, 200, 1000};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) plot_distribution("t < u", "x", times, sizes[i], &out);
    const plot_box box[] = {{"5 s", "a", 10, 20, 30, 40, 100, 1000, false},
                            {"5 s", "b<", 1, 1, 1, 1, 1, 0, false},
                            {"100 s", "a", 100, 100, 100, 200, 1000, 0, false},
                            {"100 s", "c", 0.5, 2, 3, 4, 70, 2, false}};
    plot_boxes("t", "x", "y", true, box, 4, &out);
    plot_boxes("t", "x", "y", false, box, 4, &out);
    const plot_box bar[] = {{.group = "g", .name = "a", .bar = true},
                            {.group = "g", .name = "b", .median = 20, .published = 13, .bar = true},
                            {.group = "h", .name = "b", .median = 7.5, .bar = true}};
    plot_boxes("t", "x", "y", false, bar, 3, &out);
    plot_boxes("t", "x", "y", false, bar, 1, &out);
    expect("figures.svg", &out);
}

/* ---- explored code ---- */

static execution execution_of(executed_step *s, uint32_t steps, executed_operation *op, uint32_t ops,
                              heap_block *block) {
    return (execution){
        .step = s, .steps = steps, .op = op, .ops = ops, .block = block, .blocks = 2, .failure = FAILURE_ASSERTION};
}

static void executions(void **unused) {
    (void)unused;
    executed_step s[] = {
        access_of(0, STEP_READ, HEAD, PLACE_READ, 3),
        access_of(1, STEP_READ, HEAD, PLACE_READ, 3),
        access_of(1, STEP_READ, HEAD, PLACE_READ, 3),
        plain(access_of(0, STEP_WRITE, CELL, PLACE_WRITE, 9)),
        access_of(0, STEP_NOTHING, 0, PLACE_UNUSED, 0),
        access_of(0, STEP_FENCE, 0, PLACE_UNUSED, 0),
        access_of(0, STEP_CAS, HEAD, PLACE_WRITE, 4),
        failed(access_of(1, STEP_CAS, HEAD, PLACE_READ, 4), 3),
        access_of(1, STEP_LOCK, LOCK, PLACE_ACQUIRE, 0),
        failed(access_of(0, STEP_TRYLOCK, LOCK, PLACE_ACQUIRE, 0), 0),
        access_of(1, STEP_UPDATE, CELL, PLACE_WRITE, 10),
        access_of(1, STEP_UNLOCK, LOCK, PLACE_RELEASE, 0),
        access_of(0, STEP_FREE, BLOCK, PLACE_WRITE, 0),
        access_of(1, STEP_YIELD, 0, PLACE_UNUSED, 0),
        access_of(1, STEP_READ, CELL + 16, PLACE_READ, 1),
        access_of(1, STEP_READ, CELL + 24, PLACE_READ, 1),
        access_of(2, STEP_JOIN, 0, PLACE_UNUSED, 1),
        access_of(1, STEP_READ, CELL, PLACE_READ, 10),
        access_of(0, STEP_WAIT, LOCK + 8, PLACE_WRITE, 0),
    };
    executed_operation op[] = {
        {.method = "put",
         .thread = 0,
         .nargs = 2,
         .arg = {1, -2},
         .result = "n",
         .first = NO_STEP,
         .last = NO_STEP,
         .call_at = 0,
         .return_at = 1},
        {.method = "enq",
         .thread = 0,
         .nargs = 1,
         .arg = {7},
         .result = "b1",
         .first = 0,
         .last = 6,
         .call_at = 2,
         .return_at = 5},
        {.method = "deq", .thread = 1, .result = "e", .first = 1, .last = 11, .call_at = 3, .return_at = 6},
        {.method = "look", .thread = 0, .first = 9, .last = NO_STEP, .call_at = 4, .return_at = 99},
        {.method = "size",
         .thread = 0,
         .result = "i42",
         .first = NO_STEP,
         .last = NO_STEP,
         .call_at = 8,
         .return_at = 9},
        {.method = "full",
         .thread = 0,
         .result = "f",
         .first = NO_STEP,
         .last = NO_STEP,
         .call_at = 10,
         .return_at = 11},
        {.method = "flag",
         .thread = 0,
         .result = "b0",
         .first = NO_STEP,
         .last = NO_STEP,
         .call_at = 12,
         .return_at = 13},
    };
    heap_block block[] = {{.address = BLOCK, .size = 64, .from = 0, .to = 12},
                          {.address = BLOCK, .size = 64, .from = 14, .to = NO_STEP}};
    execution x = execution_of(s, sizeof s / sizeof *s, op, sizeof op / sizeof *op, block);
    text out = {0};
    static const unsigned lines[] = {0, 3, 5, 8, 11, 14, 40}, columns[] = {40, 60, 61, 80, 100, 200};
    for (unsigned i = 0; i < 7; i++) {
        interleaving_print(
            &x, NULL,
            &(interleaving_wishes){.lines = lines[i], .columns = 100, .colours = colours_choose(COLOUR_NEVER, -1)},
            &out);
        text_char(&out, '\n');
    }
    for (unsigned i = 0; i < 6; i++) {
        interleaving_print(
            &x, NULL,
            &(interleaving_wishes){.full = true, .columns = columns[i], .colours = colours_choose(COLOUR_ALWAYS, -1)},
            &out);
        text_char(&out, '\n');
    }
    message_words(&x, NULL, "thread 1 waits for 0x2000, 0x5008 and 0xnothing", &out);
    text_char(&out, '\n');
    message_words(NULL, NULL, "no steps: 0x2000", &out);
    expect("interleavings.txt", &out);
}

/* Every kind of step as a phrase; names of regions; compare-and-swaps of two words. */
static void steps(void **unused) {
    (void)unused;
    executed_step s[STEP_KINDS + 6];
    uint32_t n = 0;
    for (unsigned k = 0; k < STEP_KINDS; k++) s[n++] = access_of(k % 3, (step_kind)k, LOCK, PLACE_WRITE, k);
    s[n] = access_of(0, STEP_CAS, HEAD, PLACE_WRITE, 7); /* 16 bytes */
    s[n].step.size = 16;
    s[n].step.expected = 6;
    s[n].step.high = s[n].step.expected_high = 1;
    n++;
    s[n] = s[n - 1];
    s[n++].step.high = 2;
    s[n] = failed(access_of(1, STEP_CAS, HEAD, PLACE_READ, 7), 6); /* of two places */
    s[n].step.at[1] = s[n].step.at[0];
    s[n].step.at[1].address = BLOCK + 8;
    s[n].step.expected_high = 3;
    n++;
    s[n++] = failed(access_of(2, STEP_TRYACQUIRE, LOCK + 16, PLACE_ACQUIRE, 0), 0);
    s[n] = access_of(2, STEP_WRITE, BLOCK + 16, PLACE_WRITE, 0xff);
    s[n++].step.size = 0;
    s[n++] = access_of(1, STEP_FREE, BLOCK, PLACE_WRITE, 0);
    heap_block block[] = {{.address = BLOCK, .size = 64, .from = 0, .to = NO_STEP}};
    memory_region region[] = {{.kind = REGION_FOREIGN, .address = LOCK, .size = 64, .name = "mutex._data"},
                              {.kind = REGION_STACK, .thread = 2, .address = HEAD, .size = 64, .name = ""}};
    execution x = {.step = s, .steps = n, .block = block, .blocks = 1, .region = region, .regions = 2};
    text out = {0};
    interleaving_print(
        &x, NULL, &(interleaving_wishes){.full = true, .columns = 100, .colours = colours_choose(COLOUR_ALWAYS, -1)},
        &out);
    expect("steps.txt", &out);
    assert_string_equal(file_name("/a/b.c"), "b.c");
    assert_string_equal(file_name("b.c"), "b.c");
}

static void claim(exploration *r, run_request *how, progress_claim c) {
    static const char *const word[] = {"none", "obstruction-free", "lock-free", "wait-free"};
    how->progress = word[c];
    r->how = how;
}

static void explored(const exploration *r, hunt *h, text *out) {
    h->programs = h->complete + h->bounded + h->begun;
    const interleaving_wishes plain_wishes = {.lines = 12,
                                              .rows = 40,
                                              .columns = 100,
                                              .colours = colours_choose(COLOUR_NEVER, -1)},
                              loud = {.full = true, .columns = 80, .colours = colours_choose(COLOUR_ALWAYS, -1)};
    exploration_text(r, &plain_wishes, out);
    exploration_text(r, &loud, out);
    exploration_json(r, out);
    exploration_junit(r, out);
    exploration_sarif(r, out);
    exploration_github(r, out);
    exploration_failure(r, out);
    text_printf(out, "\nexit %d, contradicts %d\n\n", exploration_exit_code(r), exploration_contradicts(r));
}

static void explorations_without_failure(void **unused) {
    run_request how = {0};
    (void)unused;
    text out = {0};
    hunt h = {.programs = 1, .complete = 1, .executions = 1, .histories = 1, .seconds = 0.034, .preemptions = -1};
    explained why = {0};
    exploration r = {.name = "q<1>.c", .object = "queue", .hunt = &h};
    r.why = &why;
    explored(&r, &h, &out);
    h = (hunt){.programs = 1234567,
               .complete = 12,
               .bounded = 1234,
               .begun = 1,
               .made = true,
               .largest = 4,
               .all_programs = true,
               .executions = 1234567,
               .steps = 99,
               .histories = 26,
               .seconds = 9.999,
               .preemptions = 1,
               .passed_again = true};
    r.criterion = "quasi(2)";
    r.schedule = "q.schedule";
    text_add(&r.specification, "what it does \"alone\"");
    r.serial_orders = 17;
    explored(&r, &h, &out);
    h.made = false;
    h.seconds = 10;
    h.preemptions = 2;
    explored(&r, &h, &out);
    h.begun = 0;
    explored(&r, &h, &out);
    h.complete = h.bounded = 0;
    explored(&r, &h, &out);
    h.complete = 3;
    r.measured = (measured){.asked = true, .k = 3, .below = "quasi(2)"};
    explored(&r, &h, &out);
    program_result forced = {.threads = "enq(1) | deq"};
    r.measured.forced = &forced;
    text_add(&why.diagram, "a picture\n");
    text_add(&why.sentences, "First.\nSecond 100 %.\n");
    explored(&r, &h, &out);
    r.measured = (measured){0};
    text_add(&h.notes, "progress: enq " PROGRESS_WAITS
                       " another\nloop @4013a4 is assumed\nprogress: deq repeats\nloop @4013a4 is assumed\n");
    for (progress_claim c = CLAIM_NONE; c <= CLAIM_WAIT_FREE; c++) {
        claim(&r, &how, c);
        explored(&r, &h, &out);
    }
    text_clear(&h.notes);
    text_add(&h.notes, "progress: deq repeats");
    for (progress_claim c = CLAIM_NONE; c <= CLAIM_WAIT_FREE; c++) {
        claim(&r, &how, c);
        explored(&r, &h, &out);
    }
    text_free(&h.notes);
    text_free(&r.specification);
    text_free(&why.diagram);
    text_free(&why.sentences);
    expect("explorations.txt", &out);
}

static void explorations_that_failed(void **unused) {
    (void)unused;
    text out = {0};
    executed_step s[] = {access_of(0, STEP_READ, HEAD, PLACE_READ, 3), access_of(1, STEP_WRITE, HEAD, PLACE_WRITE, 4),
                         access_of(0, STEP_CAS, HEAD, PLACE_WRITE, 5)};
    executed_operation op[] = {{.method = "deq", .thread = 0, .first = 0, .last = 2, .call_at = 0, .return_at = 1}};
    execution x = {.step = s, .steps = 3, .op = op, .ops = 1};
    hunt h = {.programs = 1, .begun = 1, .executions = 12, .seconds = 1.5, .failed = true, .preemptions = -1};
    explained why = {0};
    exploration r = {.name = "q.c", .object = "queue", .hunt = &h, .x = &x};
    r.why = &why;
    campaign_result *found = &h.failure.answer.result;
    found->failure = FAILURE_VIOLATION;
    found->failing_preemptions = 1;
    explored(&r, &h, &out);
    r.criterion = "quasi(1)";
    r.schedule = "q.schedule";
    h.failure.threads = "enq(1) | deq";
    h.shrunk_from = 5;
    text_add(&why.diagram, "a picture\n");
    text_add(&why.sentences, "First.\r\nSecond 100 %.\n");
    found->failing_preemptions = 2;
    explored(&r, &h, &out);
    r.measured.asked = true;
    r.object = "q.serial:enq";
    explored(&r, &h, &out);
    text_clear(&why.diagram);
    text_clear(&why.sentences);
    r.measured.asked = false;
    r.object = NULL;
    explored(&r, &h, &out);
    strcpy(found->message, "0x1000 is \"not\" right: 5 % off");
    for (failure_kind k = FAILURE_ASSERTION; k < FAILURE_KINDS; k++) {
        found->failure = k;
        r.x = k % 2 ? &x : NULL;
        explored(&r, &h, &out);
    }
    found->failure = FAILURE_ASSERTION;
    h.failure.answer.died = true;
    h.executions = 0;
    explored(&r, &h, &out);
    text_free(&why.diagram);
    text_free(&why.sentences);
    expect("explorations-failed.txt", &out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),
        cmocka_unit_test(pages_of_reasons),
        cmocka_unit_test(long_pages),
        cmocka_unit_test(columns),
        cmocka_unit_test(steps),
        cmocka_unit_test(pages_of_executions),
        cmocka_unit_test(pages_of_measurements),
        cmocka_unit_test(pages_of_bounds),
        cmocka_unit_test(pages_of_steps_and_states),
        cmocka_unit_test(reports_of_bounds),
        cmocka_unit_test(reports),
        cmocka_unit_test(reports_of_measurements),
        cmocka_unit_test(figures),
        cmocka_unit_test(executions),
        cmocka_unit_test(explorations_without_failure),
        cmocka_unit_test(explorations_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
