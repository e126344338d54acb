/* The native text format, JSON Lines: one operation a line, in any order of lines and fields,
 *
 *     {"plumb":"history/1","object":"queue"}                                            (optional)
 *     {"client":2,"op":"enq","args":[7],"call":12,"ret":31,"res":null}
 *     {"client":3,"op":"deq","args":[],"call":14,"ret":null,"res":null}                 pending
 *     {"annotation":"partition begins","time":20,"until":35}
 *
 * `key` names the key of a keyed operation. An operation without `client` has one of its own. Results "empty" and
 * "full" are the constants. Other fields are ignored, but for those that say what a field that is not there says.
 *
 * Most lines of a long history are plain: known fields, small values, no escapes. fast_line() reads those without
 * tokens; whatever it does not understand, right or wrong, goes through the tokenizer, which alone judges errors. */
#include "format/format.h"
#include "format/misnamed.h"
#include "format/plumb_jsonl.h"
#include "format/quick_way.h"
#include "format/swar.h"
#include "format/token.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FAST_ARGS = 8, QUICK_BITS = 6 };

typedef enum line_event { EVENT_NONE, EVENT_CALL, EVENT_RETURN, EVENT_FAIL, EVENT_INFO, EVENT_NOTE } line_event;

typedef struct record {
    line_event event; /* of the event form; EVENT_NONE: a whole operation */
    call_record call;
    value arg[FAST_ARGS];
    int64_t called, returned;
    value res;
    bool has_op, has_call, has_ret;
    bool header, annotated;
    annotation note;
} record;

typedef struct quick_method {
    uint64_t name; /* of up to seven characters */
    unsigned number;
} quick_method;

typedef struct jsonl_reader {
    builder *b;
    values *v;
    tokens t;
    quick_method method[1 << QUICK_BITS];
} jsonl_reader;

static void clear(record *r, uint32_t line) {
    r->call = (call_record){.client = CLIENT_OWN, .key = VALUE_NONE, .arg = r->arg, .line = line};
    r->returned = 0;
    r->res = VALUE_NONE;
    r->note = (annotation){.text = VALUE_NONE};
    r->has_op = r->has_call = r->has_ret = r->header = r->annotated = false;
    r->event = EVENT_NONE;
}

static value as_result(const values *v, value res) {
    size_t n;
    if (value_is_small_int(res) || value_kind_of(v, res) != KIND_BYTES) return res;
    const char *p = value_as_bytes(v, res, &n);
    if (n == 5 && memcmp(p, "empty", 5) == 0) return VALUE_EMPTY;
    if (n == 4 && memcmp(p, "full", 4) == 0) return VALUE_FULL;
    return res;
}

/* ---- fast lines: each returns the place behind what it read, NULL when that is not plain ---- */

static inline const char *fast_int(const char *p, int64_t *out) {
    bool negative = *p == '-';
    p += negative;
    const char *end = swar_int(p, out);
    if (!end || (*p == '0' && end - p > 1)) return NULL;
    if (negative) *out = -*out;
    return end;
}

/* Behind the opening quote; *end is the closing one. */
static const char *fast_string(const char *p, const char **end) {
    while (*p != '"') {
        if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f || *p == '\\') return NULL;
        p++;
    }
    *end = p;
    return p + 1;
}

static const char *fast_value(jsonl_reader *r, const char *p, value *out) {
    int64_t i;
    const char *end, *start;
    switch (*p) {
    case '"':
        start = p + 1;
        if (!(p = fast_string(start, &end))) return NULL;
        *out = value_bytes(r->v, start, (size_t)(end - start));
        return p;
    case 'n': *out = VALUE_NONE; return memcmp(p, "null", 4) ? NULL : p + 4;
    case 't': *out = VALUE_TRUE; return memcmp(p, "true", 4) ? NULL : p + 4;
    case 'f': *out = VALUE_FALSE; return memcmp(p, "false", 5) ? NULL : p + 5;
    default:
        if (!(p = fast_int(p, &i))) return NULL;
        *out = value_int(r->v, i);
        return p;
    }
}

