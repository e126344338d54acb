/* Jepsen and Knossos histories, and Porcupine's key-value logs: EDN maps one after the other, or in one vector or list,
 *
 *     {:process 0, :type :invoke, :f :append, :key "0", :value "x 0 0 y", :time 3291485317, :index 7}
 *
 * with the keys in any order and others ignored. The order of the maps is the clock. What the events mean: jepsen.h.
 *
 * fast_map() reads the flat maps that make up nearly all of a long history straight from the block; what it does not
 * understand, and every map that lies across the end of a block, is read again by the tokenizer, which alone judges
 * errors. */
#include "format/jepsen_edn.h"
#include "format/jepsen.h"
#include "format/quick_way.h"
#include "format/token.h"

#include <assert.h>
#include <string.h>

typedef enum edn_field {
    FIELD_OTHER,
    FIELD_PROCESS,
    FIELD_TYPE,
    FIELD_F,
    FIELD_VALUE,
    FIELD_KEY,
    FIELD_TIME,
    FIELD_UNTIL
} edn_field;

typedef struct edn_reader {
    builder *b;
    values *v;
    jepsen *j;
    tokens t;
    text f; /* the method's name of a map that is read by tokens */
} edn_reader;

static jepsen_event new_event(uint32_t line) {
    return (jepsen_event){.line = line,
                          .type = (jepsen_type)-1,
                          .process = VALUE_UNKNOWN,
                          .content = VALUE_NONE,
                          .key = VALUE_NONE,
                          .time = -1,
                          .until = -1};
}

static edn_field field_of(const char *p, size_t n) {
    static const char *const names[] = {"process", "type", "f", "value", "key", "time", "until"};
    for (unsigned f = 0; f < sizeof names / sizeof *names; f++)
        if (strlen(names[f]) == n && memcmp(names[f], p, n) == 0) return (edn_field)(f + 1);
    return FIELD_OTHER;
}

/* ---- flat maps: each returns the place behind what it read, NULL when that is not plain ---- */

static inline bool plain_word(unsigned char c) {
    static const bool plain[256] = {
        ['-'] = 1, ['_'] = 1, ['.'] = 1, ['/'] = 1, ['?'] = 1, ['!'] = 1, ['*'] = 1, ['+'] = 1, ['0'] = 1,
        ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1,
        ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1,
        ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1,
        ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1, ['y'] = 1, ['z'] = 1};
    return plain[c];
}

/* A word ends here for sure. */
static inline bool word_ended(char c) { return c == ' ' || c == ',' || c == '}' || c == ']' || c == '\n'; }

static const char *fast_blanks(const char *p, uint32_t *line) {
    for (;; p++) {
        if (*p == '\n') ++*line;
        else if (*p != ' ' && *p != ',' && *p != '\t' && *p != '\r') return p;
    }
}

static const char *fast_keyword(const char *p, const char **start) { /* at the colon */
    *start = ++p;
    while (plain_word((unsigned char)*p)) p++;
    return p > *start && word_ended(*p) ? p : NULL;
}

static const char *fast_int(const char *p, int64_t *out) {
    bool negative = *p == '-';
    p += negative;
    const char *first = p;
    uint64_t u = 0;
    unsigned digit;
    while ((digit = (unsigned)(unsigned char)*p - '0') < 10) {
        u = u * 10 + digit;
        p++;
    }
    if (p == first || p - first > 18 || (*first == '0' && p - first > 1) || !word_ended(*p)) return NULL;
    *out = negative ? -(int64_t)u : (int64_t)u;
    return p;
}

static const char *fast_string(edn_reader *r, const char *p, value *out) { /* at the quote */
    const char *start = ++p;
    for (; *p != '"'; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f || *p == '\\') return NULL;
    *out = value_bytes(r->v, start, (size_t)(p - start));
    return p + 1;
}

/* at the colon; :empty and :full are left to the tokenizer */
static const char *fast_name(edn_reader *r, const char *p, value *out) {
    const char *start;
    if (!(p = fast_keyword(p, &start)) || *start == 'e' || *start == 'f') return NULL;
    *out = value_bytes(r->v, start, (size_t)(p - start));
    return p;
}

static const char *fast_atom(edn_reader *r, const char *p, value *out) {
    int64_t i;
    switch (*p) {
    case ':': return fast_name(r, p, out);
    case '"': return fast_string(r, p, out);
    case 'n': *out = VALUE_NONE; return memcmp(p, "nil", 3) || !word_ended(p[3]) ? NULL : p + 3;
    case 't': *out = VALUE_TRUE; return memcmp(p, "true", 4) || !word_ended(p[4]) ? NULL : p + 4;
    case 'f': *out = VALUE_FALSE; return memcmp(p, "false", 5) || !word_ended(p[5]) ? NULL : p + 5;
    default:
        if (!(p = fast_int(p, &i))) return NULL;
        *out = value_int(r->v, i);
        return p;
    }
}

