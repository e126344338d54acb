#include "cli/cluster_options.h"

#include <stdlib.h>

void cluster_settings_complete(transport_settings *s) {
    s->struct_size = sizeof *s;
    if (s->user) s->password = getenv("PLUMB_CLUSTER_PASSWORD");
}
