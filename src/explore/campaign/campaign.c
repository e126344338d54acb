#include "explore/campaign/campaign.h"

#include "base/budget.h"
#include "base/mem.h"
#include "explore/campaign/boundary.h"
#include "explore/campaign/extension.h"
#include "explore/campaign/history_set.h"
#include "explore/campaign/history_state.h"
#include "explore/model/schedule.h"
#include "explore/strategy/share.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_EVERY = 16 /* executions: at the clock */, ASIDE_TIMES = 10, ASIDE_MORE = 1000 };
#define PROGRESS_SECONDS 0.3

/* By real time, and by happens-before; NULL where the memory model has no such executions. */
typedef struct checks {
    trace_check *timed, *loose;
} checks;

typedef struct campaign {
    world *w;
    world_run *run;
    const campaign_options *o;
    campaign_result *r;
    checks check, confirmer; /* the second keeps confirmations out of the count; NULL: no object */
    history_set *histories;  /* NULL: not wanted */
    sentry *sentry;          /* the monitor; NULL: none */
    history_state *past;     /* what states are told apart by; NULL: no strategy compares them */
    bool each_history;       /* executions stand for their own histories, not for those of their traces */
    /* marks that are wrong; reported when the object itself turns out to be right for a while longer */
    schedule aside;
    char aside_message[256];
    uint64_t aside_until; /* executions; 0: nothing is set aside */
    /* the first history of this trace that the monitor calls bad; 0: none */
    uint32_t bad_order[2 * OPERATIONS_MAX], bad_events;
    failure_kind bad_as; /* what a bad history is called; it is set before the first one */
    unsigned shared_stages;
    double started, next_progress;
    bool shares_time; /* strategies take turns */
    bool internal;    /* error */
} campaign;

static bool give_up(campaign *c, const char *what) {
    snprintf(c->r->message, sizeof c->r->message, "%.255s", what);
    c->r->failure = FAILURE_DIVERGED;
    c->internal = true;
    return false;
}

/* ---- failures ---- */

/* An operation has returned and its stores may not have reached memory: real time between threads says nothing of
 * it. */
static bool any_is_buffered(const world *w) {
    for (uint32_t i = 0; i < w->op_count; i++)
        if (w->ops[i].stores) return true;
    return false;
}

/* The execution itself is the violation: other orders of its steps are no other histories. */
static bool by_happens_before(const campaign *c) {
    return c->o->how.messages || (c->o->how.model == MODEL_TSO && any_is_buffered(c->w));
}

static checks checks_new(const campaign *c) {
    const bool loose = c->o->how.messages || c->o->how.model == MODEL_TSO;
    checks k = {.timed = c->o->how.messages ? NULL : trace_check_new(c->o->object, c->o->method_of),
                .loose = loose ? trace_check_new(c->o->object, c->o->method_of) : NULL};
    if (k.loose) trace_check_by_happens_before(k.loose);
    return k;
}

static void checks_free(checks *k) {
    trace_check_free(k->timed);
    trace_check_free(k->loose);
    *k = (checks){0};
}

static bool has_checks(const checks *k) { return k->timed || k->loose; }

/* The one for this execution. */
static trace_check *check_for(const campaign *c, const checks *k) { return by_happens_before(c) ? k->loose : k->timed; }

static uint64_t signatures(const checks *k) {
    return (k->timed ? trace_check_signatures(k->timed) : 0) + (k->loose ? trace_check_signatures(k->loose) : 0);
}

static bool history_violates(campaign *c, strategy *s) {
    uint32_t order[2 * OPERATIONS_MAX], length;
    const trace_clocks clocks = by_happens_before(c) ? s->type->clocks(s) : (trace_clocks){0};
    return trace_check_decide(check_for(c, &c->confirmer), c->w, by_happens_before(c) ? &clocks : NULL, order,
                              &length) == TRACE_VIOLATION;
}

