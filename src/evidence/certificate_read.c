/* Reading certificates: the file's shape is judged here, what it claims is not. */
#include "evidence/certificate.h"

#include "object/plugin.h"

#include "format/token.h"
#include "history/builder.h"
#include "theory/theory_object.h"

#include <stdio.h>

typedef struct number_list {
    uint32_t *at;
    uint32_t n, room;
} number_list;

typedef struct move_record {
    int64_t cut; /* -1: none */
    bool settled;
    value init;
    number_list keep;
} move_record;

typedef struct assumption {
    uint32_t op;
    value res;
} assumption;

typedef struct certificate_reader {
    input *in;
    builder *b;
    tokens t;
    error *e;
    const char *trusted; /* the plug-in whose object this is about; NULL: a built-in object */
    certificate *out;
    uint64_t operations, read;
    bool header;
    criterion criterion;
    bool ended;
    uint64_t sum;
    number_list witness, begins, ends;
    assumption *assumed;
    uint32_t assumptions;
    move_record *move;
    uint32_t moves;
} certificate_reader;

static bool wrong(certificate_reader *r, const char *what) {
    if (r->t.x.wrong[0]) what = tokens_what(&r->t);
    return error_set(r->e, EXIT_BAD_INPUT, "%s:%u: %s", input_name(r->in), input_line_number(r->in), what);
}

static bool is(const token *k, const char *word) {
    return k->kind == TOKEN_STRING && k->size == strlen(word) && memcmp(k->at, word, k->size) == 0;
}

/* ---- values ---- */

static bool read_value(certificate_reader *r, const token *k, value *out);

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(certificate_reader *r, const token *k, value *out) {
    if (k->kind != TOKEN_STRING || k->size % 2) return wrong(r, "\"hex\"; expected pairs of hexadecimal digits");
    text bytes = {0};
    bool good = true;
    for (size_t i = 0; i < k->size && good; i += 2) {
        int high = hex_digit(k->at[i]), low = hex_digit(k->at[i + 1]);
        good = high >= 0 && low >= 0;
        text_char(&bytes, (char)(high * 16 + low));
    }
    if (good) *out = value_bytes(builder_values(r->b), text_str(&bytes), bytes.size);
    text_free(&bytes);
    return good || wrong(r, "\"hex\"; expected pairs of hexadecimal digits");
}

static bool read_constant(certificate_reader *r, const token *k, value *out) {
    if (is(k, "empty")) *out = VALUE_EMPTY;
    else if (is(k, "full")) *out = VALUE_FULL;
    else if (is(k, "unknown")) *out = VALUE_UNKNOWN;
    else return wrong(r, "\"is\"; expected \"empty\", \"full\" or \"unknown\"");
    return true;
}

static bool read_items(certificate_reader *r, value **item, size_t *n);

static bool read_unordered(certificate_reader *r, const token *k, value_kind kind, value *out) {
    value *item = NULL;
    size_t n = 0;
    if (k->kind != TOKEN_LIST) return wrong(r, "set or map; expected an array");
    bool good = read_items(r, &item, &n);
    if (good && kind == KIND_MAP && n % 2) good = wrong(r, "\"map\"; expected keys and values in turn");
    if (good) *out = value_list_of(builder_values(r->b), kind, item, n);
    free(item);
    return good;
}

static bool read_special(certificate_reader *r, value *out) {
    token name, k;
    tokens_next(&r->t, &name);
    bool hex = is(&name, "hex"), set = is(&name, "set"), map = is(&name, "map");
    if (!hex && !set && !map && !is(&name, "is"))
        return wrong(r, "unknown kind of value; expected {\"is\":...}, {\"hex\":...}, {\"set\":...} or {\"map\":...}");
    tokens_next(&r->t, &k);
    if (set || map ? !read_unordered(r, &k, map ? KIND_MAP : KIND_SET, out)
                   : !(hex ? read_hex(r, &k, out) : read_constant(r, &k, out)))
        return false;
    return tokens_next(&r->t, &k) == TOKEN_CLOSE || wrong(r, "value; expected one field");
}

static bool read_items(certificate_reader *r, value **item, size_t *n) {
    token k;
    size_t room = 0;
    *item = NULL;
    *n = 0;
    while (tokens_next(&r->t, &k) != TOKEN_CLOSE) {
        if (*n == room) *item = MEM_GROW(*item, value, room = room ? 2 * room : 8);
        if (!read_value(r, &k, &(*item)[(*n)++])) return false;
    }
    return true;
}

