/* The memory that the constructors of the program left (reset.c), from which every execution starts. */
#ifndef PLUMB_EXPLORE_INSIDE_RESET_H
#define PLUMB_EXPLORE_INSIDE_RESET_H

#include "base/hash128.h"
#include "explore/inside/attributes.h"

bool reset_open(char *wrong, size_t room);
void reset_memory(void);
bool reset_fault(uintptr_t address);      /* a write to a watched page: true when it may be retried */
bool program_variable(uintptr_t address); /* in the writable memory of the executable */
bool program_owns(uintptr_t pc);          /* code of the program under test, not of system libraries */
void reset_each_segment(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size), void *context);

void segments_hash(hash128 *h); /* writable memory of the program */

#endif
