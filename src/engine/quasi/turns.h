/* Where things find their places in the end: by moment and, at one moment, in the order in which they were placed. */
#ifndef PLUMB_ENGINE_QUASI_TURNS_H
#define PLUMB_ENGINE_QUASI_TURNS_H

#include "engine/quasi/quasi_configs.h"

typedef struct turn_place {
    moment at;
    uint32_t turn;
    uint32_t what; /* is placed there */
} turn_place;

static inline int by_place(const void *a, const void *b) {
    const turn_place *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->turn < y->turn ? -1 : x->turn > y->turn;
}

#endif
