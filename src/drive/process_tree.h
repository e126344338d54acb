/* A process and all that descend from it, as /proc shows them. */
#ifndef PLUMB_DRIVE_PROCESS_TREE_H
#define PLUMB_DRIVE_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The signal to all of them, but not to `root` itself unless `with_root`. How many there were. */
unsigned tree_signal(pid_t root, bool with_root, int signal);
/* Bytes of memory that they have in use; pages that several share count for each. */
uint64_t tree_resident(pid_t root);

#endif
