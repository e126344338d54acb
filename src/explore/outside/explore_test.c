#include "explore/outside/explore_test.h"

#include "base/budget.h"
#include "explore/outside/schedule_trust.h"

#include <assert.h>
#include <inttypes.h>
#include <plumbline/test.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names of files ---- */

/* TEST.schedule, in the current directory. */
static void schedule_name(const explore_settings *s, const test_program *t, char *out, size_t room) {
    const char *slash = strrchr(t->name, '/'), *base = slash ? slash + 1 : t->name;
    size_t n = strcspn(base, ".");
    if (s->schedule) snprintf(out, room, "%s", s->schedule);
    else snprintf(out, room, "%.*s.schedule", (int)n, base);
}

/* Beside it: TEST.serial. */
static void serial_name(const char *beside, char *out, size_t room) {
    static const char last[] = ".schedule";
    size_t n = strlen(beside), m = sizeof last - 1;
    snprintf(out, room, "%.*s.serial", (int)(n > m && !strcmp(beside + n - m, last) ? n - m : n), beside);
}

/* The schedule that failed last time, if there is one for this test. It may be a stranger's: only its threads and
 * choices are used, with the sources, flags and object that the user names now. */
static bool saved_first(const char *path, const test_program *t, saved_schedule *out) {
    error ignored = {0};
    *out = (saved_schedule){0};
    if (access(path, R_OK) || !schedule_load(path, out, &ignored)) return false;
    if (!strcmp(out->sources, text_str(&t->sources)) &&
        !strcmp(out->arguments ? out->arguments : "", text_str(&t->arguments)))
        return true;
    saved_schedule_free(out);
    return false;
}

/* A schedule of another memory model is no execution of this one. */
static bool is_of_model(const saved_schedule *s, const char *model) {
    run_request then = run_request_standard;
    error ignored = {0};
    char *kept = mem_string(s->options ? s->options : "");
    bool same = run_request_recall(&then, kept, &ignored) && !strcmp(then.model, model);
    free(kept);
    return same;
}

/* "enq(1,2)" at `at`: is it declared, with so many arguments? Sets *end behind it. */
static bool call_is_declared(const declarations *d, const char *at, const char **end) {
    size_t name = strcspn(at, " \t|:(");
    unsigned arguments = 0;
    *end = at + name;
    if (**end == '(') {
        size_t inside = strcspn(*end, ")");
        arguments = 1;
        for (size_t i = 0; i < inside; i++) arguments += (*end)[i] == ',';
        *end += inside + ((*end)[inside] == ')');
    }
    for (unsigned i = 0; i < d->items; i++)
        if (d->item[i].kind == PLUMB_ITEM_OPERATION && d->item[i].nargs == arguments &&
            strlen(d->item[i].words) == name && !memcmp(d->item[i].words, at, name))
            return true;
    return false;
}

/* The test may have changed: a main is explored as a main, and calls are of operations that there are. */
static bool program_exists(const plan *p, const declarations *d, const char *threads) {
    const bool runs_main = !p->threads_n && !p->makes_programs;
    if (!threads || runs_main) return !threads && runs_main;
    for (const char *at = threads; *(at += strspn(at, " \t|:"));)
        if (!call_is_declared(d, at, &at)) return false;
    return true;
}

/* ---- a failure ---- */

/* Histories of programs with serial runs are checked against these. */
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

bool explored_failure_make(explored_test *x, const test_program *t, error *e) {
    explored_failure *f = &x->failure;
    const program_result *forced = x->measured && x->measuring.has_forced ? &x->measuring.forced.failure : NULL;
    assert(!f->found && !f->repeats);
    f->found = x->hunt.failed ? &x->hunt.failure : forced;
    f->how = request_for(&x->how, x->serial, f->found, &f->object);
    if (f->found && f->found == forced) f->how.criterion = x->measuring.below;
    assert(!x->hunt.failed || f->found);
    f->repeats = f->found && f->found->answer.schedule;
    if (!f->repeats) return true;
    if (!failure_show(t, &f->how, f->found, &f->x, &f->why, e)) return false;
    f->schedule = failure_schedule(t, &f->how, f->found, &f->kept);
    f->saved = schedule_save(x->path, &f->schedule, e);
    f->remembered = f->saved && schedule_remember(&f->schedule);
    return true;
}

static void explored_failure_free(explored_failure *f) {
    explained_free(&f->why);
    execution_free(&f->x);
    text_free(&f->object);
    text_free(&f->kept);
    *f = (explored_failure){0};
}

/* ---- notes about the test ---- */

/* A program that was made up may rightly wait for an element that no operation of it provides. */
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

static void note_drawn(hunt *h, const plan *p) {
    if (h->drawn && !h->failed)
        text_printf(
            &h->notes,
            "%" PRIu64
            " program%s of up to %u operations a thread %s drawn by lot, run at random, and not counted as covered\n",
            h->drawn, h->drawn == 1 ? "" : "s", p->space.drawn_length, h->drawn == 1 ? "was" : "were");
}

