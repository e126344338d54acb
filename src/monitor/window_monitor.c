/* Stack, priority queues, deques, theory files, relaxed containers: the operations that can still matter are kept, and
 * the history they make is decided again and again by the engines, after as many events as it has operations, so that
 * the cost for each event stays constant. A violation is found at the next decision; the first event that made it is
 * found by bisection, a history cut later being a violation if one cut earlier is. So the event that is reported is
 * exact, the moment of reporting is a little late: monitor_settle decides at once.
 *
 * What is forgotten after a decision without violation (docs/MONITORS.md has the arguments). Let S be the call of the
 * oldest open remove. Before S it is settled which values were inside: the definite presence of a value, from the
 * return of its add to the call of its remove, is known there. Let H be the first call of a remove that returned after
 * S, or S.
 *   - priority queue: a value whose remove returned before H covers no moment of any other remove that is not settled.
 *   - stack: values strictly inside a block before H are forgotten: a block is the time between two moments at which
 *     the same values are definitely inside (they are told by a hash of the set). An operation that sticks out of the
 *     block contains one of its border moments, at which no value of the block is inside, so the block decides nothing
 *     beyond itself.
 *   - a remove that returned empty before H.
 * Removes that are pending for ever could have taken something before S: then all this is done only when the history is
 * linearizable without them.
 *
 * Of a theory's object nothing is forgotten, since nothing is known of what its axioms may still ask of an operation,
 * nor of a relaxed container, whose elements remember how often they were overtaken. Of a deque, in which the order of
 * what is inside may show much later, what came before a moment at which nothing is open and nothing inside. What
 * begins a right history is right for both (theory_open_ended, criterion_type.cut_is_sound): so here, too, later cuts
 * of a violation are violations. */
#include "engine/portfolio.h"
#include "engine/symbolic/cnf.h"
#include "history/value_map.h"
#include "monitor/store.h"
#include "theory/theory_object.h"

enum { CHECK_AFTER = 256, MOST_OPERATIONS = 1 << 20 };
#define NONE UINT32_MAX

typedef struct window_operation {
    monitored op;
    uint32_t call, ret;   /* dense ranks; RANK_NEVER */
    open_operation *open; /* NULL: has returned, or is pending for ever */
    bool gone;
} window_operation;

typedef struct operation_window {
    monitor_part *part;
    bool lifo;
    bool by_axioms;       /* a theory's object */
    bool keeps_all;       /* that, a deque, or a criterion other than linearizability */
    window_operation *op; /* by call */
    uint32_t n, room;
    uint32_t ranks;   /* events in the window: ranks given so far */
    uint32_t checked; /* ranks at the last decision */
    uint32_t next_check;
    uint32_t pending;   /* removes that are pending for ever */
    bool open_question; /* the last decision took too long */
    bool left_out;      /* some are gone that are still there */
    moment *at;         /* the event of each rank */
    uint32_t at_room;
    uint32_t *event; /* scratch, by rank: operation * 2 + is return */
    uint32_t event_room;
} operation_window;

static bool is_deque(const object *o) { return !strcmp(o->type->name, "deque") && !o->relaxed; }

static bool adds(const operation_window *w, const monitored *op) {
    return part_object(w->part)->type->methods[op->method].role & ROLE_ADDS;
}

/* Operations by call, every rank given to one event, events by time, and open operations know their place. */
#ifdef PLUMB_SELF_CHECKS
static void check_window(const operation_window *w) {
    uint32_t events = 0, pending = 0;
    assert(w->checked <= w->ranks && w->ranks <= w->at_room && w->n <= w->room);
    for (uint32_t r = 1; r < w->ranks; r++) assert(w->at[r - 1] < w->at[r]);
    for (uint32_t i = 0; i < w->n; i++) {
        const window_operation *k = &w->op[i];
        const bool returned = k->ret != RANK_NEVER;
        events += 1 + returned;
        pending += !returned && !k->open && !adds(w, &k->op);
        assert(!k->gone && (!i || w->op[i - 1].call < k->call) && w->at[k->call] == k->op.call);
        assert(!returned || (k->call < k->ret && k->ret < w->ranks && w->at[k->ret] == k->op.ret && !k->open));
        assert(!k->open || (k->open->mine == i && k->open->op.number == k->op.number));
    }
    assert(events == w->ranks && pending <= w->pending);
}
#else
static void check_window(const operation_window *w) { (void)w; }
#endif

