#include "evidence/segment.h"

#include "base/digest.h"
#include "evidence/witness_check.h"
#include "evidence/history_digest.h"
#include "format/format.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* ---- links ---- */

void chain_link_free(chain_link *l) {
    for (uint32_t i = 0; i < l->clients; i++) free(l->client[i].name);
    free(l->client);
    *l = (chain_link){.horizon = -1};
}

static client_digest *add_client(chain_link *l, const char *name, size_t size) {
    if (l->clients == l->room) {
        l->room = l->room ? 2 * l->room : 8;
        l->client = MEM_GROW(l->client, client_digest, l->room);
    }
    char *own = mem_copy(name, size + 1);
    own[size] = 0;
    l->client[l->clients] = (client_digest){own, DIGEST_START};
    return &l->client[l->clients++];
}

static uint32_t place_of_client(chain_link *l, const history *h, uint32_t i) {
    text name = {0};
    value_print(h->values, history_client_name(h, i), &name);
    uint32_t place = 0;
    while (place < l->clients && strcmp(l->client[place].name, text_str(&name))) place++;
    if (place == l->clients) add_client(l, text_str(&name), name.size);
    assert(place < l->clients && !strcmp(l->client[place].name, text_str(&name)));
    text_free(&name);
    return place;
}

static void print_clients(const chain_link *l, text *out) {
    for (uint32_t i = 0; i < l->clients; i++)
        text_printf(out, "%s %016" PRIx64 "\n", l->client[i].name, l->client[i].digest);
}

static void print_link(const chain_link *l, text *out) {
    text_printf(out, "%" PRIu64 " %" PRId64 "\n", l->number, l->horizon);
    print_clients(l, out);
}

static bool read_link(const char *p, chain_link *l) {
    int used = 0;
    if (sscanf(p, "%" SCNu64 " %" SCNd64 "\n%n", &l->number, &l->horizon, &used) != 2 || !used) return false;
    for (p += used; *p;) {
        const char *end = strchr(p, '\n'), *blank = end;
        while (blank && blank > p && *blank != ' ') blank--;
        if (!end || blank == p || end - blank != 17) return false;
        add_client(l, p, (size_t)(blank - p))->digest = strtoull(blank + 1, NULL, 16);
        p = end + 1;
    }
    return true;
}

static bool is_carried(const history *h, uint32_t i, uint32_t carried) { return history_number(h, i) < carried; }

/* Operations are visited in the order of their calls, so each client's in its own order. */
static void move_on(chain_link *l, const history *h, uint32_t carried) {
    uint32_t *place = mem_zero((size_t)h->clients + 1, sizeof *place); /* by client: where its digest is, plus one */
    for (uint32_t i = 0; i < h->n; i++) {
        if (is_carried(h, i, carried)) continue;
        if (history_call_time(h, i) > l->horizon) l->horizon = history_call_time(h, i);
        if (history_pending(h, i)) continue;
        uint32_t *mine = &place[history_client(h, i)];
        if (!*mine) *mine = place_of_client(l, h, i) + 1;
        l->client[*mine - 1].digest = compact_digest(l->client[*mine - 1].digest, h, i);
    }
    l->number++;
    assert(l->clients <= l->room);
    free(place);
}

/* ---- states ---- */

/* What the first operations tell, as recalled_print prints it. */
static void print_carried(const object *o, const history *h, const witness *w, uint32_t carried, text *out) {
    recalled r = {
        .n = carried, .op = MEM_ARRAY(operation, (size_t)carried + 1), .client = MEM_ARRAY(value, (size_t)carried + 1)};
    for (uint32_t k = 0; k < carried; k++) {
        history_operation(h, w->op[k], &r.op[k]);
        r.client[k] = history_client_name(h, w->op[k]);
    }
    recalled_print(o, &r, out);
    recalled_free(&r);
}

static uint64_t digest_of(const text *link, const text *told) {
    return digest_bytes(digest_bytes(DIGEST_START, link->at, link->size), told->at, told->size);
}

/* ---- writing ---- */

static void claim(const object *o, uint32_t carried, uint32_t operations, const text *link, uint64_t from, uint64_t to,
                  text *out) {
    text_add(out, "{\"plumb\":\"" SEGMENT_KIND "\",\"object\":");
    text_json(out, o->name, strlen(o->name));
    text_add(out, ",\"init\":");
    if (o->init_text) text_json(out, o->init_text, strlen(o->init_text));
    else text_add(out, "null");
    text_printf(out, ",\"carried\":%u,\"operations\":%u,\"link\":", carried, operations);
    text_json(out, link->at, link->size);
    text_printf(out, ",\"from\":\"%016" PRIx64 "\",\"to\":\"%016" PRIx64 "\"}", from, to);
}

