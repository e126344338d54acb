/* Long generated histories, right or with one violation planted. */
#ifndef PLUMB_TESTS_PLANTED_H
#define PLUMB_TESTS_PLANTED_H

#include "generate/generate.h"
#include "support/make_history.h"

/* `m` NULL: a linearizable one. Everything else is as `plumb generate` does it. */
bound planted_history(const char *object_name, const mutation *m, uint32_t operations);

/* Calls `visit` with every kind of violation of every object whose operations take effect one by one. */
void each_planting(void (*visit)(const object_type *t, const mutation *m));

#endif
