/* Phase 1 of testing without a specification: a test program's operations run one at a time, in every order that its
 * threads allow; what they return then is what they may return. The code is the one under test, or another one with the
 * same operations.
 *
 * The runs are kept in a file (object/serial_object.h) beside the schedules and are not made again as long as the
 * compiled program and what the machine was told are the same. */
#ifndef PLUMB_EXPLORE_OUTSIDE_SERIAL_PHASE_H
#define PLUMB_EXPLORE_OUTSIDE_SERIAL_PHASE_H

#include "explore/outside/session.h"
#include "object/object.h"

typedef struct serial_phase serial_phase; /* several threads may use it */

typedef struct serial_phase_options {
    const char *path;   /* of the file */
    const char *binary; /* whose runs they are */
    char *const *argv;
    run_request how;       /* reuse of memory, steps */
    const object *same_as; /* every run must be one of this object, too; NULL: of none */
} serial_phase_options;

serial_phase *serial_phase_open(const serial_phase_options *o, error *e);
void serial_phase_close(serial_phase *s);

typedef struct serial_count {
    uint64_t orders;   /* of the operations, by whom they are called */
    uint64_t runs;     /* different ones: who calls does not matter */
    uint64_t given_up; /* orders in which an operation waits for another thread */
    uint32_t states;   /* of the automaton */
    bool kept;         /* from an earlier time */
} serial_count;

typedef enum serial_outcome {
    SERIAL_MADE,
    SERIAL_FAILED,  /* the code fails even so: the answer says how */
    SERIAL_STOPPED, /* out of time */
    SERIAL_ERROR,
} serial_outcome;

/* The runs of one program; `threads` NULL: of main. */
serial_outcome serial_phase_make(serial_phase *s, const char *threads, double seconds, serial_count *out,
                                 run_answer *failed, error *e);
/* How object_open finds them: "queue.serial:enq(1) | deq". */
void serial_phase_name(const serial_phase *s, const char *threads, text *out);
/* of all programs so far; kept: all were */
void serial_phase_total(serial_phase *s, serial_count *out, uint64_t *programs);

#endif
