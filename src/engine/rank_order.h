/* Sorting by ranks: keys are event ranks (dense, below 2^32), so radix passes over the bits that occur do it in linear
 * time. */
#ifndef PLUMB_ENGINE_RANK_ORDER_H
#define PLUMB_ENGINE_RANK_ORDER_H

#include <stdint.h>

typedef struct ranked {
    uint32_t rank, item;
} ranked;

/* Stable. `other` has room for n as well; the sorted array is the one returned. */
ranked *rank_order(ranked *a, ranked *other, uint32_t n);

#endif