/* Runs the schedule; true: it ends as it is said to. */
static bool confirm(campaign *c, const schedule *s, failure_kind expected) {
    strategy_options how = c->o->how;
    how.prefix = s;
    how.share = NULL;
    strategy *replay = strategy_open(strategy_replays(&how), &how);
    const driver *d = strategy_next(replay);
    assert(d && (expected != FAILURE_VIOLATION || has_checks(&c->confirmer)) &&
           ((expected != FAILURE_ANNOTATION && expected != FAILURE_PATTERN) || c->sentry));
    c->run(c->w, d);
    strategy_done(replay, c->w);
    bool same = !replay->type->diverged(replay) &&
                (expected == FAILURE_ANNOTATION
                     ? c->w->ending == ENDED_WELL && sentry_execution(c->sentry, c->w) == SENTRY_ANNOTATION
                 : expected == FAILURE_PATTERN
                     ? c->w->ending == ENDED_WELL && sentry_execution(c->sentry, c->w) == SENTRY_PATTERN
                 : expected == FAILURE_VIOLATION ? c->w->ending == ENDED_WELL && history_violates(c, replay)
                                                 : c->w->ending == ENDED_BAD && c->w->failure == expected);
    c->r->failing_preemptions = replay->type->preemptions(replay);
    strategy_close(replay);
    return same;
}

static bool report(campaign *c, failure_kind kind, const char *message, schedule *s) {
    campaign_result *r = c->r;
    r->violations++;
    if (r->failure != FAILURE_NONE) {
        schedule_free(s);
        return true;
    }
    char kept[sizeof r->message];
    snprintf(kept, sizeof kept, "%s", message);
    if (kind != FAILURE_UNMODELLED && !confirm(c, s, kind)) {
        char what[sizeof r->message];
        schedule_free(s);
        snprintf(what, sizeof what,
                 "a failure did not repeat itself: the program does not depend on its schedule alone (%.120s)", kept);
        return give_up(c, what);
    }
    if (kind == FAILURE_PATTERN) snprintf(kept, sizeof kept, "%.255s", sentry_message(c->sentry)); /* as confirmed */
    r->failure = kind;
    memcpy(r->message, kept, sizeof kept);
    schedule_free(&r->failing);
    r->failing = *s;
    r->failed_at = r->executions;
    return true;
}

static bool report_failure(campaign *c, strategy *s) {
    schedule was = {0};
    s->type->schedule(s, &was);
    return report(c, c->w->failure, c->w->message, &was);
}

/* With few switches when that can be replayed: where a thread that is left alone is no longer asked for its steps, it
 * cannot. */
static void violating_schedule(campaign *c, const trace_clocks *clocks, const uint32_t *order, uint32_t length,
                               const schedule *was, schedule *out) {
    schedule tidy = {0};
    extension_schedule(c->w, clocks, order, length, was, true, &tidy);
    extension_schedule(c->w, clocks, order, length, was, false, out);
    if (confirm(c, &tidy, c->bad_as)) {
        schedule swapped = *out;
        *out = tidy;
        tidy = swapped;
    }
    schedule_free(&tidy);
}

static bool report_violation(campaign *c, strategy *s, const uint32_t *order, uint32_t length) {
    schedule was = {0}, violating = {0};
    trace_clocks clocks = s->type->clocks(s);
    s->type->schedule(s, &was);
    if (c->r->failure == FAILURE_NONE && !c->each_history && length && !by_happens_before(c)) {
        violating_schedule(c, &clocks, order, length, &was, &violating);
        schedule_free(&was);
        was = violating;
    }
    text what = {0};
    text_add(&what, "the history is not ");
    criterion_print(&c->o->object->criterion, &what);
    bool good = report(c, c->bad_as, text_str(&what), &was);
    text_free(&what);
    return good;
}

/* ---- one execution ---- */

static void list_histories(campaign *c, const trace_clocks *clocks) {
    boundary b;
    if (boundary_build(&b, c->w, clocks)) history_set_add(c->histories, c->w, &b, c->o->history, c->o->context);
    else c->r->undecided++;
}

/* ---- with a monitor ---- */

static void note_verdict(campaign *c, sentry_verdict v) {
    c->r->silent += v == SENTRY_SILENT;
    c->r->undecided += v == SENTRY_UNDECIDED;
    if (v == SENTRY_UNDECIDED)
        snprintf(c->r->undecided_why, sizeof c->r->undecided_why, "%s", sentry_message(c->sentry));
}

