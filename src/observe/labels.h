/* An execution in the words of patterns: which thing (value, section, miss) each event is about, and in which role. */
#ifndef PLUMB_OBSERVE_LABELS_H
#define PLUMB_OBSERVE_LABELS_H

#include "observe/observer.h"
#include "observe/pattern.h"

enum { NO_THING = 255, LABELS_THINGS = 32, LABELS_MAX = 4 * OBSERVED_OPERATIONS + LABELS_THINGS };

typedef struct label {
    uint8_t returns, role, thing;
    bool is_first, is_last; /* of its thing */
} label;

typedef struct labels {
    label at[LABELS_MAX];
    uint32_t n;
    uint32_t end[OBSERVED_EVENTS + 1]; /* labels of event e end here; [events]: those of the end of the execution */
    uint8_t role[OBSERVED_OPERATIONS], of[OBSERVED_OPERATIONS]; /* by operation; NO_THING: this one does not matter */
    bool pending_remove[OBSERVED_OPERATIONS];
    bool is_miss[LABELS_THINGS];
    uint8_t initial; /* the thing that is there from the start; NO_THING: none is */
    uint32_t things;
    bool open_removes; /* something that may remove is pending, and something is there to be removed */
} labels;

typedef enum labels_family { FAMILY_CONTAINER, FAMILY_REGISTER, FAMILY_LOCK, FAMILY_SET } labels_family;
labels_family labels_family_of(const object *o);
bool labels_fit(const object *o, text *why_not);
/* False: not an execution for patterns, why says. */
bool labels_make(labels *l, const observed *x, text *why);

#endif
