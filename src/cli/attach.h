/* plumb monitor --attach: the verifier of another, running program. */
#ifndef PLUMB_CLI_ATTACH_H
#define PLUMB_CLI_ATTACH_H

#include "cli/alarm.h"
#include "cli/metrics_server.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct attach_settings {
    const char *path, *witness, *html;
    bool json, quiet, general, go_on, adapt;
    uint64_t max_lag;
    const _Atomic int *stop;
    metrics_server *metrics; /* NULL: none */
    alarm_news *news;        /* of a violation, for the caller */
} attach_settings;

int watch_attached(const attach_settings *s); /* returns the exit code */

#endif