static void add_notes(hunt *h, const plan *p) {
    assert(!p->notes.size || p->notes.at[p->notes.size - 1] == '\n');
    if (p->notes.size) text_bytes(&h->notes, p->notes.at, p->notes.size);
    note_waiting(h, p);
    note_drawn(h, p);
}

/* ---- a checkpoint ---- */

/* What is left of these is nothing that could be gone on with. */
static bool checkpoint_fits(const explore_settings *s, error *e) {
    const char *with = s->serial                            ? "--serial"
                       : s->measure                         ? "--measure"
                       : s->how.monitor                     ? "--monitor"
                       : !strcmp(s->how.strategy, "pct")    ? "--strategy pct"
                       : !strcmp(s->how.strategy, "random") ? "--strategy random"
                                                            : NULL;
    return !with ||
           error_set(e, EXIT_USAGE, "%s keeps nothing in a checkpoint; expected it without --checkpoint", with);
}

static void note_continued(hunt *h, const checkpoint *c) {
    if (checkpoint_executions(c))
        text_printf(&h->notes, "%" PRIu64 " executions of earlier runs are among these (%s)\n",
                    checkpoint_executions(c), checkpoint_path(c));
}

/* ---- the model that the code asks for ---- */

/* Where nothing is said the code says it: inline assembly on shared memory asks for x86-TSO as well, and where there is
 * none, an order that is weaker than seq_cst for C11's model (which has no assembly).
 *
 * Of the time, for sequential consistency, when the code asks for another model: that one has the rest. */
#define SHARE_OF_SC 0.5

static bool model_is_open(const explore_settings *s) { return !s->models && strcmp(s->how.strategy, "graphs"); }

/* What stands in the way of store buffers; NULL: nothing. */
static const char *tso_lacks(const explore_settings *s) {
    return !strcmp(s->how.strategy, "states") ? "--strategy states" : s->checkpoint ? "--checkpoint" : buffers_lack(s);
}

/* The same of execution graphs. */
static const char *rc11_lacks(const explore_settings *s, const declarations *d) {
    static const char *const named[] = {"dfs", "bounded", "dpor", "states", "pct", "random", NULL};
    for (unsigned i = 0; named[i]; i++)
        if (!strcmp(s->how.strategy, named[i])) return "--strategy";
    return graphs_lack(s, d);
}

/* Its failure is no verdict: the code has what the model has not. A program that does not repeat itself, or a process
 * that died, is no such thing: it is the failure. */
static bool second_refused(const hunt *h) {
    return h->failed && !h->failure.answer.died && h->failure.answer.result.failure == FAILURE_UNMODELLED;
}

static void second_failed(explored_test *x) {
    const hunt sc = x->hunt;
    const run_request how = x->how;
    x->hunt = x->second.hunt;
    x->how = x->second.how;
    x->second.hunt = sc;
    x->second.how = how;
}

/* What was explored under it is a limit of neither any more. */
static void second_covers(coverage *c, bool graphs) {
    if (graphs) c->weak_orders = 0;
    else c->assembly = 0;
}

/* False: an internal error, which is no verdict of the first model either. */
static bool second_run(explored_test *x, const hunt_options *o, error *e) {
    second_look *l = &x->second;
    l->made = hunt_run(o, &l->hunt, e);
    if (!l->made) {
        hunt_free(&l->hunt);
        return false;
    }
    if (second_refused(&l->hunt)) {
        text_add(&l->refused, l->hunt.failure.answer.result.message);
        hunt_free(&l->hunt);
        l->made = false;
        return true;
    }
    second_covers(&x->hunt.limits, o->how.messages);
    second_covers(&l->hunt.limits, o->how.messages);
    if (l->hunt.failed) second_failed(x);
    return true;
}

static void second_model(second_look *l, hunt_options *o, bool graphs) {
    o->how.model = graphs ? "rc11" : "tso";
    o->how.messages = graphs;
    if (graphs) o->how.symmetry = false;
    l->how = o->how;
}

/* Under the model that the code asks for too, where nothing failed yet. */
static bool look_again(const explore_settings *s, const hunt_options *o, const saved_schedule *again, double since,
                       explored_test *x, error *e) {
    const coverage *seen = &x->hunt.limits;
    hunt_options second = *o;
    if (!model_is_open(s) || x->hunt.failed || (!seen->weak_orders && !seen->assembly) || (o->stop && *o->stop))
        return true;
    second_model(&x->second, &second, !seen->assembly);
    const char *lack = seen->assembly ? tso_lacks(s) : rc11_lacks(s, &x->declarations);
    if (lack) {
        text_printf(&x->second.refused, "%s is for interleavings", lack);
        return true;
    }
    second.weak_share = second.assembly_share = 0;
    second.first = again && is_of_model(again, second.how.model) ? again->choices : NULL;
    second.first_threads = second.first ? again->threads : NULL;
    if (o->seconds > 0) second.seconds = o->seconds - (clock_seconds() - since);
    if (o->seconds > 0 && second.seconds <= 0) text_add(&x->second.refused, "no time was left");
    else return second_run(x, &second, e);
    return true;
}

