/* What was linked besides our own objects? Foreign code whose atomic instructions nobody sees makes every answer worthless,
 * so it is refused by name; other foreign code is listed as opaque. */
#ifndef PLUMB_EXPLORE_COMPILE_LINT_H
#define PLUMB_EXPLORE_COMPILE_LINT_H

#include "base/text.h"
#include "explore/compile/words.h"

/* From the linker's map: objects, shared libraries, and members of archives as "archive(member)". */
void map_inputs(const char *map, words *inputs);

/* Looks into every input. What is refused goes to `complaints`, what is foreign but without atomics to `opaque`, a line each.
 * `program` and `runtime` are the contents of the program that was linked and of the runtime library. Returns how many were
 * refused. */
unsigned lint_inputs(const words *inputs, const text *program, const text *runtime, text *complaints, text *opaque);

#endif
