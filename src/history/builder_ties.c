#include "history/builder_inside.h"

#include "base/mem.h"
#include "history/rank.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- of one client ---- */

/* By operation: the client's operation before it, if that returned when this one was called; RANK_NEVER: none. NULL:
 * there is no such pair. */
static uint32_t *find_own_ties(const builder *b) {
    const history *h = b->h;
    uint32_t *last = MEM_ARRAY(uint32_t, h->clients), *after = MEM_ARRAY(uint32_t, h->n);
    bool any = false;
    memset(last, 0xff, h->clients * sizeof *last);
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t before = last[h->client[i]];
        bool tied = before != RANK_NEVER && !builder_is_open(b, before) && b->ret_time[before] == b->call_time[i];
        after[i] = tied ? before : RANK_NEVER;
        any |= tied;
        last[h->client[i]] = i;
    }
    free(last);
    if (any) return after;
    free(after);
    return NULL;
}

/* ---- equal stamps of one client ---- */

static void note_tie(history *h, uint32_t first, uint32_t second) {
    if ((h->ties & (h->ties - 1)) == 0)
        h->tied = mem_resize(h->tied, h->ties ? 2 * (size_t)h->ties : 1, sizeof *h->tied);
    h->tied[h->ties][0] = first;
    h->tied[h->ties++][1] = second;
}

/* A client that goes on after a pending operation is another one: at the same stamp, its calls wait for nothing. */
enum goes_on { GOES_NORMALLY, GOES_PENDING, GOES_ON };

static void find_going_on(const builder *b, uint32_t from, uint32_t to, uint8_t *goes) {
    for (uint32_t i = from; i < to; i++) {
        uint8_t *g = &goes[b->h->client[i]];
        if (*g == GOES_PENDING) *g = GOES_ON;
        else if (builder_is_open(b, i) && *g == GOES_NORMALLY) *g = GOES_PENDING;
    }
}

/* Of the operations [from, to), called at one stamp, those of the last client with a tie keep their order; the ties of
 * the others are noted, and no longer in `after`. The last, so that a file in the order that is made here reads alike.
 * `goes`: by client, GOES_NORMALLY before and after. */
static void choose_client(builder *b, uint32_t *after, uint32_t from, uint32_t to, uint8_t *goes) {
    history *h = b->h;
    uint32_t chosen = RANK_NEVER;
    find_going_on(b, from, to, goes);
    for (uint32_t i = from; i < to; i++)
        if (after[i] != RANK_NEVER && goes[h->client[i]] != GOES_ON) chosen = h->client[i];
    for (uint32_t i = from; i < to; i++) {
        goes[h->client[i]] = GOES_NORMALLY;
        if (after[i] == RANK_NEVER || h->client[i] == chosen) continue;
        note_tie(h, after[i], i);
        after[i] = RANK_NEVER;
    }
}

/* Behind the other calls of their stamp come those that wait for a return of it. */
static uint32_t *order_of_calls(const uint32_t *after, uint32_t from, uint32_t to, uint32_t *order) {
    for (unsigned waits = 0; waits < 2; waits++)
        for (uint32_t i = from; i < to; i++)
            if ((after[i] != RANK_NEVER) == waits) *order++ = i;
    return order;
}

static void move_ties(history *h, uint32_t *after, const uint32_t *order) {
    uint32_t *place = MEM_ARRAY(uint32_t, h->n), *moved = MEM_ARRAY(uint32_t, h->n);
    for (uint32_t i = 0; i < h->n; i++) place[order[i]] = i;
    for (uint32_t i = 0; i < h->n; i++) moved[i] = after[order[i]] == RANK_NEVER ? RANK_NEVER : place[after[order[i]]];
    memcpy(after, moved, h->n * sizeof *after);
    for (uint32_t t = 0; t < h->ties; t++)
        for (unsigned k = 0; k < 2; k++) h->tied[t][k] = place[h->tied[t][k]];
    free(place);
    free(moved);
}

/* By operation: it lasts, and a later line has an operation of its client that was called at the same stamp and was
 * over at it, or never. NULL: there is none. */
