#include "engine/general/state_table.h"
#include "base/hash.h"
#include "engine/self_check.h"

void state_table_free(state_table *t) {
    free(t->word);
    free(t->entry);
    table_free(&t->numbers);
    *t = (state_table){0};
}

static uint32_t hash_of_state(const void *owner, uint32_t number) {
    return ((const state_table *)owner)->entry[number].hash;
}

typedef struct wanted_state {
    const state *s;
    uint32_t hash;
} wanted_state;

static bool is_state(const void *owner, uint32_t number, const void *key) {
    const state_table *t = owner;
    const wanted_state *wanted = key;
    const state_entry *e = &t->entry[number];
    const state *s = wanted->s;
    return e->hash == wanted->hash && e->n == s->n &&
           (e->n == 0 || memcmp(t->word + e->at, s->w, e->n * sizeof *s->w) == 0);
}

static void add_words(state_table *t, const state *s) {
    while (!t->word || t->words + s->n > t->word_room) {
        t->word_room = t->word_room ? 2 * t->word_room : 256;
        t->word = MEM_GROW(t->word, uint32_t, t->word_room);
    }
    if (s->n) memcpy(t->word + t->words, s->w, s->n * sizeof *s->w);
    t->words += s->n;
}

uint32_t state_table_number(state_table *t, const state *s) {
    wanted_state wanted = {s, (uint32_t)state_hash(s)};
    uint32_t number = table_find(&t->numbers, wanted.hash, is_state, t, &wanted);
    if (number != TABLE_NONE) return number;
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->entry = MEM_GROW(t->entry, state_entry, t->room);
    }
    t->entry[t->count] = (state_entry){t->words, s->n, wanted.hash};
    add_words(t, s);
    table_add(&t->numbers, wanted.hash, hash_of_state, t, t->count);
    t->count++;
    assert(t->count <= t->room && t->count == t->numbers.count);
    assert(t->entry[t->count - 1].at + s->n == t->words);
    return t->count - 1;
}

void state_table_get(const state_table *t, uint32_t number, state *out) {
    assert(number < t->count);
    state_set(out, t->word + t->entry[number].at, t->entry[number].n);
}

bool state_table_is_long(const state_table *t) { return t->count > 2 * t->retained + 1024; }

static uint64_t state_digest(const state_table *t, uint32_t number) {
    const state_entry *e = &t->entry[number];
    return hash_words(t->word + e->at, e->n);
}

/* The states stand one behind the other, each with its hash, and each is found under its own number. */
SELF_CHECK static bool states_are_sound(const state_table *t) {
    size_t words = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const state_entry *e = &t->entry[i];
        state view = {.w = t->word + e->at, .n = e->n, .room = e->n};
        if (e->at != words || (uint32_t)state_hash(&view) != e->hash) return false;
        words += e->n;
        if (table_find(&t->numbers, e->hash, is_state, t, &(wanted_state){&view, e->hash}) != i) return false;
    }
    return words == t->words;
}

void state_table_retain(state_table *t, uint32_t *const *number, uint32_t n) {
    uint32_t count = 0, *keep = mem_zero(t->count, sizeof *keep); /* by number: is it kept? then its new number */
    size_t words = 0;
    SELF_CHECK uint64_t first = SELF_CHECKS && n ? state_digest(t, *number[0]) : 0;
    for (uint32_t i = 0; i < n; i++) {
        assert(*number[i] < t->count);
        keep[*number[i]] = 1;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        if (!keep[i]) continue;
        state_entry e = t->entry[i];
        memmove(t->word + words, t->word + e.at, e.n * sizeof *t->word);
        assert(words <= e.at);
        e.at = words;
        words += e.n;
        t->entry[count] = e;
        keep[i] = count++;
    }
    t->count = t->retained = count;
    t->words = words;
    table_clear(&t->numbers);
    for (uint32_t i = 0; i < count; i++) table_add(&t->numbers, t->entry[i].hash, hash_of_state, t, i);
    for (uint32_t i = 0; i < n; i++) *number[i] = keep[*number[i]];
    assert_costly(states_are_sound(t));
    assert_costly(n == 0 || state_digest(t, *number[0]) == first);
    free(keep);
}

size_t state_table_memory(const state_table *t) {
    return t->word_room * sizeof *t->word + t->room * sizeof *t->entry + table_memory(&t->numbers);
}
