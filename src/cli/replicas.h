/* plumb monitor --replicas: the verifier of processes that announce what they do to replicas. */
#ifndef PLUMB_CLI_REPLICAS_H
#define PLUMB_CLI_REPLICAS_H

#include "cli/alarm.h"
#include "cli/metrics_server.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct replicas_settings {
    const char *replicas, *key, *witness;
    bool json, quiet, general;
    uint64_t max_lag, clients;
    double idle;
    const _Atomic int *stop;
    metrics_server *metrics; /* NULL: none */
    alarm_news *news;        /* of a violation, for the caller */
} replicas_settings;

int watch_replicas(const replicas_settings *s); /* returns the exit code */

#endif
