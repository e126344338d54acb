/* `plumb explore --measure`: the smallest k for which all explored histories are quasi(k). */
#ifndef PLUMB_EXPLORE_OUTSIDE_MEASURED_HUNT_H
#define PLUMB_EXPLORE_OUTSIDE_MEASURED_HUNT_H

#include "explore/outside/test_program.h"
#include "explore/outside/hunt.h"

typedef struct measuring {
    hunt forced; /* whose failure forces k */
    bool has_forced;
    uint32_t k;
    char now[32], below[32]; /* criteria: quasi(k), quasi(k-1) */
} measuring;

/* quasi(0), then quasi of what the failing history needs, until nothing fails. Every round explores from the beginning:
 * the last one has seen all that the coverage says. */
bool hunt_measured(const test_program *t, hunt_options *o, measuring *m, hunt *h, error *e);
void measuring_free(measuring *m);

#endif
