/* What executions came to, as the test says (plumb_outcome): each text once. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_OUTCOMES_H
#define PLUMB_EXPLORE_CAMPAIGN_OUTCOMES_H

#include <stdint.h>

typedef struct told_outcome {
    char *what;
    uint64_t executions;
    char *schedule; /* of one of them; NULL: not kept */
} told_outcome;

typedef struct outcome_list {
    told_outcome *at;
    uint32_t n, room;
} outcome_list;

/* So many executions more; returns the row. */
told_outcome *outcomes_add(outcome_list *l, const char *what, uint64_t executions);
void outcomes_sort(outcome_list *l);
void outcomes_free(outcome_list *l);

#endif