static bool write_file(const char *path, const history *h, const object *o, const witness *w, const text *said,
                       error *e) {
    output *out = output_open(path, e);
    return out && output_end(out, compact_write_claim(out, h, o, w, said, e));
}

bool segment_write(const char *path, const history *h, const object *o, uint32_t carried, chain_link *link,
                   recalled *told, error *e) {
    witness w = compact_order(h, h->n);
    text before = {0}, behind = {0}, here = {0}, there = {0}, said = {0};
    bool good = recall(o, h, w.op, h->n, told);
    if (!good)
        error_set(e, EXIT_UNDECIDED, "the state of a %s where a segment ends cannot be told in operations", o->name);
    print_link(link, &before);
    print_carried(o, h, &w, carried, &here);
    assert(carried <= h->n);
    uint64_t number = link->number;
    int64_t horizon = link->horizon;
    move_on(link, h, carried);
    assert(link->number == number + 1 && link->horizon >= horizon); /* a chain goes forward */
    (void)number;
    (void)horizon;
    print_link(link, &behind);
    recalled_print(o, told, &there);
    claim(o, carried, h->n - carried, &before, digest_of(&before, &here), digest_of(&behind, &there), &said);
    good = good && write_file(path, h, o, &w, &said, e);
    witness_free(&w);
    text_free(&before);
    text_free(&behind);
    text_free(&here);
    text_free(&there);
    text_free(&said);
    return good;
}

/* ---- reading ---- */

typedef struct segment_claim {
    char *object, *init;
    uint64_t carried, operations, from, to;
    chain_link link;
    bool has_link, has_from, has_to;
} segment_claim;

static bool read_number(const token *k, uint64_t *out) {
    *out = (uint64_t)k->integer;
    return k->kind == TOKEN_INT && k->integer >= 0;
}

static bool read_text(const token *k, char **out) {
    if (k->kind == TOKEN_NIL) return true;
    return k->kind == TOKEN_STRING && !*out && (*out = compact_string(k));
}

static bool read_digest(const token *k, uint64_t *out, bool *has) {
    char room[17] = {0};
    if (k->kind != TOKEN_STRING || k->size != 16) return false;
    memcpy(room, k->at, 16);
    *out = strtoull(room, NULL, 16);
    return *has = true;
}

static bool read_link_field(const token *k, segment_claim *c) {
    if (k->kind != TOKEN_STRING || c->has_link) return false;
    char *lines = compact_string(k);
    c->has_link = read_link(lines, &c->link);
    free(lines);
    return c->has_link;
}

static bool read_field(void *context, const char *field, const token *k) {
    segment_claim *c = context;
    if (!strcmp(field, "plumb")) return compact_is_word(k, SEGMENT_KIND);
    if (!strcmp(field, "object")) return read_text(k, &c->object);
    if (!strcmp(field, "init")) return read_text(k, &c->init);
    if (!strcmp(field, "carried")) return read_number(k, &c->carried);
    if (!strcmp(field, "operations")) return read_number(k, &c->operations);
    if (!strcmp(field, "from")) return read_digest(k, &c->from, &c->has_from);
    if (!strcmp(field, "to")) return read_digest(k, &c->to, &c->has_to);
    return !strcmp(field, "link") && read_link_field(k, c);
}

static bool read_kind(void *context, const char *field, const token *k) {
    bool *is = context;
    if (!strcmp(field, "plumb")) *is = compact_is_word(k, SEGMENT_KIND);
    return !*is && strcmp(field, "plumb");
}

bool segment_is(const history *h) {
    bool is = false;
    compact_read_claim(h, read_kind, &is);
    return is;
}

static void claim_free(segment_claim *c) {
    free(c->object);
    free(c->init);
    chain_link_free(&c->link);
}

/* ---- checking ---- */

struct segment_chain {
    const char *trusted;
    bool begun;
    uint64_t first, segments, operations;
    char *object;
    chain_link link;    /* behind the last one */
    text behind, state; /* the same as text, and the state there */
    builder *all;       /* the operations of all of them; NULL: not asked for */
    error gathering;
    char *type, *init;
};

static int refuse(text *report, const char *name, const char *why) {
    text_printf(report, "refused: %s: %s\n", name, why);
    return EXIT_VIOLATION;
}

static bool respects_horizon(const history *h, const segment_claim *c) {
    for (uint32_t i = 0; i < h->n; i++)
        if (!is_carried(h, i, (uint32_t)c->carried) && !history_pending(h, i) &&
            history_ret_time(h, i) < c->link.horizon)
            return false;
    return true;
}

