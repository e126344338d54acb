/* plumb-binary: the native format for large histories. Columns, compressed block by block.
 *
 *     "PLMB" version flags 0 0                       8 bytes
 *     +------+----------+-------------+----------+--------------------------+
 *     | kind | raw size | packed size | checksum | packed: one zstd frame   |  repeated; kind 'B': operations,
 *     +------+----------+-------------+----------+--------------------------+  'E': the end, exactly once, last
 *        1        4            4           4
 *
 * Integers of several bytes are little-endian. The checksum is the CRC-32 (zlib's) of everything before it in the file
 * but the other checksums, and of the packed bytes: a lost, repeated or moved block is noticed as well. Flags: 1 stamps
 * are ranks (the source had no clock but its order), 2 every operation has a client of its own and there is no client
 * column.
 *
 * Raw content of 'B'. v: an unsigned integer of 7 bits a byte, low bits first, the top bit set in all bytes but the
 * last; z: v of a zigzag-coded signed integer; c: a value code, see below; #x: v, the number of x that follow.
 *
 *     hint         v: 0 none, else 1 + number of bytes that follow; the object as the source named it
 *     heading      in version 3, in every block: initial value, what is lacking, each as the hint is; v: nanoseconds in
 *                  one unit of the stamps, 0 not known; v: one of so many keys or values is here, 0 all
 *     methods      #( #bytes )           new entries of the dictionaries: blocks add to what earlier blocks defined
 *     values       #( 0 z | 1 #bytes | 2 #c )    an integer, a byte string, a tuple of values defined before;
 *                                        in version 2 also 3 #bytes: a number that is no integer of 64 bits, in
 *                                        decimal; 4 #c: a set; 5 #c: a map, keys and values in turn
 *     clients      #( c )                their names
 *     annotations  #( v c )              after so many operations of this block; its text
 *     operations   v                     at most 65536, in the order of their calls
 *     columns      10 times #bytes:
 *         method   one byte each         shape    one byte each: number of arguments (0..3) + 4 when it has a key
 *         client   v                     call     z: difference to the call before, over all blocks
 *         length   v: 0 pending, else 1 + return - call
 *         key, argument 1, 2, 3: c       of those operations that have one
 *         result   c                     of those that returned
 *
 * A value code is even for an integer of up to 31 bits: twice the zigzag-coded difference to the integer before it in
 * the same column of the block (elsewhere: to 0). It is odd for 1 + 2 * n: n < 16 are the constants none, empty, full,
 * (unknown), false, true; above, entry n - 16 of the dictionary. Raw content of 'E': v v, the numbers of all operations
 * and annotations.
 *
 * The reader trusts nothing: sizes are limited before anything is allocated, every read is bounded, dictionary entries
 * are limited in depth and in the size they would have when printed. Writing is in binary_write.c. */
#include "format/binary.h"
#include "format/note_value.h"

#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { MAX_DEPTH = 256, MAX_ITEMS = 1 << 24 }; /* of a tuple, with all tuples in it */

typedef struct binary_cursor {
    const unsigned char *p, *end;
    bool bad; /* read beyond the end */
} binary_cursor;

typedef struct dictionary_entry {
    value v;
    uint32_t items, depth; /* what it takes to print it */
} dictionary_entry;

typedef struct binary_reader {
    input *in;
    builder *b;
    values *values;
    const char *block; /* bytes handed out by the input and not taken yet */
    size_t left;
    text packed;
    unsigned char *raw;
    size_t raw_room;
    ZSTD_DCtx *zstd;

    unsigned version, flags;
    uLong checksum; /* of the file so far */
    unsigned *method;
    dictionary_entry *entry;
    value *client;
    uint32_t methods, entries, clients;
    uint32_t method_room, entry_room, client_room;
    int64_t call; /* the last one */
    uint64_t operations, annotations, blocks;
    pool_cleanup cleanup;
} binary_reader;

static bool damaged(binary_reader *r, const char *what) {
    return builder_error(r->b, 0, "block %llu: %s", (unsigned long long)r->blocks + 1, what);
}

/* ---- cursors ---- */

static uint64_t take_long(binary_cursor *c) {
    uint64_t u = 0;
    for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
        unsigned char byte = *c->p++;
        u |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return u;
    }
    c->bad = true;
    return 0;
}

