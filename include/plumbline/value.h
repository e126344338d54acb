/* Values as the front door sees them: an integer, a byte string, a small tuple, or one of a few constants. */
#ifndef PLUMBLINE_VALUE_H
#define PLUMBLINE_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum plumb_kind {
    PLUMB_NONE,    /* no value: a void result, an absent key, nil */
    PLUMB_INT,     /* integer */
    PLUMB_BYTES,   /* data, size */
    PLUMB_TUPLE,   /* item, size */
    PLUMB_EMPTY,   /* a remove that found nothing */
    PLUMB_FULL,    /* an add to a full container */
    PLUMB_FALSE,
    PLUMB_TRUE,
    PLUMB_UNKNOWN  /* the result of a pending operation */
} plumb_kind;

typedef struct plumb_value {
    plumb_kind kind;
    size_t size;
    int64_t integer;
    const void *data;               /* bytes: not owned, copied by whoever keeps them */
    const struct plumb_value *item; /* of a tuple: the same */
} plumb_value;

static inline plumb_value plumb_constant(plumb_kind kind) {
    plumb_value v = {kind, 0, 0, NULL, NULL};
    return v;
}
static inline plumb_value plumb_none(void) { return plumb_constant(PLUMB_NONE); }
static inline plumb_value plumb_empty(void) { return plumb_constant(PLUMB_EMPTY); }
static inline plumb_value plumb_bool(int truth) { return plumb_constant(truth ? PLUMB_TRUE : PLUMB_FALSE); }
static inline plumb_value plumb_int(int64_t integer) {
    plumb_value v = {PLUMB_INT, 0, integer, NULL, NULL};
    return v;
}
static inline plumb_value plumb_bytes(const void *data, size_t size) {
    plumb_value v = {PLUMB_BYTES, size, 0, data, NULL};
    return v;
}
static inline plumb_value plumb_string(const char *string) { return plumb_bytes(string, strlen(string)); }
static inline plumb_value plumb_tuple(const plumb_value *item, size_t size) {
    plumb_value v = {PLUMB_TUPLE, size, 0, NULL, item};
    return v;
}

#ifdef __cplusplus
}
#endif
#endif
