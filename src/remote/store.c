#include "remote/store.h"

#include "base/mem.h"
#include "remote/keeping.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void replica_store_init(replica_store *s, uint64_t incarnation, size_t limit) {
    *s = (replica_store){.incarnation = incarnation, .limit = limit};
}

void stored_free(stored_log *l) {
    text_free(&l->bytes);
    free(l->at);
    *l = (stored_log){0};
}

void replica_store_free(replica_store *s) {
    for (uint32_t i = 0; i < s->logs; i++) stored_free(&s->log[i]);
    free(s->log);
    *s = (replica_store){0};
}

/* ---- logs ---- */

bool stored_append(stored_log *l, wire_reader entry) {
    if (entry.bad || !entry.left || entry.left > WIRE_ENTRY) return false;
    if (l->length - l->base == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->at = MEM_GROW(l->at, size_t, l->room);
    }
    assert(l->base <= l->length && l->length - l->base < l->room);
    assert(l->length == l->base || l->at[l->length - l->base - 1] < l->bytes.size);
    l->at[l->length++ - l->base] = l->bytes.size;
    wire_add(&l->bytes, entry.left, 4);
    text_bytes(&l->bytes, entry.p, entry.left);
    if (entry.p[0] != ENTRY_CALL) return true;
    wire_bytes(&entry, 1);
    l->rank = wire_number(&entry, 8);
    l->calls++;
    assert(l->calls <= l->length);
    return true;
}

static size_t place(const stored_log *l, uint64_t i) {
    assert(i >= l->base && i < l->length && l->at[i - l->base] < l->bytes.size);
    return l->at[i - l->base];
}

wire_reader stored_entry(const stored_log *l, uint64_t i) {
    wire_reader r = {.p = (const unsigned char *)l->bytes.at + place(l, i), .left = l->bytes.size - place(l, i)};
    wire_reader entry = wire_bytes(&r, wire_number(&r, 4));
    assert(!entry.bad && entry.left && entry.left <= WIRE_ENTRY);
    assert(i + 1 == l->length ? !r.left : l->bytes.size - r.left == place(l, i + 1));
    return entry;
}

void stored_add_entries(const stored_log *l, uint64_t from, uint64_t to, text *out) {
    uint64_t n = 0;
    if (to > l->length) to = l->length;
    while (from + n < to && (n == 0 || place(l, from + n) - place(l, from) < WIRE_BATCH)) n++;
    wire_add(out, l->client, 4);
    wire_add(out, from, 8);
    wire_add(out, n, 4);
    if (!n) return;
    size_t end = from + n < l->length ? place(l, from + n) : l->bytes.size;
    assert(end > place(l, from) && end - place(l, from) <= WIRE_BATCH + WIRE_ENTRY + 4);
    text_bytes(out, l->bytes.at + place(l, from), end - place(l, from));
}

static stored_log *find_log(replica_store *s, uint32_t client) {
    for (uint32_t i = 0; i < s->logs; i++)
        if (s->log[i].client == client) return &s->log[i];
    return NULL;
}

static stored_log *make_log(replica_store *s, uint32_t client) {
    stored_log *l = find_log(s, client);
    if (l || s->logs == WIRE_CLIENTS) return l;
    s->log = MEM_GROW(s->log, stored_log, s->logs + 1);
    assert(s->logs < WIRE_CLIENTS);
    s->log[s->logs] = (stored_log){.client = client};
    return &s->log[s->logs++];
}

/* ---- standing ---- */

void replica_store_lose(replica_store *s) { s->standing = STANDING_LOST; }

void replica_store_age(replica_store *s, double seconds) {
    if (s->standing == STANDING_LOST && seconds > STORE_RIPE_SECONDS) s->standing = STANDING_RIPE;
}

/* ---- answers ---- */

static bool wrong(text *out, uint64_t ticket, const char *why) {
    wire_wrong(out, ticket, why);
    return true;
}

static void say_state(const replica_store *s, uint64_t ticket, text *out) {
    size_t begun = wire_begin(out, WIRE_STATE, ticket);
    wire_add(out, s->incarnation, 8);
    wire_add(out, s->standing, 1);
    wire_add(out, s->logs, 4);
    for (uint32_t i = 0; i < s->logs; i++) {
        wire_add(out, s->log[i].client, 4);
        wire_add(out, s->log[i].length, 8);
        wire_add(out, s->log[i].calls, 8);
        wire_add(out, s->log[i].rank, 8);
    }
    wire_end(out, begun);
}

