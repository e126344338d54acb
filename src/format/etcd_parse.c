/* One line of operations.json. The nesting is fixed, so each level is a function of its own; members that are not named
 * here are skipped: the report's format is said to be unstable, and most of it does not matter. */
#include "format/etcd_operations.h"

#include <string.h>

#define NAMES(X) \
    X(ClientId) \
    X(Input) \
    X(Call) \
    X(Output) \
    X(Return) \
    X(Type) \
    X(Range) \
    X(Txn) \
    X(Start) \
    X(End) \
    X(Revision) \
    X(Conditions) \
    X(OperationsOnSuccess) \
    X(OperationsOnFailure) \
    X(Key) \
    X(ExpectedRevision) \
    X(ExpectedVersion) \
    X(Put) \
    X(Delete) \
    X(Value) \
    X(Hash) \
    X(KVs) \
    X(ModRevision) \
    X(Error) \
    X(ClientError) \
    X(PartialResponse) \
    X(Persisted) \
    X(Failure) \
    X(Results) \
    X(WithPrefix)

typedef enum name {
    NAME_OTHER,
#define X(n) NAME_##n,
    NAMES(X)
#undef X
} name;

static name name_of(const token *k) {
    static const char *const names[] = {
#define X(n) #n,
        NAMES(X)
#undef X
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == k->size && memcmp(names[i], k->at, k->size) == 0) return (name)(i + 1);
    return NAME_OTHER;
}

typedef bool member_reader(etcd_parser *r, name n, const token *k, void *to);

static bool wrong_kind(etcd_parser *r, const token *k, const char *expected) {
    return builder_error(r->b, k->line, "unexpected kind of value; expected %s", expected);
}

static bool members(etcd_parser *r, const token *k, member_reader *each, void *to) {
    token m;
    if (k->kind == TOKEN_NIL) return true;
    if (k->kind != TOKEN_MAP) return wrong_kind(r, k, "an object");
    while (tokens_next(&r->t, &m) != TOKEN_CLOSE) {
        if (m.kind == TOKEN_WRONG) return false;
        name n = name_of(&m);
        if (tokens_next(&r->t, &m) == TOKEN_WRONG || !each(r, n, &m, to)) return false;
    }
    return true;
}

typedef bool item_reader(etcd_parser *r, const token *k, void *to);

static bool items(etcd_parser *r, const token *k, item_reader *each, void *to) {
    token m;
    if (k->kind == TOKEN_NIL) return true;
    if (k->kind != TOKEN_LIST) return wrong_kind(r, k, "an array");
    while (tokens_next(&r->t, &m) != TOKEN_CLOSE)
        if (m.kind == TOKEN_WRONG || !each(r, &m, to)) return false;
    return true;
}

static bool string(etcd_parser *r, const token *k, value *out) {
    if (k->kind != TOKEN_STRING) return wrong_kind(r, k, "a string");
    *out = value_bytes(r->v, k->at, k->size);
    return true;
}

static bool integer(etcd_parser *r, const token *k, int64_t *out) {
    if (k->kind != TOKEN_INT) return wrong_kind(r, k, "an integer");
    *out = k->integer;
    return true;
}

static bool other(etcd_parser *r, const token *k) { return tokens_skip(&r->t, k); }

/* ---- values: {"Value":"2","Hash":0}; long ones are kept as their hash only ---- */

typedef struct put_content {
    value plain;
    int64_t hash;
    bool has_hash;
} put_content;

static bool content_member(etcd_parser *r, name n, const token *k, void *to) {
    put_content *c = to;
    if (n == NAME_Value) return string(r, k, &c->plain);
    if (n != NAME_Hash) return other(r, k);
    c->has_hash = k->kind == TOKEN_INT && k->integer != 0;
    return integer(r, k, &c->hash);
}

