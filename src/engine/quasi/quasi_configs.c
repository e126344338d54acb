#include "engine/quasi/quasi_configs.h"
#include "engine/self_check.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

/* ---- lists of configurations ---- */

void configs_free(configs *s) {
    free(s->at);
    free(s->pool);
    *s = (configs){0};
}

void configs_clear(configs *s) { s->n = s->used = 0; }

size_t configs_memory(const configs *s) { return s->room * sizeof *s->at + s->pool_room * sizeof *s->pool; }

/* By element, each once, in windows that are not empty. */
SELF_CHECK static bool entries_are_sound(const touched *entry, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if ((i && entry[i - 1].element >= entry[i].element) ||
            (entry[i].count != COUNT_TAKEN && entry[i].lo >= entry[i].hi))
            return false;
    return true;
}

void configs_add(configs *s, uint64_t done, const touched *entry, uint32_t n, uint32_t path) {
    if (s->n == s->room) s->at = MEM_GROW(s->at, config, s->room = s->room ? 2 * s->room : 64);
    if (s->used + n > s->pool_room) {
        s->pool_room = 2 * (s->used + n) + 64;
        s->pool = MEM_GROW(s->pool, touched, s->pool_room);
    }
    if (n) memcpy(s->pool + s->used, entry, n * sizeof *entry);
    assert(s->n < s->room && s->used + n <= s->pool_room);
    assert_costly(entries_are_sound(entry, n));
    s->at[s->n++] = (config){done, s->used, n, path};
    s->used += n;
}

const touched *config_find(const touched *entry, uint32_t n, uint32_t element) {
    for (uint32_t i = 0; i < n && entry[i].element <= element; i++)
        if (entry[i].element == element) return &entry[i];
    return NULL;
}

/* ---- drafts ---- */

static void draft_reserve(draft *d, uint32_t n) {
    if (n > d->room) d->at = MEM_GROW(d->at, touched, d->room = 2 * n + 8);
}

void draft_take(draft *d, const touched *entry, uint32_t n) {
    draft_reserve(d, n);
    if (n) memcpy(d->at, entry, n * sizeof *entry);
    d->n = n;
}

touched *draft_at(draft *d, touched standard) {
    uint32_t i = d->n;
    while (i && d->at[i - 1].element > standard.element) i--;
    if (i && d->at[i - 1].element == standard.element) return &d->at[i - 1];
    draft_reserve(d, d->n + 1);
    for (uint32_t k = d->n++; k > i; k--) d->at[k] = d->at[k - 1]; /* a few, if any */
    assert((i == 0 || d->at[i - 1].element < standard.element) &&
           (i + 1 == d->n || d->at[i + 1].element > standard.element));
    d->at[i] = standard;
    return &d->at[i];
}

void draft_drop(draft *d, uint32_t element) {
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->at[i].element != element) continue;
        memmove(d->at + i, d->at + i + 1, (--d->n - i) * sizeof *d->at);
        return;
    }
}

void draft_free(draft *d) {
    free(d->at);
    *d = (draft){0};
}

/* ---- dominance ---- */

typedef struct windows {
    const moment *lo, *hi;
} windows;

static bool at_least_as_good(const touched *x, const touched *y) {
    if ((x->count == COUNT_TAKEN) != (y->count == COUNT_TAKEN)) return false;
    return x->count <= y->count && x->lo <= y->lo && x->hi >= y->hi;
}

/* Of two with the same mask. */
static bool dominates(const configs *s, const windows *w, const config *a, const config *b) {
    const touched *x = config_entries(s, a), *x_end = x + a->n, *y = config_entries(s, b), *y_end = y + b->n;
    while (x < x_end || y < y_end) {
        bool has_x = x < x_end && (y == y_end || x->element <= y->element);
        bool has_y = y < y_end && (x == x_end || y->element <= x->element);
        uint32_t element = has_x ? x->element : y->element;
        touched untouched = {element, 0, w->lo[element], w->hi[element]};
        if (!at_least_as_good(has_x ? x : &untouched, has_y ? y : &untouched)) return false;
        assert(has_x || has_y);
        x += has_x;
        y += has_y;
    }
    return true;
}