static const char *fast_value(edn_reader *r, const char *p, value *out) {
    if (*p != '[') return fast_atom(r, p, out);
    value pair[2];
    if (!(p = fast_atom(r, p + 1, &pair[0])) || *p != ' ' || !(p = fast_atom(r, p + 1, &pair[1])) || *p != ']')
        return NULL;
    *out = value_tuple(r->v, pair, 2);
    return p + 1;
}

static const char *fast_other(const char *p) {
    int64_t i;
    const char *start;
    return *p == ':' ? fast_keyword(p, &start) : fast_int(p, &i);
}

static const char *fast_field(edn_reader *r, const char *p, jepsen_event *event) {
    const char *name, *start;
    if (*p != ':' || !(p = fast_keyword(p, &name)) || *p != ' ') return NULL;
    edn_field f = field_of(name, (size_t)(p - name));
    p++;
    switch (f) {
    case FIELD_PROCESS: return fast_atom(r, p, &event->process);
    case FIELD_VALUE: return fast_value(r, p, &event->content);
    case FIELD_KEY: return fast_atom(r, p, &event->key);
    case FIELD_TIME: return fast_int(p, &event->time);
    case FIELD_UNTIL: return fast_int(p, &event->until);
    case FIELD_F:
        if (*p != ':' || !(p = fast_keyword(p, &event->f))) return NULL;
        event->f_length = (size_t)(p - event->f);
        return p;
    case FIELD_TYPE:
        if (*p != ':' || !(p = fast_keyword(p, &start))) return NULL;
        event->type = (jepsen_type)jepsen_type_of(start, (size_t)(p - start));
        return event->type > JEPSEN_INFO ? NULL : p; /* even if a right one follows */
    default: return fast_other(p);
    }
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
static bool any_map(edn_reader *r, jepsen_event *event);

/* The quick way reads a map as the tokenizer does. */
static void check_fast_map(const edn_reader *r, const char *p, const char *end, const jepsen_event *fast) {
    edn_reader slow = {.b = r->b, .v = r->v};
    jepsen_event event = new_event(fast->line);
    token k;
    tokens_init_line(&slow.t, DIALECT_EDN, p, (size_t)(end - p), fast->line);
    bool read = tokens_next(&slow.t, &k) == TOKEN_MAP && any_map(&slow, &event);
    assert(read && tokens_next(&slow.t, &k) == TOKEN_END);
    assert(event.type == fast->type && event.process == fast->process && event.key == fast->key);
    assert(event.content == fast->content && !event.f == !fast->f && event.time == fast->time &&
           event.until == fast->until);
    assert(!event.f || (event.f_length == fast->f_length && !memcmp(event.f, fast->f, event.f_length)));
    tokens_free(&slow.t);
    text_free(&slow.f);
    (void)read;
}
#endif

/* Reads the next map if it is flat and lies in the block, which ends in a NUL. False: nothing but blanks was
 * consumed. */
static bool fast_map(edn_reader *r, jepsen_event *event) {
    lexer *x = &r->t.x;
    if (x->p == x->end || r->t.discards || r->t.tagged || r->t.depth > 1 || (r->t.depth == 1 && r->t.map[0]))
        return false;
    const char *p = x->p = fast_blanks(x->p, &x->line);
    if (*p != '{') return false;
    uint32_t line = x->line;
    *event = new_event(line);
    p = fast_blanks(p + 1, &line);
    while (*p != '}') {
        if (!(p = fast_field(r, p, event))) return false;
        p = fast_blanks(p, &line);
    }
    if (event->type > JEPSEN_INFO) return false;
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    check_fast_map(r, x->p, p + 1, event);
#endif
    assert(p < x->end);
    x->p = p + 1;
    x->line = line;
    return true;
}

/* ---- any map ---- */

static bool is_name(const token *k) {
    return k->kind == TOKEN_KEYWORD || k->kind == TOKEN_STRING || k->kind == TOKEN_SYMBOL;
}

static bool any_type(edn_reader *r, const token *k, jepsen_event *event) {
    static const char expected[] = "expected :invoke, :ok, :fail or :info";
    if (!is_name(k)) return builder_error(r->b, k->line, ":type is no keyword; %s", expected);
    int type = jepsen_type_of(k->at, k->size);
    if (type < 0)
        return builder_error(r->b, k->line, ":type is :%.*s; %s", (int)(k->size < 60 ? k->size : 60), k->at, expected);
    event->type = (jepsen_type)type;
    return true;
}

static bool any_f(edn_reader *r, const token *k, jepsen_event *event) {
    if (k->kind == TOKEN_NIL) return true;
    if (!is_name(k)) return builder_error(r->b, k->line, ":f is no keyword; expected a method such as :read");
    text_clear(&r->f);
    text_bytes(&r->f, k->at, k->size);
    event->f = r->f.at;
    event->f_length = r->f.size;
    return true;
}

static bool any_field(edn_reader *r, edn_field f, const token *k, jepsen_event *event) {
    switch (f) {
    case FIELD_PROCESS: return tokens_value(&r->t, k, r->v, false, &event->process);
    case FIELD_TYPE: return any_type(r, k, event);
    case FIELD_F: return any_f(r, k, event);
    case FIELD_VALUE: return tokens_value(&r->t, k, r->v, true, &event->content);
    case FIELD_KEY: return tokens_value(&r->t, k, r->v, false, &event->key);
    case FIELD_TIME: event->time = k->kind == TOKEN_INT ? k->integer : -1; return tokens_skip(&r->t, k);
    case FIELD_UNTIL: event->until = k->kind == TOKEN_INT ? k->integer : -1; return tokens_skip(&r->t, k);
    default: return tokens_skip(&r->t, k);
    }
}

/* Behind the opening brace. */
static bool any_map(edn_reader *r, jepsen_event *event) {
    token k;
    while (tokens_next(&r->t, &k) != TOKEN_CLOSE) {
        edn_field f = is_name(&k) ? field_of(k.at, k.size) : FIELD_OTHER;
        if (!tokens_skip(&r->t, &k) || tokens_next(&r->t, &k) == TOKEN_WRONG || !any_field(r, f, &k, event))
            return false;
    }
    if (event->type > JEPSEN_INFO)
        return builder_error(r->b, event->line, "operation without :type; expected :invoke, :ok, :fail or :info");
    return true;
}

/* ---- the file ---- */

static bool read_events(edn_reader *r) {
    jepsen_event event;
    for (token k;;) {
        if (!fast_map(r, &event)) {
            token_kind kind = tokens_next(&r->t, &k);
            if (kind == TOKEN_END) return true;
            if (kind == TOKEN_WRONG) return false;
            if (kind == TOKEN_CLOSE || (kind == TOKEN_LIST && r->t.depth == 1)) continue;
            if (kind != TOKEN_MAP)
                return builder_error(r->b, k.line,
                                     "expected a map such as {:process 0, :type :invoke, :f :read, :value nil}");
            event = new_event(k.line);
            QUICK_WAY_MISSED();
            if (!any_map(r, &event)) return false;
        }
        if (!jepsen_feed(r->j, &event)) return false;
    }
}

bool jepsen_edn_read(input *in, builder *b, const read_options *options) {
    edn_reader r = {.b = b, .v = builder_values(b), .j = jepsen_new(b, options)};
    tokens_init_input(&r.t, DIALECT_EDN, in);
    bool good = read_events(&r) && !input_failed(in);
    if (r.t.x.wrong[0] && !input_failed(in)) builder_error(b, tokens_line(&r.t), "%s", tokens_what(&r.t));
    tokens_free(&r.t);
    text_free(&r.f);
    jepsen_free(r.j);
    return good;
}

static bool mentions(const char *p, size_t n, const char *what) { return memmem(p, n, what, strlen(what)) != NULL; }

static int sniff_jepsen_edn(const char *p, size_t n) {
    size_t at = 0;
    bool comment = false;
    for (; at < n && (comment || memchr(" \t\r\n,;[(", p[at], 8)); at++) {
        if (p[at] == ';') comment = true;
        else if (p[at] == '\n') comment = false;
    }
    if (at == n || (p[at] != '{' && p[at] != '#')) return 0;
    size_t shown = n - at < 4096 ? n - at : 4096;
    if (mentions(p + at, shown, ":type") && mentions(p + at, shown, ":process")) return 90;
    if (mentions(p + at, shown, ":type")) return 60;
    return at + 1 < n && p[at + 1] == ':' ? 30 : 0;
}

const format format_jepsen_edn = {
    .name = "jepsen-edn",
    .summary = "Jepsen and Knossos histories in EDN, Porcupine's key-value logs",
    .suffixes = ".edn",
    .nameless = true,
    .sniff = sniff_jepsen_edn,
    .read = jepsen_edn_read,
    .write = write_jepsen_edn,
};
