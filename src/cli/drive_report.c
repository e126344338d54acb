#include "cli/drive_report.h"

#include "base/whole_file.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/interrupt.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_MOST = 1 << 20, FOLDERS_MOST = 10000, JUDGE_SECONDS = 120 };

typedef struct drive_files { /* what is kept; empty: not */
    text folder, history, page, certificate;
    bool kept, page_written;
} drive_files;

/* ---- the verdict ---- */

/* Operations that failed take no part, and those whose outcome is unknown fit everywhere. */
static bool judged_nothing(const drive_run *r) { return atomic_load(&r->counts.done) == 0; }

/* Stopped early, the history so far was judged: that is a verdict of what there is. */
static verdict verdict_of(drive_run *r) {
    monitor *m = event_feed_monitor(r->judge.feed);
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) return monitor_verdict(m);
    return *monitor_doubt(m) || judged_nothing(r) ? VERDICT_UNDECIDED : VERDICT_LINEARIZABLE;
}

static void add_reason(drive_run *r, text *out) {
    monitor *m = event_feed_monitor(r->judge.feed);
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) text_add(out, monitor_reason(m));
    else if (judged_nothing(r) && r->trouble.size) text_printf(out, "nothing was judged: %s", text_str(&r->trouble));
    else if (judged_nothing(r)) text_add(out, "nothing was judged");
    else text_printf(out, "no violation found; %s", monitor_doubt(m));
}

static void add_times(double seconds, text *out) {
    if (seconds < 1) text_printf(out, "%.0f ms", seconds * 1e3);
    else if (seconds < 120) text_printf(out, "%.1f s", seconds);
    else text_printf(out, "%.0f min %02.0f s", (double)(int)(seconds / 60), seconds - 60 * (int)(seconds / 60));
}

static void add_counts(const drive_options *o, drive_run *r, text *out) {
    text_printf(out, "%s, %" PRIu64 " operations by %" PRIu64 " client%s in ", r->object,
                (uint64_t)atomic_load(&r->counts.calls), o->clients, o->clients == 1 ? "" : "s");
    add_times(r->seconds, out);
    uint64_t unknown = atomic_load(&r->counts.unknown), failed = atomic_load(&r->counts.failed);
    if (unknown) text_printf(out, ", %" PRIu64 " pending", unknown);
    if (failed) text_printf(out, ", %" PRIu64 " failed", failed);
    if (o->faults) text_printf(out, ", %u fault%s", r->faults, r->faults == 1 ? "" : "s");
    if (r->interrupted) text_add(out, "; interrupted");
    if (r->unhealed.size) text_printf(out, "; a node did not come back: %s", text_str(&r->unhealed));
}

/* With --go-on. */
static void add_violations(const monitor *m, text *out) {
    uint32_t n;
    const char *why;
    const monitor_violation *v = monitor_violations(m, &n);
    for (uint32_t i = 0; i < n; i++) text_printf(out, "violation at event %" PRIu64 ": %s\n", v[i].event, v[i].reason);
    uint64_t unjudged = monitor_unjudged(m, &why);
    if (n) text_printf(out, "%u violation%s; %" PRIu64 " operations were not judged\n", n, n == 1 ? "" : "s", unjudged);
}

static void add_text(const drive_options *o, const char *name, drive_run *r, text *out) {
    verdict v = verdict_of(r);
    const monitor *m = live_judge_monitor(&r->judge);
    int64_t time;
    text_printf(out, "%s: ", verdict_text(v));
    text_printable(out, name ? name : o->exec);
    text_add(out, ": ");
    if (v != VERDICT_LINEARIZABLE) add_reason(r, out);
    if (v == VERDICT_VIOLATION && event_feed_time(r->judge.feed, monitor_bad_event(m), &time)) {
        text_add(out, ", seen after ");
        add_times((double)time * 1e-9, out);
    }
    if (v != VERDICT_LINEARIZABLE) text_add(out, "; ");
    add_counts(o, r, out);
    text_char(out, '\n');
    if (o->go_on) add_violations(m, out);
}

/* ---- the command that repeats it ---- */

static void add_quoted(text *out, const char *word) {
    text_add(out, " '");
    for (; *word; word++) {
        if (*word == '\'') text_add(out, "'\\''");
        else text_char(out, *word);
    }
    text_char(out, '\'');
}

