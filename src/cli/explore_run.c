#include "cli/explore_run.h"

#include "base/whole_file.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/criterion_option.h"
#include "cli/gdb.h"
#include "cli/interrupt.h"
#include "explore/outside/explore_test.h"
#include "explore/outside/replay_test.h"
#include "explore/outside/schedule_trust.h"
#include "report/exploration_page.h"
#include "report/orders.h"
#include "scale/explore_cluster.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { INTERLEAVING_LINES = 30, PAGE_ROWS = 50, PAGE_COLUMNS = 120 };

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
    bool good = whole_file_write(path, t->at, t->size, e);
    text_free(t);
    return good;
}

/* One page: of the terminal when there is one. */
static interleaving_wishes page_wishes(bool full, int color) {
    struct winsize size;
    interleaving_wishes w = {.full = full,
                             .lines = INTERLEAVING_LINES,
                             .rows = PAGE_ROWS,
                             .columns = PAGE_COLUMNS,
                             .colours = colours_choose((colour_wish)color, STDOUT_FILENO)};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 && size.ws_col) {
        w.rows = size.ws_row - 1u;
        w.columns = size.ws_col;
    }
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
    if (s->junit) {
        exploration_junit(r, &file);
        good &= write_file(s->junit, &file, e);
    }
    if (s->sarif) {
        exploration_sarif(r, &file);
        good &= write_file(s->sarif, &file, e);
    }
    return good;
}

static void say_page(const char *path, bool quiet) {
    if (!quiet && strcmp(path, "-")) fprintf(stderr, "the page is %s\n", path);
}

/* ---- plumb explore ---- */

static measured measured_of(const explored_test *x) {
    if (!x->measured) return (measured){0};
    const measuring *m = &x->measuring;
    return (measured){.asked = true, .k = m->k, .forced = m->has_forced ? &m->forced.failure : NULL, .below = m->below};
}

/* Reports of a test under several models go into one: printed when all were explored. */
enum { MODELS_MOST = 8 };
typedef struct side_by_side {
    const char *model[MODELS_MOST];
    outcome_list outcomes[MODELS_MOST];
    unsigned n;
    text reports, told; /* objects of JSON: of each model, and of all their outcomes */
    int code;
} side_by_side;

/* A violation under one of them is one; what was not decided under one was not. */
static int worse(int a, int b) { return a == EXIT_VIOLATION || b == EXIT_VIOLATION ? EXIT_VIOLATION : a > b ? a : b; }

static void keep_beside(side_by_side *all, const explore_settings *s, const exploration *r, int code) {
    const unsigned m = all->n++;
    all->model[m] = r->how->model;
    all->code = worse(all->code, code);
    for (uint32_t i = 0; i < r->hunt->outcomes.n; i++)
        outcomes_add(&all->outcomes[m], r->hunt->outcomes.at[i].what, r->hunt->outcomes.at[i].executions);
    if (s->json) {
        if (m) text_char(&all->reports, ',');
        exploration_json(r, &all->reports);
        while (all->reports.size && all->reports.at[all->reports.size - 1] == '\n') all->reports.size--;
        if (all->told.size && r->hunt->outcomes.n) text_char(&all->told, ',');
        exploration_outcomes_json(r, &all->told);
    } else {
        interleaving_wishes w = page_wishes(s->full, s->color);
        text one = {0};
        text_printf(&one, "%smodel %s: ", m ? "\n" : "", r->how->model);
        exploration_text(r, &w, &one);
        print_text(&one);
    }
}

static void print_beside_each_other(const explore_settings *s, side_by_side *all) {
    const outcome_list *lists[MODELS_MOST];
    text out = {0};
    for (unsigned i = 0; i < all->n; i++) lists[i] = &all->outcomes[i];
    if (s->json) {
        text_printf(&out, "{\"schema\":\"plumb.explorations/1\",\"models\":[%s],\"outcomes\":[%s]}\n",
                    text_str(&all->reports), text_str(&all->told));
    } else if (all->n > 1) {
        text_char(&out, '\n');
        outcomes_table(all->model, lists, all->n, &out);
        if (out.size == 1) text_clear(&out);
    }
    print_text(&out);
    for (unsigned i = 0; i < all->n; i++) outcomes_free(&all->outcomes[i]);
    text_free(&all->reports);
    text_free(&all->told);
}

