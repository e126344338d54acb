/* The folders of nodes on disks of their own, in memory, which can be full: a tmpfs each, in a mount namespace of plumb
 * that ends with it. A full one has the size of what is on it. */
#ifndef PLUMB_DRIVE_NODE_DISK_H
#define PLUMB_DRIVE_NODE_DISK_H

#include "base/text.h"

#include <stdbool.h>

/* Before the keeper starts, which then has them as well, and before there are threads. */
bool node_disks_make(const char *folder, unsigned nodes, text *why);
bool node_disk_fill(const char *folder, unsigned node, text *why);
bool node_disk_free(const char *folder, unsigned node, text *why);
/* Where they are mounted, if they are; its own namespace is meant. */
void node_disks_unmount(const char *folder, unsigned nodes);
/* The same, and the empty folders too. */
void node_disks_remove(const char *folder, unsigned nodes);

#endif
