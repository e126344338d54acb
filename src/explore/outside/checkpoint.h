/* What a hunt has explored and what it has left, kept in a file: a hunt that names it again goes on from there.
 *
 * For each test program: what was proved, and units of work that are left (explore/strategy/share.h). The file is of
 * one program and one set of options; it says which. */
#ifndef PLUMB_EXPLORE_OUTSIDE_CHECKPOINT_H
#define PLUMB_EXPLORE_OUTSIDE_CHECKPOINT_H

#include "explore/outside/session.h"

typedef struct checkpoint checkpoint;

typedef struct kept_program {
    char *threads;          /* NULL: main */
    bool done;              /* nothing is left */
    bool counted;           /* its executions of earlier runs are counted in this one */
    unsigned turns;         /* that it had, in all runs */
    campaign_result so_far; /* of all turns */
    char *work;             /* what is left; NULL: it begins */
    char *notes;            /* lines; may be NULL */
} kept_program;

/* Reads the file if there is one. NULL: it is of another program or other options, or not such a file (65). */
checkpoint *checkpoint_open(const char *path, const char *binary, char *const *argv, const run_request *how, error *e);
void checkpoint_close(checkpoint *c);
/* It stays where it is until the next call. */
kept_program *checkpoint_program(checkpoint *c, const char *threads);
/* The program had a turn: takes over the work of the answer. */
void checkpoint_turn(checkpoint *c, const char *threads, run_answer *a);
bool checkpoint_write(checkpoint *c, error *e);
uint64_t checkpoint_executions(const checkpoint *c); /* of earlier runs */
const char *checkpoint_path(const checkpoint *c);

#endif
