/* The connection of this process to the others, by URL: nats://HOST:PORT (the shared object of src/transports, loaded
 * now), or file:FOLDER for processes of one machine. */
#ifndef PLUMB_SCALE_CLUSTER_H
#define PLUMB_SCALE_CLUSTER_H

#include "base/error.h"
#include "remote/transport.h"

typedef struct cluster {
    const transport_type *type;
    void *t;
    void *library; /* NULL: the carrier is built in */
} cluster;

bool cluster_open(cluster *c, const transport_settings *s, error *e); /* false: one line says what is missing */
void cluster_close(cluster *c);
bool cluster_is_name(const char *name); /* of a run: letters, digits, '-' and '_', at most 60 */

#endif
