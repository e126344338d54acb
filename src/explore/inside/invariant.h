/* INVARIANT: what must hold if the inside of the explorer is right, whatever the program under test does. libc's assert
 * would not do: the machine intercepts __assert_fail, and takes it for one of the program under test. One that does not
 * hold ends the process with one line and the code of an internal failure. */
#ifndef PLUMB_EXPLORE_INSIDE_INVARIANT_H
#define PLUMB_EXPLORE_INSIDE_INVARIANT_H

#include "explore/inside/attributes.h"

_Noreturn HIDDEN void invariant_broken(const char *condition, const char *file, int line)
    __attribute__((cold, noinline));

#ifdef NDEBUG
#define INVARIANT(condition) ((void)sizeof(!!(condition))) /* not evaluated */
#else
#define INVARIANT(condition) \
    (__builtin_expect(!!(condition), 1) ? (void)0 : invariant_broken(#condition, __FILE__, __LINE__))
#endif

#endif
