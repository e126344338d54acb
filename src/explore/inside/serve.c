#include "base/mem.h"
#include "base/words.h"
#include "explore/campaign/campaign.h"
#include "explore/model/execution.h"
#include "explore/inside/buffers.h"
#include "explore/inside/attributes.h"
#include "explore/inside/crew.h"
#include "explore/inside/limits.h"
#include "explore/inside/thread_life.h"
#include "explore/inside/machine.h"
#include "explore/inside/messages.h"
#include "explore/inside/orders.h"
#include "explore/inside/outcome.h"
#include "explore/inside/real.h"
#include "explore/model/run_request.h"
#include "explore/inside/start.h"
#include "explore/model/schedule.h"
#include "theory/theory_object.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEARN_EXECUTIONS = 64, METHODS_MAX = 256, MIXED_MOST = 256 };

typedef struct server {
    int argc;
    char **argv, **envp;
    int (*program)(int, char **, char **);
    int out;
    text line;
    bool open;
    machine_options options;
    scenario *now;  /* NULL: main */
    object *object; /* NULL: none is asked for */
    uint8_t method_of[METHODS_MAX];
} server;

static volatile int stop PROCESS_STATE;
static volatile pid_t answering PROCESS_STATE; /* a process of its own that has the question; 0: there is none */

static void on_signal(int number) {
    stop = 1;
    if (answering > 0) kill(answering, number);
}

static void send_line(server *s) {
    talk_end(&s->line);
    for (size_t done = 0; done < s->line.size;) {
        ssize_t n = write(s->out, s->line.at + done, s->line.size - done);
        if (n < 0 && errno != EINTR) _exit(1); /* the parent is gone */
        if (n > 0) done += (size_t)n;
    }
    text_clear(&s->line);
}

static void send_error(server *s, int code, const char *what) {
    talk_begin(&s->line, "error");
    talk_int(&s->line, code);
    talk_text(&s->line, what);
    send_line(s);
}

static void send_end(server *s) {
    talk_begin(&s->line, "end");
    send_line(s);
}

/* ---- what the program declares ---- */

static void answer_items(server *s) {
    char wrong[256] = "";
    if (!machine_open(&(machine_options){0}, wrong, sizeof wrong)) { /* it knows which code is the program's */
        send_error(s, EXIT_INTERNAL, wrong);
        return;
    }
    for (const plumb_item *i = items_registered(); i; i = i->next) {
        talk_begin(&s->line, "item");
        talk_int(&s->line, i->kind);
        talk_text(&s->line, i->text);
        talk_int(&s->line, i->nargs);
        talk_text(&s->line, i->file);
        talk_int(&s->line, i->line);
        send_line(s);
    }
    talk_begin(&s->line, "main");
    /* by its name: the start file of arm64 hands over a function of its own that jumps to main */
    talk_int(&s->line, machine_owns(symbol_address("main")));
    send_line(s);
}

/* ---- the program and the machine, as a question wants them ---- */

static reuse reuse_of(const char *word) {
    _Static_assert(REUSE_NEWEST == 0 && REUSE_OLDEST == 1 && REUSE_CHOOSE == 2 && REUSE_NEVER == 3,
                   "the words of RUN_REUSE are in this order");
    int found = words_find(RUN_REUSE, word, strlen(word));
    assert(found >= 0);
    return (reuse)found;
}

static bool take_request(server *s, const talk_line *l, run_request *r) {
    error e = {0};
    bool good = run_request_take(r, l, &e);
    if (!good) send_error(s, e.code, e.what);
    return good;
}

static unsigned declared(enum plumb_item_kind kind) {
    unsigned n = 0;
    for (const plumb_item *i = items_registered(); i; i = i->next) n += i->kind == kind;
    return n;
}