static bool content_value(etcd_parser *r, const token *k, value *out) {
    if (k->kind == TOKEN_STRING) return string(r, k, out);
    put_content c = {.plain = VALUE_NONE};
    if (!members(r, k, content_member, &c)) return false;
    *out = c.plain;
    if (!c.has_hash) return true;
    text t = {0};
    text_printf(&t, "#%lld", (long long)c.hash);
    *out = value_bytes(r->v, t.at, t.size);
    text_free(&t);
    return true;
}

/* ---- requests ---- */

static bool range_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_range *range = to;
    range->given = true;
    if (n == NAME_Start) return string(r, k, &range->start);
    if (n == NAME_End) return string(r, k, &range->end);
    if (n == NAME_Revision) return integer(r, k, &range->revision);
    return other(r, k);
}

static etcd_range no_range(const etcd_parser *r) {
    return (etcd_range){.start = VALUE_NONE, .end = value_bytes(r->v, "", 0)};
}

static bool condition_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_condition *c = to;
    if (n == NAME_Key) return string(r, k, &c->key);
    if (n == NAME_ExpectedRevision) return integer(r, k, &c->revision);
    if (n == NAME_ExpectedVersion) return integer(r, k, &c->version);
    return other(r, k);
}

static bool condition_item(etcd_parser *r, const token *k, void *to) {
    etcd_record *out = to;
    etcd_condition c = {.key = VALUE_NONE};
    if (!members(r, k, condition_member, &c)) return false;
    if (out->conditions++ == 0) out->condition = c;
    return true;
}

static etcd_action action_of(const token *k) {
    static const struct {
        const char *name;
        etcd_action action;
    } actions[] = {{"range-operation", ETCD_RANGE}, {"put-operation", ETCD_PUT}, {"delete-operation", ETCD_DELETE}};
    for (unsigned i = 0; i < 3; i++)
        if (strlen(actions[i].name) == k->size && memcmp(actions[i].name, k->at, k->size) == 0)
            return actions[i].action;
    return ETCD_OTHER;
}

static bool put_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_step *s = to;
    if (n == NAME_Key) return string(r, k, &s->key);
    if (n == NAME_Value) return content_value(r, k, &s->content);
    return other(r, k);
}

typedef struct step_parts { /* every step has all three members; its type says which one counts */
    etcd_step put, erase, step;
} step_parts;

static bool step_member(etcd_parser *r, name n, const token *k, void *to) {
    step_parts *s = to;
    switch (n) {
    case NAME_Type:
        if (k->kind != TOKEN_STRING) return wrong_kind(r, k, "a string");
        s->step.action = action_of(k);
        return true;
    case NAME_Range: return members(r, k, range_member, &s->step.range);
    case NAME_Put: return members(r, k, put_member, &s->put);
    case NAME_Delete: return members(r, k, put_member, &s->erase);
    default: return other(r, k);
    }
}

static bool step_item(etcd_parser *r, const token *k, void *to) {
    etcd_steps *steps = to;
    step_parts s = {.step.range = no_range(r), .put.key = VALUE_NONE, .erase.key = VALUE_NONE};
    s.put.content = VALUE_NONE;
    if (!members(r, k, step_member, &s)) return false;
    s.step.key = s.step.action == ETCD_PUT      ? s.put.key
                 : s.step.action == ETCD_DELETE ? s.erase.key
                                                : s.step.range.start;
    s.step.content = s.put.content;
    if (s.step.key == VALUE_NONE) s.step.action = ETCD_OTHER;
    if (steps->count++ == 0) steps->first = s.step;
    return true;
}

static bool txn_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_record *out = to;
    if (n == NAME_Conditions) return items(r, k, condition_item, out);
    if (n == NAME_OperationsOnSuccess) return items(r, k, step_item, &out->success);
    if (n == NAME_OperationsOnFailure) return items(r, k, step_item, &out->failure);
    return other(r, k);
}

static etcd_type type_of(const token *k) {
    static const char *const types[] = {"range", "txn", "leaseGrant", "leaseRevoke", "defragment", "compact"};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == k->size && memcmp(types[i], k->at, k->size) == 0) return (etcd_type)(i + 1);
    return ETCD_TYPE_OTHER;
}

