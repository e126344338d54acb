/* Atomic loads of a pure loop whose value is confirmed: a thread that goes on in the loop's function without failing
 * the iteration has found, at the same address and before any write of its own, the same value again. facts.h says what
 * a listed load promises. */
#ifndef PLUMB_EXPLORE_COMPILE_CONFIRMED_H
#define PLUMB_EXPLORE_COMPILE_CONFIRMED_H

#include "explore/compile/liveness.h"

typedef struct confirmed_load {
    size_t load, hook; /* instructions: before `hook`, what `load` has read is yet to be confirmed on every way */
    bool zero, other;  /* when it has read zero, anything else */
} confirmed_load;

typedef struct confirmed_loads {
    confirmed_load *at;
    size_t size;
    /* addresses of variables that have to be the same all the time: they led to the loads' addresses */
    uint64_t *cell;
    size_t cells;
} confirmed_loads;

/* For the loop that was collected last, and a hook in it at which it was proved pure. */
void confirmed_find(const function *f, size_t head, register_set written, confirmed_loads *out);
void confirmed_free(confirmed_loads *l);

#endif
