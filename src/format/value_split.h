/* Operation lists write a method's arguments and its result in one row: `contains 3 true`, `enq 3`, `deq 3`. Where the
 * arguments end is known from the object's methods:
 *
 *  - a method without result (enq, write, put): all values are arguments; only full, true or false can be one more;
 *  - a method with a result (deq, read, contains, get): the last value is the result;
 *  - a method whose result may be left out (cas, inc): as many arguments as it can have, one more is the result;
 *  - of a pending operation all values are arguments, a result is ignored.
 *
 * When the file does not name its object, all objects with a method of that name that fits number and kind of the
 * values are asked, and a reading with a result is preferred: `remove 3` returns 3, but `put 3 5` has two arguments, as
 * no object has a put that returns 5. Of a method no object has, all values are arguments. */
#ifndef PLUMB_FORMAT_VALUE_SPLIT_H
#define PLUMB_FORMAT_VALUE_SPLIT_H

#include "object/object.h"

/* What the last value may be the result of. */
typedef enum result_class {
    CLASS_NONE,
    CLASS_FULL,
    CLASS_BOOL,
    CLASS_BIT,
    CLASS_INT,
    CLASS_OTHER,
    RESULT_CLASSES
} result_class;

enum { SPLIT_KNOWN = 8 }; /* values in a row that are looked up; more are rare and computed */

typedef struct value_split {
    const object_type *type; /* NULL: not known */
    const char *name;        /* of the method; must outlive this */
    /* by pending, key apart, class of the last, count; -1: not computed yet */
    signed char args[2][2][RESULT_CLASSES][SPLIT_KNOWN];
} value_split;

void value_split_init(value_split *s, const object_type *type, const char *name);
int value_split_compute(value_split *s, int count, result_class last, bool key_apart, bool pending);

static inline result_class result_class_of(const values *t, value v) {
    if (value_is_small_int(v)) return (v - (value)VALUE_INT_LIMIT) <= 1 ? CLASS_BIT : CLASS_INT;
    switch (v) {
    case VALUE_NONE: return CLASS_NONE;
    case VALUE_FULL: return CLASS_FULL;
    case VALUE_TRUE:
    case VALUE_FALSE: return CLASS_BOOL;
    default: return value_kind_of(t, v) == KIND_INT ? CLASS_INT : CLASS_OTHER;
    }
}

/* How many of `count` values, the last of class `last`, are arguments. `key_apart`: the key stands elsewhere. */
static inline int value_split_args(value_split *s, int count, result_class last, bool key_apart, bool pending) {
    if (count < SPLIT_KNOWN && s->args[pending][key_apart][last][count] >= 0)
        return s->args[pending][key_apart][last][count];
    return value_split_compute(s, count, last, key_apart, pending);
}

#endif
