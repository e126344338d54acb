/* Configurations whose elements have windows in which their adds took effect (queue, stack): what no longer matters is
 * brought to one form, so that configurations that differ in nothing else are one. Inline: the rules are constants of
 * the engine. */
#ifndef PLUMB_ENGINE_QUASI_QUASI_WINDOWS_H
#define PLUMB_ENGINE_QUASI_QUASI_WINDOWS_H

#include "engine/quasi/quasi_stage.h"

typedef struct window_rules {
    /* can it still be overtaken too often? */
    bool (*count_matters)(const stage *s, const draft *d, uint64_t done, const touched *x);
    /* the widest window that says the same */
    moment (*earliest_lo)(const stage *s, const draft *d, uint64_t done, const touched *x);
    moment (*latest_hi)(const stage *s, const draft *d, uint64_t done, const touched *x);
} window_rules;

static inline void windows_normalize(stage *s, draft *d, uint64_t done, const window_rules *r) {
    for (uint32_t i = 0; i < d->n;) {
        touched *x = &d->at[i];
        uint32_t v = x->element;
        if (x->count == COUNT_TAKEN) {
            i++;
            continue;
        }
        if (is_gone(s, done, v)) {
            draft_drop(d, v);
            continue;
        }
        if (x->count && !r->count_matters(s, d, done, x)) x->count = 0;
        if (x->lo > s->lo[v]) x->lo = r->earliest_lo(s, d, done, x);
        if (x->hi < s->hi[v]) x->hi = r->latest_hi(s, d, done, x);
        if (x->count == 0 && x->lo == s->lo[v] && x->hi == s->hi[v]) draft_drop(d, v);
        else i++;
    }
}

#endif
