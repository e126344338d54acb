#include "runtime/sketch.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LOAD(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)

void sketch_init(sketch *s, recording *m, values *v, const sketch_sink *sink) {
    *s = (sketch){.m = m, .values = v, .sink = *sink, .seat = READER_NO_SEAT, .run = 1};
    s->cursor = mem_zero(m->header->slots, sizeof *s->cursor);
    s->call_late = log_call_key(m->header->clock, 0);
    s->return_late = log_return_key(m->header->clock, 0);
    s->methods = m->header->methods;
    s->scanner = (snapshot_scanner){mem_zero(m->header->slots, sizeof *s->scanner.before),
                                    mem_zero(m->header->slots, sizeof *s->scanner.moved)};
}

void sketch_free(sketch *s) { FREE_ALL(s->cursor, s->scanner.before, s->scanner.moved); }

/* ---- walking a log ---- */

static bool damaged(sketch *s) {
    s->damaged = true;
    return false;
}

static const log_chunk *chunk_of(sketch *s, uint64_t number) {
    if (number && number <= s->m->header->chunk_limit) return recording_chunk(s->m, number);
    damaged(s);
    return NULL;
}

static void stand_at(log_cursor *c, uint64_t place) {
    assert(c->chunk && place >= c->place); /* cursors go forward */
    c->place = place;
    c->record = (const uint64_t *)c->chunk + 4 * (place % LOG_CHUNK_RECORDS);
}

static bool enter_next_chunk(sketch *s, log_cursor *c) {
    c->chunk = chunk_of(s, LOAD(c->chunk->next));
    if (!c->chunk) return false;
    uint64_t place = log_load(&c->chunk->sequence) * LOG_CHUNK_RECORDS + LOG_FIRST;
    if (place <= c->place) return damaged(s); /* only forward: no circles */
    stand_at(c, place);
    return true;
}

/* At the slot's oldest chunk; in a ring of which the seat's owner, or who sat there before, has read a part, where that
 * one left: all before may be gone. */
static bool enter_log(sketch *s, uint32_t slot) {
    log_cursor *c = &s->cursor[slot];
    const log_slot *from = &s->m->slot[slot];
    uint64_t place = s->seat == READER_NO_SEAT ? 0 : LOAD(from->tail[s->seat].place);
    c->chunk = chunk_of(s, place ? log_load(&from->tail[s->seat].chunk) : LOAD(from->first));
    if (!c->chunk) return false;
    stand_at(c, place ? place : log_load(&c->chunk->sequence) * LOG_CHUNK_RECORDS + LOG_FIRST);
    return true;
}

/* Stands at a record that was announced, past ends of chunks and fillers. False: there is none. */
static bool find_record(sketch *s, uint32_t slot) {
    log_cursor *c = &s->cursor[slot];
    c->op.client = slot;
    c->op.mine = &c->mine;
    if (!c->chunk && !(c->announced && enter_log(s, slot))) return false;
    for (;;) {
        if (c->place >= c->announced) return false;
        if (c->place % LOG_CHUNK_RECORDS != 0 && (log_load(&c->record[2]) & LOG_METHOD) != LOG_FILLER) return true;
        if (!enter_next_chunk(s, c)) return false;
    }
}

/* ---- decoding ---- */

static uint64_t handle(sketch *s, uint64_t word, const uint64_t *block, size_t words) {
    assert(s->values && words <= LOG_CHUNK_WORDS);
    bool bad = false;
    if ((word & 7) != LOG_REFERENCE) return word;
    value v = log_value(s->values, word, block, words, &bad);
    if (bad) damaged(s);
    return (uint64_t)v << 3 | LOG_HANDLE;
}

static const uint64_t *block_at(sketch *s, const uint64_t *at, uint64_t place, size_t *words) {
    uint64_t within = place % LOG_CHUNK_RECORDS, records = within ? log_load(&at[0]) : 0;
    *words = 4 * (size_t)records;
    if (records && records <= LOG_CHUNK_RECORDS - within) return at;
    damaged(s);
    return NULL;
}

static void decode_block(sketch *s, log_cursor *c) {
    size_t words;
    const uint64_t *block = block_at(s, c->record + 4, c->place + 1, &words);
    if (!block) return;
    for (unsigned i = 0; i < c->op.nargs; i++) c->op.arg[i] = handle(s, log_load(&block[1 + i]), block, words);
    c->behind += words / 4;
}

