/* A stack in which values repeat: event by event, as the frontier does (general/frontier.c), with contents that share
 * what they have in common.
 *
 * A *node* is a value on top of the stack, put there at a certain moment: at this event, with this set of open
 * operations done. What lies below a node is not part of it: it may be one of several nodes, an *edge* for each.
 * Whatever happens above a node from its push on does not depend on what lies below, so all contents that were there at
 * its moment go on together, and part again when it is popped. So the ways things can stand at an event are pairs of a
 * set of open operations and a top node: their number depends on what is open at once when a value is pushed and when
 * it is looked at, not on how deep the stack is.
 *
 * The witness: a *record* tells what happened since the push of the top node: what happened above the node below before
 * the push, the push, what happened above it, the pop. docs/proofs/containers.md has the proofs. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/slots.h"
#include "base/table.h"
#include "engine/general/weaken.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/value_index.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_SLOTS = 64, SHARED_BOTTOM = 0, SHARED_NOTHING = 0 };
enum { DROP_ABOVE = SELF_CHECKS ? 8 : 1 << 18 }; /* so that small histories test it */

typedef struct stack_node {
    uint64_t done; /* its moment: this set, and the event */
    uint32_t event;
    value v;
    uint32_t edges; /* the first; NO_NUMBER: it is the bottom */
    uint32_t pops;  /* of those at this event the last one that popped it; NO_NUMBER: none */
} stack_node;

typedef struct shared_edge {
    uint32_t below;
    uint32_t record; /* what had happened above `below` */
    uint32_t push;   /* position */
    uint32_t next;   /* of the same node */
} shared_edge;

typedef struct shared_record { /* SHARED_NOTHING is the first */
    uint32_t before;
    uint32_t push;   /* position; NO_NUMBER: `op` neither pushed nor popped */
    uint32_t inside; /* what happened above the push */
    uint32_t op;     /* position */
} shared_record;

typedef struct shared_way {
    uint64_t done; /* slots of open operations */
    uint32_t node, record;
} shared_way;

typedef struct shared_pop { /* at this event: for edges that come later */
    uint64_t done;
    uint32_t record, op, next;
} shared_pop;

typedef struct shared_slot {
    uint32_t position, ret;
    bool pushes, looks; /* otherwise it pops */
    value v;            /* VALUE_UNKNOWN: any */
} shared_slot;

#define SHARED_LIST(type) \
    struct { \
        type *at; \
        uint32_t n, room; \
    }

typedef struct shared_stack {
    const problem *p;
    shared_slot slot[SHARED_SLOTS];
    uint64_t open;
    uint64_t ahead[SHARED_SLOTS]; /* open operations that do the same and go first */
    uint8_t *slot_of;             /* by position */
    uint32_t event;               /* the current one's rank */
    uint32_t first_node;          /* of this event */
    SHARED_LIST(stack_node) nodes;
    SHARED_LIST(shared_edge) edges;
    SHARED_LIST(shared_record) records;
    SHARED_LIST(shared_way) now;
    SHARED_LIST(shared_way) work;
    SHARED_LIST(shared_pop) pops;
    table known;   /* of work */
    table recent;  /* nodes of this event */
    uint32_t live; /* records and edges that were kept when some were last dropped */
    size_t charged;
    uint64_t steps;
    unsigned ticks;
} shared_stack;

#define LIST_ADD(x, list, ...) \
    do { \
        if ((x)->list.n == (x)->list.room) { \
            (x)->list.room = (x)->list.room ? 2 * (x)->list.room : 64; \
            (x)->list.at = mem_resize((x)->list.at, (x)->list.room, sizeof *(x)->list.at); \
        } \
        (x)->list.at[(x)->list.n++] = __VA_ARGS__; \
    } while (0)

/* ---- ways and nodes of this event ---- */

static uint32_t way_hash(const void *owner, uint32_t item) {
    const shared_way *w = &((const shared_stack *)owner)->work.at[item];
    return (uint32_t)hash_pair(w->done, w->node);
}

static bool way_is(const void *owner, uint32_t item, const void *key) {
    const shared_way *w = &((const shared_stack *)owner)->work.at[item], *k = key;
    return w->done == k->done && w->node == k->node;
}

static void reach(shared_stack *x, shared_way w) {
    uint32_t hash = (uint32_t)hash_pair(w.done, w.node);
    if (table_find(&x->known, hash, way_is, x, &w) != TABLE_NONE) return;
    LIST_ADD(x, work, w);
    table_add(&x->known, hash, way_hash, x, x->work.n - 1);
}

