/* One execution in every detail, for reports and debuggers: detail.c, and debugger.c. */
#ifndef PLUMB_EXPLORE_INSIDE_DETAIL_H
#define PLUMB_EXPLORE_INSIDE_DETAIL_H

#include "explore/inside/attributes.h"

extern bool detail_is_wanted HIDDEN; /* detail.c */

static inline bool detail_wanted(void) { return detail_is_wanted; }
void detail_block(uintptr_t address, size_t bytes, uintptr_t pc);
void detail_freed(uintptr_t address);
void plumb_explore_step(uint32_t number, unsigned thread); /* debugger.c */

#endif
