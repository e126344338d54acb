/* Making a relaxed object from a container with an order. Its elements stand in a line; removals take them from one end
 * of it, or, of priority queues, from the end where the best are. "Ahead" of an element is what stands nearer to that
 * end, except elements that are as good (docs/CRITERIA.md). */
#ifndef PLUMB_OBJECT_RELAX_H
#define PLUMB_OBJECT_RELAX_H

#include "object/object.h"

/* Each changes a copy of the object's type. */
void relax_overtaking(object_type *t);
void relax_out_of_order(object_type *t);
void relax_displacement(object_type *t);
void relax_stale(object_type *t);
void relax_producer_fifo(object_type *t);
/* Of any object: results come early or late, within criterion.of_method. */
void relax_results(object *o, object_type *t);
/* Frees what object_relax made, which is not to be used any more. */
void relax_free(object *o);

/* Of quasi objects: how many elements are ahead of what this removal is about to take, and how often that was
 * overtaken; false: it takes nothing, or may not. Then, of the i-th element inside; false: there are not so many. */
bool overtaking_look(const object *o, const state *s, const operation *op, uint32_t *ahead, uint32_t *overtaken);
bool overtaking_inside(const state *s, uint32_t i, uint32_t *overtaken);

/* The end at which the method takes elements out, or puts them in; priority queues: the best are at the right. */
static inline bool relax_at_right(const object *o, unsigned m) {
    return !o->type->ends || o->type->ends[m] == END_RIGHT;
}

/* Of two neighbours in the line: is the one nearer to the end strictly ahead of the other? */
static inline bool relax_strictly_ahead(const object *o, value nearer, value other) {
    return !o->type->better || o->type->oldest_among_equals || o->type->better(o, nearer, other) > 0;
}

/* Where a new element goes in a line of `n` elements that take `width` words each, from word `first` on: the word. */
uint32_t relax_place(const object *o, const state *s, uint32_t first, uint32_t width, const operation *op);

/* Is it full? Of objects with a capacity. */
bool relax_is_full(const object *o, uint32_t elements);

#endif
