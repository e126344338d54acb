#include "format/jepsen_edn.h"

#include "format/event_order.h"
#include "format/jepsen.h"
#include "format/output.h"

#include <string.h>

static void edn_value(const values *t, value v, text *out);

static void edn_tuple(const values *t, value v, text *out) {
    size_t n;
    const value *item = value_as_tuple(t, v, &n);
    text_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) text_char(out, ' ');
        edn_value(t, item[i], out);
    }
    text_char(out, ']');
}

static void edn_value(const values *t, value v, text *out) {
    size_t n;
    const char *p;
    switch (value_kind_of(t, v)) {
    case KIND_NONE:
    case KIND_UNKNOWN: text_add(out, "nil"); break;
    case KIND_EMPTY: text_add(out, ":empty"); break;
    case KIND_FULL: text_add(out, ":full"); break;
    case KIND_BOOL: text_add(out, v == VALUE_TRUE ? "true" : "false"); break;
    case KIND_INT: text_int(out, value_as_int(t, v)); break;
    case KIND_BYTES:
        p = value_as_bytes(t, v, &n);
        text_json(out, p, n); /* JSON's escapes are EDN's too */
        break;
    case KIND_TUPLE: edn_tuple(t, v, out); break;
    }
}

static void write_name(const char *name, text *out) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!?*+";
    bool keyword = *name && strspn(name, plain) == strlen(name);
    if (keyword) text_printf(out, ":%s", name);
    else text_json(out, name, strlen(name));
}

static void write_arguments(const history *h, uint32_t i, text *out) {
    if (h->nargs[i] == 0) {
        text_add(out, "nil");
    } else if (h->nargs[i] == 1) {
        edn_value(h->values, h->arg[0][i], out);
    } else {
        for (unsigned a = 0; a < h->nargs[i]; a++) {
            text_char(out, a ? ' ' : '[');
            edn_value(h->values, h->arg[a][i], out);
        }
        text_char(out, ']');
    }
}

static bool asks(const history *h, uint32_t i, method_manner manner) {
    return manner == MANNER_ASK || (manner == MANNER_REMOVE && h->nargs[i] == 0);
}

/* Where a completion usually repeats the argument, one that does says nothing about the result. So such a result (a
 * fetch-and-add of 5 that found 5) cannot be said. */
static bool can_be_said(const history *h, error *e) {
    for (uint32_t i = 0; i < h->n; i++) {
        const char *name = h->method_name[h->method[i]];
        if (h->nargs[i] != 1 || h->res[i] != h->arg[0][i] || h->res[i] == VALUE_NONE) continue;
        method_manner manner = method_manner_of(name, strlen(name));
        if (manner == MANNER_CAS || asks(h, i, manner)) continue;
        return error_set(e, EXIT_BAD_INPUT,
                         "operation %u, %.60s, returned its argument, which jepsen-edn takes for no result; expected another format",
                         history_number(h, i), name);
    }
    return true;
}

/* The :value of an :ok, so that jepsen.c finds arguments and result again. */
static void write_outcome(const history *h, uint32_t i, method_manner manner, text *out) {
    value res = h->res[i];
    bool silent = manner == MANNER_CAS ? res != VALUE_FALSE : res == VALUE_NONE && !asks(h, i, manner);
    if (silent) write_arguments(h, i, out);
    else edn_value(h->values, res, out);
}

static void write_event(const history *h, const event_order *order, uint32_t rank, text *out) {
    uint32_t event = order->event[rank], i = event_operation(event);
    bool returns = event_is_return(event);
    const char *name = h->method_name[h->method[i]];
    text_add(out, "{:process ");
    text_int(out, order->client[i]);
    text_add(out, returns ? ", :type :ok, :f " : ", :type :invoke, :f ");
    write_name(name, out);
    if (h->key && h->key[i] != VALUE_NONE) {
        text_add(out, ", :key ");
        edn_value(h->values, h->key[i], out);
    }
    text_add(out, ", :value ");
    if (returns) write_outcome(h, i, method_manner_of(name, strlen(name)), out);
    else write_arguments(h, i, out);
    if (history_has_times(h)) {
        text_add(out, ", :time ");
        text_int(out, returns ? history_ret_time(h, i) : history_call_time(h, i));
    }
    text_add(out, "}\n");
}

static void write_annotation(const history *h, const annotation *a, text *out) {
    text_add(out, "{:process :annotation, :type :info, :f nil, :value ");
    edn_value(h->values, a->text, out);
    text_add(out, "}\n");
}

/* A pending operation is a call without completion. */
bool write_jepsen_edn(const history *h, const object *o, output *out, error *e) {
    (void)o;
    if (!can_be_said(h, e)) return false;
    event_order *order = event_order_new(h);
    uint32_t a = 0;
    bool good = true;
    for (uint32_t rank = 0; good && rank <= order->events; rank++) {
        for (; a < h->annotations && (rank == order->events || h->annotation[a].before <= rank); a++)
            write_annotation(h, &h->annotation[a], output_text(out));
        if (rank < order->events && order->event[rank] != EVENT_NONE) write_event(h, order, rank, output_text(out));
        good = output_flush(out);
    }
    event_order_free(order);
    return good;
}
