/* What one thread of a guard knows: its own sketch of everything that was published, judged by its own checker. */
#ifndef PLUMB_RUNTIME_KNOWLEDGE_H
#define PLUMB_RUNTIME_KNOWLEDGE_H

#include "runtime/checker.h"

typedef struct knowledge {
    object *o;
    values *values;
    checker *check;
    sketch sketch;
    uint64_t epoch; /* of the seat that it is for (guard.c) */
} knowledge;

knowledge *knowledge_new(recording *m, const checker_options *options, error *e); /* from the beginning of the logs */
knowledge *knowledge_copy(knowledge *from, error *e);
void knowledge_free(knowledge *k);
/* All that was published, from the beginning of the logs, as a history with its order of taking effect
 * (evidence/certificate.h). */
bool certify_published(recording *m, const char *path, error *e);
verdict knowledge_round(knowledge *k); /* reads what was published, judges it */

/* the same; false: undecided, a violation, or nothing was done (sketch_round_alone) */
bool knowledge_round_alone(knowledge *k, uint64_t next);

/* The last operation that was read of a client was not judged: it came too late, or its result is unknown. */
static inline bool knowledge_passed_over(const knowledge *k, uint32_t client) {
    const sketched *op = &k->sketch.cursor[client].op;
    return op->late || op->outcome == LOG_UNKNOWN;
}

#endif
