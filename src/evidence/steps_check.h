/* Is this sequence of steps a set- or interval-linearization of this history? Checked by the definition
 * (docs/CRITERIA.md): who takes part, the order of time, and the steps replayed on the object. Nothing of the engines
 * is used but the steps. */
#ifndef PLUMB_EVIDENCE_STEPS_CHECK_H
#define PLUMB_EVIDENCE_STEPS_CHECK_H

#include "engine/engine.h"
#include "object/set_spec.h"

/* On refusal says what is wrong, naming operations by their numbers. */
bool steps_check(const history *h, const object *o, const witness *w, text *wrong);

/* The same, and `visit` sees every step: who takes part in it, and the states the object may be in after it. */
typedef struct step_view {
    uint32_t number;
    const together *t; /* operations that end have the results of the witness */
    const state *after;
    uint32_t states;
} step_view;
bool steps_walk(const history *h, const object *o, const witness *w, void (*visit)(void *context, const step_view *v),
                void *context, text *wrong);

/* At most so many steps, a line each: the operations in it, and the state after it where there is only one. */
void steps_print(const history *h, const object *o, const witness *w, uint32_t most, text *out);

#endif
