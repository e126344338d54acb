/* Nodes in network namespaces of their own, joined by a bridge: links can be taken away, one way too. Made by the
 * keeper's process, which is on the bridge. Namespaces are held by files: they go when it does. */
#ifndef PLUMB_DRIVE_NODE_NETWORK_H
#define PLUMB_DRIVE_NODE_NETWORK_H

#include "drive/link_relay.h"

#include <stdbool.h>
#include <stddef.h>

enum { NETWORK_NODES = 16 };
#define NODE_ADDRESS "10.99.0.%u" /* of node 1, 2, ... */

typedef struct node_network {
    unsigned nodes;           /* 0: there is none, all are where the keeper is */
    int space[NETWORK_NODES]; /* by node: the file that is its namespace */
    link_relay relay;
} node_network;

/* With a relay, links can be slow and lossy. False: why says so; needs the command ip and the rights of root. */
bool node_network_make(node_network *n, unsigned nodes, bool relayed, char *why, size_t size);
/* The calling process goes into the namespace of this node; if it is none, or there is no network, it stays. */
bool node_network_enter(const node_network *n, unsigned node);
bool node_network_cut(node_network *n, unsigned from, unsigned to, char *why, size_t size);
/* What this node and the others send to each other is late, in milliseconds, or lost, in a hundred. */
bool node_network_impair(node_network *n, unsigned node, unsigned delay, unsigned loss, char *why, size_t size);
bool node_network_join(node_network *n, char *why, size_t size);

#endif