static bool prepare_machine(server *s, const run_request *r) {
    char wrong[256] = "";
    const bool weak = r->messages;
    machine_options o = {.reuse = reuse_of(r->reuse),
                         .most_steps = (uint32_t)r->steps,
                         .races_fatal = r->races || weak,
                         .leaks = r->leaks,
                         .use_after_free_reads = !r->freed_reads,
                         .filter = r->filter && !(r->signals && declared(PLUMB_ITEM_SIGNAL)),
                         .blocking = r->trust_loops,
                         .timeouts = (uint32_t)r->timeouts,
                         .spurious = weak ? 0 : (uint32_t)r->spurious,
                         .messages = weak,
                         .buffers = !strcmp(r->model, "tso"),
                         .alloc_failures = (uint32_t)r->alloc_failures,
                         .signals = weak ? 0 : (uint32_t)r->signals};
    orders_use(r->orders);
    if (!machine_open(&o, wrong, sizeof wrong)) {
        send_error(s, EXIT_INTERNAL, wrong);
        return false;
    }
    const char *threads = r->threads;
    scenario_free(s->now);
    s->now = threads ? scenario_parse(threads, items_registered(), wrong, sizeof wrong) : NULL;
    if (threads && !s->now) {
        send_error(s, EXIT_BAD_INPUT, wrong);
        return false;
    }
    if (s->now) machine_program(s->now);
    else machine_program_main(s->program, s->argc, s->argv, s->envp);
    return true;
}

static bool relax(object *o, const char *what, error *e) {
    criterion c = {0};
    return !what || (criterion_parse(what, &c, e) && object_relax(o, &c, e));
}

static bool prepare_object(server *s, const run_request *r) {
    error e = {0};
    const char *name = r->object;
    object_close(s->object);
    s->object = name ? specification_open(name, r->init, &e) : NULL;
    if (name && (!s->object || !relax(s->object, r->criterion, &e))) {
        send_error(s, e.code, e.what);
        return false;
    }
    if (s->object) object_use_values(s->object, machine_world()->values);
    unsigned n = 0;
    for (const plumb_item *i = items_registered(); i && s->object; i = i->next) {
        if (i->kind != PLUMB_ITEM_OPERATION) continue;
        int number = object_type_method(s->object->type, i->text);
        if (number < 0) {
            send_error(s, EXIT_BAD_INPUT, "an operation is not a method of the object");
            return false;
        }
        if (n < METHODS_MAX) s->method_of[n++] = (uint8_t)number;
    }
    return true;
}

static const char *operation_name(unsigned number) {
    for (const plumb_item *i = items_registered(); i; i = i->next)
        if (i->kind == PLUMB_ITEM_OPERATION && number-- == 0) return i->text;
    return "?";
}

/* ---- schedules with what the machine must know to repeat them: "@1234,5678 0*3 1" ---- */

static void add_knowledge(text *t) {
    const uintptr_t *known;
    uint32_t n = machine_shared(&known);
    uintptr_t mixed[MIXED_MOST];
    uint32_t more = machine_mixed(mixed, MIXED_MOST);
    for (uint32_t i = 0; i < n + more; i++)
        text_printf(t, "%c%" PRIxPTR, i ? ',' : '@', i < n ? known[i] : mixed[i - n]);
    if (n + more) text_char(t, ' ');
}

static void schedule_send(server *s, const schedule *choices) {
    text t = {0};
    add_knowledge(&t);
    schedule_write(choices, &t);
    talk_begin(&s->line, "schedule");
    talk_text(&s->line, text_str(&t));
    send_line(s);
    text_free(&t);
}

static bool schedule_take(server *s, const char *from, schedule *out) {
    text wrong = {0};
    uintptr_t *known = NULL;
    uint32_t n = 0;
    if (*from == '@') {
        char *end = (char *)(uintptr_t)from;
        known = MEM_ARRAY(uintptr_t, strlen(from) / 2 + 1);
        do known[n++] = (uintptr_t)strtoull(end + 1, &end, 16);
        while (*end == ',');
        from = end + (*end == ' ');
    }
    machine_tell(known, n);
    free(known);
    bool good = schedule_read(out, from, &wrong);
    if (!good) send_error(s, EXIT_BAD_INPUT, text_str(&wrong));
    text_free(&wrong);
    return good;
}

/* To so many picks of threads, with the choices before the next. */
static void schedule_cut(schedule *s, uint32_t picks) {
    uint32_t seen = 0, i = 0;
    while (i < s->length && (s->of[i] || seen < picks)) seen += s->of[i++] == 0;
    s->length = i;
}

/* ---- a campaign ---- */

static void send_counts(void *context, const campaign_result *r) {
    server *s = context;
    talk_begin(&s->line, "counts");
    talk_int(&s->line, (int64_t)r->executions);
    talk_int(&s->line, (int64_t)r->steps);
    talk_int(&s->line, (int64_t)r->histories);
    talk_int(&s->line, (int64_t)r->violations);
    talk_real(&s->line, r->seconds);
    talk_real(&s->line, r->estimate);
    talk_int(&s->line, (int64_t)r->states);
    send_line(s);
}

