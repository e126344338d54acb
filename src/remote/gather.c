#include "remote/gather.h"

#include "object/trust.h"

#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gather_open(gather *g, const char *replicas, const char *key, double seconds, const checker_options *options,
                 error *e) {
    *g = (gather){.options = *options, .values = values_new(), .client = MEM_ARRAY(followed, WIRE_CLIENTS)};
    return registers_open(&g->r, replicas, key, seconds, e);
}

void gather_close(gather *g) {
    for (uint32_t i = 0; i < g->clients; i++) stored_free(&g->client[i].log);
    checker_free(g->check);
    object_close(g->o);
    values_free(g->values);
    registers_close(&g->r);
    free(g->client);
}

uint32_t gather_here(const gather *g) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->clients; i++) n += !g->client[i].left;
    return n;
}

uint64_t gather_pending(const gather *g) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->clients; i++) n += g->client[i].open;
    return n;
}

static bool undecided(gather *g, uint32_t client, const char *what) {
    if (g->verdict != VERDICT_LINEARIZABLE) return false;
    g->verdict = VERDICT_UNDECIDED;
    snprintf(g->reason, sizeof g->reason, "client %u %s", g->client[client].log.client, what);
    return false;
}

/* ---- entries ---- */

_Static_assert((int)WIRE_HANDLE == (int)LOG_HANDLE, "words mean the same to checkers");

/* The first one says what all of them are about. */
static bool meet(gather *g, uint32_t c) {
    const wire_entry *hello = &g->client[c].entry;
    error e = {0};
    if (g->o)
        return (!strcmp(g->object, hello->object) && !strcmp(g->init, hello->init)) ||
               undecided(g, c, "uses another object than those before it");
    if (!object_type_find(hello->object, strcspn(hello->object, "(")))
        return undecided(g, c, "names an object that is not built in: which code is run is not its choice");
    memcpy(g->object, hello->object, sizeof g->object);
    memcpy(g->init, hello->init, sizeof g->init);
    g->o = object_open_from_data(g->object, g->init[0] ? g->init + 1 : NULL, &e);
    if (g->o) object_use_values(g->o, g->values);
    g->check = g->o ? checker_new(g->o, WIRE_CLIENTS, &g->options, &e) : NULL;
    return g->check || undecided(g, c, e.what);
}

/* The next entry that is an event; entries that are none are dealt with. */
static bool decode(gather *g, uint32_t c) {
    followed *f = &g->client[c];
    assert(f->next >= f->log.base && f->next <= f->log.length);
    while (!f->decoded && f->next < f->log.length) {
        if (!wire_read_entry(stored_entry(&f->log, f->next++), g->values, &f->entry))
            return undecided(g, c, "announces nonsense");
        if (f->entry.kind == ENTRY_HELLO && !meet(g, c)) return false;
        if (f->entry.kind != ENTRY_HELLO && !g->check) return undecided(g, c, "does not say what its object is");
        if (f->entry.kind == ENTRY_LEAVE) f->left = true;
        f->decoded = f->entry.kind == ENTRY_CALL || (f->open && f->entry.kind != ENTRY_HELLO);
    }
    if (!f->decoded && f->next == f->log.length) { /* all was read: it need not be kept */
        f->log.bytes.size = 0;
        f->log.base = f->log.length;
    }
    return f->decoded;
}

static uint64_t clamped(const gather *g, uint64_t key) { return key > g->frontier ? key : g->frontier; }

/* Calls come first among equal keys. A call that is followed by another one, or by leaving, is over without an
 * outcome. */
static void find_event(gather *g, uint32_t c) {
    followed *f = &g->client[c];
    f->key = UINT64_MAX;
    if (!decode(g, c)) return;
    uint64_t rank = f->entry.rank < UINT64_MAX >> 3 ? f->entry.rank : UINT64_MAX >> 3;
    if (!f->open) f->key = clamped(g, 2 * rank + 1) << 1;
    else if (f->entry.kind == ENTRY_RETURN) f->key = clamped(g, 2 * rank) << 1 | 1;
    else f->key = clamped(g, f->op.call) << 1 | 1;
    assert(f->key >> 1 >= g->frontier);
}

/* ---- events ---- */

static void forward_call(gather *g, uint32_t c) {
    followed *f = &g->client[c];
    assert(!f->open && f->decoded && f->entry.kind == ENTRY_CALL);
    int which = object_type_method(g->o->type, f->entry.method);
    if (which < 0) {
        undecided(g, c, "calls a method that the object does not have");
        return;
    }
    f->op = (sketched){
        .call = f->key >> 1, .mine = &f->mine, .client = c, .method = (uint8_t)which, .nargs = f->entry.nargs};
    for (unsigned i = 0; i < f->entry.nargs; i++) f->op.arg[i] = f->entry.arg[i];
    f->open = true;
    f->decoded = false;
    g->check->type->call(g->check, &f->op);
}

static void forward_return(gather *g, uint32_t c) {
    followed *f = &g->client[c];
    bool has_outcome = f->entry.kind == ENTRY_RETURN;
    assert(f->open && f->decoded);
    f->op.ret = f->key >> 1;
    assert(f->op.call <= f->op.ret);
    f->op.outcome = has_outcome ? f->entry.outcome : LOG_UNKNOWN;
    f->op.res = has_outcome ? f->entry.res : PLUMB_WORD_NONE;
    f->open = false;
    f->decoded = f->entry.kind == ENTRY_CALL;
    g->returned += f->op.outcome == LOG_RETURNED;
    g->check->type->ret(g->check, &f->op);
}

static uint32_t first_client(const gather *g) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < g->clients; i++)
        if (g->client[i].key < g->client[first].key) first = i;
    for (uint32_t i = 0; i < g->clients; i++) assert(g->client[first].key <= g->client[i].key);
    return first;
}

static void drain(gather *g, uint64_t limit) {
    uint64_t last = limit << 1 | 1;
    assert(limit >= g->frontier);
    for (uint32_t i = 0; i < g->clients; i++) find_event(g, i);
    while (g->clients && g->verdict == VERDICT_LINEARIZABLE) {
        uint32_t c = first_client(g);
        if (g->client[c].key > last) break;
        if (g->client[c].open) forward_return(g, c);
        else forward_call(g, c);
        g->events++;
        find_event(g, c);
    }
    g->frontier = limit;
}

/* ---- rounds ---- */

static followed *follow(gather *g, uint32_t client) {
    for (uint32_t i = 0; i < g->clients; i++)
        if (g->client[i].log.client == client) return &g->client[i];
    assert(g->clients < WIRE_CLIENTS);
    g->client[g->clients] = (followed){.log.client = client, .key = UINT64_MAX};
    return &g->client[g->clients++];
}

static void conclude(gather *g) {
    if (!g->check || g->verdict != VERDICT_LINEARIZABLE) return;
    g->verdict = g->check->type->settle(g->check);
    if (g->verdict != VERDICT_LINEARIZABLE)
        snprintf(g->reason, sizeof g->reason, "%s", g->check->type->reason(g->check));
}

bool gather_round(gather *g, uint64_t *events, error *e) {
    uint64_t rank, before = g->events;
    /* read after the cut: what is not there has not begun */
    if (!registers_rank(&g->r, &rank, e) || !registers_read(&g->r, e)) return false;
    for (uint32_t i = 0; i < g->r.n; i++)
        if (!registers_fetch(&g->r, &g->r.now[i], &follow(g, g->r.now[i].client)->log, e)) return false;
    uint64_t limit = 2 * rank;
    drain(g, limit > g->frontier ? limit : g->frontier);
    conclude(g);
    *events = g->events - before;
    return true;
}
