#include "evidence/compact.h"

#include "base/digest.h"
#include "evidence/witness_check.h"
#include "evidence/history_digest.h"
#include "evidence/segment.h"
#include "format/format.h"
#include "history/value_digest.h"

#include <assert.h>
#include <stdio.h>

/* ---- digests ---- */

uint64_t compact_digest(uint64_t digest, const history *h, uint32_t i) {
    bool keyed = h->key && h->key[i] != VALUE_NONE;
    digest = digest_call(digest, h->method[i], h->nargs[i] + (uint64_t)keyed);
    if (keyed) digest = value_digest(digest, h->values, h->key[i]);
    for (unsigned a = 0; a < h->nargs[i]; a++) digest = value_digest(digest, h->values, h->arg[a][i]);
    return value_digest(digest, h->values, h->res[i]);
}

/* A client that went on after a pending operation is several in a history, all of one name. */
static uint32_t first_of_name(const history *h, uint32_t c) {
    uint32_t first = 0;
    while (h->client_name[first] != h->client_name[c]) first++;
    assert(first <= c);
    return first;
}

/* A line for each client: its name and the digest of what it was answered, in the order of its calls. */
static void digest_lines(const history *h, text *out) {
    uint32_t clients = h->client ? h->clients : 0, *who = MEM_ARRAY(uint32_t, (size_t)clients + 1);
    uint64_t *digest = MEM_ARRAY(uint64_t, (size_t)clients + 1);
    for (uint32_t c = 0; c < clients; c++) {
        who[c] = first_of_name(h, c);
        digest[c] = DIGEST_START;
    }
    for (uint32_t i = 0; i < h->n && clients; i++)
        if (!history_pending(h, i)) digest[who[h->client[i]]] = compact_digest(digest[who[h->client[i]]], h, i);
    for (uint32_t c = 0; c < clients; c++) {
        if (who[c] != c) continue;
        value_print(h->values, h->client_name[c], out);
        text_printf(out, " %016llx\n", (unsigned long long)digest[c]);
    }
    free(who);
    free(digest);
}

/* ---- writing ---- */

static void claim(const history *h, const object *o, const witness *w, text *out) {
    text lines = {0};
    digest_lines(h, &lines);
    text_add(out, "{\"plumb\":\"" COMPACT_KIND "\",\"object\":");
    text_json(out, o->name, strlen(o->name));
    text_add(out, ",\"init\":");
    if (o->init_text) text_json(out, o->init_text, strlen(o->init_text));
    else text_add(out, "null");
    text_printf(out, ",\"ordered\":%u,\"digests\":", w->n);
    text_json(out, text_str(&lines), lines.size);
    text_char(out, '}');
    text_free(&lines);
}

/* First the witness, then the pending operations that it leaves out. */
static uint32_t *order_of(const history *h, const witness *w) {
    uint32_t *order = MEM_ARRAY(uint32_t, (size_t)h->n + 1), n = 0;
    uint8_t *placed = mem_zero((size_t)h->n + 1, 1);
    for (uint32_t k = 0; k < w->n; k++) {
        assert(w->op[k] < h->n && !placed[w->op[k]]); /* a witness has each operation once */
        placed[order[n++] = w->op[k]] = 1;
    }
    for (uint32_t i = 0; i < h->n; i++)
        if (!placed[i]) order[n++] = i;
    assert(n == h->n);
    free(placed);
    return order;
}

static void *reorder(const void *column, size_t size, const uint32_t *order, uint32_t n) {
    if (!column) return NULL;
    char *to = mem_alloc(n * size + 1);
    for (uint32_t k = 0; k < n; k++) memcpy(to + k * size, (const char *)column + order[k] * size, size);
    return to;
}

static stamps reorder_stamps(const stamps *from, const uint32_t *order, uint32_t n) {
    return (stamps){from->base, reorder(from->narrow, sizeof *from->narrow, order, n),
                    reorder(from->wide, sizeof *from->wide, order, n)};
}

/* The columns in another order, with the stamps the file had (a reader then finds the same order of events, whatever
 * stamps are equal): good for writing and nothing else, where calls need not ascend. */
