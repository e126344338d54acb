/* Containers whose state is the line of their elements, left to right: queue, stack, deque. With a capacity, an add
 * to a full one returns `full`. */
#ifndef PLUMB_OBJECT_LINE_H
#define PLUMB_OBJECT_LINE_H

#include "object/object.h"

#include <assert.h>

enum { LINE_CAPACITY }; /* the parameter's number */
#define LINE_PARAMETER \
    { \
        [LINE_CAPACITY] = { "capacity", 0, 0, 1 << 30, "values it can hold; 0: no limit" } \
    }

static inline bool line_is_full(const object *o, const state *s) {
    int64_t capacity = o->parameter[LINE_CAPACITY];
    assert(!capacity || s->n <= capacity);
    return capacity && s->n >= capacity;
}

void line_init(const object *o, state *s);
bool line_changes_nothing(const object *o, const operation *op); /* it found nothing, or no room */
/* Why an operation cannot come next: an add, because of how many there are; a removal that finds `at` the end it takes
 * from ("the head of the queue"), because of what is there. `word`: the place of that element. */
void line_why_not_add(const object *o, const state *s, text *out);
void line_why_not_remove(const object *o, const state *s, const char *at, uint32_t word, text *out);

#endif