/* Told by operations that were over before anything else began, one after the other. */
static bool carries_first(const history *h, const segment_claim *c) {
    for (uint32_t i = 0; i < h->n; i++) {
        bool carried = is_carried(h, i, (uint32_t)c->carried);
        if (carried != (history_call_time(h, i) < 0) ||
            (carried && (history_pending(h, i) || history_ret_time(h, i) >= 0)))
            return false;
    }
    return true;
}

static int check_link(const segment_chain *c, const segment_claim *s, const text *before, const text *here,
                      const char *name, text *report) {
    char why[160];
    if (!c->begun) return EXIT_LINEARIZABLE;
    if (s->link.number != c->link.number) {
        snprintf(why, sizeof why,
                 "it is segment %" PRIu64 "; expected segment %" PRIu64
                 ": one is missing, or they are not in their order",
                 s->link.number, c->link.number);
        return refuse(report, name, why);
    }
    if (strcmp(text_str(before), text_str(&c->behind)))
        return refuse(report, name, "its link is not that of the segment before it");
    if (strcmp(text_str(here), text_str(&c->state)))
        return refuse(report, name, "it does not begin in the state in which the segment before it ended");
    return EXIT_LINEARIZABLE;
}

static int check_order(const history *h, const object *o, const segment_claim *s, const witness *w, const char *name,
                       text *report) {
    text why = {0};
    int code = EXIT_LINEARIZABLE;
    if (s->carried + s->operations != h->n) code = refuse(report, name, "it has not as many operations as it says");
    else if (!carries_first(h, s))
        code = refuse(report, name, "the operations that tell its first state are not before all others");
    else if (!respects_horizon(h, s))
        code = refuse(report, name, "an operation returned before one of a segment before it was called");
    else if (!witness_check(h, o, w, &why)) code = refuse(report, name, text_str(&why));
    text_free(&why);
    return code;
}

/* The operations of the run; the carried ones are none. */
static void gather(segment_chain *c, const history *h, uint32_t carried) {
    values *to = builder_values(c->all);
    for (uint32_t i = 0; i < h->n; i++) {
        value arg[HISTORY_MAX_ARGS];
        const char *name = h->method_name[h->method[i]];
        if (is_carried(h, i, carried)) continue;
        for (unsigned a = 0; a < h->nargs[i]; a++) arg[a] = value_copy(to, h->values, h->arg[a][i]);
        call_record call = {.client = value_copy(to, h->values, history_client_name(h, i)),
                            .method = builder_method(c->all, name, strlen(name), 0),
                            .key = h->key ? value_copy(to, h->values, h->key[i]) : VALUE_NONE,
                            .arg = arg,
                            .nargs = h->nargs[i]};
        bool returned = !history_pending(h, i);
        builder_whole_operation(c->all, &call, history_call_time(h, i), returned ? history_ret_time(h, i) : 0, returned,
                                returned ? value_copy(to, h->values, h->res[i]) : VALUE_UNKNOWN);
    }
}

static int check_segment(segment_chain *c, const history *h, const object *o, segment_claim *s, const char *name,
                         text *report) {
    witness w = compact_order(h, h->n);
    recalled end = {0};
    text before = {0}, here = {0}, behind = {0}, there = {0};
    int code = check_order(h, o, s, &w, name, report);
    if (!code) {
        print_link(&s->link, &before);
        print_carried(o, h, &w, (uint32_t)s->carried, &here);
        if (digest_of(&before, &here) != s->from) code = refuse(report, name, "the digest of where it begins is wrong");
        else if (!s->link.number && s->carried)
            code = refuse(report, name, "the first segment begins in a state that is not the object's first");
        else code = check_link(c, s, &before, &here, name, report);
    }
    if (!code) {
        move_on(&s->link, h, (uint32_t)s->carried);
        print_link(&s->link, &behind);
        bool told = recall(o, h, w.op, h->n, &end);
        recalled_print(o, &end, &there);
        if (!told || digest_of(&behind, &there) != s->to)
            code = refuse(report, name, "the digest of where it ends is wrong");
    }
    if (!code) {
        if (!c->begun) c->first = s->link.number - 1;
        c->begun = true;
        c->segments++;
        c->operations += s->operations;
        if (c->all) gather(c, h, (uint32_t)s->carried);
        if (!c->type) {
            c->type = mem_string(o->name);
            c->init = o->init_text ? mem_string(o->init_text) : NULL;
        }
        chain_link_free(&c->link);
        c->link = s->link;
        s->link = (chain_link){0};
        text_clear(&c->behind);
        text_clear(&c->state);
        text_bytes(&c->behind, behind.at, behind.size);
        text_bytes(&c->state, there.at, there.size);
    }
    recalled_free(&end);
    witness_free(&w);
    text_free(&before);
    text_free(&here);
    text_free(&behind);
    text_free(&there);
    return code;
}

