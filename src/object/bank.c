/* Bank: accounts 0, 1, ... with so much in each at first; transfer(from, to, amount) moves money if there is enough,
 * read() returns the balances of all, as a map or as a list. Nothing comes from nowhere and nothing is lost, at any
 * moment: a read that sees a transfer half done is wrong. State: the balances, 64 bits each. */
#include "object/types.h"

#include <assert.h>
#include <string.h>

enum { TRANSFER, READ };
enum { ACCOUNTS, BALANCE, NEGATIVE }; /* parameters */

static const method methods[] = {
    [TRANSFER] = {"transfer", "move", 3, 3, ARG_INT, RESULT_MAYBE_BOOL, 0},
    [READ] = {"read", "balances", 0, 0, ARG_VALUE, RESULT_ANY, ROLE_OBSERVES},
};

static void init(const object *o, state *s) {
    uint32_t accounts = (uint32_t)o->parameter[ACCOUNTS];
    state_reserve(s, 2 * accounts);
    s->n = 2 * accounts;
    for (uint32_t i = 0; i < accounts; i++) state_put_int(s, 2 * i, o->parameter[BALANCE]);
}

static bool is_account(const object *o, int64_t i) { return i >= 0 && i < o->parameter[ACCOUNTS]; }

/* Money is counted modulo 2^64: no overflow. */
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

static step_result transfer(const object *o, state *s, const operation *op, value *res) {
    int64_t from = value_as_int(o->values, op->arg[0]), to = value_as_int(o->values, op->arg[1]),
            amount = value_as_int(o->values, op->arg[2]);
    if (!is_account(o, from) || !is_account(o, to)) return STEP_ILLEGAL;
    uint32_t at = 2 * (uint32_t)from, into = 2 * (uint32_t)to;
    bool enough = o->parameter[NEGATIVE] || state_int(s, at) >= amount;
    *res = op->res == VALUE_NONE ? VALUE_NONE : value_bool(enough);
    if (op->res == VALUE_NONE && !enough) return STEP_ILLEGAL; /* the recording says that it was done */
    if (enough) {
        state_put_int(s, at, minus(state_int(s, at), amount));
        state_put_int(s, into, plus(state_int(s, into), amount));
    }
    return step_if(operation_fits(op, *res));
}

static value balances(const object *o, const state *s) {
    uint32_t accounts = s->n / 2;
    value *item = MEM_ARRAY(value, accounts + 1);
    for (uint32_t i = 0; i < accounts; i++) item[i] = value_int(o->values, state_int(s, 2 * i));
    value v = value_tuple(o->values, item, accounts);
    free(item);
    return v;
}

/* A key of a map: 3, "3"; -1: no account. */
static int64_t account_named(const object *o, value key) {
    size_t n;
    if (value_kind_of(o->values, key) == KIND_INT) return value_as_int(o->values, key);
    if (value_kind_of(o->values, key) != KIND_BYTES) return -1;
    const char *name = value_as_bytes(o->values, key, &n);
    int64_t number = n && n < 6 ? 0 : -1;
    for (size_t i = 0; i < n && number >= 0; i++)
        number = name[i] >= '0' && name[i] <= '9' ? 10 * number + name[i] - '0' : -1;
    return number;
}

/* Each account once, by its place in a list or its name in a map. */
static bool are_balances(const object *o, const state *s, value v) {
    size_t n, width = value_kind_of(o->values, v) == KIND_MAP ? 2 : 1;
    const value *item = value_list(o->values, v, &n);
    bool same = n / width == s->n / 2;
    uint64_t names = 0;
    for (size_t i = 0; i < n && same; i += width) {
        int64_t account = width == 2 ? account_named(o, item[i]) : (int64_t)i;
        same =
            is_account(o, account) && item[i + width - 1] == value_int(o->values, state_int(s, 2 * (uint32_t)account));
        names += (uint64_t)account + 1;
    }
    return same && names == (uint64_t)(s->n / 2) * (s->n / 2 + 1) / 2; /* 3 and "3" would be two */
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    assert(s->n == 2 * (uint32_t)o->parameter[ACCOUNTS]);
    if (choice) return STEP_ILLEGAL;
    if (op->method == TRANSFER) return transfer(o, s, op, res);
    *res = op->res == VALUE_UNKNOWN ? balances(o, s) : op->res;
    return step_if(are_balances(o, s, *res));
}

