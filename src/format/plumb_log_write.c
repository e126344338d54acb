/* A history as the logs of a recorder: what plumb_log.c reads back as the same operations in the same order of events.
 * Each client is a thread of its own; ranks are the tickets. */
#include "format/plumb_log.h"

#include "base/mem.h"
#include "format/expressible.h"
#include "format/output.h"
#include "history/value_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_ROOM = LOG_CHUNK_RECORDS - LOG_FIRST };

typedef struct block_words { /* a block, or what will be one */
    uint64_t *at;
    size_t n, room;
} block_words;

typedef struct thread_log {
    log_chunk **chunk;
    uint64_t chunks, room;
    uint64_t place; /* of the next record */
    uint32_t last;  /* its operation that was called last */
} thread_log;

typedef struct log_file_writer {
    const history *h;
    bool keyed; /* the key is the first argument */
    thread_log *thread;
    uint32_t threads, room;
    value_map by_name; /* the thread that goes on for a client */
    block_words arguments, result;
    bool too_deep, unknown_kind;
    error *e;
} log_file_writer;

/* ---- values ---- */

static size_t reserve(block_words *b, size_t n) {
    size_t from = b->n;
    if (b->n + n > b->room) {
        b->room = 2 * (b->n + n);
        b->at = MEM_GROW(b->at, uint64_t, b->room);
    }
    memset(b->at + from, 0, n * sizeof *b->at);
    b->n += n;
    return from;
}

static bool fits_word(const values *t, value v) {
    if (v < VALUE_INTERNED) return true;
    return value_kind_of(t, v) == KIND_INT && plumb_fits_word(value_as_int(t, v));
}

static uint64_t plain_word(const values *t, value v) {
    if (value_kind_of(t, v) == KIND_INT) return PLUMB_WORD_INT(value_as_int(t, v));
    return PLUMB_WORD_CONSTANT(v - VALUE_SPECIAL);
}

static uint64_t block_word(log_file_writer *w, block_words *b, value v, unsigned depth);

static void fill_tuple(log_file_writer *w, block_words *b, size_t at, value v, unsigned depth) {
    size_t n;
    const value *item = value_as_tuple(w->h->values, v, &n);
    if (depth >= LOG_MAX_DEPTH) w->too_deep = true;
    for (size_t i = 0; i < n && !w->too_deep; i++) {
        uint64_t word = block_word(w, b, item[i], depth + 1);
        b->at[at + i] = word;
    }
}

/* The value's word in the block; what does not fit is put behind what is there: references go forward. */
static uint64_t block_word(log_file_writer *w, block_words *b, value v, unsigned depth) {
    const values *t = w->h->values;
    if (fits_word(t, v)) return plain_word(t, v);
    value_kind kind = value_kind_of(t, v);
    size_t n = 0, content = 1;
    if (kind > KIND_TUPLE) { /* recorders have no such values */
        w->unknown_kind = true;
        return 0;
    }
    const char *p = kind == KIND_BYTES ? value_as_bytes(t, v, &n) : NULL;
    if (kind == KIND_BYTES) content = (n + 7) / 8;
    if (kind == KIND_TUPLE) value_as_tuple(t, v, &content);
    size_t head = reserve(b, 1 + content);
    uint64_t called = kind == KIND_INT ? PLUMB_INT : kind == KIND_BYTES ? PLUMB_BYTES : PLUMB_TUPLE;
    b->at[head] = called << 32 | (uint32_t)(kind == KIND_BYTES ? n : content);
    if (kind == KIND_INT) b->at[head + 1] = (uint64_t)value_as_int(t, v);
    if (n) memcpy(b->at + head + 1, p, n);
    if (kind == KIND_TUPLE) fill_tuple(w, b, head + 1, v, depth);
    return (uint64_t)head << 3 | LOG_REFERENCE;
}

/* A block of these values. Empty when there is one value at most, and it is a word: then there need not be one. */
static void make_block(log_file_writer *w, block_words *b, const value *v, size_t n) {
    b->n = 0;
    if (n == 0 || (n == 1 && fits_word(w->h->values, v[0]))) return;
    reserve(b, 1 + n);
    for (size_t i = 0; i < n; i++) {
        uint64_t word = block_word(w, b, v[i], 0);
        b->at[1 + i] = word;
    }
    b->at[0] = (b->n + 3) / 4;
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    for (size_t i = 0; i < n && !w->too_deep && !w->unknown_kind; i++) {
        bool bad = false;
        assert(v[i] == VALUE_UNKNOWN || (log_value(w->h->values, b->at[1 + i], b->at, b->n, &bad) == v[i] && !bad));
    }
#endif
}

static size_t block_records(const block_words *b) { return (b->n + 3) / 4; }

/* ---- places ---- */

static void add_chunk(thread_log *t, uint32_t thread) {
    if (t->chunks == t->room) {
        t->room = t->room ? 2 * t->room : 1;
        t->chunk = MEM_GROW(t->chunk, log_chunk *, t->room);
    }
    log_chunk *c = mem_zero(1, sizeof *c);
    c->slot = thread + 1;
    c->sequence = t->chunks;
    t->chunk[t->chunks] = c;
    t->place = t->chunks++ * LOG_CHUNK_RECORDS + LOG_FIRST;
}