static inline void decode_call(sketch *s, log_cursor *c, uint64_t shape) {
    c->op.method = shape & LOG_METHOD;
    c->op.nargs = (uint8_t)((shape & LOG_ARGUMENTS) >> 5);
    c->op.arg[0] = log_load(&c->record[0]);
    c->behind = c->place + 1;
    if (c->op.method >= s->methods) {
        c->op.method = 0;
        damaged(s);
    }
    if (shape & LOG_BLOCK) decode_block(s, c);
}

/* Goes on behind the operation, and behind the block of its result: in this chunk, or at the beginning of the next. */
static inline void decode_return(sketch *s, log_cursor *c, uint64_t back) {
    uint64_t result = log_load(&c->record[1]);
    c->op.outcome = back & 0x7f;
    c->op.res = result;
    stand_at(c, c->behind);
    if (!(back & LOG_BLOCK)) return;
    if (result / LOG_CHUNK_RECORDS != log_load(&c->chunk->sequence) && !enter_next_chunk(s, c)) return;
    if (result / LOG_CHUNK_RECORDS != log_load(&c->chunk->sequence) || result < c->place) { /* only forward */
        damaged(s);
        return;
    }
    stand_at(c, result);
    size_t words;
    const uint64_t *block = block_at(s, c->record, result, &words);
    if (!block) return;
    c->op.res = handle(s, log_load(&block[1]), block, words);
    stand_at(c, result + words / 4);
}

/* ---- rounds ---- */

static inline uint64_t clamped(const sketch *s, uint64_t key) { return key > s->frontier ? key : s->frontier; }

static inline uint64_t twice_stamp(uint64_t word) { return word >> PLUMB_STAMP_SHIFT << 1; }

static inline uint64_t return_key(const sketch *s, uint64_t word) {
    return clamped(s, twice_stamp(word) + s->return_late) << 1 | 1;
}

/* When something was announced behind a call, that call is over: it returned, or its thread abandoned it and there is
 * no outcome. */
static inline void find_return(const sketch *s, log_cursor *c) {
    c->key = c->whole = UINT64_MAX;
    if (c->done <= c->place && c->announced <= c->behind) return;
    c->word = log_load(&c->record[3]);
    c->key = __builtin_expect(c->word & 0x7f, 1) ? return_key(s, c->word) : clamped(s, c->op.call) << 1 | 1;
}

/* A record, returned, with words only, of a method that there is: an operation that can be handed on as a whole. */
static inline bool is_plain(const sketch *s, uint64_t shape, uint64_t back) {
    return !((shape & LOG_BLOCK) | ((back & 0xff) ^ LOG_RETURNED)) & ((shape & LOG_METHOD) < s->methods);
}

static inline void find_call(sketch *s, log_cursor *c, uint32_t slot) {
    c->key = c->whole = UINT64_MAX;
    bool here = c->place < c->announced && c->place % LOG_CHUNK_RECORDS != 0;
    if (here) c->word = log_load(&c->record[2]);
    if (!here || (c->word & LOG_METHOD) == LOG_FILLER) {
        if (!find_record(s, slot)) return;
        c->word = log_load(&c->record[2]);
    }
    c->key = clamped(s, twice_stamp(c->word) + s->call_late) << 1;
    if (c->done <= c->place) return;
    uint64_t back = log_load(&c->record[3]);
    c->whole = is_plain(s, c->word, back) ? return_key(s, back) : UINT64_MAX;
}

/* What can be seen of the three inclusions from here: an interval is not turned around, a thread's operations follow
 * each other, and no event comes before one that was handed on. A log that two have used at once (a signal handler, a
 * forked process) is found by that before its owner finds it. An expelled reader of a ring may read anything: it
 * learns that otherwise. */
static inline void check_inclusions(sketch *s, const log_cursor *c) {
    bool turned = c->open && c->key >> 1 < c->op.call,
         early = c->key >> 1 < s->last_key >> 1; /* at one moment a call may follow a return */
    if (__builtin_expect(turned || early, 0) && !s->m->header->ring) damaged(s);
}

static inline void pass_event(sketch *s, const log_cursor *c) {
    assert(c->key != UINT64_MAX && (c->key & 1) == c->open); /* calls and returns take turns */
    assert(c >= s->cursor && c < s->cursor + s->m->header->slots);
    check_inclusions(s, c);
    s->last_key = c->key;
    s->events++;
}

