/* A key-value history as etcd's operations.json (etcd_operations.c reads it). Keys and values are strings there, and a
 * compare-and-put compares revisions: each write that returned gets one, and a cas names the one under which an earlier
 * line showed the value it compares with. What cannot be said that way is refused. */
#include "format/etcd_operations.h"
#include "format/event_order.h"
#include "format/expressible.h"
#include "format/output.h"
#include "format/plumb_jsonl.h"
#include "history/value_map.h"

#include <assert.h>
#include <string.h>

typedef struct etcd_writer {
    const history *h;
    int64_t *client; /* numbers, when operations have clients of their own; else NULL */
    text *out;
    value_map shown; /* [key value] -> the revision that a line showed last */
    uint32_t revision;
    error *e;
} etcd_writer;

static const char *const name_of[] = {
    [ETCD_RANGE] = "get", [ETCD_PUT] = "put", [ETCD_DELETE] = "delete", [ETCD_COMPARE] = "cas"};

static etcd_action action_of(const history *h, uint32_t i) {
    for (etcd_action a = ETCD_RANGE; a <= ETCD_COMPARE; a++)
        if (!strcmp(h->method_name[h->method[i]], name_of[a])) return a;
    return ETCD_OTHER;
}

/* ---- what can be said ---- */

static bool is_string(const history *h, value v) { return value_kind_of(h->values, v) == KIND_BYTES; }

static bool refuse(const etcd_writer *w, uint32_t i, const char *what) {
    return error_set(w->e, EXIT_BAD_INPUT, "operation %u (%.60s) cannot be written as etcd-operations: %s",
                     history_number(w->h, i), w->h->method_name[w->h->method[i]], what);
}

static bool result_fits(const history *h, etcd_action a, value res) {
    if (a == ETCD_COMPARE) return res == VALUE_TRUE || res == VALUE_FALSE;
    return res == VALUE_NONE || (a == ETCD_RANGE && is_string(h, res));
}

static bool can_write(const etcd_writer *w, uint32_t i, etcd_action a) {
    static const uint8_t arguments[] = {[ETCD_RANGE] = 0, [ETCD_PUT] = 1, [ETCD_DELETE] = 0, [ETCD_COMPARE] = 2};
    const history *h = w->h;
    if (a == ETCD_OTHER) return refuse(w, i, "expected get, put, delete or cas");
    if (!h->key) return refuse(w, i, "it has no key; expected a key-value history (perhaps object kv)");
    if (!is_string(h, h->key[i])) return refuse(w, i, "its key is no string");
    if (h->nargs[i] != arguments[a]) return refuse(w, i, "it has another number of arguments");
    for (unsigned k = 0; k < h->nargs[i]; k++)
        if (!is_string(h, h->arg[k][i]) && !(a == ETCD_COMPARE && k == 0 && h->arg[k][i] == VALUE_NONE))
            return refuse(w, i, "its argument is no string");
    if (history_pending(h, i)) return true;
    if (!result_fits(h, a, h->res[i])) return refuse(w, i, "its result is none that etcd gives");
    if (history_ret_stamp(h, i) == 0) return refuse(w, i, "it returned at time 0, which means pending there");
    return true;
}

static bool hint_fits(const history *h, const object *o) {
    const char *name = o ? o->type->name : h->object_hint;
    const object_type *known = name ? object_type_find(name, strlen(name)) : NULL;
    return !name || (known && !strcmp(known->name, "kv"));
}

/* ---- revisions ---- */

static uint32_t *revision_of(etcd_writer *w, value key, value content) {
    value pair = value_tuple(w->h->values, (value[]){key, content}, 2);
    if (value_map_find(&w->shown, pair) == VALUE_MAP_ABSENT) value_map_add(&w->shown, pair, 0);
    return &w->shown.slot[value_map_at(&w->shown, pair)].number; /* 0: not shown yet */
}

static uint32_t show_written(etcd_writer *w, value key, value content) {
    assert(*revision_of(w, key, content) <= w->revision); /* revisions ascend */
    return *revision_of(w, key, content) = ++w->revision;
}

static uint32_t show_read(etcd_writer *w, value key, value content) {
    uint32_t *r = revision_of(w, key, content);
    if (!*r) *r = ++w->revision;
    return *r;
}

/* ---- lines ---- */

static void json(const etcd_writer *w, value v) { json_value(w->h->values, v, w->out); }

static void content(const etcd_writer *w, value v) {
    text_add(w->out, "{\"Value\":");
    json(w, v);
    text_add(w->out, ",\"Hash\":0}");
}

static void range(const etcd_writer *w, value key) {
    text_add(w->out, "{\"Start\":");
    json(w, key);
    text_add(w->out, ",\"End\":\"\",\"Limit\":0,\"Revision\":0}");
}

static void step(const etcd_writer *w, etcd_action a, value key, value put) {
    static const char none[] = "\"\"";
    text_printf(w->out,
                "[{\"Type\":\"%s-operation\",\"Range\":{\"Start\":\"\",\"End\":\"\",\"Limit\":0,\"Revision\":0},"
                "\"Put\":{\"Key\":",
                a == ETCD_DELETE ? "delete" : "put");
    if (a == ETCD_DELETE) text_printf(w->out, "%s,\"Value\":{\"Value\":\"\",\"Hash\":0}", none);
    else {
        json(w, key);
        text_add(w->out, ",\"Value\":");
        content(w, put);
    }
    text_add(w->out, ",\"LeaseID\":0},\"Delete\":{\"Key\":");
    if (a == ETCD_DELETE) json(w, key);
    else text_add(w->out, none);
    text_add(w->out, "}}]");
}