static history reordered(const history *h, const uint32_t *order, annotation *note) {
    history r = *h;
    r.call = reorder(h->call, sizeof *h->call, order, h->n);
    r.ret = reorder(h->ret, sizeof *h->ret, order, h->n);
    r.client = reorder(h->client, sizeof *h->client, order, h->n);
    r.method = reorder(h->method, sizeof *h->method, order, h->n);
    r.nargs = reorder(h->nargs, sizeof *h->nargs, order, h->n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) r.arg[a] = reorder(h->arg[a], sizeof(value), order, h->n);
    r.key = reorder(h->key, sizeof *h->key, order, h->n);
    r.res = reorder(h->res, sizeof *h->res, order, h->n);
    r.line = r.number = NULL;
    r.call_time = reorder_stamps(&h->call_time, order, h->n);
    r.ret_time = reorder_stamps(&h->ret_time, order, h->n);
    r.annotation = note;
    r.annotations = 1;
    return r;
}

static void reordered_free(history *r) {
    void *all[] = {
        r->call,   r->ret, r->client, r->method,           r->nargs,          r->arg[0],          r->arg[1],
        r->arg[2], r->key, r->res,    r->call_time.narrow, r->call_time.wide, r->ret_time.narrow, r->ret_time.wide};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Stamps that are equal can make them so. */
static bool clients_are_sequential(const history *h, error *e) {
    uint32_t *until = mem_zero((size_t)h->clients + 1, sizeof *until), wrong = h->n;
    for (uint32_t i = 0; i < h->n && h->client && wrong == h->n; i++) {
        if (h->call[i] < until[h->client[i]]) wrong = i;
        until[h->client[i]] = h->ret[i];
    }
    free(until);
    if (wrong == h->n) return true;
    text name = {0};
    value_print(h->values, history_client_name(h, wrong), &name);
    error_set(e, EXIT_BAD_INPUT,
              "operations of client %.60s overlap; expected one after the other in a compact certificate",
              text_str(&name));
    text_free(&name);
    return false;
}

bool compact_write_claim(output *out, const history *h, const object *o, const witness *w, const text *claim,
                         error *e) {
    if (w->begins)
        return error_set(e, EXIT_USAGE,
                         "a compact certificate holds an order of operations; expected no steps of several");
    if (!clients_are_sequential(h, e)) return false;
    uint32_t *order = order_of(h, w);
    annotation note = {.before = 0, .text = value_bytes(h->values, claim->at, claim->size)};
    history r = reordered(h, order, &note);
    bool good = format_find("plumb-binary")->write(&r, o, out, e);
    reordered_free(&r);
    free(order);
    return good;
}

bool compact_write_to(output *out, const history *h, const object *o, const witness *w, error *e) {
    text said = {0};
    claim(h, o, w, &said);
    bool good = compact_write_claim(out, h, o, w, &said, e);
    text_free(&said);
    return good;
}

bool compact_write(const char *path, const history *h, const object *o, const witness *w, error *e) {
    output *out = output_open(path, e);
    return out && output_end(out, compact_write_to(out, h, o, w, e));
}

/* ---- checking ---- */

typedef struct claimed {
    char *object, *init;
    uint64_t ordered;
    text digests; /* lines: client, blank, digest */
} claimed;

char *compact_string(const token *k) {
    char *s = mem_alloc(k->size + 1);
    memcpy(s, k->at, k->size);
    s[k->size] = 0;
    return s;
}

bool compact_is_word(const token *k, const char *word) {
    return k->kind == TOKEN_STRING && k->size == strlen(word) && !memcmp(k->at, word, k->size);
}

static bool read_field(void *context, const char *field, const token *k) {
    claimed *out = context;
    if (!strcmp(field, "plumb")) return compact_is_word(k, COMPACT_KIND);
    if (!strcmp(field, "object") && k->kind == TOKEN_STRING && !out->object) return (out->object = compact_string(k));
    if (!strcmp(field, "init") && k->kind == TOKEN_STRING && !out->init) return (out->init = compact_string(k));
    if (!strcmp(field, "init")) return k->kind == TOKEN_NIL;
    if (!strcmp(field, "ordered") && k->kind == TOKEN_INT && k->integer >= 0) {
        out->ordered = (uint64_t)k->integer;
        return true;
    }
    if (strcmp(field, "digests") || k->kind != TOKEN_STRING) return false;
    text_bytes(&out->digests, k->at, k->size);
    return true;
}

bool compact_read_claim(const history *h, bool (*read)(void *context, const char *field, const token *k),
                        void *context) {
    size_t n;
    token k;
    char field[16];
    if (!h->annotations || value_kind_of(h->values, h->annotation[0].text) != KIND_BYTES) return false;
    const char *p = value_as_bytes(h->values, h->annotation[0].text, &n);
    tokens t = {0};
    tokens_init_line(&t, DIALECT_JSON, p, n, 1);
    bool good = tokens_next(&t, &k) == TOKEN_MAP;
    while (good && tokens_next(&t, &k) == TOKEN_STRING) {
        snprintf(field, sizeof field, "%.*s", k.size < sizeof field ? (int)k.size : 0, k.at);
        tokens_next(&t, &k);
        good = read(context, field, &k);
    }
    good = good && k.kind == TOKEN_CLOSE;
    tokens_free(&t);
    return good;
}

/* The same lines, in whatever order: clients come in the order of their first operation in the file. */
static bool digests_hold(const history *h, const claimed *c) {
    text again = {0};
    digest_lines(h, &again);
    bool hold = again.size == c->digests.size;
    for (const char *line = text_str(&again), *end; hold && *line; line = end) {
        end = strchr(line, '\n') + 1;
        const char *at = text_str(&c->digests);
        while (*at && strncmp(at, line, (size_t)(end - line))) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : "";
        hold = *at != 0;
    }
    text_free(&again);
    return hold;
}

enum { DIGESTS_SHOWN = 16 };

static void say_digests(const history *h, const claimed *c, text *report) {
    if (!h->client || h->clients > DIGESTS_SHOWN) return;
    text_add(report, "what each client was answered, as a digest:\n");
    text_bytes(report, c->digests.at, c->digests.size);
}

static int refuse(text *report, const char *why) {
    text_printf(report, "refused: %s\n", why);
    return EXIT_VIOLATION;
}

witness compact_order(const history *h, uint32_t n) {
    witness w = {.n = n, .op = MEM_ARRAY(uint32_t, (size_t)n + 1)};
    uint32_t placed = 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (history_number(h, i) < n) {
            w.op[history_number(h, i)] = i;
            placed++;
        }
    assert(placed == n); /* numbers are those of the file: a permutation */
    (void)placed;
    return w;
}

static int check_claim(const history *h, const object *o, const claimed *c, text *report) {
    text why = {0};
    if (c->ordered > h->n) return refuse(report, "it orders more operations than there are");
    if (!digests_hold(h, c)) return refuse(report, "a digest is not that of what its client was answered");
    if (!h->n) return certify_nothing(report);
    witness w = compact_order(h, (uint32_t)c->ordered);
    if (!witness_keeps_own_order(h, &w)) text_add(&why, "the witness swaps two operations of one client");
    bool good = !why.size && witness_check(h, o, &w, &why);
    int code = good ? EXIT_LINEARIZABLE : refuse(report, text_str(&why));
    if (good) {
        text_printf(report, "holds: %u operations of object ", h->n);
        certify_say_object(o, report);
        text_add(report, " are linearizable: the witness was replayed and keeps the order of time\n");
        say_digests(h, c, report);
    }
    witness_free(&w);
    text_free(&why);
    return code;
}

bool compact_is(input *in) {
    const char *p;
    return input_peek(in, &p, 4) >= 4 && !memcmp(p, "PLMB", 4);
}

int compact_certify(input *in, const char *trusted, const char *history_path, text *report, error *e) {
    const char *name = input_name(in);
    const format *used;
    claimed c = {0};
    history *h = format_read_input(in, &(read_options){0}, &used, e);
    object *o = NULL;
    int code;
    if (!h) return e->code;
    if (segment_is(h)) return segment_certify_alone(h, name, trusted, history_path, report, e);
    if (!compact_read_claim(h, read_field, &c) || !c.object)
        error_set(e, EXIT_BAD_INPUT, "%s: a history that claims nothing; expected a certificate", name);
    else o = certificate_open_object(name, 0, trusted, c.object, c.init, e);
    if (o && object_bind(o, h, name, e)) code = check_claim(h, o, &c, report);
    else code = e->code;
    if (o && !code && history_path)
        code = certify_tie(&(named_history){history_digest(h, o), c.object, c.init}, history_path, trusted, report, e);
    object_close(o);
    history_free(h);
    free(c.object);
    free(c.init);
    text_free(&c.digests);
    return code;
}