static bool *find_overtaken(const builder *b) {
    const history *h = b->h;
    uint32_t *lasting =
        MEM_ARRAY(uint32_t, h->clients); /* by client: the last that returned later than it was called */
    bool *overtaken = mem_zero(h->n, sizeof *overtaken), any = false;
    memset(lasting, 0xff, h->clients * sizeof *lasting);
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t *last = &lasting[h->client[i]];
        if (!builder_is_open(b, i) && b->ret_time[i] > b->call_time[i]) *last = i;
        else if (*last != RANK_NEVER && b->call_time[*last] == b->call_time[i]) overtaken[*last] = any = true;
    }
    free(lasting);
    if (any) return overtaken;
    free(overtaken);
    return NULL;
}

/* Of the operations that one client calls at one stamp, the one that returned later comes last, whatever the order of
 * lines: in any other order it would overlap with the client's next. Those that were over at the stamp, and those that
 * timed out there, stay in the order of their lines: nothing else tells it. */
static void put_lasting_last(builder *b) {
    bool *overtaken = find_overtaken(b);
    if (!overtaken) return;
    uint32_t n = b->h->n, *order = MEM_ARRAY(uint32_t, n), *next = order;
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && b->call_time[to] == b->call_time[from];) to++;
        for (unsigned later = 0; later < 2; later++)
            for (uint32_t i = from; i < to; i++)
                if (overtaken[i] == later) *next++ = i;
    }
    assert(next == order + n);
    builder_permute(b, order);
    free(order);
    free(overtaken);
}

/* What rank_events needs to keep the order of a client's own operations; NULL: it is kept without. */
uint32_t *builder_keep_own_order(builder *b) {
    history *h = b->h;
    if (!b->by_operations || b->own_clients || !b->touching) return NULL;
    put_lasting_last(b);
    uint32_t *after = find_own_ties(b), *order = MEM_ARRAY(uint32_t, h->n), *next = order;
    uint8_t *goes = mem_zero(h->clients, 1);
    bool changed = false;
    for (uint32_t from = 0, to; after && from < h->n; from = to) {
        for (to = from + 1; to < h->n && b->call_time[to] == b->call_time[from];) to++;
        choose_client(b, after, from, to, goes);
        next = order_of_calls(after, from, to, next);
    }
    for (uint32_t i = 0; after && i < h->n; i++) changed |= order[i] != i;
    if (changed) {
        builder_permute(b, order);
        move_ties(h, after, order);
    }
    free(order);
    free(goes);
    return after;
}

/* ---- of all, where a file says that ties precede ---- */

/* Three places for each stamp: returns, then what begins and ends there, then calls. The history is ranked by
 * these, and the stamps, which do not say that order to other readers, are shown. */
bool builder_spread_ties(builder *b) {
    history *h = b->h;
    if (!b->by_operations || !b->ties_precede || !rank_touches(b->call_time, b->ret_time, STAMP_NEVER, h->n))
        return true;
    uint64_t range = (uint64_t)b->high - (uint64_t)b->low;
    if (range > INT64_MAX / 4)
        return builder_error(b, 0, "equal stamps in a list whose stamps reach too far; expected less");
    for (uint32_t i = 0; i < h->n; i++) {
        bool open = builder_is_open(b, i); /* then it has no return to count from the lowest stamp */
        int64_t call = b->call_time[i] - b->low, ret = open ? 0 : b->ret_time[i] - b->low;
        bool point = !open && call == ret;
        b->call_time[i] = 3 * call + (point ? 1 : 2);
        if (!open) b->ret_time[i] = 3 * ret + point;
    }
    b->high = 3 * (int64_t)range + 2;
    b->spread = b->out_of_order = true;
    return true;
}

void builder_gather_ties(builder *b, int64_t low) {
    for (uint32_t i = 0; i < b->h->n; i++) {
        b->call_time[i] = b->call_time[i] / 3 + low;
        b->ret_time[i] = builder_is_open(b, i) ? low : b->ret_time[i] / 3 + low;
    }
    b->high = b->high / 3 + low;
    b->low = low;
    b->h->clock = CLOCK_SHOWN;
}