static uint32_t add_record(shared_stack *x, shared_record r) {
    LIST_ADD(x, records, r);
    return x->records.n - 1;
}

static uint32_t node_hash(const void *owner, uint32_t item) {
    const stack_node *t = &((const shared_stack *)owner)->nodes.at[item];
    return (uint32_t)hash_pair(t->done, t->v);
}

static bool node_is(const void *owner, uint32_t item, const void *key) {
    const stack_node *t = &((const shared_stack *)owner)->nodes.at[item], *k = key;
    return t->done == k->done && t->v == k->v;
}

static uint32_t node_at(shared_stack *x, value v, uint64_t done) {
    stack_node t = {.done = done, .event = x->event, .v = v, .edges = NO_NUMBER, .pops = NO_NUMBER};
    uint32_t hash = (uint32_t)hash_pair(done, v), found = table_find(&x->recent, hash, node_is, x, &t);
    if (found != TABLE_NONE) return found;
    LIST_ADD(x, nodes, t);
    table_add(&x->recent, hash, node_hash, x, x->nodes.n - 1);
    return x->nodes.n - 1;
}

/* ---- steps ---- */

static void pop_edge(shared_stack *x, const shared_edge *e, const shared_pop *q) {
    shared_way w = {.done = q->done, .node = e->below};
    uint32_t hash = (uint32_t)hash_pair(w.done, w.node);
    x->steps++;
    if (table_find(&x->known, hash, way_is, x, &w) != TABLE_NONE) return;
    w.record = add_record(x, (shared_record){.before = e->record, .push = e->push, .inside = q->record, .op = q->op});
    reach(x, w);
}

static void pop(shared_stack *x, const shared_way *w, unsigned s) {
    shared_pop q = {.done = w->done | slot_bit(s),
                    .record = w->record,
                    .op = x->slot[s].position,
                    .next = x->nodes.at[w->node].pops};
    for (uint32_t e = x->nodes.at[w->node].edges; e != NO_NUMBER; e = x->edges.at[e].next)
        pop_edge(x, &(shared_edge){x->edges.at[e].below, x->edges.at[e].record, x->edges.at[e].push, 0}, &q);
    if (x->nodes.at[w->node].event != x->event) return; /* it gets no more edges */
    LIST_ADD(x, pops, q);
    x->nodes.at[w->node].pops = x->pops.n - 1;
}

static bool has_edge(const shared_stack *x, uint32_t node, uint32_t below) {
    uint32_t e = x->nodes.at[node].edges;
    while (e != NO_NUMBER && x->edges.at[e].below != below) e = x->edges.at[e].next;
    return e != NO_NUMBER;
}

static void push(shared_stack *x, const shared_way *w, unsigned s) {
    uint64_t done = w->done | slot_bit(s);
    uint32_t node = node_at(x, x->slot[s].v, done);
    x->steps++;
    if (has_edge(x, node, w->node)) return;
    shared_edge e = {w->node, w->record, x->slot[s].position, x->nodes.at[node].edges};
    LIST_ADD(x, edges, e);
    x->nodes.at[node].edges = x->edges.n - 1;
    for (uint32_t q = x->nodes.at[node].pops; q != NO_NUMBER; q = x->pops.at[q].next)
        pop_edge(x, &e, &(shared_pop){x->pops.at[q].done, x->pops.at[q].record, x->pops.at[q].op, 0});
    reach(x, (shared_way){done, node, SHARED_NOTHING});
}

/* It found nothing, or looks without taking. */
static void observe(shared_stack *x, const shared_way *w, unsigned s) {
    uint32_t r = add_record(x, (shared_record){w->record, NO_NUMBER, SHARED_NOTHING, x->slot[s].position});
    x->steps++;
    reach(x, (shared_way){w->done | slot_bit(s), w->node, r});
}

static void take(shared_stack *x, const shared_way *w, unsigned s) {
    const shared_slot *q = &x->slot[s];
    bool bottom = w->node == SHARED_BOTTOM;
    if (q->pushes) push(x, w, s);
    else if (q->v == VALUE_EMPTY) {
        if (bottom) observe(x, w, s);
    } else if (!bottom && (q->v == VALUE_UNKNOWN || q->v == x->nodes.at[w->node].v)) {
        if (q->looks) observe(x, w, s);
        else pop(x, w, s);
    }
}

static void extend(shared_stack *x, shared_way w) {
    for (uint64_t rest = x->open & ~w.done; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        if (!(x->ahead[s] & ~w.done)) take(x, &w, s);
    }
}