static void add_option(text *out, const char *option_name, const char *word) {
    if (!word) return;
    text_printf(out, " --%s", option_name);
    add_quoted(out, word);
}

static void add_number(text *out, const char *option_name, uint64_t n, uint64_t standard) {
    if (n != standard) text_printf(out, " --%s %" PRIu64, option_name, n);
}

static void add_seconds(text *out, const char *option_name, double n, double standard) {
    if (n < standard || n > standard) text_printf(out, " --%s %g", option_name, n);
}

static void add_command(const drive_options *o, const char *name, text *out) {
    text_add(out, "plumb drive");
    if (name) add_quoted(out, name);
    add_option(out, "exec", o->exec);
    add_option(out, "object", o->object);
    add_option(out, "init", o->init);
    add_option(out, "faults", o->faults);
    add_option(out, "at", o->at);
    add_option(out, "skew", o->skew);
    add_option(out, "phases", o->phases);
    for (const char *p = text_str(&o->set); *p;) {
        size_t n = strcspn(p, " ");
        text_printf(out, " --set '%.*s'", (int)n, p);
        p += n + strspn(p + n, " ");
    }
    text_printf(out, " --seed %" PRIu64 " --clients %" PRIu64, o->seed, o->clients);
    add_number(out, "ops", o->ops, 0);
    add_number(out, "nodes", o->nodes, 0);
    add_number(out, "keys", o->keys, 0);
    add_number(out, "rotate", o->rotate, 0);
    add_number(out, "rate", o->rate, 0);
    add_number(out, "occupancy", o->occupancy, 32);
    add_seconds(out, "time", o->time, 10);
    add_seconds(out, "every", o->every, 5);
    add_seconds(out, "lasts", o->lasts, 2);
    add_seconds(out, "timeout", o->timeout, 1);
    add_seconds(out, "think", o->think, 0);
    add_seconds(out, "quiet-end", o->quiet_time, 10);
    if (o->reads >= 0) text_printf(out, " --reads %g", o->reads);
    if (o->go_on) text_add(out, " --go-on");
    text_char(out, '\n');
}

/* ---- JSON ---- */

static void add_json_text(text *out, const char *name, const text *t) {
    text_printf(out, ",\"%s\":", name);
    if (t->size) text_json(out, t->at, t->size);
    else text_add(out, "null");
}

static void add_json(const drive_options *o, const char *name, drive_run *r, const drive_files *f, text *out) {
    verdict v = verdict_of(r);
    text reason = {0}, again = {0};
    uint32_t found;
    monitor_violations(live_judge_monitor(&r->judge), &found);
    text_add(out, "{\"schema\":\"plumb.drive/1\",\"service\":");
    text_json(out, name ? name : o->exec, strlen(name ? name : o->exec));
    text_add(out, ",\"object\":");
    text_json(out, r->object, strlen(r->object));
    text_printf(out,
                ",\"verdict\":\"%s\",\"seed\":%" PRIu64 ",\"clients\":%" PRIu64 ",\"operations\":%" PRIu64
                ",\"done\":%" PRIu64 ",\"pending\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"unconnected\":%" PRIu64
                ",\"faults\":%u,\"violations\":%u,\"interrupted\":%s,\"seconds\":%.3f",
                verdict_text(v), o->seed, o->clients, (uint64_t)atomic_load(&r->counts.calls),
                (uint64_t)atomic_load(&r->counts.done), (uint64_t)atomic_load(&r->counts.unknown),
                (uint64_t)atomic_load(&r->counts.failed), (uint64_t)atomic_load(&r->counts.unconnected), r->faults,
                found, r->interrupted ? "true" : "false", r->seconds);
    if (v != VERDICT_LINEARIZABLE) add_reason(r, &reason);
    add_command(o, name, &again);
    again.size--; /* without its newline */
    add_json_text(out, "reason", &reason);
    add_json_text(out, "trouble", &r->trouble);
    add_json_text(out, "history", &f->history);
    add_json_text(out, "page", &f->page);
    add_json_text(out, "certificate", &f->certificate);
    add_json_text(out, "again", &again);
    text_add(out, "}\n");
    text_free(&reason);
    text_free(&again);
}

