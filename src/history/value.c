#include "history/value.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "history/decimal.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct value_entry {
    value_kind kind;
    uint32_t size; /* bytes or items; KIND_NUMBER: of the sign and the digits, behind which it is as it is printed */
    uint64_t hash;
    int64_t integer;  /* KIND_INT; KIND_NUMBER: the exponent */
    const void *data; /* bytes or items, in the arena */
} value_entry;

/* Entries live in segments of doubling size that never move, so that a reader needs no lock while another thread
 * adds. Segment s holds entries FIRST_SEGMENT * (2^s - 1) up to FIRST_SEGMENT * (2^(s+1) - 1). */
enum { FIRST_SEGMENT = 256, SEGMENTS = 24, ARENA_BLOCK = 1 << 16 };

typedef struct byte_block {
    struct byte_block *next;
    size_t used, room;
    char at[];
} byte_block;

struct values {
    value_entry *segment[SEGMENTS];
    uint32_t count;
    uint32_t *slot; /* open addressing, entry number + 1 */
    uint32_t slots;
    byte_block *arena;
    size_t memory;
    bool extended;
    pthread_mutex_t lock;
};

values *values_new(void) {
    values *t = MEM_NEW(values);
    t->slots = 512;
    t->slot = mem_zero(t->slots, sizeof *t->slot);
    t->memory = sizeof *t + t->slots * sizeof *t->slot;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void values_free(values *t) {
    if (!t) return;
    for (unsigned s = 0; s < SEGMENTS; s++) free(t->segment[s]);
    for (byte_block *b = t->arena, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(t->slot);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static unsigned segment_of(uint32_t i, uint32_t *offset) {
    uint32_t block_number = i / FIRST_SEGMENT + 1;
    unsigned s = 31u - (unsigned)__builtin_clz(block_number);
    *offset = i - FIRST_SEGMENT * ((1u << s) - 1);
    assert(s < SEGMENTS && *offset < (uint32_t)FIRST_SEGMENT << s);
    return s;
}

static value_entry *entry_at(const values *t, uint32_t i) {
    uint32_t offset;
    unsigned s = segment_of(i, &offset);
    assert(t->segment[s]);
    return &t->segment[s][offset];
}

static const value_entry *entry_of(const values *t, value v) {
    assert(v >= VALUE_INTERNED);
    const value_entry *e = entry_at(t, v - VALUE_INTERNED);
    assert(e->kind >= KIND_INT); /* a handle of another table */
    return e;
}

/* Room for n bytes, aligned for values, and a NUL behind them. */
static void *arena_take(values *t, size_t n) {
    size_t need = (n + 1 + 7) & ~(size_t)7;
    if (!t->arena || t->arena->room - t->arena->used < need) {
        size_t room = need > ARENA_BLOCK ? need : ARENA_BLOCK;
        byte_block *b = mem_alloc(sizeof *b + room);
        b->next = t->arena;
        b->used = 0;
        b->room = room;
        t->arena = b;
        t->memory += sizeof *b + room;
    }
    void *p = t->arena->at + t->arena->used;
    t->arena->used += need;
    assert(t->arena->used <= t->arena->room && t->arena->used % 8 == 0);
    return p;
}

/* Bytes and items go into an arena of the copy's own. */
static void copy_data(values *t, value_entry *e, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].kind == KIND_INT) continue;
        size_t bytes = e[i].kind == KIND_BYTES ? e[i].size : e[i].size * sizeof(value);
        char *copy = arena_take(t, bytes);
        memcpy(copy, e[i].data, bytes + 1);
        e[i].data = copy;
    }
}

values *values_copy(const values *from) {
    values *t = mem_copy(from, sizeof *from);
    t->arena = NULL;
    t->memory = sizeof *t + t->slots * sizeof *t->slot;
    t->slot = mem_copy(t->slot, t->slots * sizeof *t->slot);
    pthread_mutex_init(&t->lock, NULL);
    uint32_t left = t->count;
    for (unsigned s = 0; s < SEGMENTS && from->segment[s]; s++) {
        uint32_t length = (uint32_t)FIRST_SEGMENT << s, used = left < length ? left : length;
        t->segment[s] = mem_zero(length, sizeof(value_entry));
        memcpy(t->segment[s], from->segment[s], used * sizeof(value_entry));
        copy_data(t, t->segment[s], used);
        t->memory += length * sizeof(value_entry);
        left -= used;
    }
    assert(!left);
    return t;
}

