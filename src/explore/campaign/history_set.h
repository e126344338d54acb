/* Distinct histories: equal when the same operations with the same results are in the same interval order, whatever the
 * order of neighbouring calls (or of neighbouring returns). */
#ifndef PLUMB_EXPLORE_CAMPAIGN_HISTORY_SET_H
#define PLUMB_EXPLORE_CAMPAIGN_HISTORY_SET_H

#include "explore/campaign/boundary.h"

typedef struct history_set history_set;
/* Called for a new one, as calls and returns in their order: 2*i the call, 2*i+1 the return of operation i of the
 * world. */
typedef void history_visit(void *context, const explored_operation *op, uint32_t n, const uint32_t *order,
                           uint32_t events);

history_set *history_set_new(void);
void history_set_free(history_set *s);
uint64_t history_set_count(const history_set *s);
/* All histories of the order: one when it is total. `visit` may be NULL. */
void history_set_add(history_set *s, const world *w, const boundary *b, history_visit *visit, void *context);

#endif
