/* Every consistent execution graph of a memory model, once (docs/proofs/weak-memory.md). The graph says which events
 * there are; threads are run along it, each event behind what it depends on, and what a thread stands before then is
 * the next event. Graphs that are still to be run are whole: nothing is shared with others.
 *
 * Steps that are no events are made at once: they touch nothing that an event could be in the way of. */
#include "base/mem.h"
#include "explore/graph/growth.h"
#include "explore/strategy/graph_events.h"
#include "explore/strategy/graph_pool.h"
#include "explore/strategy/graph_rounds.h"
#include "explore/strategy/strategy.h"

#include <string.h>

typedef struct made_choice {
    uint8_t kind, n, taken;
    uint16_t index; /* not of messages: the event that it is */
    uint8_t thread;
} made_choice;

typedef struct graphs {
    strategy base;
    driver driver;
    memory_model model;
    graph_list left;  /* to be run */
    graph_pool *pool; /* shared with other processes; NULL: alone */
    const share *share;
    graph *now;
    uint16_t done[THREADS_MAX]; /* events of the graph that were executed */
    unsigned current;           /* the thread that runs */
    uint16_t access;            /* the event of the step that it makes; NO_EVENT: none */
    graph_steps made;
    uint8_t *known; /* the threads of the steps */
    uint32_t known_room;
    made_choice *choice;
    uint32_t choices, choice_room;
    bool started, diverged, cut;
    bool waited; /* a loop was taken to wait */
} graphs;

/* ---- what was made ---- */

static void step_made(graphs *s, unsigned thread, uint16_t index, unsigned events) {
    graph_steps_add(&s->made, (graph_step){(uint8_t)thread, (uint8_t)events, index, s->choices});
    if (s->known_room < s->made.room) {
        s->known_room = s->made.room;
        s->known = MEM_GROW(s->known, uint8_t, s->known_room);
    }
    s->known[s->made.n - 1] = (uint8_t)thread;
}

static unsigned choice_made(graphs *s, choice_kind kind, unsigned n, unsigned taken, uint16_t index) {
    if (s->choices == s->choice_room) {
        s->choice_room = 2 * s->choice_room + 64;
        s->choice = MEM_GROW(s->choice, made_choice, s->choice_room);
    }
    s->choice[s->choices++] = (made_choice){(uint8_t)kind, (uint8_t)n, (uint8_t)taken, index, (uint8_t)s->current};
    return taken;
}

/* ---- along the graph ---- */

static bool is_executed(const graphs *s, uint16_t e) {
    return s->now->event[e].index < s->done[s->now->event[e].thread];
}

/* Of a read: which of the writes that the world has executed it reads; of a write: behind which of them it stands. */
static unsigned message_of(const graphs *s, uint16_t event) {
    const graph_event *e = &s->now->event[event];
    const uint16_t rank = e->kind == GRAPH_WRITE ? e->mo : (uint16_t)(graph_rank_read(s->now, e) + 1);
    unsigned older = 0;
    for (uint16_t i = 0; i < s->now->n; i++) {
        const graph_event *w = &s->now->event[i];
        older += w->kind == GRAPH_WRITE && w->place == e->place && w->mo < rank && i != event && is_executed(s, i);
    }
    return older;
}

static bool depends_on_nothing_left(const graphs *s, uint16_t e) {
    const graph_event *v = &s->now->event[e];
    for (unsigned t = 0; t < THREADS_MAX; t++)
        if (v->seen[t] > s->done[t] + (t == v->thread)) return false;
    return true;
}

/* How many events of its thread the step of this one executes. */
static unsigned events_of_step(const graph *g, uint16_t event) {
    const graph_event *e = &g->event[event];
    const uint16_t next = graph_find(g, e->thread, (uint16_t)(e->index + 1));
    return e->kind == GRAPH_READ && next != NO_EVENT && g->event[next].kind == GRAPH_WRITE &&
                   g->event[next].flags & GRAPH_UPDATE && e->flags & GRAPH_UPDATE
               ? 2
               : 1;
}

/* The next event of a thread in the graph, if its step can be made; NO_EVENT: there is none left, or it waits. */
static uint16_t planned(const graphs *s, unsigned thread) {
    const uint16_t e = graph_find(s->now, thread, s->done[thread]);
    if (e == NO_EVENT || s->now->event[e].flags & GRAPH_BLOCKED || s->now->event[e].kind == GRAPH_CHOICE)
        return NO_EVENT;
    return depends_on_nothing_left(s, e) ? e : NO_EVENT;
}