static void rehash(values *t) {
    uint32_t slots = t->slots * 2;
    uint32_t *slot = mem_zero(slots, sizeof *slot);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = (uint32_t)entry_at(t, i)->hash & (slots - 1);
        while (slot[at]) at = (at + 1) & (slots - 1);
        slot[at] = i + 1;
    }
    assert((slots & (slots - 1)) == 0 && t->count < slots); /* a probe ends */
    t->memory += (slots - t->slots) * sizeof *slot;
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
}

static bool has_items(value_kind k) { return k == KIND_TUPLE || k == KIND_SET || k == KIND_MAP; }
static size_t bytes_of(const value_entry *e) { return has_items(e->kind) ? e->size * sizeof(value) : e->size; }

static bool same(const value_entry *e, const value_entry *key) {
    if (e->hash != key->hash || e->kind != key->kind || e->size != key->size) return false;
    if (e->integer != key->integer) return false;
    size_t bytes = bytes_of(e);
    return bytes == 0 || memcmp(e->data, key->data, bytes) == 0;
}

static uint64_t hash_number(const void *digits, size_t n, int64_t exponent) {
    return hash_pair(hash_bytes(digits, n), (uint64_t)exponent);
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
static uint64_t hash_of(const value_entry *e) {
    if (e->kind == KIND_INT) return hash_mix((uint64_t)e->integer);
    if (e->kind == KIND_NUMBER) return hash_number(e->data, e->size, e->integer);
    return e->kind == KIND_BYTES ? hash_bytes(e->data, e->size) : hash_words(e->data, e->size) + e->kind;
}

/* Only what has no handle of its own is in the table, and tuples hold values that came before them. */
static bool belongs_in(const values *t, const value_entry *key) {
    if (key->kind == KIND_INT) return key->integer < -VALUE_INT_LIMIT || key->integer >= VALUE_INT_LIMIT;
    if (key->kind == KIND_BYTES || key->kind == KIND_NUMBER) return true;
    const value *item = key->data;
    for (uint32_t i = 0; i < key->size; i++) {
        if (item[i] >= VALUE_INTERNED + t->count) return false;
        if (item[i] > VALUE_TRUE && item[i] < VALUE_INTERNED) return false;
    }
    return has_items(key->kind);
}
#endif

/* Numbers are kept with their text, which callers are shown: it lies in one place as long as the table. */
static char *keep_data(values *t, const value_entry *key) {
    size_t bytes = bytes_of(key);
    text shown = {0};
    if (key->kind == KIND_NUMBER) {
        const char *p = key->data;
        decimal d = {.digit = p + 1, .n = bytes - 1, .exponent = key->integer, .negative = *p == '-'};
        decimal_print(&d, &shown);
    }
    char *copy = arena_take(t, bytes + (shown.size ? shown.size + 1 : 0));
    if (bytes) memcpy(copy, key->data, bytes);
    copy[bytes] = 0;
    if (shown.size) memcpy(copy + bytes + 1, text_str(&shown), shown.size + 1);
    text_free(&shown);
    return copy;
}

static uint32_t add(values *t, const value_entry *key) {
    uint32_t offset;
    unsigned s = segment_of(t->count, &offset);
    if (!t->segment[s]) {
        size_t length = (size_t)FIRST_SEGMENT << s;
        t->segment[s] = mem_zero(length, sizeof(value_entry));
        t->memory += length * sizeof(value_entry);
    }
    value_entry *e = &t->segment[s][offset];
    *e = *key;
    if (e->kind != KIND_INT) e->data = keep_data(t, key);
    t->extended |= e->kind >= KIND_NUMBER;
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    assert(hash_of(e) == key->hash && same(e, key)); /* equal values have equal hashes: of the copy as of the key */
#endif
    return t->count++;
}

static value intern(values *t, const value_entry *key) {
    pool_enter(t, &t->lock); /* a value lives as long as the table */
    if (t->count * 2 >= t->slots) rehash(t);
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    assert(belongs_in(t, key));
#endif
    uint32_t at = (uint32_t)key->hash & (t->slots - 1);
    while (t->slot[at] && !same(entry_at(t, t->slot[at] - 1), key)) at = (at + 1) & (t->slots - 1);
    if (!t->slot[at]) t->slot[at] = add(t, key) + 1;
    assert(t->slot[at] <= t->count && same(entry_at(t, t->slot[at] - 1), key));
    value v = VALUE_INTERNED + t->slot[at] - 1;
    pool_leave(&t->lock);
    return v;
}

value value_big_int(values *t, int64_t i) {
    if (i >= -VALUE_INT_LIMIT && i < VALUE_INT_LIMIT) return (value)(i + VALUE_INT_LIMIT);
    value_entry key = {.kind = KIND_INT, .integer = i, .hash = hash_mix((uint64_t)i)};
    return intern(t, &key);
}

value value_bytes(values *t, const void *p, size_t n) {
    assert(n <= UINT32_MAX);
    value_entry key = {.kind = KIND_BYTES, .size = (uint32_t)n, .data = p, .hash = hash_bytes(p, n)};
    return intern(t, &key);
}

static value intern_items(values *t, value_kind kind, const value *item, size_t n) {
    assert(n <= UINT32_MAX && has_items(kind));
    value_entry key = {.kind = kind, .size = (uint32_t)n, .data = item, .hash = hash_words(item, n) + kind};
    return intern(t, &key);
}

value value_tuple(values *t, const value *item, size_t n) { return intern_items(t, KIND_TUPLE, item, n); }

/* ---- numbers ---- */

bool value_number(values *t, const char *p, size_t n, value *out) {
    text room = {0}, signed_digits = {0};
    decimal d;
    int64_t i;
    bool good = decimal_read(p, n, &room, &d);
    if (good && decimal_as_int(&d, &i)) {
        *out = value_int(t, i);
    } else if (good) {
        text_char(&signed_digits, d.negative ? '-' : '+');
        text_bytes(&signed_digits, d.digit, d.n);
        value_entry key = {.kind = KIND_NUMBER,
                           .size = (uint32_t)signed_digits.size,
                           .data = signed_digits.at,
                           .integer = d.exponent,
                           .hash = hash_number(signed_digits.at, signed_digits.size, d.exponent)};
        *out = intern(t, &key);
    }
    text_free(&room);
    text_free(&signed_digits);
    return good;
}

const char *value_as_number(const values *t, value v, size_t *n) {
    const value_entry *e = entry_of(t, v);
    assert(e->kind == KIND_NUMBER);
    const char *shown = (const char *)e->data + e->size + 1;
    if (n) *n = strlen(shown);
    return shown;
}

static void decimal_of(const values *t, value v, char room[DECIMAL_OF_INT], decimal *out) {
    if (value_kind_of(t, v) == KIND_INT) {
        decimal_of_int(value_as_int(t, v), room, out);
        return;
    }
    const value_entry *e = entry_of(t, v);
    const char *p = e->data;
    *out = (decimal){.digit = p + 1, .n = e->size - 1u, .exponent = e->integer, .negative = *p == '-'};
}

static int compare_numbers(const values *t, value a, value b) {
    char room_a[DECIMAL_OF_INT], room_b[DECIMAL_OF_INT];
    decimal da, db;
    decimal_of(t, a, room_a, &da);
    decimal_of(t, b, room_b, &db);
    int c = decimal_compare(&da, &db);
    assert(c); /* equal numbers have one handle */
    return c;
}

/* ---- sets and maps: one canonical order of the items ---- */

/* Entries of `width` values, by their first, stably: by merging. */
static void sort_entries(const values *t, value *entry, value *spare, size_t n, size_t width) {
    if (n < 2) return;
    size_t half = n / 2, a = 0, b = half;
    sort_entries(t, entry, spare, half, width);
    sort_entries(t, entry + half * width, spare, n - half, width);
    memcpy(spare, entry, n * width * sizeof *entry);
    for (size_t to = 0; to < n; to++) {
        bool left = b == n || (a < half && value_compare(t, spare[a * width], spare[b * width]) <= 0);
        memcpy(entry + to * width, spare + (left ? a++ : b++) * width, width * sizeof *entry);
    }
}

static value intern_sorted(values *t, value_kind kind, const value *item, size_t n, size_t width) {
    size_t entries = n / width, kept = 0;
    value *sorted = MEM_ARRAY(value, n + 1), *spare = MEM_ARRAY(value, n + 1);
    if (n) memcpy(sorted, item, n * sizeof *item);
    sort_entries(t, sorted, spare, entries, width);
    for (size_t i = 0; i < entries; i++) {
        if (kept && sorted[(kept - 1) * width] == sorted[i * width]) kept--; /* the last of equal ones counts */
        memmove(sorted + kept++ * width, sorted + i * width, width * sizeof *sorted);
    }
    value v = intern_items(t, kind, sorted, kept * width);
    free(sorted);
    free(spare);
    return v;
}

value value_set_of(values *t, const value *item, size_t n) { return intern_sorted(t, KIND_SET, item, n, 1); }
value value_map_of(values *t, const value *item, size_t n) {
    return intern_sorted(t, KIND_MAP, item, n & ~(size_t)1, 2);
}

value value_list_of(values *t, value_kind kind, const value *item, size_t n) {
    assert(has_items(kind));
    return kind == KIND_SET   ? value_set_of(t, item, n)
           : kind == KIND_MAP ? value_map_of(t, item, n)
                              : value_tuple(t, item, n);
}

value value_copy(values *to, const values *from, value v) {
    if (v < VALUE_INTERNED) return v;
    const value_entry *e = entry_of(from, v);
    value copy = VALUE_NONE;
    if (e->kind == KIND_INT) return value_int(to, e->integer);
    if (e->kind == KIND_BYTES) return value_bytes(to, e->data, e->size);
    if (e->kind == KIND_NUMBER) {
        size_t n;
        const char *shown = value_as_number(from, v, &n);
        value_number(to, shown, n, &copy);
        return copy;
    }
    const value *item = e->data;
    value *copied = MEM_ARRAY(value, e->size + 1u);
    for (uint32_t i = 0; i < e->size; i++) copied[i] = value_copy(to, from, item[i]);
    copy = value_list_of(to, e->kind, copied, e->size);
    free(copied);
    return copy;
}

value_kind value_kind_of(const values *t, value v) {
    if (value_is_small_int(v)) return KIND_INT;
    switch (v) {
    case VALUE_NONE: return KIND_NONE;
    case VALUE_EMPTY: return KIND_EMPTY;
    case VALUE_FULL: return KIND_FULL;
    case VALUE_UNKNOWN: return KIND_UNKNOWN;
    case VALUE_FALSE:
    case VALUE_TRUE: return KIND_BOOL;
    default: return entry_of(t, v)->kind;
    }
}

int64_t value_as_int(const values *t, value v) {
    if (value_is_small_int(v)) return (int64_t)v - VALUE_INT_LIMIT;
    const value_entry *e = entry_of(t, v);
    assert(e->kind == KIND_INT);
    return e->integer;
}

const char *value_as_bytes(const values *t, value v, size_t *n) {
    const value_entry *e = entry_of(t, v);
    assert(e->kind == KIND_BYTES);
    if (n) *n = e->size;
    return e->data;
}

const value *value_as_tuple(const values *t, value v, size_t *n) {
    const value_entry *e = entry_of(t, v);
    assert(e->kind == KIND_TUPLE);
    *n = e->size;
    return e->data;
}

const value *value_list(const values *t, value v, size_t *n) {
    const value_entry *e = v < VALUE_INTERNED ? NULL : entry_of(t, v);
    bool any = e && has_items(e->kind);
    *n = any ? e->size : 0;
    return any ? e->data : NULL;
}

unsigned value_depth(const values *t, value v) {
    size_t n;
    unsigned deepest = 0;
    const value *item = value_list(t, v, &n);
    if (!item) return 0;
    for (size_t i = 0; i < n; i++) {
        unsigned depth = value_depth(t, item[i]);
        if (depth > deepest) deepest = depth;
    }
    return deepest + 1;
}

static int compare_bytes(const values *t, value a, value b) {
    size_t na, nb;
    const char *pa = value_as_bytes(t, a, &na), *pb = value_as_bytes(t, b, &nb);
    int c = memcmp(pa, pb, na < nb ? na : nb);
    assert(c || na != nb); /* equal strings have one handle */
    return c ? c : (na > nb) - (na < nb);
}

static int compare_items(const values *t, value a, value b) {
    size_t na, nb;
    const value *pa = value_list(t, a, &na), *pb = value_list(t, b, &nb);
    for (size_t i = 0; i < na && i < nb; i++) {
        int c = value_compare(t, pa[i], pb[i]);
        if (c) return c;
    }
    assert(na != nb); /* equal lists have one handle */
    return (na > nb) - (na < nb);
}

static bool is_number(value_kind k) { return k == KIND_INT || k == KIND_NUMBER; }

int value_compare(const values *t, value a, value b) {
    if (a == b) return 0;
    if (value_is_small_int(a | b)) return a < b ? -1 : 1; /* handles are in the order of the integers */
    value_kind ka = value_kind_of(t, a), kb = value_kind_of(t, b);
    if (ka != kb && is_number(ka) && is_number(kb)) return compare_numbers(t, a, b);
    if (ka == KIND_NUMBER && kb != KIND_NUMBER) ka = KIND_INT;
    if (kb == KIND_NUMBER && ka != KIND_NUMBER) kb = KIND_INT;
    if (ka != kb) return ka < kb ? -1 : 1;
    switch (ka) {
    case KIND_INT:
        assert(value_as_int(t, a) != value_as_int(t, b)); /* equal integers have one handle */
        return value_as_int(t, a) < value_as_int(t, b) ? -1 : 1;
    case KIND_BYTES: return compare_bytes(t, a, b);
    case KIND_NUMBER: return compare_numbers(t, a, b);
    case KIND_TUPLE:
    case KIND_SET:
    case KIND_MAP: return compare_items(t, a, b);
    default: return a < b ? -1 : 1;
    }
}

void value_print_tuple(const values *t, value v, const char *between,
                       void (*print)(const values *t, value v, text *out), text *out) {
    size_t n;
    const value *item = value_as_tuple(t, v, &n);
    text_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) text_add(out, between);
        print(t, item[i], out);
    }
    text_char(out, ']');
}

