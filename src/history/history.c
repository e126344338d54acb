#include "history/history.h"

#include "base/mem.h"
#include "history/history_check.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stamps_free(stamps *s) {
    free(s->narrow);
    free(s->wide);
}

void history_free(history *h) {
    if (!h) return;
    FREE_ALL(h->call, h->ret, h->client, h->method, h->nargs);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) free(h->arg[a]);
    FREE_ALL(h->key, h->res, h->line, h->number, h->client_name);
    for (unsigned m = 0; m < h->methods; m++) free(h->method_name[m]);
    free(h->method_name);
    free(h->method_line);
    stamps_free(&h->call_time);
    stamps_free(&h->ret_time);
    FREE_ALL(h->tied, h->annotation, h->object_hint, h->init_hint, h->lacks);
    if (!h->values_shared) values_free(h->values);
    free(h);
}

value history_client_name(const history *h, uint32_t i) {
    assert(i < h->n && (!h->client || h->client[i] < h->clients));
    if (h->client) return h->client_name[h->client[i]];
    return value_int(h->values, history_number(h, i));
}

uint32_t history_number(const history *h, uint32_t i) { return h->number ? h->number[i] : i; }

bool history_has_times(const history *h) { return h->call_time.narrow || h->call_time.wide; }

static int64_t stamp(const stamps *s, uint32_t i) { return s->narrow ? s->base + s->narrow[i] : s->wide[i]; }

int64_t history_call_time(const history *h, uint32_t i) {
    return history_has_times(h) ? stamp(&h->call_time, i) : h->call[i];
}

int64_t history_ret_time(const history *h, uint32_t i) {
    return history_has_times(h) ? stamp(&h->ret_time, i) : h->ret[i];
}

/* ---- selection ------------------------------------------------------------------------------------------------ */

static void *gather(const void *column, size_t width, const uint32_t *op, uint32_t n) {
    if (!column) return NULL;
    char *to = mem_resize(NULL, n, width);
    for (uint32_t i = 0; i < n; i++) memcpy(to + i * width, (const char *)column + op[i] * width, width);
    return to;
}

static stamps gather_stamps(const stamps *s, const uint32_t *op, uint32_t n) {
    return (stamps){.base = s->base,
                    .narrow = gather(s->narrow, sizeof *s->narrow, op, n),
                    .wide = gather(s->wide, sizeof *s->wide, op, n)};
}

const char *history_init(const history *h, const char *object, const char *given) {
    if (given || (object && (!h->object_hint || strcmp(object, h->object_hint) != 0))) return given;
    return h->init_hint;
}

bool history_has_stamps(const history *h) { return history_has_times(h) && h->clock == CLOCK_STAMPS; }

int64_t history_call_stamp(const history *h, uint32_t i) {
    return history_has_stamps(h) ? history_call_time(h, i) : h->call[i];
}

int64_t history_ret_stamp(const history *h, uint32_t i) {
    return history_has_stamps(h) ? history_ret_time(h, i) : h->ret[i];
}

bool history_times_are_events(const history *h) { return !history_has_times(h) || h->clock == CLOCK_EVENTS; }

void history_print_time(const history *h, int64_t time, text *out) {
    double seconds = (double)time * (double)h->tick * 1e-9;
    if (!h->tick || h->clock == CLOCK_EVENTS) text_int(out, time);
    else if (seconds < 1) text_printf(out, "%.3f ms", seconds * 1e3);
    else text_printf(out, "%.6f s", seconds);
}

void history_say_nothing_judged(const history *h, char *out, size_t room) {
    assert(!h->n && room);
    if (h->failed) snprintf(out, room, "nothing was judged (all operations of the history failed: %u)", h->failed);
    else snprintf(out, room, "nothing was judged (the history has no operations)");
}

static void share_names(history *s, const history *h) {
    s->values = h->values;
    s->values_shared = true;
    s->clients = h->clients;
    if (h->client_name) s->client_name = mem_copy(h->client_name, h->clients * sizeof *h->client_name);
    s->methods = h->methods;
    s->method_name = MEM_ARRAY(char *, h->methods);
    for (unsigned m = 0; m < h->methods; m++) s->method_name[m] = mem_string(h->method_name[m]);
    s->method_line = mem_copy(h->method_line, h->methods * sizeof *h->method_line);
    s->tick = h->tick;
    if (h->object_hint) s->object_hint = mem_string(h->object_hint);
    if (h->init_hint) s->init_hint = mem_string(h->init_hint);
    if (h->lacks) s->lacks = mem_string(h->lacks);
    s->sample = h->sample;
}

history *history_select(const history *h, const uint32_t *op, uint32_t n, uint32_t cut) {
    uint32_t *kept = MEM_ARRAY(uint32_t, n), count = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert(op[i] < h->n && (!i || op[i - 1] < op[i])); /* ascending: the order of calls stays */
        if (h->call[op[i]] <= cut) kept[count++] = op[i];
    }
    history *s = MEM_NEW(history);
    share_names(s, h);
    s->n = count;
    s->events = h->events;
    s->call = gather(h->call, sizeof *h->call, kept, count);
    s->ret = gather(h->ret, sizeof *h->ret, kept, count);
    s->client = gather(h->client, sizeof *h->client, kept, count);
    s->method = gather(h->method, sizeof *h->method, kept, count);
    s->nargs = gather(h->nargs, sizeof *h->nargs, kept, count);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) s->arg[a] = gather(h->arg[a], sizeof(value), kept, count);
    s->key = gather(h->key, sizeof(value), kept, count);
    s->res = gather(h->res, sizeof(value), kept, count);
    s->line = gather(h->line, sizeof *h->line, kept, count);
    s->number = MEM_ARRAY(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) s->number[i] = history_number(h, kept[i]);
    s->clock = h->clock;
    s->call_time = gather_stamps(&h->call_time, kept, count);
    s->ret_time = gather_stamps(&h->ret_time, kept, count);
    for (uint32_t i = 0; i < count; i++) {
        if (s->ret[i] != RANK_NEVER && s->ret[i] > cut) {
            s->ret[i] = RANK_NEVER;
            s->res[i] = VALUE_UNKNOWN;
        }
        s->pending += s->ret[i] == RANK_NEVER;
    }
    free(kept);
    assert(s->pending >= (n == h->n && cut == RANK_NEVER ? h->pending : 0)); /* a cut takes returns, it adds none */
    history_check(s);
    return s;
}
