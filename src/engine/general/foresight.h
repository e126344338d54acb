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

#endif
