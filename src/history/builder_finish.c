#include "history/builder_inside.h"

#include "base/mem.h"
#include "history/history_check.h"
#include "history/rank.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void move_operation(builder *b, uint32_t to, uint32_t from) {
    history *h = b->h;
    h->method[to] = h->method[from];
    h->nargs[to] = h->nargs[from];
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        if (h->arg[a]) h->arg[a][to] = h->arg[a][from];
    if (h->key) h->key[to] = h->key[from];
    if (h->client) h->client[to] = h->client[from];
    h->res[to] = h->res[from];
    h->line[to] = h->line[from];
    b->call_time[to] = b->call_time[from];
    b->ret_time[to] = b->ret_time[from];
}

static void forget_dropped(builder *b) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->h->n; i++) {
        if (i < b->dropped_room && b->dropped[i]) continue;
        if (kept != i) move_operation(b, kept, i);
        kept++;
    }
    assert(kept + b->h->failed == b->h->n);
    b->h->n = kept;
}

static void permute(void *column, size_t width, const uint32_t *order, uint32_t n) {
    if (!column) return;
    char *copy = mem_copy(column, n * width);
    for (uint32_t i = 0; i < n; i++) memcpy((char *)column + i * width, copy + order[i] * width, width);
    free(copy);
}

void builder_permute(builder *b, const uint32_t *order) {
    history *h = b->h;
    uint32_t n = h->n;
    permute(h->method, sizeof *h->method, order, n);
    permute(h->nargs, sizeof *h->nargs, order, n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) permute(h->arg[a], sizeof(value), order, n);
    permute(h->key, sizeof(value), order, n);
    permute(h->client, sizeof *h->client, order, n);
    permute(h->res, sizeof(value), order, n);
    permute(h->line, sizeof *h->line, order, n);
    permute(b->call_time, sizeof *b->call_time, order, n);
    permute(b->ret_time, sizeof *b->ret_time, order, n);
    if (!h->number) h->number = mem_copy(order, n * sizeof *order);
    else permute(h->number, sizeof *h->number, order, n);
}

static void sort_by_call(builder *b) {
    if (!b->out_of_order) return;
    uint32_t *order = rank_sort(b->call_time, b->h->n);
    if (order) builder_permute(b, order);
    free(order);
}

static void move_stamps(builder *b, int64_t by) {
    for (uint32_t i = 0; i < b->h->n; i++) {
        b->call_time[i] += by;
        if (!builder_is_open(b, i)) b->ret_time[i] += by;
    }
    b->low += by;
    b->moved = !b->moved;
}

/* Returns of pending operations sort behind all others: give them the smallest stamp that does, so that the range of
 * stamps, and with it the number of radix passes, stays small. The largest integer may be a time: then all make room.
 * */
static bool bring_never_near(builder *b, int64_t *never) {
    if (b->by_events) b->high = b->clock;
    bool full = b->high == INT64_MAX;
    if (full && b->low == INT64_MIN)
        return builder_error(b, 0, "stamps reach from the smallest integer to the largest; expected less");
    if (!b->by_events && !b->any_never) {
        *never = full ? INT64_MIN : INT64_MAX; /* no return has it */
        return true;
    }
    if (full) move_stamps(b, -1);
    else b->high++;
    *never = b->high;
    for (uint32_t i = 0; i < b->h->n; i++) {
        assert(builder_is_open(b, i) || b->ret_time[i] < b->high);
        if (builder_is_open(b, i)) b->ret_time[i] = b->high;
    }
    return true;
}

static void keep_stamps(const builder *b, stamps *s, int64_t *time, uint32_t n) {
    int64_t low = b->low;
    if (n == 0 || (uint64_t)b->high - (uint64_t)low > UINT32_MAX) {
        s->wide = time;
        return;
    }
    s->base = low;
    uint32_t *narrow = (void *)time; /* in place: entry i is written after entry i was read, and never ahead of it */
    for (uint32_t i = 0; i < n; i++) {
        assert(time[i] >= low && time[i] <= b->high); /* so that the difference fits */
        uint32_t offset = (uint32_t)((uint64_t)time[i] - (uint64_t)low);
        memcpy((char *)narrow + i * sizeof offset, &offset, sizeof offset);
    }
    s->narrow = MEM_GROW(narrow, uint32_t, n);
}