static uint64_t *words_at(const thread_log *t, uint64_t place) {
    return (uint64_t *)t->chunk[place / LOG_CHUNK_RECORDS] + 4 * (place % LOG_CHUNK_RECORDS);
}

/* Room for so many records in one chunk: where they begin. */
static uint64_t take(thread_log *t, uint32_t thread, size_t records) {
    uint64_t at = t->place % LOG_CHUNK_RECORDS;
    if (!t->chunks || at == 0 || at + records > LOG_CHUNK_RECORDS) {
        if (t->chunks && at) words_at(t, t->place)[2] = LOG_FILLER;
        add_chunk(t, thread);
    }
    uint64_t place = t->place;
    t->place += records;
    assert(place % LOG_CHUNK_RECORDS >= LOG_FIRST && place % LOG_CHUNK_RECORDS + records <= LOG_CHUNK_RECORDS);
    assert(place / LOG_CHUNK_RECORDS + 1 == t->chunks);
    return place;
}

static uint32_t new_thread(log_file_writer *w) {
    if (w->threads == w->room) {
        w->room = w->room ? 2 * w->room : 16;
        w->thread = MEM_GROW(w->thread, thread_log, w->room);
    }
    w->thread[w->threads] = (thread_log){0};
    return w->threads++;
}

/* A client keeps its thread, unless stamps are equal and its last call is still open when it calls again. */
static uint32_t thread_of(log_file_writer *w, uint32_t i) {
    const history *h = w->h;
    if (!h->client) return new_thread(w);
    value name = history_client_name(h, i);
    uint32_t known = value_map_find(&w->by_name, name);
    if (known == VALUE_MAP_ABSENT) {
        known = new_thread(w);
        value_map_add(&w->by_name, name, known);
    } else if (!history_pending(h, w->thread[known].last) && !history_before(h, w->thread[known].last, i)) {
        known = new_thread(w);
        assert(value_map_find(&w->by_name, name) != VALUE_MAP_ABSENT);
        w->by_name.slot[value_map_at(&w->by_name, name)].number = known;
    }
    return known;
}

/* ---- operations ---- */

static bool refuse(const log_file_writer *w, uint32_t i, const char *what) {
    return error_set(w->e, EXIT_BAD_INPUT, "operation %u (%.60s) cannot be written as plumb-log: %s",
                     history_number(w->h, i), w->h->method_name[w->h->method[i]], what);
}

static size_t gather(const log_file_writer *w, uint32_t i, value *arg) {
    const history *h = w->h;
    size_t n = 0;
    if (w->keyed) arg[n++] = h->key[i];
    for (unsigned a = 0; a < h->nargs[i]; a++) arg[n++] = h->arg[a] ? h->arg[a][i] : VALUE_NONE;
    return n;
}

static void write_result(log_file_writer *w, thread_log *t, uint32_t thread, uint64_t *record, uint32_t i) {
    const history *h = w->h;
    if (history_pending(h, i)) return;
    record[3] = (uint64_t)h->ret[i] << PLUMB_STAMP_SHIFT | LOG_RETURNED;
    if (!w->result.n) {
        record[1] = plain_word(h->values, h->res[i]);
        return;
    }
    record[3] |= LOG_BLOCK;
    record[1] = take(t, thread, block_records(&w->result));
    memcpy(words_at(t, record[1]), w->result.at, w->result.n * sizeof *w->result.at);
}

static bool write_operation(log_file_writer *w, uint32_t i) {
    const history *h = w->h;
    value arg[HISTORY_MAX_ARGS + 1];
    size_t n = gather(w, i, arg);
    if (h->key && !w->keyed && h->key[i] != VALUE_NONE)
        return refuse(w, i, "it has a key beside its arguments; expected a keyed object (perhaps object kv)");
    if (n > HISTORY_MAX_ARGS) return refuse(w, i, "it has more than 3 arguments");
    make_block(w, &w->arguments, arg, n);
    make_block(w, &w->result, &h->res[i], !history_pending(h, i));
    if (w->too_deep) return refuse(w, i, "a value is nested too deep");
    if (w->unknown_kind) return refuse(w, i, "it has a decimal, a set or a map, or an integer beyond 64 bits");
    if (1 + block_records(&w->arguments) > CHUNK_ROOM || block_records(&w->result) > CHUNK_ROOM)
        return refuse(w, i, "its values are too long");
    uint32_t thread = thread_of(w, i);
    thread_log *t = &w->thread[thread];
    uint64_t *record = words_at(t, take(t, thread, 1 + block_records(&w->arguments)));
    record[2] = (uint64_t)h->call[i] << PLUMB_STAMP_SHIFT | (w->arguments.n ? LOG_BLOCK : 0) | n << 5 | h->method[i];
    if (w->arguments.n) memcpy(record + 4, w->arguments.at, w->arguments.n * sizeof *record);
    else record[0] = n ? plain_word(h->values, arg[0]) : PLUMB_WORD_NONE;
    write_result(w, t, thread, record, i);
    t->last = i;
    return true;
}

