/* Key-value store. Keys do not matter to each other: a state is that of one key, its value, none when it is absent. A
 * get of an absent key returns none; stores that know no absence say "" there, which is accepted as well. */
#include "object/kv.h"

#include "object/leave_out.h"
#include "object/types.h"

#include <assert.h>

enum { GET = KV_GET, PUT = KV_PUT, DELETE = KV_DELETE, APPEND = KV_APPEND, CAS = KV_CAS };

static const method methods[] = {
    [GET] = {"get", "read lookup find", 0, 0, ARG_VALUE, RESULT_VALUE, ROLE_OBSERVES},
    [PUT] = {"put", "write set store", 1, 1, ARG_VALUE, RESULT_VOID, 0},
    [DELETE] = {"delete", "remove del erase", 0, 0, ARG_VALUE, RESULT_VOID, 0},
    [APPEND] = {"append", "concat", 1, 1, ARG_VALUE, RESULT_VOID, 0},
    [CAS] = {"cas", "compareandset compareandswap compareexchange", 2, 2, ARG_VALUE, RESULT_BOOL, 0},
};

/* Absent, unless an initial value was given, or the history goes on where an earlier one ended (settle). */
static void init(const object *o, state *s) { state_set(s, &o->init, 1); }

/* Bytes as they are, everything else as it prints. */
static void add_bytes(const values *t, value v, text *out) {
    if (value_kind_of(t, v) == KIND_BYTES) {
        size_t n;
        const char *p = value_as_bytes(t, v, &n);
        text_bytes(out, p, n);
    } else {
        value_print(t, v, out);
    }
}

value kv_concatenation(values *t, value a, value b) {
    if (a == VALUE_NONE) return b;
    text joined = {0};
    add_bytes(t, a, &joined);
    add_bytes(t, b, &joined);
    value v = value_bytes(t, joined.at, joined.size);
    text_free(&joined);
    return v;
}

static bool is_empty_string(const values *t, value v) {
    if (v < VALUE_INTERNED || value_kind_of(t, v) != KIND_BYTES) return false;
    size_t n;
    value_as_bytes(t, v, &n);
    return n == 0;
}

step_result kv_get(const object *o, value held, const operation *op, value *res) {
    bool absent = held == VALUE_NONE && is_empty_string(o->values, op->res);
    *res = absent ? op->res : held;
    return step_if(operation_fits(op, *res));
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    assert(s->n == 1); /* of one key: its value */
    value held = s->w[0];
    *res = VALUE_NONE;
    switch (op->method) {
    case GET: return kv_get(o, held, op, res);
    case PUT: s->w[0] = op->arg[0]; break;
    case DELETE: s->w[0] = VALUE_NONE; break;
    case APPEND: s->w[0] = kv_concatenation(o->values, held, op->arg[0]); break;
    case CAS:
        *res = value_bool(held == op->arg[0]);
        if (held == op->arg[0]) s->w[0] = op->arg[1];
        break;
    }
    return step_if(operation_fits(op, *res));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->method == CAS && (op->res == VALUE_FALSE || op->arg[0] == op->arg[1]);
}

static bool overwrites(const operation *op) { return op->method == PUT || op->method == DELETE; }

static value value_of(const operation *op) {
    switch (op->method) {
    case GET: return op->res;
    case DELETE: return VALUE_NONE;
    default: return op->arg[0];
    }
}

/* As in a cas-register, where a delete writes none. An append makes a new value out of whatever was there, so that with
 * appends all values belong together. */
static void leave_out_values(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    bool appends = false;
    for (uint32_t i = 0; i < n; i++) appends |= h->method[op[i]] == APPEND;
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        value v = value_of(&view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (view.method == CAS && view.res == VALUE_FALSE) out->flags[i] |= LEAVE_FRAGILE;
        else if (v != VALUE_UNKNOWN) out->group[i] = value_group(g, v);
        if (view.method == CAS && view.res != VALUE_FALSE) value_groups_join(g, view.arg[0], view.arg[1]);
        if (view.method == GET && is_empty_string(h->values, v)) value_groups_join(g, v, VALUE_NONE);
        if (appends && v != VALUE_UNKNOWN) value_groups_join(g, v, VALUE_UNKNOWN);
    }
    value_groups_finish(g, out, n);
    leave_out_epochs(o, h, op, n, overwrites, out);
}

/* With appends all values belong together, so what may leave by value is little. A get that no operation overlaps
 * tells what the key holds, and so does a write. "" may be the string or absence: nothing is said then. */
static bool settle(const object *o, const history *h, const uint32_t *op, uint32_t n, value *init_value) {
    assert(n > 0);
    operation last;
    bool appends = false;
    history_operation(h, op[n - 1], &last);
    bool swapped = last.method == CAS && last.res == VALUE_TRUE;
    *init_value = swapped ? last.arg[1] : value_of(&last);
    if (last.method == APPEND || (last.method == CAS && !swapped) || is_empty_string(o->values, *init_value))
        return false;
    for (uint32_t i = 0; i + 1 < n; i++) {
        appends |= h->method[op[i]] == APPEND;
        if (h->ret[op[i]] > last.call) return false;
    }
    return appends;
}

static void describe(const object *o, const state *s, text *out) {
    if (s->w[0] == VALUE_NONE) text_add(out, "absent");
    else value_print(o->values, s->w[0], out);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    text_add(out, "key ");
    value_print(o->values, op->key, out);
    text_add(out, s->w[0] == VALUE_NONE ? " is " : " holds ");
    describe(o, s, out);
}

/* As in a cas-register; what an append makes depends on all that was there. */
static value brings(const object *o, const operation *op) {
    (void)o;
    switch (op->method) {
    case PUT: return op->arg[0];
    case DELETE: return VALUE_NONE;
    case CAS: return op->arg[1];
    default: return VALUE_UNKNOWN;
    }
}

static int looks_for(const object *o, const operation *op, value v[2]) {
    switch (op->method) {
    case GET:
        v[0] = op->res;
        v[1] = VALUE_NONE;
        return is_empty_string(o->values, op->res) ? 2 : 1;
    case APPEND: return LOOKS_FOR_ANY;
    case CAS: v[0] = op->arg[0]; return op->res == VALUE_FALSE ? LOOKS_FOR_ANY : 1;
    default: return 0;
    }
}

OBJECT_RECORD(object_type_kv, "kv", "key-value store", .aliases = "map key-value", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .takes_init = true, .keyed = true, .init = init,
              .step = step, .changes_nothing = changes_nothing, .leave_out = leave_out_values, .settle = settle,
              .describe = describe, .why_not = why_not, .brings = brings, .looks_for = looks_for,
              .wider = &object_type_wide_kv);