/* #{1 2}, {"a" 1, "b" 2}: as EDN writes them */
static void print_unordered(const values *t, value v, bool map, text *out) {
    size_t n;
    const value *item = value_list(t, v, &n);
    text_add(out, map ? "{" : "#{");
    for (size_t i = 0; i < n; i++) {
        if (i) text_add(out, map && i % 2 == 0 ? ", " : " ");
        value_print(t, item[i], out);
    }
    text_char(out, '}');
}

void value_print(const values *t, value v, text *out) {
    size_t n;
    const char *p;
    switch (value_kind_of(t, v)) {
    case KIND_NONE: text_add(out, "none"); break;
    case KIND_EMPTY: text_add(out, "empty"); break;
    case KIND_FULL: text_add(out, "full"); break;
    case KIND_UNKNOWN: text_add(out, "?"); break;
    case KIND_BOOL: text_add(out, v == VALUE_TRUE ? "true" : "false"); break;
    case KIND_INT: text_int(out, value_as_int(t, v)); break;
    case KIND_BYTES:
        p = value_as_bytes(t, v, &n);
        text_json(out, p, n);
        break;
    case KIND_TUPLE: value_print_tuple(t, v, " ", value_print, out); break;
    case KIND_NUMBER: text_add(out, value_as_number(t, v, NULL)); break;
    case KIND_SET:
    case KIND_MAP: print_unordered(t, v, value_kind_of(t, v) == KIND_MAP, out); break;
    }
}

size_t values_memory(const values *t) { return t->memory; }
bool values_extended(const values *t) { return t->extended; }
uint32_t values_count(const values *t) { return t->count; }
