/* States that are sets or multisets of values: ascending, so that equal contents are equal states. */
#ifndef PLUMB_OBJECT_SORTED_STATE_H
#define PLUMB_OBJECT_SORTED_STATE_H

#include "history/value.h"
#include "object/state.h"

/* Is it there? `at`: where the first of it is, or would be. */
static inline bool sorted_state_find(const state *s, value v, uint32_t *at) {
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->w[middle] < v) low = middle + 1;
        else high = middle;
    }
    *at = low;
    assert((low == 0 || s->w[low - 1] < v) && (low == s->n || s->w[low] >= v)); /* ascending */
    return low < s->n && s->w[low] == v;
}

static inline void sorted_state_describe(const values *t, const state *s, text *out) {
    text_char(out, '{');
    for (uint32_t i = 0; i < s->n; i++) {
        if (i) text_char(out, ' ');
        value_print(t, s->w[i], out);
    }
    text_char(out, '}');
}

#endif
