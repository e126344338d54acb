#include "report/html_columns.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "history/value_map.h"
#include "report/escape.h"
#include "report/html_pack.h"
#include "report/role.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_EVENTS = 200000, /* histories of more events than these keep times only as fine as a picture can show them */
    FINENESS = 4,          /* units of time an event, on average, there */
    TABLE_COLUMNS = 48,    /* longer values are shortened in their middle */
    SPECIALS = VALUE_INTERNED - VALUE_SPECIAL,
    FARTHER = 64, /* a distance is worth it when it is so many times shorter */
};

typedef struct column_packing {
    const column_sources *from;
    const history *h;
    text bytes; /* all columns, one behind the other */
    text *directory;
    size_t begun;    /* where the current column begins */
    uint32_t *dense; /* by rank: the rank among the events of these operations; NULL: ranks are that */
    uint32_t events;
    uint32_t *place; /* by interned value: its line in the table + 1; 0: not met */
    uint32_t lines;
    text table;
} column_packing;

static void column_end(column_packing *p, const char *name) {
    assert(p->directory->size && p->bytes.size >= p->begun);
    text_printf(p->directory, "%s[\"%s\",%zu]", p->directory->at[p->directory->size - 1] == '[' ? "" : ",", name,
                p->bytes.size - p->begun);
    p->begun = p->bytes.size;
}

/* ---- order and time ---- */

/* Parts of histories have gaps in their ranks. */
static void make_dense(column_packing *p) {
    const history *h = p->h;
    assert(h->pending <= h->n);
    p->events = 2 * h->n - h->pending;
    assert(p->events <= h->events);
    if (p->events == h->events) return;
    uint32_t *rank = MEM_ARRAY(uint32_t, h->events + 1), next = 0;
    memset(rank, 0, (h->events + 1) * sizeof *rank);
    for (uint32_t i = 0; i < h->n; i++) {
        rank[h->call[i]] = 1;
        if (h->ret[i] != RANK_NEVER) rank[h->ret[i]] = 1;
    }
    for (uint32_t r = 0; r <= h->events; r++) {
        uint32_t used = rank[r];
        rank[r] = next;
        next += used;
    }
    assert(next == p->events); /* each call and each return has a rank of its own */
    p->dense = rank;
}

static uint32_t dense_rank(const column_packing *p, uint32_t rank) {
    return !p->dense ? rank : rank >= p->h->events ? p->events : p->dense[rank];
}

static void pack_spans(column_packing *p) {
    for (uint32_t i = 0; i < p->h->n; i++) {
        assert(history_pending(p->h, i) || p->h->call[i] < p->h->ret[i]);
        pack_number(&p->bytes,
                    history_pending(p->h, i) ? 0 : dense_rank(p, p->h->ret[i]) - dense_rank(p, p->h->call[i]));
    }
    column_end(p, "span");
}

static int64_t *event_times(const column_packing *p) {
    int64_t *time = MEM_ARRAY(int64_t, p->events);
    for (uint32_t i = 0; i < p->h->n; i++) {
        time[dense_rank(p, p->h->call[i])] = history_call_time(p->h, i);
        if (!history_pending(p->h, i)) time[dense_rank(p, p->h->ret[i])] = history_ret_time(p->h, i);
    }
    return time;
}

/* Stamps that only count the events say nothing that ranks do not. */
static bool times_are_ranks(const int64_t *time, uint32_t n) {
    for (uint32_t k = 1; k < n; k++)
        if (time[k] != time[k - 1] + 1) return false;
    return true;
}

static void pack_times(column_packing *p, text *described) {
    int64_t *time = event_times(p), unit = 1;
    if (p->events == 0 || times_are_ranks(time, p->events)) {
        text_printf(described, "{\"base\":\"%" PRId64 "\",\"unit\":0}", p->events ? time[0] : 0);
        free(time);
        return;
    }
    uint64_t span = (uint64_t)time[p->events - 1] - (uint64_t)time[0];
    if (p->events > EXACT_EVENTS) unit = (int64_t)(span / ((uint64_t)p->events * FINENESS));
    if (unit < 1) unit = 1;
    uint64_t last = 0;
    for (uint32_t k = 0; k < p->events; k++) {
        uint64_t now = ((uint64_t)time[k] - (uint64_t)time[0]) / (uint64_t)unit;
        assert(now >= last); /* ranks follow the stamps */
        pack_number(&p->bytes, now - last);
        last = now;
    }
    column_end(p, "time");
    text_printf(described, "{\"base\":\"%" PRId64 "\",\"unit\":%" PRId64, time[0], unit);
    if (p->h->tick) text_printf(described, ",\"tick\":%" PRId64, p->h->tick);
    text_char(described, '}');
    free(time);
}

/* ---- where values are arguments ---- */

