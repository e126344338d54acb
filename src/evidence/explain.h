/* Why a core is a violation: an interval diagram and sentences, each of which was checked before it is returned. */
#ifndef PLUMB_EVIDENCE_EXPLAIN_H
#define PLUMB_EVIDENCE_EXPLAIN_H

#include "evidence/facts.h"
#include "evidence/judge.h"

/* At most about 24 lines of at most `columns` columns. */
void explain_diagram(const history *h, const object *o, const core *c, unsigned columns, text *out);
void explain_sentences(const history *h, const object *o, const core *c, text *out);

/* Where the sentences name an operation. */
typedef struct mention {
    size_t from, to; /* bytes of the text */
    uint32_t number; /* the operation's, in the file */
} mention;

typedef struct mentions {
    mention *at; /* in the order of the text; to be freed */
    uint32_t n, room;
} mentions;

/* The same sentences, a line each, of facts that were found already; `mentioned` may be NULL. */
void explain_facts(const history *h, const object *o, const core *c, const facts *f, text *out, mentions *mentioned);

#endif
