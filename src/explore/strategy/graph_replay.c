/* One given schedule in a world that asks which write is read. A schedule says so by number: in a program that was
 * changed the same numbers may be an execution that no model has. So its graph is built on the way, and where that is
 * not consistent the program does not repeat itself. Behind the end of the schedule the newest write is read. */
#include "base/mem.h"
#include "explore/graph/growth.h"
#include "explore/strategy/graph_events.h"
#include "explore/strategy/graph_rounds.h"
#include "explore/strategy/strategy.h"

typedef struct graph_replay {
    strategy base;
    driver driver;
    const schedule *given;
    uint32_t at; /* in it */
    graph *g;
    graph_event event; /* of the step that is made */
    uint16_t rank;     /* that it reads or stands behind */
    bool has_event, started, diverged;
    unsigned current;
    graph_steps made;
} graph_replay;

/* The step that was picked is executed by now. */
static void finish(graph_replay *s) {
    const uint16_t before = s->g->n;
    if (!s->has_event || s->diverged) return;
    s->has_event = false;
    if (s->g->n + 2 >= GRAPH_EVENTS || !graph_append(s->g, &s->event, s->rank)) s->diverged = true;
    graph_steps_last(&s->made)->events = (uint8_t)(s->g->n - before);
}

static void know_threads(graph_replay *s, const world *w) {
    for (unsigned t = 1; t < w->threads; t++)
        if (!(s->g->created >> t & 1)) graph_thread(s->g, t, w->creator[t], graph_events_of(s->g, w->creator[t]));
}

static bool is_left(const graph_replay *s) { return s->at < s->given->length; }

static int thread_of(graph_replay *s, const world *w) {
    if (is_left(s)) {
        if (s->given->of[s->at]) s->diverged = true;
        return s->given->choice[s->at++];
    }
    return w->enabled >> s->current & 1 ? (int)s->current : (int)thread_lowest(w->enabled);
}

/* Where a lock stands is no choice: behind its last state. */
static uint16_t newest(const graph_replay *s) { return s->g->place[s->event.place].writes; }

/* Behind the end of the schedule: all that could go on waits. */
static bool all_go_round(graph_replay *s, world *w) {
    w->goes_round = 0;
    for (thread_set rest = w->enabled; rest; rest &= rest - 1) {
        const unsigned t = thread_lowest(rest);
        if (!step_is_event(&w->pending[t]) || !thread_goes_round(s->g, w, t)) return false;
    }
    return w->enabled;
}

static int pick(void *self, world *w) {
    graph_replay *s = self;
    finish(s);
    know_threads(s, w);
    if (!is_left(s) && !s->diverged && all_go_round(s, w)) return PICK_BLOCKED;
    const int t = thread_of(s, w);
    if (s->diverged || t >= THREADS_MAX || !(w->enabled >> t & 1)) {
        s->diverged = true;
        return PICK_STOP;
    }
    s->current = (unsigned)t;
    graph_steps_add(&s->made, (graph_step){.thread = (uint8_t)t, .index = graph_events_of(s->g, s->current)});
    s->has_event = step_is_event(&w->pending[t]);
    if (s->has_event) {
        s->event = event_pending(s->g, w, (unsigned)t);
        s->rank = s->event.kind <= GRAPH_WRITE ? newest(s) : 0;
    }
    return t;
}

static unsigned choose(void *self, world *w, unsigned n, choice_kind kind) {
    graph_replay *s = self;
    (void)w;
    unsigned taken = kind == CHOICE_OF_MESSAGE ? n - 1 : 0;
    if (is_left(s)) {
        if (s->given->of[s->at] != n) s->diverged = true;
        else taken = s->given->choice[s->at++];
    }
    if (kind == CHOICE_OF_MESSAGE) s->rank = (uint16_t)taken;
    return taken < n ? taken : 0;
}

static const driver *next(strategy *base) {
    graph_replay *s = (graph_replay *)base;
    if (s->started) return NULL;
    s->started = true;
    return &s->driver;
}

static void done(strategy *base, world *w) {
    (void)w;
    finish((graph_replay *)base);
}

static trace_clocks clocks(strategy *base) {
    graph_replay *s = (graph_replay *)base;
    return graph_step_clocks(s->g, &s->made);
}
static trace_clocks order(const strategy *s) { return clocks((strategy *)(uintptr_t)s); }
static void schedule_of(const strategy *base, schedule *out) {
    const schedule *g = ((const graph_replay *)base)->given;
    for (uint32_t i = 0; i < g->length; i++) schedule_add(out, g->choice[i], g->of[i]);
}
static unsigned preemptions(const strategy *s) { return (void)s, 0; }
static bool cut(const strategy *s) { return (void)s, false; }
static bool diverged(const strategy *s) { return ((const graph_replay *)s)->diverged; }
static double explored(const strategy *s) { return (void)s, 0; }

extern const strategy_type strategy_graph_replay;

static strategy *open(const strategy_options *o) {
    graph_replay *s = MEM_NEW(graph_replay);
    s->base.type = &strategy_graph_replay;
    s->given = o->prefix;
    s->g = graph_new(o->model);
    s->driver = (driver){.pick = pick, .choose = choose, .self = s};
    return &s->base;
}

static void close(strategy *base) {
    graph_replay *s = (graph_replay *)base;
    graph_free(s->g);
    graph_steps_free(&s->made);
    free(s);
}

const strategy_type strategy_graph_replay = {
    .name = "graph-replay",
    .summary = "one given schedule, if it is an execution of the memory model",
    .open = open,
    .next = next,
    .done = done,
    .close = close,
    .order = order,
    .clocks = clocks,
    .schedule = schedule_of,
    .preemptions = preemptions,
    .cut = cut,
    .diverged = diverged,
    .explored = explored,
};
