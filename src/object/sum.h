/* Objects whose state is one integer, the sum of what their operations added to it (modulo 2^64: no overflow). */
#ifndef PLUMB_OBJECT_SUM_H
#define PLUMB_OBJECT_SUM_H

#include "object/leave_out.h"

typedef uint64_t sum_change(const object *o, const operation *op);

void sum_init(const object *o, state *s);
bool sum_check_init(const object *o, text *wrong);
void sum_describe(const object *o, const state *s, text *out);
/* Whatever happens between two moments with nothing open and the same sum leaves together. */
void sum_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, sum_change *change,
                   leave_out *out);
bool sum_settle(const object *o, const history *h, const uint32_t *op, uint32_t n, sum_change *change, value *init);

/* What objects of this kind do by their change_of() alone, and its part of their record. */
#define SUM_FUNCTIONS_BY(change_of) \
    static bool changes_nothing(const object *o, const operation *op) { return change_of(o, op) == 0; } \
    static void leave_out_changes(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) { \
        sum_leave_out(o, h, op, n, change_of, out); \
    } \
    static bool settle(const object *o, const history *h, const uint32_t *op, uint32_t n, value *init_value) { \
        return sum_settle(o, h, op, n, change_of, init_value); \
    }
#define SUM_FUNCTIONS \
    .takes_init = true, .init = sum_init, .changes_nothing = changes_nothing, .leave_out = leave_out_changes, \
    .settle = settle, .describe = sum_describe, .check_init = sum_check_init

#endif