static bool read_value(certificate_reader *r, const token *k, value *out) {
    values *v = builder_values(r->b);
    value *item;
    size_t n;
    bool good;
    switch (k->kind) {
    case TOKEN_NIL: *out = VALUE_NONE; return true;
    case TOKEN_TRUE:
    case TOKEN_FALSE: *out = value_bool(k->kind == TOKEN_TRUE); return true;
    case TOKEN_INT: *out = value_int(v, k->integer); return true;
    case TOKEN_NUMBER: return value_number(v, k->at, k->size, out) || wrong(r, "expected a number");
    case TOKEN_STRING: *out = value_bytes(v, k->at, k->size); return true;
    case TOKEN_MAP: return read_special(r, out);
    case TOKEN_LIST:
        good = read_items(r, &item, &n);
        if (good) *out = value_tuple(v, item, n);
        free(item);
        return good;
    default: return wrong(r, "expected a value");
    }
}

/* ---- lines ---- */

object *certificate_open_object(const char *file, uint32_t line, const char *trusted, const char *name,
                                const char *init, error *e) {
    char where[320];
    if (line) snprintf(where, sizeof where, "%.300s:%u", file, line);
    else snprintf(where, sizeof where, "%.300s", file);
    if (!trusted && plugin_named(name) && !theory_named(name)) {
        error_set(e, EXIT_BAD_INPUT,
                  "%s: the object is '%.200s'; expected a built-in object, or the plug-in with --object", where, name);
        return NULL;
    }
    object *o = specification_open(trusted ? trusted : name, init, e);
    if (o && strcmp(o->name, name) != 0)
        error_set(e, EXIT_BAD_INPUT,
                  "%s: the certificate is about object '%.100s'; expected '%.100s', which --object gives", where, name,
                  o->name);
    if (e->code == EXIT_USAGE) e->code = EXIT_BAD_INPUT;
    if (!e->code) return o;
    object_close(o);
    return NULL;
}

static bool open_object(certificate_reader *r, const char *name, const char *init) {
    r->out->o = certificate_open_object(input_name(r->in), input_line_number(r->in), r->trusted, name, init, r->e);
    if (r->out->o) object_relax(r->out->o, &r->criterion, r->e);
    if (r->e->code == EXIT_USAGE) r->e->code = EXIT_BAD_INPUT;
    return r->e->code == 0;
}

static char *own_string(const token *k) {
    char *s = mem_alloc(k->size + 1);
    memcpy(s, k->at, k->size);
    s[k->size] = 0;
    return s;
}

static bool read_criterion(certificate_reader *r, const token *k) {
    char *what = own_string(k);
    error unknown = {0};
    bool good = criterion_parse(what, &r->criterion, &unknown) || wrong(r, unknown.what);
    free(what);
    return good;
}

/* 16 hexadecimal digits */
static bool read_name(certificate_reader *r, const token *k) {
    uint64_t name = 0;
    bool good = k->kind == TOKEN_STRING && k->size == 16;
    for (size_t i = 0; good && i < k->size; i++) {
        int digit = hex_digit(k->at[i]);
        good = digit >= 0;
        name = name << 4 | (unsigned)(digit & 15);
    }
    r->out->named = good;
    r->out->name = name;
    return good || wrong(r, "\"history\"; expected 16 hexadecimal digits");
}

static bool read_header_field(certificate_reader *r, const char *field, const token *k, char **object_name,
                              char **init) {
    if (!strcmp(field, "plumb")) {
        if (!is(k, CERTIFICATE_KIND) && !is(k, CERTIFICATE_KIND_2) && !is(k, CERTIFICATE_KIND_1))
            return wrong(r, "not a certificate; expected {\"plumb\":\"" CERTIFICATE_KIND "\",...}");
        return r->header = true;
    }
    if (!strcmp(field, "object") && k->kind == TOKEN_STRING && !*object_name) *object_name = own_string(k);
    else if (!strcmp(field, "init") && k->kind == TOKEN_STRING && !*init) *init = own_string(k);
    else if (!strcmp(field, "init") && k->kind == TOKEN_NIL) return true;
    else if (!strcmp(field, "criterion") && k->kind == TOKEN_STRING) return read_criterion(r, k);
    else if (!strcmp(field, "history")) return read_name(r, k);
    else if (!strcmp(field, "verdict") && is(k, "linearizable")) r->out->verdict = VERDICT_LINEARIZABLE;
    else if (!strcmp(field, "verdict") && is(k, "violation")) r->out->verdict = VERDICT_VIOLATION;
    else if (!strcmp(field, "operations") && k->kind == TOKEN_INT && k->integer >= 0)
        r->operations = (uint64_t)k->integer;
    else return wrong(r, "unknown or wrong field in the header");
    return true;
}

