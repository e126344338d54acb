#include "explore/campaign/outcomes.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

told_outcome *outcomes_add(outcome_list *l, const char *what, uint64_t executions) {
    uint32_t i = 0;
    while (i < l->n && strcmp(l->at[i].what, what)) i++;
    if (i == l->n) {
        if (l->n == l->room) {
            l->room = 2 * l->room + 8;
            l->at = MEM_GROW(l->at, told_outcome, l->room);
        }
        l->at[l->n++] = (told_outcome){.what = mem_string(what)};
    }
    l->at[i].executions += executions;
    return &l->at[i];
}

static int by_words(const void *a, const void *b) {
    return strcmp(((const told_outcome *)a)->what, ((const told_outcome *)b)->what);
}

void outcomes_sort(outcome_list *l) {
    if (l->n) qsort(l->at, l->n, sizeof *l->at, by_words);
}

void outcomes_free(outcome_list *l) {
    for (uint32_t i = 0; i < l->n; i++) FREE_ALL(l->at[i].what, l->at[i].schedule);
    free(l->at);
    *l = (outcome_list){0};
}