/* ---- files ---- */

/* By blocks: the history of a long run is larger than what one would hold in memory. */
static bool copy_rest(FILE *in, FILE *out) {
    char block[65536];
    size_t n;
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        if (fwrite(block, 1, n, out) != n) return false;
    return !ferror(in);
}

/* The last part of a long one. */
static bool copy_file(const char *from, const char *to, long most, error *e) {
    FILE *in = fopen(from, "re");
    if (!in) return true; /* a log that was never begun */
    FILE *out = fopen(to, "we");
    if (most && !fseek(in, 0, SEEK_END) && ftell(in) > most) fseek(in, -most, SEEK_END);
    else rewind(in);
    bool good = out && copy_rest(in, out);
    int wrong = errno;
    if (out && fclose(out) && good) wrong = errno, good = false;
    fclose(in);
    return good || error_set(e, EXIT_CANNOT_OPEN, "%s: cannot write: %s", to, strerror(wrong));
}

static const char *short_name(const char *name) {
    const char *slash = name ? strrchr(name, '/') : NULL;
    return !name ? "exec" : slash ? slash + 1 : name;
}

/* The folder that was asked for, or the next one that is free. */
static bool make_folder(const drive_options *o, const char *name, text *out, error *e) {
    if (o->save) {
        text_add(out, o->save);
        return mkdir(o->save, 0755) == 0 || errno == EEXIST ||
               error_set(e, EXIT_CANNOT_OPEN, "%s: %s", o->save, strerror(errno));
    }
    for (unsigned i = 1; i < FOLDERS_MOST; i++) {
        text_clear(out);
        text_printf(out, "drive-%s-%u", short_name(name), i);
        if (mkdir(text_str(out), 0755) == 0) return true;
        if (errno != EEXIST) break;
    }
    return error_set(e, EXIT_CANNOT_OPEN, "%s: %s; expected --save FOLDER", text_str(out), strerror(errno));
}

static bool keep_logs(drive_run *r, const drive_files *f, error *e) {
    bool good = true;
    for (uint32_t n = 1; n <= r->nodes && good; n++) {
        text from = {0}, to = {0};
        text_printf(&from, "%s/n%u.log", text_str(&r->folder), n);
        text_printf(&to, "%s/n%u.log", text_str(&f->folder), n);
        good = copy_file(text_str(&from), text_str(&to), LOG_MOST, e);
        text_free(&from);
        text_free(&to);
    }
    return good;
}

static void remove_kept(const text *folder, const char *file) {
    text path = {0};
    text_printf(&path, "%s/%s", text_str(folder), file);
    unlink(text_str(&path));
    text_free(&path);
}

/* What a run before kept in the same folder is not of this one; its history says that there was one. */
static void forget_earlier_run(const text *folder, const text *judged) {
    char log[16];
    if (access(text_str(judged), F_OK)) return;
    remove_kept(folder, "report.html");
    remove_kept(folder, "violation.certificate");
    for (unsigned n = 1; n <= KEEPER_NODES; n++) {
        snprintf(log, sizeof log, "n%u.log", n);
        remove_kept(folder, log);
    }
}

static bool keep_files(const drive_options *o, const char *name, drive_run *r, drive_files *f, error *e) {
    text again = {0}, path = {0};
    if (!make_folder(o, name, &f->folder, e)) return false;
    text_printf(&f->history, "%s/history.events.jsonl", text_str(&f->folder));
    forget_earlier_run(&f->folder, &f->history);
    text_printf(&path, "%s/command", text_str(&f->folder));
    add_command(o, name, &again);
    bool good = copy_file(text_str(&r->history), text_str(&f->history), 0, e) && keep_logs(r, f, e) &&
                whole_file_write(text_str(&path), again.at, again.size, e);
    text_free(&again);
    text_free(&path);
    f->kept = good;
    if (!good) text_clear(&f->history); /* what is judged again is the one of the run */
    return good;
}