/* What the histories were asked to be, in reports. NULL: linearizable. */
static const char *asked_of(const run_request *how) {
    return how->monitor && pattern_file_named(how->monitor) ? how->monitor : how->criterion;
}

static bool report_explored(const explore_settings *s, const test_program *t, const explored_test *x, side_by_side *all,
                            int *code, error *e) {
    const explored_failure *f = &x->failure;
    exploration r = {.name = t->name,
                     .object = f->how.object,
                     .criterion = x->measured ? NULL : asked_of(&x->how),
                     .measured = measured_of(x),
                     .hunt = &x->hunt,
                     .how = &x->how,
                     .second = x->second.made ? &x->second.hunt : NULL,
                     .second_how = &x->second.how,
                     .refused = text_str(&x->second.refused),
                     .litmus = t->litmus,
                     .x = f->repeats ? &f->x : NULL,
                     .why = f->repeats ? &f->why : NULL,
                     .debug = debug_info_open(t->binary),
                     .schedule = f->saved ? x->path : NULL,
                     .asks_trust = f->saved && !f->remembered};
    if (x->serial) {
        serial_check_describe(x->serial, &r.specification);
        r.serial_orders = serial_check_orders(x->serial);
    }
    assert(!f->saved || f->repeats);
    *code = exploration_exit_code(&r);
    bool good = true;
    if (all) keep_beside(all, s, &r, *code);
    else good = print_reports(s, &r, e);
    if (good && s->html) good = exploration_page(s->html, &r, f->repeats ? &f->schedule : NULL, t->binary, *code, e);
    if (good && s->html) say_page(s->html, s->quiet);
    text_free(&r.specification);
    debug_info_close(r.debug);
    return good;
}

/* ---- on other machines ---- */

/* What needs more of a program than its answers. */
static bool cluster_fits(const explore_settings *s, error *e) {
    const char *with = s->serial                                       ? "--serial"
                       : s->measure                                    ? "--measure"
                       : s->checkpoint                                 ? "--checkpoint"
                       : s->models && strchr(s->models, ',')           ? "--model with several models"
                       : s->how.object && strpbrk(s->how.object, "/.") ? "--object with a file"
                                                                       : NULL;
    return !with || error_set(e, EXIT_USAGE, "%s is explored here; expected it without --cluster", with);
}

/* Time may be another when a run is gone on with. */
static void options_text(const explore_settings *s, text *out) {
    run_request same = s->how;
    const char *const words[] = {s->operations, s->thread_range, s->length_range, s->quasi,
                                 s->assume_nothing ? "n" : ""};
    same.jobs = 0;
    run_request_send(&same, out);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) text_printf(out, "|%s", words[i] ? words[i] : "");
}

static explore_cluster *explore_there(const explore_settings *s, const test_program *t, explore_watch *w, error *e) {
    text options = {0};
    explore_cluster_settings c = {.to = {.url = s->cluster,
                                         .user = s->cluster_user,
                                         .credential = s->cluster_credentials,
                                         .authority = s->cluster_ca,
                                         .certificate = s->cluster_certificate,
                                         .key = s->cluster_key},
                                  .resume = s->resume,
                                  .binary = t->binary,
                                  .argv = t->argv,
                                  .seconds = s->how.seconds,
                                  .stop = &interrupted};
    if (!cluster_fits(s, e)) return NULL;
    cluster_settings_complete(&c.to);
    options_text(s, &options);
    c.options = text_str(&options);
    explore_cluster *x = explore_cluster_open(&c, e);
    text_free(&options);
    if (!x) return NULL;
    if (!s->quiet) fprintf(stderr, "run %s\n", explore_cluster_name(x));
    if (s->resume && !s->quiet) fprintf(stderr, "%" PRIu64 " answers were there already\n", explore_cluster_kept(x));
    w->elsewhere = explore_cluster_elsewhere(x);
    w->elsewhere_jobs = explore_cluster_jobs(x);
    return x;
}

