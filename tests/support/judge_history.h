/* The verdict that `plumb check` gives a history or a file, with its evidence checked. Fails the test when there is
 * none. */
#ifndef PLUMB_TESTS_JUDGE_HISTORY_H
#define PLUMB_TESTS_JUDGE_HISTORY_H

#include "evidence/judge.h"

#include <plumbline/plumbline.h>

history *read_file(const char *path);
verdict judge_history(history *h, const char *object_name);

/* The same through the front door. `criterion` NULL: the object's own. */
plumb_verdict check_and_free(plumb_history *h, const char *object_name, const char *criterion);

#endif