static inline uint64_t take(binary_cursor *c) { return c->p < c->end && *c->p < 0x80 ? *c->p++ : take_long(c); }

static inline unsigned take_byte(binary_cursor *c) {
    if (c->p < c->end) return *c->p++;
    c->bad = true;
    return 0;
}

/* A piece of n bytes; empty and bad when there are fewer. */
static binary_cursor take_piece(binary_cursor *c, uint64_t n) {
    if (n > (uint64_t)(c->end - c->p)) {
        c->bad = true;
        n = 0;
    }
    binary_cursor piece = {.p = c->p, .end = c->p + n};
    c->p += n;
    assert(c->p <= c->end);
    return piece;
}

/* A number of things of at least one byte each. */
static uint64_t take_count(binary_cursor *c) {
    uint64_t n = take(c);
    if (n <= (uint64_t)(c->end - c->p)) return n;
    c->bad = true;
    return 0;
}

static const dictionary_entry *take_entry(binary_reader *r, binary_cursor *c, uint64_t n) {
    if (n - BINARY_CONSTANTS < r->entries) return &r->entry[n - BINARY_CONSTANTS];
    c->bad = true;
    return NULL;
}

static inline value take_value(binary_reader *r, binary_cursor *c, int64_t *last) {
    uint64_t u = take(c);
    if ((u & 1) == 0) {
        int64_t i = (int64_t)((uint64_t)*last + (uint64_t)binary_unzigzag(u >> 1));
        if (i < -VALUE_INT_LIMIT || i >= VALUE_INT_LIMIT) {
            c->bad = true;
            i = 0;
        }
        *last = i;
        return (value)(i + VALUE_INT_LIMIT);
    }
    u >>= 1;
    if (u <= VALUE_TRUE - VALUE_SPECIAL && u != VALUE_UNKNOWN - VALUE_SPECIAL) return (value)(VALUE_SPECIAL + u);
    const dictionary_entry *e = u < BINARY_CONSTANTS ? NULL : take_entry(r, c, u);
    if (!e) c->bad = true;
    return e ? e->v : VALUE_NONE;
}

static value take_name(binary_reader *r, binary_cursor *c) {
    int64_t zero = 0;
    return take_value(r, c, &zero);
}

/* ---- dictionaries ---- */

#define ROOM_FOR_ONE(p, type, count, room) \
    if ((count) == (room)) (p) = MEM_GROW((p), type, (room) = (room) ? (room)*2 : 16)

/* Words for the builder, or none. */
static void read_words(binary_reader *r, binary_cursor *c, void (*tell)(builder *, const char *)) {
    uint64_t n = take(c);
    if (n == 0) return;
    binary_cursor words = take_piece(c, n - 1);
    if (c->bad) return;
    text t = {0};
    text_bytes(&t, words.p, (size_t)(words.end - words.p));
    tell(r->b, text_str(&t));
    text_free(&t);
}

static void read_heading(binary_reader *r, binary_cursor *c) {
    read_words(r, c, builder_init);
    read_words(r, c, builder_lacks);
    uint64_t tick = take(c), sample = take(c);
    c->bad = c->bad || tick > 1000000000;
    if (tick) builder_tick(r->b, (int64_t)tick);
    if (sample) builder_sample(r->b, sample);
}

static void read_methods(binary_reader *r, binary_cursor *c) {
    for (uint64_t n = take_count(c); n-- > 0 && !c->bad;) {
        binary_cursor name = take_piece(c, take(c));
        if (name.p == name.end) c->bad = true;
        if (c->bad) return;
        ROOM_FOR_ONE(r->method, unsigned, r->methods, r->method_room);
        r->method[r->methods++] = builder_method(r->b, (const char *)name.p, (size_t)(name.end - name.p), 0);
    }
}