static bool all_executed(const graphs *s) {
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        const uint16_t e = graph_find(s->now, t, s->done[t]);
        if (e != NO_EVENT && !(s->now->event[e].flags & GRAPH_BLOCKED)) return false;
    }
    return true;
}

static int execute(graphs *s, uint16_t e) {
    const graph_event *v = &s->now->event[e];
    const unsigned events = events_of_step(s->now, e);
    step_made(s, v->thread, v->index, events);
    s->current = v->thread;
    s->access = e;
    return v->thread;
}

/* The step that was picked is executed by now. */
static void executed(graphs *s) {
    if (s->access != NO_EVENT)
        s->done[s->current] = (uint16_t)(s->done[s->current] + graph_steps_last(&s->made)->events);
    s->access = NO_EVENT;
}

/* ---- growing ---- */

/* The newest way to go on is taken, the others are left for later. False: there is none. */
static bool grow(graphs *s, const graph_event *e) {
    graph_list onward = {0};
    graph_grow(s->now, e, &onward, &s->left);
    for (uint32_t i = onward.n; i-- > 1;) graph_list_add(&s->left, onward.at[i]);
    if (onward.n) {
        graph_free(s->now);
        s->now = onward.at[0];
    }
    const bool any = onward.n;
    free(onward.at);
    return any;
}

/* ---- the driver ---- */

static void know_threads(graphs *s, const world *w) {
    for (unsigned t = 1; t < w->threads; t++)
        if (!(s->now->created >> t & 1)) graph_thread(s->now, t, w->creator[t], s->done[w->creator[t]]);
}

static int make_other(graphs *s, const world *w) {
    for (thread_set rest = w->enabled; rest; rest &= rest - 1) {
        const unsigned t = thread_lowest(rest);
        if (step_is_event(&w->pending[t])) continue;
        step_made(s, t, 0, 0);
        s->current = t;
        return (int)t;
    }
    return -1;
}

static bool is_blocked(const graphs *s, unsigned t) {
    return s->now->last[t] != NO_EVENT && s->now->event[s->now->last[t]].flags & GRAPH_BLOCKED;
}

/* That is a limit, and said. */
static bool is_waiting(graphs *s, world *w, unsigned t) {
    if (!thread_goes_round(s->now, w, t)) return false;
    return s->waited = true;
}

static bool is_held(const graphs *s, const world *w, unsigned t) {
    return is_blocked(s, t) || (w->pending[t].kind == STEP_JOIN && !(w->enabled >> t & 1));
}

/* The lowest thread that has something to do; a lock that is taken is an event, too: one that waits. */
static int pick_new(graphs *s, world *w) {
    w->goes_round = 0;
    for (thread_set rest = w->live; rest; rest &= rest - 1) {
        const unsigned t = thread_lowest(rest);
        if (is_held(s, w, t) || w->pending[t].flags & STEP_ASSUMED || !step_is_event(&w->pending[t])) continue;
        if (s->now->n + 2 >= GRAPH_EVENTS) {
            s->cut = true;
            return PICK_STOP;
        }
        if (is_waiting(s, w, t)) continue;
        graph_event e = event_pending(s->now, w, t);
        if (!grow(s, &e)) return PICK_STOP;
        if (!is_blocked(s, t)) return execute(s, graph_find(s->now, t, s->done[t]));
    }
    return PICK_BLOCKED;
}

/* The first event of the iteration in which a thread stopped for good: it stands before that one again. */
static uint16_t failed_from(graphs *s, const world *w, unsigned t) {
    const graph_event p = event_pending(s->now, w, t);
    uint16_t e = s->now->last[t];
    while (e != NO_EVENT && (s->now->event[e].site != p.site || s->now->event[e].place != p.place))
        e = s->now->event[e].before;
    return e;
}

static bool fails_for_good(graphs *s, const world *w, unsigned t) {
    const uint16_t from = failed_from(s, w, t);
    for (uint16_t e = from; e != NO_EVENT && e < s->now->n; e++)
        if (s->now->event[e].thread == t && !graph_reads_newest(s->now, e)) return true;
    return false;
}