static void explore_there_end(const explore_settings *s, explore_cluster *x, bool done) {
    if (x && !done && !s->quiet) fprintf(stderr, "go on with --resume %s\n", explore_cluster_name(x));
    explore_cluster_close(x, done);
}

static void explore_program(const explore_settings *s, const test_program *t, side_by_side *all, int *code, error *e) {
    bool shown = false;
    criterion asked = {0};
    explored_test x = {0};
    explore_watch w = {.context = &shown, .stop = &interrupted};
    explore_cluster *cluster = NULL;
    if (!s->quiet && isatty(STDERR_FILENO)) w.progress = show_progress;
    if (!criterion_asked(s->how.criterion, s->quasi, s->measure, &asked, e)) return;
    if (s->cluster && !(cluster = explore_there(s, t, &w, e))) return;
    bool good = explore_test(s, &asked, t, &w, &x, e);
    explore_there_end(s, cluster, good && !interrupted);
    if (shown) fputs("\r\033[K", stderr);
    if (good) report_explored(s, t, &x, all, code, e);
    if (interrupted) *code = EXIT_INTERRUPTED;
    explored_test_free(&x);
}

/* The word of MEMORY_MODELS at *at, which moves behind it. */
static bool model_next(const char **at, const char **model, error *e) {
    static const char *const names[] = {"sc", "ra", "rc11", "tso"};
    const size_t n = strcspn(*at, ",");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && !memcmp(names[i], *at, n)) {
            *model = names[i];
            *at += n + ((*at)[n] == ',');
            return true;
        }
    return error_set(e, EXIT_USAGE,
                     "--model %.*s: there is no such model; expected sc, tso, ra or rc11, or a list of them", (int)n,
                     *at);
}

static void explore_models(const explore_settings *s, const test_program *t, int *code, error *e) {
    const char *at = s->models ? s->models : "sc";
    explore_settings one = *s;
    side_by_side all = {0};
    bool several = strchr(at, ',');
    if (several && (s->html || s->junit || s->sarif || s->github)) {
        error_set(e, EXIT_USAGE, "--html, --junit, --sarif and --github show one model; expected one behind --model");
        return;
    }
    do {
        if (!model_next(&at, &one.how.model, e)) return;
        explore_program(&one, t, several ? &all : NULL, code, e);
    } while (*at && !e->code && all.n < MODELS_MOST && !interrupted);
    if (!several) return;
    if (!e->code) *code = interrupted ? EXIT_INTERRUPTED : all.code;
    print_beside_each_other(s, &all);
}

static void advise_orders(const explore_settings *s, const test_program *t, error *e) {
    criterion asked = {0};
    orders_advice a = {0};
    const explore_watch w = {.stop = &interrupted};
    debug_info *d = debug_info_open(t->binary);
    text out = {0};
    if (criterion_asked(s->how.criterion, s->quasi, s->measure, &asked, e) &&
        orders_advise(s, &asked, t, d, &w, &a, e)) {
        orders_text(&a, t->binary, &out);
        print_text(&out);
    }
    orders_advice_free(&a);
    debug_info_close(d);
}

int explore_run(const explore_settings *s, char **operand, unsigned operands, error *e) {
    test_program t;
    int code = EXIT_INTERNAL;
    interrupt_listen();
    if (s->orders && s->json) {
        error_set(e, EXIT_USAGE, "--orders is for a reader; expected it without --json");
        return code;
    }
    if (test_program_make(&t, operand, operands, text_str(&s->flags), e)) explore_models(s, &t, &code, e);
    if (s->orders && !e->code && !interrupted) advise_orders(s, &t, e);
    test_program_free(&t);
    return code;
}

/* ---- plumb replay ---- */

static void say_changed(const replay_settings *s, const execution *x, debug_info *d) {
    code_place c = d && x->steps ? debug_info_line(d, x->step[x->steps - 1].step.pc) : (code_place){0};
    text out = {0};
    text_printf(&out, "the program has changed: its first %u steps are those of the schedule", x->steps);
    if (c.file)
        text_printf(&out, " (the last: thread %u at %s:%u)", x->step[x->steps - 1].thread, file_name(c.file), c.line);
    text_add(&out, ", then it does something else; exploring from there\n");
    print_beside(s->html, &out);
}

