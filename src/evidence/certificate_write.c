#include "evidence/certificate.h"

#include "base/utf8.h"
#include "evidence/history_digest.h"
#include "history/rank.h"

enum { NUMBERS_PER_LINE = 4096 };

uint64_t certificate_checksum(uint64_t sum, const void *p, size_t n) { /* FNV-1a, 64 bits */
    const unsigned char *byte = p;
    for (size_t i = 0; i < n; i++) sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
    return sum;
}

typedef struct certificate_writer {
    const history *h;
    const object *o;
    output *out;
    uint32_t *place; /* of each operation among those that are written: its number in the certificate */
    text line;
    uint64_t sum;
    bool good;
} certificate_writer;

static void end_line(certificate_writer *w) {
    text_char(&w->line, '\n');
    w->sum = certificate_checksum(w->sum, w->line.at, w->line.size);
    text_bytes(output_text(w->out), w->line.at, w->line.size);
    text_clear(&w->line);
    w->good = w->good && output_flush(w->out);
}

static void write_bytes(text *out, const char *p, size_t n) {
    if (utf8_valid(p, n)) {
        text_json(out, p, n);
        return;
    }
    text_add(out, "{\"hex\":\"");
    for (size_t i = 0; i < n; i++) text_printf(out, "%02x", (unsigned char)p[i]);
    text_add(out, "\"}");
}

static void write_value(const values *t, value v, text *out);

static void write_items(const values *t, value v, text *out) {
    size_t n;
    const value *item = value_list(t, v, &n);
    text_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) text_char(out, ',');
        write_value(t, item[i], out);
    }
    text_char(out, ']');
}

static void write_value(const values *t, value v, text *out) {
    size_t n;
    switch (value_kind_of(t, v)) {
    case KIND_NONE: text_add(out, "null"); break;
    case KIND_EMPTY: text_add(out, "{\"is\":\"empty\"}"); break;
    case KIND_FULL: text_add(out, "{\"is\":\"full\"}"); break;
    case KIND_UNKNOWN: text_add(out, "{\"is\":\"unknown\"}"); break;
    case KIND_BOOL: text_add(out, v == VALUE_TRUE ? "true" : "false"); break;
    case KIND_INT: text_int(out, value_as_int(t, v)); break;
    case KIND_BYTES: {
        const char *p = value_as_bytes(t, v, &n);
        write_bytes(out, p, n);
        break;
    }
    case KIND_NUMBER: text_add(out, value_as_number(t, v, NULL)); break;
    case KIND_TUPLE: write_items(t, v, out); break;
    case KIND_SET:
    case KIND_MAP:
        text_add(out, value_kind_of(t, v) == KIND_SET ? "{\"set\":" : "{\"map\":");
        write_items(t, v, out);
        text_char(out, '}');
        break;
    }
}

static void write_header(certificate_writer *w, verdict v) {
    text_add(&w->line, "{\"plumb\":\"" CERTIFICATE_KIND "\",\"object\":");
    text_json(&w->line, w->o->name, strlen(w->o->name));
    text_add(&w->line, ",\"init\":");
    if (w->o->init_text) text_json(&w->line, w->o->init_text, strlen(w->o->init_text));
    else text_add(&w->line, "null");
    if (w->o->criterion.kind != CRITERION_LINEARIZABLE) {
        text_add(&w->line, ",\"criterion\":\"");
        criterion_print(&w->o->criterion, &w->line);
        text_char(&w->line, '"');
    }
    text_printf(&w->line, ",\"verdict\":\"%s\",\"operations\":%u", verdict_text(v), w->h->n);
    text_printf(&w->line, ",\"history\":\"%016llx\"}", (unsigned long long)history_digest(w->h, w->o));
    end_line(w);
}

static void write_arguments(certificate_writer *w, uint32_t i) {
    bool first = true;
    text_add(&w->line, ",\"args\":[");
    if (w->o->type->keyed) {
        write_value(w->h->values, w->h->key[i], &w->line);
        first = false;
    }
    for (unsigned a = 0; a < w->h->nargs[i]; a++) {
        if (!first) text_char(&w->line, ',');
        first = false;
        write_value(w->h->values, w->h->arg[a][i], &w->line);
    }
    text_char(&w->line, ']');
}

static void write_operation(certificate_writer *w, uint32_t i) {
    const history *h = w->h;
    text *t = &w->line;
    text_char(t, '{');
    if (h->client) {
        text_add(t, "\"client\":");
        write_value(h->values, history_client_name(h, i), t);
        text_char(t, ',');
    }
    text_add(t, "\"op\":");
    text_json(t, h->method_name[h->method[i]], strlen(h->method_name[h->method[i]]));
    if (!w->o->type->keyed && h->key) {
        text_add(t, ",\"key\":");
        write_value(h->values, h->key[i], t);
    }
    write_arguments(w, i);
    text_add(t, ",\"call\":");
    text_int(t, history_call_stamp(h, i));
    if (!history_pending(h, i)) {
        text_add(t, ",\"ret\":");
        text_int(t, history_ret_stamp(h, i));
        text_add(t, ",\"res\":");
        write_value(h->values, h->res[i], t);
    }
    text_char(t, '}');
    end_line(w);
}

