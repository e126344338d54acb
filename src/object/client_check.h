/* For objects whose step looks at who calls: a history without clients cannot be judged. */
#ifndef PLUMB_OBJECT_CLIENT_CHECK_H
#define PLUMB_OBJECT_CLIENT_CHECK_H

#include "object/object.h"

static inline bool check_clients(const object *o, const history *h, const char *file, error *e) {
    if (h->client || h->n == 0) return true;
    return error_set(e, EXIT_BAD_INPUT,
                     "%s: the operations name no clients; expected them, because a %s belongs to a client", file,
                     o->type->name);
}

#endif