static void watch_visit(void *context, const explored_operation *op, uint32_t n, const uint32_t *order,
                        uint32_t events) {
    campaign *c = context;
    sentry_verdict v = sentry_history(c->sentry, op, n, c->w->values, order, events);
    note_verdict(c, v);
    if (v == SENTRY_DISAGREEMENT) give_up(c, sentry_message(c->sentry));
    if ((v != SENTRY_VIOLATION && v != SENTRY_PATTERN) || c->bad_events) return;
    c->bad_as = v == SENTRY_PATTERN ? FAILURE_PATTERN : FAILURE_VIOLATION;
    assert(events && events <= 2 * OPERATIONS_MAX);
    memcpy(c->bad_order, order, events * sizeof *order);
    c->bad_events = events;
}

/* Marks are part of an interleaving: each is looked at as it happened. */
static bool examine_points(campaign *c, strategy *s) {
    sentry_verdict v = sentry_execution(c->sentry, c->w);
    note_verdict(c, v);
    if (v == SENTRY_VIOLATION) return report_violation(c, s, c->bad_order, 0);
    if (v != SENTRY_ANNOTATION || c->aside_until) return true;
    s->type->schedule(s, &c->aside);
    snprintf(c->aside_message, sizeof c->aside_message, "%.180s; the history itself is linearizable",
             sentry_message(c->sentry));
    c->aside_until = ASIDE_TIMES * c->r->executions + ASIDE_MORE;
    return true;
}

/* The object itself was not found wrong. */
static void report_aside(campaign *c) {
    if (c->aside_until && c->r->failure == FAILURE_NONE) report(c, FAILURE_ANNOTATION, c->aside_message, &c->aside);
    else schedule_free(&c->aside);
}

static bool examine_watched(campaign *c, strategy *s) {
    if (sentry_needs_points(c->sentry)) return examine_points(c, s);
    trace_clocks clocks = s->type->order(s);
    boundary b;
    c->bad_events = 0;
    if (boundary_build(&b, c->w, c->each_history ? NULL : &clocks))
        history_set_add(c->histories, c->w, &b, watch_visit, c);
    else c->r->undecided++;
    return !c->internal && (!c->bad_events || report_violation(c, s, c->bad_order, c->bad_events));
}

/* What states were told apart by is the set of all linearizations: it comes to the same verdict. */
static void check_past(campaign *c, trace_verdict v) {
    bool says;
    if (!c->past || v == TRACE_UNDECIDED) return;
    const bool refuted = history_state_refutes(c->past, c->w, &says);
    if (says && refuted != (v == TRACE_VIOLATION)) give_up(c, "two checks of one history disagree");
}

static bool examine_history(campaign *c, strategy *s) {
    if (c->sentry) return examine_watched(c, s);
    trace_clocks clocks = s->type->order(s);
    const trace_clocks *whole = c->each_history ? NULL : &clocks;
    if (c->histories) list_histories(c, whole);
    if (!has_checks(&c->check)) return true;
    uint32_t order[2 * OPERATIONS_MAX], length;
    trace_check *check = check_for(c, &c->check);
    uint64_t before = trace_check_signatures(check);
    trace_verdict v = trace_check_decide(check, c->w, whole, order, &length);
    if (c->o->how.share && trace_check_signatures(check) != before)
        share_note_signature(c->o->how.share, trace_check_newest(check));
    check_past(c, v);
    if (c->internal) return false;
    switch (v) {
    case TRACE_RIGHT: return true;
    case TRACE_UNDECIDED: c->r->undecided++; return true;
    default: return report_violation(c, s, order, length);
    }
}

static void forget_stage(campaign *c, stage_result *stage) {
    assert(c->r->executions >= stage->executions && c->r->steps >= stage->steps);
    c->r->executions -= stage->executions;
    c->r->steps -= stage->steps;
    *stage = (stage_result){.strategy = stage->strategy, .bound = stage->bound};
}

/* What was seen so far had fewer steps: the same histories may come again with tighter intervals. */
static void forget_histories(campaign *c) {
    if (c->o->outcomes) outcomes_free(c->o->outcomes);
    if (has_checks(&c->check)) {
        checks_free(&c->check);
        c->check = checks_new(c);
    }
    if (c->histories) {
        history_set_free(c->histories);
        c->histories = history_set_new();
        if (c->o->history) c->o->history(c->o->context, NULL, 0, NULL, 0);
    }
}

static void note_outcome(campaign *c, strategy *s) {
    if (!c->o->outcomes || !c->w->outcome[0]) return;
    told_outcome *o = outcomes_add(c->o->outcomes, c->w->outcome, 1);
    if (o->schedule) return;
    schedule was = {0};
    text t = {0};
    s->type->schedule(s, &was);
    schedule_write(&was, &t);
    o->schedule = mem_string(text_str(&t));
    text_free(&t);
    schedule_free(&was);
}

