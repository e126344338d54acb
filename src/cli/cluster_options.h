/* What the options of a cluster leave to be filled in. */
#ifndef PLUMB_CLI_CLUSTER_OPTIONS_H
#define PLUMB_CLI_CLUSTER_OPTIONS_H

#include "remote/transport.h"

void cluster_settings_complete(transport_settings *s); /* the password comes from the environment */

#endif