static void send_stage(server *s, const stage_result *r) {
    talk_begin(&s->line, "stage");
    talk_text(&s->line, r->strategy);
    talk_int(&s->line, r->bound);
    talk_int(&s->line, r->exhausted);
    talk_int(&s->line, (int64_t)r->executions);
    talk_int(&s->line, (int64_t)r->steps);
    talk_int(&s->line, (int64_t)r->pruned);
    talk_int(&s->line, (int64_t)r->assumed);
    talk_int(&s->line, (int64_t)r->cut_off);
    talk_real(&s->line, r->seconds);
    send_line(s);
}

static void send_limits(server *s, const coverage *c) {
    talk_begin(&s->line, "limits");
    coverage_send(c, &s->line);
    send_line(s);
}

static void send_result(server *s, bool complete, int preemptions, bool stopped, failure_kind failure,
                        const char *message, uint64_t at, unsigned failing) {
    talk_begin(&s->line, "result");
    talk_int(&s->line, complete);
    talk_int(&s->line, preemptions);
    talk_int(&s->line, stopped);
    talk_int(&s->line, failure);
    talk_text(&s->line, message);
    talk_int(&s->line, (int64_t)at);
    talk_int(&s->line, failing);
    send_line(s);
}

static void send_orders(server *s) {
    const order_site *site;
    const uint32_t n = orders_seen(&site);
    for (uint32_t i = 0; i < n; i++) {
        talk_begin(&s->line, "order");
        talk_int(&s->line, (int64_t)site[i].pc);
        talk_int(&s->line, site[i].role);
        talk_int(&s->line, site[i].order);
        send_line(s);
    }
}

static void send_outcomes(server *s, outcome_list *l) {
    for (uint32_t i = 0; i < l->n; i++) {
        talk_begin(&s->line, "outcome");
        talk_text(&s->line, l->at[i].what);
        talk_int(&s->line, (int64_t)l->at[i].executions);
        text choices = {0};
        add_knowledge(&choices);
        text_add(&choices, l->at[i].schedule ? l->at[i].schedule : "");
        talk_text(&s->line, text_str(&choices));
        text_free(&choices);
        send_line(s);
    }
    outcomes_free(l);
}

/* Lines of a text, one note each. */
static void send_notes(server *s, text *notes) {
    for (char *at = notes->at, *end; at && at < notes->at + notes->size; at = end + 1) {
        end = memchr(at, '\n', (size_t)(notes->at + notes->size - at));
        *end = 0;
        talk_begin(&s->line, "note");
        talk_text(&s->line, at);
        send_line(s);
    }
    text_free(notes);
}

static void send_history(void *context, const explored_operation *op, uint32_t n, const uint32_t *order,
                         uint32_t events) {
    server *s = context;
    if (op) talk_history(&s->line, op, n, order, events, machine_world()->values);
    else talk_begin(&s->line, "history");
    send_line(s);
}

static void send_work(server *s, const char *left) {
    talk_begin(&s->line, "work");
    talk_text(&s->line, left);
    send_line(s);
}

/* Strategies that draw lots do the same in every process. */
static unsigned jobs_for(const run_request *r, const campaign_options *o) {
    const strategy_type *t = strategy_find(o->strategy);
    if (outcomes_are_told()) return 1; /* each process would count for itself */
    bool shareable = !strcmp(o->strategy, "auto") || (t && t->exhaustive && strcmp(t->name, "replay"));
    return shareable && !o->history && !o->monitor && strcmp(o->strategy, "states") ? (unsigned)r->jobs : 1;
}

static bool run_campaign(const campaign_options *o, unsigned jobs, crew_work *work, campaign_result *r, text *notes) {
    if (jobs > 1 || work) return crew_run(o, jobs, work, r, notes);
    bool good = campaign_run(machine_world(), machine_run_watched, o, r);
    limits_take(&r->limits);
    notes_write(notes);
    return good;
}

static void monitor_notes(const char *monitor, const campaign_result *r, text *notes) {
    if (r->silent)
        text_printf(notes,
                    "monitor %s: nothing bad seen in some histories, which does not prove that they are linearizable\n",
                    monitor);
    if (r->undecided) text_printf(notes, "monitor %s: some histories are not for it: %s\n", monitor, r->undecided_why);
}

