#include "monitor/ways.h"

/* Each way is found under its hash, and nothing else is in the table. */
#ifdef PLUMB_SELF_CHECKS
static void check_slots(const ways *w) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < w->slots; i++) {
        if (!w->slot[i]) continue;
        const uint32_t k = w->slot[i] - 1;
        assert(k < w->n && w->start[k] < w->start[k + 1] && w->start[k + 1] <= w->words);
        used++;
    }
    assert(used == w->n && (!w->n || w->start[w->n] == w->words));
}
#else
static void check_slots(const ways *w) { (void)w; }
#endif

void ways_clear(ways *w) {
    if (w->n * 8 > w->slots || w->slots > 1024) {
        memset(w->slot, 0, w->slots * sizeof *w->slot);
    } else {
        for (uint32_t i = 0; i < w->n; i++) {
            uint32_t at = (uint32_t)hash_words(w->word + w->start[i], w->start[i + 1] - w->start[i]) & (w->slots - 1);
            while (w->slot[at]) {
                w->slot[at] = 0;
                at = (at + 1) & (w->slots - 1);
            }
        }
    }
    w->n = 0;
    w->words = 0;
    check_slots(w);
}

void ways_init(ways *w) {
    *w = (ways){.room = 8, .slots = 32};
    w->start = MEM_ARRAY(size_t, w->room + 1);
    w->start[0] = 0;
    w->slot = mem_zero(w->slots, sizeof *w->slot);
}

void ways_free(ways *w) {
    free(w->word);
    free(w->start);
    free(w->slot);
}

size_t ways_memory(const ways *w) {
    return w->word_room * sizeof *w->word + w->room * sizeof *w->start + w->slots * sizeof *w->slot;
}

static void ways_rehash(ways *w) {
    free(w->slot);
    w->slots *= 2;
    w->slot = mem_zero(w->slots, sizeof *w->slot);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t at = (uint32_t)hash_words(w->word + w->start[i], w->start[i + 1] - w->start[i]) & (w->slots - 1);
        while (w->slot[at]) at = (at + 1) & (w->slots - 1);
        w->slot[at] = i + 1;
    }
    check_slots(w);
}

void ways_add(ways *w, const uint32_t *words, size_t n) {
    uint32_t at = (uint32_t)hash_words(words, n) & (w->slots - 1);
    for (; w->slot[at]; at = (at + 1) & (w->slots - 1)) {
        uint32_t i = w->slot[at] - 1;
        if (w->start[i + 1] - w->start[i] == n && !memcmp(w->word + w->start[i], words, n * sizeof *words)) return;
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
    assert(w->words <= w->word_room && w->n <= w->room && w->start[w->n - 1] + n == w->words);
    if (2 * w->n > w->slots) ways_rehash(w);
}

void ways_swap(ways *a, ways *b) {
    ways t = *a;
    *a = *b;
    *b = t;
}

void ways_store(store *s, ways *w) {
    STORE(s, w->n);
    STORE(s, w->room);
    STORE(s, w->slots);
    STORE(s, w->words);
    STORE(s, w->word_room);
    if (s->loading) ways_free(w);
    STORE_ARRAY(s, w->word, w->words, w->word_room);
    STORE_ARRAY(s, w->start, w->n + 1u, w->room + 1u);
    STORE_ARRAY(s, w->slot, w->slots, w->slots);
    if (!s->bad) check_slots(w);
}

/* ---- operations ---- */

operation monitored_view(const monitored *m) {
    operation op = {.call = (uint32_t)m->call,
                    .ret = m->ret == MOMENT_NEVER ? RANK_NEVER : (uint32_t)m->ret,
                    .client = m->client,
                    .method = m->method,
                    .nargs = m->nargs,
                    .key = m->key,
                    .res = m->res};
    memcpy(op.arg, m->arg, sizeof op.arg);
    return op;
}

static bool is_empty_string(const values *t, value v) {
    size_t n;
    if (value_kind_of(t, v) != KIND_BYTES) return false;
    value_as_bytes(t, v, &n);
    return n == 0;
}

/* Scans of a snapshot may leave out cells at the end that were not written. */
static bool same_cells(const values *t, value a, value b) {
    size_t na, nb;
    if (value_kind_of(t, a) != KIND_TUPLE || value_kind_of(t, b) != KIND_TUPLE) return false;
    const value *pa = value_as_tuple(t, a, &na), *pb = value_as_tuple(t, b, &nb);
    while (na && pa[na - 1] == VALUE_NONE) na--;
    while (nb && pb[nb - 1] == VALUE_NONE) nb--;
    return na == nb && !memcmp(pa, pb, na * sizeof *pa);
}

/* The recording may not have kept it; removes of one element tell by a boolean, the element or empty; an exchange in
 * vain is empty or false; an absent key is "" to some stores. The objects' steps accept these (object/set.c,
 * object/multiset.c, object/exchanger.c, object/kv.c, object/snapshot.c). */
bool monitored_says(const object *o, const monitored *op, value meant) {
    if (meant == op->res) return true;
    const method *m = &o->type->methods[op->method];
    switch (m->result) {
    case RESULT_MAYBE_BOOL:
    case RESULT_MAYBE_INT: return op->res == VALUE_NONE;
    case RESULT_REMOVED:
        return op->nargs &&
               ((meant == VALUE_TRUE && op->res == op->arg[0]) || (meant == VALUE_FALSE && op->res == VALUE_EMPTY) ||
                (meant == VALUE_EMPTY && op->res == VALUE_FALSE));
    case RESULT_VALUE:
        if (o->type->keyed && meant == VALUE_NONE) return is_empty_string(o->values, op->res);
        return same_cells(o->values, meant, op->res);
    default: return false;
    }
}
