/* FIFO queue; with a capacity, an add to a full queue returns `full`. State: the values from head to tail. */
#include "object/leave_out.h"
#include "object/line.h"
#include "object/queue_order.h"
#include "object/run.h"
#include "object/types.h"
#include "object/wide.h"

#include <assert.h>

enum { ENQ, DEQ };

#define PLAIN \
    [ENQ] = {"enq", "enqueue add offer put push", 1, 1, ARG_VALUE, RESULT_VOID, ROLE_ADDS}, \
    [DEQ] = {"deq", "dequeue remove poll take get pop", 0, 0, ARG_VALUE, RESULT_REMOVED, ROLE_REMOVES}
static const method methods[] = {PLAIN};
static const method wide_methods[] = {PLAIN, WIDE_PEEK("peek", "front head first element"), WIDE_COUNTS, WIDE_EMPTIES};
static const method_end ends[] = {[ENQ] = END_RIGHT, [DEQ] = END_LEFT};

static step_result step_enq(const object *o, state *s, const operation *op, value *res) {
    bool full = line_is_full(o, s);
    *res = full ? VALUE_FULL : VALUE_NONE;
    if (!operation_fits(op, *res)) return STEP_ILLEGAL;
    if (!full) state_push(s, op->arg[0]);
    assert(!o->parameter[LINE_CAPACITY] || s->n <= o->parameter[LINE_CAPACITY]);
    return STEP_LEGAL;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    if (op->method == ENQ) return step_enq(o, s, op, res);
    assert(op->method == DEQ);
    *res = s->n ? s->w[0] : VALUE_EMPTY;
    if (!operation_fits(op, *res)) return STEP_ILLEGAL;
    if (s->n) state_remove(s, 0);
    return STEP_LEGAL;
}

OBJECT_RUN(step)

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    if (op->method == ENQ) line_why_not_add(o, s, out);
    else line_why_not_remove(o, s, "head", 0, out);
}

static const wide_words words = {
    .first = DEQ + 1,
    .at = {{WORD_PEEK, DEQ}, {WORD_SIZE, 0}, {WORD_ISEMPTY, 0}, {WORD_DRAIN, DEQ}, {WORD_CLEAR, DEQ}},
    .step = step,
    .why_not = why_not,
};

OBJECT_RECORD(object_type_wide_queue, "wide-queue", "a queue that can be looked into, counted and emptied as well",
              .inferred_last = true, .noun = "queue", .methods = wide_methods,
              .method_count = sizeof wide_methods / sizeof *wide_methods, .parameters = LINE_PARAMETER,
              .init = line_init, .elements = wide_all_words, .ends = ends, WIDE_FIELDS(words),
              .brings = container_brings, .looks_for = wide_looks_for);

OBJECT_RECORD(object_type_queue, "queue", "first in, first out", .aliases = "fifo", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .parameters = LINE_PARAMETER, .init = line_init,
              .step = step, .run = run, .changes_nothing = line_changes_nothing, .leave_out = leave_out_by_value,
              .by_value = true, .why_not = why_not, .brings = container_brings, .looks_for = container_looks_for,
              .urgency = queue_order, .ends = ends, .wider = &object_type_wide_queue);
