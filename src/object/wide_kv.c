/* Key-value stores with more words. `wide-kv`: those of one key (putifabsent, contains, getandset); its state is
 * that of one key, as in kv. `whole-kv`: those of all keys as well (size, keys, clear), so keys matter to each
 * other: its state is the pairs of keys and values that are there, ascending by the key's handle.
 *
 * putifabsent returns what was there, none when it put its value; stores that say true (it put) or false are
 * understood as well. */
#include "object/kv.h"
#include "object/leave_out.h"
#include "object/types.h"

#include <assert.h>

#define WORD(name, aliases, args, result, role) \
    { name, aliases, args, args, ARG_VALUE, result, role }
#define WORDS_OF_A_KEY(key) \
    [KV_GET] = WORD("get", "read lookup find", (key), RESULT_VALUE, ROLE_OBSERVES), \
    [KV_PUT] = WORD("put", "write set store", (key) + 1, RESULT_VOID, 0), \
    [KV_DELETE] = WORD("delete", "remove del erase", (key), RESULT_VOID, 0), \
    [KV_APPEND] = WORD("append", "concat", (key) + 1, RESULT_VOID, 0), \
    [KV_CAS] = WORD("cas", "compareandset compareandswap compareexchange", (key) + 2, RESULT_BOOL, 0), \
    [KV_PUTIFABSENT] = WORD("putifabsent", "setnx insert create", (key) + 1, RESULT_ANY, 0), \
    [KV_CONTAINS] = WORD("contains", "containskey has exists", (key), RESULT_BOOL, ROLE_OBSERVES), \
    [KV_GETANDSET] = WORD("getandset", "getset swap exchange getandput", (key) + 1, RESULT_VALUE, 0)

static const method wide_methods[] = {WORDS_OF_A_KEY(0)};
static const method whole_methods[] = {
    WORDS_OF_A_KEY(1),
    [KV_SIZE] = WORD("size", "length count len dbsize", 0, RESULT_INT, ROLE_OBSERVES),
    [KV_KEYS] = WORD("keys", "keyset", 0, RESULT_ANY, ROLE_OBSERVES),
    [KV_CLEAR] = WORD("clear", "reset flush", 0, RESULT_VOID, 0),
};

/* ---- one key ---- */

static bool is_absent(value held) { return held == VALUE_NONE; }

static step_result put_if_absent(value *held, value v, const operation *op, value *res) {
    value before = *held;
    bool puts = is_absent(before);
    *res = before;
    if (op->res == VALUE_TRUE || op->res == VALUE_FALSE) {
        bool says = op->res == before || (op->res == VALUE_TRUE) == puts;
        *res = op->res;
        if (!says) return STEP_ILLEGAL;
    }
    if (puts) *held = v;
    return step_if(operation_fits(op, *res));
}

/* `arg`: without the key. */
static step_result step_key(const object *o, value *held, const operation *op, const value *arg, value *res) {
    value before = *held;
    *res = VALUE_NONE;
    switch (op->method) {
    case KV_GET: return kv_get(o, before, op, res);
    case KV_PUT: *held = arg[0]; break;
    case KV_DELETE: *held = VALUE_NONE; break;
    case KV_APPEND: *held = kv_concatenation(o->values, before, arg[0]); break;
    case KV_CAS:
        *res = value_bool(before == arg[0]);
        if (before == arg[0]) *held = arg[1];
        break;
    case KV_PUTIFABSENT: return put_if_absent(held, arg[0], op, res);
    case KV_CONTAINS: *res = value_bool(!is_absent(before)); break;
    default:
        assert(op->method == KV_GETANDSET);
        *held = arg[0];
        return kv_get(o, before, op, res);
    }
    return step_if(operation_fits(op, *res));
}

static void init(const object *o, state *s) { state_set(s, &o->init, 1); }

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    assert(s->n == 1);
    return choice ? STEP_ILLEGAL : step_key(o, &s->w[0], op, op->arg, res);
}

static bool changes_nothing_with(const operation *op, const value *arg) {
    if (op->method == KV_CAS) return op->res == VALUE_FALSE || arg[0] == arg[1];
    return op->method == KV_PUTIFABSENT && op->res != VALUE_NONE && op->res != VALUE_TRUE;
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return changes_nothing_with(op, op->arg);
}

static bool overwrites(const operation *op) { return op->method == KV_PUT || op->method == KV_DELETE; }

/* What only looks leaves alone; a whole epoch leaves. */
static void leave_out_lookers(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
    }
    leave_out_epochs(o, h, op, n, overwrites, out);
}

static void describe_value(const object *o, value held, text *out) {
    if (is_absent(held)) text_add(out, "absent");
    else value_print(o->values, held, out);
}

static void describe(const object *o, const state *s, text *out) { describe_value(o, s->w[0], out); }

static void say_key(const object *o, value key, value held, text *out) {
    text_add(out, "key ");
    value_print(o->values, key, out);
    text_add(out, is_absent(held) ? " is " : " holds ");
    describe_value(o, held, out);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    say_key(o, op->key, s->w[0], out);
}

