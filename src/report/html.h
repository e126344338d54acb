/* One page for one verdict: a single HTML file that asks nothing of the network. What is on it was checked before: the
 * evidence is the judge's, the sentences are those of evidence/explain.h. */
#ifndef PLUMB_REPORT_HTML_H
#define PLUMB_REPORT_HTML_H

#include "evidence/measure.h"
#include "report/html_interleaving.h"

typedef struct picture {
    const char *file;
    const history *h; /* NULL, and then o as well: an execution without one that could be shown */
    const object *o;
    verdict verdict;
    const char *criterion;  /* what was asked; NULL: linearizable */
    const char *decided_by; /* "engine queue-linear"; may be NULL */
    const char *reason;     /* undecided: why */
    /* linearizable, and checked; undecided: the longest beginning that was found; may be NULL */
    const witness *witness;
    const core *core;             /* violation */
    const relaxation *relaxation; /* the smallest k was asked for; may be NULL */
    const interleaving *steps;    /* of the execution this history is from; may be NULL */
    const char *label, *headline; /* in place of those that the verdict gives: "deadlock"; NULL: none */
    const char *const *fact;      /* more for the head of the page */
    uint32_t facts;
} picture;

picture picture_of(const char *file, const history *h, const object *o, const judgement *j);

void html_page(const picture *p, text *out);
bool html_write(const char *path, const picture *p, error *e); /* "-": standard output */

#endif