static inline const char *one_blank(const char *p) { return p + (*p == ' '); }

static const char *fast_args(jsonl_reader *r, const char *p, record *to) {
    if (*p != '[') return NULL;
    p = one_blank(p + 1);
    size_t n = 0;
    if (*p == ']') {
        to->call.nargs = 0;
        return p + 1;
    }
    for (;;) {
        if (n == FAST_ARGS || !(p = fast_value(r, p, &to->arg[n++]))) return NULL;
        if (*p == ',') p = one_blank(p + 1);
        else break;
    }
    to->call.nargs = n;
    return *p == ']' ? p + 1 : NULL;
}

static const char *new_op(jsonl_reader *r, const char *p, record *to) {
    const char *end, *start = p;
    if (!(p = fast_string(start, &end))) return NULL;
    size_t n = (size_t)(end - start);
    to->call.method = builder_method(r->b, start, n, to->call.line);
    if (n > 0 && n < 8) {
        uint64_t name = swar_first(swar_load(start), n);
        r->method[swar_slot(name, QUICK_BITS)] = (quick_method){.name = name, .number = to->call.method};
    }
    return p;
}

static const char *fast_op(jsonl_reader *r, const char *p, record *to) {
    if (*p++ != '"') return NULL;
    to->has_op = true;
    uint64_t w = swar_load(p);
    unsigned n = swar_until(w, '"');
    if (n == 0 || n == 8) return new_op(r, p, to);
    const quick_method *m = &r->method[swar_slot(swar_first(w, n), QUICK_BITS)];
    /* a zero looks like the end of a shorter name, or of none */
    if (m->name != swar_first(w, n) || p[n - 1] == 0) return new_op(r, p, to);
    to->call.method = m->number;
    return p + n + 1;
}

static const char *fast_ret(const char *p, record *to) {
    to->has_ret = *p != 'n';
    if (to->has_ret) return fast_int(p, &to->returned);
    return memcmp(p, "null", 4) ? NULL : p + 4;
}

/* Behind the quote that opens the field's name. */
static const char *fast_field(jsonl_reader *r, const char *p, record *to) {
#define NAMED(name) (memcmp(p, name "\":", sizeof name + 1) == 0)
#define BEHIND(name) one_blank(p + sizeof name + 1)
    switch (*p) {
    case 'c':
        if (NAMED("client")) return fast_value(r, BEHIND("client"), &to->call.client);
        if (!NAMED("call")) return NULL;
        to->has_call = true;
        return fast_int(BEHIND("call"), &to->called);
    case 'o': return NAMED("op") ? fast_op(r, BEHIND("op"), to) : NULL;
    case 'a': return NAMED("args") ? fast_args(r, BEHIND("args"), to) : NULL;
    case 'k': return NAMED("key") ? fast_value(r, BEHIND("key"), &to->call.key) : NULL;
    case 'r':
        if (NAMED("ret")) return fast_ret(BEHIND("ret"), to);
        if (!NAMED("res") || !(p = fast_value(r, BEHIND("res"), &to->res))) return NULL;
        to->res = as_result(r->v, to->res);
        return p;
    default: return NULL;
    }
#undef NAMED
#undef BEHIND
}

