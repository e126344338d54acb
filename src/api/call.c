/* What all functions of the front door have in common: a body that may run out of memory, values that may be none. */
#include "api/api.h"

#include <assert.h>
#include <stdio.h>

enum { DEEPEST_VALUE = 1000 }; /* tuples inside each other; ones that contain themselves are deeper */

bool api_run(mem_pool *pool, error *e, const char *call, void (*body)(void *argument), void *argument) {
    if (pool_run(pool, body, argument)) return true;
    return error_set(e, EXIT_INTERNAL, "out of memory in %s", call);
}

static bool is_value(const plumb_value *v, unsigned depth) {
    if (depth == DEEPEST_VALUE) return false;
    switch (v->kind) {
    case PLUMB_NONE:
    case PLUMB_EMPTY:
    case PLUMB_FULL:
    case PLUMB_UNKNOWN:
    case PLUMB_BOOL:
    case PLUMB_INT: return true;
    case PLUMB_BYTES:
    case PLUMB_NUMBER: return v->as.bytes || !v->size;
    case PLUMB_TUPLE:
    case PLUMB_SET:
    case PLUMB_MAP:
        if (v->size && !v->as.item) return false;
        for (uint32_t i = 0; i < v->size; i++)
            if (!is_value(&v->as.item[i], depth + 1)) return false;
        return v->kind != PLUMB_MAP || v->size % 2 == 0;
    default: return false;
    }
}

bool api_value_is_right(const char *call, const plumb_value *v, error *e) {
    return is_value(v, 0) || call_misuse(e, "%s: a value of kind %u that is none; expected one of plumbline/value.h",
                                         call, (unsigned)v->kind);
}

bool api_call_is_right(const char *call, const char *name, const plumb_value *arg, size_t args, error *e) {
    if (!name) return call_misuse(e, "%s: the method is NULL; expected its name", call);
    if (args && !arg) return call_misuse(e, "%s: %zu arguments at NULL; expected where they are", call, args);
    for (size_t i = 0; i < args; i++)
        if (!api_value_is_right(call, &arg[i], e)) return false;
    return true;
}

bool api_refused(const char *call, error *e) {
    error why = *e;
    assert(why.code == EXIT_BAD_INPUT);
    *e = (error){0};
    return call_misuse(e, "%s: %s", call, why.what);
}
