#include "cli/explore_run.h"

#include "base/budget.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/explore_page.h"
#include "cli/interrupt.h"
#include "cli/explore_failure.h"
#include "cli/explore_measure.h"
#include "cli/explore_plan.h"
#include "cli/explore_serial.h"
#include "cli/gdb.h"
#include "cli/test_program.h"
#include "explore/outside/test_file.h"
#include "report/exploration.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { INTERLEAVING_LINES = 30, PAGE_ROWS = 50, PAGE_COLUMNS = 120 };
#define FROM_SECONDS 10

/* ---- progress ---- */

static void show_progress(void *context, const hunt *h) {
    const campaign_result *r = &h->so_far;
    const stage_result *stage = r->stages ? &r->stage[r->stages - 1] : NULL;
    bool *shown = context;
    uint64_t executions = h->executions + r->executions;
    fprintf(stderr, "\r%s%.0u: program %" PRIu64 ", %" PRIu64 " executions, %.0f/s, %" PRIu64 " histories",
            stage ? stage->strategy : "starting", stage ? stage->bound : 0, h->programs + 1, executions,
            h->seconds > 0 ? (double)executions / h->seconds : 0, h->histories + r->histories);
    if (r->estimate > 0) fprintf(stderr, ", about %.0f in all", r->estimate);
    fputs("\033[K", stderr);
    *shown = true;
}

/* ---- reports ---- */

static bool write_file(const char *path, text *t, error *e) {
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(t->at, 1, t->size, f) == t->size;
    if (f && fclose(f)) good = false;
    text_free(t);
    return good || error_set(e, EXIT_CANNOT_OPEN, "cannot write %s: %s", path, strerror(errno));
}

/* One page: of the terminal when there is one. */
static interleaving_wishes page_wishes(bool full, int color) {
    struct winsize size;
    interleaving_wishes w = {.full = full,
                             .lines = INTERLEAVING_LINES,
                             .rows = PAGE_ROWS,
                             .columns = PAGE_COLUMNS,
                             .colours = colours_choose((colour_wish)color, STDOUT_FILENO)};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 && size.ws_col)
        w.rows = size.ws_row - 1u, w.columns = size.ws_col;
    return w;
}

/* A page on standard output is there alone. */
static bool print_beside(const char *html, text *out) {
    if (!html || strcmp(html, "-")) return print_text(out) == 0;
    fputs(text_str(out), stderr);
    text_free(out);
    return true;
}

static bool print_reports(const explore_settings *s, const exploration *r, error *e) {
    text out = {0}, file = {0};
    interleaving_wishes w = page_wishes(s->full, s->color);
    if (s->json) exploration_json(r, &out);
    else exploration_text(r, &w, &out);
    if (s->github) exploration_github(r, &out);
    bool good = print_beside(s->html, &out);
    if (s->junit) exploration_junit(r, &file), good &= write_file(s->junit, &file, e);
    if (s->sarif) exploration_sarif(r, &file), good &= write_file(s->sarif, &file, e);
    return good;
}

static void say_page(const char *path, bool quiet) {
    if (!quiet && strcmp(path, "-")) fprintf(stderr, "the page is %s\n", path);
}

/* ---- all of it ---- */

/* What the command line says, over what the test declares. Threads are the business of the hunt. */
static run_request request_of(const explore_settings *s, const plan *p) {
    run_request r = s->how;
    r.threads = NULL;
    r.object = p->object;
    r.init = p->init;
    r.criterion = NULL;
    if (!p->object) r.monitor = NULL;
    r.symmetry = p->has_symmetry && !s->assume_nothing;
    r.trust_loops = !s->assume_nothing;
    return r;
}

/* What the failing program was checked against. */
static run_request request_for(const run_request *how, serial_check *serial, const program_result *failure,
                               text *name) {
    run_request r = *how;
    const char *own = serial ? serial_check_object(serial, failure ? failure->threads : NULL, name) : NULL;
    if (!own) return r;
    /* it may have failed before there were any runs */
    r.object = failure && failure->answer.result.failure == FAILURE_VIOLATION ? own : NULL;
    r.init = NULL;
    return r;
}