static inline void begin_call(sketch *s, log_cursor *c) {
    c->open = true;
    c->op.call = c->key >> 1;
    c->op.stale = c->op.late = false;
    decode_call(s, c, c->word);
    find_return(s, c);
    s->sink.call(s->sink.context, &c->op);
}

static inline void forward_call(sketch *s, log_cursor *c) {
    pass_event(s, c);
    begin_call(s, c);
}

static inline void forward_return(sketch *s, log_cursor *c) {
    pass_event(s, c);
    c->open = false;
    c->op.ret = c->key >> 1;
    decode_return(s, c, c->word & 0x7f ? c->word : LOG_UNKNOWN);
    find_call(s, c, (uint32_t)(c - s->cursor));
    s->sink.ret(s->sink.context, &c->op);
}

/* ---- an operation as a whole ---- */

/* Records from this one on whose returns come before every other event, in this chunk; at most so many as will be
 * taken, for all we know. */
static inline uint32_t count_whole(const sketch *s, const log_cursor *c, uint64_t until) {
    uint64_t end = (c->place | (LOG_CHUNK_RECORDS - 1)) + 1, most = (c->done < end ? c->done : end) - c->place;
    assert(s->run >= 1 && s->run <= LOG_CHUNK_RECORDS && c->place < end);
    if (most > s->run) most = s->run;
    const uint64_t *r = c->record + 4;
    uint32_t n = 1;
    for (; n < most; n++, r += 4) {
        uint64_t back = log_load(&r[3]);
        if (return_key(s, back) > until || !is_plain(s, log_load(&r[2]), back)) break;
    }
    return n;
}

static inline void pass_over(sketch *s, log_cursor *c, uint32_t n) {
    assert(!c->open && n >= 1 && c->place % LOG_CHUNK_RECORDS + n <= LOG_CHUNK_RECORDS);
    s->events += 2 * n;
    c->place += n;
    c->record += 4 * n;
    c->op.outcome = LOG_RETURNED;
    c->op.stale = c->op.late = false;
}

static inline bool forward_whole(sketch *s, log_cursor *c, uint64_t until) {
    if (!s->whole) return false;
    uint32_t given = count_whole(s, c, until), n = s->whole(s->sink.context, c->record, given);
    assert(n <= given);
    s->run = n < given ? 1 : given == s->run && given < LOG_CHUNK_RECORDS ? 2 * given : s->run;
    if (!n) return false;
    check_inclusions(s, c);
    s->last_key = return_key(s, log_load(&c->record[4 * n - 1]));
    pass_over(s, c, n);
    find_call(s, c, (uint32_t)(c - s->cursor));
    return true;
}

/* `until`: the first key among the others, or the last one of the round. */
static inline void forward_next(sketch *s, log_cursor *c, uint64_t until) {
    if (c->whole <= until && forward_whole(s, c, until)) return;
    if (c->key & 1) forward_return(s, c);
    else forward_call(s, c);
}

/* The slot whose next event is first, and the first key among the others. Keys are compared with what kind of event it
 * is in the lowest bit: calls come first. */
static inline uint32_t first_slot(const sketch *s, uint64_t *other) {
    uint64_t best = UINT64_MAX, second = UINT64_MAX;
    uint32_t slot = 0;
    if (s->cursors == 2) {
        uint64_t key[2] = {s->cursor[0].key, s->cursor[1].key};
        slot = key[1] < key[0];
        *other = slot ? key[0] : key[1];
        return slot;
    }
    for (uint32_t i = 0; i < s->cursors; i++) {
        uint64_t key = s->cursor[i].key;
        bool first = key < best;
        uint64_t later = first ? best : key;
        second = later < second ? later : second;
        slot = first ? i : slot;
        best = first ? key : best;
    }
    *other = second;
    return slot;
}

/* `done` before `announced`: whatever has returned was announced. */
static void read_cursors(sketch *s) {
    s->cursors = LOAD(s->m->header->used);
    if (s->cursors > s->m->header->slots) s->cursors = 0;
    for (uint32_t i = 0; i < s->cursors; i++) {
        s->cursor[i].done = LOAD(s->m->slot[i].done);
        s->cursor[i].announced = LOAD(s->m->slot[i].announced);
        if (s->cursor[i].done > s->cursor[i].announced) s->cursor[i].announced = s->cursor[i].done;
        assert(s->cursor[i].done <= s->cursor[i].announced);
        if (s->cursor[i].open) find_return(s, &s->cursor[i]);
        else find_call(s, &s->cursor[i], i);
    }
}

