#include "evidence/standings.h"

#include <assert.h>

/* ---- states ---- */

void state_store_init(state_store *s) {
    *s = (state_store){.slots = 64, .numbers_room = 32};
    s->slot = mem_zero(s->slots, sizeof *s->slot);
    s->from = MEM_ARRAY(size_t, s->numbers_room + 1);
    s->from[0] = 0;
}

void state_store_free(state_store *s) {
    free(s->word);
    free(s->from);
    free(s->slot);
    *s = (state_store){0};
}

void state_store_get(const state_store *s, uint32_t number, state *out) {
    assert(number < s->n && s->from[number] <= s->from[number + 1]);
    state_set(out, s->word + s->from[number], (uint32_t)(s->from[number + 1] - s->from[number]));
}

static uint32_t state_slot(const state_store *s, const uint32_t *w, size_t n) {
    uint32_t at = (uint32_t)hash_words(w, n) & (s->slots - 1);
    for (; s->slot[at]; at = (at + 1) & (s->slots - 1)) {
        size_t from = s->from[s->slot[at] - 1], length = s->from[s->slot[at]] - from;
        if (length == n && (n == 0 || memcmp(s->word + from, w, n * sizeof *w) == 0)) break;
    }
    return at;
}

static void more_numbers(state_store *s) {
    s->numbers_room *= 2;
    s->slots *= 2;
    assert(s->slots > s->numbers_room && (s->slots & (s->slots - 1)) == 0); /* a probe ends */
    s->from = MEM_GROW(s->from, size_t, s->numbers_room + 1);
    free(s->slot);
    s->slot = mem_zero(s->slots, sizeof *s->slot);
    for (uint32_t i = 0; i < s->n; i++)
        s->slot[state_slot(s, s->word + s->from[i], s->from[i + 1] - s->from[i])] = i + 1;
}

uint32_t state_store_add(state_store *s, const state *what) {
    uint32_t at = state_slot(s, what->w, what->n);
    if (s->slot[at]) return s->slot[at] - 1;
    if (s->n == s->numbers_room) {
        more_numbers(s);
        at = state_slot(s, what->w, what->n);
    }
    if (s->words + what->n > s->room) {
        s->room = 2 * (s->words + what->n);
        s->word = MEM_GROW(s->word, uint32_t, s->room);
    }
    if (what->n) memcpy(s->word + s->words, what->w, what->n * sizeof *what->w);
    assert(s->n < s->numbers_room && s->from[s->n] == s->words);
    s->words += what->n;
    s->from[++s->n] = s->words;
    s->slot[at] = s->n;
    assert(state_slot(s, what->w, what->n) == at); /* it is found again */
    return s->n - 1;
}

/* ---- standings ---- */

void standings_init(standings *s, unsigned done_words, unsigned used_words) {
    *s = (standings){.done_words = done_words, .used_words = used_words, .slots = 64};
    s->slot = mem_zero(s->slots, sizeof *s->slot);
}

void standings_free(standings *s) {
    free(s->at);
    free(s->chain);
    free(s->slot);
    *s = (standings){0};
}

void standings_clear(standings *s) {
    if (s->n) memset(s->slot, 0, s->slots * sizeof *s->slot);
    s->n = s->fixed = 0;
}

static uint32_t hash_of(const standings *s, const uint64_t *standing) {
    uint64_t sum = standing[0];
    for (unsigned k = 1; k <= s->done_words; k++) sum = hash_pair(sum, standing[k]);
    return (uint32_t)hash_mix(sum) & (s->slots - 1);
}

static void link_in(standings *s, uint32_t i) {
    uint32_t *first = &s->slot[hash_of(s, standing_at(s, i))];
    s->chain[i] = *first;
    *first = i + 1;
}

static void make_room(standings *s) {
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 32;
        s->at = MEM_GROW(s->at, uint64_t, (size_t)s->room * standing_words(s));
        s->chain = MEM_GROW(s->chain, uint32_t, s->room);
    }
    if (s->n < s->slots) return;
    free(s->slot);
    s->slots *= 4;
    s->slot = mem_zero(s->slots, sizeof *s->slot);
    for (uint32_t i = 0; i < s->n; i++) link_in(s, i);
}

static bool is_part_of(const uint64_t *a, const uint64_t *b, unsigned words) {
    for (unsigned k = 0; k < words; k++)
        if (a[k] & ~b[k]) return false;
    return true;
}

void standings_add(standings *s, const uint64_t *standing) {
    unsigned key = 1 + s->done_words;
    size_t bytes = standing_words(s) * sizeof *standing;
    for (uint32_t i = s->slot[hash_of(s, standing)]; i; i = s->chain[i - 1]) {
        uint64_t *other = standing_at(s, i - 1);
        if (memcmp(other, standing, key * sizeof *other)) continue;
        if (is_part_of(other + key, standing + key, s->used_words)) return;
        if (i - 1 >= s->fixed && is_part_of(standing + key, other + key, s->used_words)) {
            memcpy(other, standing, bytes);
            return;
        }
    }
    make_room(s);
    assert(s->n < s->room && s->fixed <= s->n);
    memcpy(standing_at(s, s->n), standing, bytes);
    link_in(s, s->n++);
}
