#include "remote/wire.h"

#include <assert.h>
#include <string.h>

/* ---- numbers and frames ---- */

uint64_t wire_number(wire_reader *r, unsigned bytes) {
    assert(bytes <= sizeof(uint64_t));
    wire_reader part = wire_bytes(r, bytes);
    uint64_t number = 0;
    for (unsigned i = 0; i < part.left; i++) number |= (uint64_t)part.p[i] << (8 * i);
    return number;
}

wire_reader wire_bytes(wire_reader *r, size_t n) {
    if (r->bad || n > r->left) {
        r->bad = true;
        r->left = 0;
        return (wire_reader){.bad = true};
    }
    wire_reader part = {.p = r->p, .left = n};
    r->p += n;
    r->left -= n;
    return part;
}

void wire_add(text *out, uint64_t number, unsigned bytes) {
    assert(bytes == 8 || (bytes < 8 && !(number >> 8 * bytes))); /* nothing is cut off */
    for (unsigned i = 0; i < bytes; i++) text_char(out, (char)(number >> (8 * i) & 0xff));
}

size_t wire_begin(text *out, enum wire_kind kind, uint64_t ticket) {
    size_t begun = out->size;
    wire_add(out, 0, 4);
    wire_add(out, kind, 1);
    wire_add(out, ticket, 8);
    return begun;
}

void wire_end(text *out, size_t begun) {
    assert(begun + WIRE_HEAD <= out->size);
    uint64_t size = out->size - begun - 4;
    assert(size <= WIRE_MOST); /* or nothing would read it */
    for (unsigned i = 0; i < 4; i++) out->at[begun + i] = (char)(size >> (8 * i) & 0xff);
}

void wire_wrong(text *out, uint64_t ticket, const char *why) {
    size_t begun = wire_begin(out, WIRE_WRONG, ticket);
    text_add(out, why);
    wire_end(out, begun);
}

size_t wire_frame(const void *p, size_t n, enum wire_kind *kind, uint64_t *ticket, wire_reader *r) {
    wire_reader all = {.p = p, .left = n};
    *r = (wire_reader){0};
    if (n < 4) return 0;
    uint64_t size = wire_number(&all, 4);
    r->bad = size < WIRE_HEAD - 4 || size > WIRE_MOST;
    if (r->bad || size > all.left) return 0;
    *r = wire_bytes(&all, size);
    *kind = (enum wire_kind)wire_number(r, 1);
    *ticket = wire_number(r, 8);
    assert(!r->bad && r->left == size + 4 - WIRE_HEAD && 4 + size <= n);
    return 4 + size;
}

/* ---- values ---- */

enum tag { TAG_INT = 16, TAG_BYTES, TAG_TUPLE }; /* below: the number of a constant of the house */

static unsigned constant(const plumb_value *v) {
    static const value of[] = {VALUE_NONE, VALUE_EMPTY, VALUE_FULL, VALUE_UNKNOWN};
    if (v->kind == PLUMB_BOOL) return (v->as.integer ? VALUE_TRUE : VALUE_FALSE) - VALUE_SPECIAL;
    return v->kind <= PLUMB_UNKNOWN ? of[v->kind] - VALUE_SPECIAL : 0;
}

bool wire_add_value(text *out, const plumb_value *v, unsigned depth) {
    bool good = depth < WIRE_DEPTH && v->size < WIRE_ENTRY;
    switch (good ? v->kind : (uint32_t)PLUMB_NONE) {
    case PLUMB_INT:
        wire_add(out, TAG_INT, 1);
        wire_add(out, (uint64_t)v->as.integer, 8);
        break;
    case PLUMB_BYTES:
        wire_add(out, TAG_BYTES, 1);
        wire_add(out, v->size, 4);
        text_bytes(out, v->as.bytes, v->size);
        break;
    case PLUMB_TUPLE:
        wire_add(out, TAG_TUPLE, 1);
        wire_add(out, v->size, 4);
        for (uint32_t i = 0; i < v->size && good; i++) good = wire_add_value(out, &v->as.item[i], depth + 1);
        break;
    default: wire_add(out, constant(v), 1); break;
    }
    return good;
}

static value read_tuple(wire_reader *r, values *t, unsigned depth) {
    value item[256];
    uint64_t n = wire_number(r, 4);
    if (n > sizeof item / sizeof *item || depth + 1 >= WIRE_DEPTH) r->bad = true;
    for (uint64_t i = 0; i < n && !r->bad; i++) item[i] = wire_value(r, t, depth + 1);
    return r->bad ? VALUE_NONE : value_tuple(t, item, n);
}

value wire_value(wire_reader *r, values *t, unsigned depth) {
    uint64_t tag = wire_number(r, 1);
    if (tag == TAG_TUPLE) return read_tuple(r, t, depth);
    if (tag == TAG_INT) return value_int(t, (int64_t)wire_number(r, 8));
    if (tag == TAG_BYTES) {
        wire_reader bytes = wire_bytes(r, wire_number(r, 4));
        return r->bad ? VALUE_NONE : value_bytes(t, bytes.p, bytes.left);
    }
    if (tag > VALUE_TRUE - VALUE_SPECIAL) r->bad = true;
    return r->bad ? VALUE_NONE : VALUE_SPECIAL + (value)tag;
}

