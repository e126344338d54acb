/* One error, one line: what went wrong, where, what would be right, and the exit code it means. */
#ifndef PLUMB_BASE_ERROR_H
#define PLUMB_BASE_ERROR_H

#include "base/text.h"

#include <stdbool.h>

/* the command line's contract */
enum {
    EXIT_LINEARIZABLE = 0,
    EXIT_VIOLATION = 1,
    EXIT_UNDECIDED = 2,
    EXIT_USAGE = 64,
    EXIT_BAD_INPUT = 65,
    EXIT_CANNOT_OPEN = 66,
    EXIT_INTERNAL = 70,
    EXIT_INTERRUPTED = 130,
};

typedef struct error {
    int code; /* 0: no error */
    char what[480];
} error;

/* Records the first error only and returns false, so that `return error_set(...)` reads well. */
bool error_set(error *e, int code, const char *format, ...) TEXT_FORMAT(3, 4);

#endif
