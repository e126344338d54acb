#include "history/history_check.h"

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void check_ranks(const history *h) {
    uint32_t pending = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        assert(!i || h->call[i - 1] < h->call[i]);
        assert(h->call[i] < h->events);
        assert(history_pending(h, i) || (h->call[i] < h->ret[i] && h->ret[i] < h->events));
        assert(!history_pending(h, i) || h->res[i] == VALUE_UNKNOWN);
        pending += history_pending(h, i);
    }
    assert(pending == h->pending);
}

/* A client's operations follow each other. In a whole history the client goes on under another index after a pending
 * one; a cut can separate a return from a call with the same stamp. */
static void check_clients(const history *h, bool whole) {
    if (!h->client) return;
    uint32_t *last = MEM_ARRAY(uint32_t, h->clients);
    memset(last, 0xff, h->clients * sizeof *last);
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t c = h->client[i];
        assert(c < h->clients);
        assert(last[c] == UINT32_MAX || !whole || !history_pending(h, last[c]));
        assert(last[c] == UINT32_MAX || !history_has_stamps(h) ||
               history_ret_time(h, last[c]) <= history_call_time(h, i));
        last[c] = i;
    }
    free(last);
}

/* A handle that means something in the history's table. */
static bool is_known(const history *h, value v) { return v <= VALUE_TRUE || value_kind_of(h->values, v) >= KIND_INT; }

static void check_columns(const history *h) {
    for (uint32_t i = 0; i < h->n; i++) {
        assert(!h->methods || h->method[i] < h->methods); /* a monitor's window has no names */
        assert(h->nargs[i] <= HISTORY_MAX_ARGS);
        for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) {
            assert(a >= h->nargs[i] || h->arg[a]);
            assert(!h->arg[a] || is_known(h, h->arg[a][i]));
        }
        assert(!h->key || is_known(h, h->key[i]));
        assert(is_known(h, h->res[i]));
    }
    for (uint32_t c = 0; h->client_name && c < h->clients; c++) assert(is_known(h, h->client_name[c]));
}

static void check_times(const history *h) {
    assert(!h->call_time.narrow || !h->call_time.wide);
    assert(history_has_times(h) == (h->ret_time.narrow || h->ret_time.wide));
    if (!history_has_stamps(h)) return;
    for (uint32_t i = 0; i < h->n; i++) {
        assert(!i || history_call_time(h, i - 1) <= history_call_time(h, i));
        assert(history_pending(h, i) || history_call_time(h, i) <= history_ret_time(h, i));
    }
}

static void check_annotations(const history *h) {
    for (uint32_t a = 0; a < h->annotations; a++) {
        assert(h->annotation[a].before <= h->events);
        assert(!a || h->annotation[a - 1].before <= h->annotation[a].before);
    }
}

void history_check(const history *h) {
    check_ranks(h);
    check_clients(h, false);
    check_columns(h);
    check_times(h);
    check_annotations(h);
}

void history_check_dense(const history *h) {
    assert(h->events == 2 * h->n - h->pending);
    check_clients(h, true);
    uint8_t *seen = mem_zero(h->events, 1);
    for (uint32_t i = 0; i < h->n; i++) {
        assert(!seen[h->call[i]]);
        seen[h->call[i]] = 1;
        if (history_pending(h, i)) continue;
        assert(!seen[h->ret[i]]);
        seen[h->ret[i]] = 1;
    }
    free(seen);
}
#endif
