/* From a path to a report: read, bind to an object, judge, put down what was found. */
#include "cli/job.h"

#include "base/mem.h"
#include "evidence/certificate.h"
#include "evidence/proof.h"
#include "object/trust.h"
#include "report/html.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void job_init(job *j, const char *path, bool independent) {
    *j = (job){.path = path, .independent = independent};
    atomic_init(&j->operations, UNKNOWN_COUNT);
    budget_init(&j->budget, 0, 0);
}

void job_free(job *j) {
    free(atomic_load(&j->understood));
    report_free((report *)job_report(j));
}

static void publish_understood(job *j, const format *f, const history *h, const object *o, const char *object_from) {
    text line = {0};
    format_understood(j->path, f, h, &line);
    if (line.size && line.at[line.size - 1] == '\n') line.at[--line.size] = 0;
    text_printf(&line, "; object %s%s\n", o->name, object_from);
    assert(!atomic_load(&j->understood)); /* published once: the supervisor prints it */
    atomic_store(&j->understood, line.at);
}

/* The object the user named, or the one the file names, or the only one that has these methods. */
static object *choose_object(const job *j, const job_settings *s, const history *h, const char **from, error *e) {
    if (s->object) {
        *from = "";
        return specification_of_file(j->path, s->object, NULL, history_init(h, s->object, s->init), s->init, e);
    }
    if (h->object_hint) {
        *from = " (named by the file)";
        return specification_of_file(j->path, NULL, h->object_hint, history_init(h, NULL, s->init), s->init, e);
    }
    const object_type *t = object_infer(h, j->path, e);
    *from = " (by its methods)";
    if (!t) strncat(e->what, " (--object O)", sizeof e->what - strlen(e->what) - 1);
    return t ? object_open(t->name, s->init, e) : NULL;
}

static void write_page(const job *j, const job_settings *s, report *r, const history *h, const object *o,
                       const judgement *found, const relaxation *relaxed) {
    if (!s->html || r->error.code) return;
    picture p = picture_of(j->path, h, o, found);
    if (r->relaxed) p.criterion = r->criterion;
    p.relaxation = relaxed;
    r->page = html_write(s->html, &p, &r->error);
}

static void judge_bound(job *j, const job_settings *s, report *r, const history *h, const object *o) {
    assert(h->n == r->operations && h->pending == r->pending);
    judge_options options = {.decide = {.engine = s->engine, .setting = s->setting, .threads = s->threads},
                             .evidence = s->evidence};
    judgement found = {0};
    atomic_store(&j->stage, STAGE_DECIDING);
    if (judge(h, o, &options, &j->budget, &j->furthest, &found, &r->error)) {
        report_take(r, h, o, &found, &s->wishes);
        if (s->certificate && found.verdict != VERDICT_UNDECIDED)
            certificate_write(s->certificate, h, o, &found, &r->error);
        if (s->proof && found.verdict == VERDICT_VIOLATION) proof_write(s->proof, h, o, &found, &j->budget, &r->error);
        write_page(j, s, r, h, o, &found, NULL);
    }
    judgement_free(&found);
}

static void measure_bound(job *j, const job_settings *s, report *r, const history *h, object *o) {
    judge_options options = {.decide = {.engine = s->engine, .setting = s->setting, .threads = s->threads}};
    relaxation found = {0};
    atomic_store(&j->stage, STAGE_DECIDING);
    if (measure_relaxation(h, o, &options, &j->budget, &j->furthest, &found, &r->error)) {
        report_take_measure(r, h, o, &found, &s->wishes);
        if (s->certificate && found.above.verdict != VERDICT_UNDECIDED)
            certificate_write(s->certificate, h, o, &found.above, &r->error);
        write_page(j, s, r, h, o, &found.above, &found);
    }
    relaxation_free(&found);
}

/* Nothing says what object it is of, and there is nothing to judge. */
static bool nothing_to_judge(const job_settings *s, const history *h, report *r) {
    char why[160];
    if (h->n || h->object_hint || s->object) return false;
    history_say_nothing_judged(h, why, sizeof why);
    text_add(&r->reason, why);
    report_criterion(r, &s->criterion);
    r->operations = r->pending = 0;
    return true;
}

static void judge_history(job *j, const job_settings *s, report *r, const format *f, history *h) {
    const char *from = "";
    if (nothing_to_judge(s, h, r)) {
        history_free(h);
        return;
    }
    h->keep_lines = s->wishes.lines;
    object *o = choose_object(j, s, h, &from, &r->error);
    if (o) r->object = mem_string(o->name);
    bool relaxed = o && object_relax(o, &s->criterion, &r->error);
    report_criterion(r, relaxed ? &o->criterion : &s->criterion);
    if (relaxed && object_bind(o, h, j->path, &r->error)) {
        publish_understood(j, f, h, o, from);
        r->operations = h->n;
        r->pending = h->pending;
        atomic_store(&j->pending, h->pending);
        atomic_store(&j->operations, h->n);
        if (s->measure) measure_bound(j, s, r, h, o);
        else judge_bound(j, s, r, h, o);
    }
    history_free(h);
    object_close(o);
}

static void stopped(report *r, stop_reason why, const char *doing) {
    assert(why != STOP_NONE);
    r->error = (error){0};
    r->verdict = VERDICT_UNDECIDED;
    text_printf(&r->reason, "%s %s", stop_reason_text(why), doing);
}

report *job_work(job *j, const job_settings *s) {
    report *r = report_new(j->path);
    read_options how = s->read;
    how.independent |= j->independent;
    how.bytes = &j->bytes;
    how.stop = &j->stop_reading;
    const format *used = NULL;
    history *h = format_read(j->path, &how, &used, &r->error);
    assert(!h == (r->error.code != 0)); /* a history, or why there is none */
    r->read_seconds = clock_seconds() - j->started;
    r->format = used ? used->name : NULL;
    if (h && !budget_spent(&j->budget)) judge_history(j, s, r, used, h);
    else history_free(h);
    bool no_verdict = !r->reason.size && r->verdict == VERDICT_UNDECIDED;
    if (budget_spent(&j->budget) && no_verdict && (!r->error.code || atomic_load(&j->stop_reading)))
        stopped(r, budget_why(&j->budget), "while reading");
    return r;
}

report *job_report_for(const job *j, bool begun, stop_reason why) {
    report *r = report_new(j->path);
    r->operations = atomic_load(&j->operations);
    r->pending = atomic_load(&j->pending);
    if (begun) r->seconds = clock_seconds() - j->started;
    if (!begun) stopped(r, why, "before it was begun");
    else if (atomic_load(&j->stage) == STAGE_READING) stopped(r, why, "while reading");
    else stopped(r, why, "while deciding; the worker did not stop by itself");
    uint32_t furthest = atomic_load(&j->furthest);
    if (furthest) r->prefix = furthest;
    return r;
}
