#include "cli/attach.h"

#include "base/scratch.h"
#include "cli/commands.h"
#include "cli/view.h"
#include "runtime/verifier.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct attached {
    const attach_settings *settings;
    recording m;
    watch w;
    double started, shown;
    uint64_t shown_checked;
    bool terminal;
    text
        witness_error; /* why no certificate of the first violation was written; "": there is one, or none was wanted */
    bool page_failed;
} attached;

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static uint64_t not_judged(const watch_counts *c) { return c->dark + c->skipped + c->grey; }

static void show_progress(attached *a) {
    double now = clock_seconds();
    if (!a->terminal || now - a->shown < 0.2) return;
    watch_counts c;
    watch_look(&a->w, &c);
    uint64_t all = c.checked + not_judged(&c);
    assert(c.checked >= a->shown_checked);
    fprintf(stderr,
            "\r%" PRIu64 " operations checked, %.0f/s, %" PRIu64 " open, %.1f %% checked, %.1f %% dark, %" PRIu64
            " excused, %.1f MB\033[K",
            c.checked, (double)(c.checked - a->shown_checked) / (now - a->shown), c.open, percent(c.checked, all),
            percent(not_judged(&c), all), c.excused, (double)c.memory * 1e-6);
    a->shown = now;
    a->shown_checked = c.checked;
}

/* So far: what was not judged makes it undecided, and something must have been judged. */
static verdict verdict_so_far(const watch *w) {
    if (w->violations) return VERDICT_VIOLATION;
    return w->verdict == VERDICT_LINEARIZABLE && w->doubtful ? VERDICT_UNDECIDED : w->verdict;
}

static void publish_metrics(attached *a) {
    watch_counts c;
    bool over = a->w.verdict != VERDICT_LINEARIZABLE;
    if (!over && !metrics_server_is_due(a->settings->metrics)) return;
    watch_look(&a->w, &c);
    verdict v = verdict_so_far(&a->w);
    metrics_server_publish(a->settings->metrics, &(metrics){.object = a->w.o->name,
                                                            .source = a->settings->path,
                                                            .verdict = v,
                                                            .checked = c.checked,
                                                            .dark = c.dark,
                                                            .skipped = c.skipped,
                                                            .grey = c.grey,
                                                            .excused = c.excused,
                                                            .dark_periods = c.darkenings,
                                                            .violations = a->w.violations,
                                                            .sample = watch_sample(&a->w),
                                                            .open = c.open,
                                                            .lag = c.behind,
                                                            .memory = c.memory});
}

/* A program that has ended publishes nothing more: one round without events after that is the last. */
static void watch_to_the_end(attached *a) {
    while (a->w.verdict == VERDICT_LINEARIZABLE && !*a->settings->stop) {
        bool running = recording_is_running(&a->m);
        a->w.sketch.ended = !running;
        uint64_t events = watch_round(&a->w);
        show_progress(a);
        publish_metrics(a);
        if (!running && !events) break;
        if (events < VERIFIER_FEW_EVENTS) watch_settle(&a->w);
        if (running && watch_may_sleep(&a->w, events)) usleep(VERIFIER_PAUSE);
    }
    if (a->terminal) fputs("\r\033[K", stderr);
}

/* What was judged before a signal says nothing of what was not. */
static bool cut_short(const attached *a, verdict v) { return v == VERDICT_LINEARIZABLE && *a->settings->stop; }

static uint64_t listed(const watch *w) { return w->violations < WATCH_LISTED ? w->violations : WATCH_LISTED; }

static void add_json_violations(const attached *a, text *out) {
    text_printf(out, ",\"found\":%" PRIu64 ",\"violations\":[", a->w.violations);
    for (uint64_t i = 0; i < listed(&a->w); i++) {
        text_add(out, i ? ",{\"reason\":" : "{\"reason\":");
        text_json(out, a->w.violation[i], strlen(a->w.violation[i]));
        text_char(out, '}');
    }
    text_char(out, ']');
}

/* All of them, with --go-on; one line says the first already. */
static void add_other_violations(const attached *a, text *out) {
    for (uint64_t i = 1; i < listed(&a->w); i++)
        text_printf(out, "violation %" PRIu64 ": %s\n", i + 1, a->w.violation[i]);
    if (a->w.violations > WATCH_LISTED)
        text_printf(out, "and %" PRIu64 " more violations\n", a->w.violations - WATCH_LISTED);
}

