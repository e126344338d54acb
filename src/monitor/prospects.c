#include "monitor/prospects.h"

enum { MOST_VARIANTS = 6 }; /* ways that differ only in what they used */

static uint64_t way_hash(const prospect *c) {
    return hash_pair(c->done, c->n == 1 ? *c->state : hash_words(c->state, c->n));
}

static bool same_but_for_used(const prospect *a, const prospect *b) {
    return a->done == b->done && a->n == b->n && (!a->n || !memcmp(a->state, b->state, a->n * sizeof *a->state));
}

/* a used no more of any kind than b. */
static bool used_no_more(const prospect *a, const prospect *b) {
    if (a->used_n > b->used_n) return false;
    for (uint32_t i = 0; i < a->used_n; i++)
        if (prospect_used(b, a->used[2 * i]) < a->used[2 * i + 1]) return false;
    return true;
}

/* ---- sets of ways ---- */

void prospects_init(prospects *w) {
    *w = (prospects){.room = 8, .slots = 32};
    w->start = MEM_ARRAY(size_t, w->room + 1);
    w->start[0] = 0;
    w->slot = mem_zero(w->slots, sizeof *w->slot);
}

void prospects_free(prospects *w) {
    free(w->word);
    free(w->start);
    free(w->slot);
}

size_t prospects_memory(const prospects *w) {
    return w->word_room * sizeof *w->word + w->room * sizeof *w->start + w->slots * sizeof *w->slot;
}

void prospects_clear(prospects *w) {
    enum { FEW = 64 };
    if (w->n == 1 && w->slots > FEW && !prospects_dropped(w, 0)) {
        prospect c = prospects_at(w, 0);
        w->slot[(uint32_t)way_hash(&c) & (w->slots - 1)] = 0;
    } else if (w->n) {
        memset(w->slot, 0, w->slots * sizeof *w->slot);
    }
    w->n = w->dropped = 0;
    w->words = 0;
}

static void prospects_rehash(prospects *w) {
    free(w->slot);
    w->slots *= 2;
    w->slot = mem_zero(w->slots, sizeof *w->slot);
    for (uint32_t i = 0; i < w->n; i++) {
        if (prospects_dropped(w, i)) continue;
        prospect c = prospects_at(w, i);
        uint32_t at = (uint32_t)way_hash(&c) & (w->slots - 1);
        while (w->slot[at]) at = (at + 1) & (w->slots - 1);
        w->slot[at] = i + 1;
    }
}

static void drop_way(prospects *w, uint32_t i) {
    w->word[w->start[i] + 2] |= PROSPECT_DROPPED;
    w->dropped++;
}

/* a makes b needless: it is as sure, and used no more. */
static bool is_as_good(const prospect *a, const prospect *b) { return a->maybe <= b->maybe && used_no_more(a, b); }

/* What both used, at least: in place. */
static size_t common_use(const prospect *other, uint32_t *words, size_t n) {
    uint32_t pairs = 0, had = words[2] & ~PROSPECT_MAYBE;
    for (uint32_t k = 0; k < had; k++) {
        uint32_t kind = words[PROSPECT_HEAD + 2 * k], many = words[PROSPECT_HEAD + 2 * k + 1],
                 less = prospect_used(other, kind);
        if (!less) continue;
        words[PROSPECT_HEAD + 2 * pairs] = kind;
        words[PROSPECT_HEAD + 2 * pairs++ + 1] = less < many ? less : many;
    }
    memmove(words + PROSPECT_HEAD + 2 * pairs, words + PROSPECT_HEAD + 2 * had,
            (n - PROSPECT_HEAD - 2 * had) * sizeof *words);
    words[2] = pairs | PROSPECT_MAYBE;
    return n - 2 * (had - pairs);
}

/* Unless there is one that is as good. Those that it is better than are dropped. When there are many that differ only
 * in what they used, the others are put together to one that may be none: it used what they all did. */
