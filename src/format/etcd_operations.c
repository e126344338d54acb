/* etcd's robustness reports (client-N/operations.json): one porcupine.Operation in JSON a line. Understood, as
 * operations of a key-value store:
 *
 *     a range of one key at the current revision                    get -> its value, none when it is absent
 *     a transaction without condition that puts, deletes or gets
 *         one key                                                   put, delete, get
 *     a transaction that puts a key if its revision is r            cas(old, new), old being the value that an earlier
 *                                                                   response showed with revision r, none for r = 0
 *     the same when it failed and then read the key                 get
 *
 * The last but one compares values where etcd compares revisions: right as long as no value is put to a key twice, as
 * in etcd's own tests. An error, a partial response or Return 0 make the operation pending. Ranges of several keys or
 * of the past, lease grants, defragmentation and compaction change no key: they become annotations. Everything else
 * (several writes in a transaction, revoked leases) is refused, for leaving it out could make a right history look
 * wrong. */
#include "format/etcd_operations.h"

#include "base/hash.h"
#include "base/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct shown_pairs { /* which value had which revision of a key */
    etcd_pair *pair;
    uint32_t count, room;
    table known; /* by key and revision */
} shown_pairs;

typedef struct etcd_reader {
    etcd_parser p;
    builder *b;
    values *v;
    shown_pairs shown;
    value one_key; /* the empty string */
} etcd_reader;

/* ---- which value had which revision ---- */

static uint32_t pair_hash(const void *owner, uint32_t i) {
    const etcd_pair *p = &((const shown_pairs *)owner)->pair[i];
    return (uint32_t)hash_pair(p->key, (uint64_t)p->revision);
}

static bool pair_is(const void *owner, uint32_t i, const void *key) {
    const etcd_pair *p = &((const shown_pairs *)owner)->pair[i], *sought = key;
    return p->key == sought->key && p->revision == sought->revision;
}

/* NULL: no response showed it. */
static etcd_pair *shown_pair(const shown_pairs *s, value key, int64_t revision) {
    etcd_pair sought = {.key = key, .revision = revision};
    uint32_t i = table_find(&s->known, (uint32_t)hash_pair(key, (uint64_t)revision), pair_is, s, &sought);
    return i == TABLE_NONE ? NULL : &s->pair[i];
}

static void see(void *context, const etcd_pair *pair) {
    shown_pairs *s = context;
    etcd_pair *known = shown_pair(s, pair->key, pair->revision);
    if (known) {
        *known = *pair;
        return;
    }
    if (s->count == s->room) s->pair = MEM_GROW(s->pair, etcd_pair, s->room = s->room ? s->room * 2 : 64);
    s->pair[s->count] = *pair;
    table_add(&s->known, pair_hash(s, s->count), pair_hash, s, s->count);
    s->count++;
}

/* ---- what a record is ---- */

static bool pending(const etcd_record *e) { return e->unknown || !e->has_ret || e->ret == 0; }

static bool add(etcd_reader *r, const etcd_record *e, const char *name, value key, const value *arg, size_t nargs,
                value res) {
    unsigned number = builder_method(r->b, name, strlen(name), e->line);
    call_record call = {.client = e->client, .method = number, .key = key, .arg = arg, .nargs = nargs, .line = e->line};
    return builder_whole_operation(r->b, &call, e->call, e->ret, !pending(e), res);
}

static bool note(etcd_reader *r, const etcd_record *e, const char *what) {
    text t = {0};
    text_printf(&t, "client ");
    value_print(r->v, e->client, &t);
    text_printf(&t, ": %s", what);
    builder_annotation(r->b, value_bytes(r->v, t.at, t.size));
    text_free(&t);
    return true;
}

static bool refuse(etcd_reader *r, const etcd_record *e, const char *what) {
    return builder_error(r->b, e->line,
                         "%s is not understood; expected gets, puts, deletes and compare-and-puts of one key", what);
}

static bool get(etcd_reader *r, const etcd_record *e, const etcd_range *range) {
    if (range->end != r->one_key) return note(r, e, "range of several keys, not checked");
    if (range->revision) return note(r, e, "range of an old revision, not checked");
    if (!pending(e) && !e->found.given) return refuse(r, e, "a range without its response");
    return add(r, e, "get", range->start, NULL, 0, e->found.count ? e->found.first.content : VALUE_NONE);
}