/* ---- what no way needs any more ---- */

typedef struct shared_marks {
    uint32_t *node, *record, *edge; /* 1: needed; then the new number */
} shared_marks;

typedef struct shared_nodes { /* to be looked at */
    uint32_t *at, n;
} shared_nodes;

static void mark_node(shared_marks *m, uint32_t t, shared_nodes *todo) {
    if (m->node[t]) return;
    m->node[t] = 1;
    todo->at[todo->n++] = t;
}

/* A node may lie above one of its own event that came later. Records tell of older ones. */
static void mark(const shared_stack *x, shared_marks *m) {
    shared_nodes todo = {.at = MEM_ARRAY(uint32_t, x->nodes.n)};
    mark_node(m, SHARED_BOTTOM, &todo);
    m->record[SHARED_NOTHING] = 1;
    for (uint32_t i = 0; i < x->now.n; i++) {
        mark_node(m, x->now.at[i].node, &todo);
        m->record[x->now.at[i].record] = 1;
    }
    while (todo.n)
        for (uint32_t e = x->nodes.at[todo.at[--todo.n]].edges; e != NO_NUMBER; e = x->edges.at[e].next) {
            m->edge[e] = m->record[x->edges.at[e].record] = 1;
            mark_node(m, x->edges.at[e].below, &todo);
        }
    free(todo.at);
    for (uint32_t r = x->records.n; r-- > 0;) {
        assert(!r || (x->records.at[r].before < r && x->records.at[r].inside < r));
        if (m->record[r]) m->record[x->records.at[r].before] = m->record[x->records.at[r].inside] = 1;
    }
}

static uint32_t number(uint32_t *mark_of, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (mark_of[i]) mark_of[i] = kept++;
        else mark_of[i] = NO_NUMBER;
    return kept;
}

static void move_nodes_and_edges(shared_stack *x, const shared_marks *m) {
    for (uint32_t t = 0; t < x->nodes.n; t++) {
        stack_node k = x->nodes.at[t];
        if (m->node[t] == NO_NUMBER) continue;
        if (k.edges != NO_NUMBER) k.edges = m->edge[k.edges];
        x->nodes.at[m->node[t]] = k;
    }
    for (uint32_t e = 0; e < x->edges.n; e++) {
        shared_edge k = x->edges.at[e];
        if (m->edge[e] == NO_NUMBER) continue;
        k.below = m->node[k.below];
        k.record = m->record[k.record];
        if (k.next != NO_NUMBER) k.next = m->edge[k.next];
        x->edges.at[m->edge[e]] = k;
    }
}

static void move_records(shared_stack *x, const shared_marks *m) {
    for (uint32_t r = 0; r < x->records.n; r++) {
        shared_record k = x->records.at[r];
        if (m->record[r] == NO_NUMBER) continue;
        k.before = m->record[k.before];
        k.inside = m->record[k.inside];
        x->records.at[m->record[r]] = k;
    }
    for (uint32_t i = 0; i < x->now.n; i++) {
        x->now.at[i].node = m->node[x->now.at[i].node];
        x->now.at[i].record = m->record[x->now.at[i].record];
    }
}

static void drop_unneeded(shared_stack *x) {
    shared_marks m = {.node = mem_zero(x->nodes.n, sizeof *m.node),
                      .record = mem_zero(x->records.n, sizeof *m.record),
                      .edge = mem_zero((size_t)x->edges.n + 1, sizeof *m.edge)};
    mark(x, &m);
    uint32_t nodes = number(m.node, x->nodes.n), edges = number(m.edge, x->edges.n),
             records = number(m.record, x->records.n);
    move_nodes_and_edges(x, &m);
    move_records(x, &m);
    x->nodes.n = nodes;
    x->edges.n = edges;
    x->records.n = records;
    x->live = edges + records;
    FREE_ALL(m.node, m.record, m.edge);
}

static void keep_small(shared_stack *x) {
    if (x->edges.n + x->records.n > 2 * x->live + DROP_ABOVE) drop_unneeded(x);
    size_t memory = x->nodes.room * sizeof *x->nodes.at + x->edges.room * sizeof *x->edges.at +
                    x->records.room * sizeof *x->records.at + x->now.room * sizeof *x->now.at +
                    x->work.room * sizeof *x->work.at + x->pops.room * sizeof *x->pops.at + table_memory(&x->known) +
                    table_memory(&x->recent);
    if (memory <= x->charged) return;
    budget_charge(x->p->budget, memory - x->charged);
    x->charged = memory;
}