static int by_mask(const void *a, const void *b) {
    const config *x = a, *y = b;
    if (x->done != y->done) return x->done < y->done ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Mostly there are few. */
static void sort_by_mask(config *at, uint32_t n) {
    enum { FEW = 16 };
    if (n > FEW) {
        qsort(at, n, sizeof *at, by_mask);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        config c = at[i];
        uint32_t k = i;
        for (; k && by_mask(&at[k - 1], &c) > 0; k--) at[k] = at[k - 1];
        at[k] = c;
    }
}

SELF_CHECK static bool none_dominates_its_neighbour(const configs *s, const windows *w) {
    for (uint32_t i = 1; i < s->n; i++) {
        const config *a = &s->at[i - 1], *b = &s->at[i];
        if (a->done > b->done) return false;
        if (a->done == b->done && (dominates(s, w, a, b) || dominates(s, w, b, a))) return false;
    }
    return true;
}

void configs_prune(configs *s, const moment *lo, const moment *hi) {
    if (s->n < 2) return;
    const windows w = {lo, hi};
    sort_by_mask(s->at, s->n);
    uint32_t kept = 0;
    for (uint32_t i = 0, group = 0; i < s->n; i++) {
        config c = s->at[i];
        if (group < kept && s->at[group].done != c.done) group = kept;
        bool needless = false;
        for (uint32_t k = group; k < kept && !needless; k++) needless = dominates(s, &w, &s->at[k], &c);
        if (needless) continue;
        uint32_t stay = group;
        for (uint32_t k = group; k < kept; k++)
            if (!dominates(s, &w, &c, &s->at[k])) s->at[stay++] = s->at[k];
        kept = stay;
        s->at[kept++] = c;
    }
    assert(kept > 0 && kept <= s->n);
    s->n = kept;
    assert_costly(none_dominates_its_neighbour(s, &w));
}

/* ---- what was reached ---- */

static uint64_t entries_hash(const touched *entry, uint32_t n, uint64_t hash) {
    for (uint32_t i = 0; i < n; i++) {
        hash = hash_pair(hash, (uint64_t)entry[i].element << 32 | entry[i].count);
        hash = hash_pair(hash ^ entry[i].lo, entry[i].hi);
    }
    return hash;
}

typedef struct wanted_config {
    uint64_t done;
    const touched *entry;
    uint32_t n, tag;
} wanted_config;

static uint32_t config_hash(const wanted_config *c) {
    return (uint32_t)entries_hash(c->entry, c->n, hash_pair(c->done, c->tag));
}

static uint32_t hash_of_config(const void *owner, uint32_t i) {
    const reached *r = owner;
    const config *c = &r->configs.at[i];
    return config_hash(&(wanted_config){c->done, config_entries(&r->configs, c), c->n, r->tag[i]});
}

static bool is_config(const void *owner, uint32_t i, const void *key) {
    const reached *r = owner;
    const wanted_config *wanted = key;
    const config *c = &r->configs.at[i];
    if (c->done != wanted->done || c->n != wanted->n || r->tag[i] != wanted->tag) return false;
    const touched *own = config_entries(&r->configs, c), *entry = wanted->entry;
    for (uint32_t k = 0; k < c->n; k++)
        if (own[k].element != entry[k].element || own[k].count != entry[k].count || own[k].lo != entry[k].lo ||
            own[k].hi != entry[k].hi)
            return false;
    return true;
}

void reached_clear(reached *r) {
    configs_clear(&r->configs);
    table_clear(&r->numbers);
}

bool reached_add(reached *r, uint64_t done, const draft *d, uint32_t path, uint32_t tag) {
    wanted_config wanted = {done, d->at, d->n, tag};
    uint32_t hash = config_hash(&wanted);
    assert(r->numbers.count == r->configs.n);
    if (table_find(&r->numbers, hash, is_config, r, &wanted) != TABLE_NONE) return false;
    table_add(&r->numbers, hash, hash_of_config, r, r->configs.n);
    if (r->configs.n == r->tag_room)
        r->tag = MEM_GROW(r->tag, uint32_t, r->tag_room = r->tag_room ? 2 * r->tag_room : 64);
    r->tag[r->configs.n] = tag;
    configs_add(&r->configs, done, d->at, d->n, path);
    return true;
}

void reached_free(reached *r) {
    configs_free(&r->configs);
    free(r->tag);
    table_free(&r->numbers);
    *r = (reached){0};
}
