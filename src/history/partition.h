/* Independent parts of a history. Linearizability is local (Herlihy and Wing, theorem 1): a history of several objects
 * is linearizable iff each object's part is. Keys make such parts. */
#ifndef PLUMB_HISTORY_PARTITION_H
#define PLUMB_HISTORY_PARTITION_H

#include "history/history.h"

#include <assert.h>

typedef struct partition {
    uint32_t count;
    uint32_t *start; /* part p is op[start[p]] .. op[start[p+1]-1], ascending indices */
    uint32_t *op;
} partition;

/* By two optional columns: operations are in one part iff they agree in both. Parts are numbered by first
 * appearance. */
partition *partition_by(const history *h, const value *first, const value *second);
/* The same as the number of each operation's part; NULL: all are in one. To be freed. */
uint32_t *partition_numbers(const history *h, const value *first, const value *second, uint32_t *count);
void partition_free(partition *p);

static inline const uint32_t *partition_ops(const partition *p, uint32_t part, uint32_t *n) {
    assert(part < p->count && p->start[part] <= p->start[part + 1]);
    *n = p->start[part + 1] - p->start[part];
    return p->op + p->start[part];
}

#endif