typedef struct found {
    const hunt *hunt;
    measured measured;
    serial_check *serial; /* NULL: none */
} found;

static bool report_hunt(const explore_settings *s, const test_program *t, const run_request *how, const found *f,
                        const char *schedule_path, error *e, int *code) {
    execution x = {0};
    text name = {0}, machine = {0};
    explained why = {0};
    saved_schedule saved = {0};
    const program_result *failure = f->hunt->failed ? &f->hunt->failure : f->measured.forced;
    run_request was = request_for(how, f->serial, failure, &name);
    exploration r = {.name = t->name, .object = was.object, .hunt = f->hunt, .measured = f->measured, .how = how};
    bool good = true, repeats = failure && failure->answer.schedule;
    if (!s->measure) r.criterion = how->criterion;
    if (f->serial) serial_check_describe(f->serial, &r.specification), r.serial_orders = serial_check_orders(f->serial);
    r.debug = debug_info_open(t->binary);
    if (failure == f->measured.forced && failure) was.criterion = f->measured.below;
    if (repeats) {
        r.x = &x;
        good = failure_show(t, &was, failure, &x, &r, &why, e);
        saved = failure_schedule(t, &was, failure, &machine);
        if (good && schedule_save(schedule_path, &saved, e)) r.schedule = schedule_path;
    }
    *code = exploration_exit_code(&r);
    if (good) good = print_reports(s, &r, e);
    if (good && s->html) good = explore_page(s->html, &r, &why, repeats ? &saved : NULL, t->binary, *code, e);
    if (good && s->html) say_page(s->html, s->quiet);
    explained_free(&why);
    text_free(&machine);
    text_free(&r.diagram);
    text_free(&r.sentences);
    text_free(&r.specification);
    text_free(&name);
    debug_info_close(r.debug);
    execution_free(&x);
    return good;
}

/* Beside each other: TEST.schedule, TEST.serial. */
static void schedule_name(const explore_settings *s, const test_program *t, char *out, size_t room) {
    const char *slash = strrchr(t->name, '/'), *base = slash ? slash + 1 : t->name;
    size_t n = strcspn(base, ".");
    if (s->schedule) snprintf(out, room, "%s", s->schedule);
    else snprintf(out, room, "%.*s.schedule", (int)n, base);
}

static void serial_name(const char *beside, char *out, size_t room) {
    static const char last[] = ".schedule";
    size_t n = strlen(beside), m = sizeof last - 1;
    snprintf(out, room, "%.*s.serial", (int)(n > m && !strcmp(beside + n - m, last) ? n - m : n), beside);
}

/* The schedule that failed last time, if there is one for this test. */
static bool saved_first(const char *path, const test_program *t, saved_schedule *out) {
    error ignored = {0};
    *out = (saved_schedule){0};
    if (access(path, R_OK) || !schedule_load(path, out, &ignored)) return false;
    if (!strcmp(out->sources, text_str(&t->sources))) return true;
    saved_schedule_free(out);
    return false;
}

/* A made-up program may rightly wait for what nobody in it gives. */
static void note_waiting(hunt *h, const plan *p) {
    if (!h->failed || !p->makes_programs || h->failure.answer.result.failure != FAILURE_DEADLOCK) return;
    for (unsigned i = 0; i < p->space.ops; i++) {
        const program_operation *op = &p->space.op[i];
        if (op->removes && !op->waits)
            text_printf(&h->notes,
                        "this program was made up; if %s is meant to wait while there is nothing to take out, say so: "
                        "PLUMB_WAITS(%s)\n",
                        op->name, op->name);
    }
}

static void add_notes(hunt *h, const plan *p) {
    if (p->notes.size) text_bytes(&h->notes, p->notes.at, p->notes.size);
    note_waiting(h, p);
}