/* Counts what the tuple would be when printed: tuples of tuples of the same tuple grow faster than the file. */
static dictionary_entry read_list(binary_reader *r, binary_cursor *c, value_kind kind) {
    uint64_t n = take_count(c);
    value *item = MEM_ARRAY(value, n);
    dictionary_entry e = {.items = 1, .depth = 1};
    for (uint64_t i = 0; i < n; i++) {
        binary_cursor at = *c;
        uint64_t code = take(&at);
        item[i] = take_name(r, c);
        const dictionary_entry *part =
            (code & 1) && code >> 1 >= BINARY_CONSTANTS && !c->bad ? take_entry(r, c, code >> 1) : NULL;
        e.items += part ? part->items : 1;
        if (part && part->depth >= e.depth) e.depth = part->depth + 1;
        if (e.items > MAX_ITEMS || e.depth > MAX_DEPTH) c->bad = true;
        if (c->bad) break;
    }
    assert(c->bad || (e.items > n && e.depth <= MAX_DEPTH));
    if (kind == KIND_MAP && n % 2) c->bad = true;
    if (!c->bad) e.v = value_list_of(r->values, kind, item, n);
    free(item);
    return e;
}

static dictionary_entry read_entry(binary_reader *r, binary_cursor *c) {
    dictionary_entry e = {.items = 1};
    unsigned kind = take_byte(c);
    if (r->version == 1 && kind > BINARY_TUPLE) c->bad = true;
    switch (c->bad ? UINT_MAX : kind) {
    case BINARY_INT: e.v = value_int(r->values, binary_unzigzag(take(c))); break;
    case BINARY_BYTES: {
        binary_cursor bytes = take_piece(c, take(c));
        if (!c->bad) e.v = value_bytes(r->values, bytes.p, (size_t)(bytes.end - bytes.p));
        break;
    }
    case BINARY_TUPLE: return read_list(r, c, KIND_TUPLE);
    case BINARY_SET: return read_list(r, c, KIND_SET);
    case BINARY_MAP: return read_list(r, c, KIND_MAP);
    case BINARY_NUMBER: {
        binary_cursor digits = take_piece(c, take(c));
        c->bad = c->bad || !value_number(r->values, (const char *)digits.p, (size_t)(digits.end - digits.p), &e.v);
        break;
    }
    default: c->bad = true;
    }
    return e;
}

static void read_entries(binary_reader *r, binary_cursor *c) {
    for (uint64_t n = take_count(c); n-- > 0 && !c->bad;) {
        dictionary_entry e = read_entry(r, c);
        if (c->bad) return;
        ROOM_FOR_ONE(r->entry, dictionary_entry, r->entries, r->entry_room);
        r->entry[r->entries++] = e;
    }
}

static void read_clients(binary_reader *r, binary_cursor *c) {
    for (uint64_t n = take_count(c); n-- > 0 && !c->bad;) {
        ROOM_FOR_ONE(r->client, value, r->clients, r->client_room);
        r->client[r->clients++] = take_name(r, c);
    }
}

/* ---- operations ---- */

typedef struct binary_block {
    binary_cursor column[BINARY_COLUMNS];
    int64_t last[BINARY_COLUMNS]; /* the integer before, by column of values */
    binary_cursor notes;          /* annotations not placed yet */
    uint64_t notes_left, next_note;
} binary_block;

static bool read_operation(binary_reader *r, binary_block *k) {
    binary_cursor *column = k->column;
    unsigned method_code = take_byte(&column[COLUMN_METHOD]), shape = take_byte(&column[COLUMN_SHAPE]);
    uint64_t who = r->flags & BINARY_OWN_CLIENTS ? 0 : take(&column[COLUMN_CLIENT]);
    r->call = (int64_t)((uint64_t)r->call + (uint64_t)binary_unzigzag(take(&column[COLUMN_CALL])));
    uint64_t length = take(&column[COLUMN_LENGTH]);
    int64_t ret = length ? (int64_t)((uint64_t)r->call + length - 1) : INT64_MAX;
    if (method_code >= r->methods || shape > (BINARY_NARGS | BINARY_KEYED) ||
        (!(r->flags & BINARY_OWN_CLIENTS) && who >= r->clients) || ret < r->call)
        return false;
    value arg[HISTORY_MAX_ARGS], res = VALUE_NONE;
    unsigned nargs = shape & BINARY_NARGS;
    call_record call = {.client = r->flags & BINARY_OWN_CLIENTS ? CLIENT_OWN : r->client[who],
                        .method = r->method[method_code],
                        .key = VALUE_NONE,
                        .arg = arg,
                        .nargs = nargs,
                        .line = (uint32_t)++r->operations};
    if (shape & BINARY_KEYED) call.key = take_value(r, &column[COLUMN_KEY], &k->last[COLUMN_KEY]);
    for (unsigned a = 0; a < nargs; a++) arg[a] = take_value(r, &column[COLUMN_ARG + a], &k->last[COLUMN_ARG + a]);
    if (length) res = take_value(r, &column[COLUMN_RESULT], &k->last[COLUMN_RESULT]);
    return builder_whole_operation(r->b, &call, r->call, ret, length > 0, res);
}

