/* What a method does to its object, in the word that the page colours it by. */
#ifndef PLUMB_REPORT_ROLE_H
#define PLUMB_REPORT_ROLE_H

#include "object/object.h"

static inline const char *role_name(const method *m) {
    return m->role & ROLE_ADDS       ? "adds"
           : m->role & ROLE_REMOVES  ? "removes"
           : m->role & ROLE_OBSERVES ? "observes"
                                     : "changes";
}

#endif
