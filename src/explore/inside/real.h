/* The function behind one that we intercept, and any symbol by its name; as numbers, since C keeps functions and data
 * apart. */
#ifndef PLUMB_EXPLORE_INSIDE_REAL_H
#define PLUMB_EXPLORE_INSIDE_REAL_H

#include <stdint.h>

uintptr_t real_function(const char *name);
uintptr_t symbol_address(const char *name);
#define REAL(name) ((__typeof__(&name))real_function(#name))

#endif
