/* Long generated histories, right or with one violation planted. */
#ifndef PLUMB_TESTS_PLANTED_H
#define PLUMB_TESTS_PLANTED_H

#include "base/random.h"
#include "generate/generate.h"
#include "support/make_history.h"

/* `m` NULL: a linearizable one. Everything else is as `plumb generate` does it. */
bound planted_history(const char *object_name, const mutation *m, uint32_t operations);

/* What a test wants of random histories; the rest is drawn. */
typedef struct planted_shape {
    uint32_t operations; /* fewer than this, and 50 more */
    uint32_t occupancy;  /* fewer than this; 0: as it comes */
    double complete;     /* share of histories without pending operations */
    double pending;      /* share of pending operations in the others */
    double planted;      /* share of histories with a violation */
} planted_shape;

/* False: the violation that was drawn found no place. */
bool random_planted_history(random_source *r, const char *object_name, const planted_shape *shape, bound *b);

/* Calls `visit` with every kind of violation of every object whose operations take effect one by one. */
void each_planting(void (*visit)(const object_type *t, const mutation *m));

#endif
