/* The layout that binary.c describes, in numbers. */
#ifndef PLUMB_FORMAT_BINARY_H
#define PLUMB_FORMAT_BINARY_H

#include "format/format.h"

#define BINARY_MAGIC "PLMB"

enum {
    BINARY_VERSION = 3,       /* the lowest that says all of it is written */
    BINARY_VALUES = 2,        /* from here on: numbers, sets and maps */
    BINARY_HEADING = 3,       /* from here on: what the history says of itself beside its object */
    BINARY_HEADER = 8,        /* magic, version, flags, two zeros */
    BINARY_BLOCK_HEADER = 13, /* kind, raw size, packed size, checksum */
    BINARY_BLOCK_OPERATIONS = 1 << 16,
    BINARY_MAX_BLOCK = 1 << 28, /* bytes, raw and packed: what a reader is ready to hold */
};

enum binary_flag {
    BINARY_ORDER_ONLY = 1,  /* stamps are ranks: the source had none */
    BINARY_OWN_CLIENTS = 2, /* operations have no client column */
};

enum binary_shape { BINARY_NARGS = 3, BINARY_KEYED = 4 }; /* of one operation: number of arguments, has a key */

typedef enum binary_column {
    COLUMN_METHOD,
    COLUMN_SHAPE,
    COLUMN_CLIENT,
    COLUMN_CALL,
    COLUMN_LENGTH,
    COLUMN_KEY,
    COLUMN_ARG,
    COLUMN_RESULT = COLUMN_ARG + HISTORY_MAX_ARGS,
    BINARY_COLUMNS,
} binary_column;

enum binary_value {
    BINARY_INT,
    BINARY_BYTES,
    BINARY_TUPLE,
    BINARY_NUMBER,
    BINARY_SET,
    BINARY_MAP
};                              /* entries of the dictionary */
enum { BINARY_CONSTANTS = 16 }; /* odd value codes below are VALUE_SPECIAL + number, the others dictionary entries */

bool binary_write(const history *h, const object *o, output *out, error *e);

static inline uint64_t binary_zigzag(int64_t i) { return (uint64_t)i << 1 ^ (uint64_t)(i >> 63); }
static inline int64_t binary_unzigzag(uint64_t u) { return (int64_t)(u >> 1 ^ (0 - (u & 1))); }

#endif