/* The program has changed: where, and what can be found from there. */
static void explore_from(const replay_settings *s, const char *path, const saved_schedule *saved, const test_program *t,
                         const replayed_test *r, debug_info *d, int *code, error *e) {
    explored_test x;
    explore_settings report = {.how = r->how, .full = s->full, .color = s->color, .html = s->html};
    say_changed(s, &r->x, d);
    interrupt_listen();
    switch (replay_explore_from(r, saved, t, path, &interrupted, &x, e)) {
    case REPLAY_ERROR: break;
    case REPLAY_UNREPEATABLE:
        printf("the beginning cannot be repeated in the changed program: run plumb explore again\n");
        *code = EXIT_UNDECIDED;
        break;
    case REPLAY_EXPLORED:
        if (x.hunt.failed) {
            report_explored(&report, t, &x, NULL, code, e);
            break;
        }
        printf("no violation in %" PRIu64 " executions that begin like this; plumb explore looks at all\n",
               x.hunt.executions);
        *code = interrupted ? EXIT_INTERRUPTED : EXIT_UNDECIDED;
    }
    explored_test_free(&x);
}

static void say_replayed(const replay_settings *s, const exploration *r) {
    text out = {0};
    interleaving_wishes w = page_wishes(s->full, s->color);
    if (r->hunt->failed) {
        exploration_text(r, &w, &out);
    } else {
        text_add(&out, "this schedule no longer fails\n");
        interleaving_print(r->x, r->debug, &w, &out);
    }
    print_beside(s->html, &out);
}

/* The same execution as it was saved: why it fails, or that it no longer does. */
static bool report_replayed(const replay_settings *s, const char *path, const saved_schedule *saved,
                            const test_program *t, const replayed_test *was, debug_info *d, int *code, error *e) {
    const execution *x = &was->x;
    explained why = {0};
    hunt h = {.failed = x->failure != FAILURE_NONE,
              .failure = {.threads = saved->threads, .answer.result.failure = x->failure}};
    exploration r = {.name = t->name,
                     .object = saved->object,
                     .criterion = asked_of(&was->how),
                     .hunt = &h,
                     .x = x,
                     .why = &why,
                     .debug = d};
    char *message = h.failure.answer.result.message;
    if (x->message) snprintf(message, sizeof h.failure.answer.result.message, "%s", x->message);
    bool good = failure_explain(x, t->name, x->failure, &was->how, &why, e);
    if (good) {
        say_replayed(s, &r);
        *code = h.failed ? exploration_exit_code(&r) : EXIT_LINEARIZABLE;
        r.schedule = path;
        if (s->html) good = exploration_page(s->html, &r, saved, t->binary, *code, e);
        if (s->html && good) say_page(s->html, false);
    }
    explained_free(&why);
    return good;
}

static void replay_saved(const replay_settings *s, const char *path, const saved_schedule *saved, const test_program *t,
                         int *code, error *e) {
    replayed_test r;
    debug_info *d = debug_info_open(t->binary);
    if (replay_test(saved, t, &r, e)) {
        if (r.x.failure == FAILURE_DIVERGED) explore_from(s, path, saved, t, &r, d, code, e);
        else if (s->gdb) *code = gdb_replay(t, &r.how, saved->choices, &r.x, d, e);
        else report_replayed(s, path, saved, t, &r, d, code, e);
    }
    replayed_test_free(&r);
    debug_info_close(d);
}

int replay_run(const replay_settings *s, const char *path, error *e) {
    saved_schedule saved;
    test_program t;
    int code = EXIT_INTERNAL;
    if (!schedule_load(path, &saved, e)) return code;
    if (s->trust || schedule_may_run(&saved, path, e)) {
        if (test_program_again(&t, saved.sources, saved.flags ? saved.flags : "", saved.arguments, e))
            replay_saved(s, path, &saved, &t, &code, e);
        test_program_free(&t);
    }
    saved_schedule_free(&saved);
    return code;
}
