#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(error *e, int code, const char *format, ...) {
    if (e->code) return false;
    e->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(e->what, sizeof e->what, format, args);
    va_end(args);
    return false;
}
