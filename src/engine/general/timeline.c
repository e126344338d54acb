#include "engine/general/timeline.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- merging calls and returns: a binary heap of the open operations, by return ---------------------------------- */

typedef struct open_heap {
    uint32_t *at;
    uint32_t n, room;
    const uint64_t *due; /* by position */
} open_heap;

static uint64_t deadline(const open_heap *h, uint32_t i) { return h->due[h->at[i]]; }

static void heap_push(open_heap *h, uint32_t position) {
    if (h->n == h->room) {
        h->room = h->room ? h->room * 2 : 16;
        h->at = MEM_GROW(h->at, uint32_t, h->room);
    }
    uint32_t i = h->n++;
    const uint64_t due = h->due[position];
    for (; i && deadline(h, (i - 1) / 2) > due; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = position;
}

static uint32_t heap_pop(open_heap *h) {
    assert(h->n > 0);
    uint32_t top = h->at[0], last = h->at[--h->n], i = 0;
    const uint64_t due = h->due[last];
    for (uint32_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && deadline(h, child + 1) < deadline(h, child)) child++;
        if (deadline(h, child) >= due) break;
        h->at[i] = h->at[child];
    }
    if (h->n) h->at[i] = last;
    assert(h->n == 0 || deadline(h, 0) > h->due[top]);
    return top;
}

/* ---- slots ---- */

typedef struct slot_stack {
    uint16_t *vacant;
    uint32_t n, room;
} slot_stack;

static bool take_slot(timeline *t, slot_stack *s, uint32_t position) {
    if (s->n) t->slot[position] = s->vacant[--s->n];
    else if (t->slots < TIMELINE_MAX_SLOTS) t->slot[position] = (uint16_t)t->slots++;
    else return false;
    return true;
}

static void give_slot(slot_stack *s, uint16_t slot) {
    if (s->n == s->room) {
        s->room = s->room ? s->room * 2 : 16;
        s->vacant = MEM_GROW(s->vacant, uint16_t, s->room);
    }
    s->vacant[s->n++] = slot;
}

static void close_first(timeline *t, open_heap *open, slot_stack *slots) {
    uint32_t position = heap_pop(open);
    assert(t->ret_event[position] == NO_EVENT && t->slot[position] < t->slots);
    t->ret_event[position] = t->events;
    t->event[t->events++] = 2 * position + 1;
    give_slot(slots, t->slot[position]);
}

static bool place_events(timeline *t, const problem *p, const uint8_t *needed) {
    const history *h = p->h;
    open_heap open = {.due = t->due.at};
    slot_stack slots = {0};
    bool fits = true;
    for (uint32_t i = 0; i < p->n && fits; i++) {
        operation op;
        history_operation(h, p->op[i], &op);
        while (open.n && deadline(&open, 0) < due_scale(op.call)) close_first(t, &open, &slots);
        t->quiet[i] = object_changes_nothing(p->o, &op);
        t->ret_event[i] = NO_EVENT;
        if (!needed[i] || t->due.out[i]) continue;
        t->event[t->events++] = 2 * i;
        if (t->due.at[i] == DUE_NEVER) {
            t->pending[t->classes++] = i; /* a class each, for now */
        } else {
            fits = take_slot(t, &slots, i);
            heap_push(&open, i);
            t->completed++;
        }
    }
    while (open.n) close_first(t, &open, &slots);
    free(open.at);
    free(slots.vacant);
    assert(!fits || t->events == 2 * t->completed + t->classes);
    return fits;
}

/* ---- classes of pending operations ---- */

typedef struct classifier {
    const problem *p;
    bool by_client;
} classifier;

static int compare(const classifier *c, uint32_t a, uint32_t b) {
    operation x, y;
    history_operation(c->p->h, c->p->op[a], &x);
    history_operation(c->p->h, c->p->op[b], &y);
    if (x.method != y.method) return x.method < y.method ? -1 : 1;
    if (x.nargs != y.nargs) return x.nargs < y.nargs ? -1 : 1;
    for (unsigned k = 0; k < HISTORY_MAX_ARGS; k++)
        if (x.arg[k] != y.arg[k]) return x.arg[k] < y.arg[k] ? -1 : 1;
    if (c->by_client && x.client != y.client) return x.client < y.client ? -1 : 1;
    return 0;
}

static int compare_then_call(const void *a, const void *b, void *context) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int c = compare(context, x, y);
    return c ? c : x < y ? -1 : x > y;
}

static void classify(timeline *t, const problem *p) {
    uint32_t n = t->classes;
    classifier c = {.p = p, .by_client = p->o->type->sees_clients};
    qsort_r(t->pending, n, sizeof *t->pending, compare_then_call, &c);
    t->class = MEM_ARRAY(pending_class, n);
    t->classes = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i && compare(&c, t->pending[i - 1], t->pending[i]) == 0) t->class[t->classes - 1].count++;
        else t->class[t->classes++] = (pending_class){.first = i, .count = 1};
    }
    assert(n == 0 || t->class[t->classes - 1].first + t->class[t->classes - 1].count == n);
}

