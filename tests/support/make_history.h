/* Small histories for tests, written as text: one operation a line (or separated by ';'),
 *
 *     client method(args) -> result  [call,return]        enq(3) [0,2]; deq() -> 3 [1,4]; deq() [5,-]
 *
 * "-" as return stamp: pending. The client number is optional: without it every operation has its own. */
#ifndef PLUMB_TESTS_MAKE_HISTORY_H
#define PLUMB_TESTS_MAKE_HISTORY_H

#include "object/object.h"
#include "object/set_spec.h"

typedef struct bound {
    object *o;
    history *h;
} bound;

/* Fails the test on any mistake in the text. */
bound make_history(const char *object_name, const char *operations);
bound make_relaxed_history(const char *object_name, const char *criterion, const char *operations);
void free_bound(bound *b);

/* Its histories are asked to be linearizable unless a criterion is given: for tests of what knows orders only. */
static inline bool one_by_one(const object_type *t) {
    return !t->together || t->together->natural == CRITERION_LINEARIZABLE;
}

#endif
