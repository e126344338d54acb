/* Pending writes whose values nothing observes may still have mattered: a compare-and-set fails while another value
 * than the one it expects is held. Right before an update that expects nothing, or at the end, such a write can stand
 * without being in the way of any other operation. */
#ifndef PLUMB_ENGINE_LINEAR_SPARE_UPDATES_H
#define PLUMB_ENGINE_LINEAR_SPARE_UPDATES_H

#include "engine/linear/placement.h"

typedef struct spare_update {
    uint32_t position; /* ascending: by their calls */
    value v;
} spare_update;

typedef struct spare_request {
    const problem *p;
    const bool *begins; /* by place: what stands there is an update that expects nothing */
    const loose_observer *x;
    uint32_t looses;
    const uint32_t *place; /* PLACE_NONE: of those that have none */
    const place_room *room;
    const spare_update *spare;
    uint32_t spares;
} spare_request;

/* The order with as few of them as give each compare-and-set without a place one that its value allows. False: there is
 * none like that, or an observer without a place is a read. */
bool spare_updates_insert(const spare_request *q, const value_order *o, value_order *with);

#endif
