/* --criterion, --quasi and --measure, which several commands have: what histories are asked to be. */
#ifndef PLUMB_CLI_CRITERION_OPTION_H
#define PLUMB_CLI_CRITERION_OPTION_H

#include "object/criterion.h"

/* `criterion` and `quasi` as given; NULL: not given. What is measured is quasi of some k. */
bool criterion_asked(const char *given, const char *quasi, bool measure, criterion *out, error *e);

#endif
