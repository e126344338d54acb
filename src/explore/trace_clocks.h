/* The happens-before order of the steps of one execution: what all interleavings of its trace have in common. */
#ifndef PLUMB_EXPLORE_TRACE_CLOCKS_H
#define PLUMB_EXPLORE_TRACE_CLOCKS_H

#include "explore/step.h"

typedef struct trace_clocks { /* vector clocks of the executed steps: program order, create/join, dependence */
    const uint8_t *thread;                 /* of each step */
    const uint16_t (*clock)[THREADS_MAX];  /* clock[i][t]: how many steps of t happen before or at step i */
    uint32_t steps;
} trace_clocks;

#endif
