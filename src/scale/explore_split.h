/* One test program, explored by many workers: round by round what is left of it is cut into pieces, each a question
 * to a worker, and put together again (explore/strategy/pieces.h). Pieces are so many executions, more in every
 * round: so what is a piece does not depend on who explores it, or how fast. */
#ifndef PLUMB_SCALE_EXPLORE_SPLIT_H
#define PLUMB_SCALE_EXPLORE_SPLIT_H

#include "explore/outside/session.h"

enum { SPLIT_PIECES_LEAST = 16, SPLIT_PIECES_MOST = 4096 };

typedef struct split_ways {
    void *context;
    bool (*ask)(void *context, const run_request *r, run_answer *out, error *e);
    /* At once. False: no answer is kept. */
    bool (*ask_all)(void *context, const run_request *r, unsigned n, run_answer *out, error *e);
    bool (*is_over)(void *context);
    unsigned pieces; /* of a round, at most */
} split_ways;

/* Strategies that share their work, of a program that has the time of the whole hunt (jobs > 1). */
bool may_be_split(const run_request *r);
bool run_split(const split_ways *w, const run_request *r, run_answer *out, error *e);

#endif
