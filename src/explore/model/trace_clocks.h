/* The happens-before order of the steps of one execution: what all interleavings of its trace have in common. */
#ifndef PLUMB_EXPLORE_MODEL_TRACE_CLOCKS_H
#define PLUMB_EXPLORE_MODEL_TRACE_CLOCKS_H

#include "explore/model/step.h"

#ifdef PLUMB_MANY_THREADS
typedef uint8_t known_row __attribute__((vector_size(128))); /* a power of two */
#else
typedef uint8_t known_row __attribute__((vector_size(THREADS_MAX)));
#endif

typedef struct known_step {     /* as large as a line of the cache */
    known_row knows;            /* so many calls and returns of each thread happen before it or with it */
    known_row written, touched; /* what the next read, or write, of its place gets to know there */
    struct touched_cell *cell;  /* its place */
    union {
        int32_t older;  /* the step before it there; -1: none */
        int32_t joined; /* of a join, which has no place of its own: the thread that it waited for */
    };
    int32_t own; /* the step before it of its thread; -1: none */
} known_step;

typedef struct trace_clocks { /* vector clocks of the executed steps: program order, create/join, dependence */
    const uint8_t *thread;    /* of each step */
    /* clock[i][t]: how many steps of t happen before or at step i; NULL: see `known` */
    const uint16_t (*clock)[THREADS_MAX];
    const known_step *known; /* of each step, the order of calls and returns only; NULL: see `clock` */
    uint32_t steps;
} trace_clocks;

#endif
