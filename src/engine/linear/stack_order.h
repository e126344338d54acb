/* The order in which a stack's operations take effect, as the stack engine finds it.
 *
 * Of most values the push takes effect right before it returns and the pop as soon as it is called. So the events are
 * the order already, read with ADD_RETURN as "pushed now" and REMOVE_CALL as "popped now", and only exceptions are
 * written down: events that mean nothing, values that go in and out at once, and values that move to the places of
 * others. */
#ifndef PLUMB_ENGINE_LINEAR_STACK_ORDER_H
#define PLUMB_ENGINE_LINEAR_STACK_ORDER_H

#include "engine/linear/inventory.h"

typedef struct moved { /* a value that does not go in and out at events of its own */
    uint32_t value;
    uint32_t before, after; /* events: pushed right before the one, popped right after the other; NO_INDEX: never */
} moved;

typedef struct crowd { /* an event at which values that moved go in or out */
    uint32_t own;      /* what the event means otherwise */
    uint32_t first;    /* of those that go in and out here: number of the move * 2, + 1: it goes out */
} crowd;

typedef struct stack_order {
    const inventory *c;
    uint32_t *slot; /* by event; may be the inventory's events themselves: those that were passed are not needed */
    /* by value: the next in the crowd where it goes in, and out; owned by the caller */
    uint32_t *next_push, *next_pop;
    moved *moved;
    uint32_t moves, move_room;
    crowd *crowd;
    uint32_t crowds, crowd_room;
    empty_cut *cut; /* by gap; room for all empties */
    uint32_t cuts;
} stack_order;

/* Starts again; slots are filled with the events from `from` to `to`-1 before these are looked at. */
static inline void stack_order_clear(stack_order *o) { o->moves = o->crowds = o->cuts = 0; }
void stack_order_fill(stack_order *o, uint32_t from, uint32_t to);
void stack_order_free(stack_order *o);

/* Event r means nothing after all; or that v goes in and out at once. */
static inline void stack_order_nothing(stack_order *o, uint32_t r) { o->slot[r] = event_of(0, ADD_CALL); }
static inline void stack_order_at_once(stack_order *o, uint32_t r, uint32_t v) {
    o->slot[r] = event_of(v, ADD_CALL_LATE);
}

void stack_order_move(stack_order *o, uint32_t v, uint32_t before, uint32_t after);

/* Positions in this order, written over the slots that were read: never more operations than calls. Returns how
 * many. */
uint32_t stack_order_write(stack_order *o);

#endif