static void choose_files(const drive_options *o, verdict v, drive_files *f) {
    if (o->html) text_add(&f->page, o->html);
    else if (f->folder.size && v == VERDICT_VIOLATION) text_printf(&f->page, "%s/report.html", text_str(&f->folder));
    if (o->certificate) text_add(&f->certificate, o->certificate);
    else if (f->folder.size && v == VERDICT_VIOLATION)
        text_printf(&f->certificate, "%s/violation.certificate", text_str(&f->folder));
}

/* The whole history as `plumb check` judges it: a second opinion, the core, the page and the certificate. */
static int judge_again(const drive_options *o, drive_run *r, drive_files *f) {
    check_settings c = {.html = f->page.size ? text_str(&f->page) : NULL,
                        .object = r->object,
                        .init = o->init,
                        .certificate = f->certificate.size ? text_str(&f->certificate) : NULL,
                        .timeout = JUDGE_SECONDS,
                        .json = o->json,
                        .quiet = true,
                        .brief = o->quiet,
                        .wrote = &f->page_written};
    char *path = (char *)text_str(f->history.size ? &f->history : &r->history);
    return check_files(&c, &path, 1);
}

/* A disk may have been full: only what is there is named. */
static void forget_unwritten(drive_files *f) {
    if (!f->page_written) text_clear(&f->page);
    if (f->certificate.size && access(text_str(&f->certificate), F_OK)) text_clear(&f->certificate);
}

/* Behind the report of the whole history, if there is one: by then it is known what was written. */
static int print_json(const drive_options *o, const char *name, drive_run *r, const drive_files *f) {
    text out = {0};
    add_json(o, name, r, f, &out);
    return print_text(&out);
}

/* Names are the user's words and may hold anything; the command is in its folder as it is. */
static void say_line(const char *what, const char *words) {
    text line = {0};
    text_printable(&line, words);
    fprintf(stderr, "%s %s\n", what, text_str(&line));
    text_free(&line);
}

static void say_files(const drive_options *o, const char *name, const drive_files *f) {
    text folder = {0}, again = {0};
    if (o->quiet || o->json) return;
    text_printf(&folder, "%s/", text_str(&f->folder));
    if (f->folder.size) say_line(f->kept ? "kept:" : "not kept whole:", text_str(&folder));
    if (o->html) say_line(f->page_written ? "the page is" : "no page was written to", o->html);
    add_command(o, name, &again);
    again.at[--again.size] = '\0'; /* without its newline */
    say_line("again:", text_str(&again));
    text_free(&folder);
    text_free(&again);
}

static int exit_code(drive_run *r, int again) {
    static const int codes[] = {EXIT_LINEARIZABLE, EXIT_VIOLATION, EXIT_UNDECIDED};
    verdict v = verdict_of(r);
    error e = {0};
    if ((v == VERDICT_VIOLATION && again == EXIT_LINEARIZABLE) ||
        (v == VERDICT_LINEARIZABLE && again == EXIT_VIOLATION)) {
        error_set(&e, EXIT_INTERNAL, "internal error: the monitor and the check of the whole history disagree");
        return complain(&e);
    }
    if (again >= EXIT_USAGE && again != EXIT_INTERRUPTED) return again; /* a file could not be written */
    return v != VERDICT_VIOLATION && r->interrupted ? EXIT_INTERRUPTED : codes[v];
}

int drive_report(const drive_options *o, const char *name, drive_run *r) {
    drive_files f = {0};
    error e = {0};
    text out = {0};
    if (o->go_on) monitor_close_list(event_feed_monitor(r->judge.feed));
    verdict v = verdict_of(r);
    int again = -1;
    if ((v == VERDICT_VIOLATION || o->save) && !keep_files(o, name, r, &f, &e)) complain(&e);
    choose_files(o, v, &f);
    if (!o->json) add_text(o, name, r, &out);
    int code = print_text(&out);
    interrupted = 0; /* the run was; what follows is not */
    if (!code && (v == VERDICT_VIOLATION || f.page.size || f.certificate.size)) again = judge_again(o, r, &f);
    forget_unwritten(&f);
    if (!code && o->json) code = print_json(o, name, r, &f);
    say_files(o, name, &f);
    if (!code) code = e.code ? e.code : exit_code(r, again);
    text_free(&f.folder);
    text_free(&f.history);
    text_free(&f.page);
    text_free(&f.certificate);
    return code;
}
