/* Priority queues. An element is a value that is its own priority, or a tuple [priority ...]. Priorities are compared
 * by value_compare. Of several best elements a removal takes any, or, with FIFO among ties, the oldest.
 *
 * State: the elements from worst to best, so that the best ones are at the end; ties by handle where their order does
 * not matter, newest first where it does. */
#include "object/pqueue.h"

#include "object/leave_out.h"
#include "object/run.h"
#include "object/types.h"
#include "object/wide.h"

#include <assert.h>

enum { INSERT, DELETE };

#define INSERTS \
    { "insert", "add push put offer", 1, 1, ARG_VALUE, RESULT_VOID, ROLE_ADDS }
#define DELETES(name, more) \
    { name, "remove poll pop take get " more, 0, 0, ARG_VALUE, RESULT_REMOVED, ROLE_REMOVES }
#define MAX [INSERT] = INSERTS, [DELETE] = DELETES("deletemax", "removemax extractmax popmax delmax")
#define MIN [INSERT] = INSERTS, [DELETE] = DELETES("deletemin", "removemin extractmin popmin delmin")
static const method max_methods[] = {MAX}, min_methods[] = {MIN};
static const method wide_max_methods[] = {MAX, WIDE_PEEK("peek", "max findmax getmax top"), WIDE_COUNTS, WIDE_EMPTIES},
                    wide_min_methods[] = {MIN, WIDE_PEEK("peek", "min findmin getmin top"), WIDE_COUNTS, WIDE_EMPTIES};

static value priority(const object *o, value element) {
    if (value_is_small_int(element) || value_kind_of(o->values, element) != KIND_TUPLE) return element;
    size_t n;
    const value *item = value_as_tuple(o->values, element, &n);
    return n ? item[0] : element;
}

/* Above zero: the priority of a is the greater one. Handles of small integers are in the order of the integers. */
static int greater(const object *o, value a, value b) {
    bool small = value_is_small_int(a | b);
    return small ? (a > b) - (a < b) : value_compare(o->values, priority(o, a), priority(o, b));
}

static int less(const object *o, value a, value b) { return -greater(o, a, b); }

static bool is_max(const object *o) { return o->type->better == greater; }

int pqueue_better(const object *o, value a, value b) {
    int c = greater(o, a, b);
    return is_max(o) ? c : -c;
}

static bool fifo_among_ties(const object *o) { return o->type->oldest_among_equals; }

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static inline bool stays_below(const object *o, value a, value v) {
    if (value_is_small_int(a | v)) return is_max(o) ? a < v : a > v;
    int c = pqueue_better(o, a, v);
    return c < 0 || (c == 0 && !fifo_among_ties(o) && a < v);
}

/* The best elements come and go, so the place of v is mostly near the end. What is above it there moves up; returns how
 * many elements are left, of which it is not known yet. */
static uint32_t move_up_near(const object *o, state *s, value v) {
    enum { NEAR = 16 };
    /* small integers the other way round */
    const value turned = is_max(o) ? 0 : VALUE_SPECIAL - 1;
    uint32_t i = s->n, last = i > NEAR ? i - NEAR : 0;
    if (value_is_small_int(v))
        for (; i > last && value_is_small_int(s->w[i - 1]) && (s->w[i - 1] ^ turned) >= (v ^ turned); i--)
            s->w[i] = s->w[i - 1];
    return i;
}

static void insert(const object *o, state *s, value v) {
    state_reserve(s, s->n + 1);
    uint32_t n = move_up_near(o, s, v), low = 0, left = n;
    if (n && stays_below(o, s->w[n - 1], v)) {
        low = n;
        left = 0;
    }
    while (left) {
        uint32_t half = (left + 1) / 2;
        if (stays_below(o, s->w[low + half - 1], v)) low += half;
        left -= half;
    }
    if (low < n) memmove(s->w + low + 1, s->w + low, (n - low) * sizeof *s->w);
    s->w[low] = v;
    s->n++;
    assert(low == 0 || stays_below(o, s->w[low - 1], v));         /* from worst to best */
    assert(low + 1 == s->n || !stays_below(o, s->w[low + 1], v)); /* and among equals in the one canonical order */
}

/* The element that outcome number `choice` of a removal takes: different values among the best ones. */
static bool chosen_best(const object *o, const state *s, uint32_t choice, uint32_t *at) {
    uint32_t i = s->n - 1;
    for (uint32_t left = choice; left; left--) {
        value taken = s->w[i];
        while (i && s->w[i] == taken) i--;
        if (s->w[i] == taken || pqueue_better(o, s->w[i], s->w[s->n - 1]) < 0) return false;
    }
    *at = i;
    return true;
}

static step_result remove_known(const object *o, state *s, value wanted) {
    if (s->w[s->n - 1] == wanted) {
        s->n--;
        return STEP_LEGAL;
    }
    for (uint32_t i = s->n; i-- && pqueue_better(o, s->w[i], s->w[s->n - 1]) == 0;) {
        if (s->w[i] == wanted) {
            state_remove(s, i);
            return STEP_LEGAL;
        }
        if (fifo_among_ties(o)) return STEP_ILLEGAL;
    }
    return STEP_ILLEGAL;
}