static bool explore_plan(const explore_settings *s, const test_program *t, const plan *p, hunt_options *o,
                         const char *path, int *code, error *e) {
    char serial_path[1100];
    hunt h = {0};
    measuring m = {0};
    found f = {.hunt = &h};
    serial_name(path, serial_path, sizeof serial_path);
    if (s->serial && !(f.serial = serial_check_open(s, t, p, &o->how, serial_path, e))) return false;
    if (f.serial) o->prepare = serial_check_prepare, o->prepare_context = f.serial;
    bool good = s->measure ? hunt_measured(t, o, &m, &h, e) : hunt_run(o, &h, e);
    if (*(bool *)o->context) fputs("\r\033[K", stderr);
    if (s->measure)
        f.measured =
            (measured){.asked = true, .k = m.k, .forced = m.has_forced ? &m.forced.failure : NULL, .below = m.below};
    add_notes(&h, p);
    if (good) good = report_hunt(s, t, &o->how, &f, path, e, code);
    if (interrupted) *code = EXIT_INTERRUPTED;
    measuring_free(&m);
    hunt_free(&h);
    serial_check_close(f.serial);
    return good;
}

static bool explore_program(const explore_settings *s, const test_program *t, int *code, error *e) {
    char path[1024];
    declarations d = {0};
    plan p = {0};
    text asked = {0};
    bool shown = false;
    session *first = session_open(t->binary, t->argv, e);
    bool good = first && session_declarations(first, &d, e) && plan_make(s, &d, &p, e);
    session_close(first);
    if (good) {
        saved_schedule again;
        schedule_name(s, t, path, sizeof path);
        hunt_options o = {.binary = t->binary,
                          .argv = t->argv,
                          .how = request_of(s, &p),
                          .threads = p.threads_n ? p.threads : NULL,
                          .threads_n = p.threads_n,
                          .space = p.makes_programs ? &p.space : NULL,
                          .jobs = s->how.jobs ? (unsigned)s->how.jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
                          .seconds = s->how.seconds,
                          .stop = &interrupted,
                          .context = &shown};
        criterion_print(&p.criterion, &asked);
        if (p.criterion.kind != CRITERION_LINEARIZABLE) o.how.criterion = text_str(&asked);
        if (!s->how.threads && saved_first(path, t, &again)) o.first = again.choices, o.first_threads = again.threads;
        bool has_first = o.first;
        if (!s->quiet && isatty(STDERR_FILENO)) o.progress = show_progress;
        good = explore_plan(s, t, &p, &o, path, code, e);
        if (has_first) saved_schedule_free(&again);
    }
    plan_free(&p);
    text_free(&asked);
    declarations_free(&d);
    return good;
}

int explore_run(const explore_settings *s, char **operand, unsigned operands, error *e) {
    test_program t;
    int code = EXIT_INTERNAL;
    interrupt_listen();
    if (test_program_make(&t, operand, operands, text_str(&s->flags), e)) explore_program(s, &t, &code, e);
    test_program_free(&t);
    return code;
}

/* ---- replay ---- */

