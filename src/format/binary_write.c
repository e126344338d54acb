/* Writing plumb-binary: the layout is described in binary.c. */
#include "base/mem.h"
#include "format/binary.h"
#include "format/expressible.h"
#include "format/note_value.h"
#include "format/output.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { BLOCK_BYTES = 4 << 20, ZSTD_LEVEL = 3 };
#define NOT_WRITTEN UINT32_MAX

typedef struct numbering { /* history's number -> dictionary's number */
    uint32_t *number;
    uint32_t room, count;
} numbering;

typedef struct binary_writer {
    const history *h;
    output *out;
    error *e;
    unsigned version, flags;
    uLong checksum;                                          /* of the file so far */
    text hint, init, lacks, methods, values, clients, notes; /* dictionary entries of this block */
    uint64_t new_methods, new_values, new_clients, new_notes;
    text column[BINARY_COLUMNS];
    int64_t last[BINARY_COLUMNS];
    uint64_t n; /* operations of this block */
    numbering method, value, client;
    int64_t call;
    uint32_t next_note;
    text raw, packed;
} binary_writer;

/* ---- pieces ---- */

static void put(text *t, uint64_t u) {
    unsigned char bytes[10];
    size_t n = 0;
    for (; u >= 0x80; u >>= 7) bytes[n++] = (unsigned char)(u | 0x80);
    bytes[n++] = (unsigned char)u;
    assert(n <= sizeof bytes);
    text_bytes(t, bytes, n);
}

static void put_bytes(text *t, const void *p, size_t n) {
    put(t, n);
    text_bytes(t, p, n);
}

/* True when the number is new to the dictionary; `at` receives its place. */
static bool number_is_new(numbering *d, uint32_t number, uint32_t *at) {
    if (number >= d->room) {
        uint32_t room = d->room ? d->room : 64;
        while (room <= number) room *= 2;
        d->number = MEM_GROW(d->number, uint32_t, room);
        memset(d->number + d->room, 0xff, (room - d->room) * sizeof *d->number);
        d->room = room;
    }
    bool fresh = d->number[number] == NOT_WRITTEN;
    if (fresh) d->number[number] = d->count++;
    *at = d->number[number];
    assert(*at < d->count);
    return fresh;
}

/* ---- dictionaries ---- */

static uint64_t code_of(binary_writer *w, value v, int64_t *last);

static void define(binary_writer *w, value v, text *t) {
    size_t n;
    const void *p;
    switch (value_kind_of(w->h->values, v)) {
    case KIND_INT:
        text_char(t, BINARY_INT);
        put(t, binary_zigzag(value_as_int(w->h->values, v)));
        return;
    case KIND_BYTES:
        p = value_as_bytes(w->h->values, v, &n);
        text_char(t, BINARY_BYTES);
        put_bytes(t, p, n);
        return;
    case KIND_NUMBER:
        p = value_as_number(w->h->values, v, &n);
        text_char(t, BINARY_NUMBER);
        put_bytes(t, p, n);
        return;
    case KIND_SET: text_char(t, BINARY_SET); break;
    case KIND_MAP: text_char(t, BINARY_MAP); break;
    default: text_char(t, BINARY_TUPLE); break;
    }
    const value *item = value_list(w->h->values, v, &n);
    put(t, n);
    for (size_t i = 0; i < n; i++) {
        int64_t zero = 0;
        put(t, code_of(w, item[i], &zero));
    }
}

/* What a tuple holds is defined before it: its number is given only then. */
static uint32_t entry_of(binary_writer *w, value v) {
    uint32_t handle = v - VALUE_INTERNED, at;
    if (handle < w->value.room && w->value.number[handle] != NOT_WRITTEN) return w->value.number[handle];
    text t = {0};
    define(w, v, &t);
    text_bytes(&w->values, t.at, t.size);
    text_free(&t);
    w->new_values += number_is_new(&w->value, handle, &at);
    assert(at + 1 == w->value.count); /* the reader numbers entries in the order they are defined */
    return at;
}