static step_result remove_any(const object *o, state *s, uint32_t choice, value *res) {
    uint32_t at, unused;
    if (!chosen_best(o, s, choice, &at) || (choice && fifo_among_ties(o))) return STEP_ILLEGAL;
    bool more = !fifo_among_ties(o) && chosen_best(o, s, choice + 1, &unused);
    *res = s->w[at];
    assert(pqueue_better(o, s->w[s->n - 1], *res) == 0); /* none is better than what leaves */
    state_remove(s, at);
    return more ? STEP_LEGAL_MORE : STEP_LEGAL;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (op->method == INSERT) {
        *res = VALUE_NONE;
        if (choice || !operation_fits(op, *res)) return STEP_ILLEGAL;
        insert(o, s, op->arg[0]);
        return STEP_LEGAL;
    }
    if (s->n == 0) {
        *res = VALUE_EMPTY;
        return step_if(choice == 0 && operation_fits(op, *res));
    }
    if (op->res == VALUE_UNKNOWN) return remove_any(o, s, choice, res);
    *res = op->res;
    return choice ? STEP_ILLEGAL : remove_known(o, s, op->res);
}

OBJECT_RUN(step)

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_EMPTY;
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    if (op->method == INSERT) {
        text_add(out, "it has no limit, so nothing can be full");
    } else if (s->n == 0) {
        text_add(out, "the priority queue is empty");
    } else {
        text_printf(out, "the %s is ", is_max(o) ? "maximum" : "minimum");
        value_print(o->values, s->w[s->n - 1], out);
    }
}

static const wide_words words = {
    .first = DELETE + 1,
    .at = {{WORD_PEEK, DELETE}, {WORD_SIZE, 0}, {WORD_ISEMPTY, 0}, {WORD_DRAIN, DELETE}, {WORD_CLEAR, DELETE}},
    .step = step,
    .why_not = why_not,
};

#define WIDE_PRIORITY_QUEUE(which, first, order) \
    .methods = wide_##which##_methods, .method_count = sizeof wide_##which##_methods / sizeof *wide_##which##_methods, \
    .init = init, .elements = wide_all_words, WIDE_FIELDS(words), .brings = container_brings, \
    .looks_for = wide_looks_for, .better = (first), .summary = order ", and looked into, counted, emptied"
#define PRIORITY_QUEUE(which, first, order) \
    .methods = which##_methods, .method_count = 2, .init = init, .step = step, .changes_nothing = changes_nothing, \
    .leave_out = leave_out_by_value, .by_value = true, .why_not = why_not, .brings = container_brings, \
    .looks_for = container_looks_for, .better = (first), .run = run, .summary = order

const object_type object_type_wide_pqueue_max = {
    .name = "wide-pqueue-max",
    .inferred_last = true,
    .noun = "pqueue-max",
    WIDE_PRIORITY_QUEUE(max, greater, "priority queue, greatest first, any among equals"),
};
const object_type object_type_wide_pqueue_min = {
    .name = "wide-pqueue-min",
    .inferred_last = true,
    .noun = "pqueue-min",
    WIDE_PRIORITY_QUEUE(min, less, "priority queue, least first, any among equals"),
};
const object_type object_type_wide_pqueue_max_fifo = {
    .name = "wide-pqueue-max-fifo",
    .inferred_last = true,
    .noun = "pqueue-max-fifo",
    .named_only = true,
    .oldest_among_equals = true,
    WIDE_PRIORITY_QUEUE(max, greater, "priority queue, greatest first, oldest among equals"),
};
const object_type object_type_wide_pqueue_min_fifo = {
    .name = "wide-pqueue-min-fifo",
    .inferred_last = true,
    .noun = "pqueue-min-fifo",
    .named_only = true,
    .oldest_among_equals = true,
    WIDE_PRIORITY_QUEUE(min, less, "priority queue, least first, oldest among equals"),
};
const object_type object_type_pqueue_max = {
    .name = "pqueue-max",
    .aliases = "maxheap max-heap priorityqueue",
    .wider = &object_type_wide_pqueue_max,
    PRIORITY_QUEUE(max, greater, "priority queue, greatest first, any among equals"),
};
const object_type object_type_pqueue_min = {
    .name = "pqueue-min",
    .aliases = "minheap min-heap",
    .wider = &object_type_wide_pqueue_min,
    PRIORITY_QUEUE(min, less, "priority queue, least first, any among equals"),
};
const object_type object_type_pqueue_max_fifo = {
    .name = "pqueue-max-fifo",
    .named_only = true,
    .oldest_among_equals = true,
    .wider = &object_type_wide_pqueue_max_fifo,
    PRIORITY_QUEUE(max, greater, "priority queue, greatest first, oldest among equals"),
};
const object_type object_type_pqueue_min_fifo = {
    .name = "pqueue-min-fifo",
    .named_only = true,
    .oldest_among_equals = true,
    .wider = &object_type_wide_pqueue_min_fifo,
    PRIORITY_QUEUE(min, less, "priority queue, least first, oldest among equals"),
};