static void prospects_add(prospects *w, uint32_t *words, size_t n) {
    prospect c = prospect_read(words, n);
    const uint32_t home = (uint32_t)way_hash(&c) & (w->slots - 1);
    uint32_t at = home, variants = 0, maybe = UINT32_MAX;
    for (; w->slot[at]; at = (at + 1) & (w->slots - 1)) {
        uint32_t i = w->slot[at] - 1;
        if (prospects_dropped(w, i)) continue;
        prospect other = prospects_at(w, i);
        if (!same_but_for_used(&other, &c)) continue;
        if (is_as_good(&other, &c)) return;
        if (is_as_good(&c, &other)) {
            drop_way(w, i);
            continue;
        }
        if (other.maybe) maybe = i;
        else variants++;
    }
    if (variants >= MOST_VARIANTS && w->sparing) return;
    if (c.maybe || variants >= MOST_VARIANTS) {
        if (maybe != UINT32_MAX) {
            prospect other = prospects_at(w, maybe);
            if (used_no_more(&other, &c)) return; /* it is one of those put together already */
            n = common_use(&other, words, n);
            if (!prospects_dropped(w, maybe)) drop_way(w, maybe);
        } else {
            words[2] |= PROSPECT_MAYBE;
        }
    }
    if (w->words + n > w->word_room) {
        w->word_room = 2 * (w->words + n);
        w->word = MEM_GROW(w->word, uint32_t, w->word_room);
    }
    if (w->n == w->room) {
        w->room *= 2;
        w->start = MEM_GROW(w->start, size_t, w->room + 1);
    }
    memcpy(w->word + w->words, words, n * sizeof *words);
    w->words += n;
    w->slot[at] = ++w->n;
    w->start[w->n] = w->words;
    if (2 * w->n > w->slots) prospects_rehash(w);
}

void prospects_copy(prospects *to, const prospects *from) {
    prospects_clear(to);
    for (uint32_t i = 0; i < from->n; i++)
        if (!prospects_dropped(from, i))
            prospects_add(to, from->word + from->start[i], from->start[i + 1] - from->start[i]);
}

bool prospects_sure(const prospects *w) {
    for (uint32_t i = 0; i < w->n; i++)
        if (!prospects_dropped(w, i) && !prospects_at(w, i).maybe) return true;
    return false;
}

/* ---- drafts ---- */

static uint32_t *draft_reserve(prospect_draft *d, size_t words) {
    if (words > d->room) d->word = MEM_GROW(d->word, uint32_t, d->room = (uint32_t)(2 * words));
    return d->word;
}

void prospects_add_with(prospect_draft *draft, prospects *to, const prospect *c, uint64_t done, uint32_t kind,
                        const uint32_t *words, uint32_t n) {
    uint32_t *p = draft_reserve(draft, PROSPECT_HEAD + 2 * (size_t)c->used_n + 2 + n), pairs = 0;
    bool entered = kind == NO_KIND;
    for (uint32_t i = 0; i < c->used_n; i++) {
        if (!entered && c->used[2 * i] > kind) {
            p[PROSPECT_HEAD + 2 * pairs] = kind;
            p[PROSPECT_HEAD + 2 * pairs++ + 1] = 1;
            entered = true;
        }
        p[PROSPECT_HEAD + 2 * pairs] = c->used[2 * i];
        p[PROSPECT_HEAD + 2 * pairs++ + 1] = c->used[2 * i + 1] + (!entered && c->used[2 * i] == kind);
        entered |= c->used[2 * i] == kind;
    }
    if (!entered) {
        p[PROSPECT_HEAD + 2 * pairs] = kind;
        p[PROSPECT_HEAD + 2 * pairs++ + 1] = 1;
    }
    p[0] = (uint32_t)done;
    p[1] = (uint32_t)(done >> 32);
    p[2] = pairs | (c->maybe ? PROSPECT_MAYBE : 0);
    if (n) memcpy(p + PROSPECT_HEAD + 2 * pairs, words, n * sizeof *p);
    prospects_add(to, p, PROSPECT_HEAD + 2 * (size_t)pairs + n);
}

void prospects_unuse(prospect_draft *draft, prospects *w, prospects *work, uint32_t kind, uint32_t many) {
    prospects_clear(work);
    for (uint32_t i = 0; i < w->n; i++) {
        if (prospects_dropped(w, i)) continue;
        size_t n = w->start[i + 1] - w->start[i];
        const uint32_t *from = w->word + w->start[i];
        uint32_t *p = draft_reserve(draft, n), pairs = 0;
        const uint32_t had = from[2] & ~PROSPECT_MAYBE;
        for (uint32_t k = 0; k < had; k++) {
            uint32_t left = from[PROSPECT_HEAD + 2 * k + 1] - (from[PROSPECT_HEAD + 2 * k] == kind ? many : 0);
            if (!left) continue;
            p[PROSPECT_HEAD + 2 * pairs] = from[PROSPECT_HEAD + 2 * k];
            p[PROSPECT_HEAD + 2 * pairs++ + 1] = left;
        }
        uint32_t words = (uint32_t)n - PROSPECT_HEAD - 2 * had;
        memcpy(p + PROSPECT_HEAD + 2 * pairs, from + PROSPECT_HEAD + 2 * had, words * sizeof *p);
        p[0] = from[0];
        p[1] = from[1];
        p[2] = pairs | (from[2] & PROSPECT_MAYBE);
        prospects_add(work, p, PROSPECT_HEAD + 2 * (size_t)pairs + words);
    }
    prospects_copy(w, work);
}
