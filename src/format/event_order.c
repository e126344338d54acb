#include "format/event_order.h"

#include "base/mem.h"
#include "history/value_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers for clients ---- */

static bool take_name(value_map *taken, value name) {
    if (value_map_find(taken, name) != VALUE_MAP_ABSENT) return false;
    value_map_add(taken, name, 0);
    return true;
}

static bool usable(const history *h, value name, int64_t *number) {
    if (value_kind_of(h->values, name) != KIND_INT) return false;
    *number = value_as_int(h->values, name);
    return *number >= 0 && *number < INT64_MAX / 2; /* room above for clients that need a fresh one */
}

static int64_t *numbers_from_names(const history *h, int64_t *fresh) {
    value_map taken = {0}; /* a set: the numbers mean nothing */
    int64_t *number = MEM_ARRAY(int64_t, h->clients);
    *fresh = 0;
    for (uint32_t c = 0; c < h->clients; c++) {
        if (!usable(h, h->client_name[c], &number[c]) || !take_name(&taken, h->client_name[c])) number[c] = -1;
        else if (number[c] >= *fresh) *fresh = number[c] + 1;
    }
    for (uint32_t c = 0; c < h->clients; c++) {
        if (number[c] < 0) number[c] = (*fresh)++;
        assert(number[c] < *fresh); /* what comes later is new */
    }
    free(taken.slot);
    return number;
}

static int64_t *numbers(const history *h, int64_t *fresh) {
    if (h->client) return numbers_from_names(h, fresh);
    int64_t *number = MEM_ARRAY(int64_t, h->n);
    for (uint32_t i = 0; i < h->n; i++) number[i] = i;
    *fresh = h->n;
    return number;
}

/* Where stamps tell what a client does after what, one that went on after a pending operation keeps its number. */
int64_t *client_numbers(const history *h) {
    int64_t fresh, *number = numbers(h, &fresh);
    value_map first = {0};
    for (uint32_t c = 0; h->client && c < h->clients; c++) {
        uint32_t known = value_map_find(&first, h->client_name[c]);
        if (known == VALUE_MAP_ABSENT) value_map_add(&first, h->client_name[c], c);
        else number[c] = number[known];
    }
    free(first.slot);
    return number;
}

/* ---- events ---- */

static void place_events(const history *h, event_order *o) {
    o->events = h->events;
    o->event = MEM_ARRAY(uint32_t, h->events);
    memset(o->event, 0xff, h->events * sizeof *o->event);
    for (uint32_t i = 0; i < h->n; i++) {
        assert(h->call[i] < o->events && o->event[h->call[i]] == EVENT_NONE); /* one event a rank */
        o->event[h->call[i]] = 2 * i;
        if (history_pending(h, i)) continue;
        assert(h->ret[i] < o->events && o->event[h->ret[i]] == EVENT_NONE);
        o->event[h->ret[i]] = 2 * i + 1;
    }
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
/* Under one number there is one open call at most, and none after one that never returns. */
static void check_events(const event_order *o, const history *h, int64_t fresh) {
    if (fresh > 4 * (int64_t)h->n + 1024) return; /* large names: an array does not do */
    uint32_t *open = MEM_ARRAY(uint32_t, (size_t)fresh);
    memset(open, 0xff, (size_t)fresh * sizeof *open);
    for (uint32_t r = 0; r < o->events; r++) {
        if (o->event[r] == EVENT_NONE) continue;
        uint32_t i = event_operation(o->event[r]);
        assert(o->client[i] >= 0 && o->client[i] < fresh);
        assert(open[o->client[i]] == (event_is_return(o->event[r]) ? i : EVENT_NONE));
        open[o->client[i]] = event_is_return(o->event[r]) ? EVENT_NONE : i;
    }
    free(open);
}
#endif

event_order *event_order_new(const history *h) {
    event_order *o = MEM_NEW(event_order);
    place_events(h, o);
    o->client = MEM_ARRAY(int64_t, h->n);
    int64_t fresh, *now = numbers(h, &fresh);
    uint32_t clients = h->client ? h->clients : h->n;
    uint32_t *open = MEM_ARRAY(uint32_t, clients); /* the operation open under the client's number now */
    memset(open, 0xff, clients * sizeof *open);
    for (uint32_t r = 0; r < o->events; r++) {
        if (o->event[r] == EVENT_NONE) continue;
        uint32_t i = event_operation(o->event[r]), c = history_client(h, i);
        if (event_is_return(o->event[r])) {
            if (open[c] == i) open[c] = EVENT_NONE;
            continue;
        }
        if (open[c] != EVENT_NONE) now[c] = fresh++;
        open[c] = i;
        o->client[i] = now[c];
    }
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    check_events(o, h, fresh);
#endif
    free(open);
    free(now);
    return o;
}

void event_order_free(event_order *o) {
    if (!o) return;
    FREE_ALL(o->event, o->client, o);
}
