/* The priorities of a priority queue's values as numbers. */
#ifndef PLUMB_ENGINE_LINEAR_PRIORITIES_H
#define PLUMB_ENGINE_LINEAR_PRIORITIES_H

#include "engine/linear/inventory.h"

/* By value; greater is better, whichever way the object has it, and equal is equal. To be freed. */
uint32_t *priorities_of(const inventory *c);

#endif