/* All segments are of one object: what the first says. */
static bool same_object(segment_chain *c, const object *o, const char *name, text *report, int *code) {
    text said = {0};
    certify_say_object(o, &said);
    bool same = !c->object || !strcmp(c->object, text_str(&said));
    if (!c->object) c->object = mem_copy(text_str(&said), said.size + 1);
    if (!same) *code = refuse(report, name, "it is about another object than the segments before it");
    text_free(&said);
    return same;
}

static int add_history(segment_chain *c, history *h, const char *name, text *report, error *e) {
    segment_claim s = {.link.horizon = -1};
    object *o = NULL;
    int code = 0;
    if (!compact_read_claim(h, read_field, &s) || !s.object || !s.has_link || !s.has_from || !s.has_to ||
        s.carried > h->n || !history_has_times(h) || !h->client)
        error_set(e, EXIT_BAD_INPUT, "%s: no segment of a certificate; expected one", name);
    else o = certificate_open_object(name, 0, c->trusted, s.object, s.init, e);
    if (!o || !object_bind(o, h, name, e)) code = e->code;
    else if (same_object(c, o, name, report, &code)) code = check_segment(c, h, o, &s, name, report);
    object_close(o);
    history_free(h);
    claim_free(&s);
    return code;
}

segment_chain *chain_new(const char *trusted) {
    segment_chain *c = MEM_NEW(segment_chain);
    c->trusted = trusted;
    return c;
}

int chain_add(segment_chain *c, const char *path, text *report, error *e) {
    const format *used;
    input *in = input_open(path, e);
    if (!in) return e->code;
    history *h = format_read_input(in, &(read_options){0}, &used, e);
    int code = h ? add_history(c, h, input_name(in), report, e) : e->code;
    input_close(in);
    return code;
}

enum { DIGESTS_SHOWN = 16 };

int chain_end(const segment_chain *c, text *report) {
    if (!c->operations) return certify_nothing(report);
    text_printf(report, "holds: %" PRIu64 " operations of object %s in %" PRIu64 " segment%s are linearizable",
                c->operations, c->object, c->segments, c->segments == 1 ? "" : "s");
    if (c->first) text_printf(report, " if the run came to the state in which segment %" PRIu64 " begins", c->first);
    text_add(report, ": each witness was replayed from where the one before ended and keeps the order of time\n");
    if (!c->link.clients || c->link.clients > DIGESTS_SHOWN) return EXIT_LINEARIZABLE;
    text_add(report, "what each client was answered, as a digest:\n");
    print_clients(&c->link, report);
    return EXIT_LINEARIZABLE;
}

void chain_keep_operations(segment_chain *c) { c->all = builder_new("segments", &c->gathering); }

int chain_tie(segment_chain *c, const char *history_path, text *report, error *e) {
    assert(c->all && c->type);
    if (c->first) {
        text_clear(report);
        text_printf(report, "refused: the segments begin with number %" PRIu64 "; a history is that of all of them\n",
                    c->first);
        return EXIT_VIOLATION;
    }
    history *h = builder_finish(c->all);
    object *o = h ? certificate_open_object("segments", 0, c->trusted, c->type, c->init, e) : NULL;
    if (!h) *e = c->gathering;
    int code = o && object_bind(o, h, "segments", e) ? EXIT_LINEARIZABLE : e->code;
    if (!code) {
        named_history inside = {history_digest(h, o), c->type, c->init};
        code = certify_tie(&inside, history_path, c->trusted, report, e);
    }
    object_close(o);
    history_free(h);
    return code;
}

void chain_free(segment_chain *c) {
    if (!c) return;
    builder_free(c->all);
    free(c->type);
    free(c->init);
    chain_link_free(&c->link);
    text_free(&c->behind);
    text_free(&c->state);
    free(c->object);
    free(c);
}

int segment_certify_alone(history *h, const char *name, const char *trusted, const char *history_path, text *report,
                          error *e) {
    segment_chain *c = chain_new(trusted);
    if (history_path) chain_keep_operations(c);
    int code = add_history(c, h, name, report, e);
    if (!code) code = chain_end(c, report);
    if (!code && history_path) code = chain_tie(c, history_path, report, e);
    chain_free(c);
    return code;
}
