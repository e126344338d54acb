/* Sets of ways things can stand, for monitors that keep all of them, and what such monitors ask about operations. */
#ifndef PLUMB_MONITOR_WAYS_H
#define PLUMB_MONITOR_WAYS_H

#include "monitor/store.h"

typedef struct ways { /* each once: what words say is up to the monitor */
    uint32_t *word;
    size_t words, word_room;
    size_t *start; /* way i is word[start[i]] .. word[start[i + 1] - 1] */
    uint32_t n, room;
    uint32_t *slot; /* number + 1 */
    uint32_t slots;
} ways;

void ways_init(ways *w);
void ways_free(ways *w);
void ways_clear(ways *w);
void ways_add(ways *w, const uint32_t *words, size_t n);
size_t ways_memory(const ways *w);
void ways_swap(ways *a, ways *b);
void ways_store(store *s, ways *w);

/* As an object's step sees it. */
operation monitored_view(const monitored *m);
/* An operation took effect with the result `meant` before it said what it returned. Is what it returned another way to
 * say the same? */
bool monitored_says(const object *o, const monitored *op, value meant);

#endif
