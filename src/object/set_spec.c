#include "object/set_spec.h"

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

/* Those from place i on answer; the first way that is not to be passed over stays in s. */
static bool answer_from(answering *a, uint32_t i, state *s) {
    while (i < a->t->n && !together_ends(a->t, i)) i++;
    if (i == a->t->n) return a->left-- == 0;
    state next = {0};
    bool found = false;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !found; choice++) {
        state_copy(&next, s);
        r = a->answer(a->o, &next, a->t->op[i], choice, &a->res[i]);
        a->several |= r == STEP_LEGAL_MORE;
        found = r != STEP_ILLEGAL && answer_from(a, i + 1, &next);
    }
    if (found) state_copy(s, &next);
    state_free(&next);
    return found;
}

step_result together_answers(const object *o, state *s, const together *t, uint32_t choice, value *res, answer_step answer) {
    answering a = {.o = o, .t = t, .res = res, .answer = answer, .left = choice};
    if (!answer_from(&a, 0, s)) return STEP_ILLEGAL;
    return a.several ? STEP_LEGAL_MORE : STEP_LEGAL;
}