static bool same(wire_reader a, wire_reader b) { return a.left == b.left && !memcmp(a.p, b.p, a.left); }

/* What is here already must be the same: a log has one writer. What comes before a gap is filled is not taken. */
static const char *take_entries(replica_store *s, stored_log *l, uint64_t from, wire_reader *r) {
    uint64_t n = wire_number(r, 4);
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        wire_reader entry = wire_bytes(r, wire_number(r, 4));
        if (entry.bad || !entry.left) return "no entry";
        if (from + i < l->length && !same(entry, stored_entry(l, from + i))) return "two processes write as one client";
        if (from + i != l->length) continue;
        size_t takes = entry.left + 4 + sizeof *l->at; /* with its length and its place */
        if (s->used + takes > s->limit) return "this replica is full";
        if (!stored_append(l, entry)) return "no entry";
        if (s->journal) keeping_add(s->journal, l->client, entry);
        s->used += takes;
        assert(s->used <= s->limit && l->length == from + i + 1);
    }
    return wire_is_done(r) ? NULL : "no entries";
}

bool replica_store_restore(replica_store *s, uint32_t client, wire_reader entry) {
    stored_log *l = make_log(s, client);
    if (!l || !stored_append(l, entry)) return false;
    s->used += entry.left + 4 + sizeof *l->at;
    return s->used <= s->limit;
}

static bool have(const replica_store *s, uint64_t ticket, uint32_t client, uint64_t length, text *out) {
    size_t begun = wire_begin(out, WIRE_HAVE, ticket);
    wire_add(out, s->incarnation, 8);
    wire_add(out, s->standing, 1);
    wire_add(out, client, 4);
    wire_add(out, length, 8);
    wire_end(out, begun);
    return true;
}

/* Does it begin with a first entry? Only that makes a log: there are places for so many, and not for nonsense. */
static bool begins_log(uint64_t from, wire_reader r) {
    uint64_t n = wire_number(&r, 4);
    wire_reader entry = wire_bytes(&r, wire_number(&r, 4));
    return !from && n && !entry.bad && entry.left && entry.left <= WIRE_ENTRY;
}

static bool put(replica_store *s, uint64_t ticket, wire_reader *r, text *out) {
    uint32_t client = (uint32_t)wire_number(r, 4);
    uint64_t from = wire_number(r, 8);
    if (r->bad || client == KEEPING_STANDING) return wrong(out, ticket, "no entries");
    stored_log *l = find_log(s, client);
    if (!l && !begins_log(from, *r)) return have(s, ticket, client, 0, out); /* it is asked for from the beginning */
    if (!l) l = make_log(s, client);
    if (!l) return wrong(out, ticket, "too many clients");
    const char *why = take_entries(s, l, from, r);
    return why ? wrong(out, ticket, why) : have(s, ticket, client, l->length, out);
}

static bool get(replica_store *s, uint64_t ticket, wire_reader *r, text *out) {
    uint32_t client = (uint32_t)wire_number(r, 4);
    uint64_t from = wire_number(r, 8);
    stored_log *l = wire_is_done(r) ? find_log(s, client) : NULL;
    if (!l || from > l->length) return wrong(out, ticket, "no such entries");
    size_t begun = wire_begin(out, WIRE_ENTRIES, ticket);
    stored_add_entries(l, from, l->length, out);
    wire_end(out, begun);
    return true;
}

/* Only of this incarnation, and not before questions of the one before are over. */
static bool join(replica_store *s, uint64_t ticket, wire_reader *r, text *out) {
    uint64_t incarnation = wire_number(r, 8);
    if (!wire_is_done(r)) return false;
    if (incarnation == s->incarnation && s->standing == STANDING_RIPE) {
        s->standing = STANDING_CAUGHT_UP;
        if (s->journal) keeping_add_standing(s->journal, STANDING_CAUGHT_UP);
    }
    say_state(s, ticket, out);
    return true;
}

bool replica_store_answer(replica_store *s, enum wire_kind kind, uint64_t ticket, wire_reader r, text *out) {
    switch (kind) {
    case WIRE_ASK:
        if (!wire_is_done(&r)) return false;
        say_state(s, ticket, out);
        return true;
    case WIRE_PUT: return put(s, ticket, &r, out);
    case WIRE_GET: return get(s, ticket, &r, out);
    case WIRE_JOIN: return join(s, ticket, &r, out);
    default: return false;
    }
}
