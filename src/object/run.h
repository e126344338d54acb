/* Many steps in a row: the loop around `step`, once for all objects and once for each that wants its own step
 * inside. */
#ifndef PLUMB_OBJECT_RUN_H
#define PLUMB_OBJECT_RUN_H

#include "object/object.h"

static inline __attribute__((always_inline)) uint32_t run_steps(const object *o, state *s, const operation_sequence *q,
                                                                step_result (*step)(const object *, state *,
                                                                                    const operation *, uint32_t,
                                                                                    value *)) {
    const history h = *q->h; /* columns in local variables: no step changes them */
    operation op = {.key = VALUE_NONE, .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE}};
    for (uint32_t k = 0; k < q->n; k++) {
        uint32_t i = q->op[k];
        value res;
        op.index = i;
        op.call = h.call[i];
        op.ret = h.ret[i];
        op.client = h.client ? h.client[i] : i;
        op.method = h.method[i];
        op.nargs = h.nargs[i];
        if (h.key) op.key = h.key[i];
        for (unsigned a = 0; a < HISTORY_MAX_ARGS && h.arg[a]; a++) op.arg[a] = h.arg[a][i];
        op.res = q->res ? q->res[k] : h.res[i];
        if (step(o, &s[q->part ? q->part[i] : 0], &op, 0, &res) != STEP_LEGAL) return k;
    }
    return q->n;
}

/* For an object's file: defines `run`. */
#define OBJECT_RUN(step) \
    static uint32_t run(const object *o, state *s, const operation_sequence *q) { return run_steps(o, s, q, step); }

#endif
