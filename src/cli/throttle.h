/* Memory that is filled faster than the supervisor gets to look. On a busy machine it may wait for a processor for
 * longer than a step that runs on another one needs to fill tens of megabytes. So the workers look for themselves as
 * well, every few milliseconds of processor time: when the limit is near one of them wakes the supervisor and rests, a
 * moment only, for it may hold a lock that the supervisor needs. */
#ifndef PLUMB_CLI_THROTTLE_H
#define PLUMB_CLI_THROTTLE_H

#include <stddef.h>

/* How near the limit is. */
typedef enum memory_state { MEMORY_PLENTY, MEMORY_SHORT /* time to stop */, MEMORY_SPENT /* all but */ } memory_state;
memory_state memory_state_of(size_t used, size_t limit);

size_t resident_memory(void); /* of this process, in bytes; may be asked in a signal handler */

/* Once, by the supervisor, before any worker: the limit (0: none) and how it is woken. */
void throttle_set_up(size_t limit, void (*wake)(void));
/* From here on the calling thread, and those that it starts, look for themselves. */
void throttle_join(void);

#endif