static void place_notes(binary_reader *r, binary_block *k, uint64_t done) {
    while (k->notes_left && k->next_note <= done && !k->notes.bad) {
        annotation note = note_of_value(builder_values(r->b), take_name(r, &k->notes));
        builder_note(r->b, &note);
        r->annotations++;
        if (--k->notes_left) k->next_note = take(&k->notes);
    }
}

/* Annotations are told to the builder between the operations: their place is kept, to be read again with them. */
static void find_notes(binary_reader *r, binary_cursor *c, binary_block *k) {
    k->notes_left = take_count(c);
    k->notes.p = c->p;
    for (uint64_t i = 0; i < k->notes_left && !c->bad; i++) {
        take(c);
        take_name(r, c);
    }
    k->notes.end = c->p;
    if (k->notes_left) k->next_note = take(&k->notes);
}

static bool consumed(const binary_cursor *c) { return !c->bad && c->p == c->end; }

static bool read_operations(binary_reader *r, binary_cursor *c) {
    binary_block k = {.next_note = 0};
    find_notes(r, c, &k);
    uint64_t n = take(c);
    if (n > BINARY_BLOCK_OPERATIONS) return damaged(r, "too many operations; expected at most 65536");
    for (unsigned i = 0; i < BINARY_COLUMNS; i++) k.column[i] = take_piece(c, take(c));
    if (!consumed(c)) return damaged(r, "damaged dictionary; expected entries as binary.c describes");
    builder_expect(r->b, input_estimate(r->in, r->operations + n, r->left));
    for (uint64_t i = 0; i < n; i++) {
        place_notes(r, &k, i);
        if (!read_operation(r, &k)) return damaged(r, "damaged operation; expected columns as binary.c describes");
    }
    place_notes(r, &k, UINT64_MAX);
    bool good = k.notes_left == 0 && consumed(&k.notes);
    for (unsigned i = 0; i < BINARY_COLUMNS; i++) good = good && consumed(&k.column[i]);
    return good || damaged(r, "columns of the wrong length; expected as many entries as operations");
}

static bool read_content(binary_reader *r, binary_cursor *c) {
    read_words(r, c, builder_object);
    if (r->version >= BINARY_HEADING) read_heading(r, c);
    read_methods(r, c);
    read_entries(r, c);
    read_clients(r, c);
    return read_operations(r, c);
}

static bool read_end(binary_reader *r, binary_cursor *c) {
    uint64_t operations = take(c), annotations = take(c);
    if (!consumed(c)) return damaged(r, "damaged end; expected two numbers");
    if (operations != r->operations || annotations != r->annotations)
        return damaged(r, "the end counts other operations than there are; expected all blocks of the file");
    return true;
}

/* ---- blocks ---- */

/* Exactly n bytes into `packed`, which grows only as they arrive. */
static bool gather(binary_reader *r, size_t n) {
    text_clear(&r->packed);
    while (r->packed.size < n) {
        if (!r->left && !(r->left = input_block(r->in, &r->block))) return false;
        size_t part = n - r->packed.size;
        if (part > r->left) part = r->left;
        text_bytes(&r->packed, r->block, part);
        r->block += part;
        r->left -= part;
    }
    assert(r->packed.size == n);
    return true;
}

static bool truncated(binary_reader *r) {
    if (input_failed(r->in)) return false; /* the input said why */
    return damaged(r, "truncated file; expected an end block");
}

