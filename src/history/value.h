/* Values: numbers, byte strings, tuples, sets, maps, and a few constants.
 *
 * A value is a 32-bit handle. Integers of up to 31 bits are the handle itself; everything larger is kept once in a
 * table (`values`) that belongs to the history. So equality of values is equality of handles, an operation needs
 * four bytes per argument, and an object's state is an array of handles.
 *
 * The table may be added to by several threads at once (a step may have to build a new string); reading needs no
 * lock. */
#ifndef PLUMB_HISTORY_VALUE_H
#define PLUMB_HISTORY_VALUE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t value;

#define VALUE_SPECIAL 0x80000000u
#define VALUE_NONE (VALUE_SPECIAL + 0)    /* no value: a void result, an absent key, nil, null */
#define VALUE_EMPTY (VALUE_SPECIAL + 1)   /* a remove that found nothing */
#define VALUE_FULL (VALUE_SPECIAL + 2)    /* an add to a full container */
#define VALUE_UNKNOWN (VALUE_SPECIAL + 3) /* the result of a pending operation */
#define VALUE_FALSE (VALUE_SPECIAL + 4)
#define VALUE_TRUE (VALUE_SPECIAL + 5)
#define VALUE_INTERNED (VALUE_SPECIAL + 16) /* from here on: in the table */

typedef enum value_kind {
    KIND_NONE,
    KIND_EMPTY,
    KIND_FULL,
    KIND_UNKNOWN,
    KIND_BOOL,
    KIND_INT,
    KIND_BYTES,
    KIND_TUPLE,
    KIND_NUMBER, /* a decimal that is no integer of 64 bits (history/decimal.h) */
    KIND_SET,
    KIND_MAP
} value_kind;

typedef struct values values;

values *values_new(void);
void values_free(values *t);
/* The same values under the same handles. Nothing may be added meanwhile. */
values *values_copy(const values *from);

value value_big_int(values *t, int64_t i);
value value_bytes(values *t, const void *p, size_t n);
value value_tuple(values *t, const value *item, size_t n);
/* A number as decimal_read takes it: 1, 1.0 and 1e0 are one value. False: this is none. */
bool value_number(values *t, const char *p, size_t n, value *out);
/* Items in any order, with repetitions. Of a map: keys and values in turn, n of both; of equal keys the last counts. */
value value_set_of(values *t, const value *item, size_t n);
value value_map_of(values *t, const value *item, size_t n);
value value_list_of(values *t, value_kind kind, const value *item, size_t n); /* a tuple, a set or a map */
value value_copy(values *to, const values *from, value v);

#define VALUE_INT_LIMIT (INT64_C(1) << 30)

static inline bool value_is_small_int(value v) { return v < VALUE_SPECIAL; }
static inline value value_int(values *t, int64_t i) {
    if (i >= -VALUE_INT_LIMIT && i < VALUE_INT_LIMIT) return (value)(i + VALUE_INT_LIMIT);
    return value_big_int(t, i);
}
static inline value value_bool(bool b) { return b ? VALUE_TRUE : VALUE_FALSE; }

value_kind value_kind_of(const values *t, value v);
int64_t value_as_int(const values *t, value v);                   /* of a KIND_INT */
const char *value_as_bytes(const values *t, value v, size_t *n);  /* of a KIND_BYTES; NUL-terminated */
const char *value_as_number(const values *t, value v, size_t *n); /* of a KIND_NUMBER: as decimal_print has it */
/* Tuples, sets and maps in each other: 0 for what is none of them. Readers take and make values at most so deep that
 * all can be written and read again. */
enum { VALUE_MOST_DEEP = 100 };
unsigned value_depth(const values *t, value v);
const value *value_as_tuple(const values *t, value v, size_t *n); /* of a KIND_TUPLE */
/* Of a tuple, a set (ascending) or a map (keys and values in turn, by ascending key); n = 0, NULL of all others. */
const value *value_list(const values *t, value v, size_t *n);

/* A total order: by kind, then numbers by size, bytes, tuples, sets and maps lexicographically. */
int value_compare(const values *t, value a, value b);

void value_print(const values *t, value v, text *out); /* as people read it: 7, "x", [1 2], empty, none */
/* [a b c] of a tuple, with this between the items and each of them as `print` has it. */
void value_print_tuple(const values *t, value v, const char *between,
                       void (*print)(const values *t, value v, text *out), text *out);
size_t values_memory(const values *t);
bool values_extended(const values *t);  /* numbers, sets or maps are in the table: older formats do not know them */
uint32_t values_count(const values *t); /* in the table: VALUE_INTERNED and so many more, in the order they came */

#endif
