/* Operation lists write a method's arguments and its result in one row: `contains 3 true`, `enq 3`, `deq 3`. Where the
 * arguments end is known from the object's methods:
 *
 *  - a method without result (enq, write, put): all values are arguments; one more is its result (`enq 3 full`);
 *  - a method with a result (deq, read, contains, get): the last value is the result;
 *  - a method whose result may be left out (cas, inc): as many arguments as it can have, one more is the result;
 *  - of a pending operation all values are arguments, a result is ignored.
 *
 * When the file does not name its object, all objects with a method of that name that fits the number of values are
 * asked, and a reading with a result is preferred: `remove 3` returns 3. Of a method nobody knows, all values are arguments. */
#ifndef PLUMB_FORMAT_VALUE_SPLIT_H
#define PLUMB_FORMAT_VALUE_SPLIT_H

#include "object/object.h"

enum { SPLIT_KNOWN = 8 }; /* values in a row that are looked up; more are rare and computed */

typedef struct value_split {
    const object_type *type; /* NULL: not known */
    const char *name;        /* of the method; must outlive this */
    signed char args[2][2][SPLIT_KNOWN]; /* by pending, key apart, number of values; -1: not computed yet */
} value_split;

void value_split_init(value_split *s, const object_type *type, const char *name);
int value_split_compute(value_split *s, int count, bool key_apart, bool pending);

/* How many of the values are arguments. `key_apart`: the key stands elsewhere, not among the values. */
static inline int value_split_args(value_split *s, int count, bool key_apart, bool pending) {
    if (count < SPLIT_KNOWN && s->args[pending][key_apart][count] >= 0) return s->args[pending][key_apart][count];
    return value_split_compute(s, count, key_apart, pending);
}

#endif
