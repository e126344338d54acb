#include "object/set_spec.h"

#include <assert.h>

step_result set_spec_alone(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    together alone = {.n = 0};
    together_add(&alone, op, true, true);
    return o->type->together->step(o, s, &alone, choice, res);
}

typedef struct answering {
    const object *o;
    const together *t;
    value *res;
    answer_step answer;
    uint32_t left; /* ways to pass over */
    bool several;  /* one of them had a choice */
} answering;

static uint32_t next_that_ends(const together *t, uint32_t i) {
    while (i < t->n && !together_ends(t, i)) i++;
    return i;
}

static step_result answer_nth(answering *a, uint32_t i, state *next, const state *s, uint32_t choice) {
    state_copy(next, s);
    step_result r = a->answer(a->o, next, a->t->op[i], choice, &a->res[i]);
    a->several |= r == STEP_LEGAL_MORE;
    return r;
}

/* Choices are legal up to some number, so the last one to answer need not count up to the one that is wanted: it tries
 * that, and if there are fewer, finds by bisection how many there are. */
static bool answer_last(answering *a, uint32_t i, state *next, const state *s) {
    if (answer_nth(a, i, next, s, a->left) != STEP_ILLEGAL) return true;
    uint32_t legal = 0, illegal = a->left;
    while (legal < illegal) {
        uint32_t middle = legal + (illegal - legal) / 2;
        if (answer_nth(a, i, next, s, middle) != STEP_ILLEGAL) legal = middle + 1;
        else illegal = middle;
    }
    assert(legal <= a->left);
    a->left -= legal;
    return false;
}

/* Those from place i on answer; the first way that is not to be passed over stays in s. */
static bool answer_from(answering *a, uint32_t i, state *s) {
    i = next_that_ends(a->t, i);
    assert(i < a->t->n); /* there is one left to answer */
    state next = {0};
    bool found = false;
    step_result r = STEP_LEGAL_MORE;
    if (next_that_ends(a->t, i + 1) == a->t->n) found = answer_last(a, i, &next, s);
    else
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !found; choice++) {
            r = answer_nth(a, i, &next, s, choice);
            found = r != STEP_ILLEGAL && answer_from(a, i + 1, &next);
        }
    if (found) state_copy(s, &next);
    state_free(&next);
    return found;
}

step_result together_answers(const object *o, state *s, const together *t, uint32_t choice, value *res,
                             answer_step answer) {
    if (!t->ends) return step_if(choice == 0);
    answering a = {.o = o, .t = t, .res = res, .answer = answer, .left = choice};
    if (!answer_from(&a, 0, s)) return STEP_ILLEGAL;
    return a.several ? STEP_LEGAL_MORE : STEP_LEGAL;
}