static bool examine(campaign *c, strategy *s, stage_result *stage) {
    if (s->type->diverged(s))
        return give_up(c, "the program did not repeat itself: it looks at the clock, at real addresses, or at memory "
                          "it did not write");
    stage->executions++;
    stage->steps += c->w->steps;
    c->r->executions++;
    c->r->steps += c->w->steps;
    switch (c->w->ending) {
    case ENDED_WELL: note_outcome(c, s); return examine_history(c, s);
    case ENDED_PRUNED: stage->pruned++; return true;
    case ENDED_ASSUMED: stage->assumed++; return true;
    case ENDED_BOUND: stage->cut_off++; return true;
    case ENDED_BAD: return report_failure(c, s);
    case ENDED_LEARNED: return true; /* not counted: run_stage begins anew */
    }
    return true;
}

/* ---- stages ---- */

/* What the result says of the whole is the sum of its stages, and of a stage no more than was run. */
static void check_counts(const campaign_result *r) {
    uint64_t executions = 0, steps = 0;
    for (unsigned i = 0; i < r->stages; i++) {
        const stage_result *s = &r->stage[i];
        executions += s->executions;
        steps += s->steps;
        assert(s->pruned + s->assumed + s->cut_off <= s->executions);
    }
    assert(executions == r->executions && steps == r->steps);
    assert(r->preemptions >= -1 && !(r->complete && r->stopped));
    (void)executions, (void)steps;
}

static void update(campaign *c, strategy *s, stage_result *stage, double now) {
    double part = stage->apart ? 0 : s->type->explored(s);
    c->r->seconds = now - c->started;
    if (part > 0) c->r->explored = part;
    if (part > 0 || !c->shares_time) c->r->estimate = part > 0 ? (double)stage->executions / part : 0;
    c->r->histories = c->histories ? history_set_count(c->histories) : signatures(&c->check);
}

/* True: go on. */
static bool look_around(campaign *c, strategy *s, stage_result *stage) {
    const campaign_options *o = c->o;
    if (o->stop && *o->stop) return false;
    if (c->aside_until && c->r->executions >= c->aside_until) return false;
    if (o->most_executions && c->r->executions >= o->most_executions) return false;
    if (c->r->executions % LOOK_EVERY && !o->how.messages) return true;
    if (c->shares_time && o->how.share && share_is_abandoned(o->how.share)) return false;
    double now = clock_seconds();
    if (o->progress && now >= c->next_progress) {
        c->next_progress = now + PROGRESS_SECONDS;
        update(c, s, stage, now);
        o->progress(o->context, c->r);
    }
    return !(o->seconds > 0 && now - c->started >= o->seconds);
}

static bool is_over(const campaign *c) {
    return c->internal || c->r->learned || c->r->failure == FAILURE_UNMODELLED ||
           (c->r->failure != FAILURE_NONE && !c->o->all);
}

/* The world has more steps now than the strategy knows of. Processes that share the work cannot begin anew one by one:
 * they leave it to their caller. */
static strategy *begin_anew(campaign *c, strategy *s, const strategy_options *how, stage_result *stage) {
    const strategy_type *type = s->type;
    strategy_close(s);
    if (how->share) c->r->learned = true;
    else {
        assert(stage == &c->r->stage[c->r->stages - 1]);
        forget_stage(c, stage);
        forget_histories(c);
    }
    return strategy_open(type, how);
}

/* Everything the strategy has; *on: nothing kept it from its end. The strategy may be another one by then. */
static strategy *run_strategy(campaign *c, strategy *s, const strategy_options *how, stage_result *stage, bool *on) {
    const driver *d;
    *on = true;
    while (*on && (d = strategy_next(s))) {
        c->run(c->w, d);
        if (c->w->ending == ENDED_LEARNED) s = begin_anew(c, s, how, stage);
        else {
            strategy_done(s, c->w);
            *on = examine(c, s, stage);
        }
        *on = *on && !is_over(c) && look_around(c, s, stage);
    }
    return s;
}

static void note_states(campaign *c, const strategy *s) {
    const state_counts n = s->type->states(s);
    c->r->states = n.states;
    c->r->limits.cycles = n.cycles;
    c->r->limits.states_cut = s->type->cut(s);
}

