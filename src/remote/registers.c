#include "remote/registers.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool registers_open(registers *r, const char *replicas, const char *key, double seconds, error *e) {
    *r = (registers){0};
    r->now = MEM_ARRAY(register_reading, WIRE_CLIENTS);
    return quorum_open(&r->q, replicas, key, seconds, e);
}

void registers_close(registers *r) {
    quorum_close(&r->q);
    free(r->now);
    r->now = NULL;
}

static heard refused(wire_reader body, error *e) {
    error_set(e, EXIT_BAD_INPUT, "a replica refuses: %.*s", body.left < 100 ? (int)body.left : 100,
              (const char *)body.p);
    return HEARD_REFUSAL;
}

/* ---- writing ---- */

typedef struct writing {
    registers *r;
    const stored_log *log;
    uint64_t length;
    register_reading *known; /* or NULL: the replicas that have it now are noted here */
    uint64_t catching_up;    /* an incarnation that is to have it though it does not count; 0: none */
} writing;

static bool counts(uint64_t standing) { return standing == STANDING_WHOLE || standing == STANDING_CAUGHT_UP; }

static void put(const writing *w, uint64_t ticket, uint64_t from, text *frame) {
    assert(from >= w->log->base && from <= w->length && w->length <= w->log->length);
    size_t begun = wire_begin(frame, WIRE_PUT, ticket);
    stored_add_entries(w->log, from, w->length, frame);
    wire_end(frame, begun);
}

/* A replica that lacks entries is sent these. */
static heard hear_have(void *context, uint32_t from, enum wire_kind kind, wire_reader body, error *e) {
    writing *w = context;
    if (kind == WIRE_WRONG) return refused(body, e);
    uint64_t incarnation = wire_number(&body, 8), standing = wire_number(&body, 1);
    uint64_t client = wire_number(&body, 4), length = wire_number(&body, 8);
    if (kind != WIRE_HAVE || !wire_is_done(&body) || client != w->log->client ||
        !quorum_knows(&w->r->q, from, incarnation, standing))
        return HEARD_NONSENSE;
    if (!counts(standing) && incarnation != w->catching_up) return HEARD_ASIDE;
    if (length >= w->length) {
        if (w->known) w->known->at[from] = w->length;
        return HEARD_ANSWER;
    }
    if (length < w->log->base) return HEARD_MORE; /* not one of those that were read: the others will do */
    text frame = {0};
    put(w, w->r->q.ticket, length, &frame);
    quorum_say(&w->r->q, from, &frame);
    text_free(&frame);
    return HEARD_MORE;
}

static bool write_up_to(registers *r, const stored_log *log, uint64_t length, register_reading *known, error *e) {
    writing w = {.r = r, .log = log, .length = length, .known = known};
    text frame = {0};
    assert(length >= log->base && length <= log->length);
    put(&w, quorum_ticket(&r->q), length ? length - 1 : 0, &frame);
    bool good = quorum_ask(
        &r->q, &(question){.context = &w, .frame = &frame, .hear = hear_have, .needed = quorum_majority(&r->q)}, e);
    text_free(&frame);
    return good;
}

bool registers_write(registers *r, const stored_log *mine, error *e) {
    return write_up_to(r, mine, mine->length, NULL, e);
}

/* ---- reading ---- */

static register_reading *of_client(registers *r, uint32_t client) {
    uint32_t i = 0;
    while (i < r->n && r->now[i].client != client) i++;
    if (i == WIRE_CLIENTS) return NULL;
    if (i == r->n) r->now[r->n++] = (register_reading){.client = client};
    assert(i < r->n && r->n <= WIRE_CLIENTS && r->now[i].client == client);
    return &r->now[i];
}