static void add_json(attached *a, const watch_counts *c, verdict v, text *out) {
    text_add(out, "{\"schema\":\"plumb.attached/1\",\"file\":");
    text_json(out, a->settings->path, strlen(a->settings->path));
    text_add(out, ",\"object\":");
    text_json(out, a->w.o->name, strlen(a->w.o->name));
    text_printf(out,
                ",\"verdict\":\"%s\",\"checked\":%" PRIu64 ",\"dark\":%" PRIu64 ",\"skipped\":%" PRIu64
                ",\"grey\":%" PRIu64 ",\"excused\":%" PRIu64 ",\"dark_periods\":%" PRIu64 ",\"open\":%" PRIu64
                ",\"memory\":%zu,\"seconds\":%.3f",
                verdict_text(cut_short(a, v) ? VERDICT_UNDECIDED : v), c->checked, c->dark, c->skipped, c->grey,
                c->excused, c->darkenings, c->open, c->memory, clock_seconds() - a->started);
    if (watch_sample(&a->w)) text_printf(out, ",\"sample\":\"1/%" PRIu64 "\"", watch_sample(&a->w));
    if (a->settings->go_on) add_json_violations(a, out);
    if (cut_short(a, v)) {
        text_add(out, ",\"reason\":\"interrupted\"");
    } else if (v != VERDICT_LINEARIZABLE) {
        text_add(out, ",\"reason\":");
        text_json(out, watch_reason(&a->w), strlen(watch_reason(&a->w)));
    }
    text_add(out, "}\n");
}

/* The page shows the certificate of the violation, as `plumb view` would. Operations that show it may be forgotten:
 * then there is no page, and the verdict stands. False: it could not be written, and that was said. */
static bool write_page(attached *a) {
    text certificate = {0};
    error e = {0};
    if (!scratch_file("plumb-witness", &certificate, &e)) {
        complain(&e);
        return false;
    }
    bool shown = watch_write_witness(&a->w, certificate.at, &e);
    if (!shown) fprintf(stderr, "plumb: no page: %s\n", e.what);
    else view_certificate(certificate.at, a->settings->path, NULL, a->settings->html, &e);
    unlink(certificate.at);
    text_free(&certificate);
    return !shown || !e.code;
}

/* While the checker that found it is still there. */
static void keep_evidence(watch *w, void *context) {
    attached *a = context;
    error e = {0};
    if (w->violations > 1) return;
    if (a->settings->witness && !watch_write_witness(w, a->settings->witness, &e)) text_add(&a->witness_error, e.what);
    if (a->settings->html) a->page_failed = !write_page(a);
}

static int report(attached *a) {
    static const int codes[] = {EXIT_LINEARIZABLE, EXIT_VIOLATION, EXIT_UNDECIDED};
    verdict v = watch_verdict(&a->w);
    assert((size_t)v < sizeof codes / sizeof *codes);
    watch_counts c;
    text out = {0};
    error e = {0};
    watch_look(&a->w, &c);
    if (a->settings->json) {
        add_json(a, &c, v, &out);
    } else {
        text_printf(&out, "%s%s: ", verdict_text(v), cut_short(a, v) ? " so far; interrupted" : "");
        if (v != VERDICT_LINEARIZABLE) text_printf(&out, "%s; ", watch_reason(&a->w));
        text_printf(&out, "%" PRIu64 " operations checked, %" PRIu64 " not, %" PRIu64 " open, %" PRIu64 " excused",
                    c.checked, not_judged(&c), c.open, c.excused);
        if (watch_sample(&a->w)) text_printf(&out, ", of one of %" PRIu64 " keys or values", watch_sample(&a->w));
        text_add(&out, "\n");
        add_other_violations(a, &out);
    }
    if (v == VERDICT_VIOLATION) alarm_news_set(a->settings->news, a->w.o->name, watch_reason(&a->w));
    int printed = print_text(&out);
    if (a->witness_error.size) {
        error_set(&e, EXIT_UNDECIDED, "%s", text_str(&a->witness_error));
        complain(&e);
    }
    text_free(&a->witness_error);
    if (printed) return printed;
    if (a->page_failed) return EXIT_CANNOT_OPEN;
    return v == VERDICT_LINEARIZABLE && *a->settings->stop ? EXIT_INTERRUPTED : codes[v];
}

int watch_attached(const attach_settings *s) {
    attached a = {.settings = s, .m = {.fd = -1}, .started = clock_seconds(), .shown = clock_seconds()};
    error e = {0};
    a.terminal = !s->quiet && isatty(STDERR_FILENO);
    if (!recording_attach(&a.m, s->path, &e)) {
        recording_close(&a.m);
        return complain(&e);
    }
    checker_options how = {.max_lag = s->max_lag ? s->max_lag : VERIFIER_MAX_LAG, .general = s->general};
    int code;
    bool watching = watch_init(&a.w, &a.m, &how);
    if (watching && s->adapt && !watch_can_adapt(&a.w))
        watching = error_set(&a.w.error, EXIT_USAGE,
                             "--adapt: object %s has no keys that can be left out; it is for kv "
                             "and set",
                             a.w.o->name);
    if (watching) {
        a.w.go_on = s->go_on;
        a.w.adapt = s->adapt;
        a.w.found = keep_evidence;
        a.w.context = &a;
        watch_to_the_end(&a);
        code = report(&a);
    } else {
        code = complain(&a.w.error);
    }
    watch_free(&a.w);
    recording_close(&a.m);
    return code;
}
