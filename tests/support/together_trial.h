/* Small random histories of objects whose operations take effect together, about half of them spoilt. */
#ifndef PLUMB_TESTS_TOGETHER_TRIAL_H
#define PLUMB_TESTS_TOGETHER_TRIAL_H

#include "base/random.h"
#include "support/make_history.h"

extern const char *const together_objects[]; /* NULL behind the last */

/* A run of the object under the criterion, of at most so many operations; then, with some probability, one to three
 * changes of results or of the order of events. */
bound together_history(random_source *r, const char *object_name, criterion_kind kind, uint32_t operations);

/* The same object under another criterion, sharing everything. */
object together_under(const bound *b, criterion_kind kind);

/* A return and the call behind it change places: less happens before. False: there are none. */
bool weaken_order(random_source *r, history *h);

#endif