/* ---- the window as a history ---- */

/* Axioms may speak of clients: the same client, the same number. */
static void number_clients(const operation_window *w, history *h) {
    value_map number = {0};
    h->clients = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t known = value_map_find(&number, w->op[i].op.client);
        if (known == VALUE_MAP_ABSENT) value_map_set(&number, w->op[i].op.client, known = h->clients++);
        h->client[i] = known;
    }
    free(number.slot);
}

static history *as_history(const operation_window *w, bool with_tokens) {
    const object *o = part_object(w->part);
    history *h = MEM_NEW(history);
    uint32_t n = w->n ? w->n : 1;
    h->values = o->values;
    h->values_shared = true;
    h->events = w->ranks;
    h->call = MEM_ARRAY(uint32_t, n);
    h->ret = MEM_ARRAY(uint32_t, n);
    h->client = MEM_ARRAY(uint32_t, n);
    h->method = MEM_ARRAY(uint8_t, n);
    h->nargs = MEM_ARRAY(uint8_t, n);
    for (unsigned a = 0; a < (w->keeps_all ? HISTORY_MAX_ARGS : 1); a++) h->arg[a] = MEM_ARRAY(value, n);
    h->res = MEM_ARRAY(value, n);
    for (uint32_t i = 0; i < w->n; i++) {
        const window_operation *k = &w->op[i];
        if (!with_tokens && k->ret == RANK_NEVER && !adds(w, &k->op)) continue;
        uint32_t to = h->n++;
        h->call[to] = k->call;
        h->ret[to] = k->ret;
        h->client[to] = to;
        h->method[to] = k->op.method;
        h->nargs[to] = k->op.nargs;
        for (unsigned a = 0; a < HISTORY_MAX_ARGS && h->arg[a]; a++) h->arg[a][to] = k->op.arg[a];
        h->res[to] = k->op.res;
        h->pending += k->ret == RANK_NEVER;
    }
    h->clients = h->n;
    if (w->keeps_all) number_clients(w, h);
    assert(h->n <= w->n && h->pending <= h->n && (!with_tokens || h->events == 2 * h->n - h->pending));
    return h;
}

/* For long histories more: what is decided at twice the length each time may take so long for each operation. */
static double standard_seconds(const history *h) {
    const double least = 10, each = 3e-4;
    return h->n * each > least ? h->n * each : least;
}

static void decide_window(const operation_window *w, const history *h, decision *d) {
    double seconds = part_options(w->part)->seconds;
    budget b;
    budget_init(&b, seconds > 0 ? seconds : standard_seconds(h), 0);
    memset(d, 0, sizeof *d);
    /* the general engines, which would be asked first, go through orders one by one */
    const theory *t = w->by_axioms ? theory_of_object(part_object(w->part)) : NULL;
    const engine *of_theories = t && !t->counts && cnf_available() ? engine_find("symbolic") : NULL;
    decide(h, part_object(w->part), &(decide_options){.threads = 1, .engine = of_theories}, &b, NULL, d);
    if (d->stopped == STOP_EXHAUSTED) mem_exhausted("out of memory"); /* not a question that took too long */
}

static verdict decide_cut(const operation_window *w, const history *h, uint32_t cut) {
    uint32_t *op = MEM_ARRAY(uint32_t, h->n);
    for (uint32_t i = 0; i < h->n; i++) op[i] = i;
    history *s = history_select(h, op, h->n, cut);
    decision d;
    decide_window(w, s, &d);
    verdict v = d.verdict;
    decision_free(&d);
    history_free(s);
    free(op);
    return v;
}

/* ---- violation ---- */

static uint32_t earliest_cut(const operation_window *w, const history *h) {
    uint32_t low = w->checked, high = w->ranks - 1;
    assert(w->ranks && low <= high);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        verdict v = decide_cut(w, h, middle);
        if (v == VERDICT_VIOLATION) high = middle;
        else low = middle + 1;
    }
    assert(low == high && high < w->ranks);
    return high;
}