static bool overlap_error(builder *b, uint32_t before, uint32_t i, value client) {
    text t = {0};
    builder_error(
        b, b->h->line[i],
        "client %s calls at %lld while its operation of line %u is open until %lld; expected one open call a client",
        builder_client_text(b, client, &t), (long long)b->call_time[i], b->h->line[before],
        (long long)b->ret_time[before]);
    text_free(&t);
    return false;
}

/* Whole operations of one client must not overlap. After a pending one the client goes on under a fresh index, as
 * testers do; two operations that both returned and overlap are an error in the recording. */
static bool separate_clients(builder *b) {
    history *h = b->h;
    if (!b->overlap) return true;
    uint32_t names = h->clients, *last = MEM_ARRAY(uint32_t, names), *now = MEM_ARRAY(uint32_t, names);
    memset(last, 0xff, names * sizeof *last);
    for (uint32_t c = 0; c < names; c++) now[c] = c;
    bool good = true;
    for (uint32_t i = 0; i < h->n && good; i++) {
        uint32_t c = h->client[i], before = last[c];
        last[c] = i;
        if (before != NO_OPERATION && h->ret[before] == RANK_NEVER) {
            now[c] = builder_new_client(b, h->client_name[c]);
            h->reused++;
        } else if (before != NO_OPERATION && b->ret_time[before] > b->call_time[i]) {
            good = overlap_error(b, before, i, h->client_name[c]);
        }
        h->client[i] = now[c];
    }
    free(last);
    free(now);
    return good;
}

static void shrink(history *h) {
    uint32_t n = h->n;
    h->method = MEM_GROW(h->method, uint8_t, n);
    h->nargs = MEM_GROW(h->nargs, uint8_t, n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        if (h->arg[a]) h->arg[a] = MEM_GROW(h->arg[a], value, n);
    if (h->key) h->key = MEM_GROW(h->key, value, n);
    if (h->client) h->client = MEM_GROW(h->client, uint32_t, n);
    h->res = MEM_GROW(h->res, value, n);
    h->line = MEM_GROW(h->line, uint32_t, n);
}

history *builder_finish(builder *b) {
    history *h = b->h;
    if (b->e->code) return NULL;
    if (b->by_events && b->by_operations) {
        builder_error(b, 0, "events and whole operations are mixed; expected one kind");
        return NULL;
    }
    if (h->failed) forget_dropped(b);
    sort_by_call(b);
    int64_t low = b->low;
    if (!builder_spread_ties(b)) return NULL;
    if (b->spread) {
        b->low = 0;
        sort_by_call(b);
    }
    for (uint32_t i = 1; i < h->n; i++) assert(b->call_time[i - 1] <= b->call_time[i]);
    shrink(h);
    int64_t never = INT64_MAX;
    if (!bring_never_near(b, &never)) return NULL;
    uint32_t *after = builder_keep_own_order(b);
    h->call = MEM_ARRAY(uint32_t, h->n);
    h->ret = MEM_ARRAY(uint32_t, h->n);
    h->events = rank_events(b->call_time, b->ret_time, never, h->n, after, h->call, h->ret);
    free(after);
    h->pending = 2 * h->n - h->events;
    if (b->own_clients) h->clients = h->n;
    else if (b->by_operations && !separate_clients(b)) return NULL;
    if (b->moved) move_stamps(b, 1);
    if (b->spread) builder_gather_ties(b, low);
    if (b->by_operations && !b->order_only) {
        keep_stamps(b, &h->call_time, b->call_time, h->n);
        keep_stamps(b, &h->ret_time, b->ret_time, h->n);
        b->call_time = b->ret_time = NULL;
    }
    builder_place_notes(b);
    builder_keep_told_times(b);
    if (!history_has_times(h)) h->tick = 0; /* ranks are no times */
    history_check(h);
    history_check_dense(h);
    b->h = NULL;
    return h;
}
