#include "format/jepsen_binary.h"

#include "base/mem.h"
#include "format/format.h"
#include "format/fressian.h"
#include "format/jepsen_edn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MAGIC_SIZE = 6,
    FILE_HEAD = 18,
    BLOCK_HEAD = 28,
    SHORT_HEAD = 14, /* as it is described */
    NEWEST = 1,
    BLOCKS_DEEP = 8, /* vectors of vectors, rests of rests */
};

typedef enum block_kind { BLOCK_INDEX = 1, BLOCK_VALUE, BLOCK_MAP, BLOCK_STREAM, BLOCK_VECTOR } block_kind;

typedef struct block {
    block_kind kind;
    const unsigned char *p; /* data */
    size_t n;
} block;

typedef struct block_file {
    const unsigned char *p;
    size_t n;
    block index;
    uint64_t most; /* bytes of blocks that may still be read: one may be referred to again and again */
    jepsen_binary *out;
} block_file;

static bool bad(jepsen_binary *out, const char *what) {
    if (!out->wrong[0]) snprintf(out->wrong, sizeof out->wrong, "%s", what);
    return false;
}

static uint64_t big_endian(const unsigned char *p, unsigned n) {
    uint64_t u = 0;
    for (; n; n--) u = u << 8 | *p++;
    return u;
}

/* ---- Fressian, with its errors passed on ---- */

static bool fressian_done(jepsen_binary *out, fressian *f, bool good) {
    if (!good) bad(out, f->wrong[0] ? f->wrong : out->wrong);
    fressian_free(f);
    return good;
}

static bool add_events(jepsen_binary *out, const void *p, size_t n, bool stream) {
    fressian f;
    fressian_init(&f, p, n);
    bool good = true;
    for (bool once = true; good && (stream || once) && fressian_more(&f); once = false) {
        good = stream ? fressian_value(&f, &out->history) : fressian_items(&f, &out->history);
        text_char(&out->history, '\n');
    }
    return fressian_done(out, &f, good);
}

typedef struct test_parts { /* what the test map refers to; 0: no block */
    jepsen_binary *out;
    uint32_t history, results;
} test_parts;

static uint32_t referred(const text *edn) {
    static const char mark[] = "#block-ref ";
    if (strncmp(text_str(edn), mark, sizeof mark - 1)) return 0;
    return (uint32_t)strtoul(edn->at + sizeof mark - 1, NULL, 10);
}

static bool is_key(const text *key, const char *name) { return !strcmp(text_str(key), name); }

static bool history_entry(test_parts *t, fressian *f) {
    if (fressian_at_list(f)) {
        bool good = fressian_items(f, &t->out->history);
        text_char(&t->out->history, '\n');
        return good;
    }
    text where = {0};
    bool good = fressian_value(f, &where);
    t->history = referred(&where);
    text_free(&where);
    return good;
}

static bool test_entry(void *context, fressian *f, const text *key) {
    test_parts *t = context;
    if (is_key(key, ":history")) return history_entry(t, f);
    if (is_key(key, ":results")) {
        text_clear(&t->out->results);
        bool good = fressian_value(f, &t->out->results);
        t->results = referred(&t->out->results);
        if (t->results) text_clear(&t->out->results);
        return good;
    }
    text_printf(&t->out->map, "%s ", text_str(key));
    bool good = fressian_value(f, &t->out->map);
    text_char(&t->out->map, '\n');
    return good;
}

static bool read_test_map(test_parts *t, const void *p, size_t n) {
    fressian f;
    fressian_init(&f, p, n);
    text_char(&t->out->map, '{');
    bool good = fressian_map(&f, test_entry, t);
    text_char(&t->out->map, '}');
    return fressian_done(t->out, &f, good);
}

/* ---- blocks ---- */

static bool checked(const unsigned char *head, size_t head_size, size_t length) {
    unsigned char zeroed[BLOCK_HEAD];
    if (length < head_size || length - head_size > UINT32_MAX) return false;
    memcpy(zeroed, head, head_size);
    memset(zeroed + 8, 0, 4);
    uLong sum = crc32(crc32(0, NULL, 0), head + head_size, (uInt)(length - head_size));
    return crc32(sum, zeroed, (uInt)head_size) == big_endian(head + 8, 4);
}

static bool block_at(block_file *b, uint64_t at, block *out) {
    if (at > b->n || b->n - at < SHORT_HEAD) return bad(b->out, "a block lies behind the end of the file");
    const unsigned char *head = b->p + at;
    uint64_t length = big_endian(head, 8);
    if (length < SHORT_HEAD || length > b->n - at) return bad(b->out, "the file ends inside a block");
    if (length > b->most) return bad(b->out, "blocks refer to the same blocks again and again");
    b->most -= length;
    size_t head_size = checked(head, BLOCK_HEAD, length) ? BLOCK_HEAD : SHORT_HEAD;
    if (head_size == SHORT_HEAD && !checked(head, SHORT_HEAD, length))
        return bad(b->out, "a block is damaged: its checksum is another");
    *out = (block){.kind = (block_kind)big_endian(head + 12, 2), .p = head + head_size, .n = length - head_size};
    return true;
}

