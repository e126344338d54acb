/* What the operations of a set do to their element, which is in (1) or out (0). */
#ifndef PLUMB_ENGINE_LINEAR_SET_ROLES_H
#define PLUMB_ENGINE_LINEAR_SET_ROLES_H

#include "engine/engine.h"

enum { SET_ADD, SET_REMOVE, SET_CONTAINS };

typedef struct set_role {
    bool flips;
    unsigned state; /* that it starts from or needs */
} set_role;

/* A pending add or remove is one that flips, if it takes effect in any way that matters. */
static inline set_role set_role_of(const history *h, uint32_t op) {
    bool yes = h->res[op] != VALUE_FALSE, contains = h->method[op] == SET_CONTAINS;
    return (set_role){!contains & yes, (h->method[op] == SET_ADD) ^ yes};
}

/* All elements at once (set_all_elements.c). */
all_parts_answer set_decide_all_elements(const history *h, const uint32_t *part, uint32_t parts, budget *b, witness *w,
                                         uint32_t *failed);

#endif
