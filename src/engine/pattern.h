/* From the operations that an engine found to contradict each other to a pattern that may stand alone: whatever
 * belongs to them by the object's groups stays, whatever may leave leaves (object/leave_out.h). */
#ifndef PLUMB_ENGINE_PATTERN_H
#define PLUMB_ENGINE_PATTERN_H

#include "engine/engine.h"

/* The caller knows that the operations at these positions, with their groups, are a violation. No pattern is given when
 * one of them speaks about all others (fragile), or when nothing can leave. */
void pattern_from(const problem *p, const uint32_t *position, uint32_t n, outcome *out);

/* The same where the caller only hopes so: `is_violation` is asked. */
void pattern_try(const problem *p, const uint32_t *position, uint32_t n, bool (*is_violation)(const problem *part),
                 outcome *out);

void outcome_violation(outcome *out, uint32_t cut);
/* For long loops: looks at the clock once in 65536 steps. True: the budget is spent. */
static inline bool problem_stopped(const problem *p, uint32_t step) {
    return (step & 0xffff) == 0xffff && budget_check_clock(p->budget);
}
void outcome_stopped(const problem *p, outcome *out);

#endif