/* The operations by number. That may be one of a longer input, which this is a part of. */
static uint32_t *by_number(const history *h) {
    int64_t *number = MEM_ARRAY(int64_t, h->n + 1);
    for (uint32_t i = 0; i < h->n; i++) number[i] = history_number(h, i);
    uint32_t *order = rank_sort(number, h->n);
    free(number);
    return order; /* NULL: they stand so */
}

/* By number, with the stamps the file had: a reader then finds the same order of events, whatever stamps were equal. */
static void write_operations(certificate_writer *w) {
    uint32_t *order = by_number(w->h);
    w->place = MEM_ARRAY(uint32_t, w->h->n + 1);
    for (uint32_t k = 0; k < w->h->n && w->good; k++) {
        uint32_t i = order ? order[k] : k;
        w->place[i] = k;
        write_operation(w, i);
    }
    free(order);
}

/* The rest of a line `{..."name":[`, and more lines beginning the same way where there are many. */
static void write_numbers(certificate_writer *w, const char *begin, const uint32_t *op, uint32_t n) {
    uint32_t at = 0;
    do {
        text_add(&w->line, begin);
        uint32_t end = n - at > NUMBERS_PER_LINE ? at + NUMBERS_PER_LINE : n;
        for (uint32_t k = at; k < end; k++) {
            if (k > at) text_char(&w->line, ',');
            text_int(&w->line, w->place[op[k]]);
        }
        text_add(&w->line, "]}");
        end_line(w);
        at = end;
    } while (at < n && w->good);
}

/* A number for each operation of the witness, in its order; -1: never. */
static void write_steps(certificate_writer *w, const char *begin, const uint32_t *step, uint32_t n) {
    for (uint32_t at = 0; at < n && w->good; at += NUMBERS_PER_LINE) {
        text_add(&w->line, begin);
        for (uint32_t k = at; k < n && k < at + NUMBERS_PER_LINE; k++)
            text_printf(&w->line, "%s%lld", k > at ? "," : "", step[k] == STEP_NEVER ? -1LL : (long long)step[k]);
        text_add(&w->line, "]}");
        end_line(w);
    }
}

static void write_witness(certificate_writer *w, const witness *order) {
    write_numbers(w, "{\"witness\":[", order->op, order->n);
    if (order->begins) {
        write_steps(w, "{\"begins\":[", order->begins, order->n);
        write_steps(w, "{\"ends\":[", order->ends, order->n);
    }
    for (uint32_t k = 0; k < order->n && order->res; k++) {
        if (!history_pending(w->h, order->op[k])) continue;
        text_printf(&w->line, "{\"assumed\":[[%u,", w->place[order->op[k]]);
        write_value(w->h->values, order->res[k], &w->line);
        text_add(&w->line, "]]}");
        end_line(w);
    }
}

static void write_core(certificate_writer *w, const core *c) {
    for (uint32_t m = 0; m < c->moves; m++) {
        text begin = {0};
        text_printf(&begin, "{\"move\":%u", m);
        if (c->move[m].settled) {
            text_add(&begin, ",\"settled\":");
            write_value(w->h->values, c->move[m].init, &begin);
        }
        if (c->move[m].cut == RANK_NEVER) text_add(&begin, ",\"cut\":null,\"keep\":[");
        else text_printf(&begin, ",\"cut\":%u,\"keep\":[", c->move[m].cut);
        write_numbers(w, text_str(&begin), c->move[m].keep, c->move[m].n);
        text_free(&begin);
    }
}

static void write_end(certificate_writer *w) {
    text_printf(&w->line, "{\"end\":\"%016llx\"}", (unsigned long long)w->sum);
    end_line(w);
}

bool certificate_write_to(output *out, const history *h, const object *o, const judgement *j, error *e) {
    if (j->verdict == VERDICT_UNDECIDED) return error_set(e, EXIT_UNDECIDED, "undecided: there is nothing to certify");
    if (j->verdict == VERDICT_LINEARIZABLE && !j->witness_checked)
        return error_set(e, EXIT_UNDECIDED, "engine %s gives no witness: there is nothing to certify",
                         j->decision.engine->name);
    certificate_writer w = {.h = h, .o = o, .out = out, .sum = CHECKSUM_START, .good = true};
    write_header(&w, j->verdict);
    write_operations(&w);
    if (j->verdict == VERDICT_LINEARIZABLE) write_witness(&w, &j->decision.witness);
    else write_core(&w, &j->core);
    write_end(&w);
    text_free(&w.line);
    free(w.place);
    return w.good;
}

bool certificate_write(const char *path, const history *h, const object *o, const judgement *j, error *e) {
    output *out = output_open(path, e);
    return out && output_end(out, certificate_write_to(out, h, o, j, e));
}