/* Integers need not go into the table. */
static uint64_t read_word(wire_reader *r, values *t) {
    wire_reader ahead = *r;
    uint64_t tag = wire_number(&ahead, 1);
    int64_t number = tag == TAG_INT ? (int64_t)wire_number(&ahead, 8) : 0;
    if (tag == TAG_INT && !ahead.bad && plumb_fits_word(number)) {
        *r = ahead;
        return PLUMB_WORD_INT(number);
    }
    value v = wire_value(r, t, 0);
    return v >= VALUE_SPECIAL && v < VALUE_INTERNED ? PLUMB_WORD_CONSTANT(v - VALUE_SPECIAL)
                                                    : (uint64_t)v << 3 | WIRE_HANDLE;
}

/* ---- entries ---- */

static void read_text(wire_reader *r, char *to, size_t room, unsigned bytes) {
    wire_reader part = wire_bytes(r, wire_number(r, bytes));
    if (part.left >= room || (part.left && memchr(part.p, 0, part.left))) r->bad = true;
    if (r->bad) part.left = 0;
    assert(part.left < room);
    if (part.left) memcpy(to, part.p, part.left);
    to[part.left] = 0;
}

static void read_call(wire_reader *r, values *t, wire_entry *e) {
    e->rank = wire_number(r, 8);
    read_text(r, e->method, sizeof e->method, 1);
    uint64_t n = wire_number(r, 1);
    if (n > HISTORY_MAX_ARGS) r->bad = true;
    e->nargs = r->bad ? 0 : (uint8_t)n;
    assert(e->nargs <= HISTORY_MAX_ARGS);
    for (unsigned i = 0; i < e->nargs; i++) e->arg[i] = read_word(r, t);
}

static void read_return(wire_reader *r, values *t, wire_entry *e) {
    e->rank = wire_number(r, 8);
    e->outcome = (uint8_t)wire_number(r, 1);
    if (e->outcome < LOG_RETURNED || e->outcome > LOG_UNKNOWN) r->bad = true;
    e->res = read_word(r, t);
}

bool wire_read_entry(wire_reader r, values *t, wire_entry *e) {
    memset(e, 0, sizeof *e);
    e->kind = (enum entry_kind)wire_number(&r, 1);
    switch (e->kind) {
    case ENTRY_HELLO:
        read_text(&r, e->object, sizeof e->object, 2);
        e->init[0] = wire_number(&r, 1) ? ':' : 0;
        read_text(&r, e->init + (e->init[0] != 0), sizeof e->init - 1, 2);
        break;
    case ENTRY_CALL: read_call(&r, t, e); break;
    case ENTRY_RETURN: read_return(&r, t, e); break;
    case ENTRY_LEAVE: break;
    default: return false;
    }
    return wire_is_done(&r);
}

static void add_text(text *out, const char *s, unsigned bytes) {
    wire_add(out, strlen(s), bytes);
    text_add(out, s);
}

/* What was written from `begun` on is read as the same entry. */
#ifdef PLUMB_SELF_CHECKS
static void check_entry(const text *out, size_t begun, enum entry_kind kind, uint64_t rank, const char *name) {
    wire_entry e;
    values *t = values_new();
    const bool read =
        wire_read_entry((wire_reader){.p = (const unsigned char *)out->at + begun, .left = out->size - begun}, t, &e);
    assert(read && e.kind == kind && e.rank == rank);
    assert(!name || !strcmp(name, kind == ENTRY_CALL ? e.method : e.object));
    values_free(t);
}
#else
static void check_entry(const text *out, size_t begun, enum entry_kind kind, uint64_t rank, const char *name) {
    (void)out, (void)begun, (void)kind, (void)rank, (void)name;
}
#endif

void wire_hello(text *out, const char *name, const char *init) {
    const size_t begun = out->size;
    wire_add(out, ENTRY_HELLO, 1);
    add_text(out, name, 2);
    wire_add(out, init != NULL, 1);
    add_text(out, init ? init : "", 2);
    check_entry(out, begun, ENTRY_HELLO, 0, name);
}

bool wire_call(text *out, uint64_t rank, const char *name, const plumb_value *arg, size_t args) {
    size_t begun = out->size;
    wire_add(out, ENTRY_CALL, 1);
    wire_add(out, rank, 8);
    add_text(out, name, 1);
    bool good = args <= HISTORY_MAX_ARGS;
    wire_add(out, good ? args : 0, 1);
    for (size_t i = 0; i < args && good; i++) good = wire_add_value(out, &arg[i], 0);
    good = good && out->size - begun <= WIRE_ENTRY;
    if (good) check_entry(out, begun, ENTRY_CALL, rank, name);
    return good;
}

bool wire_return(text *out, uint64_t rank, unsigned outcome, const plumb_value *res) {
    size_t begun = out->size;
    wire_add(out, ENTRY_RETURN, 1);
    wire_add(out, rank, 8);
    wire_add(out, outcome, 1);
    const bool good = wire_add_value(out, res, 0) && out->size - begun <= WIRE_ENTRY;
    if (good) check_entry(out, begun, ENTRY_RETURN, rank, NULL);
    return good;
}
