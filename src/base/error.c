#include "base/error.h"

#include "base/printable.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

bool error_set(error *e, int code, const char *format, ...) {
    if (e->code) return false;
    assert(code > 0 && code < 256); /* it becomes an exit status, and 0 would mean that nothing is wrong */
    e->code = code;
    va_list args;
    va_start(args, format);
    char raw[sizeof e->what];
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    copy_printable(e->what, sizeof e->what, raw); /* names and values may hold anything: an error stays one line */
    return false;
}
