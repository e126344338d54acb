#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

bool error_set(error *e, int code, const char *format, ...) {
    if (e->code) return false;
    assert(code > 0 && code < 256); /* it becomes an exit status, and 0 would mean that nothing is wrong */
    e->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(e->what, sizeof e->what, format, args);
    va_end(args);
    for (char *p = e->what; *p; p++) /* names and values from a file may hold anything: an error stays one line */
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = '?';
    return false;
}
