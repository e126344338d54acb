/* How each configuration of a frontier came about: a tree of linearized operations, from which a witness is read off in
 * the end. What no configuration descends from is forgotten, and what all descend from is settled: only the part of
 * the tree in which configurations differ takes more than eight bytes an operation. */
#ifndef PLUMB_ENGINE_GENERAL_TRAIL_H
#define PLUMB_ENGINE_GENERAL_TRAIL_H

#include "engine/engine.h"

#define TRAIL_ROOT UINT32_MAX /* nothing linearized since what is settled */

typedef struct trail_node {
    uint32_t parent; /* smaller than the node's own number, or TRAIL_ROOT */
    uint32_t op;
    value res;
} trail_node;

typedef struct trail {
    trail_node *node;
    uint32_t count, room;
    uint32_t retained; /* nodes after the last retain */
    witness settled;
    uint32_t settled_room;
} trail;

void trail_free(trail *t);
uint32_t trail_add(trail *t, uint32_t parent, uint32_t op, value res);
bool trail_is_long(const trail *t); /* worth a retain */
/* Keeps only what leads to one of the ends; their numbers are updated. */
void trail_retain(trail *t, uint32_t *const *end, uint32_t n);
void trail_witness(const trail *t, uint32_t end, witness *out);
size_t trail_memory(const trail *t);

#endif