static uint64_t code_of(binary_writer *w, value v, int64_t *last) {
    if (value_is_small_int(v)) {
        int64_t i = (int64_t)v - VALUE_INT_LIMIT, difference = i - *last;
        assert(*last + binary_unzigzag(binary_zigzag(difference)) == i);
        *last = i;
        return binary_zigzag(difference) << 1;
    }
    uint64_t n = v < VALUE_INTERNED ? v - VALUE_SPECIAL : BINARY_CONSTANTS + (uint64_t)entry_of(w, v);
    return n << 1 | 1;
}

static void put_value(binary_writer *w, binary_column c, value v) { put(&w->column[c], code_of(w, v, &w->last[c])); }

static uint32_t method_of(binary_writer *w, uint32_t i) {
    uint32_t at;
    const char *name = w->h->method_name[w->h->method[i]];
    if (number_is_new(&w->method, w->h->method[i], &at)) {
        put_bytes(&w->methods, name, strlen(name));
        w->new_methods++;
    }
    return at;
}

static uint32_t client_of(binary_writer *w, uint32_t i) {
    uint32_t at;
    int64_t zero = 0;
    if (number_is_new(&w->client, w->h->client[i], &at)) {
        put(&w->clients, code_of(w, w->h->client_name[w->h->client[i]], &zero));
        w->new_clients++;
    }
    return at;
}

/* ---- blocks ---- */

static void put_section(text *to, uint64_t count, text *from) {
    put(to, count);
    text_bytes(to, from->at, from->size);
    text_clear(from);
}

/* Words that are said once. */
static void put_words(text *to, text *words) {
    put(to, words->size ? words->size + 1 : 0);
    text_bytes(to, words->at, words->size);
    text_clear(words);
}

static void put_heading(binary_writer *w) {
    put_words(&w->raw, &w->init);
    put_words(&w->raw, &w->lacks);
    put(&w->raw, (uint64_t)w->h->tick);
    put(&w->raw, w->h->sample);
}

static void gather(binary_writer *w) {
    text *raw = &w->raw;
    assert(raw->size == 0 && w->n <= BINARY_BLOCK_OPERATIONS);
    assert(w->column[COLUMN_METHOD].size == w->n && w->column[COLUMN_SHAPE].size == w->n);
    assert(w->column[COLUMN_CALL].size >= w->n && w->column[COLUMN_LENGTH].size >= w->n);
    put_words(raw, &w->hint);
    if (w->version >= BINARY_HEADING) put_heading(w);
    put_section(raw, w->new_methods, &w->methods);
    put_section(raw, w->new_values, &w->values);
    put_section(raw, w->new_clients, &w->clients);
    put_section(raw, w->new_notes, &w->notes);
    put(raw, w->n);
    for (unsigned c = 0; c < BINARY_COLUMNS; c++) put_section(raw, w->column[c].size, &w->column[c]);
    w->new_methods = w->new_values = w->new_clients = w->new_notes = w->n = 0;
    memset(w->last, 0, sizeof w->last);
}

static void little(char *p, uint32_t u) {
    for (int i = 0; i < 4; i++) p[i] = (char)(u >> 8 * i & 0xff);
}

/* Writes `raw` as one block and clears it. */
static bool put_block(binary_writer *w, char kind) {
    size_t bound = ZSTD_compressBound(w->raw.size);
    if (bound > BINARY_MAX_BLOCK)
        return error_set(w->e, EXIT_BAD_INPUT, "a value is too large for plumb-binary; expected less than 256 MiB");
    if (w->packed.room < bound) {
        w->packed.at = mem_resize(w->packed.at, bound, 1);
        w->packed.room = bound;
    }
    size_t size = ZSTD_compress(w->packed.at, bound, w->raw.at, w->raw.size, ZSTD_LEVEL);
    if (ZSTD_isError(size)) return error_set(w->e, EXIT_INTERNAL, "cannot compress: %s", ZSTD_getErrorName(size));
    char header[BINARY_BLOCK_HEADER] = {kind};
    little(header + 1, (uint32_t)w->raw.size);
    little(header + 5, (uint32_t)size);
    w->checksum = crc32(crc32(w->checksum, (const Bytef *)header, 9), (const Bytef *)w->packed.at, (uInt)size);
    little(header + 9, (uint32_t)w->checksum);
    text_bytes(output_text(w->out), header, sizeof header);
    text_bytes(output_text(w->out), w->packed.at, size);
    text_clear(&w->raw);
    return output_flush(w->out);
}