/* ---- events ---- */

static bool all_have(const shared_stack *x, uint64_t bit) {
    for (uint32_t i = 0; i < x->now.n; i++)
        if (!(x->now.at[i].done & bit)) return false;
    return true;
}

/* False: the budget is spent. */
static bool close_under(shared_stack *x, uint64_t bit) {
    table_clear(&x->known);
    table_clear(&x->recent);
    x->work.n = x->pops.n = 0;
    for (uint32_t i = 0; i < x->now.n; i++) reach(x, x->now.at[i]);
    for (uint32_t i = 0; i < x->work.n; i++) {
        if (budget_tick(x->p->budget, &x->ticks)) return false;
        if (!(x->work.at[i].done & bit)) extend(x, x->work.at[i]);
    }
    x->now.n = 0;
    for (uint32_t i = 0; i < x->work.n; i++)
        if (x->work.at[i].done & bit) LIST_ADD(x, now, x->work.at[i]);
    return true;
}

static bool take_return(shared_stack *x, uint32_t position) {
    unsigned s = x->slot_of[position];
    uint64_t bit = slot_bit(s);
    x->event = x->slot[s].ret;
    if (!all_have(x, bit) && !close_under(x, bit)) return false;
    for (uint32_t i = 0; i < x->now.n; i++) x->now.at[i].done &= ~bit;
    x->open &= ~bit;
    for (uint64_t rest = x->open; rest; rest &= rest - 1) x->ahead[slot_lowest(rest)] &= ~bit;
    keep_small(x);
    return true;
}

static bool do_the_same(const shared_slot *a, const shared_slot *b) {
    return a->pushes == b->pushes && a->looks == b->looks && a->v == b->v;
}

/* Of two that do the same the one that returns first goes first; pending ones by their calls. */
static void line_up(shared_stack *x, unsigned s) {
    x->ahead[s] = 0;
    for (uint64_t rest = x->open; rest; rest &= rest - 1) {
        unsigned other = slot_lowest(rest);
        if (!do_the_same(&x->slot[s], &x->slot[other])) continue;
        if (x->slot[s].ret < x->slot[other].ret) x->ahead[other] |= slot_bit(s);
        else x->ahead[s] |= slot_bit(other);
    }
}

static unsigned role_at(const problem *p, uint32_t position) {
    return p->o->type->methods[p->h->method[p->op[position]]].role;
}

/* False: there is no slot left. */
static bool take_call(shared_stack *x, uint32_t position) {
    const history *h = x->p->h;
    uint32_t op = x->p->op[position];
    unsigned role = role_at(x->p, position);
    if (!~x->open) return false;
    unsigned s = slot_lowest(~x->open);
    x->slot[s] = (shared_slot){.position = position,
                               .ret = h->ret[op],
                               .pushes = role & ROLE_ADDS,
                               .looks = role & ROLE_OBSERVES,
                               .v = role & ROLE_ADDS ? h->arg[0][op] : h->res[op]};
    x->slot_of[position] = (uint8_t)s;
    line_up(x, s);
    x->open |= slot_bit(s);
    return true;
}

typedef enum shared_end { SHARED_REACHED_END, SHARED_NO_WAY, SHARED_NO_SLOT, SHARED_SPENT } shared_end;

static shared_end run(shared_stack *x) {
    uint32_t count, *event = part_events(x->p, &count);
    uint8_t *needed = MEM_ARRAY(uint8_t, (size_t)x->p->n + 1);
    shared_end end = SHARED_REACHED_END;
    object_needed(x->p->o, x->p->h, x->p->op, x->p->n, needed);
    for (uint32_t e = 0; e < count && end == SHARED_REACHED_END; e++) {
        uint32_t i = event[e] / 2;
        if (event[e] & 1) {
            if (!take_return(x, i)) end = SHARED_SPENT;
            else if (!x->now.n) end = SHARED_NO_WAY;
        } else if (needed[i] && !take_call(x, i)) {
            end = SHARED_NO_SLOT;
        }
    }
    free(event);
    free(needed);
    return end;
}

/* ---- the witness ---- */

typedef SHARED_LIST(uint32_t) shared_words;
enum { EMIT_RECORD, EMIT_PUSH, EMIT_POP };

typedef struct shared_teller {
    const shared_stack *x;
    struct {
        shared_words todo; /* triples: what, a number, the push that is popped; the next one last */
    } s;
    witness *w;
} shared_teller;

