/* Answers of a process under test as lines of talk.h: from it to its session, and from one machine to another. */
#ifndef PLUMB_EXPLORE_OUTSIDE_ANSWER_H
#define PLUMB_EXPLORE_OUTSIDE_ANSWER_H

#include "explore/outside/session.h"

bool is_failure_kind(int64_t k);
void answer_error_take(const talk_line *l, error *e);              /* of a line `error` */
bool run_answer_take(run_answer *a, const talk_line *l, error *e); /* true: the answer is complete */
void run_answer_send(const run_answer *a, text *out);
/* All lines of one, cut up. False: the error is set. To be freed in either case. */
bool run_answer_read(char *lines, run_answer *out, error *e);

#endif
