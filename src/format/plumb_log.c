/* Reading the logs of a recorder from a file: that of a program that has ended, or was killed. What was in flight is
 * pending. */
#include "format/plumb_log.h"

#include "base/boot.h"
#include "base/mem.h"
#include "history/value_digest.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

typedef struct log_block {
    const uint64_t *at;
    size_t n;
    bool *bad;
} log_block;

static value bad_value(log_block *b) {
    *b->bad = true;
    return VALUE_NONE;
}

static value word_value(values *t, uint64_t word, log_block *b, size_t from, unsigned depth);

static value bytes_value(values *t, const uint64_t *at, uint32_t size) {
    char *copy = mem_alloc((size_t)size + 8);
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = log_load(&at[i / 8]);
        memcpy(copy + i, &word, 8);
    }
    value v = value_bytes(t, copy, size);
    free(copy);
    return v;
}

static value tuple_value(values *t, log_block *b, size_t at, uint32_t size, unsigned depth) {
    value *item = MEM_ARRAY(value, (size_t)size + 1);
    for (uint32_t i = 0; i < size; i++) item[i] = word_value(t, log_load(&b->at[at + 1 + i]), b, at, depth + 1);
    value v = value_tuple(t, item, size);
    free(item);
    return v;
}

/* References point forward: no circles. */
static value referred(values *t, size_t at, log_block *b, size_t from, unsigned depth) {
    if (at <= from || at >= b->n || depth > LOG_MAX_DEPTH) return bad_value(b);
    uint64_t head = log_load(&b->at[at]);
    uint32_t kind = (uint32_t)(head >> 32), size = (uint32_t)head;
    size_t room = b->n - at - 1;
    if (kind == PLUMB_INT && room >= 1) return value_int(t, (int64_t)log_load(&b->at[at + 1]));
    if (kind == PLUMB_BYTES && ((size_t)size + 7) / 8 <= room) return bytes_value(t, b->at + at + 1, size);
    if (kind == PLUMB_TUPLE && size <= room) return tuple_value(t, b, at, size, depth);
    return bad_value(b);
}

/* What is not known is no value. */
static bool is_constant(uint64_t number) { return number < LOG_CONSTANTS && number != VALUE_UNKNOWN - VALUE_SPECIAL; }

static value word_value(values *t, uint64_t word, log_block *b, size_t from, unsigned depth) {
    switch (word & 7) {
    case LOG_INT: return value_int(t, (int64_t)word >> 3);
    case LOG_CONSTANT: return is_constant(word >> 3) ? VALUE_SPECIAL + (value)(word >> 3) : bad_value(b);
    case LOG_REFERENCE: return referred(t, word >> 3, b, from, depth);
    default: return bad_value(b);
    }
}

value log_value(values *t, uint64_t word, const uint64_t *at, size_t n, bool *bad) {
    log_block b = {at, n, bad};
    return word_value(t, word, &b, 0, 0);
}

static bool fits_word(const values *t, value v) {
    return v < VALUE_INTERNED || (value_kind_of(t, v) == KIND_INT && plumb_fits_word(value_as_int(t, v)));
}

uint64_t log_sample_hash(const values *t, value v) {
    if (!fits_word(t, v)) return value_digest(0, t, v);
    return plumb_sample_hash(value_kind_of(t, v) == KIND_INT ? PLUMB_WORD_INT(value_as_int(t, v))
                                                             : PLUMB_WORD_CONSTANT(v - VALUE_SPECIAL));
}

/* ---- the file in memory ---- */

typedef struct chunk_chain { /* a slot's chunks that the file has, by sequence, up to the first that is not whole */
    log_chunk **chunk;
    uint64_t n, room;
    bool ended; /* one that is not whole, or missing, came */
} chunk_chain;

typedef struct log_file_reader {
    input *in;
    builder *b;
    const char *block;
    size_t left;
    log_header *h;
    log_slot *slot;
    chunk_chain *chain;
    uint64_t cut; /* events with this key or a later one may miss something */
    unsigned method[LOG_METHODS];
    uint64_t operations;                 /* that were read */
    bool truncated;                      /* the file ends early */
    bool damaged;                        /* something is not what its checksum, or the rest of the log, says */
    bool dark;                           /* operations were not recorded */
    uint64_t *mark_sum, mark_generation; /* with by_marks: of the last sync, by slot */
    bool by_marks;                       /* the machine has stopped: what was synced is read */
    bool only_look;                      /* finds out what is whole, and adds nothing */
    uint64_t last;                       /* log_since of the last event that is whole, while looking */
} log_file_reader;

