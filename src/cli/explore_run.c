#include "cli/explore_run.h"

#include "base/budget.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/explore_page.h"
#include "cli/interrupt.h"
#include "cli/gdb.h"
#include "cli/test_program.h"
#include "evidence/explain.h"
#include "explore/test_file.h"
#include "report/exploration.h"

#include <plumbline/test.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { INTERLEAVING_LINES = 30, PAGE_ROWS = 50, PAGE_COLUMNS = 120 };
#define JUDGE_SECONDS 10
#define FROM_SECONDS 10

/* ---- what is to be explored ---------------------------------------------------------------------------------------------------- */

static const char *word_of(const char *words, int index) { /* of a blank-separated list, in a buffer of its own */
    static char word[32];
    for (; index > 0; index--) words += strcspn(words, " ") + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
    return word;
}

static bool parse_range(const char *what, const char *given, unsigned least, unsigned most, unsigned *low, unsigned *high, error *e) {
    char *end;
    unsigned long a = strtoul(given, &end, 10), b = a;
    if (*end == '-') b = strtoul(end + 1, &end, 10);
    if (*end || a < least || b < a || b > most)
        return error_set(e, EXIT_USAGE, "--%s %s: expected a number or a range like 2-3, from %u to %u", what, given, least, most);
    *low = (unsigned)a;
    *high = (unsigned)b;
    return true;
}

/* The first item of a kind; NULL: there is none. */
static const char *declared(const declarations *d, enum plumb_item_kind kind) {
    for (unsigned i = 0; i < d->items; i++)
        if (d->item[i].kind == kind) return d->item[i].words;
    return NULL;
}

/* Every declared operation must be a method of the object. */
static bool operations_known(const declarations *d, const object *o, error *e) {
    for (unsigned i = 0; i < d->items; i++) {
        const declared_item *item = &d->item[i];
        if (item->kind != PLUMB_ITEM_OPERATION || object_type_method(o->type, item->words) >= 0) continue;
        text methods = {0};
        for (unsigned m = 0; m < o->type->method_count; m++) text_printf(&methods, " %s", o->type->methods[m].name);
        error_set(e, EXIT_BAD_INPUT, "%s:%u: '%s' is not a method of object %s; expected one of:%s", item->file, item->line, item->words, o->name, text_str(&methods));
        text_free(&methods);
        return false;
    }
    return true;
}

/* What goes into a queue is told apart by its number; where order or equality of values matters to the object, small ranges. */
static program_operation operation_of(const declared_item *item, const object *o) {
    program_operation op = {.nargs = item->nargs};
    snprintf(op.name, sizeof op.name, "%s", item->words);
    for (unsigned a = 0; a < PROGRAM_ARGS; a++) op.low[a] = 1, op.high[a] = 2;
    int m = o ? object_type_method(o->type, item->words) : -1;
    bool adds = m >= 0 && o->type->methods[m].role & ROLE_ADDS;
    bool ordered = o && !strncmp(o->type->name, "pqueue", 6);
    op.initial = adds;
    op.fresh = item->nargs == 1 && o && !o->type->parts_by_arg && !o->type->keyed && !ordered && (adds || !strcmp(item->words, "write"));
    return op;
}

static bool space_of(const explore_settings *s, const declarations *d, const object *o, program_space *out, error *e) {
    *out = (program_space){.min_threads = 2, .max_threads = 3, .min_length = 1, .max_length = 3};
    for (unsigned i = 0; i < d->items && out->ops < PROGRAM_OPERATIONS; i++)
        if (d->item[i].kind == PLUMB_ITEM_OPERATION) out->op[out->ops++] = operation_of(&d->item[i], o);
    for (unsigned i = 0; i < d->items; i++)
        for (unsigned k = 0; k < out->ops; k++)
            if (d->item[i].kind == PLUMB_ITEM_ONE_THREAD && !strcmp(d->item[i].words, out->op[k].name)) out->op[k].one_thread = true;
    if (s->operations && !programs_restrict(out, s->operations, e)) return false;
    if (s->threads && !parse_range("threads", s->threads, 1, PROGRAM_THREADS, &out->min_threads, &out->max_threads, e)) return false;
    if (s->length && !parse_range("length", s->length, 1, PROGRAM_LENGTH, &out->min_length, &out->max_length, e)) return false;
    for (unsigned k = 0; k < out->ops; k++)
        if (out->op[k].initial) out->max_initial = 2;
    return true;
}

typedef struct plan {
    const char *threads[64];
    unsigned threads_n;
    program_space space;
    bool makes_programs, has_symmetry;
    const char *object; /* NULL: assertions only */
    const char *init;   /* its initial value; NULL: what the object says */
} plan;