/* The pattern may need results that came later than the cut; then the whole window, cut, has to do. */
static void show_pattern(operation_window *w, uint32_t cut) {
    for (uint32_t i = 0; i < w->n; i++) {
        monitored op = w->op[i].op;
        if (w->op[i].call > cut) continue;
        if (w->op[i].ret == RANK_NEVER || w->op[i].ret > cut) {
            op.ret = MOMENT_NEVER;
            op.res = VALUE_UNKNOWN;
        }
        part_pattern(w->part, &op);
    }
}

static const char *what_is_wrong(const operation_window *w) {
    if (w->by_axioms) return "no order of the operations satisfies the axioms";
    if (part_object(w->part)->relaxed) return "the values come out in an order that the criterion does not allow";
    if (w->keeps_all) return "the values come out in an order that no deque allows";
    return w->lifo ? "the values come out in an order that no stack allows"
                   : "the values come out in an order that no priority queue allows";
}

static void say_violation(operation_window *w, const history *h) {
    uint32_t cut = earliest_cut(w, h);
    part_violation(w->part, "%s", what_is_wrong(w));
    part_violation_was_at(w->part, w->at[cut]);
    show_pattern(w, cut);
}

/* ---- forgetting ---- */

/* The events by rank, and the call of the oldest open remove: before it, which values are inside is known. */
static uint32_t settled_rank(const operation_window *w) {
    for (uint32_t i = 0; i < w->n; i++)
        if (w->op[i].open && !adds(w, &w->op[i].op)) return w->op[i].call;
    return w->ranks;
}

static uint32_t horizon(const operation_window *w, uint32_t settled) {
    for (uint32_t i = 0; i < w->n; i++)
        if (!adds(w, &w->op[i].op) && w->op[i].ret != RANK_NEVER && w->op[i].ret > settled)
            return w->op[i].call < settled ? w->op[i].call : settled;
    return settled;
}

typedef struct seen_set {
    uint64_t hash;  /* of the values that are definitely inside */
    uint32_t inner; /* entered values up to this one were there before */
} seen_set;

typedef struct seen_sets { /* the sets seen so far, outermost first */
    seen_set *at;
    uint32_t n;
    seen_set *slot; /* by hash; `inner` is the number, NONE: free. Sets that were given up keep their place. */
    uint32_t slots;
} seen_sets;

/* Where the set with this hash is, or would be. */
static seen_set *seen_set_slot(const seen_sets *m, uint64_t hash) {
    uint32_t at = (uint32_t)(hash >> 20) & (m->slots - 1);
    while (m->slot[at].inner != NONE && m->slot[at].hash != hash) at = (at + 1) & (m->slots - 1);
    return &m->slot[at];
}

static uint32_t seen_before(const seen_sets *m, uint64_t hash) {
    uint32_t k = seen_set_slot(m, hash)->inner;
    return k < m->n && m->at[k].hash == hash ? k : NONE;
}

static void seen_sets_add(seen_sets *m, uint64_t hash, uint32_t inner) {
    assert(!m->n || m->at[m->n - 1].inner <= inner); /* outermost first */
    m->at[m->n] = (seen_set){hash, inner};
    *seen_set_slot(m, hash) = (seen_set){hash, m->n++};
}

/* Pairs adds with removes: partner[i] of each operation, NONE if it has none. NULL: a value is there twice. */
static uint32_t *find_partners(const operation_window *w) {
    uint32_t *partner = MEM_ARRAY(uint32_t, w->n ? w->n : 1);
    value_map add_of = {0};
    bool twice = false;
    for (uint32_t i = 0; i < w->n; i++) {
        partner[i] = NONE;
        if (!adds(w, &w->op[i].op)) continue;
        twice |= value_map_find(&add_of, w->op[i].op.arg[0]) != VALUE_MAP_ABSENT;
        value_map_set(&add_of, w->op[i].op.arg[0], i);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        assert(partner[i] == NONE || adds(w, &w->op[i].op));
        if (adds(w, &w->op[i].op) || w->op[i].ret == RANK_NEVER || w->op[i].op.res == VALUE_EMPTY) continue;
        uint32_t add = value_map_find(&add_of, w->op[i].op.res);
        if (add == VALUE_MAP_ABSENT) continue;
        partner[i] = add;
        partner[add] = i;
    }
    free(add_of.slot);
    if (!twice) return partner;
    free(partner);
    return NULL;
}