/* ---- the file ---- */

static bool fill_header(const log_file_writer *w, const object *o, log_header *to) {
    const history *h = w->h;
    const char *name = o ? o->name : h->object_hint ? h->object_hint : "";
    *to = (log_header){.version = LOG_VERSION,
                       .slots = w->threads ? w->threads : 1,
                       .clock = PLUMB_CLOCK_TICKET,
                       .ticket = h->events,
                       .used = w->threads};
    memcpy(to->magic, LOG_MAGIC, sizeof to->magic);
    to->chunks_at = log_chunks_at(to->slots);
    for (uint32_t k = 0; k < w->threads; k++) to->chunks += w->thread[k].chunks;
    to->chunk_limit = to->chunks;
    to->methods = h->methods;
    if (strlen(name) >= sizeof to->object)
        return error_set(w->e, EXIT_BAD_INPUT, "the object's name is too long for plumb-log");
    const char *init = o ? o->init_text : h->init_hint;
    if (init && strlen(init) + 1 >= sizeof to->init)
        return error_set(w->e, EXIT_BAD_INPUT, "the initial value is too long for plumb-log");
    strcpy(to->object, name);
    if (init) {
        to->init[0] = ':';
        strcpy(to->init + 1, init);
    }
    for (unsigned m = 0; m < h->methods; m++) strcpy(to->method[m], h->method_name[m]);
    to->check = log_header_sum(to);
    return true;
}

static bool methods_fit(const history *h, error *e) {
    if (h->methods > LOG_METHODS)
        return error_set(e, EXIT_BAD_INPUT, "%u methods cannot be written as plumb-log; expected at most %d",
                         h->methods, LOG_METHODS);
    for (unsigned m = 0; m < h->methods; m++)
        if (strlen(h->method_name[m]) >= LOG_METHOD_NAME)
            return error_set(e, EXIT_BAD_INPUT,
                             "method name '%.60s...' cannot be written as plumb-log; expected less than %d bytes",
                             h->method_name[m], LOG_METHOD_NAME);
    return true;
}

static void fill_slots(const log_file_writer *w, log_slot *slot) {
    uint64_t number = 0; /* of chunks in the file */
    for (uint32_t k = 0; k < w->threads; k++) {
        const thread_log *t = &w->thread[k];
        assert(t->chunks && t->place > (t->chunks - 1) * LOG_CHUNK_RECORDS);
        slot[k].announced = slot[k].done = t->place;
        slot[k].owned = t->chunks;
        slot[k].first = number + 1;
        for (uint64_t c = 0; c + 1 < t->chunks; c++) t->chunk[c]->next = number + c + 2;
        number += t->chunks;
        slot[k].last = number;
        slot[k].check = log_slot_sum(&slot[k]);
        for (uint64_t c = 0; c < t->chunks; c++) {
            uint64_t covered = c + 1 < t->chunks ? LOG_CHUNK_RECORDS : (t->place - 1) % LOG_CHUNK_RECORDS + 1;
            t->chunk[c]->covered = covered;
            t->chunk[c]->sum = log_chunk_sum(t->chunk[c], covered);
        }
    }
}

static bool write_file(const log_file_writer *w, const object *o, output *out) {
    size_t size = log_chunks_at(w->threads ? w->threads : 1); /* header and slots, which want to be aligned */
    char *head = aligned_alloc(4096, size);
    if (!head) return error_set(w->e, EXIT_INTERNAL, "out of memory");
    memset(head, 0, size);
    bool good = fill_header(w, o, (log_header *)(void *)head);
    fill_slots(w, (log_slot *)(void *)(head + LOG_HEADER));
    text_bytes(output_text(out), head, size);
    mem_foreign_free(head);
    for (uint32_t k = 0; k < w->threads && good; k++)
        for (uint64_t c = 0; c < w->thread[k].chunks && good; c++) {
            text_bytes(output_text(out), (const char *)w->thread[k].chunk[c], LOG_CHUNK_BYTES);
            good = output_flush(out);
        }
    return good;
}

static void free_writer(log_file_writer *w) {
    for (uint32_t k = 0; k < w->threads; k++) {
        for (uint64_t c = 0; c < w->thread[k].chunks; c++) free(w->thread[k].chunk[c]);
        free(w->thread[k].chunk);
    }
    FREE_ALL(w->thread, w->by_name.slot, w->arguments.at, w->result.at);
}

bool plumb_log_write(const history *h, const object *o, output *out, error *e) {
    log_file_writer w = {.h = h, .keyed = o && o->type->keyed && h->key, .e = e};
    bool good = methods_fit(h, e) && order_is_enough(h, o, "plumb-log", e) && says_it_is_whole(h, "plumb-log", e);
    for (uint32_t i = 0; i < h->n && good; i++) {
        good = write_operation(&w, i);
        if (good && w.threads > LOG_MAX_SLOTS)
            good = error_set(e, EXIT_BAD_INPUT, "more than %d clients cannot be written as plumb-log", LOG_MAX_SLOTS);
    }
    good = good && write_file(&w, o, out);
    free_writer(&w);
    return good;
}
