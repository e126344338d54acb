/* A few operations of a container as evidence: what was put in and taken out, and when, on the checker's own clock. */
#ifndef PLUMB_RUNTIME_SPANS_H
#define PLUMB_RUNTIME_SPANS_H

#include "runtime/checker.h"

#define SPAN_NEVER UINT64_MAX
enum { SPANS = 160 };

typedef struct value_span {
    uint64_t v, call, ret; /* ret: SPAN_NEVER: pending */
} value_span;

typedef struct span_pair { /* a value that went in and came out */
    value_span add, take;
} span_pair;

typedef struct spans {
    value_span add[SPANS], take[SPANS];
    uint32_t adds, takes;
    bool incomplete; /* too many, or some are forgotten */
} spans;

void spans_add(spans *s, value_span add);
void spans_take(spans *s, value_span take);

/* The history they make, bound to *own, which the caller closes. NULL: incomplete. */
history *spans_history(const spans *s, const object *o, object **own);

#endif
