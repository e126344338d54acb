/* What one thread of a guard knows: its own sketch of everything that was published, judged by its own checker. */
#ifndef PLUMB_RUNTIME_KNOWLEDGE_H
#define PLUMB_RUNTIME_KNOWLEDGE_H

#include "base/pool.h"
#include "runtime/checker.h"

typedef struct knowledge {
    object *o;
    values *values;
    checker *check;
    sketch sketch;
    uint64_t epoch; /* of the seat that it is for (guard.c) */
    mem_pool pool;  /* of all that it has */
    bool exhausted; /* memory ran out: it knows nothing any more, and can only be freed */
} knowledge;

/* From the beginning of the logs. NULL: the object cannot be judged, or there is no memory. */
knowledge *knowledge_new(recording *m, const checker_options *options, error *e);
knowledge *knowledge_copy(knowledge *from, error *e); /* NULL: there is no memory */
void knowledge_free(knowledge *k);
/* All that was published, from the beginning of the logs, as a history with its order of taking effect
 * (evidence/certificate.h). */
bool certify_published(recording *m, const criterion *asked, const char *path, error *e);
verdict knowledge_round(knowledge *k); /* reads what was published, judges it; undecided when memory runs out */
/* A certificate of the violation. May exhaust it. */
bool knowledge_write_witness(knowledge *k, const char *path, error *e);

/* the same; false: undecided, a violation, or nothing was done (sketch_round_alone) */
bool knowledge_round_alone(knowledge *k, uint64_t next);

/* The last operation that was read of a client was not judged: it came too late, or its result is unknown. */
static inline bool knowledge_passed_over(const knowledge *k, uint32_t client) {
    const sketched *op = &k->sketch.cursor[client].op;
    return op->late || op->outcome == LOG_UNKNOWN;
}

#endif