static bool bad_log(log_file_reader *r, const char *what) {
    return builder_error(r->b, 0, "%s; expected the log of a recorder", what);
}

static size_t take(log_file_reader *r, void *to, size_t n) {
    size_t got = 0;
    while (got < n) {
        if (!r->left && !(r->left = input_block(r->in, &r->block))) break;
        size_t k = r->left < n - got ? r->left : n - got;
        memcpy((char *)to + got, r->block, k);
        got += k;
        r->block += k;
        r->left -= k;
    }
    return got;
}

static bool read_misuse(log_file_reader *r) {
    if (r->h->misused == LOG_USED_RIGHT) return true;
    r->h->misuse[LOG_MISUSE_TEXT - 1] = 0;
    return builder_error(r->b, 0, "the recorder was misused, so its log says nothing: %s", r->h->misuse);
}

static bool has_sums(const log_file_reader *r) { return r->h->version > LOG_OLDEST; }

static bool read_header(log_file_reader *r) {
    r->h = mem_zero(1, LOG_HEADER);
    if (take(r, r->h, LOG_HEADER) != LOG_HEADER) return bad_log(r, "too short");
    const log_header *h = r->h;
    if (memcmp(h->magic, LOG_MAGIC, sizeof h->magic)) return bad_log(r, "does not begin with " LOG_MAGIC);
    if (h->version < LOG_OLDEST || h->version > LOG_VERSION) return bad_log(r, "another version");
    if (has_sums(r) && h->check != log_header_sum(h)) return bad_log(r, "the header is damaged");
    if (!h->slots || h->slots > LOG_MAX_SLOTS || h->chunks_at != log_chunks_at(h->slots) || h->methods > LOG_METHODS ||
        h->clock > PLUMB_CLOCK_TSC || !memchr(h->object, 0, sizeof h->object) || !memchr(h->init, 0, sizeof h->init))
        return bad_log(r, "the header is damaged");
    for (uint32_t i = 0; i < h->methods; i++) {
        if (!memchr(h->method[i], 0, LOG_METHOD_NAME)) return bad_log(r, "the header is damaged");
        r->method[i] = builder_method(r->b, h->method[i], strlen(h->method[i]), 0);
    }
    if (h->object[0]) builder_object(r->b, h->object);
    if (h->init[0]) builder_init(r->b, h->init + 1);
    return read_misuse(r);
}

/* Operations whose keys are this or later may miss something. */
static void cut_from(log_file_reader *r, uint64_t key) {
    if (key < r->cut) r->cut = key;
}

/* Its owner has left: nothing of it has changed since. */
static bool was_left(const log_file_reader *r, const log_slot *s) { return has_sums(r) && !s->taken && s->check; }

/* Without what a slot says it is not known from when on its operations were recorded. */
static void check_slot(log_file_reader *r, const log_slot *s) {
    bool used = s->announced || s->done || s->first || s->last || s->owned || s->dark;
    if (has_sums(r) && !s->taken && (s->check ? s->check != log_slot_sum(s) : used)) r->damaged = true;
    if (r->damaged) cut_from(r, 0);
    if (s->dark_since) {
        r->dark = true;
        cut_from(r, s->dark_since);
    }
}

/* ---- the machine has stopped ---- */

static const log_synced *last_synced(const log_header *h) {
    const log_synced *best = NULL;
    for (unsigned i = 0; i < 2; i++) {
        const log_synced *s = &h->synced[i];
        bool whole = s->generation && s->used <= h->slots && s->check == log_synced_sum(s);
        if (whole && (!best || s->generation > best->generation)) best = s;
    }
    return best;
}

/* Slots are as they were at the last sync. Those that were not in use then have nothing that counts. */
static void go_by_marks(log_file_reader *r) {
    const log_synced *s = last_synced(r->h);
    r->by_marks = true;
    cut_from(r, s ? s->cut + 1 : 0);
    for (uint32_t i = 0; i < r->h->slots; i++) {
        const log_mark none = {0}, *m = s && i < s->used ? log_mark_at(&r->slot[i], s->generation) : &none;
        if (m != &none && m->generation != s->generation) {
            r->damaged = true;
            cut_from(r, 0);
        }
        r->slot[i].announced = m->announced;
        r->slot[i].done = m->done;
        r->slot[i].taken = 1; /* its own checksum is of a later time */
        r->mark_sum[i] = m->sum;
        r->mark_generation = s ? s->generation : 0;
    }
}

