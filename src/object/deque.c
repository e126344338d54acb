/* Double-ended queue; with a capacity, an add to a full deque returns `full`. State: the values from left to right. */
#include "object/leave_out.h"
#include "object/line.h"
#include "object/types.h"
#include "object/wide.h"

#include <assert.h>

enum { PUSHL, PUSHR, POPL, POPR };

#define PLAIN \
    [PUSHL] = {"pushl",  "pushleft pushfront pushfirst addfirst addleft offerfirst", 1, 1, ARG_VALUE, RESULT_VOID, \
               ROLE_ADDS}, \
    [PUSHR] = {"pushr",  "pushright pushback pushlast addlast addright offerlast", 1, 1, ARG_VALUE, RESULT_VOID, \
               ROLE_ADDS}, \
    [POPL] = {"popl",      "popleft popfront popfirst removefirst removeleft pollfirst", \
              0,           0, \
              ARG_VALUE,   RESULT_REMOVED, \
              ROLE_REMOVES}, \
    [POPR] = { \
        "popr",      "popright popback poplast removelast removeright polllast", 0, 0, ARG_VALUE, RESULT_REMOVED, \
        ROLE_REMOVES}
static const method methods[] = {PLAIN};
static const method wide_methods[] = {
    PLAIN,
    WIDE_PEEK("peekl", "peekleft peekfront peekfirst front first"),
    WIDE_PEEK("peekr", "peekright peekback peeklast back last"),
    WIDE_COUNTS,
    WIDE_EMPTIES,
};
static const method_end ends[] = {[PUSHL] = END_LEFT, [PUSHR] = END_RIGHT, [POPL] = END_LEFT, [POPR] = END_RIGHT};

static step_result step_push(const object *o, state *s, const operation *op, value *res) {
    bool full = line_is_full(o, s);
    *res = full ? VALUE_FULL : VALUE_NONE;
    if (!full) state_insert(s, op->method == PUSHL ? 0 : s->n, op->arg[0]);
    assert(!o->parameter[LINE_CAPACITY] || s->n <= o->parameter[LINE_CAPACITY]);
    return step_if(operation_fits(op, *res));
}

static uint32_t end_of(const state *s, const operation *op) { return op->method == POPL ? 0 : s->n - 1; }

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    if (op->method <= PUSHR) return step_push(o, s, op, res);
    assert(op->method == POPL || op->method == POPR);
    *res = s->n ? s->w[end_of(s, op)] : VALUE_EMPTY;
    if (s->n) state_remove(s, end_of(s, op));
    return step_if(operation_fits(op, *res));
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    if (op->method <= PUSHR) line_why_not_add(o, s, out);
    else line_why_not_remove(o, s, op->method == POPL ? "left end" : "right end", end_of(s, op), out);
}

static const wide_words words = {
    .first = POPR + 1,
    .at = {{WORD_PEEK, POPL},
           {WORD_PEEK, POPR},
           {WORD_SIZE, 0},
           {WORD_ISEMPTY, 0},
           {WORD_DRAIN, POPL},
           {WORD_CLEAR, POPL}},
    .step = step,
    .why_not = why_not,
};

OBJECT_RECORD(object_type_wide_deque, "wide-deque",
              "a deque that can be looked into, counted and emptied (from the left) as well", .inferred_last = true,
              .noun = "deque", .methods = wide_methods, .method_count = sizeof wide_methods / sizeof *wide_methods,
              .parameters = LINE_PARAMETER, .init = line_init, .elements = wide_all_words, .ends = ends,
              WIDE_FIELDS(words), .brings = container_brings, .looks_for = wide_looks_for);

OBJECT_RECORD(object_type_deque, "deque", "added to and removed from at both ends", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .parameters = LINE_PARAMETER, .init = line_init,
              .step = step, .changes_nothing = line_changes_nothing, .leave_out = leave_out_by_value, .by_value = true,
              .why_not = why_not, .brings = container_brings, .looks_for = container_looks_for, .ends = ends,
              .wider = &object_type_wide_deque);
