#include "base/word_table.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void charge(word_table *t) {
    size_t now = (t->pool_room + t->room + 1 + t->slots) * sizeof(uint32_t);
    assert(now >= t->charged); /* the table only grows */
    budget_charge(t->budget, now - t->charged);
    t->charged = now;
}

void word_table_init(word_table *t, budget *b) {
    *t = (word_table){.budget = b, .slots = 32, .room = 16, .pool_room = 32};
    t->slot = mem_zero(t->slots, sizeof *t->slot);
    t->start = MEM_ARRAY(uint32_t, t->room + 1);
    t->pool = MEM_ARRAY(uint32_t, t->pool_room);
    t->start[0] = 0;
    charge(t);
}

void word_table_free(word_table *t) {
    if (t->budget) budget_refund(t->budget, t->charged);
    FREE_ALL(t->pool, t->start, t->slot);
    *t = (word_table){0};
}

static uint32_t home(const word_table *t, const uint32_t *w, uint32_t n) {
    /* Single words are mostly values that come in order: keep neighbours together. */
    return (n == 1 ? hash_near(w[0]) : (uint32_t)hash_words(w, n)) & (t->slots - 1);
}

static bool equal(const uint32_t *v, const uint32_t *w, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (v[i] != w[i]) return false;
    return true;
}

static void rehash(word_table *t) {
    t->slots *= 2;
    free(t->slot);
    t->slot = mem_zero(t->slots, sizeof *t->slot);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t n;
        const uint32_t *w = word_table_words(t, i, &n);
        uint32_t at = home(t, w, n);
        while (t->slot[at]) at = (at + 1) & (t->slots - 1);
        t->slot[at] = i + 1;
    }
    assert((t->slots & (t->slots - 1)) == 0 && t->count < t->slots); /* a probe ends */
}

static uint32_t append(word_table *t, const uint32_t *w, uint32_t n) {
    assert(t->start[t->count] == t->pool_used); /* the arrays lie one behind the other without gaps */
    if (t->count == t->room) {
        t->room *= 2;
        t->start = MEM_GROW(t->start, uint32_t, t->room + 1);
        charge(t);
    }
    if (t->pool_used + n > t->pool_room) {
        while (t->pool_used + n > t->pool_room) t->pool_room *= 2;
        if (t->pool_room > UINT32_MAX) mem_exhausted("more than 2^32 words of states");
        t->pool = MEM_GROW(t->pool, uint32_t, t->pool_room);
        charge(t);
    }
    assert(t->count < t->room && t->pool_used + n <= t->pool_room);
    if (n) memcpy(t->pool + t->pool_used, w, n * sizeof *w);
    t->pool_used += n;
    t->start[++t->count] = (uint32_t)t->pool_used;
    return t->count - 1;
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
/* The number that looking up these words gives; UINT32_MAX: none. */
static uint32_t number_found(const word_table *t, const uint32_t *w, uint32_t n) {
    for (uint32_t at = home(t, w, n); t->slot[at]; at = (at + 1) & (t->slots - 1)) {
        uint32_t m;
        const uint32_t *v = word_table_words(t, t->slot[at] - 1, &m);
        if (m == n && equal(v, w, n)) return t->slot[at] - 1;
    }
    return UINT32_MAX;
}
#endif

uint32_t word_table_number(word_table *t, const uint32_t *w, uint32_t n) {
    uint32_t at = home(t, w, n);
    for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
        uint32_t m;
        const uint32_t *v = word_table_words(t, t->slot[at] - 1, &m);
        if (m == n && equal(v, w, n)) return t->slot[at] - 1;
    }
    uint32_t number = append(t, w, n);
    t->slot[at] = number + 1;
    if (t->count * 2 > t->slots) {
        rehash(t);
        charge(t);
    }
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    assert(number_found(t, t->pool + t->start[number], n) == number);
#endif
    return number;
}