/* What the test says and a strategy relies on. A program with its own main may do more than operations, and
 * invariants are looked at where these end (record.c says why that is enough for threads of operations alone). */
static void limits_of_test(const campaign_options *o, campaign_result *r) {
    bool reduced = false;
    for (unsigned i = 0; i < r->stages; i++) reduced |= !strcmp(r->stage[i].strategy, "dpor");
    if (threads_use_main()) r->limits.invariants_at_ends = declared(PLUMB_ITEM_INVARIANT);
    if (reduced && o->how.symmetry) r->limits.symmetries = declared(PLUMB_ITEM_SYMMETRY);
}

/* All but the schedules, which the machine must learn of. */
static campaign_options campaign_of(server *s, const run_request *q) {
    return (campaign_options){.strategy = q->strategy,
                              .how = {.bound = (unsigned)q->bound,
                                      .depth = (unsigned)q->depth,
                                      .seed = q->seed,
                                      .most_steps = (uint32_t)q->steps,
                                      .symmetry = q->symmetry,
                                      .messages = q->messages,
                                      .model = (memory_model)words_find(MEMORY_MODELS, q->model, strlen(q->model)),
                                      .memory = q->memory},
                              .most_executions = q->executions,
                              .seconds = q->seconds,
                              .all = q->all,
                              .check_each_history = q->each_history,
                              .object = s->object,
                              .method_of = s->method_of,
                              .monitor = q->monitor,
                              .history = q->histories ? send_history : NULL,
                              .progress = send_counts,
                              .context = s,
                              .stop = &stop};
}

/* Before the campaign: what the executions showed that taught the machine. Those of the campaign replace it. */
static void send_learned_limits(server *s) {
    coverage learned = {0};
    limits_take(&learned);
    send_limits(s, &learned);
}

static void answer_run(server *s, const talk_line *l) {
    schedule first = {0}, prefix = {0};
    campaign_result r = {.preemptions = -1};
    run_request q;
    text notes = {0};
    crew_work work = {0};
    if (!take_request(s, l, &q) || !prepare_machine(s, &q) || !prepare_object(s, &q)) return;
    campaign_options o = campaign_of(s, &q);
    outcome_list outcomes = {0};
    o.outcomes = &outcomes;
    if (q.first && schedule_take(s, q.first, &first)) o.first = &first;
    if (q.prefix && schedule_take(s, q.prefix, &prefix)) {
        schedule_cut(&prefix, (uint32_t)q.prefix_steps);
        o.how.prefix = &prefix;
    } else if (q.work && strcmp(q.work, WORK_BEGINS)) {
        work.from = crew_work_tell(q.work);
        if (!strcmp(work.from, WORK_BEGINS)) work.from = NULL; /* knowing this */
    } else {
        machine_learn(LEARN_EXECUTIONS);
    }
    machine_watch(strcmp(q.progress, "none") != 0);
    send_learned_limits(s);
    limits_clear();
    bool good = run_campaign(&o, o.how.prefix ? 1 : jobs_for(&q, &o), q.work ? &work : NULL, &r, &notes);
    send_counts(s, &r);
    for (unsigned i = 0; i < r.stages; i++) send_stage(s, &r.stage[i]);
    limits_of_test(&o, &r);
    r.limits.spins_cut = notes_spins_cut(&notes);
    send_limits(s, &r.limits);
    send_outcomes(s, &outcomes);
    if (q.messages) send_orders(s);
    if (o.monitor) monitor_notes(o.monitor, &r, &notes);
    send_notes(s, &notes);
    if (work.wrong) send_error(s, EXIT_BAD_INPUT, "what the checkpoint has left cannot be gone on with");
    else if (!good) send_error(s, EXIT_INTERNAL, r.message);
    send_result(s, r.complete, r.preemptions, r.stopped, r.failure, r.message, r.failed_at, r.failing_preemptions);
    if (r.failure != FAILURE_NONE) schedule_send(s, &r.failing);
    else if (work.left.size) send_work(s, text_str(&work.left));
    text_free(&work.left);
    campaign_result_free(&r);
    schedule_free(&first);
    schedule_free(&prefix);
}

/* ---- one execution in detail ---- */