/* ---- what to try first ---- */

typedef struct urgent {
    uint64_t key;
    uint32_t position;
} urgent;

/* Of equal urgency, the one called first. */
static int compare_urgent(const void *a, const void *b) {
    const urgent *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* By return; pending ones that are due, by their calls: mostly they took effect soon, and what came in later shows that
 * only much later. */
static void order_with_due(timeline *t, const problem *p) {
    t->order = MEM_ARRAY(uint32_t, (size_t)p->n + 1);
    for (uint32_t e = 0; e < t->events; e++) {
        const uint32_t position = t->event[e] / 2;
        const bool due = history_pending(p->h, p->op[position]);
        if (due != event_is_return(t->event[e])) t->order[position] = 2 * e + due;
    }
}

static bool some_are_due(const timeline *t, const problem *p) {
    for (uint32_t i = 0; i < p->n; i++)
        if (t->ret_event[i] != NO_EVENT && history_pending(p->h, p->op[i])) return true;
    return false;
}

static void set_order(timeline *t, const problem *p) {
    t->order = t->ret_event;
    if (!p->o->type->urgency) {
        if (some_are_due(t, p)) order_with_due(t, p);
        return;
    }
    uint64_t *key = MEM_ARRAY(uint64_t, p->n);
    urgent *u = MEM_ARRAY(urgent, p->n);
    p->o->type->urgency(p->o, p->h, p->op, p->n, key);
    for (uint32_t i = 0; i < p->n; i++) u[i] = (urgent){key[i], i};
    free(key);
    qsort(u, p->n, sizeof *u, compare_urgent);
    t->order = MEM_ARRAY(uint32_t, p->n);
    for (uint32_t i = 0; i < p->n; i++) t->order[u[i].position] = i + 1;
    free(u);
}

static uint64_t event_time(const timeline *t, const problem *p, uint32_t e) {
    return event_is_return(e) ? t->due.at[e / 2] : due_scale(p->h->call[p->op[e / 2]]);
}

/* Events by rank, each return behind its call and known by its index, operations open at once in different slots. */
SELF_CHECK static bool timeline_is_sound(const timeline *t, const problem *p) {
    uint32_t *in_slot = mem_zero((size_t)t->slots + 1, sizeof *in_slot); /* position + 1 */
    bool good = true;
    for (uint32_t e = 0; e < t->events && good; e++) {
        uint32_t position = t->event[e] / 2;
        good = e == 0 || event_time(t, p, t->event[e - 1]) < event_time(t, p, t->event[e]);
        if (t->ret_event[position] == NO_EVENT) {
            good = good && !event_is_return(t->event[e]);
            continue;
        }
        uint32_t *slot = &in_slot[t->slot[position]];
        if (event_is_return(t->event[e])) good = good && t->ret_event[position] == e && *slot == position + 1;
        else good = good && t->ret_event[position] > e && *slot == 0;
        *slot = event_is_return(t->event[e]) ? 0 : position + 1;
    }
    free(in_slot);
    return good;
}

/* Which to try first: places are different for different operations that returned. */
SELF_CHECK static bool order_is_injective(const timeline *t, const problem *p) {
    uint32_t most = (t->events > p->n ? t->events : p->n) * 2 + 1;
    bool *taken = mem_zero((size_t)most + 2, sizeof *taken), good = true;
    for (uint32_t i = 0; i < p->n && good; i++) {
        if (t->ret_event[i] == NO_EVENT) continue;
        good = t->order[i] > 0 && t->order[i] <= most && !taken[t->order[i]];
        if (good) taken[t->order[i]] = true;
    }
    free(taken);
    return good;
}

bool timeline_init(timeline *t, const problem *p) {
    *t = (timeline){0};
    uint32_t pending = 0;
    due_times_init(&t->due, p);
    for (uint32_t i = 0; i < p->n; i++) pending += t->due.at[i] == DUE_NEVER;
    t->event = MEM_ARRAY(uint32_t, (size_t)2 * p->n - pending);
    t->ret_event = MEM_ARRAY(uint32_t, p->n);
    t->slot = MEM_ARRAY(uint16_t, p->n);
    t->quiet = MEM_ARRAY(uint8_t, p->n);
    t->pending = MEM_ARRAY(uint32_t, pending);
    uint8_t *needed = MEM_ARRAY(uint8_t, p->n);
    object_needed(p->o, p->h, p->op, p->n, needed);
    bool fits = place_events(t, p, needed);
    free(needed);
    set_order(t, p);
    if (fits) classify(t, p);
    assert_costly(!fits || (timeline_is_sound(t, p) && order_is_injective(t, p)));
    return fits;
}

void timeline_free(timeline *t) {
    if (t->order != t->ret_event) free(t->order);
    due_times_free(&t->due);
    FREE_ALL(t->event, t->ret_event, t->slot, t->quiet, t->pending, t->class);
    *t = (timeline){0};
}
