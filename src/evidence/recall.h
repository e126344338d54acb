/* A state told in operations: a few that lead from the initial state to the one in which a sequence ends. What goes on
 * from there can be judged as a history of its own that begins with them (segment.h). What is told was replayed: it
 * does lead there. */
#ifndef PLUMB_EVIDENCE_RECALL_H
#define PLUMB_EVIDENCE_RECALL_H

#include "object/object.h"

typedef struct recalled {
    operation *op; /* in an order; parts one after the other; `client` is of no use */
    value *client; /* the name of who does it: a client of the history, or "state" */
    uint32_t n, room;
} recalled;

/* Operations of h, bound to o, in an order that is legal. False: this object's state cannot be told, or its steps have
 * several outcomes. */
bool recall(const object *o, const history *h, const uint32_t *order, uint32_t n, recalled *out);
/* The same of a state of one part, with that key (VALUE_NONE: it has none). */
bool recall_state(const object *o, const state *goal, value key, recalled *out);
void recalled_free(recalled *r);

/* A line for each operation, with its place within its part, sorted: the same state gives the same lines in another
 * history. */
void recalled_print(const object *o, const recalled *r, text *out);

#endif
