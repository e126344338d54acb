/* The verdict that `plumb check` gives a history or a file, with its evidence checked. Fails the test when there is none. */
#ifndef PLUMB_TESTS_JUDGE_HISTORY_H
#define PLUMB_TESTS_JUDGE_HISTORY_H

#include "evidence/judge.h"

history *read_file(const char *path);
verdict judge_history(history *h, const char *object_name);

#endif
