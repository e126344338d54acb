/* Calls and returns that are not on the fast path: other clocks, values that are no words, the ends of chunks,
 * darkness. */
#include "runtime/record/outsiders.h"
#include "runtime/record/readers.h"

#include "base/probe.h"
#include "base/sized.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STORE_STRONGLY(p, v) __atomic_store_n(&(p), v, __ATOMIC_SEQ_CST)

/* With what the fast part has written meanwhile. The block of a result is done without having been announced. */
static void catch_up(log_writer *w) {
    uint64_t announced = plumb_announced(w->fast.shared), done = plumb_done(w->fast.shared);
    w->next = announced > done ? announced : done;
}

static log_writer *writer_of(plumb_log *l) {
    log_writer *w = (log_writer *)(void *)l;
    if (__builtin_expect(!l->shared, 0)) record_revive(w);
    catch_up(w);
    return w;
}

/* ---- stamps ---- */

static uint64_t scan(log_writer *w) {
    uint64_t rank = clock_scan(w->r->shared.header, w->r->shared.slot, w->slot, &w->scanner);
    __atomic_store_n(&w->slot->rank, rank, __ATOMIC_RELEASE); /* for those who borrow: see clock_scan */
    return rank;
}

static uint64_t stamp_before(log_writer *w) {
    switch (w->clock) {
    case PLUMB_CLOCK_SNAPSHOT: return scan(w);
    case PLUMB_CLOCK_TSC: return clock_tsc_before();
    default: return plumb_clock_at_call(&w->fast, w->fast.shared, plumb_done(w->fast.shared));
    }
}

/* What the object stored must be visible before the stamp is taken; a ticket is a fence by itself. */
static uint64_t stamp_after(log_writer *w) {
    if (w->clock == PLUMB_CLOCK_TICKET) return plumb_clock_at_return(&w->fast, w->fast.shared, w->next);
    if (!w->r->no_fence) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return w->clock == PLUMB_CLOCK_SNAPSHOT ? scan(w) : clock_tsc_after();
}

/* ---- room ---- */

enum { LEAST_CHUNKS = 2 /* with which a log can go round */, ASK_DISK_AGAIN = 1024 /* operations */ };

static plumb_word *next_record(const log_writer *w) { return plumb_record_at(&w->fast, w->next); }

/* Where the records of this chunk are, counted from the beginning of the log: before the chunk, most of the time. */
static void write_into(log_writer *w, log_chunk *c, uint64_t next) {
    assert(c->slot == w->number + 1u); /* chunks are not shared */
    assert(next >= c->sequence * LOG_CHUNK_RECORDS + LOG_FIRST && next <= (c->sequence + 1) * LOG_CHUNK_RECORDS);
    w->chunk = c;
    w->next = next;
    w->fast.base = (uintptr_t)c - c->sequence * LOG_CHUNK_BYTES;
}

static size_t records_left(const log_writer *w) {
    uint64_t at = w->next % LOG_CHUNK_RECORDS; /* 0: the chunk is full, or there is none */
    return at ? LOG_CHUNK_RECORDS - at : 0;
}

static bool was_read(log_writer *w, uint64_t place, bool force) {
    if (w->passed && !w->passed(w->context, w->number, place, force)) return false;
    return readers_passed(&w->r->shared, w->number, place, force, !w->passed);
}

