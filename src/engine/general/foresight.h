/* Looking ahead in containers whose elements stand in a line (queue, stack, deque): which orders of elements can never
 * be resolved, given when and at which end each of them leaves. Without it a search puts two overlapping adds in the
 * wrong order and finds out only when the first of them is removed, after trying everything in between.
 *
 * Let i stand to the left of j. Nothing can pass, so
 *   - i leaving to the right and j leaving to the left exclude each other;
 *   - when both leave to the left, i leaves first; to the right, j does;
 *   - what never leaves blocks its side for good.
 * An order that contradicts what the history says of the removals leads nowhere, whatever else happens. */
#ifndef PLUMB_ENGINE_GENERAL_FORESIGHT_H
#define PLUMB_ENGINE_GENERAL_FORESIGHT_H

#include "engine/engine.h"

typedef struct foresight foresight;

foresight *foresight_new(const problem *p); /* NULL: the object's elements do not stand in a line */
void foresight_free(foresight *f);

/* The state after op: is it certain that nothing leads from here to the end? Asks only about what op added. */
bool foresight_hopeless(const foresight *f, const state *s, const operation *op);

/* Two adds: is it certain that the second may not come in before the first? The first goes through the line from one
 * end to the other, and the second stays at least until then: it would be passed. */
bool foresight_must_come_first(const foresight *f, const operation *first, const operation *second);

/* A removal that returned: its value v, which came in once, stands at its end now. It may as well take effect now: what
 * comes in at this end in between leaves before, none looks at v, and without v no more is found and no less is empty.
 */
bool foresight_takes_at_once(const foresight *f, const state *s, const operation *removal);

/* What stands in the way of the removal that returns next. Its value v is inside, behind another one, e, at its end:
 * then e has to leave at this end first. Where no operation that returned takes e, a pending removal does, and that may
 * as well be now: what comes in at this end in between leaves before, and v keeps all at the other end from e. */
typedef enum obstacle {
    OBSTACLE_NONE,
    OBSTACLE_IS_TAKEN,      /* by a pending removal at this end, now */
    OBSTACLE_ALL_ARE_TAKEN, /* it found nothing: by pending removals, before anything else comes in */
    OBSTACLE_STAYS          /* there is no way */
} obstacle;

obstacle foresight_obstacle(const foresight *f, const state *s, const operation *returning);
/* What this pending removal would take, an operation that returned takes: once, and it came in once. */
bool foresight_is_taken_later(const foresight *f, const state *s, uint8_t number);

#endif