static void later(shared_teller *t, uint32_t what, uint32_t item, uint32_t push_position) {
    LIST_ADD(&t->s, todo, push_position);
    LIST_ADD(&t->s, todo, item);
    LIST_ADD(&t->s, todo, what);
}

static void tell_record(shared_teller *t, uint32_t number_of) {
    const shared_record *r = &t->x->records.at[number_of];
    if (number_of == SHARED_NOTHING) return;
    later(t, EMIT_POP, r->op, r->push);
    if (r->push != NO_NUMBER) {
        later(t, EMIT_RECORD, r->inside, NO_NUMBER);
        later(t, EMIT_PUSH, r->push, NO_NUMBER);
    }
    later(t, EMIT_RECORD, r->before, NO_NUMBER);
}

static void tell_op(shared_teller *t, uint32_t position, uint32_t push_position) {
    const problem *p = t->x->p;
    value res = p->h->res[p->op[position]];
    if (res == VALUE_UNKNOWN) res = push_position == NO_NUMBER ? VALUE_NONE : p->h->arg[0][p->op[push_position]];
    order_log_add(t->w, p->op[position], res);
}

static void tell(shared_teller *t) {
    while (t->s.todo.n) {
        uint32_t *top = &t->s.todo.at[t->s.todo.n -= 3], push_position = top[0], item = top[1], what = top[2];
        if (what == EMIT_RECORD) tell_record(t, item);
        else tell_op(t, item, push_position);
    }
}

/* From the top down, so that the bottom is told first. */
static void tell_witness(const shared_stack *x, witness *w) {
    shared_teller t = {.x = x, .w = w};
    shared_way c = x->now.at[0];
    order_log_init(w, x->p->n);
    for (;;) {
        later(&t, EMIT_RECORD, c.record, NO_NUMBER);
        if (c.node == SHARED_BOTTOM) break;
        const shared_edge *e = &x->edges.at[x->nodes.at[c.node].edges];
        later(&t, EMIT_PUSH, e->push, NO_NUMBER);
        c = (shared_way){0, e->below, e->record};
    }
    tell(&t);
    free(t.s.todo.at);
}

/* ---- the engine ---- */

static bool accepts(const problem *p, text *why_not) {
    if (p->o->parameter[0]) text_add(why_not, "does not decide stacks that can be full");
    for (uint32_t i = 0; i < p->n && !why_not->size; i++) {
        const method *m = &p->o->type->methods[p->h->method[p->op[i]]];
        bool known = !strcmp(m->name, "push") || !strcmp(m->name, "pop") || !strcmp(m->name, "peek");
        if (!known) text_printf(why_not, "does not decide %s", m->name);
        else if (p->h->res[p->op[i]] == VALUE_FULL) text_add(why_not, "does not decide stacks that can be full");
    }
    return !why_not->size;
}

static void shared_stack_free(shared_stack *x) {
    budget_refund(x->p->budget, x->charged);
    FREE_ALL(x->nodes.at, x->edges.at, x->records.at, x->now.at, x->work.at, x->pops.at, x->slot_of);
    table_free(&x->known);
    table_free(&x->recent);
}

static void decide(const problem *p, outcome *out) {
    shared_stack x = {.p = p, .slot_of = MEM_ARRAY(uint8_t, (size_t)p->n + 1)};
    LIST_ADD(&x, nodes, (stack_node){.edges = NO_NUMBER, .pops = NO_NUMBER, .event = RANK_NEVER, .v = VALUE_EMPTY});
    add_record(&x, (shared_record){SHARED_NOTHING, NO_NUMBER, SHARED_NOTHING, NO_NUMBER});
    LIST_ADD(&x, now, (shared_way){0, SHARED_BOTTOM, SHARED_NOTHING});
    switch (run(&x)) {
    case SHARED_REACHED_END:
        out->verdict = VERDICT_LINEARIZABLE;
        tell_witness(&x, &out->witness);
        break;
    case SHARED_NO_WAY: outcome_violation(out, x.event); break;
    case SHARED_NO_SLOT:
        snprintf(out->why, sizeof out->why, "more than %d operations are open at once", SHARED_SLOTS);
        break;
    case SHARED_SPENT: outcome_stopped(p, out); break;
    }
    out->steps = x.steps;
    shared_stack_free(&x);
}

ENGINE_RECORD(engine_stack_shared, "stack-shared",
              "stacks, also with values that repeat: event by event, contents share their lower parts",
              .growth = "n, times what is open at once", .objects = "stack",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_FRONTIER,
              .accepts = accepts, .decide = decide);