static void forget_value(operation_window *w, uint32_t add, uint32_t remove) {
    assert(adds(w, &w->op[add].op) && !adds(w, &w->op[remove].op) && w->op[add].op.arg[0] == w->op[remove].op.res);
    assert(!w->op[remove].open);
    if (w->op[add].open) return; /* its add has yet to return: it stays, with its remove */
    w->op[add].gone = w->op[remove].gone = true;
}

/* Values that were never definitely inside constrain no remove, and those of a priority queue only overlapping
 * removes. */
static void forget_passed(operation_window *w, const uint32_t *partner, uint32_t h) {
    for (uint32_t i = 0; i < w->n; i++) {
        const window_operation *k = &w->op[i];
        if (adds(w, &k->op) || k->ret == RANK_NEVER || k->ret >= h) continue;
        if (k->op.res == VALUE_EMPTY) w->op[i].gone = true;
        else if (partner[i] != NONE && (!w->lifo || w->op[partner[i]].ret > k->call)) forget_value(w, partner[i], i);
    }
}

/* Closed blocks before h. `entered` lists values by entry; a mark remembers how many had entered when its set was
 * seen. */
static void forget_blocks(operation_window *w, const uint32_t *partner, uint32_t h) {
    uint32_t *entered = MEM_ARRAY(uint32_t, w->n + 1), entered_n = 0;
    seen_sets m = {.at = MEM_ARRAY(seen_set, w->n * 2 + 2), .slots = 64};
    while (m.slots < 8 * w->n) m.slots *= 2;
    m.slot = MEM_ARRAY(seen_set, m.slots);
    memset(m.slot, 0xff, m.slots * sizeof *m.slot);
    uint64_t hash = 0;
    seen_sets_add(&m, 0, 0);
    for (uint32_t r = 0; r < h; r++) {
        if (w->event[r] == NONE) continue;
        uint32_t i = w->event[r] / 2, other = partner[i];
        bool is_return = w->event[r] & 1, add = adds(w, &w->op[i].op);
        if (add != is_return) continue;
        if (add && other != NONE && w->op[other].call < r) continue; /* never definitely inside */
        if (!add && (other == NONE || w->op[other].ret > r)) continue;
        uint32_t who = add ? i : other;
        hash ^= hash_mix(w->op[who].op.number + 1);
        if (add) entered[entered_n++] = who;
        uint32_t k = seen_before(&m, hash);
        if (k == NONE) {
            seen_sets_add(&m, hash, entered_n);
            continue;
        }
        assert(m.at[k].inner <= entered_n && entered_n <= w->n);
        for (uint32_t e = m.at[k].inner; e < entered_n; e++)
            if (partner[entered[e]] != NONE && w->op[partner[entered[e]]].ret < h)
                forget_value(w, entered[e], partner[entered[e]]);
        entered_n = m.at[k].inner;
        m.n = k + 1;
    }
    free(entered);
    free(m.at);
    free(m.slot);
}

static void compact(operation_window *w) {
    uint32_t n = 0, rank = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->op[i].gone) w->event[w->op[i].call] = NONE;
        if (w->op[i].gone && w->op[i].ret != RANK_NEVER) w->event[w->op[i].ret] = NONE;
    }
    for (uint32_t r = 0; r < w->ranks; r++) {
        if (w->event[r] == NONE) continue;
        window_operation *k = &w->op[w->event[r] / 2];
        if (w->event[r] & 1) k->ret = rank;
        else k->call = rank;
        w->at[rank++] = w->at[r];
    }
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->op[i].gone) continue;
        assert(n <= i);
        w->op[n] = w->op[i];
        if (w->op[n].open) w->op[n].open->mine = n;
        n++;
    }
    w->n = n;
    w->ranks = rank;
    w->checked = rank; /* what is left has been decided */
    check_window(w);
}

static void list_events(operation_window *w) {
    if (w->event_room < w->ranks) {
        w->event_room = w->at_room;
        w->event = MEM_GROW(w->event, uint32_t, w->event_room);
    }
    for (uint32_t r = 0; r < w->ranks; r++) w->event[r] = NONE;
    for (uint32_t i = 0; i < w->n; i++) {
        w->event[w->op[i].call] = 2 * i;
        if (w->op[i].ret != RANK_NEVER) w->event[w->op[i].ret] = 2 * i + 1;
    }
}

static void forget(operation_window *w) {
    uint32_t h = horizon(w, settled_rank(w)), *partner = find_partners(w);
    assert(h <= w->ranks);
    if (!partner) return;
    list_events(w);
    forget_passed(w, partner, h);
    if (w->lifo) forget_blocks(w, partner, h);
    compact(w);
    free(partner);
}

