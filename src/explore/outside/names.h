/* Addresses by the names people gave: `q.head`, `node#2.next`, `slots[3].value`.
 *
 * A heap block has no type of its own. It gets one from the pointers to it: from global variables through the members
 * of blocks whose type is known already, as memory was before the first step and as the steps changed it. Blocks of a
 * type are numbered in the order in which they were allocated. Thread 2's own copy of a thread-local variable is
 * `slot@2`, something on its stack `stack@2-96`; memory of a library has the name of its variable, or the library's and
 * an offset. */
#ifndef PLUMB_EXPLORE_OUTSIDE_NAMES_H
#define PLUMB_EXPLORE_OUTSIDE_NAMES_H

#include "explore/outside/debug_info.h"
#include "explore/model/execution.h"

typedef struct names names;
names *names_new(debug_info *d, const execution *x); /* d may be NULL */
void names_free(names *n);
/* The name of what lies at an address at the time of a step; false: only the raw address could be given. */
bool name_address(const names *n, uintptr_t address, uint32_t at_step, text *out);
/* Of a lock or a condition: as name_address, without what a library keeps inside ("m", not
 * "m._M_mutex.__data.__lock"). */
void name_object(const names *n, uintptr_t address, uint32_t at_step, text *out);
/* A value that was read or written there: a block's name when it is a pointer to one, else a number. */
void name_value(const names *n, uint64_t v, unsigned size, uint32_t at_step, text *out);

#endif
