/* Readers of a recording. One that is kept whole may have any number. In a ring a chunk is used again when all readers
 * have passed it, so each reader has a seat in the header: a thread of the program, or another program.
 *
 * Inside (its epoch is odd): chunks that the reader has not read are kept, whether its process lives or not. Once a
 * reader has been inside,
 * at least one is inside from then on, from whose place another one can continue. A writer that has no room
 * left expels readers that are behind, dead or slow, as long as one has passed: it ends their epochs, then writes. A
 * reader looks at its epoch after reading, discards what it has read when the epoch has ended, and enters again at the
 * place of another reader. When no reader has passed, none is expelled: the writer stops recording. */
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

/* Have all readers read this slot up to here? `force`: expels those that have not, if one has, or if none
 * `is_needed`. */
bool readers_passed(recording *m, uint32_t slot, uint64_t place, bool force, bool is_needed);

/* Waits for those who asked for patience, and live. */
void readers_wait(const recording *m, uint32_t slot, uint64_t place);

#endif