static bool pick_is_in_vain(graphs *s, const world *w) {
    for (thread_set rest = w->live; rest; rest &= rest - 1) {
        const unsigned t = thread_lowest(rest);
        if (w->pending[t].flags & STEP_ASSUMED && fails_for_good(s, w, t)) return true;
    }
    return false;
}

static int pick(void *self, world *w) {
    graphs *s = self;
    if (w->steps < s->driver.knowns) return s->known[w->steps]; /* of a thread that may wait */
    executed(s);
    know_threads(s, w);
    const int other = make_other(s, w);
    if (other >= 0) return other;
    for (unsigned t = 0; t < w->threads; t++) {
        const uint16_t e = planned(s, t);
        if (e == NO_EVENT) continue;
        if (!(w->enabled >> t & 1)) s->diverged = true;
        return s->diverged ? PICK_STOP : execute(s, e);
    }
    if (!all_executed(s)) s->diverged = true;
    if (pick_is_in_vain(s, w)) return PICK_STOP;
    return s->diverged ? PICK_STOP : pick_new(s, w);
}

static unsigned choose_freely(graphs *s, unsigned n, choice_kind kind) {
    const unsigned t = s->current;
    const uint16_t at = (uint16_t)(s->done[t] + (s->access != NO_EVENT ? graph_steps_last(&s->made)->events : 0));
    uint16_t e = graph_find(s->now, t, at);
    if (e == NO_EVENT) {
        for (unsigned i = n; i-- > 0;) {
            graph_event v = {.thread = (uint8_t)t, .kind = GRAPH_CHOICE, .alternative = (uint8_t)i};
            graph *g = i ? graph_copy(s->now) : s->now;
            e = graph_add(g, &v);
            if (i) graph_list_add(&s->left, g);
        }
    }
    if (s->now->event[e].kind != GRAPH_CHOICE) s->diverged = true;
    const unsigned taken = s->diverged ? 0 : s->now->event[e].alternative;
    choice_made(s, kind, n, taken, at);
    executed(s);
    s->done[t] = (uint16_t)(at + 1);
    return taken;
}

static unsigned choose(void *self, world *w, unsigned n, choice_kind kind) {
    graphs *s = self;
    if (w->choices < s->choices) return s->choice[w->choices].taken;
    if (kind != CHOICE_OF_MESSAGE) return choose_freely(s, n, kind);
    const unsigned taken = s->access == NO_EVENT ? n : message_of(s, s->access);
    if (taken >= n) s->diverged = true;
    return choice_made(s, kind, n, taken < n ? taken : 0, NO_EVENT);
}

/* ---- from one graph to the next ---- */

static bool same_choice(const graphs *s, const made_choice *c, uint16_t event) {
    if (c->kind == CHOICE_OF_MESSAGE) return event != NO_EVENT && message_of(s, event) == c->taken;
    const uint16_t e = graph_find(s->now, c->thread, c->index);
    return e != NO_EVENT && s->now->event[e].kind == GRAPH_CHOICE && s->now->event[e].alternative == c->taken;
}

static uint16_t event_of(const graphs *s, const graph_step *m) {
    return m->events ? graph_find(s->now, m->thread, m->index) : NO_EVENT;
}

/* Is a step of the last execution one of the new graph, too? */
static bool same_event(const graphs *s, const graph_step *m) {
    const uint16_t e = event_of(s, m);
    return !m->events || (e != NO_EVENT && !(s->now->event[e].flags & GRAPH_BLOCKED) &&
                          events_of_step(s->now, e) == m->events && depends_on_nothing_left(s, e));
}

/* Choices from `from` up to step `end` (or all); they belong to one step, whose event is `e`. */
static bool same_choices(graphs *s, uint32_t from, uint32_t end, uint16_t e) {
    for (uint32_t i = from; i < end; i++)
        if (!same_choice(s, &s->choice[i], e)) return false;
    return true;
}

static void advance(graphs *s, const graph_step *m, uint32_t from, uint32_t end) {
    s->done[m->thread] = (uint16_t)(s->done[m->thread] + m->events);
    for (uint32_t i = from; i < end; i++)
        if (s->choice[i].kind != CHOICE_OF_MESSAGE) s->done[s->choice[i].thread] = (uint16_t)(s->choice[i].index + 1);
}

