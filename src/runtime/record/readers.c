#include "runtime/record/readers.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#define LOAD_STRONGLY(p) __atomic_load_n(&(p), __ATOMIC_SEQ_CST)
#define STORE_STRONGLY(p, v) __atomic_store_n(&(p), v, __ATOMIC_SEQ_CST)
enum { COME_IN_TRIES = 1000, PATIENCE_STEP = 100 };

static bool swap(uint64_t *p, uint64_t from, uint64_t to) {
    return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool is_inside(uint64_t epoch) { return epoch & 1; }

/* ---- writers ---- */

static bool is_alive(uint64_t process) { return process && (kill((pid_t)process, 0) == 0 || errno != ESRCH); }

static bool is_waited_for(const recording *m, unsigned i, uint32_t slot, uint64_t place) {
    return is_inside(LOAD_STRONGLY(m->header->reader[i].epoch)) &&
           __atomic_load_n(&m->slot[slot].tail[i].place, __ATOMIC_ACQUIRE) <= place;
}

void readers_wait(const recording *m, uint32_t slot, uint64_t place) {
    for (unsigned i = 0; i < LOG_READERS; i++) {
        const log_reader *r = &m->header->reader[i];
        uint64_t patience = log_load(&r->patience);
        if (!patience || !is_alive(LOAD_STRONGLY(r->process))) continue;
        for (uint64_t waited = 0; waited < patience && is_waited_for(m, i, slot, place); waited += PATIENCE_STEP)
            usleep(PATIENCE_STEP);
    }
}

/* A reader that enters meanwhile might be passed over: the loop ends when no reader had to be expelled. */
bool readers_passed(recording *m, uint32_t slot, uint64_t place, bool force, bool is_needed) {
    assert(slot < m->header->slots && place % LOG_CHUNK_RECORDS == 0);
    for (unsigned look = 0; look <= 2 * LOG_READERS; look++) {
        unsigned passed = 0, behind = 0;
        uint64_t epoch[LOG_READERS];
        for (unsigned i = 0; i < LOG_READERS; i++) {
            epoch[i] = LOAD_STRONGLY(m->header->reader[i].epoch);
            if (!is_inside(epoch[i])) continue;
            if (__atomic_load_n(&m->slot[slot].tail[i].place, __ATOMIC_ACQUIRE) > place) {
                passed++;
                epoch[i] = 0;
            } else {
                behind++;
            }
        }
        assert(passed + behind <= LOG_READERS);
        if (!behind) return passed || !is_needed;
        if (!force || (is_needed && !passed)) return false;
        for (unsigned i = 0; i < LOG_READERS; i++)
            if (is_inside(epoch[i])) swap(&m->header->reader[i].epoch, epoch[i], epoch[i] + 1);
    }
    return false;
}

/* ---- coming in ---- */

static log_reader *seat_of(const ring_reader *r) {
    assert(r->seat < LOG_READERS);
    return &r->m->header->reader[r->seat];
}

static log_tail load_tail(const log_tail *t) {
    log_tail is = {.place = __atomic_load_n(&t->place, __ATOMIC_ACQUIRE)};
    is.chunk = log_load(&t->chunk);
    return is;
}

static void store_tail(log_tail *t, log_tail is) {
    assert(!is.place || is.chunk);
    log_store(&t->chunk, is.chunk);
    __atomic_store_n(&t->place, is.place, __ATOMIC_RELEASE);
}

static bool any_other(const ring_reader *r, unsigned *which) {
    for (unsigned i = 0; i < LOG_READERS; i++) {
        *which = i;
        if (i != r->seat && is_inside(LOAD_STRONGLY(r->m->header->reader[i].epoch))) return true;
    }
    return false;
}

bool reader_is_alone(const ring_reader *r) {
    unsigned which;
    return r->seat == READER_NO_SEAT || !any_other(r, &which);
}

static void go_inside(ring_reader *r) {
    r->epoch = LOAD_STRONGLY(seat_of(r)->epoch) + 1;
    assert(is_inside(r->epoch)); /* only the owner of a seat enters it */
    STORE_STRONGLY(seat_of(r)->epoch, r->epoch);
}

static bool go_out_again(ring_reader *r) {
    swap(&seat_of(r)->epoch, r->epoch, r->epoch + 1);
    return false;
}

static bool in_first_chunk(const ring_reader *r, unsigned other) {
    for (uint32_t i = 0; i < r->m->header->slots; i++)
        if (LOAD_STRONGLY(r->m->slot[i].tail[other].place) > LOG_CHUNK_RECORDS) return false;
    return true;
}

/* The first one of all begins at the beginning. A writer that has not seen it yet may only have gone by others who came
 * at the same time: nothing was used again if those have not left the first chunks, and were not expelled. */
static bool come_in_first(ring_reader *r) {
    for (uint32_t i = 0; i < r->m->header->slots; i++) store_tail(&r->m->slot[i].tail[r->seat], (log_tail){0});
    go_inside(r);
    for (unsigned i = 0; i < LOG_READERS; i++) {
        uint64_t epoch = LOAD_STRONGLY(r->m->header->reader[i].epoch);
        if (i != r->seat && epoch && (epoch != 1 || !in_first_chunk(r, i))) return go_out_again(r);
    }
    return r->from_the_beginning = true;
}

/* Is the chunk of this tail the one that its place is in, or right behind? Both were read one after the other. */
static bool is_whole(const recording *m, log_tail t) {
    if (!t.place) return true;
    if (!t.chunk || t.chunk > m->header->chunk_limit) return false;
    uint64_t sequence = log_load(&recording_chunk(m, t.chunk)->sequence);
    return sequence == t.place / LOG_CHUNK_RECORDS ||
           (t.place % LOG_CHUNK_RECORDS == 0 && sequence + 1 == t.place / LOG_CHUNK_RECORDS);
}

/* As long as the other reader has not left the chunk where this one means to begin, no writer can have found that all
 * readers had left it: nothing from there on was used again before this reader was inside, and nothing will be after.
 * */
static bool still_there(log_tail mine, log_tail now) {
    return mine.place ? now.chunk == mine.chunk && now.place - mine.place < LOG_CHUNK_RECORDS : !now.place;
}

static bool come_in_beside(ring_reader *r, unsigned other) {
    assert(other < LOG_READERS && other != r->seat);
    const recording *m = r->m;
    uint64_t epoch = LOAD_STRONGLY(m->header->reader[other].epoch);
    for (uint32_t i = 0; i < m->header->slots; i++) {
        log_tail t = load_tail(&m->slot[i].tail[other]);
        if (!is_whole(m, t)) return false;
        store_tail(&m->slot[i].tail[r->seat], t);
    }
    go_inside(r);
    for (uint32_t i = 0; i < m->header->slots; i++)
        if (!still_there(load_tail(&m->slot[i].tail[r->seat]), load_tail(&m->slot[i].tail[other])))
            return go_out_again(r);
    if (!is_inside(epoch) || LOAD_STRONGLY(m->header->reader[other].epoch) != epoch) return go_out_again(r);
    r->ghosts += log_load(&m->header->reader[other].ghosts);
    return true;
}

static bool come_in(ring_reader *r) {
    for (unsigned i = 0; i < COME_IN_TRIES; i++) {
        unsigned other;
        bool beside = any_other(r, &other);
        if (beside ? come_in_beside(r, other) : come_in_first(r)) {
            assert(is_inside(r->epoch));
            log_store(&seat_of(r)->ghosts, r->ghosts);
            return true;
        }
        sched_yield();
    }
    return false;
}

bool reader_come_back(ring_reader *r) {
    r->from_the_beginning = false;
    bool back = come_in(r);
    r->from_the_beginning = false;
    return back;
}

/* ---- seats ---- */

/* One whose owner is gone; first those whose place can be taken over. */
static bool take_seat(ring_reader *r) {
    for (int outside = 0; outside < 2; outside++)
        for (r->seat = 0; r->seat < LOG_READERS; r->seat++) {
            uint64_t owner = LOAD_STRONGLY(seat_of(r)->process);
            if (is_inside(LOAD_STRONGLY(seat_of(r)->epoch)) == outside || is_alive(owner)) continue;
            if (!swap(&seat_of(r)->process, owner, (uint64_t)getpid())) continue;
            reader_asks_for_patience(r, 0);
            return true;
        }
    return false;
}

static bool nothing_was_read(const ring_reader *r) {
    for (uint32_t i = 0; i < r->m->header->slots; i++)
        if (LOAD_STRONGLY(r->m->slot[i].tail[r->seat].place)) return false;
    return true;
}

bool reader_join(ring_reader *r, recording *m, error *e) {
    *r = (ring_reader){.m = m, .seat = READER_NO_SEAT, .from_the_beginning = true};
    if (!m->header->ring) return true;
    if (!take_seat(r)) {
        r->seat = READER_NO_SEAT;
        return error_set(e, EXIT_USAGE, "%d verifiers read this ring; expected at most so many at once", LOG_READERS);
    }
    r->epoch = LOAD_STRONGLY(seat_of(r)->epoch);
    r->ghosts = log_load(&seat_of(r)->ghosts);
    r->from_the_beginning = is_inside(r->epoch) && nothing_was_read(r);
    if (is_inside(r->epoch) || come_in(r)) return true;
    STORE_STRONGLY(seat_of(r)->process, 0);
    r->seat = READER_NO_SEAT;
    return error_set(e, EXIT_UNDECIDED, "the other verifiers are too fast to find a place beside them; try again");
}

void reader_leave(ring_reader *r) {
    reader_asks_for_patience(r, 0);
    if (r->seat != READER_NO_SEAT) STORE_STRONGLY(seat_of(r)->process, 0);
    r->seat = READER_NO_SEAT;
}

bool reader_is_inside(const ring_reader *r) {
    if (r->seat == READER_NO_SEAT) return true;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return LOAD_STRONGLY(seat_of(r)->epoch) == r->epoch;
}

void reader_asks_for_patience(ring_reader *r, uint64_t microseconds) {
    if (r->seat != READER_NO_SEAT) log_store(&seat_of(r)->patience, microseconds);
}

void reader_hears_of_ghost(ring_reader *r) {
    r->ghosts++;
    if (r->seat != READER_NO_SEAT) log_store(&seat_of(r)->ghosts, r->ghosts);
}