static bool block_is_full(const binary_writer *w) {
    return w->n == BINARY_BLOCK_OPERATIONS || w->values.size > BLOCK_BYTES || w->methods.size > BLOCK_BYTES;
}

/* ---- operations ---- */

static void put_notes(binary_writer *w, uint32_t rank) {
    const history *h = w->h;
    for (; w->next_note < h->annotations && h->annotation[w->next_note].before <= rank;
         w->next_note++, w->new_notes++) {
        int64_t zero = 0;
        put(&w->notes, w->n);
        put(&w->notes, code_of(w, note_value(h->values, &h->annotation[w->next_note]), &zero));
    }
}

static void put_operation(binary_writer *w, uint32_t i) {
    const history *h = w->h;
    bool keyed = h->key && h->key[i] != VALUE_NONE;
    assert(h->nargs[i] <= BINARY_NARGS && h->method[i] < h->methods);
    text_char(&w->column[COLUMN_METHOD], (char)method_of(w, i));
    text_char(&w->column[COLUMN_SHAPE], (char)(h->nargs[i] | (keyed ? BINARY_KEYED : 0)));
    if (!(w->flags & BINARY_OWN_CLIENTS)) put(&w->column[COLUMN_CLIENT], client_of(w, i));
    int64_t call = history_call_stamp(h, i);
    put(&w->column[COLUMN_CALL], binary_zigzag((int64_t)((uint64_t)call - (uint64_t)w->call)));
    w->call = call;
    bool pending = history_pending(h, i);
    put(&w->column[COLUMN_LENGTH], pending ? 0 : (uint64_t)history_ret_stamp(h, i) - (uint64_t)call + 1);
    if (keyed) put_value(w, COLUMN_KEY, h->key[i]);
    for (unsigned a = 0; a < h->nargs[i]; a++) put_value(w, COLUMN_ARG + a, h->arg[a][i]);
    if (!pending) put_value(w, COLUMN_RESULT, h->res[i]);
    w->n++;
}

static unsigned version_for(const history *h, const char *init) {
    if (init || h->lacks || h->tick || h->sample) return BINARY_HEADING;
    return values_extended(h->values) ? BINARY_VALUES : 1;
}

static void put_header(binary_writer *w, const object *o) {
    const char *name = o ? o->name : w->h->object_hint, *init = written_init(w->h, o);
    if (!history_has_stamps(w->h)) w->flags |= BINARY_ORDER_ONLY;
    if (!w->h->client) w->flags |= BINARY_OWN_CLIENTS;
    for (uint32_t a = 0; a < w->h->annotations; a++) note_value(w->h->values, &w->h->annotation[a]); /* maps, perhaps */
    w->version = version_for(w->h, init);
    char header[BINARY_HEADER] = {'P', 'L', 'M', 'B', (char)w->version, (char)w->flags};
    text_bytes(output_text(w->out), header, sizeof header);
    w->checksum = crc32(crc32(0, NULL, 0), (const Bytef *)header, sizeof header);
    if (name) text_add(&w->hint, name);
    if (init) text_add(&w->init, init);
    if (w->h->lacks) text_add(&w->lacks, w->h->lacks);
}

static bool put_history(binary_writer *w) {
    for (uint32_t i = 0; i < w->h->n; i++) {
        put_notes(w, w->h->call[i]);
        put_operation(w, i);
        if (!block_is_full(w)) continue;
        gather(w);
        if (!put_block(w, 'B')) return false;
    }
    put_notes(w, RANK_NEVER);
    assert(w->next_note == w->h->annotations);
    gather(w);
    if (!put_block(w, 'B')) return false;
    put(&w->raw, w->h->n);
    put(&w->raw, w->h->annotations);
    return put_block(w, 'E');
}

bool binary_write(const history *h, const object *o, output *out, error *e) {
    binary_writer w = {.h = h, .out = out, .e = e};
    put_header(&w, o);
    bool good = put_history(&w);
    text *all[] = {&w.hint, &w.init, &w.lacks, &w.methods, &w.values, &w.clients, &w.notes, &w.raw, &w.packed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) text_free(all[i]);
    for (unsigned c = 0; c < BINARY_COLUMNS; c++) text_free(&w.column[c]);
    FREE_ALL(w.method.number, w.value.number, w.client.number);
    return good;
}