/* The last of the first arguments, special ones not counted, that is this value. */
static void argument_places(value_map *places, const history *h) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        value v = h->arg[0][i];
        if (v < VALUE_SPECIAL || v >= VALUE_INTERNED) value_map_set(places, v, ++count);
    }
}

static bool argument_find(const value_map *places, value v, uint32_t *place) {
    *place = value_map_find(places, v);
    return *place != VALUE_MAP_ABSENT;
}

/* ---- values ---- */

/* Histories of appends differ at the end of their values, others at the beginning. */
static void add_line(column_packing *p, value v) {
    text all = {0};
    value_print(p->h->values, v, &all);
    if (utf8_columns(all.at, all.size) > TABLE_COLUMNS) {
        size_t head = 0, tail = all.size;
        for (int k = 0; k < TABLE_COLUMNS / 2 - 1; k++) head += utf8_sequence(all.at + head, all.size - head);
        for (int k = 0; k < TABLE_COLUMNS / 2 - 1; k++) do
                tail--;
            while ((all.at[tail] & 0xc0) == 0x80);
        text_bytes(&p->table, all.at, head);
        text_add(&p->table, "..");
        text_bytes(&p->table, all.at + tail, all.size - tail);
    } else {
        text_bytes(&p->table, all.at, all.size);
    }
    text_char(&p->table, '\n');
    text_free(&all);
}

static void meet(column_packing *p, value v) {
    if (v < VALUE_INTERNED || p->place[v - VALUE_INTERNED]) return;
    assert(v - VALUE_INTERNED < values_count(p->h->values));
    p->place[v - VALUE_INTERNED] = ++p->lines;
    add_line(p, v);
}

/* In the order of the operations, so that neighbours have neighbouring lines. */
static void make_table(column_packing *p) {
    const history *h = p->h;
    uint32_t interned = values_count(h->values);
    p->place = mem_zero(interned + 1, sizeof *p->place);
    for (uint32_t i = 0; i < h->n; i++) {
        if (h->key) meet(p, h->key[i]);
        for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
            if (h->arg[a]) meet(p, h->arg[a][i]);
        meet(p, h->res[i]);
    }
}

static bool special(value v) { return v >= VALUE_SPECIAL && v < VALUE_INTERNED; }

static uint32_t code_of(const column_packing *p, value v) {
    assert(!special(v));
    assert(v < VALUE_SPECIAL || p->place[v - VALUE_INTERNED]); /* make_table has met it */
    return v < VALUE_SPECIAL ? v : VALUE_INTERNED + p->place[v - VALUE_INTERNED] - 1;
}

/* 0 to 15: a special value. Then, `ways` to say it taking turns: the difference from the last one, the distance to an
 * argument. */
static void pack_values(column_packing *p, const value *column, const char *name, const value_map *arguments) {
    if (!column) return;
    uint32_t before[256] = {0}, passed = 0, ways = arguments ? 2 : 1;
    for (uint32_t i = 0; i < p->h->n; i++) {
        value v = column[i];
        if (arguments && !special(p->h->arg[0][i])) passed++;
        if (special(v)) {
            pack_number(&p->bytes, v - VALUE_SPECIAL);
            continue;
        }
        uint32_t code = code_of(p, v), *last = &before[p->h->method[i]], place;
        uint64_t token = pack_signed((int64_t)code - (int64_t)*last) * ways;
        if (arguments && argument_find(arguments, v, &place)) {
            uint64_t distance = pack_signed((int64_t)place - (int64_t)passed) * ways + 1;
            if (distance < token / FARTHER) token = distance;
        }
        pack_number(&p->bytes, token + SPECIALS);
        *last = code;
    }
    column_end(p, name);
}

static void pack_results(column_packing *p) {
    value_map arguments = {0};
    if (p->h->arg[0]) argument_places(&arguments, p->h);
    pack_values(p, p->h->res, "res", p->h->arg[0] ? &arguments : NULL);
    free(arguments.slot);
}

/* Methods nearly always have the same number of arguments. */
static void pack_counts(column_packing *p) {
    uint8_t before[256] = {0};
    for (uint32_t i = 0; i < p->h->n; i++) {
        uint8_t *last = &before[p->h->method[i]];
        text_char(&p->bytes, (char)(uint8_t)(p->h->nargs[i] - *last));
        *last = p->h->nargs[i];
    }
    column_end(p, "nargs");
}

/* ---- the rest ---- */

static void pack_numbers(column_packing *p, const uint32_t *column, uint32_t n, const char *name) {
    if (!column) return;
    for (uint32_t i = 0; i < n; i++) pack_number(&p->bytes, column[i]);
    column_end(p, name);
}

static void pack_differences(column_packing *p, const uint32_t *column, uint32_t n, const char *name) {
    if (!column) return;
    for (uint32_t i = 0; i < n; i++)
        pack_number(&p->bytes, pack_signed((int64_t)column[i] - (i ? (int64_t)column[i - 1] : 0)));
    column_end(p, name);
}