/* A read does, if it is of all accounts: the balances that it saw. */
static bool told(const object *o, const operation *op, state *s) {
    size_t n, width = value_kind_of(o->values, op->res) == KIND_MAP ? 2 : 1;
    if (op->method != READ) return false;
    const value *item = value_list(o->values, op->res, &n);
    init(o, s);
    for (size_t i = 0; i < n; i += width) {
        int64_t account = width == 2 ? account_named(o, item[i]) : (int64_t)i;
        value balance = item[i + width - 1];
        if (!is_account(o, account) || value_kind_of(o->values, balance) != KIND_INT) return false;
        state_put_int(s, 2 * (uint32_t)account, value_as_int(o->values, balance));
    }
    return are_balances(o, s, op->res);
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->method == TRANSFER && op->res == VALUE_FALSE;
}

/* {from 1, to 2, amount 5}, as Jepsen's tests write it. */
static unsigned spread(const values *t, const method *m, value v, value arg[HISTORY_MAX_ARGS]) {
    static const char *const name[] = {"from", "to", "amount"};
    size_t n, length;
    unsigned found = 0;
    if (m != &methods[TRANSFER] || value_kind_of(t, v) != KIND_MAP) return 0;
    const value *item = value_list(t, v, &n);
    for (unsigned a = 0; a < 3; a++)
        for (size_t i = 0; i + 1 < n; i += 2) {
            if (value_kind_of(t, item[i]) != KIND_BYTES) continue;
            const char *key = value_as_bytes(t, item[i], &length);
            length -= length && *key == ':';
            key += *key == ':';
            if (length != strlen(name[a]) || memcmp(key, name[a], length)) continue;
            arg[a] = item[i + 1];
            found++;
            break;
        }
    return found == 3 ? 3 : 0;
}

static bool check_operation(const object *o, const operation *op, text *wrong) {
    for (unsigned a = 0; a < 2 && op->method == TRANSFER; a++) {
        if (is_account(o, value_as_int(o->values, op->arg[a]))) continue;
        text_add(wrong, "account ");
        value_print(o->values, op->arg[a], wrong);
        text_printf(wrong, "; expected 0 to %lld, as bank(accounts=%lld) says", (long long)o->parameter[ACCOUNTS] - 1,
                    (long long)o->parameter[ACCOUNTS]);
        return false;
    }
    if (op->method == TRANSFER && value_as_int(o->values, op->arg[2]) < 0) {
        text_add(wrong, "a negative amount; expected one of at least 0");
        return false;
    }
    if (op->method == TRANSFER || op->res == VALUE_UNKNOWN) return true;
    value_kind kind = value_kind_of(o->values, op->res);
    if (kind == KIND_MAP || kind == KIND_TUPLE) return true;
    text_add(wrong, "read returned ");
    value_print(o->values, op->res, wrong);
    text_add(wrong, "; expected the balances as a map or a list");
    return false;
}

static void describe(const object *o, const state *s, text *out) { value_print(o->values, balances(o, s), out); }

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    if (op->method == TRANSFER) {
        text_add(out, "account ");
        value_print(o->values, op->arg[0], out);
        text_printf(out, " has %lld", (long long)state_int(s, 2 * (uint32_t)value_as_int(o->values, op->arg[0])));
        return;
    }
    text_add(out, "the balances are ");
    describe(o, s, out);
}

const object_type object_type_bank = {
    .name = "bank",
    .inferred_last = true,
    .summary = "accounts with transfers between them and reads of all",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .parameters = {[ACCOUNTS] = {"accounts", 8, 1, 1 << 12, "how many there are: 0, 1, ..."},
                   [BALANCE] = {"balance", 10, -(INT64_C(1) << 40), INT64_C(1) << 40, "what is in each at first"},
                   [NEGATIVE] = {"negative", 0, 0, 1, "1: an account may be overdrawn"}},
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .spread = spread,
    .check_operation = check_operation,
    .describe = describe,
    .why_not = why_not,
    .told = told,
};
