/* Counters as the counting engines see them: each operation adds something, or observes, and may know the count. */
#ifndef PLUMB_ENGINE_LINEAR_COUNTED_H
#define PLUMB_ENGINE_LINEAR_COUNTED_H

#include "engine/engine.h"

enum { COUNTING_LIMIT_BITS = 58 }; /* values beyond 2^58 are refused: nothing overflows below */

typedef struct counter_effect {
    bool observes; /* adds nothing; only then `change` is 0 */
    bool known;    /* `before` is known (`after` is before + change) */
    int64_t change;
    int64_t before; /* counted from the initial value */
} counter_effect;

/* False, with a reason, when a value is too large or an operation adds 0 and is no plain observer. */
bool counted_of(const problem *p, uint32_t position, counter_effect *out, text *why_not);

/* What a change returns when the count, from 0 on, is `before`. */
value counted_result(const problem *p, uint32_t position, int64_t before);

#endif
