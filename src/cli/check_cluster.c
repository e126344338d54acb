/* plumb check --cluster: every input is a unit; results are told in the order of inputs, as if they were of here. */
#include "base/budget.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/units.h"
#include "report/report_pack.h"
#include "scale/submission.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 200 };
#define SEND_AGAIN_AFTER 15.0 /* seconds without a result, and nothing waits in the cluster */
#define NO_WORKER_AFTER 5.0

typedef struct batch {
    check_settings *c;
    const job_settings *s;
    const inputs *in;
    submission *to;
    report **report; /* of each input; NULL: not yet */
    uint32_t printed, done;
    check_reporter p;
    double started, heard;
    bool progress, told_no_worker;
} batch;

/* ---- refusals ---- */

static bool fits(const check_settings *c, const inputs *in, error *e) {
    const char *alone = c->certificate ? "--certificate" : c->proof ? "--proof" : c->html ? "--html" : NULL;
    if (alone) return error_set(e, EXIT_USAGE, "%s is written here; expected it without --cluster", alone);
    if (c->object && strpbrk(c->object, "/."))
        return error_set(e, EXIT_USAGE, "--object %s: files do not travel to workers; expected a built-in object",
                         c->object);
    for (uint32_t i = 0; i < in->n; i++)
        if (!strcmp(in->path[i], "-")) return error_set(e, EXIT_USAGE, "-: expected files with --cluster");
    return true;
}

/* ---- sending ---- */

static bool read_input(const char *path, text *out, error *e) {
    char block[65536];
    FILE *f = fopen(path, "rbe");
    text_clear(out);
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) text_bytes(out, block, n);
    const bool bad = ferror(f);
    fclose(f);
    return !bad || error_set(e, EXIT_CANNOT_OPEN, "cannot read %s: %s", path, strerror(errno));
}

static void take_report(batch *b, uint32_t i, report *r) {
    if (b->report[i]) report_free(r); /* a second result of one unit */
    else {
        b->report[i] = r;
        b->done++;
    }
}

static bool send_input(batch *b, uint32_t i, error *e) {
    text bytes = {0}, body = {0};
    unit u = {.seconds = b->s->timeout};
    error wrong = {0};
    snprintf(u.id, sizeof u.id, "%" PRIu32, i);
    snprintf(u.label, sizeof u.label, "%.190s", b->in->path[i]);
    bool good = true;
    if (!read_input(b->in->path[i], &bytes, &wrong)) {
        report *r = report_new(b->in->path[i]);
        r->error = wrong;
        take_report(b, i, r);
    } else {
        const bool inside = bytes.size <= UNIT_INLINE;
        if (!inside) good = submission_put_contents(b->to, bytes.at, bytes.size, u.blob[u.blobs++], e);
        check_settings c = *b->c;
        c.independent |= b->in->independent[i];
        check_unit_pack(&c, b->s, b->in->path[i], inside ? text_str(&bytes) : NULL, bytes.size, &body);
        good = good && submission_add(b->to, &u, body.at, body.size, e);
    }
    text_free(&bytes);
    text_free(&body);
    return good;
}

static bool send_missing(batch *b, error *e) {
    for (uint32_t i = 0; i < b->in->n && !interrupted; i++)
        if (!b->report[i] && !send_input(b, i, e)) return false;
    return true;
}

/* ---- receiving ---- */

static report *undecided(const char *file, const char *why, const wire_reader *more) {
    report *r = report_new(file);
    text said = {0};
    if (more->left) text_bytes(&said, more->p, more->left);
    text_printf(&r->reason, "%s: ", why);
    text_printable(&r->reason, text_str(&said)); /* by another machine */
    text_free(&said);
    return r;
}

static void take_result(batch *b, const unit_result *from) {
    char *end;
    const unsigned long i = strtoul(from->id, &end, 10);
    report *r = NULL;
    wire_reader body = from->body;
    if (*end || i >= b->in->n) return;
    b->heard = clock_seconds();
    if (from->state == RESULT_DONE) r = report_unpack(&body);
    else if (from->state == RESULT_SET_ASIDE) r = undecided(b->in->path[i], "set aside", &from->body);
    if (!r) {
        r = report_new(b->in->path[i]);
        result_refusal(from, &r->error);
    }
    take_report(b, (uint32_t)i, r);
}