static const char *fast_line(jsonl_reader *r, const char *p, record *to) {
    if (*p != '{') return NULL;
    do {
        p = one_blank(p + 1);
        if (*p != '"' || !(p = fast_field(r, p + 1, to))) return NULL;
    } while (*p == ',');
    if (*p != '}' || !to->has_op || !to->has_call || to->call.client == VALUE_NONE) return NULL;
    p += 1 + (p[1] == '\r');
    return *p == '\n' ? p + 1 : NULL;
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
static bool any_line(jsonl_reader *r, const char *p, size_t n, record *to);

/* The quick way reads a line as the other way does. */
static void check_fast_line(jsonl_reader *r, const char *p, const char *next, const record *fast) {
    record slow = {.call.line = fast->call.line};
    bool read = any_line(r, p, (size_t)(next - p) - 1, &slow);
    assert(read && !slow.header && !slow.annotated);
    assert(slow.call.client == fast->call.client && slow.call.method == fast->call.method);
    assert(slow.call.key == fast->call.key && slow.call.nargs == fast->call.nargs);
    for (size_t i = 0; i < slow.call.nargs; i++) assert(slow.call.arg[i] == fast->arg[i]);
    assert(slow.called == fast->called && slow.has_ret == fast->has_ret && slow.res == fast->res);
    assert(!fast->has_ret || slow.returned == fast->returned);
    (void)read;
}
#endif

/* As many as there are at hand and plain, where they stand. */
static bool fast_lines(jsonl_reader *r, input *in, record *to) {
    const char *end, *p = input_lines(in, &end), *next;
    if (!p) return true;
    uint32_t before = input_line_number(in), line = before + 1;
    bool good = true;
    for (; good && p < end; p = next, line++) {
        clear(to, line);
        if (!(next = fast_line(r, p, to))) break;
        good = builder_whole_operation(r->b, &to->call, to->called, to->returned, to->has_ret, to->res);
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
        if (good) check_fast_line(r, p, next, to);
#endif
    }
    input_skip(in, p, line - before - 1);
    if (p == end) builder_expect(r->b, input_estimate(in, line, 0));
    return good;
}

/* ---- any line ---- */

static bool is(const token *k, const char *name) {
    size_t n = strlen(name);
    return k->kind == TOKEN_STRING && k->size == n && memcmp(k->at, name, n) == 0;
}

static bool say(jsonl_reader *r, const char *field, const token *k, const char *expected) {
    static const char *const kinds[] = {
        [TOKEN_MAP] = "an object",     [TOKEN_LIST] = "an array", [TOKEN_STRING] = "a string", [TOKEN_INT] = "a number",
        [TOKEN_NUMBER] = "no integer", [TOKEN_NIL] = "null",      [TOKEN_TRUE] = "true",       [TOKEN_FALSE] = "false"};
    return builder_error(r->b, k->line, "\"%s\" is %s; expected %s", field, kinds[k->kind], expected);
}

static bool any_stamp(jsonl_reader *r, const char *field, const token *k, int64_t *out) {
    if (k->kind != TOKEN_INT) return say(r, field, k, "an integer");
    *out = k->integer;
    return true;
}

/* Times are for those who read the file: what is no integer is not one that we know, and ignored. */
static bool any_time(jsonl_reader *r, const token *k, int64_t *out, bool *has) {
    if (k->kind != TOKEN_INT) return tokens_skip(&r->t, k);
    *out = k->integer;
    return *has = true;
}

static bool any_args(jsonl_reader *r, const token *k, record *to) {
    value given;
    bool list = k->kind == TOKEN_LIST;
    if (!tokens_value(&r->t, k, r->v, false, &given)) return false;
    to->call.arg = to->arg;
    to->call.nargs = 1;
    to->arg[0] = given;
    if (list) to->call.arg = value_as_tuple(r->v, given, &to->call.nargs);
    return true;
}

static bool any_header(jsonl_reader *r, const token *k, record *to) {
    static const char kind[] = "history/1";
    to->header = true;
    if (is(k, kind)) return true;
    if (k->kind != TOKEN_STRING) return say(r, "plumb", k, "\"history/1\"");
    return builder_error(r->b, k->line, "\"plumb\" is \"%.*s\"; expected \"%s\"", (int)(k->size < 60 ? k->size : 60),
                         k->at, kind);
}

/* Words of the first line, for the builder. */
static bool any_words(jsonl_reader *r, const char *field, const token *k, const char *expected,
                      void (*tell)(builder *, const char *)) {
    if (k->kind != TOKEN_STRING || memchr(k->at, 0, k->size)) return say(r, field, k, expected);
    text words = {0};
    text_bytes(&words, k->at, k->size);
    tell(r->b, text_str(&words));
    text_free(&words);
    return true;
}

static bool any_object(jsonl_reader *r, const token *k) {
    return any_words(r, "object", k, "the name of an object", builder_object);
}

/* As --init has it: a number may stand without quotes. */
static bool any_init(jsonl_reader *r, const token *k) {
    text words = {0};
    if (k->kind == TOKEN_NIL) return true;
    if (k->kind == TOKEN_INT) text_printf(&words, "%lld", (long long)k->integer);
    else if (k->kind == TOKEN_NUMBER) text_bytes(&words, k->at, k->size);
    else return any_words(r, "init", k, "a number, or in quotes what --init would say", builder_init);
    builder_init(r->b, text_str(&words));
    text_free(&words);
    return true;
}

static bool any_sample(jsonl_reader *r, const token *k) {
    if (k->kind != TOKEN_INT || k->integer < 1 || k->integer > UINT32_MAX)
        return say(r, "sample", k, "of how many keys or values one is here");
    builder_sample(r->b, (uint64_t)k->integer);
    return true;
}

static bool any_clock(jsonl_reader *r, const token *k) {
    static const char *const names[] = {"ns", "us", "ms", "s"};
    int64_t tick = 1;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++, tick *= 1000) {
        if (!is(k, names[i])) continue;
        builder_tick(r->b, tick);
        return true;
    }
    return say(r, "clock", k, "\"ns\", \"us\", \"ms\" or \"s\"");
}