/* ---- all keys ---- */

enum { WIDTH = 2 };

static void whole_init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static bool find(const state *s, value key, uint32_t *at) {
    uint32_t low = 0, high = s->n / WIDTH;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->w[middle * WIDTH] < key) low = middle + 1;
        else high = middle;
    }
    *at = low * WIDTH;
    return *at < s->n && s->w[*at] == key;
}

static step_result step_one(const object *o, state *s, const operation *op, value *res) {
    uint32_t at;
    bool there = find(s, op->arg[0], &at);
    value held = there ? s->w[at + 1] : VALUE_NONE;
    step_result r = step_key(o, &held, op, op->arg + 1, res);
    if (there && is_absent(held)) {
        state_remove(s, at + 1);
        state_remove(s, at);
    } else if (there) {
        s->w[at + 1] = held;
    } else if (!is_absent(held)) {
        state_insert(s, at, op->arg[0]);
        state_insert(s, at + 1, held);
    }
    return r;
}

/* In any order, each once. */
static step_result step_keys(const object *o, const state *s, const operation *op, value *res) {
    uint32_t count = s->n / WIDTH, at;
    size_t n;
    if (op->res == VALUE_UNKNOWN) {
        value *key = MEM_ARRAY(value, count + 1);
        for (uint32_t i = 0; i < count; i++) key[i] = s->w[i * WIDTH];
        *res = value_tuple(o->values, key, count);
        free(key);
        return STEP_LEGAL;
    }
    const value *item = value_list(o->values, op->res, &n);
    *res = op->res;
    value set = value_set_of(o->values, item, n);
    size_t different;
    value_list(o->values, set, &different);
    bool all = n == count && different == n;
    for (size_t i = 0; i < n && all; i++) all = find(s, item[i], &at);
    return step_if(all);
}

static step_result whole_step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    assert(s->n % WIDTH == 0);
    if (choice) return STEP_ILLEGAL;
    switch (op->method) {
    case KV_SIZE: *res = value_int(o->values, s->n / WIDTH); break;
    case KV_KEYS: return step_keys(o, s, op, res);
    case KV_CLEAR:
        s->n = 0;
        *res = VALUE_NONE;
        break;
    default: return step_one(o, s, op, res);
    }
    return step_if(operation_fits(op, *res));
}

static bool whole_changes_nothing(const object *o, const operation *op) {
    (void)o;
    return changes_nothing_with(op, op->arg + 1);
}

static bool check_operation(const object *o, const operation *op, text *wrong) {
    if (op->method != KV_KEYS || op->res == VALUE_UNKNOWN) return true;
    value_kind kind = value_kind_of(o->values, op->res);
    if (kind == KIND_TUPLE || kind == KIND_SET) return true;
    text_add(wrong, "keys returned ");
    value_print(o->values, op->res, wrong);
    text_add(wrong, "; expected a list or a set of them");
    return false;
}

/* All of one key leaves together; how many there are, and which, speaks of all keys. */
static void leave_out_keys(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        bool counts = view.method == KV_SIZE || view.method == KV_KEYS;
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (counts) out->flags[i] = LEAVE_ALONE | LEAVE_FRAGILE;
        else if (view.method != KV_CLEAR) out->group[i] = value_group(g, view.arg[0]);
    }
    value_groups_finish(g, out, n);
}

static void whole_describe(const object *o, const state *s, text *out) {
    text_char(out, '{');
    for (uint32_t i = 0; i < s->n; i += WIDTH) {
        if (i) text_add(out, ", ");
        value_print(o->values, s->w[i], out);
        text_char(out, ' ');
        value_print(o->values, s->w[i + 1], out);
    }
    text_char(out, '}');
}

static void whole_why_not(const object *o, const state *s, const operation *op, text *out) {
    uint32_t at;
    if (op->method < KV_SIZE) {
        bool there = find(s, op->arg[0], &at);
        say_key(o, op->arg[0], there ? s->w[at + 1] : VALUE_NONE, out);
    } else {
        text_add(out, "it holds ");
        whole_describe(o, s, out);
    }
}

const object_type object_type_wide_kv = {
    .name = "wide-kv",
    .inferred_last = true,
    .noun = "kv",
    .summary = "key-value store with putifabsent, contains, getandset",
    .methods = wide_methods,
    .method_count = sizeof wide_methods / sizeof *wide_methods,
    .takes_init = true,
    .keyed = true,
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .leave_out = leave_out_lookers,
    .describe = describe,
    .why_not = why_not,
    .wider = &object_type_whole_kv,
};

const object_type object_type_whole_kv = {
    .name = "whole-kv",
    .inferred_last = true,
    .noun = "kv",
    .summary = "key-value store of which all keys are one state: size, keys and clear too",
    .methods = whole_methods,
    .method_count = sizeof whole_methods / sizeof *whole_methods,
    .key_inside = true,
    .init = whole_init,
    .step = whole_step,
    .changes_nothing = whole_changes_nothing,
    .check_operation = check_operation,
    .leave_out = leave_out_keys,
    .describe = whole_describe,
    .why_not = whole_why_not,
};