static bool monitor_fits(const char *what, const object *o, error *e) {
    const observer_kind *kind;
    unsigned k;
    text why = {0};
    if (!o) return error_set(e, EXIT_USAGE, "--monitor %s: there is no object to monitor; expected --object, or PLUMB_OBJECT in the test", what);
    if (!observer_parse(!strcmp(what, "agree") ? "pattern" : what, &kind, &k, e)) return false;
    observer *m = observer_open(kind, o, k, &why);
    if (!m) error_set(e, EXIT_USAGE, "--monitor %s: %s", what, text_str(&why));
    observer_close(m);
    text_free(&why);
    return m;
}

static bool plan_make(const explore_settings *s, const declarations *d, plan *p, error *e) {
    unsigned operations = 0;
    *p = (plan){.object = s->object ? s->object : declared(d, PLUMB_ITEM_OBJECT), .init = s->init ? s->init : declared(d, PLUMB_ITEM_INITIAL)};
    if (p->object && !strcmp(p->object, "none")) p->object = NULL;
    for (unsigned i = 0; i < d->items; i++) {
        operations += d->item[i].kind == PLUMB_ITEM_OPERATION;
        p->has_symmetry |= d->item[i].kind == PLUMB_ITEM_SYMMETRY;
        if (d->item[i].kind == PLUMB_ITEM_THREADS && p->threads_n < 64 && !s->operations) p->threads[p->threads_n++] = d->item[i].words;
    }
    if (s->program) p->threads[0] = s->program, p->threads_n = 1;
    p->makes_programs = !p->threads_n && operations && (!d->has_main || s->operations);
    if (!p->makes_programs && !p->threads_n && !d->has_main)
        return error_set(e, EXIT_BAD_INPUT, "the test has neither operations nor a main; expected PLUMB_OP(...) or main (see plumbline/test.h)");
    object *o = p->object ? object_open(p->object, p->init, e) : NULL;
    bool good = !p->object || (o && operations_known(d, o, e));
    if (good && p->makes_programs) good = space_of(s, d, o, &p->space, e);
    if (good && s->monitor) good = monitor_fits(s->monitor, o, e);
    object_close(o);
    return good;
}

/* ---- progress -------------------------------------------------------------------------------------------------------------------- */

static void show_progress(void *context, const hunt *h) {
    const campaign_result *r = &h->so_far;
    const stage_result *stage = r->stages ? &r->stage[r->stages - 1] : NULL;
    bool *shown = context;
    uint64_t executions = h->executions + r->executions;
    fprintf(stderr, "\r%s%.0u: program %" PRIu64 ", %" PRIu64 " executions, %.0f/s, %" PRIu64 " histories", stage ? stage->strategy : "starting",
            stage ? stage->bound : 0, h->programs + 1, executions, h->seconds > 0 ? (double)executions / h->seconds : 0, h->histories + r->histories);
    if (r->estimate > 0) fprintf(stderr, ", about %.0f in all", r->estimate);
    fputs("\033[K", stderr);
    *shown = true;
}

/* ---- a failure, replayed and explained --------------------------------------------------------------------------------------------- */

static bool explained_bind(explained *w, const exploration *r, const char *init, error *e) {
    w->h = execution_history(r->x, r->name, e);
    w->o = w->h ? object_open(r->object, init, e) : NULL;
    return w->o && object_bind(w->o, w->h, r->name, e);
}

static bool explain_violation(exploration *r, const char *init, explained *w, error *e) {
    budget b;
    budget_init(&b, JUDGE_SECONDS, 0);
    bool good = explained_bind(w, r, init, e) && judge(w->h, w->o, &(judge_options){0}, &b, NULL, &w->j, e);
    w->judged = good;
    if (good && w->j.verdict == VERDICT_LINEARIZABLE)
        good = error_set(e, EXIT_INTERNAL, "the explorer calls a history a violation that the engines find linearizable");
    if (good && w->j.verdict == VERDICT_VIOLATION) {
        explain_diagram(w->h, w->o, &w->j.core, 90, &r->diagram);
        explain_sentences(w->h, w->o, &w->j.core, &r->sentences);
    }
    return good;
}

/* Another failure: its history is shown as it is, if it can be. */
static void show_history(const exploration *r, const char *init, explained *w) {
    error unshown = {0};
    if (r->object && r->x && r->x->ops && explained_bind(w, r, init, &unshown)) return;
    explained_free(w);
}

/* A failure in words; false: it cannot be. */
static bool explain_failure(exploration *r, failure_kind kind, const char *init, explained *w, error *e) {
    if (kind == FAILURE_VIOLATION) return explain_violation(r, init, w, e);
    show_history(r, init, w);
    return true;
}

static bool failure_replay(const char *binary, char *const *argv, const run_request *how, const char *threads, const char *choices, execution *x, error *e) {
    run_request r = *how;
    r.threads = threads;
    session *s = session_open(binary, argv, e);
    bool good = s && session_replay(s, &r, choices, x, e);
    session_close(s);
    return good;
}