/* Names of fields are short; a longer one is unknown anyhow. */
static bool next_field(certificate_reader *r, char name[16]) {
    token k;
    if (tokens_next(&r->t, &k) != TOKEN_STRING) return false;
    size_t n = k.size < 15 ? k.size : 15;
    memcpy(name, k.at, n);
    name[n] = 0;
    return true;
}

static bool read_header(certificate_reader *r) {
    char field[16], *object_name = NULL, *init = NULL;
    token k;
    bool good = true;
    r->out->verdict = VERDICT_UNDECIDED;
    while (good && next_field(r, field)) {
        tokens_next(&r->t, &k);
        good = read_header_field(r, field, &k, &object_name, &init);
    }
    if (good && (!r->header || !object_name || r->out->verdict == VERDICT_UNDECIDED))
        good =
            wrong(r, "not a certificate; expected {\"plumb\":\"" CERTIFICATE_KIND "\",\"object\":...,\"verdict\":...}");
    good = good && open_object(r, object_name, init);
    free(object_name);
    free(init);
    return good;
}

typedef struct operation_record {
    call_record call;
    value *arg;
    value res;
    int64_t called, returned;
    bool has_op, has_call, has_ret;
} operation_record;

static bool read_operation_field(certificate_reader *r, const char *field, const token *k, operation_record *to) {
    if (!strcmp(field, "client")) return read_value(r, k, &to->call.client);
    if (!strcmp(field, "key")) return read_value(r, k, &to->call.key);
    if (!strcmp(field, "res")) return read_value(r, k, &to->res);
    if (!strcmp(field, "args") && k->kind == TOKEN_LIST && !to->arg) {
        bool good = read_items(r, &to->arg, &to->call.nargs);
        to->call.arg = to->arg;
        return good;
    }
    if (!strcmp(field, "op") && k->kind == TOKEN_STRING && !memchr(k->at, 0, k->size)) {
        to->call.method = builder_method(r->b, k->at, k->size, to->call.line);
        return to->has_op = true;
    }
    if (!strcmp(field, "call") && k->kind == TOKEN_INT) {
        to->called = k->integer;
        return to->has_call = true;
    }
    if (!strcmp(field, "ret") && k->kind == TOKEN_INT) {
        to->returned = k->integer;
        return to->has_ret = true;
    }
    return wrong(r, "unknown or wrong field in an operation");
}

static bool read_operation(certificate_reader *r, const char *first) {
    operation_record to = {.call = {.client = CLIENT_OWN, .key = VALUE_NONE, .line = input_line_number(r->in)},
                           .res = VALUE_NONE};
    char field[16];
    token k;
    snprintf(field, sizeof field, "%s", first);
    bool good = true;
    do {
        tokens_next(&r->t, &k);
        good = read_operation_field(r, field, &k, &to);
    } while (good && next_field(r, field));
    if (good && (!to.has_op || !to.has_call)) good = wrong(r, "operation without \"op\" or \"call\"");
    if (good && r->read++ >= r->operations) good = wrong(r, "more operations than the header says");
    good = good && builder_whole_operation(r->b, &to.call, to.called, to.returned, to.has_ret, to.res);
    free(to.arg);
    return good;
}

static void add_step(number_list *list, uint32_t i) {
    if (list->n == list->room) list->at = MEM_GROW(list->at, uint32_t, list->room = list->room ? 2 * list->room : 64);
    list->at[list->n++] = i;
}

static bool add_number(certificate_reader *r, number_list *list, int64_t i) {
    if (i < 0 || (uint64_t)i >= r->operations) return wrong(r, "an operation's number is out of range");
    add_step(list, (uint32_t)i);
    return true;
}

static bool read_numbers(certificate_reader *r, const token *k, number_list *list) {
    token item;
    if (k->kind != TOKEN_LIST) return wrong(r, "expected an array of numbers");
    while (tokens_next(&r->t, &item) != TOKEN_CLOSE)
        if (item.kind != TOKEN_INT || !add_number(r, list, item.integer))
            return wrong(r, "expected an array of numbers");
    return true;
}

/* Steps are no more than operations, since in each of them one begins. */
static bool read_steps(certificate_reader *r, const token *k, number_list *list) {
    token item;
    if (k->kind != TOKEN_LIST) return wrong(r, "expected an array of steps");
    while (tokens_next(&r->t, &item) != TOKEN_CLOSE) {
        if (item.kind != TOKEN_INT || item.integer < -1 || item.integer >= (int64_t)r->operations)
            return wrong(r, "expected an array of steps");
        add_step(list, item.integer < 0 ? STEP_NEVER : (uint32_t)item.integer);
    }
    return true;
}

