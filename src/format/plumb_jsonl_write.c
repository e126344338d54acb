#include "format/plumb_jsonl.h"

#include "format/expressible.h"
#include "format/output.h"

#include <inttypes.h>
#include <string.h>

/* A set as an array, a map as an object: its keys are strings, which others become. */
static void json_unordered(const values *t, value v, bool map, text *out) {
    size_t n;
    const value *item = value_list(t, v, &n);
    text_char(out, map ? '{' : '[');
    for (size_t i = 0; i < n; i++) {
        if (i) text_char(out, map && i % 2 ? ':' : ',');
        text key = {0};
        if (map && i % 2 == 0 && value_kind_of(t, item[i]) != KIND_BYTES) {
            value_print(t, item[i], &key);
            text_json(out, key.at, key.size);
        } else {
            json_value(t, item[i], out);
        }
        text_free(&key);
    }
    text_char(out, map ? '}' : ']');
}

void json_value(const values *t, value v, text *out) {
    switch (value_kind_of(t, v)) {
    case KIND_NONE:
    case KIND_UNKNOWN: text_add(out, "null"); break;
    case KIND_EMPTY: text_add(out, "\"empty\""); break;
    case KIND_FULL: text_add(out, "\"full\""); break;
    case KIND_BOOL:
    case KIND_INT:
    case KIND_BYTES:
    case KIND_NUMBER: value_print(t, v, out); break; /* which is JSON for these */
    case KIND_TUPLE: value_print_tuple(t, v, ",", json_value, out); break;
    case KIND_SET:
    case KIND_MAP: json_unordered(t, v, value_kind_of(t, v) == KIND_MAP, out); break;
    }
}

void json_client(const history *h, uint32_t i, text *out) {
    text_add(out, "\"client\":");
    if (h->client) json_value(h->values, history_client_name(h, i), out);
    else text_int(out, i);
    text_char(out, ',');
}

void json_call(const history *h, uint32_t i, text *out) {
    text_add(out, "\"op\":");
    const char *name = h->method_name[h->method[i]];
    text_json(out, name, strlen(name));
    if (h->key && h->key[i] != VALUE_NONE) {
        text_add(out, ",\"key\":");
        json_value(h->values, h->key[i], out);
    }
    text_add(out, ",\"args\":[");
    for (unsigned a = 0; a < h->nargs[i]; a++) {
        if (a) text_char(out, ',');
        json_value(h->values, h->arg[a][i], out);
    }
    text_char(out, ']');
}

static void write_operation(const history *h, uint32_t i, text *out) {
    text_char(out, '{');
    if (h->client) json_client(h, i, out);
    json_call(h, i, out);
    text_add(out, ",\"call\":");
    text_int(out, history_call_stamp(h, i));
    text_add(out, ",\"ret\":");
    if (history_pending(h, i)) text_add(out, "null");
    else text_int(out, history_ret_stamp(h, i));
    text_add(out, ",\"res\":");
    json_value(h->values, h->res[i], out);
    text_add(out, "}\n");
}

static void heading_text(const char *field, const char *what, text *out) {
    if (!what) return;
    text_printf(out, ",\"%s\":", field);
    text_json(out, what, strlen(what));
}

void json_heading_write(const json_heading *x, text *out) {
    static const char *const names[] = {"ns", "us", "ms", "s"};
    int64_t tick = 1;
    if (!x->object && !x->init && !x->lacks && !x->tick && !x->sample) return;
    text_add(out, "{\"plumb\":\"history/1\"");
    heading_text("object", x->object, out);
    heading_text("init", x->init, out);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++, tick *= 1000)
        if (x->tick == tick) heading_text("clock", names[i], out);
    if (x->sample) text_printf(out, ",\"sample\":%" PRIu32, x->sample);
    heading_text("lacks", x->lacks, out);
    text_add(out, "}\n");
}

void json_header(const history *h, const object *o, text *out) {
    json_heading_write(&(json_heading){.object = o ? o->name : h->object_hint,
                                       .init = written_init(h, o),
                                       .lacks = h->lacks,
                                       .tick = h->tick,
                                       .sample = h->sample},
                       out);
}

void json_note_times(const annotation *a, text *out) {
    if (a->timed) {
        text_add(out, ",\"time\":");
        text_int(out, a->time);
    }
    if (a->lasts) {
        text_add(out, ",\"until\":");
        text_int(out, a->until);
    }
    text_add(out, "}\n");
}

/* Annotations stand before the first operation that is called after them. */
bool write_jsonl(const history *h, const object *o, output *out, error *e) {
    if (!values_are_utf8(h, "plumb-jsonl", e) || !results_are_not_words(h, "plumb-jsonl", e)) return false;
    if (!values_are_ordered(h, "plumb-jsonl", true, e) || !heading_is_utf8(h, o, "plumb-jsonl", e)) return false;
    text *t = output_text(out);
    uint32_t a = 0;
    json_header(h, o, t);
    for (uint32_t i = 0; i <= h->n; i++) {
        for (; a < h->annotations && (i == h->n || h->annotation[a].before <= h->call[i]); a++) {
            text_add(t, "{\"annotation\":");
            json_value(h->values, h->annotation[a].text, t);
            json_note_times(&h->annotation[a], t);
        }
        if (i < h->n) write_operation(h, i, t);
        if (!output_flush(out)) return false;
    }
    return true;
}
