/* Linking: the runtime in front of everything else, then a look at what was linked, and at the loops of the program. */
#ifndef PLUMB_EXPLORE_COMPILE_LINK_H
#define PLUMB_EXPLORE_COMPILE_LINK_H

#include "explore/compile/arguments.h"
#include "explore/compile/file.h"
#include "explore/compile/places.h"

/* `a->link` has objects in the place of sources by now. The exit code. */
int link_program(const compiler *c, const arguments *a, const scratch_folder *s, error *e);

#endif
