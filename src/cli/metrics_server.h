/* plumb monitor --metrics: a thread that answers `GET /metrics` with what was published last (runtime/metrics.h). It
 * never holds up the monitor: a client that is slow, silent or greedy is dropped. */
#ifndef PLUMB_CLI_METRICS_SERVER_H
#define PLUMB_CLI_METRICS_SERVER_H

#include "base/error.h"
#include "runtime/metrics.h"

typedef struct metrics_server metrics_server;

/* `address`: HOST:PORT in numbers, or :PORT of this machine alone; port 0: one is chosen. Says on stderr where it
 * listens. NULL with the error set: it cannot. */
metrics_server *metrics_server_start(const char *address, error *e);
/* Has it been long enough since the last time? `s` may be NULL, here and below: there is no server. */
bool metrics_server_is_due(const metrics_server *s);
/* Rate and start are filled in here. */
void metrics_server_publish(metrics_server *s, const metrics *m);
void metrics_server_stop(metrics_server *s);

#endif