/* The oldest chunk, once all readers are in a later one: a reader at its end still needs its `next`. */
static uint64_t recycle(log_writer *w, bool force) {
    recording *m = &w->r->shared;
    if (!m->header->ring || !w->slot->first || w->slot->first == w->slot->last) return 0;
    log_chunk *oldest = recording_chunk(m, w->slot->first);
    assert(oldest->slot == w->number + 1u && oldest->next && oldest->sequence < w->chunk->sequence);
    uint64_t place = (oldest->sequence + 1) * LOG_CHUNK_RECORDS;
    if (force) readers_wait(m, w->number, place); /* that may be enough */
    if (!was_read(w, place, false) && !(force && was_read(w, place, true))) return 0;
    uint64_t number = w->slot->first;
    __atomic_store_n(&w->slot->first, oldest->next, __ATOMIC_RELEASE);
    __atomic_store_n(&w->slot->recycled, w->slot->recycled + 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(
        __ATOMIC_RELEASE); /* a reader that sees what is written there now can see that it was expelled */
    return number;
}

/* Unless another thread has taken one meanwhile: then this one stays unused. */
static void give_back(log_header *h, uint64_t number) {
    uint64_t taken = number;
    __atomic_compare_exchange_n(&h->chunks, &taken, number - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static uint64_t fresh_chunk(log_writer *w) {
    log_header *h = w->r->shared.header;
    bool plenty = w->extra && log_load(&h->chunks) + LEAST_CHUNKS * h->slots < h->chunk_limit;
    if (w->quota && w->slot->owned >= w->quota && !plenty) return 0;
    if (__atomic_load_n(&h->chunks, __ATOMIC_RELAXED) >= h->chunk_limit) return 0;
    if (w->waits && --w->waits) return 0;
    uint64_t number = __atomic_fetch_add(&h->chunks, 1, __ATOMIC_RELAXED) + 1;
    if (number > h->chunk_limit) return 0;
    if (!ahead_take(&w->r->ahead, &w->r->shared, number)) {
        give_back(h, number);
        w->waits = ASK_DISK_AGAIN;
        return 0;
    }
    w->slot->owned++;
    return number;
}

/* The chunk is complete before the one before it refers to it, and that before anything in it is announced. */
static bool next_chunk(log_writer *w) {
    uint64_t number = recycle(w, false), sequence = w->chunk ? w->chunk->sequence + 1 : 0;
    if (!number) number = fresh_chunk(w);
    if (!number) number = recycle(w, true);
    if (!number) return false;
    log_chunk *c = recording_chunk(&w->r->shared, number);
    log_store(&c->next, 0);
    log_store(&c->sum, 0);
    log_store(&c->covered, 0);
    log_store(&c->sequence, sequence);
    __atomic_store_n(&c->slot, w->number + 1, __ATOMIC_RELEASE);
    if (w->chunk) __atomic_store_n(&w->chunk->next, number, __ATOMIC_RELEASE);
    else __atomic_store_n(&w->slot->first, number, __ATOMIC_RELEASE);
    w->slot->last = number;
    write_into(w, c, sequence * LOG_CHUNK_RECORDS + LOG_FIRST);
    PROBE(chunk, w->number, number);
    return true;
}

/* The first `covered` records of the chunk do not change any more. Only files are read by those who need to know. */
static void close_chunk(const log_writer *w, log_chunk *c, uint64_t covered) {
    if (!c || w->r->shared.fd < 0) return;
    assert(covered > LOG_FIRST && covered <= LOG_CHUNK_RECORDS);
    log_store(&c->covered, 0); /* not closed, should the program be killed before both are there */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    log_store(&c->sum, log_chunk_sum(c, covered));
    __atomic_store_n(&c->covered, covered, __ATOMIC_RELEASE);
}

/* Readers continue in the next chunk. */
static void fill_up(log_writer *w) {
    if (!records_left(w)) return;
    assert(w->next % LOG_CHUNK_RECORDS >= LOG_FIRST);
    log_store(&next_record(w)[2], LOG_FILLER);
}

static bool make_room(log_writer *w, size_t records) {
    if (records_left(w) >= records) return true;
    if (records > LOG_MAX_BLOCK) return false;
    fill_up(w);
    return next_chunk(w);
}

/* ---- darkness ---- */

/* The flag is odd from before an operation that is not recorded begins until after it has returned: a verifier that
 * finds it even and unchanged around what it read has missed nothing. */
static void turn_flag(log_writer *w) {
    STORE_STRONGLY(w->slot->dark, w->slot->dark + 1);
    AFTER_EXCHANGE(); /* what the object does is not seen before it */
}

static bool may_record(log_writer *w, size_t records) {
    if (w->outsider) return false;
    bool wanted = !__atomic_load_n(&w->r->shared.header->want_dark, __ATOMIC_RELAXED);
    return wanted && make_room(w, records);
}

/* Nothing that its operation can affect has an earlier stamp: the clock as it is now, or as it was. */
static uint64_t outsider_stamp(log_writer *w) {
    const recording *m = &w->r->shared;
    switch (w->clock) {
    case PLUMB_CLOCK_SNAPSHOT:
        return w->scanner.moved ? clock_scan(m->header, m->slot, NULL, &w->scanner) : 0; /* no memory for it */
    case PLUMB_CLOCK_TSC: return clock_tsc_before();
    default: return clock_ticket_now(m->header, m->slot);
    }
}

static bool is_dark(const log_writer *w) { return w->fast.unseen == PLUMB_DARK; }

static void begin_dark_call(log_writer *w) {
    assert(!is_dark(w) && !(w->slot->dark & 1));
    if (w->outsider) {
        outsider_begins(w->r->shared.header, outsider_stamp(w));
        w->fast.unseen = PLUMB_DARK;
        return;
    }
    if (!w->slot->dark_since) w->slot->dark_since = log_since(stamp_before(w));
    log_store(&w->slot->lost, w->slot->lost + 1);
    w->fast.unseen = PLUMB_DARK;
    turn_flag(w);
    PROBE(dark, w->number, w->slot->lost);
}

/* A ghost is an operation that was not recorded and never returned: it may still take effect, at any time. */
static void end_dark_call(log_writer *w, bool ghost) {
    if (!is_dark(w)) return;
    w->fast.unseen = PLUMB_SEEN;
    if (w->outsider) {
        outsider_ends(w->r->shared.header, ghost);
        return;
    }
    assert(w->slot->dark & 1);
    if (ghost) log_store(&w->slot->ghosts, w->slot->ghosts + 1);
    turn_flag(w);
}

/* ---- calls ---- */

static void stop_inline(log_writer *w) { w->fast.end = 0; }

/* The fast part may complete this call and go on to the end of the chunk. */
static void go_on_inline(log_writer *w) { w->fast.end = (w->chunk->sequence + 1) * LOG_CHUNK_RECORDS; }

/* What was stored before is visible, and so is what is announced from now on, before the object is entered. */
static void announce_fenced(log_writer *w) {
    __atomic_store_n(&w->slot->announced, w->next, __ATOMIC_SEQ_CST);
    AFTER_EXCHANGE();
    if (!w->slot->fenced) __atomic_store_n(&w->slot->fenced, 1, __ATOMIC_SEQ_CST);
}

static void announce(log_writer *w, uint64_t shape, size_t records) {
    const log_header *h = w->r->shared.header;
    bool refused = __atomic_load_n(&h->refused, __ATOMIC_SEQ_CST) && !w->guarded;
    bool reader_fences = h->barriers && !w->guarded && !refused;
    plumb_word *r = next_record(w);
    assert(records >= 1 && records <= records_left(w));
    log_store(&r[2], stamp_before(w) << PLUMB_STAMP_SHIFT | shape);
    w->record = r;
    w->next += records;
    bool inlined = w->clock == PLUMB_CLOCK_TICKET && records == 1 && !w->by_value;
    if (inlined && (reader_fences || w->guarded)) go_on_inline(w);
    if (refused) announce_fenced(w);
    else if (reader_fences) __atomic_store_n(&w->slot->announced, w->next, __ATOMIC_RELEASE);
    else make_visible(w, &w->slot->announced, w->next);
    if (w->clock == PLUMB_CLOCK_TSC) clock_tsc_fence();
}

static plumb_word *open_record(const log_writer *w) {
    if (!w->fast.end) return w->record;
    return plumb_can_complete(&w->fast, w->fast.shared, w->next) ? next_record(w) - 4 : NULL;
}

/* Its record may have been used before: now that something follows it, its outcome will be looked at. */
static void abandon_open_call(log_writer *w) {
    plumb_word *r = open_record(w);
    if (r) log_store(&r[3], 0);
    end_dark_call(w, true);
    w->record = NULL;
}

/* Only its own thread, and one call after the other, moves the cursors and knows the chunk. */
static bool is_used_by_one(log_writer *w) {
    uint64_t first = w->chunk ? w->chunk->sequence * LOG_CHUNK_RECORDS : 0;
    bool here =
        w->outsider || (w->chunk ? w->next >= first + LOG_FIRST && w->next <= first + LOG_CHUNK_RECORDS : w->next == 0);
    return here || record_misuse(&w->r->shared, "plumb_call: a log is used by two at once, as by a signal handler or a "
                                                "forked process; expected a log of its own for each");
}

static bool begin(log_writer *w, size_t records) {
    if (!is_used_by_one(w)) return false;
    log_chunk *before = w->chunk;
    abandon_open_call(w);
    stop_inline(w);
    bool recorded = may_record(w, records);
    if (w->chunk != before) close_chunk(w, before, LOG_CHUNK_RECORDS);
    if (!recorded) begin_dark_call(w);
    return recorded;
}

/* ---- samples ---- */

static uint64_t sample_hash(const plumb_value *v) {
    return value_fits_word(v) ? plumb_sample_hash(value_word(v)) : digest_of_value(0, v);
}

static bool is_sampled(const log_writer *w, uint64_t hash) { return hash <= log_load(w->fast.sample); }

/* By the first argument, which is the key, the element or the value. A call without one removes something: what it is
 * will be known at its return (sampled_outcome). */
static bool leaves_out(log_writer *w, uint64_t hash, size_t args) {
    assert(w->fast.sample);
    w->takes = w->by_value && !args;
    if (w->fast.unseen == PLUMB_LEFT_OUT) w->fast.unseen = PLUMB_SEEN;
    if (!args || is_sampled(w, hash)) return false;
    abandon_open_call(w);
    stop_inline(w);
    w->fast.unseen = PLUMB_LEFT_OUT;
    return true;
}

/* A remove of a value that is not in the sample is left out with it; one that found nothing stays. */
static unsigned sampled_outcome(const log_writer *w, bool nothing, uint64_t hash, unsigned outcome) {
    bool other = w->takes && !nothing && !is_sampled(w, hash);
    return other && outcome == LOG_RETURNED ? LOG_FAILED : outcome;
}

/* A call that cannot be recorded runs in the dark, so that its return finds it. */
static bool begin_misused(log_writer *w) {
    abandon_open_call(w);
    stop_inline(w);
    begin_dark_call(w);
    return false;
}

static bool call_makes_sense(log_writer *w, int which, size_t args, bool given) {
    const recording *m = &w->r->shared;
    if (which < 0 || (uint32_t)which >= m->header->methods)
        record_misuse(m, "plumb_call: the object has no method %d; plumb_record_method gives -1 for a name it has not",
                      which);
    else if (args > HISTORY_MAX_ARGS || (args && !given))
        record_misuse(m, "plumb_call: %zu arguments; expected at most %d, and where they are", args, HISTORY_MAX_ARGS);
    else return true;
    return begin_misused(w);
}

static void too_wide(const log_writer *w, const char *call) {
    record_misuse(&w->r->shared, "%s: an integer that no word stands for; expected plumb_call_int or plumb_ret_int",
                  call);
}

void plumb_call_word_slowly(plumb_log *l, int which, unsigned args, plumb_word arg) {
    if (!l) return;
    log_writer *w = writer_of(l);
    if (!call_makes_sense(w, which, args, args <= 1)) return;
    if (args && arg == PLUMB_WORD_TOO_WIDE) {
        too_wide(w, "plumb_call");
        begin_misused(w);
        return;
    }
    if (args && !plumb_word_is_plain(arg)) {
        const plumb_value wide = plumb_int(wide_word_int(arg));
        plumb_call(l, which, &wide, 1);
        return;
    }
    if (w->fast.sample && leaves_out(w, plumb_sample_hash(arg), args)) return;
    if (!begin(w, 1)) return;
    log_store(&next_record(w)[0], arg);
    announce(w, args * PLUMB_ONE_ARGUMENT | (unsigned)which, 1);
}

static size_t block_records(const block_writer *b) { return (b->words + 3) / 4; }

static void write_block(uint64_t *at, const plumb_value *v, size_t n, size_t records) {
    block_writer b = {.at = at, .words = 1 + n};
    for (size_t i = 0; i < n; i++) log_store(&at[1 + i], block_value(&b, &v[i]));
    assert(block_records(&b) == records && records <= LOG_MAX_BLOCK); /* as it was measured */
    log_store(&at[0], records);
}

static size_t measure(const plumb_value *v, size_t n) {
    block_writer b = {.words = 1 + n};
    for (size_t i = 0; i < n; i++) block_value(&b, &v[i]);
    return block_records(&b);
}

static bool values_make_sense(const log_writer *w, const char *call, const plumb_value *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!value_is_recordable(&v[i]))
            return record_misuse(&w->r->shared,
                                 "%s: a value of kind %u; a recorder takes integers, booleans, byte strings and tuples",
                                 call, (unsigned)v[i].kind);
    return true;
}

static bool leaves_out_at_once(plumb_log *l, int which, const plumb_value *arg, size_t args) {
    return l->sample && args && args <= HISTORY_MAX_ARGS && arg && value_fits_word(arg) &&
           plumb_leaves_out(l, which, value_word(arg));
}

void plumb_call(plumb_log *l, int which, const plumb_value *arg, size_t args) {
    if (!l || leaves_out_at_once(l, which, arg, args)) return;
    log_writer *w = writer_of(l);
    if (!call_makes_sense(w, which, args, arg != NULL)) return;
    if (args == 0 || (args == 1 && value_fits_word(arg))) {
        plumb_word word = args ? value_word(arg) : PLUMB_WORD_NONE;
        if (w->guarded) guarded_call_word(w, which, (unsigned)args, word);
        else plumb_call_tagged(l, which, (unsigned)args, word);
        return;
    }
    if (!values_make_sense(w, "plumb_call", arg, args)) {
        begin_misused(w);
        return;
    }
    if (w->fast.sample && leaves_out(w, sample_hash(arg), args)) return;
    size_t block = measure(arg, args);
    if (!begin(w, 1 + block)) return;
    write_block(next_record(w) + 4, arg, args, block);
    announce(w, (uint64_t)args * PLUMB_ONE_ARGUMENT | LOG_BLOCK | (unsigned)which, 1 + block);
}

/* ---- returns ---- */

static void publish(log_writer *w, plumb_word *r, uint64_t result, unsigned outcome) {
    if (is_dark(w)) return; /* of another user of this log: misuse, which its own return finds */
    log_store(&r[1], result);
    log_store(&r[3], stamp_after(w) << PLUMB_STAMP_SHIFT | outcome);
    w->record = NULL;
    if (w->guarded) make_visible(w, &w->slot->done, w->next);
    else __atomic_store_n(&w->slot->done, w->next, __ATOMIC_RELEASE);
}

static bool is_open(const log_writer *w) { return is_dark(w) || open_record(w); }

/* A handler of a signal that used the interrupted thread's log is found here, at the latest. */
static bool has_call(log_writer *w) {
    if (w->fast.unseen == PLUMB_LEFT_OUT) return (w->fast.unseen = PLUMB_SEEN);
    if (w->forked && !is_open(w)) return false; /* of a call before the fork */
    return is_open(w) || record_misuse(&w->r->shared, "plumb_ret: no call is open in this log; each call returns once, "
                                                      "and a signal handler needs a log of its own");
}

static void end_call(plumb_log *l, plumb_word result, unsigned outcome) {
    if (!l) return;
    log_writer *w = writer_of(l);
    if (!has_call(w)) return;
    plumb_word *r = open_record(w);
    outcome = sampled_outcome(w, result == PLUMB_WORD_EMPTY, plumb_sample_hash(result), outcome);
    if (r) publish(w, r, result, outcome);
    else end_dark_call(w, outcome == LOG_UNKNOWN);
}

void record_abandon(log_writer *w) {
    catch_up(w);
    if (is_open(w)) plumb_ret_unknown(&w->fast);
}

void plumb_ret_word_slowly(plumb_log *l, plumb_word result) {
    if (!l) return;
    bool fits = result != PLUMB_WORD_TOO_WIDE;
    if (fits && !plumb_word_is_plain(result)) {
        plumb_ret(l, plumb_int(wide_word_int(result)));
        return;
    }
    if (!fits) too_wide(writer_of(l), "plumb_ret");
    end_call(l, fits ? result : PLUMB_WORD_NONE, fits ? LOG_RETURNED : LOG_UNKNOWN);
}
void plumb_ret_fail(plumb_log *l) { end_call(l, PLUMB_WORD_NONE, LOG_FAILED); }
void plumb_ret_unknown(plumb_log *l) { end_call(l, PLUMB_WORD_NONE, LOG_UNKNOWN); }

/* A result that is no word goes into a block behind the call, in the next chunk when there is no room; without any
 * room, the result is lost and the operation remains pending. */
void plumb_ret(plumb_log *l, plumb_value result) {
    if (!l) return;
    if (l->unseen == PLUMB_LEFT_OUT) {
        l->unseen = PLUMB_SEEN;
        return;
    }
    if (result.kind == PLUMB_UNKNOWN) {
        plumb_ret_unknown(l);
        return;
    }
    log_writer *w = writer_of(l);
    if (!has_call(w)) return;
    plumb_word *r = open_record(w);
    if (!r) {
        end_dark_call(w, false);
        return;
    }
    const bool good = value_fits_word(&result) || values_make_sense(w, "plumb_ret", &result, 1);
    const uint64_t hash = good && w->takes ? sample_hash(&result) : 0;
    const unsigned outcome = sampled_outcome(w, result.kind == PLUMB_EMPTY, hash, LOG_RETURNED);
    if (value_fits_word(&result) || outcome == LOG_FAILED) {
        publish(w, r, outcome == LOG_FAILED ? PLUMB_WORD_NONE : value_word(&result), outcome);
        return;
    }
    size_t block = good ? measure(&result, 1) : 0;
    log_chunk *before = w->chunk;
    if (!good || !make_room(w, block)) {
        publish(w, r, PLUMB_WORD_NONE, LOG_UNKNOWN);
        return;
    }
    write_block(next_record(w), &result, 1, block);
    uint64_t place = w->next;
    w->next += block;
    stop_inline(w);
    publish(w, r, place, LOG_RETURNED | LOG_BLOCK);
    if (w->chunk != before) close_chunk(w, before, LOG_CHUNK_RECORDS);
}

int64_t plumb_tag(plumb_log *l) {
    if (!l) return 0;
    log_writer *w = writer_of(l);
    return (int64_t)((uint64_t)(w->number + 1) << 40 | w->slot->tags++);
}

/* ---- threads ---- */

static void count_slot(log_header *h, uint32_t number) {
    assert(number < h->slots);
    uint64_t used = __atomic_load_n(&h->used, __ATOMIC_SEQ_CST);
    while (used <= number &&
           !__atomic_compare_exchange_n(&h->used, &used, number + 1u, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

/* A forked process finds the pages of a writer zero, so that calls there come to writer_of; what is needed to go on is
 * behind them. */
typedef struct writer_keeper {
    plumb_recorder *r;
    log_slot own; /* of an outsider */
} writer_keeper;

static size_t writer_pages(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (sizeof(log_writer) + page - 1) / page * page;
}

static writer_keeper *keeper_of(log_writer *w) { return (writer_keeper *)(void *)((char *)w + writer_pages()); }

static log_writer *writer_free(log_writer *w) {
    scanner_free(&w->scanner);
    munmap(w, writer_pages() + sizeof(writer_keeper));
    return NULL;
}

static bool begin_writer(log_writer *w, plumb_recorder *r) {
    w->r = r;
    w->clock = r->shared.header->clock;
    w->fast.ticket = &r->shared.header->ticket;
    w->fast.methods = r->shared.header->methods;
    w->by_value = r->by_value;
    if (r->by_key || r->by_value) w->fast.sample = &r->shared.header->sampled;
    return scanner_init(&w->scanner, r->shared.header->slots);
}

static log_writer *writer_alone(plumb_recorder *r) {
    void *p =
        mmap(NULL, writer_pages() + sizeof(writer_keeper), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    log_writer *w = p;
    if (p == MAP_FAILED) return NULL;
    madvise(p, writer_pages(), MADV_WIPEONFORK);
    keeper_of(w)->r = r;
    return begin_writer(w, r) ? w : writer_free(w);
}

void record_revive(log_writer *w) {
    assert(!w->r && !w->fast.shared);
    begin_writer(w, keeper_of(w)->r);
    outsider_init(w, &keeper_of(w)->own);
    w->forked = true;
}

/* A thread that takes a slot continues where the previous owner left. NULL: no memory. */
static log_writer *writer_new(plumb_recorder *r, uint32_t number) {
    log_writer *w = writer_alone(r);
    if (!w) return NULL;
    log_slot *s = &r->shared.slot[number];
    w->slot = s;
    w->number = number;
    w->fast.shared = (plumb_shared *)(void *)s;
    catch_up(w);
    /* in that chunk: it was taken for something that was announced */
    if (s->last) write_into(w, recording_chunk(&r->shared, s->last), w->next);
    stop_inline(w); /* an operation that the previous owner left open remains pending */
    PROBE(join, number, w->next);
    return w;
}

static void release_slot(log_slot *s) {
    assert(__atomic_load_n(&s->taken, __ATOMIC_RELAXED) &&
           !(s->dark & 1)); /* the flag is even again: the thread records, or is gone */
    log_store(&s->check, log_slot_sum(s));
    __atomic_store_n(&s->taken, 0, __ATOMIC_SEQ_CST);
}

static plumb_log *enter_slot(plumb_recorder *r, uint32_t number) {
    log_header *h = r->shared.header;
    log_store(&r->shared.slot[number].check, 0);
    count_slot(h, number);
    if (h->clock == PLUMB_CLOCK_TICKET && !clock_join(h, r->shared.slot, number)) return NULL;
    log_writer *w = writer_new(r, number);
    return w ? &w->fast : NULL;
}

plumb_log *record_join_slot(plumb_recorder *r) {
    if (r->process != getpid()) return NULL;
    for (uint32_t i = 0; i < r->shared.header->slots; i++) {
        uint32_t unused = 0;
        if (__atomic_load_n(&r->shared.slot[i].taken, __ATOMIC_RELAXED)) continue;
        if (!__atomic_compare_exchange_n(&r->shared.slot[i].taken, &unused, 1, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST))
            continue;
        plumb_log *l = enter_slot(r, i);
        if (!l) release_slot(&r->shared.slot[i]);
        return l;
    }
    return NULL;
}

plumb_log *record_without_memory(plumb_recorder *r) {
    __atomic_fetch_add(&r->shared.header->outsiders.threads, 1, __ATOMIC_SEQ_CST);
    outsider_begins(r->shared.header, 0);
    return NULL;
}

static plumb_log *stay_outside(plumb_recorder *r) {
    log_writer *w = writer_alone(r);
    if (!w) return record_without_memory(r);
    outsider_init(w, &keeper_of(w)->own);
    return &w->fast;
}

/* False: misuse. */
static bool is_recorder(const plumb_recorder *r, const char *call) {
    return r || call_misuse(NULL, "%s: the recorder is NULL; expected what plumb_record_open returned", call);
}

plumb_log *plumb_record_join(plumb_recorder *r) {
    if (!is_recorder(r, "plumb_record_join") || r->error.code) return NULL;
    plumb_log *l = record_join_slot(r);
    return l ? l : stay_outside(r);
}

void plumb_record_leave(plumb_log *l) {
    if (!l) return;
    log_writer *w = writer_of(l);
    record_abandon(w);
    if (!w->outsider) {
        catch_up(w);
        if (w->chunk && w->next % LOG_CHUNK_RECORDS != LOG_FIRST)
            close_chunk(w, w->chunk, (w->next - 1) % LOG_CHUNK_RECORDS + 1);
    }
    PROBE(leave, w->number, w->next);
    release_slot(w->slot);
    writer_free(w);
}

/* ---- opening and closing ---- */

static plumb_record_options given(const plumb_record_options *o) {
    plumb_record_options all = {.struct_size = sizeof all};
    take_sized(&all, o, sizeof all);
    return all;
}

/* As monitors sample (src/monitor/sampling.c), and for the same reason. */
static bool can_be_sampled(const recorded_object *o, const char *what, bool *by_key) {
    static const char *const names[] = {"kv", "set", "queue", "stack", "multiset", "pqueue-max", "pqueue-min"};
    if (o->type == &o->own || strchr(what, '(')) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(o->type->name, names[i])) {
            *by_key = i < 2;
            return true;
        }
    return false;
}

/* In a ring a verifier may make the sample of keys smaller while it is recorded. */
static bool choose_sample(plumb_recorder *r, const plumb_record_options *o) {
    bool by_key = false, possible = can_be_sampled(&r->object, o->object, &by_key);
    if (o->sample > 1 && !possible)
        return error_set(
            &r->error, EXIT_USAGE,
            "object %s cannot be sampled; expected kv, set, queue, stack, multiset, pqueue-max or pqueue-min",
            o->object);
    r->by_key = by_key && (o->sample > 1 || o->ring);
    r->by_value = !by_key && o->sample > 1;
    return true;
}

static bool open_recorder(plumb_recorder *r, const plumb_record_options *o) {
    if (!o->object) return error_set(&r->error, EXIT_USAGE, "no object; expected its name");
    if (o->clock > PLUMB_CLOCK_TSC)
        return error_set(&r->error, EXIT_USAGE, "unknown clock; expected TICKET, SNAPSHOT or TSC");
    if (!recorded_object_open(&r->object, o->object, o->init, &r->error)) return false;
    if (o->clock == PLUMB_CLOCK_TSC && !clock_tsc_usable(&r->error)) return false;
    if (!choose_sample(r, o)) return false;
    r->no_fence = o->no_fence;
    return recording_create(&r->shared, o, r->object.type, &r->ahead.ready, &r->error);
}

/* What plumb_record_open gives when there is no memory for another one. */
static const plumb_recorder no_memory = {.error = {EXIT_INTERNAL, "no memory for a recorder"}, .shared.fd = -1};

plumb_recorder *plumb_record_open(const plumb_record_options *options) {
    plumb_recorder *r = calloc(1, sizeof *r);
    if (!r) return (plumb_recorder *)(uintptr_t)&no_memory;
    plumb_record_options o = given(options);
    r->shared.fd = -1;
    r->process = getpid();
    thread_logs_init(&r->here);
    durable_init(&r->durable);
    if (options_have_size(options, "plumb_record_open", &r->error)) open_recorder(r, &o);
    return r;
}

const char *plumb_record_error(const plumb_recorder *r) {
    if (!is_recorder(r, "plumb_record_error")) return "plumb_record_error: the recorder is NULL";
    return r->error.code ? r->error.what : recording_misuse(&r->shared);
}

int plumb_record_method(const plumb_recorder *r, const char *name) {
    if (!is_recorder(r, "plumb_record_method")) return -1;
    if (!name && r->shared.header)
        record_misuse(&r->shared, "plumb_record_method: the name is NULL; expected that of a method");
    return r->object.type && name ? object_type_method(r->object.type, name) : -1;
}

static bool can_sync(plumb_recorder *r) {
    if (!is_recorder(r, "plumb_record_sync") || r->error.code || r->process != getpid()) return false;
    return r->shared.header->durable ||
           call_misuse(NULL, "plumb_record_sync: the recorder is not durable; expected that option");
}

bool plumb_record_sync(plumb_recorder *r) {
    error e = {0};
    return can_sync(r) && durable_sync(&r->durable, &r->shared, &e);
}

void plumb_record_close(plumb_recorder *r) {
    if (!r || r == &no_memory) return;
    thread_logs_free(&r->here);
    ahead_stop(&r->ahead);
    if (r->shared.header && r->shared.header->durable && r->process == getpid()) durable_close(&r->shared);
    durable_free(&r->durable);
    recording_close(&r->shared);
    recorded_object_close(&r->object);
    free(r);
}

void plumb_record_look(const plumb_recorder *r, plumb_record_status *out) {
    plumb_record_status s = {0};
    if (!is_recorder(r, "plumb_record_look") || !status_has_size(out, "plumb_record_look", NULL)) return;
    const log_header *h = r->shared.header;
    for (uint64_t i = 0; h && i < __atomic_load_n(&h->used, __ATOMIC_ACQUIRE); i++) {
        const log_slot *slot = &r->shared.slot[i];
        uint64_t places = log_load(&slot->announced);
        s.records += places - (places + LOG_CHUNK_RECORDS - 1) / LOG_CHUNK_RECORDS * LOG_FIRST;
        s.dark += log_load(&slot->lost);
        s.threads += __atomic_load_n(&slot->taken, __ATOMIC_RELAXED);
    }
    if (h) s.dark += outsider_calls(h);
    if (h) s.bytes = log_load(&h->chunks) * LOG_CHUNK_BYTES;
    give_sized(out, &s, sizeof s);
}
