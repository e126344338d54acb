/* Operations that take effect together: an optional second specification of an object, for what no sequential one can
 * say.
 *
 * Set-sequential (Neiger 1994): the object is taken from state to state by sets of operations. Interval-sequential
 * (Castaneda, Rajsbaum, Raynal 2018): by steps; an operation begins in one step and ends in it or in a later one, and
 * takes part in all between. In each step at least one operation begins and at least one ends. A set is a step in which
 * all that take part begin and end. docs/CRITERIA.md has the definitions and what histories are asked to be by them.
 *
 * What holds of every specification, and engines rely on:
 *   - alone, an operation that begins and ends in one step does what the object's sequential step does;
 *   - the order of the operations in `op` makes no difference, and neither do their times. */
#ifndef PLUMB_OBJECT_SET_SPEC_H
#define PLUMB_OBJECT_SET_SPEC_H

#include "object/object.h"

#include <assert.h>

enum { TOGETHER_MAX = 64 };

typedef struct together {              /* one step */
    const operation *op[TOGETHER_MAX]; /* that take part */
    uint32_t n;
    uint64_t begins, ends; /* bit i: op[i] */
} together;

struct set_spec {
    criterion_kind natural; /* by which its histories are judged unless the user names another */
    bool intervals;         /* operations may last; false: each begins and ends in one step */
    bool one_shot;          /* a task: each process calls once, and when all have answered the task is solved */
    uint32_t most;          /* operations that take part in one step; 0: any number */
    /* Hints that save engines work where operations may last, and never change an answer: */
    bool end_may_be_omitted; /* a pending operation need not end: it can as well last for ever */
    /* beginning only makes more possible: whatever is open may begin as soon as anything does */
    bool eager;
    /* and the order of ends makes no difference: everything may end when it returns, even if none begins then */
    bool late;
    /* As object_type.step: res[i] receives what op[i] returns, for those that end. */
    step_result (*step)(const object *o, state *s, const together *t, uint32_t choice, value *res);
};

static inline bool together_begins(const together *t, uint32_t i) { return t->begins >> i & 1; }
static inline bool together_ends(const together *t, uint32_t i) { return t->ends >> i & 1; }
static inline void together_add(together *t, const operation *op, bool begins, bool ends) {
    assert(t->n < TOGETHER_MAX);
    assert(!((t->begins | t->ends) >> t->n)); /* bits of operations that take part, and of no others */
    t->begins |= (uint64_t)begins << t->n;
    t->ends |= (uint64_t)ends << t->n;
    t->op[t->n++] = op;
}

/* May operations last under the object's criterion? Otherwise each begins and ends in one step. */
static inline bool object_has_intervals(const object *o) {
    return o->criterion.kind == CRITERION_INTERVAL && o->type->together->intervals;
}

/* A task: all that take part begin, each answers once, and a begun one may stay without an answer. */
#define TASK_BY(kind, function) \
    { \
        .natural = kind, .intervals = true, .one_shot = true, .end_may_be_omitted = true, .eager = true, .late = true, \
        .step = function \
    }

/* For objects that have nothing to say of an operation alone but what they say of several: their sequential step. */
step_result set_spec_alone(const object *o, state *s, const operation *op, uint32_t choice, value *res);

/* For objects in which those that end answer one after the other, all orders being the same: the choice-th way to do
 * so. Each `answer` has choices of its own, as a step has. */
typedef step_result (*answer_step)(const object *o, state *s, const operation *op, uint32_t choice, value *res);
step_result together_answers(const object *o, state *s, const together *t, uint32_t choice, value *res,
                             answer_step answer);

#endif