static void pack_order(column_packing *p) {
    if (!p->from->order) return;
    assert(p->from->ordered <= p->h->n);
    for (uint32_t k = 0; k < p->from->ordered; k++)
        pack_number(&p->bytes, pack_signed((int64_t)p->from->order[k] - (int64_t)k));
    column_end(p, "order");
}

static void pack_clients(column_packing *p) {
    const history *h = p->h;
    if (!h->client) return;
    pack_numbers(p, h->client, h->n, "client");
    for (uint32_t c = 0; c < h->clients; c++) {
        value_print(h->values, h->client_name[c], &p->bytes);
        text_char(&p->bytes, '\n');
    }
    column_end(p, "clients");
}

static void describe_methods(const object *o, text *out) {
    text_add(out, "\"methods\":[");
    for (unsigned m = 0; m < o->type->method_count; m++) {
        text_printf(out, "%s{\"name\":", m ? "," : "");
        escape_json(out, o->type->methods[m].name);
        text_printf(out, ",\"role\":\"%s\",\"tells\":%s}", role_name(&o->type->methods[m]),
                    o->type->methods[m].result == RESULT_VALUE ? "true" : "false");
    }
    text_char(out, ']');
}

/* The first event that is not before this time. */
static uint32_t rank_of_time(const int64_t *time, uint32_t n, int64_t when) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (time[middle] < when) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void describe_times(const history *h, const annotation *a, text *said) {
    if (!a->timed) return;
    text_add(said, " (");
    history_print_time(h, a->time, said);
    if (a->lasts) text_add(said, "..");
    if (a->lasts) history_print_time(h, a->until, said);
    text_char(said, ')');
}

/* [rank, text], and of one that lasted the rank of its end: a fault is a stretch of time. Where events have times, its
 * own say where it stands. */
static void describe_annotations(const column_packing *p, text *out) {
    text said = {0};
    int64_t *time = p->h->annotations && history_has_times(p->h) && p->h->clock != CLOCK_EVENTS ? event_times(p) : NULL;
    text_add(out, ",\"annotations\":[");
    for (uint32_t k = 0; k < p->h->annotations; k++) {
        const annotation *a = &p->h->annotation[k];
        size_t n;
        text_clear(&said);
        /* up to a NUL, without quotes */
        if (value_kind_of(p->h->values, a->text) == KIND_BYTES)
            text_add(&said, value_as_bytes(p->h->values, a->text, &n));
        else value_print(p->h->values, a->text, &said);
        describe_times(p->h, a, &said);
        bool placed = time && a->timed;
        text_printf(out, "%s[%u,", k ? "," : "",
                    placed ? rank_of_time(time, p->events, a->time) : dense_rank(p, a->before));
        escape_json(out, text_str(&said));
        if (placed && a->lasts) text_printf(out, ",%u", rank_of_time(time, p->events, a->until));
        text_char(out, ']');
    }
    text_char(out, ']');
    free(time);
    text_free(&said);
}

static void pack_columns(column_packing *p) {
    const history *h = p->h;
    static const char *const argument[HISTORY_MAX_ARGS] = {"arg0", "arg1", "arg2"};
    pack_spans(p);
    text_bytes(&p->bytes, h->method, h->n);
    column_end(p, "method");
    pack_counts(p);
    pack_clients(p);
    make_table(p);
    pack_values(p, h->key, "key", NULL);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) pack_values(p, h->arg[a], argument[a], NULL);
    pack_results(p);
    pack_order(p);
    pack_differences(p, p->from->core, p->from->core_n, "core");
    pack_differences(p, h->line, h->n, "line");
    pack_differences(p, h->number, h->n, "number");
    text_bytes(&p->bytes, text_str(&p->table), p->table.size);
    column_end(p, "table");
}

void html_columns(const column_sources *from, text *directory, text *base64) {
    assert(from->h && from->o && from->core_n <= from->h->n);
    column_packing p = {.from = from, .h = from->h, .directory = directory};
    text time = {0};
    make_dense(&p);
    text_printf(directory, "{\"operations\":%u,\"events\":%u,\"keyed\":%s,", from->h->n, p.events,
                from->o->type->keyed ? "true" : "false");
    if (from->o->type->parts_by_arg) text_add(directory, "\"keyedBy\":\"arg0\",");
    describe_methods(from->o, directory);
    describe_annotations(&p, directory);
    if (from->cut != RANK_NEVER) text_printf(directory, ",\"cut\":%u", dense_rank(&p, from->cut));
    text_add(directory, ",\"columns\":[");
    pack_columns(&p);
    if (history_has_times(from->h)) pack_times(&p, &time);
    text_printf(directory, "],\"time\":%s}", time.size ? time.at : "null");
    pack_base64(&p.bytes, base64);
    text_free(&time);
    text_free(&p.bytes);
    text_free(&p.table);
    free(p.place);
    free(p.dense);
}