static bool read_assumption(certificate_reader *r) {
    token op, res;
    value v;
    if (tokens_next(&r->t, &op) != TOKEN_INT || op.integer < 0 || (uint64_t)op.integer >= r->operations)
        return wrong(r, "assumption; expected an operation's number");
    tokens_next(&r->t, &res);
    if (!read_value(r, &res, &v)) return false;
    r->assumed = MEM_GROW(r->assumed, assumption, r->assumptions + 1);
    r->assumed[r->assumptions++] = (assumption){(uint32_t)op.integer, v};
    return tokens_next(&r->t, &op) == TOKEN_CLOSE || wrong(r, "assumption; expected [number,value]");
}

static bool read_assumed(certificate_reader *r, const token *k) {
    token item;
    if (k->kind != TOKEN_LIST) return wrong(r, "expected an array");
    while (tokens_next(&r->t, &item) == TOKEN_LIST)
        if (!read_assumption(r)) return false;
    return item.kind == TOKEN_CLOSE || wrong(r, "expected an array of [number,value]");
}

/* {"move":0,"cut":null,"keep":[...]}, perhaps with "settled" behind the first: this order of fields; several lines of
 * one move follow each other. */
static bool read_move(certificate_reader *r, const token *number) {
    char field[16];
    token k;
    if (number->kind != TOKEN_INT || number->integer < 0 || number->integer > (int64_t)r->moves ||
        number->integer + 1 < (int64_t)r->moves)
        return wrong(r, "moves are not in order");
    if (number->integer == (int64_t)r->moves) {
        r->move = MEM_GROW(r->move, move_record, r->moves + 1);
        r->move[r->moves++] = (move_record){.cut = -1};
    }
    move_record *m = &r->move[number->integer];
    if (!next_field(r, field)) return wrong(r, "move; expected \"cut\"");
    if (!strcmp(field, "settled")) {
        tokens_next(&r->t, &k);
        m->settled = true;
        if (!read_value(r, &k, &m->init) || !next_field(r, field))
            return wrong(r, "move; expected a value and \"cut\"");
    }
    if (strcmp(field, "cut")) return wrong(r, "move; expected \"cut\"");
    tokens_next(&r->t, &k);
    if (k.kind == TOKEN_INT && k.integer >= 0 && k.integer < RANK_NEVER) m->cut = k.integer;
    else if (k.kind != TOKEN_NIL) return wrong(r, "\"cut\"; expected a rank or null");
    if (!next_field(r, field) || strcmp(field, "keep")) return wrong(r, "move; expected \"keep\"");
    tokens_next(&r->t, &k);
    return read_numbers(r, &k, &m->keep);
}

static bool read_end(certificate_reader *r, const token *k) {
    char sum[24];
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)r->sum);
    r->out->intact = is(k, sum);
    return r->ended = true;
}

static bool read_fields(certificate_reader *r) {
    char field[16];
    token k;
    if (!next_field(r, field)) return wrong(r, "expected a field");
    if (!strcmp(field, "client") || !strcmp(field, "op")) return read_operation(r, field);
    tokens_next(&r->t, &k);
    bool good = false;
    if (!strcmp(field, "witness")) good = read_numbers(r, &k, &r->witness);
    else if (!strcmp(field, "begins")) good = read_steps(r, &k, &r->begins);
    else if (!strcmp(field, "ends")) good = read_steps(r, &k, &r->ends);
    else if (!strcmp(field, "assumed")) good = read_assumed(r, &k);
    else if (!strcmp(field, "move")) good = read_move(r, &k);
    else if (!strcmp(field, "end")) good = read_end(r, &k);
    if (!good) return wrong(r, "unknown kind of line");
    return tokens_next(&r->t, &k) == TOKEN_CLOSE || wrong(r, "expected the end of the line");
}

static bool read_line(certificate_reader *r, const char *p, size_t n) {
    token k;
    tokens_init_line(&r->t, DIALECT_JSON, p, n, input_line_number(r->in));
    if (r->ended) return wrong(r, "something follows the end of the certificate");
    if (tokens_next(&r->t, &k) != TOKEN_MAP) return wrong(r, "not a certificate; expected a JSON object a line");
    bool good = r->out->o ? read_fields(r) : read_header(r);
    r->sum = certificate_checksum(certificate_checksum(r->sum, p, n), "\n", 1);
    if (!good) return false;
    if (r->t.x.wrong[0] || r->t.depth) return wrong(r, "expected the end of the line");
    return tokens_next(&r->t, &k) == TOKEN_END || wrong(r, "expected the end of the line");
}