/* False: the campaign is over. */
static bool run_stage(campaign *c, const char *name, const strategy_options *how) {
    if (c->r->stages == STAGES_MAX) return false;
    stage_result *stage = &c->r->stage[c->r->stages++];
    const strategy_type *type = strategy_find(name);
    *stage = (stage_result){.strategy = type->name, .bound = how->bound};
    strategy_options own = *how;
    if (own.share) own.share_stage = c->shared_stages++;
    assert(own.share_stage < STAGES_MAX);
    bool on;
    double began = clock_seconds();
    strategy *s = run_strategy(c, strategy_open(type, &own), &own, stage, &on);
    bool left = how->share && share_is_abandoned(how->share);
    if ((!on || left) && !is_over(c)) c->r->stopped = true;
    stage->exhausted = on && type->exhaustive && !left;
    bool cut = s->type->cut(s) || stage->cut_off;
    if (stage->exhausted && !cut && !how->prefix) c->r->complete = true;
    if (stage->exhausted && !stage->cut_off && !strcmp(type->name, "bounded")) c->r->preemptions = (int)how->bound;
    update(c, s, stage, clock_seconds());
    stage->seconds = clock_seconds() - began;
    if (type->states) note_states(c, s);
    check_counts(c->r);
    strategy_close(s);
    return on && !left && !c->r->complete;
}

/* ---- several strategies that take turns ---- */

/* Shares of executions. Bounds come first: the first failure then has few preemptions. What is exhaustive has three
 * quarters, so that the claim costs little more than dpor alone; turns double, so that a strategy is never far from
 * the time it would need alone. */
enum { TURN_FIRST = 32, TURN_MOST = 4096, LANES = 4 };

typedef struct lane {
    const strategy_type *type;
    strategy *s; /* NULL: not begun, or done */
    bool begun;
    strategy_options how;
    stage_result *stage;
    unsigned weight; /* 0: not in this process */
} lane;

typedef struct portfolio {
    lane at[LANES];
    bool learned;
} portfolio;

static void lane_open(campaign *c, lane *l) {
    l->begun = true;
    if (c->r->stages == STAGES_MAX) return;
    l->stage = &c->r->stage[c->r->stages++];
    *l->stage =
        (stage_result){.strategy = l->type->name, .bound = l->how.bound, .apart = c->o->how.share && !l->how.share};
    l->s = strategy_open(l->type, &l->how);
}

static void lane_close(campaign *c, lane *l) {
    if (!l->s) return;
    update(c, l->s, l->stage, clock_seconds());
    strategy_close(l->s);
    l->s = NULL;
}

static bool is_bounded(const lane *l) { return !strcmp(l->type->name, "bounded"); }

/* It has nothing left: what that proves. */
static void lane_end(campaign *c, lane *l) {
    bool left = l->how.share && share_is_abandoned(l->how.share);
    l->stage->exhausted = l->type->exhaustive && !left;
    if (l->stage->exhausted && !l->s->type->cut(l->s) && !l->stage->cut_off) {
        c->r->complete = true;
        c->r->alone = !l->how.share;
    }
    bool bounds = l->stage->exhausted && is_bounded(l), further = bounds && !c->r->complete;
    if (bounds && !l->stage->cut_off) c->r->preemptions = (int)l->how.bound;
    lane_close(c, l);
    if (further && l->how.bound < c->o->how.bound) {
        l->how.bound++;
        lane_open(c, l);
    }
}

/* So many executions. False: the campaign is over. */
static bool lane_turn(campaign *c, portfolio *p, lane *l, uint64_t most) {
    double began = clock_seconds();
    stage_result *stage = l->stage;
    bool on = true;
    while (on && l->s && stage == l->stage && most--) {
        const driver *d = strategy_next(l->s);
        if (!d) {
            lane_end(c, l);
            break;
        }
        c->run(c->w, d);
        p->learned = c->w->ending == ENDED_LEARNED;
        if (p->learned) break;
        strategy_done(l->s, c->w);
        on = examine(c, l->s, stage) && !is_over(c) && look_around(c, l->s, stage);
    }
    stage->seconds += clock_seconds() - began;
    return on && !c->r->complete && !p->learned;
}

