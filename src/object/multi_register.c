/* Registers by key, read and written by transactions: txn([["r", k, none], ["w", k, v], ...]) returns the same list
 * with what was read in it. A transaction takes effect at one moment, so linearizable here is strictly serializable.
 * State: pairs of keys and values, ascending by the key's handle, without those that hold the initial value. */
#include "object/types.h"

#include <assert.h>
#include <string.h>

enum { TXN };
enum { WHAT, KEY, CONTENT, PARTS }; /* of one read or write */

static const method methods[] = {
    [TXN] = {"txn", "transaction tx", 1, 1, ARG_VALUE, RESULT_ANY, 0},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static bool find(const state *s, value key, uint32_t *at) {
    *at = 0;
    while (*at < s->n && s->w[*at] < key) *at += 2;
    return *at < s->n && s->w[*at] == key;
}

static value held(const object *o, const state *s, value key) {
    uint32_t at;
    return find(s, key, &at) ? s->w[at + 1] : o->init;
}

static void put(const object *o, state *s, value key, value v) {
    uint32_t at;
    bool there = find(s, key, &at);
    if (there) {
        state_remove(s, at + 1);
        state_remove(s, at);
    }
    if (v == o->init) return;
    state_insert(s, at, key);
    state_insert(s, at + 1, v);
}

/* 'r', 'w', or 0: neither. */
static char kind_of(const values *t, value what) {
    size_t n;
    if (value_kind_of(t, what) != KIND_BYTES) return 0;
    const char *name = value_as_bytes(t, what, &n);
    n -= n && *name == ':';
    name += *name == ':';
    bool is_read = (n == 1 && *name == 'r') || (n == 4 && !memcmp(name, "read", 4));
    bool is_write = (n == 1 && *name == 'w') || (n == 5 && !memcmp(name, "write", 5));
    return is_read ? 'r' : is_write ? 'w' : 0;
}

static const value *item_of(const values *t, value list, size_t i, size_t *parts) {
    size_t n;
    const value *item = value_list(t, list, &n);
    return i < n ? value_list(t, item[i], parts) : NULL;
}

/* One read or write as it was called, and, where the result is known, as it came back. False: it read something
 * else. */
static bool take_part(const object *o, state *s, const value *called, const value *answered, value *read) {
    bool reads = kind_of(o->values, called[WHAT]) == 'r';
    *read = reads ? held(o, s, called[KEY]) : called[CONTENT];
    if (!reads) put(o, s, called[KEY], called[CONTENT]);
    return !answered || !reads || answered[CONTENT] == *read;
}

static step_result transact(const object *o, state *s, const operation *op, value *res) {
    size_t n, parts;
    const value *list = value_list(o->values, op->arg[0], &n);
    /* none: it came back as it was called */
    value claimed = op->res == VALUE_NONE ? op->arg[0] : op->res;
    value *done = MEM_ARRAY(value, n + 1);
    bool right = true;
    for (size_t i = 0; i < n && right; i++) {
        const value *called = value_list(o->values, list[i], &parts);
        right = parts == PARTS;
        if (!right) break;
        value part[PARTS] = {called[WHAT], called[KEY], VALUE_NONE};
        right = take_part(o, s, called, op->res == VALUE_UNKNOWN ? NULL : item_of(o->values, claimed, i, &parts),
                          &part[CONTENT]);
        done[i] = op->res == VALUE_UNKNOWN ? value_tuple(o->values, part, PARTS) : VALUE_NONE;
    }
    *res = op->res == VALUE_UNKNOWN && right ? value_tuple(o->values, done, n) : op->res;
    free(done);
    return step_if(right);
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    assert(op->method == TXN);
    return choice ? STEP_ILLEGAL : transact(o, s, op, res);
}

static bool writes(const object *o, value list) {
    size_t n, parts;
    const value *item = value_list(o->values, list, &n);
    for (size_t i = 0; i < n; i++) {
        const value *part = value_list(o->values, item[i], &parts);
        if (parts == PARTS && kind_of(o->values, part[WHAT]) == 'w') return true;
    }
    return false;
}

static bool changes_nothing(const object *o, const operation *op) { return !writes(o, op->arg[0]); }

static bool is_transaction(const values *t, value list) {
    size_t n, parts;
    if (value_kind_of(t, list) != KIND_TUPLE) return false;
    const value *item = value_list(t, list, &n);
    for (size_t i = 0; i < n; i++) {
        if (value_kind_of(t, item[i]) != KIND_TUPLE) return false;
        const value *part = value_list(t, item[i], &parts);
        if (parts != PARTS || !kind_of(t, part[WHAT])) return false;
    }
    return true;
}

/* What came back has the same reads and writes of the same keys, and writes what was to be written. */
static bool answers(const values *t, value called, value answered) {
    size_t n, m, parts;
    const value *a = value_list(t, called, &n), *b = value_list(t, answered, &m);
    bool same = n == m;
    for (size_t i = 0; i < n && same; i++) {
        const value *x = value_list(t, a[i], &parts), *y = value_list(t, b[i], &parts);
        bool reads = kind_of(t, x[WHAT]) == 'r';
        same = kind_of(t, x[WHAT]) == kind_of(t, y[WHAT]) && x[KEY] == y[KEY] && (reads || x[CONTENT] == y[CONTENT]);
    }
    return same;
}

static bool check_operation(const object *o, const operation *op, text *wrong) {
    const char *expected = NULL;
    if (!is_transaction(o->values, op->arg[0])) expected = "expected a list of [\"r\" key none] and [\"w\" key value]";
    else if (op->res != VALUE_UNKNOWN && op->res != VALUE_NONE &&
             (!is_transaction(o->values, op->res) || !answers(o->values, op->arg[0], op->res)))
        expected = "expected the list it was called with, with what was read in it";
    if (!expected) return true;
    text_add(wrong, "txn ");
    value_print(o->values, op->res == VALUE_UNKNOWN || op->res == VALUE_NONE ? op->arg[0] : op->res, wrong);
    text_printf(wrong, "; %s", expected);
    return false;
}

static bool check_init(const object *o, text *wrong) {
    if (!o->init_text || !strchr(o->init_text, '\n')) return true;
    text_add(wrong, "initial values by key; expected one that all registers hold");
    return false;
}

static void describe(const object *o, const state *s, text *out) {
    text_char(out, '{');
    for (uint32_t i = 0; i < s->n; i += 2) {
        if (i) text_add(out, ", ");
        value_print(o->values, s->w[i], out);
        text_char(out, ' ');
        value_print(o->values, s->w[i + 1], out);
    }
    text_char(out, '}');
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the registers hold ");
    describe(o, s, out);
}

const object_type object_type_multi_register = {
    .name = "multi-register",
    .inferred_last = true,
    .aliases = "txn-register",
    .summary = "registers by key, with transactions of reads and writes",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .takes_init = true,
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .check_operation = check_operation,
    .check_init = check_init,
    .describe = describe,
    .why_not = why_not,
};