static bool read_lines(certificate_reader *r) {
    size_t n;
    for (char *p; (p = input_line(r->in, &n));)
        if (!read_line(r, p, n)) return false;
    if (input_failed(r->in)) return false;
    if (!r->out->o) return wrong(r, "not a certificate: the file is empty");
    if (!r->ended) return wrong(r, "the certificate is cut off; expected its last line {\"end\":...}");
    if (r->read != r->operations) return wrong(r, "fewer operations than the header says");
    return true;
}

/* ---- from numbers to operations ---- */

/* Their steps are as many as the operations, or there are none: then the witness is refused where steps are needed. */
static void take_steps(certificate_reader *r, witness *w) {
    if (w->n == 0 || r->begins.n != w->n || r->ends.n != w->n) return;
    w->begins = mem_copy(r->begins.at, w->n * sizeof *w->begins);
    w->ends = mem_copy(r->ends.at, w->n * sizeof *w->ends);
}

static void take_witness(certificate_reader *r, const uint32_t *of_number) {
    witness *w = &r->out->witness;
    *w = (witness){.n = r->witness.n, .op = MEM_ARRAY(uint32_t, r->witness.n), .res = MEM_ARRAY(value, r->witness.n)};
    value *assumed = MEM_ARRAY(value, r->out->h->n);
    for (uint32_t i = 0; i < r->out->h->n; i++) assumed[i] = r->out->h->res[i];
    for (uint32_t k = 0; k < r->assumptions; k++) assumed[of_number[r->assumed[k].op]] = r->assumed[k].res;
    take_steps(r, w);
    for (uint32_t k = 0; k < w->n; k++) {
        w->op[k] = of_number[r->witness.at[k]];
        w->res[k] = assumed[w->op[k]];
    }
    free(assumed);
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void take_core(certificate_reader *r, const uint32_t *of_number) {
    core *c = &r->out->core;
    c->moves = r->moves;
    c->move = MEM_ARRAY(core_move, r->moves);
    for (uint32_t m = 0; m < r->moves; m++) {
        number_list *keep = &r->move[m].keep;
        c->move[m] = (core_move){.cut = r->move[m].cut < 0 ? RANK_NEVER : (uint32_t)r->move[m].cut,
                                 .n = keep->n,
                                 .settled = r->move[m].settled,
                                 .init = r->move[m].init};
        if (r->move[m].settled) {
            c->settled = true;
            c->init = r->move[m].init;
        }
        c->move[m].keep = MEM_ARRAY(uint32_t, keep->n);
        for (uint32_t k = 0; k < keep->n; k++) c->move[m].keep[k] = of_number[keep->at[k]];
        if (keep->n) qsort(c->move[m].keep, keep->n, sizeof *keep->at, ascending);
    }
    if (r->moves == 0) return;
    const core_move *last = &c->move[r->moves - 1];
    c->op = mem_copy(last->keep, last->n * sizeof *last->keep);
    c->n = last->n;
    c->cut = last->cut;
}

static bool finish(certificate_reader *r) {
    certificate *c = r->out;
    c->h = builder_finish(r->b);
    if (!c->h || !object_bind(c->o, c->h, input_name(r->in), r->e)) return false;
    uint32_t *of_number = MEM_ARRAY(uint32_t, c->h->n);
    for (uint32_t i = 0; i < c->h->n; i++) of_number[history_number(c->h, i)] = i;
    take_witness(r, of_number);
    take_core(r, of_number);
    free(of_number);
    return true;
}

bool certificate_read(input *in, const char *trusted, certificate *out, error *e) {
    *out = (certificate){0};
    certificate_reader r = {
        .in = in, .e = e, .trusted = trusted, .out = out, .sum = CHECKSUM_START, .criterion = {.asked = true}};
    r.b = builder_new(input_name(in), e);
    bool good = read_lines(&r) && finish(&r);
    builder_free(r.b);
    tokens_free(&r.t);
    free(r.witness.at);
    free(r.begins.at);
    free(r.ends.at);
    free(r.assumed);
    for (uint32_t m = 0; m < r.moves; m++) free(r.move[m].keep.at);
    free(r.move);
    return good;
}

void certificate_free(certificate *c) {
    witness_free(&c->witness);
    core_free(&c->core);
    history_free(c->h);
    object_close(c->o);
    *c = (certificate){0};
}
