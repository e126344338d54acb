/* Which events of a stream a monitor judges that has one part of the keys: the lines of the event form, sorted by
 * the hash of their key. A return says its client only, and goes where that client's call went. Headers and notes
 * go everywhere; what has no key, or is no event, goes to the first part. */
#ifndef PLUMB_SCALE_LIVE_ROUTER_H
#define PLUMB_SCALE_LIVE_ROUTER_H

#include "format/token.h"
#include "history/value_map.h"

typedef struct live_router {
    uint32_t part, parts; /* from 0 */
    values *names;
    value_map open; /* by client: the part of its open call */
    tokens t;
    text key;
} live_router;

void live_router_init(live_router *r, uint32_t part, uint32_t parts);
void live_router_free(live_router *r);
/* Appends those of the lines that are of this part. */
void live_router_sort(live_router *r, const char *p, size_t n, text *out);

#endif
