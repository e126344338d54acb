/* A history as events again, for formats whose file order is the clock: calls and returns by rank, and for each
 * operation a number that can stand for its client.
 *
 * Event formats allow a client one open call, and none after a pending one. So a client gets another number whenever it
 * calls while the last call under its number is still open: after a pending operation, and where the stamps of a return
 * and the same client's next call are equal (the call then has the lower rank). */
#ifndef PLUMB_FORMAT_EVENT_ORDER_H
#define PLUMB_FORMAT_EVENT_ORDER_H

#include "history/history.h"

#define EVENT_NONE UINT32_MAX

typedef struct event_order {
    uint32_t *event; /* by rank: 2 * operation, + 1 for its return; EVENT_NONE: the rank's event was left out */
    uint32_t events;
    int64_t *client; /* by operation; a client whose name is an integer keeps it if no other has it */
} event_order;

event_order *event_order_new(const history *h);
void event_order_free(event_order *o);

/* Distinct numbers for the clients, by client index: their names where these are integers that no client before has. */
int64_t *client_numbers(const history *h);

static inline uint32_t event_operation(uint32_t event) { return event >> 1; }
static inline bool event_is_return(uint32_t event) { return event & 1; }

#endif
