/* Why a core is a violation: an interval diagram and sentences, each of which was checked before it is returned. */
#ifndef PLUMB_EVIDENCE_EXPLAIN_H
#define PLUMB_EVIDENCE_EXPLAIN_H

#include "evidence/judge.h"

/* At most about 24 lines of at most `columns` columns. */
void explain_diagram(const history *h, const object *o, const core *c, unsigned columns, text *out);
void explain_sentences(const history *h, const object *o, const core *c, text *out);

#endif
