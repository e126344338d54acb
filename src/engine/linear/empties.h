/* Gaps in which a queue or a pool can be empty, and one such gap for each remove that found nothing.
 *
 * A gap is good when no value that was removed covers it and the tokens called so far are at least as many as the
 * values left inside so far: then the k-th token can take the k-th value left inside, which leaves nothing. */
#ifndef PLUMB_ENGINE_LINEAR_EMPTIES_H
#define PLUMB_ENGINE_LINEAR_EMPTIES_H

#include "engine/linear/inventory.h"
#include "engine/self_check.h"

typedef struct empties {
    const inventory *c;
    uint32_t covered;         /* values that were removed and are definitely inside */
    uint32_t left, tokens;    /* values left inside, and tokens called, so far */
    uint32_t good, good_left; /* the last good gap, and `left` there */
    empty_cut *cut;           /* by gap */
    uint32_t cuts;
    uint32_t assigned; /* so many tokens have to take values: the k-th the k-th value left inside */
} empties;

void empties_init(empties *s, const inventory *c);
void empties_free(empties *s);
bool empties_place(empties *s, uint32_t empty, outcome *out);

/* Event r happens. False: an empty has no good gap, and `out` says so. */
static inline bool empties_event(empties *s, uint32_t r, outcome *out) {
    const inventory *c = s->c;
    uint32_t e = c->event[r], x = event_index(e);
    switch (event_kind_of(e)) {
    case ADD_RETURN:
        if (!is_removed(c, x)) s->left++;
        else if (remove_call(c, x) > r) s->covered++;
        break;
    case REMOVE_CALL:
        assert(add_return(c, x) > r || s->covered > 0);
        if (add_return(c, x) < r) s->covered--;
        break;
    case TOKEN_CALL: s->tokens++; break;
    case EMPTY_RETURN:
        if (!empties_place(s, x, out)) return false;
        break;
    default: break;
    }
    if (s->covered == 0 && s->left <= s->tokens) {
        assert(s->good == NO_INDEX || s->good < r);
        s->good = r;
        s->good_left = s->left;
    }
    return true;
}

#endif
