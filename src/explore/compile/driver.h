/* `plumb cc` and `plumb c++`: a compiler whose programs can be explored. Sources go through the compiler to assembly,
 * with the hooks of -fsanitize=thread, are rewritten (rewrite.h), assembled, and linked with the explorer's runtime. */
#ifndef PLUMB_EXPLORE_COMPILE_DRIVER_H
#define PLUMB_EXPLORE_COMPILE_DRIVER_H

#include "base/error.h"

#include <stddef.h>

/* Arguments as a compiler takes them, without its name. The exit code; messages are on standard error. */
int driver_run(bool cxx, char **argv, size_t argc);

typedef struct test_sources {
    const char *const *files; /* .c, .cc, .s, .o, .a, ...; ended by NULL */
    const char *const *flags; /* further arguments of the compiler; ended by NULL; may be NULL */
    bool no_optimisation;     /* default is -O2 */
} test_sources;

/* Compiles and links a test with the headers of Plumbline in reach. The compiler's own messages go to standard
 * error. */
bool compile_test(const test_sources *t, const char *program, error *e);

#endif