static void machine_options_text(const run_request *r, text *out) {
    text_printf(out, "reuse=%s races=%d leaks=%d filter=%d steps=%u trust_loops=%d monitor=%s", r->reuse, r->races, r->leaks, r->filter, r->steps, r->trust_loops, r->monitor ? r->monitor : "none");
}

/* What is to be saved of a failure; all of it but `machine` belongs to others. */
static saved_schedule failure_schedule(const test_program *t, const run_request *how, const hunt *h, text *machine) {
    machine_options_text(how, machine);
    return (saved_schedule){.sources = (char *)(uintptr_t)text_str(&t->sources), .flags = (char *)(uintptr_t)text_str(&t->flags),
                            .object = (char *)(uintptr_t)how->object, .init = (char *)(uintptr_t)how->init, .threads = h->failure.threads, .options = machine->at,
                            .choices = h->failure.answer.schedule};
}

/* ---- reports ------------------------------------------------------------------------------------------------------------------------- */

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
    interleaving_wishes w = {.full = full, .lines = INTERLEAVING_LINES, .rows = PAGE_ROWS, .columns = PAGE_COLUMNS,
                             .colours = colours_choose((colour_wish)color, STDOUT_FILENO)};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 && size.ws_col) w.rows = size.ws_row - 1u, w.columns = size.ws_col;
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

/* ---- all of it ------------------------------------------------------------------------------------------------------------------------- */

static run_request request_of(const explore_settings *s, const plan *p, const char *strategy_name, const char *reuse) {
    return (run_request){.object = p->object, .init = p->init, .monitor = p->object ? s->monitor : NULL, .strategy = strategy_name, .reuse = reuse, .bound = (unsigned)s->preemptions, .depth = (unsigned)s->depth, .seed = s->seed,
                         .executions = s->executions, .steps = (uint32_t)s->steps, .races = s->races, .leaks = s->leaks, .filter = true,
                         .progress = s->progress != 0, .symmetry = p->has_symmetry && !s->assume_nothing, .trust_loops = !s->assume_nothing};
}