static heard hear_state(void *context, uint32_t from, enum wire_kind kind, wire_reader body, error *e) {
    registers *r = context;
    (void)e;
    uint64_t incarnation = wire_number(&body, 8), standing = wire_number(&body, 1), n = wire_number(&body, 4);
    if (kind != WIRE_STATE || body.bad || n > WIRE_CLIENTS || !quorum_knows(&r->q, from, incarnation, standing))
        return HEARD_NONSENSE;
    for (uint64_t i = 0; i < n; i++) {
        register_reading said = {.client = (uint32_t)wire_number(&body, 4),
                                 .length = wire_number(&body, 8),
                                 .calls = wire_number(&body, 8),
                                 .rank = wire_number(&body, 8)};
        register_reading *known = body.bad ? NULL : of_client(r, said.client);
        if (!known) return HEARD_NONSENSE;
        known->at[from] = said.length;
        if (said.length <= known->length) continue;
        known->length = said.length;
        known->calls = said.calls;
        known->rank = said.rank;
    }
    if (!wire_is_done(&body)) return HEARD_NONSENSE;
    assert(from < r->q.n && !(r->answered >> from & 1)); /* each answers once */
    r->lost[from] = standing == STANDING_RIPE ? incarnation : 0;
    if (!counts(standing)) return HEARD_ASIDE;
    r->answered |= 1u << from;
    return HEARD_ANSWER;
}

static uint32_t holders(const register_reading *it) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < QUORUM_MOST; i++) {
        assert(it->at[i] <= it->length);
        set |= (uint32_t)(it->at[i] == it->length) << i;
    }
    return set;
}

typedef struct fetching {
    const register_reading *from;
    stored_log *to;
} fetching;

static heard hear_entries(void *context, uint32_t from, enum wire_kind kind, wire_reader body, error *e) {
    fetching *f = context;
    (void)from, (void)e;
    uint64_t client = wire_number(&body, 4), first = wire_number(&body, 8), n = wire_number(&body, 4);
    if (kind != WIRE_ENTRIES || body.bad || client != f->from->client || first != f->to->length || n == 0)
        return HEARD_NONSENSE;
    for (uint64_t i = 0; i < n; i++)
        if (!stored_append(f->to, wire_bytes(&body, wire_number(&body, 4)))) return HEARD_NONSENSE;
    return wire_is_done(&body) ? HEARD_ANSWER : HEARD_NONSENSE;
}

/* From one that has it, batch by batch: each brings at least one entry. */
bool registers_fetch(registers *r, const register_reading *from, stored_log *to, error *e) {
    bool good = true;
    while (good && to->length < from->length) {
        fetching f = {from, to};
        text frame = {0};
        size_t begun = wire_begin(&frame, WIRE_GET, quorum_ticket(&r->q));
        wire_add(&frame, from->client, 4);
        wire_add(&frame, to->length, 8);
        wire_end(&frame, begun);
        good = quorum_ask(
            &r->q,
            &(question){.context = &f, .frame = &frame, .hear = hear_entries, .needed = 1, .only = holders(from)}, e);
        text_free(&frame);
    }
    return good;
}

static bool is_held_by_majority(const registers *r, const register_reading *it) {
    return (uint32_t)__builtin_popcount(holders(it) & r->answered) >= quorum_majority(&r->q);
}

/* What one of those that answered has not. Those that have it then are holders, too: the first one may die before it is
 * asked for it. */
static bool write_back(registers *r, register_reading *it, error *e) {
    uint64_t least = it->length;
    for (uint32_t i = 0; i < r->q.n; i++)
        if (r->answered >> i & 1 && it->at[i] < least) least = it->at[i];
    stored_log log = {.client = it->client, .base = least, .length = least};
    bool good = registers_fetch(r, it, &log, e) && write_up_to(r, &log, it->length, it, e);
    assert(!good || (uint32_t)__builtin_popcount(holders(it)) >= quorum_majority(&r->q));
    stored_free(&log);
    return good;
}

/* ---- catching up ---- */

static heard hear_joined(void *context, uint32_t from, enum wire_kind kind, wire_reader body, error *e) {
    registers *r = context;
    (void)e, (void)body;
    if (kind != WIRE_STATE) return HEARD_NONSENSE;
    r->lost[from] = 0; /* if it was not taken, the next reading says so */
    return HEARD_ANSWER;
}

/* Brings one log of the replica up to what was read. */
static bool supply(registers *r, register_reading *it, uint32_t to, error *e) {
    if (it->at[to] >= it->length) return true;
    stored_log log = {.client = it->client, .base = it->at[to], .length = it->at[to]};
    bool good = registers_fetch(r, it, &log, e);
    writing w = {.r = r, .log = &log, .length = it->length, .known = it, .catching_up = r->lost[to]};
    text frame = {0};
    if (good) put(&w, quorum_ticket(&r->q), log.base, &frame);
    question q = {.context = &w, .frame = &frame, .hear = hear_have, .needed = 1, .only = 1u << to};
    good = good && quorum_ask(&r->q, &q, e);
    text_free(&frame);
    stored_free(&log);
    return good;
}