static bool input_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_record *out = to;
    out->has_input = true;
    switch (n) {
    case NAME_Type:
        if (!string(r, k, &out->type_name)) return false;
        out->type = type_of(k);
        return true;
    case NAME_Range: return members(r, k, range_member, &out->range);
    case NAME_Txn: return members(r, k, txn_member, out);
    default: return other(r, k);
    }
}

/* ---- responses ---- */

static bool pair_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_pair *p = to;
    if (n == NAME_Key) return string(r, k, &p->key);
    if (n == NAME_Value) return content_value(r, k, &p->content);
    if (n == NAME_ModRevision) return integer(r, k, &p->revision);
    return other(r, k);
}

static bool pair_item(etcd_parser *r, const token *k, void *to) {
    etcd_pairs *found = to;
    etcd_pair p = {.key = VALUE_NONE, .content = VALUE_NONE};
    if (!members(r, k, pair_member, &p)) return false;
    if (p.revision) r->seen(r->context, &p);
    if (found->count++ == 0) found->first = p;
    return true;
}

static bool found_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_pairs *found = to;
    found->given = true;
    return n == NAME_KVs ? items(r, k, pair_item, found) : other(r, k);
}

typedef struct results {
    unsigned count;
    etcd_pairs first;
} results;

static bool result_item(etcd_parser *r, const token *k, void *to) {
    results *all = to;
    etcd_pairs found = {0};
    if (!members(r, k, found_member, &found)) return false;
    if (all->count++ == 0) all->first = found;
    return true;
}

static bool txn_response_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_record *out = to;
    results all = {0};
    switch (n) {
    case NAME_Failure: out->failed = k->kind == TOKEN_TRUE; return other(r, k);
    case NAME_Results:
        if (!items(r, k, result_item, &all)) return false;
        if (all.count) out->found = all.first;
        return true;
    default: return other(r, k);
    }
}

static bool output_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_record *out = to;
    switch (n) {
    case NAME_Range: return members(r, k, found_member, &out->found);
    case NAME_Txn: return members(r, k, txn_response_member, out);
    case NAME_Revision: return integer(r, k, &out->revision);
    case NAME_Error:
    case NAME_ClientError:
        out->unknown |= k->kind != TOKEN_NIL && !(k->kind == TOKEN_STRING && k->size == 0);
        return other(r, k);
    case NAME_PartialResponse:
    case NAME_Persisted: out->unknown |= k->kind == TOKEN_TRUE; return other(r, k);
    default: return other(r, k);
    }
}

/* ---- the line ---- */

static bool record_member(etcd_parser *r, name n, const token *k, void *to) {
    etcd_record *out = to;
    switch (n) {
    case NAME_ClientId: return tokens_value(&r->t, k, r->v, false, &out->client);
    case NAME_Input: return members(r, k, input_member, out);
    case NAME_Call: return out->has_call = integer(r, k, &out->call);
    case NAME_Output: return members(r, k, output_member, out);
    case NAME_Return: return out->has_ret = integer(r, k, &out->ret);
    default: return other(r, k);
    }
}

bool etcd_parse(etcd_parser *r, const char *p, size_t n, uint32_t line, etcd_record *out) {
    token k;
    *out = (etcd_record){.line = line, .client = VALUE_UNKNOWN, .type_name = VALUE_NONE, .range = no_range(r)};
    tokens_init_line(&r->t, DIALECT_JSON, p, n, line);
    if (tokens_next(&r->t, &k) == TOKEN_MAP && members(r, &k, record_member, out) &&
        tokens_next(&r->t, &k) == TOKEN_END)
        return true;
    if (r->t.x.wrong[0]) return builder_error(r->b, tokens_line(&r->t), "%s", tokens_what(&r->t));
    return builder_error(
        r->b, line,
        "expected one object such as {\"ClientId\":9,\"Input\":{...},\"Call\":1,\"Output\":{...},\"Return\":2}");
}
