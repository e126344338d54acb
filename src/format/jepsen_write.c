#include "format/jepsen_write.h"

#include "base/utf8.h"

#include <string.h>

/* ---- EDN ---- */

static bool write_string(const values *t, value v, text *out) {
    size_t n;
    const char *p = value_as_bytes(t, v, &n);
    if (!utf8_valid(p, n)) return false;
    text_char(out, '"');
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '"' || p[i] == '\\') text_char(out, '\\');
        if (p[i] == '\n') text_add(out, "\\n");
        else if (p[i] == '\t') text_add(out, "\\t");
        else if ((unsigned char)p[i] < 0x20) text_printf(out, "\\u%04x", (unsigned char)p[i]);
        else text_char(out, p[i]);
    }
    text_char(out, '"');
    return true;
}

static bool write_list(const values *t, value v, const char *opening, char closing, text *out) {
    size_t n;
    const value *item = value_list(t, v, &n);
    text_add(out, opening);
    for (size_t i = 0; i < n; i++) {
        if (i) text_add(out, *opening == '{' && i % 2 == 0 ? ", " : " ");
        if (!edn_write(t, item[i], out)) return false;
    }
    text_char(out, closing);
    return true;
}

bool edn_write(const values *t, value v, text *out) {
    switch (value_kind_of(t, v)) {
    case KIND_NONE: text_add(out, "nil"); return true;
    case KIND_EMPTY: text_add(out, ":empty"); return true;
    case KIND_FULL: text_add(out, ":full"); return true;
    case KIND_UNKNOWN: return false;
    case KIND_BOOL: text_add(out, v == VALUE_TRUE ? "true" : "false"); return true;
    case KIND_INT: text_int(out, value_as_int(t, v)); return true;
    case KIND_BYTES: return write_string(t, v, out);
    case KIND_TUPLE: return write_list(t, v, "[", ']', out);
    case KIND_SET: return write_list(t, v, "#{", '}', out);
    case KIND_MAP: return write_list(t, v, "{", '}', out);
    case KIND_NUMBER: text_add(out, value_as_number(t, v, NULL)); return true;
    }
    return false;
}

/* ---- one value for the arguments, one for the result ---- */

static bool is_pair(const history *h, value v) {
    size_t n = 0;
    if (value_kind_of(h->values, v) == KIND_TUPLE) value_as_tuple(h->values, v, &n);
    return n == 2;
}

static bool is_constant(value v) { return v == VALUE_EMPTY || v == VALUE_FULL; } /* results only */

static bool call_content(const jepsen_lines *j, uint32_t i, value *content) {
    const history *h = j->h;
    unsigned manner = j->manner[h->method[i]], nargs = h->nargs[i];
    value first = nargs ? h->arg[0][i] : VALUE_NONE;
    *content = first;
    if (is_constant(first)) return false;
    if (nargs == 2 && manner == MANNER_CAS) {
        value pair[2] = {first, h->arg[1][i]};
        *content = value_tuple(h->values, pair, 2);
        return !is_constant(pair[1]);
    }
    if (nargs == 0) return manner != MANNER_WRITE;
    if (jepsen_plain_read(h->method_name[h->method[i]])) return false; /* a value there would be no argument */
    return nargs == 1 && (first != VALUE_NONE || manner == MANNER_WRITE) &&
           !(manner == MANNER_CAS && is_pair(h, first));
}

/* As a repeated argument, :empty is the string "empty". */
static bool repeats(const history *h, value res, value first) {
    if (res == first) return true;
    if (!is_constant(res) || first < VALUE_INTERNED || value_kind_of(h->values, first) != KIND_BYTES) return false;
    return !strcmp(value_as_bytes(h->values, first, NULL), res == VALUE_EMPTY ? "empty" : "full");
}

static bool return_content(const jepsen_lines *j, uint32_t i, value *content) {
    const history *h = j->h;
    value res = h->res[i], first = h->nargs[i] ? h->arg[0][i] : VALUE_NONE;
    switch ((method_manner)j->manner[h->method[i]]) {
    case MANNER_ASK: *content = res; return true;
    case MANNER_CAS:
        *content = VALUE_FALSE;
        if (res == VALUE_FALSE) return true;
        if (res != VALUE_TRUE || !call_content(j, i, content)) return false;
        if (*content == VALUE_FALSE) *content = VALUE_TRUE; /* its argument would be taken for the result */
        return true;
    case MANNER_WRITE: /* without an argument, the value would be taken for it */
        if (first == VALUE_NONE && res != VALUE_NONE && res != VALUE_TRUE && res != VALUE_FALSE && res != VALUE_FULL)
            return false;
        break;
    case MANNER_REMOVE:
        if (h->nargs[i]) break;
        *content = res;
        return true;
    case MANNER_UPDATE: break;
    }
    *content = res == VALUE_NONE ? first : res;
    return res == VALUE_NONE || !repeats(h, res, first);
}

/* ---- events ---- */

void jepsen_lines_begin(jepsen_lines *j, const history *h, const char *format_name, error *e) {
    *j = (jepsen_lines){.h = h, .format_name = format_name, .e = e, .order = event_order_new(h)};
    for (unsigned m = 0; m < h->methods; m++)
        j->manner[m] = (uint8_t)method_manner_of(h->method_name[m], strlen(h->method_name[m]));
}

void jepsen_lines_end(jepsen_lines *j) { event_order_free(j->order); }

static bool refuse(const jepsen_lines *j, uint32_t i) {
    const history *h = j->h;
    return error_set(j->e, EXIT_BAD_INPUT,
                     "operation %u (%.60s, %u arguments) cannot be written as %s, which has one value for the "
                     "arguments and one for the result",
                     history_number(h, i), h->method_name[h->method[i]], h->nargs[i], j->format_name);
}

/* The next event's operation; false behind the last. */
static bool next_event(jepsen_lines *j, jepsen_line *out) {
    const history *h = j->h;
    for (; j->next < j->order->events; j->next++) {
        uint32_t event = j->order->event[j->next];
        if (event == EVENT_NONE) continue;
        out->operation = event_operation(event);
        out->type = event_is_return(event) ? JEPSEN_OK : JEPSEN_INVOKE;
        out->time = event_is_return(event) ? history_ret_time(h, out->operation) : history_call_time(h, out->operation);
        j->last_time = out->time;
        j->next++;
        return true;
    }
    for (uint32_t i; (i = j->next - j->order->events) < h->n; j->next++) {
        if (!history_pending(h, i)) continue;
        *out = (jepsen_line){.type = JEPSEN_INFO, .operation = i, .time = j->last_time};
        j->next++;
        return true;
    }
    return false;
}

bool jepsen_lines_next(jepsen_lines *j, jepsen_line *out) {
    const history *h = j->h;
    if (!next_event(j, out)) return false;
    uint32_t i = out->operation;
    out->process = j->order->client[i];
    out->f = h->method_name[h->method[i]];
    out->key = h->key ? h->key[i] : VALUE_NONE;
    bool good = out->type == JEPSEN_OK ? return_content(j, i, &out->content) : call_content(j, i, &out->content);
    return good || refuse(j, i);
}