/* Where nothing was open and, of what was put in, all had come out: a deque is empty there in every order, and begins
 * anew. 0: nowhere. */
static uint32_t last_rest(const operation_window *w) {
    uint32_t open = 0, rest = 0;
    int64_t inside = 0;
    for (uint32_t r = 0; r < w->ranks; r++) {
        const monitored *op = &w->op[w->event[r] / 2].op;
        const bool returns = w->event[r] & 1;
        open += returns ? -1u : 1u;
        if (returns) inside += adds(w, op) ? 1 : -(op->res != VALUE_EMPTY);
        if (!open && !inside) rest = r + 1;
    }
    return rest;
}

static void forget_before_rest(operation_window *w) {
    list_events(w);
    const uint32_t rest = last_rest(w);
    for (uint32_t i = 0; i < w->n; i++) w->op[i].gone = w->op[i].call < rest;
    if (rest) compact(w);
}

/* ---- deciding ---- */

static bool linearizable_without_tokens(const operation_window *w) {
    history *h = as_history(w, false);
    decision d;
    decide_window(w, h, &d);
    bool yes = d.verdict == VERDICT_LINEARIZABLE;
    decision_free(&d);
    history_free(h);
    return yes;
}

/* Operations that were left out go. What was decided with them is open again: while one of them was pending it may have
 * explained what the others returned. */
static void purge(operation_window *w) {
    if (!w->left_out) return;
    list_events(w);
    compact(w);
    w->checked = 0;
    w->left_out = false;
}

static void check(operation_window *w) {
    purge(w);
    check_window(w);
    history *h = as_history(w, true);
    decision d;
    decide_window(w, h, &d);
    w->open_question = d.verdict == VERDICT_UNDECIDED;
    if (d.verdict == VERDICT_VIOLATION) {
        say_violation(w, h);
    } else if (d.verdict == VERDICT_LINEARIZABLE) {
        if (is_deque(part_object(w->part))) forget_before_rest(w);
        if (!w->keeps_all && (!w->pending || linearizable_without_tokens(w))) forget(w);
        w->checked = w->ranks;
    } else if (w->n > MOST_OPERATIONS) {
        part_undecided(w->part, "more than %d operations have to be kept, and they are too many to be decided",
                       MOST_OPERATIONS);
    }
    decision_free(&d);
    history_free(h);
    uint64_t every = part_options(w->part)->check_after ? part_options(w->part)->check_after : CHECK_AFTER;
    w->next_check = w->ranks + (uint32_t)(every < w->n && every == CHECK_AFTER ? w->n : every);
}

static void settle_window(void *self) {
    operation_window *w = self;
    if (w->checked < w->ranks || w->left_out) check(w);
}

/* ---- events ---- */

static uint32_t next_rank(operation_window *w, moment now) {
    if (w->ranks == w->at_room) {
        w->at_room = w->at_room ? 2 * w->at_room : 512;
        w->at = MEM_GROW(w->at, moment, w->at_room);
    }
    assert(!w->ranks || w->at[w->ranks - 1] < now);
    w->at[w->ranks] = now;
    return w->ranks++;
}

static void call_window(void *self, open_operation *op) {
    operation_window *w = self;
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 256;
        w->op = MEM_GROW(w->op, window_operation, w->room);
    }
    op->mine = w->n;
    w->op[w->n++] = (window_operation){.op = op->op, .call = next_rank(w, op->op.call), .ret = RANK_NEVER, .open = op};
}

static void return_window(void *self, open_operation *op) {
    operation_window *w = self;
    window_operation *k = &w->op[op->mine];
    assert(op->mine < w->n && k->open == op && k->op.number == op->op.number);
    k->op = op->op;
    k->ret = next_rank(w, op->op.ret);
    k->open = NULL;
    if (w->ranks >= w->next_check) check(w);
}

static void pend_window(void *self, open_operation *op) {
    operation_window *w = self;
    assert(op->mine < w->n && w->op[op->mine].open == op);
    w->op[op->mine].open = NULL;
    w->pending += !adds(w, &op->op);
    open_operation_free(w->part, op);
}

