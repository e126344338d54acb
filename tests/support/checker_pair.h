/* A fast checker and the monitor of the house, fed with the same random history of different values, event by event. */
#ifndef PLUMB_TESTS_CHECKER_PAIR_H
#define PLUMB_TESTS_CHECKER_PAIR_H

#include "runtime/checker.h"
#include "support/feed.h"
#include "support/random_history.h"

enum { PAIR_CLIENTS = 64 };

typedef struct checker_pair {
    bound b;
    feed f;
    checker *fast, *slow; /* fast: the caller's to make */
    sketched op[PAIR_CLIENTS];
} checker_pair;

/* False: the history has a value twice, and is gone. `slow` judges at every event. */
bool checker_pair_open(checker_pair *p, random_source *r, const char *object_name, const random_shape *shape);
void checker_pair_close(checker_pair *p);
void checker_pair_give(checker_pair *p, uint32_t rank, unsigned how); /* to both; how: enum log_outcome, of a return */
/* Operations whose calls and returns follow each other from this event on: to the fast one as a whole, those that it
 * wants. Returns the number of events that were given; 0: there is no such operation. */
uint32_t checker_pair_give_whole(checker_pair *p, uint32_t rank);
bool checker_pair_check_evidence(checker *c); /* if there is some, it is a violation by itself; false: there is none */

#endif
