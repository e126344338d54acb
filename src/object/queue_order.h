/* In which order a FIFO queue's enqueues are worth trying: see object_type.urgency. */
#ifndef PLUMB_OBJECT_QUEUE_ORDER_H
#define PLUMB_OBJECT_QUEUE_ORDER_H

#include "object/object.h"

void queue_order(const object *o, const history *h, const uint32_t *op, uint32_t n, uint64_t *key);

#endif