static void conditions(const etcd_writer *w, const operation *op, uint32_t revision) {
    text_add(w->out, "[{\"Key\":");
    json(w, op->key);
    text_printf(w->out, ",\"ExpectedRevision\":%u,\"ExpectedVersion\":0}]", revision);
}

static void request(const etcd_writer *w, etcd_action a, const operation *op, uint32_t compared) {
    text_printf(w->out, "\"Input\":{\"Type\":\"%s\",\"LeaseGrant\":null,\"LeaseRevoke\":null,\"Range\":",
                a == ETCD_RANGE ? "range" : "txn");
    if (a == ETCD_RANGE) range(w, op->key);
    else text_add(w->out, "null");
    text_add(w->out, ",\"Txn\":");
    if (a == ETCD_RANGE) {
        text_add(w->out, "null");
    } else {
        text_add(w->out, "{\"Conditions\":");
        if (a == ETCD_COMPARE) conditions(w, op, compared);
        else text_add(w->out, "null");
        text_add(w->out, ",\"OperationsOnSuccess\":");
        step(w, a, op->key, a == ETCD_COMPARE ? op->arg[1] : op->arg[0]);
        text_add(w->out, ",\"OperationsOnFailure\":null}");
    }
    text_add(w->out, ",\"Defragment\":null}");
}

static void found(etcd_writer *w, const operation *op) {
    if (op->res == VALUE_NONE) {
        text_add(w->out, "{\"KVs\":[],\"Count\":0}");
        return;
    }
    text_add(w->out, "{\"KVs\":[{\"Key\":");
    json(w, op->key);
    text_add(w->out, ",\"Value\":");
    content(w, op->res);
    text_printf(w->out, ",\"ModRevision\":%u}],\"Count\":1}", show_read(w, op->key, op->res));
}

static void response(etcd_writer *w, etcd_action a, const operation *op) {
    bool pending = op->res == VALUE_UNKNOWN, failed = op->res == VALUE_FALSE;
    text_add(w->out, ",\"Output\":{\"Txn\":");
    if (pending || a == ETCD_RANGE) text_add(w->out, "null");
    else
        text_printf(w->out, "{\"Failure\":%s,\"Results\":%s}", failed ? "true" : "false",
                    failed ? "null" : "[{\"KVs\":null,\"Count\":0,\"Deleted\":0}]");
    text_add(w->out, ",\"Range\":");
    if (pending || a != ETCD_RANGE) text_add(w->out, "null");
    else found(w, op);
    if (!pending && a == ETCD_PUT) show_written(w, op->key, op->arg[0]);
    if (!pending && a == ETCD_COMPARE && !failed) show_written(w, op->key, op->arg[1]);
    text_printf(w->out,
                ",\"LeaseGrant\":null,\"LeaseRevoke\":null,\"Defragment\":null,\"Revision\":%u,\"PartialResponse\":"
                "false,\"Error\":\"%s\"}",
                pending ? 0 : w->revision, pending ? "unknown" : "");
}

static bool write_line(etcd_writer *w, uint32_t i) {
    const history *h = w->h;
    etcd_action a = action_of(h, i);
    operation op;
    if (!can_write(w, i, a)) return false;
    history_operation(h, i, &op);
    uint32_t compared = a == ETCD_COMPARE && op.arg[0] != VALUE_NONE ? *revision_of(w, op.key, op.arg[0]) : 0;
    if (a == ETCD_COMPARE && op.arg[0] != VALUE_NONE && !compared)
        return refuse(w, i, "no earlier response shows the value it compares with");
    text_add(w->out, "{\"ClientId\":");
    if (w->client) text_int(w->out, w->client[i]);
    else json(w, history_client_name(h, i));
    text_char(w->out, ',');
    request(w, a, &op, compared);
    text_printf(w->out, ",\"Call\":%lld", (long long)history_call_stamp(h, i));
    response(w, a, &op);
    text_printf(w->out, ",\"Return\":%lld}\n", history_pending(h, i) ? 0 : (long long)history_ret_stamp(h, i));
    return true;
}

bool etcd_write(const history *h, const object *o, output *out, error *e) {
    if (!hint_fits(h, o))
        return error_set(e, EXIT_BAD_INPUT, "a history of %.60s cannot be written as etcd-operations; expected kv",
                         o ? o->name : h->object_hint);
    if (!values_are_utf8(h, "etcd-operations", e) || !says_it_is_whole(h, "etcd-operations", e)) return false;
    if (!says_no_initial_value(h, o, "etcd-operations", e)) return false;
    etcd_writer w = {
        .h = h, .out = output_text(out), .revision = 1, .e = e, .client = h->client ? NULL : client_numbers(h)};
    bool good = true;
    for (uint32_t i = 0; i < h->n && good; i++) good = write_line(&w, i) && output_flush(out);
    free(w.shown.slot);
    free(w.client);
    return good;
}
