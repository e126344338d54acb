/* What the program has registered to run at its exit (at_exit.c). */
#ifndef PLUMB_EXPLORE_INSIDE_AT_EXIT_H
#define PLUMB_EXPLORE_INSIDE_AT_EXIT_H

#include "base/hash128.h"

void at_exit_run(void); /* the last registered first; no thread but the first is left */

void exits_hash(hash128 *h);

#endif