typedef enum jsonl_field {
    FIELD_OTHER,
    FIELD_CLIENT,
    FIELD_OP,
    FIELD_KEY,
    FIELD_ARGS,
    FIELD_CALL,
    FIELD_RET,
    FIELD_RES,
    FIELD_PLUMB,
    FIELD_OBJECT,
    FIELD_ANNOTATION,
    FIELD_EVENT,
    FIELD_TEXT,
    FIELD_TIME,
    FIELD_AT,
    FIELD_UNTIL,
    FIELD_CLOCK,
    FIELD_INIT,
    FIELD_SAMPLE,
    FIELD_LACKS
} jsonl_field;

static jsonl_field field_of(const token *k) {
    static const char *const names[] = {"client", "op",     "key",        "args",   "call", "ret",  "res",
                                        "plumb",  "object", "annotation", "event",  "text", "time", "at",
                                        "until",  "clock",  "init",       "sample", "lacks"};
    for (unsigned f = 0; f < sizeof names / sizeof *names; f++)
        if (is(k, names[f])) return (jsonl_field)(f + 1);
    return FIELD_OTHER;
}

typedef struct field_names {
    uint32_t fields;                      /* a bit each */
    const misnamed *other[FIELD_RES + 1]; /* what says the same as one of ours, by what it says */
} field_names;

static jsonl_field field_meant(const misnamed *m) {
    const token meant = {.kind = TOKEN_STRING, .at = m->meant, .size = strlen(m->meant)};
    return field_of(&meant);
}

static void note_field(field_names *seen, jsonl_field f, const token *k) {
    seen->fields |= 1U << f;
    const misnamed *m = f == FIELD_OTHER && k->kind == TOKEN_STRING ? misnamed_find(k->at, k->size) : NULL;
    if (!m) return;
    assert(field_meant(m) != FIELD_OTHER && field_meant(m) <= FIELD_RES);
    seen->other[field_meant(m)] = m;
}

/* What a line of the event form cannot say is not missing there. */
static bool is_missing(const field_names *seen, jsonl_field f, const record *to) {
    if (seen->fields >> f & 1) return false;
    return !to->event || !(f == FIELD_RET || (f == FIELD_ARGS && to->event != EVENT_CALL) ||
                           (f == FIELD_RES && to->event != EVENT_RETURN));
}