static lane lane_of(const campaign *c, const char *name, unsigned weight) {
    lane l = {.type = strategy_find(name), .how = c->o->how, .weight = weight};
    l.how.seed += c->o->worker;
    l.how.bound = 0;
    if (l.type->exhaustive && !is_bounded(&l)) l.how.share_stage = 0;
    else l.how.share = NULL; /* a process has these for itself */
    return l;
}

/* Where several processes share the work all have a part in dpor, and each but the first one that draws lots. */
static void lanes_make(const campaign *c, portfolio *p) {
    bool alone = !c->o->how.share, points = c->sentry && sentry_needs_points(c->sentry);
    p->at[0] = lane_of(c, "bounded", alone || c->o->worker == 0 ? 2 : 0);
    /* dpor has one interleaving of each trace */
    p->at[1] = lane_of(c, points ? "dfs" : "dpor", 4);
    p->at[2] = lane_of(c, "pct", alone || c->o->worker % 2 == 1 ? 1 : 0);
    p->at[3] = lane_of(c, "random", alone || c->o->worker > 0 ? 1 : 0);
}

/* Something that ends by itself is still at work. */
static bool goes_on(const portfolio *p) {
    for (unsigned i = 0; i < LANES; i++)
        if (p->at[i].weight && p->at[i].type->exhaustive && (p->at[i].s || !p->at[i].begun)) return true;
    return false;
}

static bool take_turns(campaign *c, portfolio *p) {
    for (uint64_t turn = TURN_FIRST; goes_on(p); turn = turn < TURN_MOST ? 2 * turn : TURN_MOST)
        for (lane *l = p->at; l < p->at + LANES; l++) {
            if (l->weight && !l->begun) lane_open(c, l);
            if (l->s && !lane_turn(c, p, l, turn * l->weight)) return false;
        }
    return true;
}

/* The world has more steps now than the strategies know of. */
static void portfolio_forget(campaign *c, unsigned stages) {
    for (unsigned i = stages; i < c->r->stages; i++) forget_stage(c, &c->r->stage[i]);
    c->r->stages = stages;
    c->r->preemptions = -1;
    forget_histories(c);
}

static void run_portfolio(campaign *c) {
    const unsigned before = c->r->stages;
    bool ended, again;
    c->shares_time = c->r->takes_turns = true;
    do {
        portfolio p = {0};
        lanes_make(c, &p);
        ended = take_turns(c, &p);
        again = p.learned && !c->o->how.share;
        for (unsigned i = 0; i < LANES; i++) lane_close(c, &p.at[i]);
        if (p.learned && !again) c->r->learned = true;
        if (again) portfolio_forget(c, before);
    } while (again);
    bool left = c->o->how.share && share_is_abandoned(c->o->how.share);
    if (!c->r->complete && (!ended || left) && !is_over(c)) c->r->stopped = true;
    check_counts(c->r);
}

/* One after the other: of executions that begin in the same way. */
static void run_bounds_then_all(campaign *c) {
    strategy_options how = c->o->how;
    for (how.bound = 0; how.bound <= c->o->how.bound; how.bound++)
        if (!run_stage(c, "bounded", &how)) return;
    /* dpor has one interleaving of each trace */
    run_stage(c, c->sentry && sentry_needs_points(c->sentry) ? "dfs" : "dpor", &how);
}

/* What of a history a monitor's verdict depends on. A complete one says what linearizations say. */
static history_kept sentry_keeps(const sentry *s) {
    return !s ? KEPT_CONFIGURATIONS : sentry_needs_points(s) ? KEPT_EVENTS : KEPT_ORDER;
}

/* Each state once: told apart by what the verdict of a history depends on. */
static void run_states(campaign *c) {
    const campaign_options *o = c->o;
    strategy_options how = o->how;
    how.share = NULL;
    c->each_history = true;
    if (o->object) {
        c->past = history_state_new(o->object, o->method_of, o->history ? KEPT_ORDER : sentry_keeps(c->sentry));
        how.history = history_state_hash;
        how.history_self = c->past;
    }
    run_stage(c, "states", &how);
    history_state_free(c->past);
}

static bool run_first(campaign *c) {
    strategy_options how = c->o->how;
    how.prefix = c->o->first;
    how.share = NULL;
    bool on = run_stage(c, strategy_replays(&how)->name, &how);
    if (!c->internal) return on;
    c->internal = false; /* the program changed since: so much for that schedule */
    c->r->failure = FAILURE_NONE;
    c->r->message[0] = 0;
    return true;
}