static uint64_t last_sequence(const log_slot *s) {
    uint64_t last = s->announced > s->done ? s->announced : s->done;
    return last ? (last - 1) / LOG_CHUNK_RECORDS : 0;
}

static bool read_slots(log_file_reader *r) {
    size_t size = r->h->chunks_at - LOG_HEADER;
    if (r->h->outsiders.since) r->cut = r->h->outsiders.since;
    r->slot = mem_zero(1, size);
    r->chain = mem_zero(r->h->slots, sizeof *r->chain);
    if (take(r, r->slot, size) != size) return bad_log(r, "ends before the first record");
    r->mark_sum = mem_zero(r->h->slots, sizeof *r->mark_sum);
    if (log_is_of_another_run(r->h, boot_identity())) go_by_marks(r);
    for (uint32_t i = 0; i < r->h->slots; i++) {
        if (r->slot[i].recycled)
            return builder_error(
                r->b, 0,
                "a ring whose beginning has been written over; expected a log that was kept whole (or `plumb monitor`, "
                "attached while the program runs)");
        check_slot(r, &r->slot[i]);
    }
    return true;
}

/* Operations that were not recorded may have had any effect: what came after the first of them is not judged, and what
 * came before is not all there was. */
static void say_what_is_missing(log_file_reader *r, uint64_t operations) {
    const log_outsiders *o = &r->h->outsiders;
    uint64_t lost = o->calls;
    char what[160] = "nothing was judged: the log holds no operation";
    for (uint32_t i = 0; i < r->h->slots; i++) lost += r->slot[i].lost;
    if (o->calls)
        snprintf(what, sizeof what, "%llu operations were not recorded: %llu threads had no slot",
                 (unsigned long long)lost, (unsigned long long)o->threads);
    else if (lost)
        snprintf(what, sizeof what, "%llu operations were not recorded, for want of room", (unsigned long long)lost);
    if (lost || !operations) builder_lacks(r->b, what);
}

static bool is_whole(const log_file_reader *r, const log_chunk *c) {
    if (!has_sums(r) || !c->covered) return true;
    return c->covered > LOG_FIRST && c->covered <= LOG_CHUNK_RECORDS && c->sum == log_chunk_sum(c, c->covered);
}

/* Chunks that a slot did not have at the last sync are of no use, and may be anything. In the one that it wrote then,
 * and in one behind it, no more than the mark says is relied on. */
typedef enum chunk_use { CHUNK_AS_ITS_SUM, CHUNK_AS_MARKED, CHUNK_UNUSED } chunk_use;

static chunk_use use_of_chunk(const log_file_reader *r, const log_chunk *c) {
    if (!r->by_marks || c->slot > r->h->slots) return CHUNK_AS_ITS_SUM;
    const log_slot *s = &r->slot[c->slot - 1];
    if (!s->announced || c->sequence > last_sequence(s)) return CHUNK_UNUSED;
    return s->done > c->sequence * LOG_CHUNK_RECORDS && s->done > (c->sequence + 1) * LOG_CHUNK_RECORDS
               ? CHUNK_AS_ITS_SUM
               : CHUNK_AS_MARKED;
}

static bool is_as_marked(const log_file_reader *r, const log_chunk *c) {
    const log_slot *s = &r->slot[c->slot - 1];
    const log_mark m = {.generation = r->mark_generation, .announced = s->announced, .done = s->done};
    if (s->done && (s->done - 1) / LOG_CHUNK_RECORDS != c->sequence) return true; /* nothing in it has returned */
    return r->mark_sum[c->slot - 1] == log_mark_sum(&m, s->done ? c : NULL);
}

/* Chunks of one slot come in their order; one that was given out and not taken into use yet belongs to no slot. */
static bool keep_chunk(log_file_reader *r, log_chunk *c) {
    if (c->slot == 0) return false;
    const chunk_use use = use_of_chunk(r, c);
    if (use == CHUNK_UNUSED) return false;
    chunk_chain *k = c->slot > r->h->slots ? NULL : &r->chain[c->slot - 1];
    if (!k || c->sequence != k->n || (use == CHUNK_AS_MARKED ? !is_as_marked(r, c) : !is_whole(r, c))) {
        r->damaged = true;
        if (k) k->ended = true;
        return false;
    }
    if (k->ended) return false;
    if (k->n == k->room) {
        k->room = k->room ? 2 * k->room : 4;
        k->chunk = MEM_GROW(k->chunk, log_chunk *, k->room);
    }
    assert(k->n < k->room && c->sequence == k->n); /* place p is in chunk p / LOG_CHUNK_RECORDS */
    k->chunk[k->n++] = c;
    return true;
}