static void drop_window(void *self, open_operation *op) {
    operation_window *w = self;
    check(w); /* whatever happened before is judged with it */
    if (w->next_check == 0) return;
    window_operation *k = &w->op[op->mine];
    k->gone = true;
    k->open = NULL;
    list_events(w);
    compact(w);
    history *h = as_history(w, true);
    decision d;
    decide_window(w, h, &d);
    w->open_question = d.verdict == VERDICT_UNDECIDED;
    if (d.verdict == VERDICT_VIOLATION)
        part_violation(w->part, "without an operation that did not happen, the results of the others fit no order");
    decision_free(&d);
    history_free(h);
}

/* As if it had never been called. */
static void leave_out_window(void *self, open_operation *op) {
    operation_window *w = self;
    w->op[op->mine].gone = true;
    w->op[op->mine].open = NULL;
    w->left_out = true;
}

/* ---- making ---- */

static void *create(monitor_part *p) {
    operation_window *w = MEM_NEW(operation_window);
    w->part = p;
    w->by_axioms = theory_of_object(part_object(p)) && !part_object(p)->relaxed;
    w->keeps_all = w->by_axioms || part_object(p)->relaxed || is_deque(part_object(p));
    w->lifo = !strcmp(part_object(p)->type->name, "stack");
    w->next_check = part_options(p)->check_after ? (uint32_t)part_options(p)->check_after : CHECK_AFTER;
    return w;
}

static void destroy(void *self) {
    operation_window *w = self;
    free(w->op);
    free(w->at);
    free(w->event);
    free(w);
}

static bool rest(void *self, state *s) {
    operation_window *w = self;
    s->n = 0;
    return w->n == 0;
}

static void store_window(void *self, store *s) {
    operation_window *w = self;
    monitor_part *p = w->part;
    if (!s->loading) purge(w);
    STORE(s, *w);
    w->part = p;
    if (s->loading) {
        w->event = NULL;
        w->event_room = 0;
    }
    STORE_ARRAY(s, w->op, w->n, w->room);
    STORE_ARRAY(s, w->at, w->ranks, w->at_room);
    for (uint32_t i = 0; i < w->n && !s->bad; i++)
        if (w->op[i].open) store_open(s, p, &w->op[i].open);
    if (!s->bad) check_window(w);
}

static const char *doubt(const void *self) {
    return ((const operation_window *)self)->open_question ? "the last operations took too long to decide" : NULL;
}

static uint64_t live(const void *self) { return ((const operation_window *)self)->n; }

static size_t memory(const void *self) {
    const operation_window *w = self;
    return sizeof *w + w->room * sizeof *w->op + w->at_room * sizeof *w->at + w->event_room * sizeof *w->event;
}

MONITOR_RECORD(monitor_window, "window", "stack, priority queue: the exact event, found in batches; constant time each",
               .objects = "stack pqueue-max pqueue-min", .create = create, .destroy = destroy, .call = call_window,
               .ret = return_window, .pend = pend_window, .drop = drop_window, .leave_out = leave_out_window,
               .settle = settle_window, .rest = rest, .store = store_window, .doubt = doubt, .live = live,
               .memory = memory);

static bool accepts_whole(const object *o) {
    if (o->relaxed) return criterion_type_of(o->criterion.kind)->cut_is_sound && !o->type->may_end;
    return theory_of_object(o) && !o->type->may_end;
}

MONITOR_RECORD(monitor_whole, "whole",
               "theory files, relaxed containers: the exact event, found in batches; all operations are kept",
               .accepts = accepts_whole, .create = create, .destroy = destroy, .call = call_window,
               .ret = return_window, .pend = pend_window, .drop = drop_window, .leave_out = leave_out_window,
               .settle = settle_window, .rest = rest, .store = store_window, .doubt = doubt, .live = live,
               .memory = memory);

static bool accepts_deque(const object *o) { return is_deque(o) && !o->parameter[0]; }

MONITOR_RECORD(monitor_deque, "deque",
               "deque: the exact event, found in batches; kept are operations since it was last empty, nothing open",
               .accepts = accepts_deque, .from_the_beginning = true, .create = create, .destroy = destroy,
               .call = call_window, .ret = return_window, .pend = pend_window, .drop = drop_window,
               .leave_out = leave_out_window, .settle = settle_window, .rest = rest, .store = store_window,
               .doubt = doubt, .live = live, .memory = memory);