/* The program has changed: where, and what can be found from there. */
static bool explore_from(const replay_settings *s, const char *path, const saved_schedule *saved, const test_program *t,
                         const run_request *how, const execution *x, debug_info *d, int *code, error *e) {
    hunt h;
    hunt_options o = {.binary = t->binary,
                      .argv = t->argv,
                      .how = *how,
                      .threads = saved->threads ? (const char *const *)&saved->threads : NULL,
                      .threads_n = saved->threads != NULL,
                      .jobs = 1,
                      .seconds = FROM_SECONDS,
                      .keep_size = true,
                      .stop = &interrupted};
    code_place c = d && x->steps ? debug_info_line(d, x->step[x->steps - 1].step.pc) : (code_place){0};
    text out = {0};
    error differs = {0};
    text_printf(&out, "the program has changed: its first %u steps are those of the schedule", x->steps);
    if (c.file)
        text_printf(&out, " (the last: thread %u at %s:%u)", x->step[x->steps - 1].thread, file_name(c.file), c.line);
    text_add(&out, ", then it does something else; exploring from there\n");
    print_beside(s->html, &out);
    o.how.strategy = "auto";
    o.how.bound = 2;
    o.how.prefix = saved->choices;
    o.how.prefix_steps = x->steps;
    interrupt_listen();
    if (!hunt_run(&o, &h, &differs)) {
        printf("the beginning cannot be repeated in the changed program: run plumb explore again\n");
        *code = EXIT_UNDECIDED;
        hunt_free(&h);
        return true;
    }
    bool good = true;
    if (h.failed) {
        o.how.prefix = NULL;
        good = report_hunt(
            &(explore_settings){.how = run_request_standard, .full = s->full, .color = s->color, .html = s->html}, t,
            &o.how, &(found){.hunt = &h}, path, e, code);
    } else {
        printf("no violation in %" PRIu64 " executions that begin like this; plumb explore looks at all\n",
               h.executions);
        *code = interrupted ? EXIT_INTERRUPTED : EXIT_UNDECIDED;
    }
    hunt_free(&h);
    return good;
}

static bool replay_saved(const replay_settings *s, const char *path, const saved_schedule *saved, const test_program *t,
                         int *code, error *e) {
    execution x = {0};
    explained why = {0};
    hunt h = {.failed = true, .failure = {.threads = saved->threads}};
    char *options = mem_string(saved->options ? saved->options : "");
    run_request how = run_request_standard;
    if (!run_request_recall(&how, options, e)) return free(options), false;
    how.object = saved->object;
    how.init = saved->init;
    exploration r = {.name = t->name, .object = saved->object, .criterion = how.criterion, .hunt = &h, .x = &x};
    r.debug = debug_info_open(t->binary);
    how.threads = saved->threads;
    bool good = failure_replay(t->binary, t->argv, &how, saved->threads, saved->choices, &x, e);
    if (good && (s->gdb || x.failure == FAILURE_DIVERGED)) {
        if (x.failure == FAILURE_DIVERGED) explore_from(s, path, saved, t, &how, &x, r.debug, code, e);
        else *code = gdb_replay(t, &how, saved->choices, &x, r.debug, e);
        debug_info_close(r.debug);
        execution_free(&x);
        free(options);
        return e->code == 0;
    }
    h.failure.answer.result.failure = x.failure;
    if (x.message) snprintf(h.failure.answer.result.message, sizeof h.failure.answer.result.message, "%s", x.message);
    good = good && failure_explain(&r, x.failure, &how, &why, e);
    h.failed = x.failure != FAILURE_NONE;
    if (good) {
        text out = {0};
        interleaving_wishes w = page_wishes(s->full, s->color);
        if (h.failed) exploration_text(&r, &w, &out);
        else text_add(&out, "this schedule no longer fails\n"), interleaving_print(&x, r.debug, &w, &out);
        print_beside(s->html, &out);
        *code = h.failed ? exploration_exit_code(&r) : EXIT_LINEARIZABLE;
        r.schedule = path;
        if (s->html) good = explore_page(s->html, &r, &why, saved, t->binary, *code, e);
        if (s->html && good) say_page(s->html, false);
    }
    explained_free(&why);
    text_free(&r.diagram);
    text_free(&r.sentences);
    debug_info_close(r.debug);
    execution_free(&x);
    free(options);
    return good;
}

int replay_run(const replay_settings *s, const char *path, error *e) {
    saved_schedule saved;
    test_program t;
    int code = EXIT_INTERNAL;
    if (!schedule_load(path, &saved, e)) return code;
    if (test_program_again(&t, saved.sources, saved.flags ? saved.flags : "", e))
        replay_saved(s, path, &saved, &t, &code, e);
    test_program_free(&t);
    saved_schedule_free(&saved);
    return code;
}