static bool read_chunks(log_file_reader *r) {
    uint64_t chunks = r->h->chunks < r->h->chunk_limit ? r->h->chunks : r->h->chunk_limit;
    for (uint64_t i = 0; i < chunks && !r->truncated; i++) {
        log_chunk *c = mem_alloc(sizeof *c);
        r->truncated = take(r, c, sizeof *c) != sizeof *c;
        if (r->truncated || !keep_chunk(r, c)) free(c);
    }
    return true;
}

/* A chunk is closed before the one after the next is begun: a program that is killed leaves two at most that are not,
 * and one whose owner has left none. How many of the slot's chunks can be relied on. */
static uint64_t closed_chunks(const log_file_reader *r, uint32_t slot) {
    const chunk_chain *k = &r->chain[slot];
    const log_slot *s = &r->slot[slot];
    for (uint64_t i = 0; has_sums(r) && i < k->n; i++) {
        uint64_t before = i * LOG_CHUNK_RECORDS, needed = 0;
        if (i + 2 < k->n && !r->by_marks) needed = LOG_CHUNK_RECORDS;
        if (was_left(r, s) && s->announced > before)
            needed = s->announced - before < LOG_CHUNK_RECORDS ? s->announced - before : LOG_CHUNK_RECORDS;
        if (k->chunk[i]->covered < needed) return i;
    }
    return k->n;
}

/* ---- operations ---- */

static const uint64_t *record_at(const log_file_reader *r, uint32_t slot, uint64_t place) {
    const chunk_chain *k = &r->chain[slot];
    uint64_t sequence = place / LOG_CHUNK_RECORDS;
    return sequence < k->n && place % LOG_CHUNK_RECORDS >= LOG_FIRST
               ? (const uint64_t *)k->chunk[sequence] + 4 * (place % LOG_CHUNK_RECORDS)
               : NULL;
}

/* The words of the block at this place, as many as its chunk can hold; NULL: no block is there. */
static const uint64_t *block_at(const log_file_reader *r, uint32_t slot, uint64_t place, size_t *length) {
    const uint64_t *at = record_at(r, slot, place);
    *length = at ? 4 * (size_t)(LOG_CHUNK_RECORDS - place % LOG_CHUNK_RECORDS) : 0;
    if (!at || !at[0] || at[0] > *length / 4) return NULL;
    *length = at[0] * 4;
    return at;
}

static bool read_arguments(log_file_reader *r, uint32_t slot, const uint64_t *record, uint64_t *place, value *arg,
                           size_t *n) {
    values *t = builder_values(r->b);
    bool bad = false;
    *n = (record[2] & LOG_ARGUMENTS) >> 5;
    if (!(record[2] & LOG_BLOCK)) {
        if (*n > 1) return false;
        if (*n) arg[0] = log_value(t, record[0], NULL, 0, &bad);
        ++*place;
        return !bad;
    }
    size_t length;
    const uint64_t *block = block_at(r, slot, *place + 1, &length);
    if (!block || 1 + *n > length) return false;
    for (size_t i = 0; i < *n; i++) arg[i] = log_value(t, block[1 + i], block, length, &bad);
    *place += 1 + block[0];
    return !bad;
}

static bool read_result(log_file_reader *r, uint32_t slot, const uint64_t *record, uint64_t *place, value *res) {
    bool bad = false;
    if (!(record[3] & LOG_BLOCK)) {
        *res = log_value(builder_values(r->b), record[1], NULL, 0, &bad);
        return !bad;
    }
    size_t length;
    const uint64_t *block = block_at(r, slot, record[1], &length);
    if (!block || length < 2 || record[1] < *place) return false;
    *res = log_value(builder_values(r->b), block[1], block, length, &bad);
    *place = record[1] + block[0];
    return !bad;
}

static uint64_t next_chunk_place(uint64_t place) {
    return (place / LOG_CHUNK_RECORDS + 1) * LOG_CHUNK_RECORDS + LOG_FIRST;
}