static bool report_hunt(const explore_settings *s, const test_program *t, const plan *p, const run_request *how, const hunt *h, const char *schedule_path, error *e, int *code) {
    execution x = {0};
    explained why = {0};
    text machine = {0};
    saved_schedule saved = {0};
    exploration r = {.name = t->name, .object = p->object, .claim = (progress_claim)s->progress, .hunt = h};
    bool good = true, repeats = h->failed && h->failure.answer.schedule;
    r.debug = debug_info_open(t->binary);
    if (repeats) {
        good = failure_replay(t->binary, t->argv, how, h->failure.threads, h->failure.answer.schedule, &x, e);
        r.x = &x;
        if (good && x.failure != h->failure.answer.result.failure)
            good = error_set(e, EXIT_INTERNAL, "a failure (%s) did not repeat itself in another process (%s): the program depends on more than its schedule",
                             failure_name(h->failure.answer.result.failure), failure_name(x.failure));
        good = good && explain_failure(&r, x.failure, p->init, &why, e);
        saved = failure_schedule(t, how, h, &machine);
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
    debug_info_close(r.debug);
    execution_free(&x);
    return good;
}

static void schedule_name(const explore_settings *s, const test_program *t, char *out, size_t room) {
    const char *slash = strrchr(t->name, '/'), *base = slash ? slash + 1 : t->name;
    size_t n = strcspn(base, ".");
    if (s->schedule) snprintf(out, room, "%s", s->schedule);
    else snprintf(out, room, "%.*s.schedule", (int)n, base);
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

static bool explore_program(const explore_settings *s, const test_program *t, int *code, error *e) {
    char strategy_name[32], reuse[32], path[1024];
    declarations d = {0};
    plan p;
    bool shown = false;
    session *first = session_open(t->binary, t->argv, e);
    bool good = first && session_declarations(first, &d, e) && plan_make(s, &d, &p, e);
    session_close(first);
    if (good) {
        hunt h;
        saved_schedule again;
        snprintf(strategy_name, sizeof strategy_name, "%s", word_of(EXPLORE_STRATEGIES, s->strategy));
        snprintf(reuse, sizeof reuse, "%s", word_of("newest oldest choose never", s->reuse));
        schedule_name(s, t, path, sizeof path);
        hunt_options o = {.binary = t->binary, .argv = t->argv, .how = request_of(s, &p, strategy_name, reuse), .threads = p.threads_n ? p.threads : NULL,
                          .threads_n = p.threads_n, .space = p.makes_programs ? &p.space : NULL, .jobs = s->jobs ? (unsigned)s->jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
                          .seconds = s->seconds, .stop = &interrupted, .context = &shown};
        if (!s->program && saved_first(path, t, &again)) o.first = again.choices, o.first_threads = again.threads;
        if (!s->quiet && isatty(STDERR_FILENO)) o.progress = show_progress;
        good = hunt_run(&o, &h, e);
        if (shown) fputs("\r\033[K", stderr);
        if (good) good = report_hunt(s, t, &p, &o.how, &h, path, e, code);
        if (interrupted) *code = EXIT_INTERRUPTED;
        hunt_free(&h);
        if (o.first) saved_schedule_free(&again);
    }
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

/* ---- replay ------------------------------------------------------------------------------------------------------------------------------ */

static bool option_of(const char *options, const char *key, char *out, size_t room) {
    size_t n = strlen(key);
    for (const char *p = options; p && *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        if (strncmp(p, key, n) || p[n] != '=') continue;
        snprintf(out, room, "%.*s", (int)strcspn(p + n + 1, " "), p + n + 1);
        return true;
    }
    return false;
}

static unsigned number_option(const char *options, const char *key, unsigned standard) {
    char word[32];
    return option_of(options, key, word, sizeof word) ? (unsigned)strtoul(word, NULL, 10) : standard;
}

/* The program has changed: where, and what can be found from there. */
static bool explore_from(const replay_settings *s, const char *path, const saved_schedule *saved, const test_program *t, const run_request *how, const execution *x,
                         debug_info *d, int *code, error *e) {
    hunt h;
    hunt_options o = {.binary = t->binary, .argv = t->argv, .how = *how, .threads = saved->threads ? (const char *const *)&saved->threads : NULL,
                      .threads_n = saved->threads != NULL, .jobs = 1, .seconds = FROM_SECONDS, .keep_size = true, .stop = &interrupted};
    code_place c = d && x->steps ? debug_info_line(d, x->step[x->steps - 1].step.pc) : (code_place){0};
    text out = {0};
    error differs = {0};
    text_printf(&out, "the program has changed: its first %u steps are those of the schedule", x->steps);
    if (c.file) text_printf(&out, " (the last: thread %u at %s:%u)", x->step[x->steps - 1].thread, file_name(c.file), c.line);
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
        good = report_hunt(&(explore_settings){.full = s->full, .color = s->color, .html = s->html}, t, &(plan){.object = saved->object, .init = saved->init}, &o.how, &h, path, e, code);
    } else {
        printf("no violation in %" PRIu64 " executions that begin like this; plumb explore looks at all\n", h.executions);
        *code = interrupted ? EXIT_INTERRUPTED : EXIT_UNDECIDED;
    }
    hunt_free(&h);
    return good;
}

static bool replay_saved(const replay_settings *s, const char *path, const saved_schedule *saved, const test_program *t, int *code, error *e) {
    char reuse[32] = "newest", monitor[32] = "none";
    execution x = {0};
    explained why = {0};
    hunt h = {.failed = true, .failure = {.threads = saved->threads}};
    exploration r = {.name = t->name, .object = saved->object, .hunt = &h, .x = &x};
    option_of(saved->options, "reuse", reuse, sizeof reuse);
    option_of(saved->options, "monitor", monitor, sizeof monitor);
    run_request how = {.object = saved->object, .init = saved->init, .monitor = strcmp(monitor, "none") ? monitor : NULL, .reuse = reuse, .races = number_option(saved->options, "races", 0), .leaks = number_option(saved->options, "leaks", 0),
                       .filter = number_option(saved->options, "filter", 1), .steps = number_option(saved->options, "steps", 20000),
                       .trust_loops = number_option(saved->options, "trust_loops", 0)};
    r.debug = debug_info_open(t->binary);
    how.threads = saved->threads;
    bool good = failure_replay(t->binary, t->argv, &how, saved->threads, saved->choices, &x, e);
    if (good && (s->gdb || x.failure == FAILURE_DIVERGED)) {
        if (x.failure == FAILURE_DIVERGED) explore_from(s, path, saved, t, &how, &x, r.debug, code, e);
        else *code = gdb_replay(t, &how, saved->choices, &x, r.debug, e);
        debug_info_close(r.debug);
        execution_free(&x);
        return e->code == 0;
    }
    h.failure.answer.result.failure = x.failure;
    if (x.message) snprintf(h.failure.answer.result.message, sizeof h.failure.answer.result.message, "%s", x.message);
    good = good && explain_failure(&r, x.failure, saved->init, &why, e);
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
    return good;
}

int replay_run(const replay_settings *s, const char *path, error *e) {
    saved_schedule saved;
    test_program t;
    int code = EXIT_INTERNAL;
    if (!schedule_load(path, &saved, e)) return code;
    if (test_program_again(&t, saved.sources, saved.flags ? saved.flags : "", e)) replay_saved(s, path, &saved, &t, &code, e);
    test_program_free(&t);
    saved_schedule_free(&saved);
    return code;
}
