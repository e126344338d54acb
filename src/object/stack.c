/* LIFO stack; with a capacity, a push on a full stack returns `full`. State: the values from bottom to top. */
#include "object/leave_out.h"
#include "object/line.h"
#include "object/run.h"
#include "object/types.h"
#include "object/wide.h"

#include <assert.h>

enum { PUSH, POP };

#define PLAIN \
    [PUSH] = {"push", "add put insert", 1, 1, ARG_VALUE, RESULT_VOID, ROLE_ADDS}, [POP] = { \
                                                                                      "pop", \
                                                                                      "remove poll take get delete", \
                                                                                      0, \
                                                                                      0, \
                                                                                      ARG_VALUE, \
                                                                                      RESULT_REMOVED, \
                                                                                      ROLE_REMOVES}
static const method methods[] = {PLAIN};
static const method wide_methods[] = {PLAIN, WIDE_PEEK("peek", "top"), WIDE_COUNTS, WIDE_EMPTIES};
static const method_end ends[] = {[PUSH] = END_RIGHT, [POP] = END_RIGHT};

/* Pushes and pops come in any order, and a processor that guesses which is wrong every other time: both take the same
 * way, on which a pop writes above the top, where nothing is read. */
static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    assert(op->method == PUSH || op->method == POP);
    bool full = line_is_full(o, s);
    state_reserve(s, s->n + 1);
    value top = s->n ? s->w[s->n - 1] : VALUE_EMPTY, of_push = full ? VALUE_FULL : VALUE_NONE;
    uint32_t pops = -(uint32_t)(op->method == POP);
    s->w[s->n] = op->arg[0];
    *res = (top & pops) | (of_push & ~pops);
    s->n += ((uint32_t)!full & ~pops) - ((uint32_t)(s->n > 0) & pops);
    assert(s->n <= s->room && (!o->parameter[LINE_CAPACITY] || s->n <= o->parameter[LINE_CAPACITY]));
    return step_if(operation_fits(op, *res));
}

OBJECT_RUN(step)

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    if (op->method == PUSH) line_why_not_add(o, s, out);
    else line_why_not_remove(o, s, "top", s->n - 1, out);
}

static const wide_words words = {
    .first = POP + 1,
    .at = {{WORD_PEEK, POP}, {WORD_SIZE, 0}, {WORD_ISEMPTY, 0}, {WORD_DRAIN, POP}, {WORD_CLEAR, POP}},
    .step = step,
    .why_not = why_not,
};

OBJECT_RECORD(object_type_wide_stack, "wide-stack", "a stack that can be looked into, counted and emptied as well",
              .inferred_last = true, .noun = "stack", .methods = wide_methods,
              .method_count = sizeof wide_methods / sizeof *wide_methods, .parameters = LINE_PARAMETER,
              .init = line_init, .elements = wide_all_words, .ends = ends, WIDE_FIELDS(words),
              .brings = container_brings, .looks_for = wide_looks_for);

OBJECT_RECORD(object_type_stack, "stack", "last in, first out", .aliases = "lifo", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .parameters = LINE_PARAMETER, .init = line_init,
              .step = step, .run = run, .changes_nothing = line_changes_nothing, .leave_out = leave_out_by_value,
              .by_value = true, .why_not = why_not, .brings = container_brings, .looks_for = container_looks_for,
              .ends = ends, .wider = &object_type_wide_stack);
