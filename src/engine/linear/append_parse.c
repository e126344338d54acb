#include "engine/linear/append_parse.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Strings are compared by their hashes as polynomials modulo a prime, so that the hash of every piece of a string
 * follows from those of its beginnings; what has the same hash is compared byte by byte. */
static const uint64_t PRIME = (UINT64_C(1) << 61) - 1, BASE = UINT64_C(0x1c9f5a3be37d21d1);

static uint64_t times(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    uint64_t sum = ((uint64_t)product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t longer(uint64_t h, unsigned char c) {
    uint64_t sum = times(h, BASE) + c + 1;
    return sum >= PRIME ? sum - PRIME : sum;
}

typedef struct update_text { /* of an update, as bytes */
    char *at;
    size_t n;
    uint64_t hash;
    uint32_t next; /* with the same hash modulo the table's size; NO_CONTENT: none */
    uint32_t content;
} update_text;

typedef struct known_content {
    key_content shown;
    const char *at; /* in a string of the history, or an update's text */
    size_t n;
    uint64_t hash;
    uint32_t next; /* as in update_text */
} known_content;

struct append_parse {
    const problem *p;
    const value *written;
    const bool *appends;
    bool may_be_absent;
    update_text *update; /* by position; the initial value's is behind them */
    uint32_t *slot, mask;
    size_t *length; /* of appended pieces, ascending, each once */
    uint32_t lengths;
    known_content *content;
    uint32_t contents, room;
    uint32_t *content_slot;
    uint64_t *beginning; /* of the string being taken apart: hashes */
    uint64_t *power;     /* of BASE */
    size_t beginnings;
    struct taken *off; /* taken off its end */
    uint32_t offs, off_room;
};

/* ---- texts of updates ---- */

static void text_of_value(const values *t, value v, text *out) {
    size_t n;
    if (value_kind_of(t, v) != KIND_BYTES) {
        value_print(t, v, out);
        return;
    }
    const char *p = value_as_bytes(t, v, &n);
    text_bytes(out, p, n);
}

static void add_update(append_parse *a, uint32_t i, value v) {
    update_text *u = &a->update[i];
    text t = {0};
    text_of_value(a->p->h->values, v, &t);
    u->n = t.size;
    u->at = t.at;
    for (size_t k = 0; k < u->n; k++) u->hash = longer(u->hash, (unsigned char)u->at[k]);
    uint32_t at = (uint32_t)hash_mix(u->hash) & a->mask;
    u->next = a->slot[at];
    a->slot[at] = i;
}

static int by_length(const void *x, const void *y) {
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    return (a > b) - (a < b);
}

static void find_lengths(append_parse *a) {
    uint32_t n = 0, kept = 0;
    a->length = MEM_ARRAY(size_t, a->p->n + 1);
    for (uint32_t i = 0; i < a->p->n; i++)
        if (a->appends[i]) a->length[n++] = a->update[i].n;
    qsort(a->length, n, sizeof *a->length, by_length);
    for (uint32_t k = 0; k < n; k++)
        if (!kept || a->length[kept - 1] != a->length[k]) a->length[kept++] = a->length[k];
    a->lengths = kept;
}

static uint32_t *empty_slots(uint32_t mask) {
    uint32_t *slot = MEM_ARRAY(uint32_t, (size_t)mask + 1);
    memset(slot, 0xff, ((size_t)mask + 1) * sizeof *slot);
    return slot;
}

append_parse *append_parse_new(const problem *p, const value *written, const bool *appends, bool may_be_absent) {
    append_parse *a = MEM_NEW(append_parse);
    *a = (append_parse){.p = p, .written = written, .appends = appends, .may_be_absent = may_be_absent};
    for (a->mask = 15; a->mask < p->n; a->mask = 2 * a->mask + 1) {}
    a->slot = empty_slots(a->mask);
    a->content_slot = empty_slots(a->mask);
    a->update = mem_zero((size_t)p->n + 1, sizeof *a->update);
    for (uint32_t i = 0; i <= p->n; i++) {
        value v = i < p->n ? written[i] : p->o->init;
        a->update[i].content = NO_CONTENT;
        if (v != VALUE_UNKNOWN && v != VALUE_NONE) add_update(a, i, v);
    }
    find_lengths(a);
    return a;
}

void append_parse_free(append_parse *a) {
    for (uint32_t i = 0; i <= a->p->n; i++) free(a->update[i].at);
    FREE_ALL(a->update, a->slot, a->length, a->content, a->content_slot, a->beginning, a->power, a->off, a);
}

const key_content *append_parse_at(const append_parse *a, uint32_t content) { return &a->content[content].shown; }
uint32_t append_parse_of(const append_parse *a, uint32_t i) { return a->update[i].content; }

/* ---- contents ---- */

typedef struct piece {
    const char *at;
    size_t n;
    uint64_t hash;
} piece;

static bool is_append(const append_parse *a, uint32_t i) { return i < a->p->n && a->appends[i]; }

static uint32_t add_content(append_parse *a, uint32_t before, uint32_t i, bool appended, piece whole) {
    if (a->contents == a->room) {
        a->room = a->room ? 2 * a->room : 16;
        a->content = MEM_GROW(a->content, known_content, a->room);
    }
    uint32_t at = (uint32_t)hash_mix(whole.hash) & a->mask;
    a->content[a->contents] = (known_content){
        .shown = {.before = before, .writer = i < a->p->n ? i : NO_CONTENT, .appended = appended},
        .at = whole.at,
        .n = whole.n,
        .hash = whole.hash,
        .next = a->content_slot[at],
    };
    a->content_slot[at] = a->contents;
    a->update[i].content = a->contents;
    return a->contents++;
}

static uint32_t known(const append_parse *a, piece whole) {
    uint32_t k = a->content_slot[(uint32_t)hash_mix(whole.hash) & a->mask];
    for (; k != NO_CONTENT; k = a->content[k].next) {
        const known_content *c = &a->content[k];
        if (c->hash == whole.hash && c->n == whole.n && !memcmp(c->at, whole.at, whole.n)) break;
    }
    return k;
}

/* ---- a string ---- */

static void hash_beginnings(append_parse *a, const char *p, size_t n) {
    if (n + 1 > a->beginnings) {
        a->beginnings = 2 * n + 1;
        a->beginning = MEM_GROW(a->beginning, uint64_t, a->beginnings);
        a->power = MEM_GROW(a->power, uint64_t, a->beginnings);
        a->power[0] = 1;
        for (size_t k = 1; k < a->beginnings; k++) a->power[k] = times(a->power[k - 1], BASE);
    }
    a->beginning[0] = 0;
    for (size_t k = 0; k < n; k++) a->beginning[k + 1] = longer(a->beginning[k], (unsigned char)p[k]);
}

static uint64_t hash_between(const append_parse *a, size_t from, size_t to) {
    uint64_t h = a->beginning[to] + PRIME - times(a->beginning[from], a->power[to - from]);
    return h >= PRIME ? h - PRIME : h;
}

typedef struct last_update { /* which may have been the last one */
    uint32_t i, count;
    bool behind; /* another content */
} last_update;

/* Updates whose text is this piece: appends behind something, or what stands alone. Of the string that was observed
 * itself the value has to be the same, not just its text. */
static void look_for(const append_parse *a, piece q, bool behind, value exact, last_update *found) {
    uint32_t i = a->slot[(uint32_t)hash_mix(q.hash) & a->mask];
    for (; i != NO_CONTENT; i = a->update[i].next) {
        const update_text *u = &a->update[i];
        if (u->hash != q.hash || u->n != q.n || memcmp(u->at, q.at, q.n)) continue;
        if (behind ? !is_append(a, i) : is_append(a, i) && !a->may_be_absent) continue;
        value v = i < a->p->n ? a->written[i] : a->p->o->init;
        if (!behind && exact != VALUE_UNKNOWN && v != exact) continue;
        *found = (last_update){.i = i, .count = found->count + 1, .behind = behind};
    }
}

static last_update last_of(const append_parse *a, const char *p, size_t n, value exact) {
    last_update found = {.i = NO_CONTENT};
    look_for(a, (piece){p, n, a->beginning[n]}, false, exact, &found);
    for (uint32_t k = 0; k < a->lengths && a->length[k] < n; k++) {
        size_t from = n - a->length[k];
        look_for(a, (piece){p + from, n - from, hash_between(a, from, n)}, true, exact, &found);
    }
    return found;
}

typedef struct taken { /* an append that was taken off the end, and the length of the string with it */
    uint32_t i;
    size_t n;
} taken;

static void take_off(append_parse *a, uint32_t i, size_t n) {
    if (a->offs == a->off_room) a->off = MEM_GROW(a->off, taken, a->off_room = a->off_room ? 2 * a->off_room : 16);
    a->off[a->offs++] = (taken){i, n};
}

/* Down to a content that is known, or one that stands alone. */
static parse_answer take_apart(append_parse *a, const char *p, size_t n, value exact, uint32_t *content) {
    for (;; exact = VALUE_UNKNOWN) {
        piece whole = {p, n, a->beginning[n]};
        *content = exact == VALUE_UNKNOWN ? known(a, whole) : NO_CONTENT;
        if (*content != NO_CONTENT) return PARSE_CONTENT;
        last_update last = last_of(a, p, n, exact);
        if (last.count != 1) return last.count ? PARSE_UNKNOWN : PARSE_NEVER;
        if (!last.behind) {
            *content = a->update[last.i].content;
            if (*content == NO_CONTENT) *content = add_content(a, NO_CONTENT, last.i, is_append(a, last.i), whole);
            else if (a->content[*content].shown.before != NO_CONTENT) return PARSE_TWICE;
            return PARSE_CONTENT;
        }
        if (a->offs == a->p->n) return PARSE_TWICE; /* more than there are: one of them is in it twice */
        take_off(a, last.i, n);
        n -= a->update[last.i].n;
    }
}

static parse_answer parse_bytes(append_parse *a, const char *p, size_t n, value exact, uint32_t *content) {
    a->offs = 0;
    hash_beginnings(a, p, n);
    parse_answer answer = take_apart(a, p, n, exact, content);
    while (answer == PARSE_CONTENT && a->offs) {
        taken t = a->off[--a->offs];
        uint32_t have = a->update[t.i].content;
        piece whole = {p, t.n, a->beginning[t.n]};
        if (have == NO_CONTENT) *content = add_content(a, *content, t.i, true, whole);
        else if (a->content[have].shown.before != *content) return PARSE_TWICE;
        else *content = have;
    }
    return answer;
}

/* A value that is no string is not made by appending to something. */
static parse_answer parse_other(append_parse *a, value v, uint32_t *content) {
    text t = {0};
    last_update found = {.i = NO_CONTENT};
    text_of_value(a->p->h->values, v, &t);
    hash_beginnings(a, text_str(&t), t.size);
    look_for(a, (piece){text_str(&t), t.size, a->beginning[t.size]}, false, v, &found);
    text_free(&t);
    if (found.count != 1) return found.count ? PARSE_UNKNOWN : PARSE_NEVER;
    const update_text *u = &a->update[found.i];
    *content = u->content;
    if (*content == NO_CONTENT)
        *content = add_content(a, NO_CONTENT, found.i, is_append(a, found.i), (piece){u->at, u->n, u->hash});
    return a->content[*content].shown.before == NO_CONTENT ? PARSE_CONTENT : PARSE_TWICE;
}

parse_answer append_parse_value(append_parse *a, value v, uint32_t *content) {
    size_t n;
    if (value_kind_of(a->p->h->values, v) != KIND_BYTES) return parse_other(a, v, content);
    const char *p = value_as_bytes(a->p->h->values, v, &n);
    return parse_bytes(a, p, n, v, content);
}
