/* What a frontier remembers for evidence: the operations since the last time at which nothing was open and the state
 * was known, and that state, which is told in operations of a client called "state" (evidence/recall.h). */
#ifndef PLUMB_MONITOR_PAST_H
#define PLUMB_MONITOR_PAST_H

#include "monitor/part.h"

typedef struct evidence_past {
    state from;
    monitored *op;
    uint32_t n, room;
    bool forgotten; /* there are too many since, or the state is not known */
} evidence_past;

enum { PAST_MOST = 1024, PAST_RENEWED = 16 };

void past_begin(evidence_past *p, const state *from);
void past_add(evidence_past *p, const monitored *op);
void past_forget(evidence_past *p);
/* Into the part's pattern; false: it is forgotten, or the state cannot be told. */
bool past_show(const evidence_past *p, monitor_part *part);
void past_store(evidence_past *p, store *s);
size_t past_memory(const evidence_past *p);
void past_free(evidence_past *p);

/* So many that it is worth a copy of the state to begin anew. */
static inline bool past_is_long(const evidence_past *p) { return p->forgotten || p->n >= PAST_RENEWED; }

#endif
