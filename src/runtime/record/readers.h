/* Who reads a recording. Of one that is kept whole, anybody. In a ring a chunk is used again when all who read have
 * passed it, so each has a seat in the header: threads of the program, or other programs.
 *
 * Inside (its epoch is odd): what it has not read is kept, whether it lives or not. Somebody who is once inside is
 * followed: there is always one inside from then on, whose place another one can go on from. A writer that has no room
 * left does without those who are behind, dead or slow, as long as one has passed: it ends their epochs, then writes.
 * Whoever reads looks at its epoch afterwards, throws away what it has read when it has ended, and comes in again at
 * the place of another one. When nobody has passed, nobody is expelled: the writer goes dark. */
#ifndef PLUMB_RUNTIME_READERS_H
#define PLUMB_RUNTIME_READERS_H

#include "runtime/record/recorder.h"

typedef struct ring_reader {
    recording *m;
    uint64_t epoch;
    uint32_t seat;           /* READER_NO_SEAT: needs none */
    bool from_the_beginning; /* nothing was gone when it came in */
    uint64_t ghosts;         /* that it has heard of */
} ring_reader;

enum { READER_NO_SEAT = LOG_READERS };

bool reader_join(ring_reader *r, recording *m, error *e); /* false: as many read it as can */
void reader_leave(ring_reader *r);                        /* its place is kept for one who follows */
bool reader_is_inside(const ring_reader *r);              /* asked after reading: all that was read was whole */
bool reader_come_back(ring_reader *r);                    /* at another one's place; false: not now */
bool reader_is_alone(const ring_reader *r);
void reader_asks_for_patience(ring_reader *r, uint64_t microseconds); /* writers are not wait-free any more */
void reader_hears_of_ghost(ring_reader *r);                           /* before the place behind it is published */

/* Has everybody read this slot up to here? `force`: does without those who have not, if one has, or if none
 * `is_needed`. */
bool readers_passed(recording *m, uint32_t slot, uint64_t place, bool force, bool is_needed);

/* Waits for those who asked for patience, and live. */
void readers_wait(const recording *m, uint32_t slot, uint64_t place);

#endif