static bool catch_up(registers *r, uint32_t which) {
    error e = {0};
    for (uint32_t i = 0; i < r->n; i++)
        if (!supply(r, &r->now[i], which, &e)) return false;
    text frame = {0};
    size_t begun = wire_begin(&frame, WIRE_JOIN, quorum_ticket(&r->q));
    wire_add(&frame, r->lost[which], 8);
    wire_end(&frame, begun);
    question q = {.context = r, .frame = &frame, .hear = hear_joined, .needed = 1, .only = 1u << which};
    bool good = quorum_ask(&r->q, &q, &e);
    text_free(&frame);
    return good;
}

/* Those that the reading before had found like this already: so this one began after they had lost what they had. It is
 * a kindness, and does not hold up the one who reads for long. */
static void help_the_lost(registers *r) {
    double patience = r->q.seconds;
    r->q.seconds = patience < 0.5 ? patience : 0.5;
    for (uint32_t i = 0; i < r->q.n; i++)
        if (r->lost[i] && r->lost[i] == r->lost_before[i] && !catch_up(r, i))
            r->lost[i] = 0; /* until it says so again */
    r->q.seconds = patience;
}

/* One whose only holder dies while it is written back is read again: it may never have been there. */
enum { READING_TRIES = 3 };

static bool read_once(registers *r, bool *settled, error *e) {
    text frame = {0};
    wire_end(&frame, wire_begin(&frame, WIRE_ASK, quorum_ticket(&r->q)));
    r->n = r->answered = 0;
    memcpy(r->lost_before, r->lost, sizeof r->lost);
    bool good = quorum_ask(
        &r->q, &(question){.context = r, .frame = &frame, .hear = hear_state, .needed = quorum_majority(&r->q)}, e);
    text_free(&frame);
    assert(!good || (uint32_t)__builtin_popcount(r->answered) >= quorum_majority(&r->q));
    *settled = true;
    for (uint32_t i = 0; i < r->n && good && *settled; i++)
        if (!is_held_by_majority(r, &r->now[i])) *settled = write_back(r, &r->now[i], e);
    return good;
}

bool registers_read(registers *r, error *e) {
    for (unsigned i = 0; i < READING_TRIES; i++) {
        bool settled;
        *e = (error){0};
        if (!read_once(r, &settled, e)) return false;
        if (settled) {
            help_the_lost(r);
            return true;
        }
    }
    return false;
}

/* ---- snapshots ---- */

static uint64_t sum_of_calls(const registers *r) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        for (uint32_t k = 0; k < i; k++) assert(r->now[k].client != r->now[i].client);
        sum += r->now[i].calls;
    }
    return sum;
}

typedef struct seen {
    uint32_t client;
    uint64_t calls;
    bool moved; /* once, while this snapshot was taken */
} seen;

/* What changed since the reading before; *borrowed: a client moved for the second time, and this is the rank of its
 * snapshot. */
static bool compare(const registers *r, seen *before, uint32_t *n, bool *borrowed, uint64_t *rank) {
    bool same = true;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t k = 0;
        while (k < *n && before[k].client != r->now[i].client) k++;
        if (k == *n) before[(*n)++] = (seen){.client = r->now[i].client}; /* was empty */
        assert(k < *n && *n <= WIRE_CLIENTS);
        if (before[k].calls == r->now[i].calls) continue;
        same = false;
        if (before[k].moved && !*borrowed) {
            *borrowed = true;
            *rank = r->now[i].rank;
        }
        before[k].moved = true;
        before[k].calls = r->now[i].calls;
    }
    return same;
}

bool registers_rank(registers *r, uint64_t *rank, error *e) {
    seen *before = MEM_ARRAY(seen, WIRE_CLIENTS);
    uint32_t n = 0;
    bool borrowed = false, good = registers_read(r, e), same = false;
    for (uint32_t i = 0; i < r->n && good; i++)
        before[n++] = (seen){.client = r->now[i].client, .calls = r->now[i].calls};
    while (good && !same && !borrowed) { /* each turn one more of finitely many has moved, or one for the second time */
        good = registers_read(r, e);
        same = good && compare(r, before, &n, &borrowed, rank);
    }
    if (good && same) *rank = sum_of_calls(r);
    free(before);
    return good;
}