/* ---- all of it ---- */

/* What the command line says, over what the test declares. Threads are given by the hunt. */
static run_request request_of(const explore_settings *s, const plan *p, text *printed) {
    run_request r = s->how;
    assert(!printed->size && !r.choices && !r.prefix && !r.first);
    criterion_print(&p->criterion, printed);
    r.threads = NULL;
    r.object = p->object;
    r.init = p->init;
    r.criterion = p->criterion.kind != CRITERION_LINEARIZABLE ? text_str(printed) : NULL;
    if (!p->object) r.monitor = NULL;
    r.messages = !strcmp(r.model, "rc11") || !strcmp(r.model, "ra") || !strcmp(r.strategy, "graphs");
    r.symmetry = p->has_symmetry && !s->assume_nothing && !r.messages;
    r.trust_loops = !s->assume_nothing;
    return r;
}

static bool make_plan(const explore_settings *s, const criterion *asked, const test_program *t, explored_test *out,
                      error *e) {
    session *first = session_open(t->binary, t->argv, e);
    bool good = first && session_declarations(first, &out->declarations, e) &&
                plan_make(s, asked, &out->declarations, &out->plan, e);
    session_close(first);
    return good;
}

static unsigned jobs_of(const explore_settings *s) {
    long cores = s->how.jobs ? (long)s->how.jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

static bool run_hunt(const explore_settings *s, const test_program *t, hunt_options *o, explored_test *out, error *e) {
    serial_name(out->path, out->serial_path, sizeof out->serial_path);
    if (s->serial && !(out->serial = serial_check_open(s, t, &out->plan, &o->how, out->serial_path, e))) return false;
    if (out->serial) {
        o->prepare = serial_check_prepare;
        o->prepare_context = out->serial;
    }
    bool good = out->measured ? hunt_measured(t, o, &out->measuring, &out->hunt, e) : hunt_run(o, &out->hunt, e);
    out->how = o->how;
    return good;
}

bool explore_test(const explore_settings *s, const criterion *asked, const test_program *t, const explore_watch *w,
                  explored_test *out, error *e) {
    *out = (explored_test){.measured = s->measure};
    if (!make_plan(s, asked, t, out, e)) return false;
    const plan *p = &out->plan;
    const double since = clock_seconds();
    saved_schedule again;
    schedule_name(s, t, out->path, sizeof out->path);
    hunt_options o = {.binary = t->binary,
                      .argv = t->argv,
                      .how = request_of(s, p, &out->criterion),
                      .threads = p->threads_n ? p->threads : NULL,
                      .threads_n = p->threads_n,
                      .space = p->makes_programs ? &p->space : NULL,
                      .jobs = jobs_of(s),
                      .seconds = s->how.seconds,
                      .weak_share = model_is_open(s) && !rc11_lacks(s, &out->declarations) ? SHARE_OF_SC : 0,
                      .assembly_share = model_is_open(s) && !tso_lacks(s) ? SHARE_OF_SC : 0,
                      .stop = w->stop,
                      .elsewhere = w->elsewhere,
                      .progress = w->progress,
                      .context = w->context};
    if (w->elsewhere) o.jobs = w->elsewhere_jobs;
    bool saved = !s->how.threads && saved_first(out->path, t, &again);
    const bool fits = saved && program_exists(p, &out->declarations, again.threads);
    if (fits && is_of_model(&again, o.how.model)) {
        o.first = again.choices;
        o.first_threads = again.threads;
    }
    assert(!(o.threads && o.space));
    bool good = !s->checkpoint || (checkpoint_fits(s, e) &&
                                   (o.checkpoint = checkpoint_open(s->checkpoint, t->binary, t->argv, &o.how, e)));
    good = good && run_hunt(s, t, &o, out, e);
    good = good && look_again(s, &o, fits ? &again : NULL, since, out, e);
    if (good && o.checkpoint) note_continued(&out->hunt, o.checkpoint);
    checkpoint_close(o.checkpoint);
    if (saved) saved_schedule_free(&again);
    add_notes(&out->hunt, p);
    return good && explored_failure_make(out, t, e);
}

void explored_test_free(explored_test *x) {
    explored_failure_free(&x->failure);
    measuring_free(&x->measuring);
    hunt_free(&x->hunt);
    if (x->second.made) hunt_free(&x->second.hunt);
    text_free(&x->second.refused);
    serial_check_close(x->serial);
    plan_free(&x->plan);
    declarations_free(&x->declarations);
    text_free(&x->criterion);
    *x = (explored_test){0};
}