static bool act(etcd_reader *r, const etcd_record *e, const etcd_step *s) {
    switch (s->action) {
    case ETCD_RANGE: return get(r, e, &s->range);
    case ETCD_DELETE: return add(r, e, "delete", s->key, NULL, 0, VALUE_NONE);
    case ETCD_PUT:
        if (!pending(e) && e->revision) see(&r->shown, &(etcd_pair){s->key, s->content, e->revision});
        return add(r, e, "put", s->key, &s->content, 1, VALUE_NONE);
    default: return refuse(r, e, "this operation inside a transaction");
    }
}

/* Fails without effect: what it read then is all there is to check. */
static bool failed(etcd_reader *r, const etcd_record *e) {
    if (e->failure.count == 1 && e->failure.first.action == ETCD_RANGE) return get(r, e, &e->failure.first.range);
    return note(r, e, "transaction whose condition failed, not checked");
}

static bool compare_and_put(etcd_reader *r, const etcd_record *e) {
    const etcd_condition *c = &e->condition;
    const etcd_step *s = &e->success.first;
    bool writes_on_failure = e->failure.count > 1 || (e->failure.count && e->failure.first.action != ETCD_RANGE);
    if (e->conditions > 1 || c->version || writes_on_failure)
        return refuse(r, e, "a transaction with these conditions");
    if (!pending(e) && e->failed && e->failure.count) return failed(r, e);
    if (e->success.count != 1 || s->action != ETCD_PUT || s->key != c->key)
        return refuse(r, e, "a conditional transaction other than a put of the key compared");
    value arg[2] = {VALUE_NONE, s->content};
    if (c->revision) {
        const etcd_pair *old = shown_pair(&r->shown, c->key, c->revision);
        if (!old && e->failed && !pending(e)) return failed(r, e);
        if (!old) return refuse(r, e, "a comparison with a revision that no earlier response showed");
        arg[0] = old->content;
    }
    if (!pending(e) && !e->failed && e->revision) see(&r->shown, &(etcd_pair){s->key, s->content, e->revision});
    return add(r, e, "cas", c->key, arg, 2, value_bool(!e->failed));
}

static bool understand(etcd_reader *r, const etcd_record *e) {
    if (e->client == VALUE_UNKNOWN || !e->has_call || !e->has_input)
        return builder_error(r->b, e->line,
                             "operation without \"%s\"; expected ClientId, Input, Call, Output and Return",
                             e->client == VALUE_UNKNOWN ? "ClientId"
                             : e->has_input             ? "Call"
                                                        : "Input");
    switch (e->type) {
    case ETCD_TYPE_RANGE: return get(r, e, &e->range);
    case ETCD_TYPE_TXN:
        if (e->conditions) return compare_and_put(r, e);
        if (e->success.count != 1) return refuse(r, e, "a transaction of several operations");
        return act(r, e, &e->success.first);
    case ETCD_TYPE_LEASE_GRANT: return note(r, e, "lease granted");
    case ETCD_TYPE_DEFRAGMENT: return note(r, e, "defragmentation");
    case ETCD_TYPE_COMPACT: return note(r, e, "compaction");
    case ETCD_TYPE_LEASE_REVOKE: return refuse(r, e, "a revoked lease (it deletes keys)");
    default: return refuse(r, e, "this type of request");
    }
}

/* ---- the file ---- */

static bool blank(const char *p, size_t n) { return strspn(p, " \t") == n; }

static bool read_etcd(input *in, builder *b, const read_options *options) {
    (void)options;
    etcd_reader r = {.b = b, .v = builder_values(b)};
    r.one_key = value_bytes(r.v, "", 0);
    r.p = (etcd_parser){.b = b, .v = r.v, .seen = see, .context = &r.shown};
    builder_object(b, "kv");
    etcd_record e;
    size_t n;
    bool good = true;
    for (char *p; good && (p = input_line(in, &n));)
        good = blank(p, n) || (etcd_parse(&r.p, p, n, input_line_number(in), &e) && understand(&r, &e));
    tokens_free(&r.p.t);
    free(r.shown.pair);
    table_free(&r.shown.known);
    return good && !input_failed(in);
}

static int sniff_etcd(const char *p, size_t n) {
    size_t at = 0;
    while (at < n && memchr(" \t\r\n", p[at], 4)) at++;
    if (at == n || p[at] != '{') return 0;
    size_t shown = n - at < 4096 ? n - at : 4096;
    return memmem(p + at, shown, "\"ClientId\"", 10) && memmem(p + at, shown, "\"Input\"", 7) ? 95 : 0;
}

const format format_etcd_operations = {
    .name = "etcd-operations",
    .summary = "operations.json of etcd's robustness tests",
    .suffixes = "operations.json",
    .sniff = sniff_etcd,
    .read = read_etcd,
    .write = etcd_write,
};
