/* Running operations on the sequential object, one after the other, for the checkers of evidence. Deterministic objects
 * are in one state; where a step has several outcomes, all states that fit what was returned are kept. */
#ifndef PLUMB_EVIDENCE_REPLAY_H
#define PLUMB_EVIDENCE_REPLAY_H

#include "object/object.h"

typedef struct replay {
    const object *o;
    state *now; /* the possible states, all different; none when the last step was refused */
    uint32_t n, room;
} replay;

enum { REPLAY_MAX_STATES = 1 << 12 }; /* more possible states than these are not followed */

typedef enum replay_answer { REPLAY_DONE, REPLAY_ILLEGAL, REPLAY_TOO_MANY } replay_answer;

void replay_init(replay *r, const object *o);     /* the object's initial state */
void replay_copy(replay *to, const replay *from); /* `to` is another initialized replay of the same object */
void replay_free(replay *r);

/* The operation takes effect with the result op->res (VALUE_UNKNOWN: any). Unless it is REPLAY_DONE the replay stays
 * where it is. */
replay_answer replay_step(replay *r, const operation *op);
bool replay_may_end(const replay *r); /* in at least one of the possible states */

#endif
