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

#endif
