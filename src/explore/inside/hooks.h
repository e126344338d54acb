/* What most interceptors need: the fibers, steps, shared memory, races, spinning and failures. */
#ifndef PLUMB_EXPLORE_INSIDE_HOOKS_H
#define PLUMB_EXPLORE_INSIDE_HOOKS_H

#include "explore/inside/failures.h"
#include "explore/inside/heap.h"
#include "explore/inside/races.h"
#include "explore/inside/real.h"
#include "explore/inside/shared.h"
#include "explore/inside/spin.h"
#include "explore/inside/steps.h"

#define INSIDE (mode_now() != OUTSIDE) /* the caller is code under test */

#endif