static bool block_by_number(block_file *b, uint32_t number, block *out) {
    for (size_t at = 4; at + 12 <= b->index.n; at += 12)
        if (big_endian(b->index.p + at, 4) == number) return block_at(b, big_endian(b->index.p + at + 4, 8), out);
    return bad(b->out, "the index does not have a block that is referred to");
}

static bool events_of(block_file *b, uint32_t number, unsigned depth);

static bool events_of_vector(block_file *b, const block *v, unsigned depth) {
    if (v->n < 8 || (v->n - 8) % 12) return bad(b->out, "a vector of blocks has another length");
    for (size_t at = 8; at < v->n; at += 12)
        if (!events_of(b, (uint32_t)big_endian(v->p + at + 8, 4), depth + 1)) return false;
    return true;
}

static bool events_of(block_file *b, uint32_t number, unsigned depth) {
    block found;
    if (depth > BLOCKS_DEEP) return bad(b->out, "vectors of blocks are nested too deeply");
    if (!block_by_number(b, number, &found)) return false;
    switch (found.kind) {
    case BLOCK_VALUE: return add_events(b->out, found.p, found.n, false);
    case BLOCK_STREAM: return add_events(b->out, found.p, found.n, true);
    case BLOCK_VECTOR: return events_of_vector(b, &found, depth);
    case BLOCK_INDEX:
    case BLOCK_MAP: break;
    }
    return bad(b->out, "the history is in a block of another kind");
}

/* :valid? stands in the first map, the rest of which is not looked at. */
static bool results_of(block_file *b, uint32_t number) {
    block found;
    fressian f;
    if (!block_by_number(b, number, &found)) return false;
    size_t before = found.kind == BLOCK_MAP ? 4 : 0;
    if (found.kind != BLOCK_MAP && found.kind != BLOCK_VALUE)
        return bad(b->out, "the results are in a block of another kind");
    if (found.n < before) return bad(b->out, "the file ends inside a block");
    fressian_init(&f, found.p + before, found.n - before);
    return fressian_done(b->out, &f, fressian_value(&f, &b->out->results));
}

static bool has_magic(const void *p, size_t n) { return n >= MAGIC_SIZE && !memcmp(p, "JEPSEN", MAGIC_SIZE); }

static bool read_blocks(const unsigned char *p, size_t n, jepsen_binary *out) {
    block_file b = {.p = p, .n = n, .most = (uint64_t)n * 4, .out = out};
    test_parts t = {.out = out};
    block root;
    if (n < FILE_HEAD) return bad(out, "the file ends inside its head");
    if (big_endian(p + MAGIC_SIZE, 4) > NEWEST)
        return bad(out, "a version of the format that is not known; 0 and 1 are");
    uint64_t at = big_endian(p + 10, 8);
    if (!at) return bad(out, "it has no index: Jepsen had saved nothing yet");
    if (!block_at(&b, at, &b.index)) return false;
    if (b.index.kind != BLOCK_INDEX || b.index.n < 4) return bad(out, "its index is no index");
    if (!block_by_number(&b, (uint32_t)big_endian(b.index.p, 4), &root)) return false;
    if (root.kind != BLOCK_VALUE) return bad(out, "its root is no test map");
    if (!read_test_map(&t, root.p, root.n)) return false;
    return (!t.history || events_of(&b, t.history, 0)) && (!t.results || results_of(&b, t.results));
}

/* A Fressian map begins with the code of a map and that of a list; neither is text. */
static bool is_fressian_map(const unsigned char *p, size_t n) {
    return n >= 2 && p[0] == 0xc0 && p[1] >= 0xe4 && p[1] <= 0xee;
}

bool jepsen_binary_sniff(const char *p, size_t n) {
    return has_magic(p, n) || is_fressian_map((const unsigned char *)p, n);
}

bool jepsen_binary_read(const void *p, size_t n, jepsen_binary *out) {
    *out = (jepsen_binary){0};
    if (has_magic(p, n)) return read_blocks(p, n, out);
    test_parts t = {.out = out};
    return read_test_map(&t, p, n);
}

void jepsen_binary_free(jepsen_binary *b) {
    text_free(&b->history);
    text_free(&b->map);
    text_free(&b->results);
}

/* ---- the format: the history of such a file ---- */

static bool read_jepsen_binary(input *in, builder *b, const read_options *options) {
    text whole = {0};
    const char *p;
    for (size_t n; (n = input_block(in, &p));) text_bytes(&whole, p, n);
    jepsen_binary test;
    bool good = !input_failed(in);
    if (!good) {
        text_free(&whole);
        return false;
    }
    good = jepsen_binary_read(text_str(&whole), whole.size, &test);
    if (!good) builder_error(b, 0, "%s; expected a file that Jepsen wrote (test.jepsen, test.fressian)", test.wrong);
    text_free(&whole);
    error e = {0};
    input *events = good ? input_memory(input_name(in), text_str(&test.history), test.history.size, &e) : NULL;
    good = events && jepsen_edn_read(events, b, options);
    if (events) input_close(events);
    jepsen_binary_free(&test);
    return good;
}

static int sniff(const char *p, size_t n) { return jepsen_binary_sniff(p, n) ? 100 : 0; }

const format format_jepsen_binary = {
    .name = "jepsen-binary",
    .summary = "Jepsen's test.jepsen and test.fressian: the history in them (read only)",
    .suffixes = "",
    .sniff = sniff,
    .read = read_jepsen_binary,
};
