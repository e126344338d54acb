/* The core as intervals, one line an operation, by call:
 *
 *     #0  1  enq(1)      0..1  |--|
 *     #1  2  enq(2)      2..3        |--|
 *
 * The time axis is folded: only the events of what is shown have columns, all at equal distances. */
#include "evidence/explain.h"

#include "base/utf8.h"
#include "evidence/label.h"

#include <stdio.h>

enum { ENDS_SHOWN = 10, LABEL_COLUMNS = 34, CLIENT_COLUMNS = 12, TIME_COLUMNS = 26, MAX_SPACING = 3 };

typedef struct diagram_row {
    char number[16];
    text client, label, time;
    uint32_t call, ret; /* places among the events shown; RANK_NEVER: open */
} diagram_row;

typedef struct diagram_table {
    diagram_row row[2 * ENDS_SHOWN];
    uint32_t n;
    uint32_t hidden; /* operations between the first and the last ones */
    uint32_t events;
    size_t number, client, label, time; /* widths */
} diagram_table;

static size_t wider(size_t width, const text *t) {
    size_t columns = utf8_columns(text_str(t), t->size);
    return columns > width ? columns : width;
}

static void fill_row(diagram_row *r, const history *only, const object *o, uint32_t i) {
    snprintf(r->number, sizeof r->number, "#%u", history_number(only, i));
    if (only->client) label_value(o, history_client_name(only, i), &r->client);
    label_operation(o, only, i, LABEL_COLUMNS, &r->label);
    history_print_time(only, history_call_time(only, i), &r->time);
    text_add(&r->time, "..");
    if (!history_pending(only, i)) history_print_time(only, history_ret_time(only, i), &r->time);
    r->call = only->call[i];
    r->ret = only->ret[i];
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t place_of(const uint32_t *event, uint32_t rank) {
    uint32_t place = 0;
    while (event[place] != rank) place++;
    return place;
}

static void fold_time(diagram_table *t) {
    uint32_t event[4 * ENDS_SHOWN], n = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        event[n++] = t->row[k].call;
        if (t->row[k].ret != RANK_NEVER) event[n++] = t->row[k].ret;
    }
    qsort(event, n, sizeof *event, ascending);
    for (uint32_t k = 0; k < t->n; k++) {
        t->row[k].call = place_of(event, t->row[k].call);
        if (t->row[k].ret != RANK_NEVER) t->row[k].ret = place_of(event, t->row[k].ret);
    }
    t->events = n;
}

static void fill_table(diagram_table *t, const history *only, const object *o) {
    for (uint32_t i = 0; i < only->n; i++)
        if (i < ENDS_SHOWN || i + ENDS_SHOWN >= only->n) fill_row(&t->row[t->n++], only, o, i);
    t->hidden = only->n - t->n;
    for (uint32_t k = 0; k < t->n; k++) {
        size_t digits = strlen(t->row[k].number);
        if (digits > t->number) t->number = digits;
        t->client = wider(t->client, &t->row[k].client);
        t->label = wider(t->label, &t->row[k].label);
        t->time = wider(t->time, &t->row[k].time);
    }
    if (t->client > CLIENT_COLUMNS) t->client = 0;
    if (t->time > TIME_COLUMNS) t->time = 0;
    fold_time(t);
}

static void draw_bar(const diagram_row *r, uint32_t events, size_t spacing, text *out) {
    size_t from = r->call * spacing, to = r->ret == RANK_NEVER ? events * spacing : r->ret * spacing;
    for (size_t c = 0; c < from; c++) text_char(out, ' ');
    text_char(out, '|');
    for (size_t c = from + 1; c < to; c++) text_char(out, '-');
    text_add(out, r->ret == RANK_NEVER ? "..." : "|");
}

static void draw_row(const diagram_table *t, const diagram_row *r, size_t spacing, text *out) {
    size_t column = 2;
    text_add(out, "  ");
    text_add(out, r->number);
    text_pad(out, column += t->number + 2);
    if (t->client) {
        text_add(out, text_str(&r->client));
        text_pad(out, column += t->client + 2);
    }
    text_add(out, text_str(&r->label));
    text_pad(out, column += t->label + 2);
    if (t->time) {
        text_add(out, text_str(&r->time));
        text_pad(out, column += t->time + 2);
    }
    draw_bar(r, t->events, spacing, out);
    text_char(out, '\n');
}

static size_t choose_spacing(const diagram_table *t, unsigned columns) {
    size_t used = 2 + t->number + 2 + (t->client ? t->client + 2 : 0) + t->label + 2 + (t->time ? t->time + 2 : 0) + 3;
    size_t room = columns > used ? columns - used : 0;
    size_t spacing = t->events ? room / t->events : 0;
    return spacing < 1 ? 1 : spacing > MAX_SPACING ? MAX_SPACING : spacing;
}

void explain_diagram(const history *h, const object *o, const core *c, unsigned columns, text *out) {
    history *only = history_select(h, c->op, c->n, c->cut);
    diagram_table t = {0};
    fill_table(&t, only, o);
    size_t spacing = choose_spacing(&t, columns);
    if (spacing * t.events + t.time + t.label + t.client + t.number + 13 > columns) t.time = 0;
    for (uint32_t k = 0; k < t.n; k++) {
        if (t.hidden && k == ENDS_SHOWN)
            text_printf(out, "  ... %u operations between these are not shown ...\n", t.hidden);
        draw_row(&t, &t.row[k], spacing, out);
    }
    for (uint32_t k = 0; k < t.n; k++) {
        text_free(&t.row[k].client);
        text_free(&t.row[k].label);
        text_free(&t.row[k].time);
    }
    history_free(only);
}
