/* A history as columns for the page: small numbers, deflated, in base 64.
 *
 * Ranks are not stored. Rank r is the return of an operation called before, or else the next call; so the distance from
 * call to return of each operation is enough to tell them all. Values are what they differ by from the value the same
 * method had there before; integers stand for themselves, the others for the lines of a table. A result may also be
 * told by where that value is an argument, which is near in a history of a container and costs less than a number of
 * thirty bits. src/report/page/columns.js reads this. */
#ifndef PLUMB_REPORT_HTML_COLUMNS_H
#define PLUMB_REPORT_HTML_COLUMNS_H

#include "engine/engine.h"

typedef struct column_sources {
    const history *h;
    const object *o;
    const uint32_t *order; /* of a witness, or of a beginning of one; may be NULL */
    uint32_t ordered;
    const uint32_t *core; /* operations, ascending; may be NULL */
    uint32_t core_n;
    uint32_t cut; /* rank; RANK_NEVER: none */
} column_sources;

/* `directory`: a JSON object that says what the columns are, and everything about the history that is not a column. */
void html_columns(const column_sources *from, text *directory, text *base64);

#endif
