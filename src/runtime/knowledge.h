/* What one thread of a guard knows: its own sketch of everything that was published, judged by its own checker. */
#ifndef PLUMB_RUNTIME_KNOWLEDGE_H
#define PLUMB_RUNTIME_KNOWLEDGE_H

#include "runtime/checker.h"

typedef struct knowledge {
    object *o;
    values *values;
    checker *check;
    sketch sketch;
    bool *late;            /* by client: its last operation was not judged: it came too late, or nobody knows its result */
    uint64_t epoch;        /* of the seat that it is for (guard.c) */
} knowledge;

knowledge *knowledge_new(recording *m, const checker_options *options, error *e); /* from the beginning of the logs */
knowledge *knowledge_copy(knowledge *from, error *e);
void knowledge_free(knowledge *k);
/* All that was published, from the beginning of the logs, as a history with its order of taking effect (evidence/certificate.h). */
bool certify_published(recording *m, const char *path, error *e);
verdict knowledge_round(knowledge *k); /* reads what was published, judges it */

#endif