bool campaign_run(world *w, world_run *run, const campaign_options *o, campaign_result *r) {
    campaign c = {.w = w,
                  .run = run,
                  .o = o,
                  .r = r,
                  .started = clock_seconds(),
                  .each_history = o->check_each_history,
                  .bad_as = FAILURE_VIOLATION};
    *r = (campaign_result){.preemptions = -1};
    w->fair_only = w->rounds_cut = false;
    if (o->object && o->monitor) {
        error e = {0};
        c.sentry = sentry_open(o->monitor, o->object, o->method_of, &e);
        if (!c.sentry) return give_up(&c, e.what);
    }
    if (o->object) {
        if (!c.sentry) c.check = checks_new(&c);
        c.confirmer = checks_new(&c);
    }
    if (o->history || c.sentry || (o->check_each_history && !o->object)) c.histories = history_set_new();
    if (!o->first || run_first(&c)) {
        bool takes_turns = !strcmp(o->strategy, "auto") && !o->how.messages;
        if (takes_turns && o->how.prefix) run_bounds_then_all(&c);
        else if (takes_turns) run_portfolio(&c);
        else if (!strcmp(o->strategy, "states")) run_states(&c);
        else run_stage(&c, o->how.messages ? "graphs" : o->strategy, &o->how);
    }
    if (!c.internal) report_aside(&c);
    r->limits.yields_cut = w->fair_only;
    r->limits.rounds_cut = w->rounds_cut;
    r->seconds = clock_seconds() - c.started;
    for (unsigned i = 0; i < r->stages; i++) r->limits.steps_cut += r->stage[i].cut_off;
    r->limits.silent = r->silent;
    r->limits.undecided = r->undecided;
    if (r->silent || r->undecided) {
        r->complete = false;
        r->preemptions = -1;
    }
    assert(r->failure == FAILURE_NONE || c.internal || (r->violations && r->failed_at <= r->executions));
    sentry_close(c.sentry);
    checks_free(&c.check);
    checks_free(&c.confirmer);
    history_set_free(c.histories);
    return !c.internal;
}

static const stage_result *same_stage(const campaign_result *r, const stage_result *s) {
    for (unsigned i = 0; i < r->stages; i++)
        if (!strcmp(r->stage[i].strategy, s->strategy) && r->stage[i].bound == s->bound) return &r->stage[i];
    return NULL;
}

static void merge_stage(campaign_result *into, const stage_result *s) {
    stage_result *t = (stage_result *)same_stage(into, s);
    if (!t) {
        if (into->stages < STAGES_MAX) into->stage[into->stages++] = *s;
        return;
    }
    t->exhausted = t->exhausted && s->exhausted;
    t->executions += s->executions;
    t->steps += s->steps;
    t->pruned += s->pruned;
    t->assumed += s->assumed;
    t->cut_off += s->cut_off;
    if (s->seconds > t->seconds) t->seconds = s->seconds;
}

void campaign_merge(campaign_result *into, campaign_result *from) {
    for (unsigned i = 0; i < from->stages; i++) merge_stage(into, &from->stage[i]);
    assert(into->stages <= STAGES_MAX);
    into->executions += from->executions;
    into->steps += from->steps;
    into->histories += from->histories;
    into->violations += from->violations;
    into->undecided += from->undecided;
    into->silent += from->silent;
    coverage_join(&into->limits, &from->limits);
    if (from->seconds > into->seconds) into->seconds = from->seconds;
    bool alone = (into->alone && into->complete) || (from->alone && from->complete), one = into->takes_turns;
    into->complete = alone || (into->complete && from->complete);
    if (one ? from->preemptions > into->preemptions : from->preemptions < into->preemptions)
        into->preemptions = from->preemptions;
    into->alone = alone;
    into->stopped = !alone && (into->stopped || from->stopped);
    into->learned = into->learned || from->learned;
    if (into->failure != FAILURE_NONE || from->failure == FAILURE_NONE) return;
    into->failure = from->failure;
    memcpy(into->message, from->message, sizeof into->message);
    schedule_free(&into->failing);
    into->failing = from->failing;
    from->failing = (schedule){0};
    into->failed_at = from->failed_at;
    into->failing_preemptions = from->failing_preemptions;
}

void campaign_result_free(campaign_result *r) { schedule_free(&r->failing); }