static bool add_operation(log_file_reader *r, uint32_t slot, const uint64_t *record, uint64_t *place) {
    value arg[HISTORY_MAX_ARGS], res = VALUE_UNKNOWN;
    uint64_t begins = *place, call = log_call_key(r->h->clock, record[2]), back = 0;
    size_t n;
    unsigned which = record[2] & LOG_METHOD, outcome = 0;
    if (which >= r->h->methods || !read_arguments(r, slot, record, place, arg, &n)) return false;
    if (r->slot[slot].done > begins) outcome = record[3] & ~(unsigned)LOG_BLOCK & 0xff;
    if (outcome > LOG_UNKNOWN) return false;
    if (outcome) back = log_return_key(r->h->clock, record[3]);
    if (outcome == LOG_RETURNED && !read_result(r, slot, record, place, &res)) return false;
    if (r->only_look) {
        uint64_t stamp = (outcome ? record[3] : record[2]) >> PLUMB_STAMP_SHIFT;
        if (log_since(stamp) > r->last) r->last = log_since(stamp);
        return true;
    }
    if (call >= r->cut || outcome == LOG_FAILED) return true;
    if (n && log_sample_hash(builder_values(r->b), arg[0]) > log_sampled(r->h)) return true;
    bool returned = outcome == LOG_RETURNED && back < r->cut;
    r->operations++;
    call_record c = {.client = value_int(builder_values(r->b), slot),
                     .method = r->method[which],
                     .key = VALUE_NONE,
                     .arg = arg,
                     .nargs = n};
    return builder_operation(r->b, &c, (int64_t)call, returned ? (int64_t)back : STAMP_NEVER,
                             returned ? res : VALUE_UNKNOWN);
}

/* Up to the first record that is not whole; false: there is one. */
static bool read_log(log_file_reader *r, uint32_t slot) {
    uint64_t place = LOG_FIRST;
    while (place < r->slot[slot].announced) {
        if (place % LOG_CHUNK_RECORDS == 0) place += LOG_FIRST;
        const uint64_t *record = record_at(r, slot, place);
        /* announced in a chunk whose header never came to be: nothing of it began */
        if (!record) return !has_sums(r) && !r->truncated && !r->chain[slot].ended;
        if ((record[2] & LOG_METHOD) == LOG_FILLER) {
            place = next_chunk_place(place);
            continue;
        }
        if (!add_operation(r, slot, record, &place)) return false;
    }
    return true;
}

/* Whatever is missing of a thread's operations began after the last event that is there. */
static void find_cut(log_file_reader *r, uint32_t slot) {
    chunk_chain *k = &r->chain[slot];
    uint64_t whole = closed_chunks(r, slot);
    for (; k->n > whole; k->ended = true) free(k->chunk[--k->n]);
    if (k->n && !r->slot[slot].announced && k->n > 1) k->ended = true; /* the slot does not know of them */
    r->only_look = true;
    r->last = 0;
    if (!read_log(r, slot) || k->ended) {
        r->damaged |= !r->truncated;
        cut_from(r, r->last);
    }
    r->only_look = false;
}

static void say_lost(const log_file_reader *r) {
    if (has_sums(r)) builder_sample(r->b, r->h->sample);
    if (r->truncated) builder_lacks(r->b, "the file ends early");
    else if (r->by_marks && !r->damaged)
        builder_lacks(r->b, "the machine stopped, and what was recorded after the last sync is left out");
    else if (r->damaged) builder_lacks(r->b, "a part of the log is damaged");
}

static void free_reader(log_file_reader *r) {
    for (uint32_t i = 0; r->chain && i < r->h->slots; i++) {
        for (uint64_t k = 0; k < r->chain[i].n; k++) free(r->chain[i].chunk[k]);
        free(r->chain[i].chunk);
    }
    FREE_ALL(r->chain, r->slot, r->mark_sum, r->h);
}

static bool read_history(input *in, builder *b, const read_options *options) {
    (void)options;
    log_file_reader r = {.in = in, .b = b, .cut = UINT64_MAX};
    bool good = read_header(&r) && read_slots(&r) && read_chunks(&r);
    for (uint32_t i = 0; good && i < r.h->slots; i++) find_cut(&r, i);
    for (uint32_t i = 0; good && i < r.h->slots; i++) read_log(&r, i);
    builder_order_only(b);
    if (good) say_what_is_missing(&r, r.operations);
    if (good) say_lost(&r);
    free_reader(&r);
    return good;
}

static int sniff(const char *p, size_t n) { return n >= 8 && !memcmp(p, LOG_MAGIC, 8) ? 100 : 0; }

const format format_plumb_log = {
    .name = "plumb-log",
    .summary = "the logs of a recorder (plumbline/record.h), of a program that has ended or was killed",
    .suffixes = ".plumblog",
    .sniff = sniff,
    .read = read_history,
    .write = plumb_log_write,
};