static void show_progress(const batch *b) {
    const double seconds = clock_seconds() - b->started, rate = seconds > 0 ? b->done / seconds : 0;
    if (!b->progress) return;
    fprintf(stderr, "\r%u of %u, %.0f/s", b->done, b->in->n, rate);
    if (rate > 0) fprintf(stderr, ", about %.0f s left", (b->in->n - b->done) / rate);
    fputs("\033[K", stderr);
}

static void hand_out(batch *b) {
    if (b->progress && b->printed < b->in->n && b->report[b->printed]) fputs("\r\033[K", stderr);
    for (; b->printed < b->in->n && b->report[b->printed]; b->printed++)
        check_report_one(&b->p, b->printed, b->report[b->printed]);
    show_progress(b);
}

/* What was lost with a server, or with the one who sent it first. */
static bool look_after(batch *b, error *e) {
    const double quiet = clock_seconds() - b->heard;
    if (quiet > NO_WORKER_AFTER && !b->told_no_worker && !b->c->quiet && !submission_workers(b->to)) {
        fprintf(stderr, "no worker is there; waiting for one (plumb worker --cluster %s)\n", b->c->cluster.url);
        b->told_no_worker = true;
    }
    if (quiet < SEND_AGAIN_AFTER || !submission_idle(b->to)) return true;
    b->heard = clock_seconds();
    return send_missing(b, e);
}

static bool gather(batch *b, error *e) {
    text bytes = {0};
    unit_result r;
    bool good = true;
    while (good && b->done < b->in->n && !interrupted) {
        const transport_answer a = submission_next(b->to, LOOK_MILLISECONDS, &bytes, &r, e);
        if (a == TRANSPORT_DONE) take_result(b, &r);
        else if (a == TRANSPORT_NOTHING) good = look_after(b, e);
        else good = false;
        hand_out(b);
    }
    text_free(&bytes);
    return good;
}

/* ---- all of it ---- */

/* The run is of these files, in this order, under these options. */
static void name_run(const check_settings *c, const job_settings *s, const inputs *in, char out[SHA256_HEX]) {
    text all = {0};
    check_unit_pack(c, s, "", NULL, 0, &all);
    for (uint32_t i = 0; i < in->n; i++) pack_string(&all, in->path[i]);
    sha256_name(all.at, all.size, out);
    text_free(&all);
}

static void interrupted_rest(batch *b) {
    for (uint32_t i = 0; i < b->in->n; i++) {
        if (b->report[i]) continue;
        b->report[i] = report_new(b->in->path[i]);
        text_add(&b->report[i]->reason, "interrupted before its result came");
    }
    hand_out(b);
}

static bool run_batch(batch *b, error *e) {
    text bytes = {0};
    unit_result r;
    if (!b->c->quiet) fprintf(stderr, "run %s\n", submission_name(b->to));
    while (submission_next_kept(b->to, &bytes, &r, e)) take_result(b, &r);
    if (submission_resumed(b->to) && !b->c->quiet) fprintf(stderr, "%u results were there already\n", b->done);
    text_free(&bytes);
    b->heard = clock_seconds();
    hand_out(b);
    return !e->code && send_missing(b, e) && gather(b, e);
}

int check_on_cluster(check_settings *c, const job_settings *s, const inputs *in) {
    char of[SHA256_HEX];
    error e = {0};
    batch b = {.c = c, .s = s, .in = in, .started = clock_seconds(), .p = check_reporter_make(c, in)};
    interrupt_listen();
    cluster_settings_complete(&c->cluster);
    name_run(c, s, in, of);
    if (!fits(c, in, &e) || !(b.to = submission_open(&c->cluster, "check", c->resume, of, &interrupted, &e)))
        return complain(&e);
    b.progress = !c->quiet && isatty(STDERR_FILENO);
    b.report = mem_zero(in->n, sizeof *b.report);
    const bool good = run_batch(&b, &e);
    if (b.progress) fputs("\r\033[K", stderr);
    if (!good || interrupted) {
        if (!c->quiet) fprintf(stderr, "go on with --resume %s\n", submission_name(b.to));
        if (good) interrupted_rest(&b);
    }
    if (good) check_report_all(&b.p, (const report *const *)b.report, in->n);
    submission_close(b.to, good && !interrupted);
    for (uint32_t i = 0; i < in->n; i++) report_free(b.report[i]);
    free(b.report);
    if (!good) return complain(&e);
    return interrupted ? EXIT_INTERRUPTED : b.p.code;
}