/* What the new execution has in common with the last one: so many steps are known. */
static void keep_common(graphs *s) {
    uint32_t at = 0, before = s->made.n ? s->made.at[0].choices : s->choices;
    memset(s->done, 0, sizeof s->done);
    if (!same_choices(s, 0, before, NO_EVENT)) {
        s->made.n = s->choices = 0;
        return;
    }
    advance(s, &(graph_step){0}, 0, before);
    for (; at < s->made.n; at++) {
        const graph_step *m = &s->made.at[at];
        const uint32_t end = at + 1 < s->made.n ? s->made.at[at + 1].choices : s->choices;
        if (!same_event(s, m) || !same_choices(s, m->choices, end, event_of(s, m))) break;
        advance(s, m, m->choices, end);
    }
    if (at < s->made.n) s->choices = s->made.at[at].choices;
    s->made.n = at;
}

/* The oldest one, from which most is likely to come. */
static void give_one_away(graphs *s) {
    if (s->left.n < 2 || !graph_pool_wants(s->pool) || !graph_pool_give(s->pool, s->left.at[0])) return;
    graph_free(s->left.at[0]);
    memmove(s->left.at, s->left.at + 1, --s->left.n * sizeof(graph *));
}

/* NULL: there is none. */
static graph *take_next(graphs *s) {
    if (s->pool) give_one_away(s);
    if (s->left.n) return s->left.at[--s->left.n];
    return s->pool ? graph_pool_take(s->pool, s->share) : NULL;
}

static bool go_on_to_next(graphs *s) {
    graph *g = take_next(s);
    if (!g) return false;
    graph_free(s->now);
    s->now = g;
    return true;
}

static const driver *next(strategy *base) {
    graphs *s = (graphs *)base;
    const bool begins = !s->started && (!s->pool || graph_pool_begins(s->pool));
    if (s->diverged || (!begins && !go_on_to_next(s))) return NULL;
    s->started = true;
    keep_common(s);
    s->access = NO_EVENT;
    s->current = s->made.n ? graph_steps_last(&s->made)->thread : 0;
    s->driver.known = s->known;
    s->driver.knowns = s->made.n;
    return &s->driver;
}

static void done(strategy *base, world *w) {
    graphs *s = (graphs *)base;
    executed(s);
    if (w->ending == ENDED_BOUND) s->cut = true;
    w->rounds_cut |= s->waited;
}

/* ---- happens before, of steps ---- */

static trace_clocks clocks(strategy *base) {
    graphs *s = (graphs *)base;
    return graph_step_clocks(s->now, &s->made);
}

static trace_clocks order(const strategy *base) { return clocks((strategy *)(uintptr_t)base); }

static void schedule_of(const strategy *base, schedule *out) {
    const graphs *s = (const graphs *)base;
    uint32_t c = 0;
    for (uint32_t i = 0; i <= s->made.n; i++) {
        const uint32_t end = i < s->made.n ? s->made.at[i].choices : s->choices;
        for (; c < end; c++) schedule_add(out, s->choice[c].taken, s->choice[c].n);
        if (i < s->made.n) schedule_add(out, s->made.at[i].thread, 0);
    }
}

static unsigned preemptions(const strategy *s) { return (void)s, 0; }
static bool cut(const strategy *s) { return ((const graphs *)s)->cut; }
static bool diverged(const strategy *s) { return ((const graphs *)s)->diverged; }
static double explored(const strategy *s) { return (void)s, 0; }

extern const strategy_type strategy_graphs;

static strategy *open(const strategy_options *o) {
    graphs *s = MEM_NEW(graphs);
    s->base.type = &strategy_graphs;
    s->model = o->model;
    s->now = graph_new(o->model);
    s->pool = o->share ? share_graphs(o->share) : NULL;
    s->share = o->share;
    s->driver = (driver){.pick = pick, .choose = choose, .self = s};
    return &s->base;
}

static void close(strategy *base) {
    graphs *s = (graphs *)base;
    graph_list_free(&s->left);
    graph_free(s->now);
    graph_steps_free(&s->made);
    FREE_ALL(s->known, s->choice, s);
}

const strategy_type strategy_graphs = {
    .name = "graphs",
    .summary = "every execution graph of a memory model",
    .exhaustive = true,
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
