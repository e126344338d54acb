/* Which operations wait for another thread (progress.c); running and asking are declared in machine.h. */
#ifndef PLUMB_EXPLORE_INSIDE_PROGRESS_H
#define PLUMB_EXPLORE_INSIDE_PROGRESS_H

#include <stdbool.h>

bool progress_wanted(void);

#endif
