/* The state of a monitor as bytes, and back: each structure is walked by one function for both directions, so that what
 * is written and what is read cannot differ. The bytes are for the same version of the program on the same kind of
 * machine. */
#ifndef PLUMB_MONITOR_STORE_H
#define PLUMB_MONITOR_STORE_H

#include "monitor/part.h"
#include "history/value_map.h"

struct store {
    bool loading;
    bool bad; /* loading: the bytes do not fit */
    text out;
    const char *in;
    size_t left;
    monitor *m;
};

void store_raw(store *s, void *p, size_t size);
/* An array with room for `room` items of which n are in use; loading allocates it. */
void store_array(store *s, void **p, size_t size, uint64_t n, uint64_t room);
void store_state(store *s, state *w);
void store_map(store *s, value_map *m);
/* An open operation: one that is pending for ever with all it is, others by their number. */
void store_open(store *s, monitor_part *p, open_operation **op);
void store_open_operations(store *s, monitor_part *p, open_operations *l);

#define STORE(s, what) store_raw(s, &(what), sizeof(what))
#define STORE_ARRAY(s, p, n, room) store_array(s, (void **)&(p), sizeof *(p), n, room)

bool monitor_can_be_kept(const monitor *m);
void monitor_store(monitor *m, store *s);
open_operation *monitor_find_open(const monitor *m, uint64_t number); /* NULL: not open */

#endif
