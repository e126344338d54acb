/* For tests (--monitor agree): on one and the same history the complete engines, all linearizations, bad patterns and
 * A_0 to A_4 have to agree, as far as each of them promises. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_AGREEMENT_H
#define PLUMB_EXPLORE_CAMPAIGN_AGREEMENT_H

#include "observe/observer.h"

typedef struct agreement agreement;
agreement *agreement_open(const object *o, text *why_not); /* NULL: there are no patterns for this object */
void agreement_close(agreement *a);

/* False: one is wrong, and `said` names it. Otherwise it says what was seen so far: "all agree, also on
 * violations; ...". */
bool agreement_check(agreement *a, const observed *x, text *said);

#endif