static uint32_t little(const char *p) {
    const unsigned char *u = (const unsigned char *)p;
    return u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static bool unpack(binary_reader *r, size_t size) {
    if (size > r->raw_room || !r->raw) {
        free(r->raw);
        r->raw = mem_alloc(size);
        r->raw_room = size;
    }
    if (ZSTD_getFrameContentSize(r->packed.at, r->packed.size) != size)
        return damaged(r, "damaged size; expected the frame's own");
    size_t made = ZSTD_decompressDCtx(r->zstd, r->raw, size, r->packed.at, r->packed.size);
    if (ZSTD_getErrorCode(made) == ZSTD_error_memory_allocation) mem_exhausted("out of memory in libzstd");
    if (ZSTD_isError(made) || made != size) return damaged(r, "damaged data; expected a zstd frame");
    return true;
}

/* Reads the next block's raw content; its kind, or 0 (false) after an error. */
static char next_block(binary_reader *r, binary_cursor *content) {
    char header[BINARY_BLOCK_HEADER];
    if (!gather(r, sizeof header)) return truncated(r);
    memcpy(header, r->packed.at, sizeof header);
    uint32_t size = little(header + 1), packed = little(header + 5), checksum = little(header + 9);
    if ((header[0] != 'B' && header[0] != 'E') || size > BINARY_MAX_BLOCK || packed > BINARY_MAX_BLOCK || packed == 0)
        return damaged(r, "damaged block header; expected kind B or E and sizes below 256 MiB");
    if (!gather(r, packed)) return truncated(r);
    r->checksum = crc32(crc32(r->checksum, (const Bytef *)header, 9), (const Bytef *)r->packed.at, (uInt)packed);
    if (r->checksum != checksum) return damaged(r, "wrong checksum; expected undamaged data");
    if (!unpack(r, size)) return 0;
    *content = (binary_cursor){.p = r->raw, .end = r->raw + size};
    return header[0];
}

static bool read_header(binary_reader *r) {
    if (!gather(r, BINARY_HEADER)) return truncated(r);
    const char *p = r->packed.at;
    if (memcmp(p, BINARY_MAGIC, 4))
        return builder_error(r->b, 0, "not a plumb-binary file; expected it to begin with " BINARY_MAGIC);
    r->version = (unsigned char)p[4];
    if (r->version < 1 || r->version > BINARY_VERSION)
        return builder_error(r->b, 0, "plumb-binary version %u; expected version 1 to %d", r->version, BINARY_VERSION);
    r->flags = (unsigned char)p[5];
    r->checksum = crc32(crc32(0, NULL, 0), (const Bytef *)p, BINARY_HEADER);
    if (r->flags > (BINARY_ORDER_ONLY | BINARY_OWN_CLIENTS) || p[6] || p[7])
        return builder_error(r->b, 0, "damaged header; expected known flags");
    if (r->flags & BINARY_ORDER_ONLY) builder_order_only(r->b);
    return true;
}

static bool read_blocks(binary_reader *r) {
    binary_cursor content;
    for (;; r->blocks++) {
        char kind = next_block(r, &content);
        if (!kind) return false;
        if (kind == 'B' && !read_content(r, &content)) return false;
        if (kind == 'E') break;
    }
    if (!read_end(r, &content)) return false;
    if (r->left || input_block(r->in, &r->block)) return damaged(r, "bytes behind the end block; expected none");
    return !input_failed(r->in);
}

static void end_unpacking(void *reader) { ZSTD_freeDCtx(((binary_reader *)reader)->zstd); }

static bool read_history(input *in, builder *b, const read_options *options) {
    (void)options;
    binary_reader r = {.in = in, .b = b, .values = builder_values(b), .zstd = ZSTD_createDCtx()};
    if (!r.zstd) mem_exhausted("out of memory");
    pool_at_failure(&r.cleanup, end_unpacking, &r);
    bool good = read_header(&r) && read_blocks(&r);
    pool_forget(&r.cleanup);
    end_unpacking(&r);
    text_free(&r.packed);
    FREE_ALL(r.raw, r.method, r.entry, r.client);
    return good;
}

static int sniff(const char *p, size_t n) { return n >= 4 && !memcmp(p, BINARY_MAGIC, 4) ? 100 : 0; }

const format format_binary = {
    .name = "plumb-binary",
    .summary = "the native binary format: columns, compressed, with checksums",
    .suffixes = ".plumb .plmb",
    .sniff = sniff,
    .read = read_history,
    .write = binary_write,
};
