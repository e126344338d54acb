/* Values as the front door sees them: a number, a boolean, a byte string, a tuple, a set, a map, or one of a few
 * constants. A recorder (plumbline/record.h) takes integers, booleans, byte strings and tuples only. */
#ifndef PLUMBLINE_VALUE_H
#define PLUMBLINE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum plumb_kind {
    PLUMB_NONE,    /* no value: nothing was returned, nil, null */
    PLUMB_EMPTY,   /* a remove found nothing */
    PLUMB_FULL,    /* an add found no room */
    PLUMB_UNKNOWN, /* the result of an operation that never returned */
    PLUMB_BOOL,
    PLUMB_INT,
    PLUMB_BYTES,
    PLUMB_TUPLE,
    PLUMB_NEVER,  /* only as the result of apply: the operation cannot happen in this state (unlock of a free lock) */
    PLUMB_NUMBER, /* a number that is no integer of 64 bits, in decimal: "9.5", "18446744073709551616", "1e+300" */
    PLUMB_SET,    /* items in one order, each once */
    PLUMB_MAP     /* keys and values in turn, `size` of both, in one order of the keys */
};

/* Values handed to you live as long as the history, and equal ones have equal pointers, so a plumb_value may be kept in
 * a state and compared by its bytes. Values that you return are copied at once. */
typedef struct plumb_value {
    uint32_t kind;
    uint32_t size; /* of bytes, numbers, tuples, sets and maps; else 0 */
    union {
        int64_t integer; /* PLUMB_INT; PLUMB_BOOL: 0 or 1 */
        const char *bytes;
        const struct plumb_value *item;
    } as;
} plumb_value;

static inline plumb_value plumb_constant(uint32_t kind) {
    plumb_value v;
    v.kind = kind;
    v.size = 0;
    v.as.integer = 0;
    return v;
}
static inline plumb_value plumb_int(int64_t i) {
    plumb_value v = plumb_constant(PLUMB_INT);
    v.as.integer = i;
    return v;
}
static inline plumb_value plumb_bool(bool b) {
    plumb_value v = plumb_constant(PLUMB_BOOL);
    v.as.integer = b;
    return v;
}
static inline plumb_value plumb_bytes(const char *p, uint32_t size) {
    plumb_value v = plumb_constant(PLUMB_BYTES);
    v.size = size;
    v.as.bytes = p;
    return v;
}
static inline plumb_value plumb_tuple(const plumb_value *item, uint32_t size) {
    plumb_value v = plumb_constant(PLUMB_TUPLE);
    v.size = size;
    v.as.item = item;
    return v;
}
static inline plumb_value plumb_none(void) { return plumb_constant(PLUMB_NONE); }
static inline plumb_value plumb_empty(void) { return plumb_constant(PLUMB_EMPTY); }
static inline plumb_value plumb_full(void) { return plumb_constant(PLUMB_FULL); }
static inline plumb_value plumb_never(void) { return plumb_constant(PLUMB_NEVER); }

#ifdef __cplusplus
}
#endif
#endif