enum { FEW = 3 }; /* threads: so many are looked through faster than it is found out that one goes on */

uint64_t sketch_round(sketch *s) {
    if (s->damaged) return 0; /* nothing that follows makes sense */
    uint64_t limit = clock_limit(s->m->header, s->m->slot, &s->scanner), before = s->events;
    /* what was not published cannot be told from what is not visible */
    s->unread = !s->member && !s->ended && !clock_fence_writers(s->m->header, s->m->slot, s->m->ours);
    if (s->unread) return 0;
    if (limit < s->frontier) limit = s->frontier;
    read_cursors(s);
    uint64_t last = limit << 1 | 1, other;
    for (;;) {
        uint32_t slot = first_slot(s, &other);
        log_cursor *c = &s->cursor[slot];
        if (!s->cursors || c->key > last || s->damaged) break;
        uint64_t until = other < last ? other : last;
        assert(c->key <= until && slot < s->cursors);
        do forward_next(s, c, until);
        while (s->cursors > FEW && c->key <= until && !s->damaged);
    }
    assert(limit >= s->frontier && s->events >= before);
    s->frontier = limit;
    return s->events - before;
}

const uint64_t *sketch_round_alone(sketch *s, uint64_t next) {
    log_cursor *c = &s->cursor[0];
    const uint64_t *record = c->record;
    if (s->cursors != 1 || c->open || c->place + 1 != next || c->place % LOG_CHUNK_RECORDS == 0) return NULL;
    uint64_t back = log_load(&record[3]);
    if (!is_plain(s, log_load(&record[2]), back)) return NULL;
    assert(twice_stamp(back) + s->return_late >= s->frontier && s->m->header->clock == PLUMB_CLOCK_TICKET);
    s->frontier = twice_stamp(back) + s->return_late;
    s->last_key = s->frontier << 1 | 1;
    pass_over(s, c, 1);
    return record;
}

sketched *sketch_decode_plain(sketch *s, const uint64_t *record) {
    sketched *op = &s->cursor[0].op;
    op->method = log_load(&record[2]) & LOG_METHOD;
    op->nargs = (uint8_t)((log_load(&record[2]) & LOG_ARGUMENTS) >> 5);
    op->arg[0] = log_load(&record[0]);
    op->res = log_load(&record[1]);
    return op;
}

void sketch_publish(sketch *s) {
    if (s->seat == READER_NO_SEAT) return;
    for (uint32_t i = 0; i < s->cursors; i++) {
        const log_cursor *c = &s->cursor[i];
        log_tail *to = &s->m->slot[i].tail[s->seat];
        if (!c->chunk || to->place == c->place) continue;
        assert(((uintptr_t)c->chunk - (uintptr_t)s->m->chunks) % LOG_CHUNK_BYTES == 0 && c->place > to->place);
        log_store(&to->chunk, (uint64_t)((const char *)c->chunk - s->m->chunks) / LOG_CHUNK_BYTES + 1);
        __atomic_store_n(&to->place, c->place, __ATOMIC_RELEASE);
    }
}

void sketch_enter_again(sketch *s) {
    memset(s->cursor, 0, s->m->header->slots * sizeof *s->cursor);
    s->damaged = false;
}

/* Calls that were held back come before their time, in no order: their place among the events is not asked for. */
static void call_early(sketch *s, log_cursor *c) {
    s->events++;
    begin_call(s, c);
}

void sketch_restart(sketch *s, void (*stale)(void *context, sketched *op)) {
    for (uint32_t i = 0; i < s->cursors; i++) {
        if (!s->cursor[i].open && s->cursor[i].key != UINT64_MAX && !s->damaged) call_early(s, &s->cursor[i]);
        if (!s->cursor[i].open) continue;
        assert(!s->cursor[i].op.stale || s->cursor[i].key & 1);
        s->cursor[i].op.stale = true;
        stale(s->sink.context, &s->cursor[i].op);
    }
}

uint64_t sketch_behind(const sketch *s) {
    uint64_t behind = 0;
    for (uint64_t i = 0; i < s->cursors; i++) {
        uint64_t announced = log_load(&s->m->slot[i].announced), place = s->cursor[i].place;
        behind += announced > place ? announced - place : 0; /* place: of a slot whose first chunk is not there yet */
    }
    return behind;
}
