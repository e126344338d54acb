/* A second decision about histories that are too large for the oracle: cores that could not be made small, and whole
 * parts. It shares no code with the engines and rests, like the oracle, on the object's step alone.
 *
 * Event by event, all the ways in which things can stand are kept (standings.h). Operations take effect only when
 * an operation has to return: if there is a linearization, there is one in which each operation is moved back to just
 * before the first return that it, or an operation behind it in that order, cannot wait beyond; the orders of the open
 * operations up to the one that returns are all tried then (G. Lowe, Testing for linearizability, 2017: just-in-time
 * linearization). Less is tried where that is safe: see take_still and try_all in retrial.c. */
#ifndef PLUMB_EVIDENCE_RETRIAL_H
#define PLUMB_EVIDENCE_RETRIAL_H

#include "evidence/oracle.h"

typedef struct retrial_limits {
    uint64_t steps; /* of the object; 0: no limit */
    size_t memory;  /* bytes for standings and states; 0: no limit */
} retrial_limits;

/* h is bound to o. Gives up when a limit is reached. */
oracle_answer retrial_linearizable(const object *o, const history *h, const retrial_limits *limits);

#endif
