/* Small random histories of any object, about half of them linearizable: a run of the object under a random scheduler,
 * then, with some probability, spoilt. Same source, same history. */
#ifndef PLUMB_TESTS_RANDOM_HISTORY_H
#define PLUMB_TESTS_RANDOM_HISTORY_H

#include "base/random.h"
#include "support/make_history.h"

enum { RANDOM_MAX_OPERATIONS = 16, RANDOM_MAX_CLIENTS = 4 };

/* of methods that can do without their result */
typedef enum kept_results { KEPT_SOME, KEPT_ALL, KEPT_NONE } kept_results;

typedef struct random_shape {
    uint32_t operations; /* at most: up to RANDOM_MAX_OPERATIONS */
    uint32_t clients;    /* 1 .. RANDOM_MAX_CLIENTS; more appear when operations stay pending */
    uint32_t values;     /* different values in arguments; 0: all different */
    uint32_t keys;       /* of keyed objects, elements of a set */
    double pending;      /* chance that an operation never returns (its effect happened or not) */
    double ties;         /* chance that an event has the stamp of the one before */
    kept_results kept;
    /* chance that the history is spoilt: by one to four changes of results or of the event order */
    double spoil;
} random_shape;

random_shape random_shape_any(random_source *r); /* a small shape of its own for each history */
bound random_history(random_source *r, const char *object_name, const random_shape *shape);

/* The history in make_history's syntax, one operation a line; object_name "(...)" parameters are the caller's
 * business. */
void history_text(const bound *b, text *out);

#endif