static bool none_misnamed(jsonl_reader *r, const field_names *seen, const record *to) {
    for (jsonl_field f = FIELD_OTHER; f <= FIELD_RES; f++)
        if (seen->other[f] && is_missing(seen, f, to))
            return builder_error(r->b, to->call.line, "field \"%s\"; expected \"%s\"", seen->other[f]->name,
                                 seen->other[f]->meant);
    return true;
}

static bool any_event(jsonl_reader *r, const token *k, record *to) {
    static const char *const names[] = {"call", "return", "fail", "info", "note"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (is(k, names[i])) to->event = (line_event)(i + 1);
    return to->event || say(r, "event", k, "\"call\", \"return\", \"fail\", \"info\" or \"note\"");
}

static bool any_field(jsonl_reader *r, jsonl_field f, const token *k, record *to) {
    switch (f) {
    case FIELD_CLIENT:
        if (!tokens_value(&r->t, k, r->v, false, &to->call.client)) return false;
        if (to->call.client == VALUE_NONE) to->call.client = CLIENT_OWN;
        return true;
    case FIELD_OP:
        if (k->kind != TOKEN_STRING || memchr(k->at, 0, k->size)) return say(r, "op", k, "a method's name in quotes");
        to->call.method = builder_method(r->b, k->at, k->size, k->line);
        return to->has_op = true;
    case FIELD_KEY: return tokens_value(&r->t, k, r->v, false, &to->call.key);
    case FIELD_ARGS: return any_args(r, k, to);
    case FIELD_CALL: return to->has_call = any_stamp(r, "call", k, &to->called);
    case FIELD_RET: to->has_ret = k->kind != TOKEN_NIL; return !to->has_ret || any_stamp(r, "ret", k, &to->returned);
    case FIELD_RES:
        if (!tokens_value(&r->t, k, r->v, false, &to->res)) return false;
        to->res = as_result(r->v, to->res);
        return true;
    case FIELD_PLUMB: return any_header(r, k, to);
    case FIELD_OBJECT: return !to->header || any_object(r, k);
    case FIELD_CLOCK: return to->header ? any_clock(r, k) : tokens_skip(&r->t, k);
    case FIELD_INIT: return to->header ? any_init(r, k) : tokens_skip(&r->t, k);
    case FIELD_SAMPLE: return to->header ? any_sample(r, k) : tokens_skip(&r->t, k);
    case FIELD_LACKS:
        return to->header ? any_words(r, "lacks", k, "what is missing", builder_lacks) : tokens_skip(&r->t, k);
    case FIELD_ANNOTATION: to->annotated = true; return tokens_value(&r->t, k, r->v, false, &to->note.text);
    case FIELD_EVENT: return any_event(r, k, to);
    case FIELD_TEXT: return tokens_value(&r->t, k, r->v, false, &to->note.text);
    case FIELD_TIME:
    case FIELD_AT: return any_time(r, k, &to->note.time, &to->note.timed);
    case FIELD_UNTIL: return any_time(r, k, &to->note.until, &to->note.lasts);
    default: return tokens_skip(&r->t, k);
    }
}

static bool event_complete(jsonl_reader *r, const record *to) {
    if (to->event == EVENT_NOTE) return true;
    if (to->call.client == CLIENT_OWN)
        return builder_error(r->b, to->call.line, "event without \"client\"; expected who calls");
    return to->event != EVENT_CALL || to->has_op ||
           builder_error(r->b, to->call.line, "call without \"op\"; expected the method's name");
}

static bool any_line(jsonl_reader *r, const char *p, size_t n, record *to) {
    token k;
    uint32_t line = to->call.line;
    clear(to, line);
    tokens_init_line(&r->t, DIALECT_JSON, p, n, line);
    if (tokens_next(&r->t, &k) == TOKEN_END) return to->header = true; /* blank: nothing to add */
    if (k.kind == TOKEN_WRONG) return false;
    if (k.kind != TOKEN_MAP)
        return builder_error(
            r->b, line, "expected an object such as {\"client\":2,\"op\":\"enq\",\"args\":[7],\"call\":12,\"ret\":31}");
    field_names seen = {0};
    while (tokens_next(&r->t, &k) != TOKEN_CLOSE) {
        if (k.kind == TOKEN_WRONG) return false;
        jsonl_field f = field_of(&k);
        note_field(&seen, f, &k);
        if (tokens_next(&r->t, &k) == TOKEN_WRONG || !any_field(r, f, &k, to)) return false;
    }
    token_kind rest = tokens_next(&r->t, &k);
    if (rest == TOKEN_WRONG) return false;
    if (rest != TOKEN_END) return builder_error(r->b, line, "more behind the operation; expected one a line");
    if (to->header || to->annotated) return true;
    if (!none_misnamed(r, &seen, to)) return false;
    if (to->event) return event_complete(r, to);
    if (!to->has_op) return builder_error(r->b, line, "operation without \"op\"; expected the method's name");
    if (!to->has_call) return builder_error(r->b, line, "operation without \"call\"; expected the time of the call");
    return true;
}

/* The order of the lines is the order of time. */
static bool tell_event(jsonl_reader *r, const record *to) {
    if (to->note.timed && to->event != EVENT_NOTE) builder_time(r->b, to->note.time);
    switch (to->event) {
    case EVENT_CALL: return builder_call(r->b, &to->call);
    case EVENT_RETURN: return builder_return(r->b, to->call.client, to->res, to->call.line);
    case EVENT_FAIL: return builder_fail(r->b, to->call.client, to->call.line);
    case EVENT_INFO: return builder_info(r->b, to->call.client, to->call.line);
    default: builder_note(r->b, &to->note); return true;
    }
}

static bool read_line(jsonl_reader *r, const char *p, size_t n, record *to) {
    if (!any_line(r, p, n, to)) {
        if (r->t.x.wrong[0]) builder_error(r->b, tokens_line(&r->t), "%s", tokens_what(&r->t));
        return false;
    }
    if (to->annotated) builder_note(r->b, &to->note);
    if (to->annotated || to->header) return true;
    if (to->event) return tell_event(r, to);
    return builder_whole_operation(r->b, &to->call, to->called, to->returned, to->has_ret, to->res);
}

bool read_jsonl(input *in, builder *b, const read_options *options) {
    (void)options;
    jsonl_reader r = {.b = b, .v = builder_values(b)};
    record to = {0};
    size_t n;
    bool good;
    for (char *p; (good = fast_lines(&r, in, &to)) && (p = input_line(in, &n));) {
        clear(&to, input_line_number(in));
        QUICK_WAY_MISSED();
        if (!(good = read_line(&r, p, n, &to))) break;
    }
    tokens_free(&r.t);
    return good && !input_failed(in);
}

/* ---- recognising ---- */

static bool mentions(const char *p, size_t n, const char *what) { return memmem(p, n, what, strlen(what)) != NULL; }

static int sniff_jsonl(const char *p, size_t n) {
    size_t at = 0;
    while (at < n && memchr(" \t\r\n", p[at], 4)) at++;
    if (at == n || p[at] != '{') return 0;
    const char *newline = memchr(p + at, '\n', n - at);
    size_t length = newline ? (size_t)(newline - p) - at : n - at;
    if (mentions(p + at, length, "\"plumb\"")) return 100;
    if (mentions(p + at, length, "\"op\"") && mentions(p + at, length, "\"call\"")) return 90;
    if (mentions(p + at, length, "\"client\"") && mentions(p + at, length, "\"event\"")) return 90;
    at++;
    while (at < n && memchr(" \t\r\n", p[at], 4)) at++;
    return at < n && p[at] == '"' ? 20 : 0;
}

const format format_plumb_jsonl = {
    .name = "plumb-jsonl",
    .summary = "the native text: one JSON object a line",
    .suffixes = ".jsonl .ndjson .json",
    .sniff = sniff_jsonl,
    .read = read_jsonl,
    .write = write_jsonl,
};
