/* A process between the nodes and their bridge that delays and drops frames, for kernels without netem: those of a
 * node pass from its end of the cable to the end of another one that is on the bridge. What goes to or comes from the
 * clients is handed on at once. */
#ifndef PLUMB_DRIVE_LINK_RELAY_H
#define PLUMB_DRIVE_LINK_RELAY_H

#include <stdbool.h>
#include <stddef.h>

enum { RELAY_LINKS = 16 };

typedef struct relay_setting relay_setting; /* shared by both processes */

typedef struct link_relay {
    relay_setting *setting; /* by link; NULL: there is none */
} link_relay;

/* Links vN and pN (N from 1) of the network namespace of the caller are joined by a new process. */
bool link_relay_start(link_relay *r, unsigned links, char *why, size_t size);
/* From now on, both ways: delay in milliseconds, loss in a hundred frames. */
bool link_relay_set(link_relay *r, unsigned link, unsigned delay, unsigned loss);

#endif