enum { REGIONS_MAX = 64 };

/* Watches another driver: keeps every step as it was executed. */
typedef struct watcher {
    const driver *inner;
    server *s;
    int thread; /* picked last; -1: none yet */
    uint32_t seen;
    text steps, memory, regions; /* lines */
    uintptr_t region[REGIONS_MAX];
    unsigned region_count;
} watcher;

static void keep_region(watcher *w, uintptr_t address) {
    machine_region r;
    if (!machine_region_of(address, &r)) return;
    for (unsigned i = 0; i < w->region_count; i++)
        if (w->region[i] == r.address) return;
    if (w->region_count == REGIONS_MAX) return;
    w->region[w->region_count++] = r.address;
    talk_region(
        &w->regions,
        &(memory_region){
            .kind = (region_kind)r.kind, .thread = r.thread, .address = r.address, .size = r.size, .name = r.name});
}

static void keep_last(watcher *w, const world *v) {
    if (w->thread < 0 || v->steps == w->seen) return;
    /* a store that reaches memory is shown as its thread's */
    unsigned thread = v->last.kind == STEP_FLUSH ? buffer_owner((unsigned)w->thread) : (unsigned)w->thread;
    const bool reads = messages_wanted() && v->read.step == v->steps - 1;
    talk_step(&w->steps, thread, &v->last, reads ? &v->read : NULL);
    keep_region(w, v->last.at[0].address);
    w->seen = v->steps;
}

static void add_memory(void *context, uintptr_t address, const void *bytes, size_t size) {
    talk_memory(context, address, bytes, size);
}

static int watch_pick(void *self, world *v) {
    watcher *w = self;
    if (v->steps == 0 && !w->memory.size) machine_each_memory(add_memory, &w->memory);
    keep_last(w, v);
    w->thread = w->inner->pick(w->inner->self, v);
    return w->thread;
}

static unsigned watch_choose(void *self, world *v, unsigned n, choice_kind kind) {
    watcher *w = self;
    return w->inner->choose(w->inner->self, v, n, kind);
}

/* Lines that end already. */
static void send_lines(server *s, text *lines) {
    if (lines->size) {
        text_bytes(&s->line, lines->at, lines->size - 1);
        send_line(s);
    }
    text_free(lines);
}

static void add_blocks(text *out) {
    const machine_block *b;
    uint32_t n = machine_blocks(&b);
    for (uint32_t i = 0; i < n; i++)
        talk_block(out, &(heap_block){.address = b[i].address,
                                      .size = b[i].size,
                                      .thread = b[i].thread,
                                      .pc = b[i].pc,
                                      .from = b[i].from,
                                      .to = b[i].to});
}

/* What a monitor says of an execution that no check of histories says: of its marks, and patterns of the user's own. */
static failure_kind monitored_failure(server *s, world *w, const char *monitor) {
    error e = {0};
    sentry *seen = sentry_open(monitor, s->object, s->method_of, &e);
    sentry_verdict v = seen ? sentry_execution(seen, w) : SENTRY_GOOD;
    if (v == SENTRY_ANNOTATION)
        snprintf(w->message, sizeof w->message, "%s; the history itself is linearizable", sentry_message(seen));
    if (v == SENTRY_PATTERN) snprintf(w->message, sizeof w->message, "%s", sentry_message(seen));
    sentry_close(seen);
    return v == SENTRY_ANNOTATION ? FAILURE_ANNOTATION : v == SENTRY_PATTERN ? FAILURE_PATTERN : w->failure;
}

static bool is_by_happens_before(const run_request *q, const world *w) {
    bool buffered = false;
    for (uint32_t i = 0; i < w->op_count; i++) buffered |= w->ops[i].stores != 0;
    return q->messages || buffered;
}

static failure_kind history_failure(server *s, world *w, strategy *replay, const run_request *q) {
    uint32_t order[2 * OPERATIONS_MAX], n = 0;
    const bool by_happens_before = is_by_happens_before(q, w);
    if (!s->object || w->ending != ENDED_WELL) return w->failure;
    if (q->monitor && pattern_file_named(q->monitor)) return monitored_failure(s, w, q->monitor);
    trace_check *c = trace_check_new(s->object, s->method_of);
    if (by_happens_before) trace_check_by_happens_before(c);
    const trace_clocks clocks = by_happens_before ? replay->type->clocks(replay) : (trace_clocks){0};
    trace_verdict v = trace_check_decide(c, w, by_happens_before ? &clocks : NULL, order, &n);
    trace_check_free(c);
    if (v == TRACE_VIOLATION) return FAILURE_VIOLATION;
    return q->monitor ? monitored_failure(s, w, q->monitor) : w->failure;
}

