/* Sets of ways: what has taken effect, which pending operations were used for it, and the state it led to. */
#ifndef PLUMB_MONITOR_PROSPECTS_H
#define PLUMB_MONITOR_PROSPECTS_H

#include "monitor/pending_kinds.h"

/* Ways, each once. A way is: the set of open operations that have taken effect (two words), how many kinds of pending
 * operations were used, for each its number and how many (ascending), then the object's state. */
typedef struct prospects {
    uint32_t *word;
    size_t words, word_room;
    size_t *start; /* way i is word[start[i]] .. word[start[i + 1] - 1] */
    uint32_t n, room, dropped;
    uint32_t *slot; /* number + 1, by open operations and state */
    uint32_t slots;
    bool sparing; /* not all are wanted: of those that differ only in what they used a few will do */
} prospects;

/* ---- one way ---- */

enum { PROSPECT_HEAD = 3 }; /* words before the pairs */
/* with the number of kinds: there is a better way; it may be none, since what it used is at least what it says */
#define PROSPECT_DROPPED 0x80000000u
#define PROSPECT_MAYBE 0x40000000u

typedef struct prospect {
    uint64_t done;
    const uint32_t *used; /* pairs: kind, how many */
    uint32_t used_n;      /* pairs */
    const uint32_t *state;
    uint32_t n; /* words of the state */
    bool maybe;
} prospect;

static inline prospect prospect_read(const uint32_t *words, size_t n) {
    prospect c = {.done = words[0] | (uint64_t)words[1] << 32,
                  .used = words + PROSPECT_HEAD,
                  .used_n = words[2] & ~PROSPECT_MAYBE};
    c.maybe = words[2] & PROSPECT_MAYBE;
    c.state = c.used + 2 * c.used_n;
    assert(!(words[2] & PROSPECT_DROPPED) && PROSPECT_HEAD + 2 * (size_t)c.used_n <= n);
    c.n = (uint32_t)(n - PROSPECT_HEAD) - 2 * c.used_n;
    return c;
}

static inline bool prospects_dropped(const prospects *w, uint32_t i) {
    return w->word[w->start[i] + 2] & PROSPECT_DROPPED;
}

static inline prospect prospects_at(const prospects *w, uint32_t i) {
    return prospect_read(w->word + w->start[i], w->start[i + 1] - w->start[i]);
}

static inline uint32_t prospect_used(const prospect *c, uint32_t kind) {
    for (uint32_t i = 0; i < c->used_n && c->used[2 * i] <= kind; i++)
        if (c->used[2 * i] == kind) return c->used[2 * i + 1];
    return 0;
}

/* ---- the set ---- */

void prospects_init(prospects *w);
void prospects_free(prospects *w);
size_t prospects_memory(const prospects *w);
void prospects_clear(prospects *w);
void prospects_copy(prospects *to, const prospects *from);
bool prospects_sure(const prospects *w); /* one of them is certain to be a way */
static inline uint32_t prospects_left(const prospects *w) { return w->n - w->dropped; }

typedef struct prospect_draft { /* where a way is put together before it is added */
    uint32_t *word;
    uint32_t room;
} prospect_draft;

/* The way c with these operations done, one more of a kind used (NO_KIND: none), and the state as given. */
void prospects_add_with(prospect_draft *draft, prospects *to, const prospect *c, uint64_t done, uint32_t kind,
                        const uint32_t *words, uint32_t n);
/* Each of them with so many fewer of a kind used; `work` is overwritten. */
void prospects_unuse(prospect_draft *draft, prospects *w, prospects *work, uint32_t kind, uint32_t many);

#endif
