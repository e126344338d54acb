/* PLUMB_ONE_THREAD(add, remove): operations that are for one thread, the same for all of them. */
#ifndef PLUMB_EXPLORE_MODEL_ROLE_H
#define PLUMB_EXPLORE_MODEL_ROLE_H

#include <stdbool.h>
#include <string.h>

/* The next name of "add, remove", of *length; NULL: there is none. Begins with *at at the whole. */
static inline const char *role_next(const char **at, size_t *length) {
    const char *name = *at + strspn(*at, ", \t\n");
    *length = strcspn(name, ", \t\n");
    *at = name + *length;
    return *length ? name : NULL;
}

static inline bool role_has(const char *role, const char *wanted) {
    size_t n;
    for (const char *name; (name = role_next(&role, &n));)
        if (strlen(wanted) == n && !memcmp(name, wanted, n)) return true;
    return false;
}

#endif