static void answer_replay(server *s, const talk_line *l) {
    schedule choices = {0};
    run_request q;
    if (!take_request(s, l, &q) || !prepare_machine(s, &q) || !prepare_object(s, &q)) return;
    if (!q.choices || !schedule_take(s, q.choices, &choices)) return;
    world *w = machine_world();
    strategy_options how = campaign_of(s, &q).how;
    how.prefix = &choices;
    strategy *replay = strategy_open(strategy_replays(&how), &how);
    watcher seen = {.inner = strategy_next(replay), .s = s, .thread = -1};
    driver d = {.pick = watch_pick, .choose = watch_choose, .self = &seen, .any_order = seen.inner->any_order};
    machine_detail(true);
    machine_run(w, &d);
    keep_last(&seen, w);
    text ops = {0}, blocks = {0};
    for (uint32_t i = 0; i < w->op_count; i++)
        talk_operation(&ops, operation_name(w->ops[i].method), &w->ops[i], w->values);
    add_blocks(&blocks);
    machine_detail(false);
    send_lines(s, &ops);
    send_lines(s, &seen.steps);
    send_lines(s, &blocks);
    send_lines(s, &seen.memory);
    send_lines(s, &seen.regions);
    if (is_by_happens_before(&q, w)) strategy_done(replay, w);
    failure_kind failure = history_failure(s, w, replay, &q);
    const bool diverged = replay->type->diverged(replay);
    send_result(s, false, -1, false, diverged ? FAILURE_DIVERGED : failure, w->message, 0, 0);
    strategy_close(replay);
    schedule_free(&choices);
}

/* ---- the conversation ---- */

/* As if it had been this process: the one that asks is told so. */
static void end_as(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    _exit(1);
}

/* A copy of this process, in which nothing was run yet, answers: the program is loaded once, and what one question
 * taught the machine is not known to the next. */
static void answer_apart(server *s, const talk_line *l) {
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        answer_run(s, l);
        send_end(s);
        _exit(0);
    }
    if (child < 0) {
        send_error(s, EXIT_INTERNAL, "cannot start a process");
        send_end(s);
        return;
    }
    answering = child;
    if (stop) kill(child, SIGINT); /* it came before there was anyone to tell */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    answering = 0;
    end_as(status);
}

static void converse(server *s, int in, bool apart) {
    talk_reader r;
    talk_line l;
    talk_reader_init(&r, in);
    for (talk_event e; (e = talk_next(&r, -1, &l)) != TALK_CLOSED;) {
        if (e == TALK_TIMEOUT) continue;
        stop = 0;
        if (apart && !strcmp(l.field[0], "run")) {
            answer_apart(s, &l);
            continue;
        }
        if (!strcmp(l.field[0], "items")) answer_items(s);
        else if (!strcmp(l.field[0], "run")) answer_run(s, &l);
        else if (!strcmp(l.field[0], "replay")) answer_replay(s, &l);
        send_end(s);
    }
    talk_reader_free(&r);
}

int explore_main(int argc, char **argv, char **envp, int (*program)(int, char **, char **)) {
    server s = {.argc = argc, .argv = argv, .envp = envp, .program = program};
    const char *words = getenv("PLUMB_EXPLORE");
    char question[256];
    int in;
    if (words && sscanf(words, "question=%255[^\n]", question) == 1) { /* answers are not read: a debugger looks on */
        in = open(question, O_RDONLY);
        s.out = open("/dev/null", O_WRONLY);
        converse(&s, in, false);
        return 0;
    }
    if (words && strncmp(words, "in=", 3)) return trial_main(argc, argv, envp, program);
    if (!words || sscanf(words, "in=%d out=%d", &in, &s.out) != 2) {
        fprintf(stderr, "%s: this program is made for exploration; run: plumb explore %s\n", argv[0], argv[0]);
        return EXIT_USAGE;
    }
    struct sigaction a = {.sa_handler = on_signal};
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    converse(&s, in, strstr(words, " apart") != NULL);
    return 0;
}
