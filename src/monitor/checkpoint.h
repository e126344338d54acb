/* Checkpoints: the whole state of a monitor in a file, written so that the file is always whole, and taken up again by
 * a monitor of the same object and options. Values are written out, so that the table of values may begin afresh. */
#ifndef PLUMB_MONITOR_CHECKPOINT_H
#define PLUMB_MONITOR_CHECKPOINT_H

#include "monitor/monitor.h"

/* The same in memory: into a new monitor of the same object and options, whose table of values is new as well. */
void monitor_freeze(monitor *m, text *out);      /* appends */
bool monitor_thaw(monitor *m, const text *from); /* for tests */
/* The same without going through values: the table of the new monitor is a copy of the other's (values_copy). */
bool monitor_copy(monitor *from, monitor *to);

/* `notes`: the caller's own bytes, handed back by monitor_load. */
bool monitor_save(monitor *m, const char *path, const void *notes, size_t size, error *e);
/* Into a new monitor that has seen no event. False with the error set when the file is damaged, of something else or,
 * unless it is trusted, not one that this user wrote; true with *found false when there is no such file. */
bool monitor_load(monitor *m, const char *path, bool trusted, text *notes, bool *found, error *e);

#endif
