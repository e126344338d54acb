#include "format/token.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* JSON is a comma here and a colon there: what may come next. */
enum { NEXT_VALUE, NEXT_VALUE_OR_CLOSE, NEXT_KEY_OR_CLOSE, NEXT_KEY, NEXT_COLON, NEXT_COMMA_OR_CLOSE };

static const char *const expectations[] = {
    [NEXT_VALUE] = "a value",
    [NEXT_VALUE_OR_CLOSE] = "a value or ']'",
    [NEXT_KEY_OR_CLOSE] = "a key in quotes or '}'",
    [NEXT_KEY] = "a key in quotes",
    [NEXT_COLON] = "':'",
    [NEXT_COMMA_OR_CLOSE] = "',' or the closing bracket",
};

void tokens_init(tokens *t, dialect d, const char *whole, more_bytes *more, void *context) {
    *t = (tokens){.x = {.more = more, .context = context, .line = 1}, .dialect = d, .whole = whole};
}

static size_t input_more(void *context, const char **p) { return input_block(context, p); }

void tokens_init_input(tokens *t, dialect d, input *in) { tokens_init(t, d, "file", input_more, in); }

static size_t nothing_more(void *context, const char **p) {
    (void)context;
    (void)p;
    return 0;
}

void tokens_init_line(tokens *t, dialect d, const char *p, size_t n, uint32_t line) {
    text gathered = t->x.gathered;
    tokens_init(t, d, "line", nothing_more, NULL);
    t->x.gathered = gathered;
    t->x.p = p;
    t->x.end = p + n;
    t->x.line = line;
}

void tokens_free(tokens *t) { text_free(&t->x.gathered); }

const char *tokens_what(const tokens *t) { return t->x.wrong; }
uint32_t tokens_line(const tokens *t) { return t->x.wrong[0] ? t->x.wrong_line : t->x.line; }

/* ---- bytes that are no tokens ---- */

static void skip_comment(lexer *x) {
    for (int c; (c = lexer_peek(x)) >= 0 && c != '\n';) {
        const char *newline = memchr(x->p, '\n', (size_t)(x->end - x->p));
        x->p = newline ? newline : x->end;
    }
}

/* The next byte that means something, not taken; -1 at the end. */
static int next_byte(tokens *t) {
    lexer *x = &t->x;
    for (int c;;) {
        c = lexer_peek(x);
        if (c == '\n') x->line++;
        else if (c == ';' && t->dialect == DIALECT_EDN) {
            skip_comment(x);
            continue;
        } else if (c != ' ' && c != '\t' && c != '\r' && !(t->dialect == DIALECT_EDN && (c == ',' || c == '\f')))
            return c;
        x->p++;
    }
}

static token_kind wrong_byte(tokens *t, int c, const char *expected) {
    if (c < 0) lexer_wrong(&t->x, "the %s ends too early; expected %s", t->whole, expected);
    else if (c >= ' ' && c < 127) lexer_wrong(&t->x, "unexpected '%c'; expected %s", c, expected);
    else lexer_wrong(&t->x, "unexpected byte 0x%02x; expected %s", (unsigned)c, expected);
    return TOKEN_WRONG;
}

/* ---- containers ---- */

static token_kind open_container(tokens *t, char closer, token_kind kind) {
    if (t->depth == TOKEN_DEPTH) {
        lexer_wrong(&t->x, "nested more than %d deep; expected less", TOKEN_DEPTH);
        return TOKEN_WRONG;
    }
    assert(kind == TOKEN_MAP ? closer == '}' : kind == TOKEN_LIST);
    t->closer[t->depth] = closer;
    t->map[t->depth] = kind == TOKEN_MAP;
    t->odd[t->depth++] = false;
    t->expect = kind == TOKEN_MAP ? NEXT_KEY_OR_CLOSE : NEXT_VALUE_OR_CLOSE;
    return kind;
}

/* A form is complete: in a map, keys and values take turns; in JSON a separator has to follow. */
static void form_done(tokens *t) {
    if (t->depth) t->odd[t->depth - 1] ^= true;
    if (t->dialect == DIALECT_EDN || !t->depth) t->expect = NEXT_VALUE;
    else t->expect = t->map[t->depth - 1] && t->odd[t->depth - 1] ? NEXT_COLON : NEXT_COMMA_OR_CLOSE;
}

static token_kind close_container(tokens *t, int c) {
    if (!t->depth) return wrong_byte(t, c, "a value");
    unsigned top = t->depth - 1;
    if (t->closer[top] != c) {
        char expected[4] = {'\'', t->closer[top], '\'', 0};
        return wrong_byte(t, c, expected);
    }
    assert(t->dialect == DIALECT_EDN || !(t->map[top] && t->odd[top])); /* no key without its value */
    t->depth--;
    form_done(t);
    return TOKEN_CLOSE;
}

static token_kind ended(tokens *t) {
    if (!t->depth && !t->tagged && !t->discards) return TOKEN_END;
    char expected[4] = {'\'', t->depth ? t->closer[t->depth - 1] : (char)0, '\'', 0};
    return wrong_byte(t, -1, t->depth ? expected : "a value");
}

static token_kind atom(tokens *t, token_kind kind) {
    form_done(t);
    return kind;
}

static token_kind string(tokens *t) {
    t->x.p++;
    return lexer_string(&t->x, t->dialect == DIALECT_JSON) ? atom(t, TOKEN_STRING) : TOKEN_WRONG;
}

static bool word_is(const lexer *x, const char *name) {
    size_t n = strlen(name);
    return x->size == n && memcmp(x->at, name, n) == 0;
}

static token_kind word(tokens *t) {
    lexer *x = &t->x;
    bool json = t->dialect == DIALECT_JSON;
    if (!lexer_word(x)) return TOKEN_WRONG;
    if (word_is(x, "true")) return atom(t, TOKEN_TRUE);
    if (word_is(x, "false")) return atom(t, TOKEN_FALSE);
    if (word_is(x, json ? "null" : "nil")) return atom(t, TOKEN_NIL);
    number_kind number = lexer_number(x, json);
    if (number == NUMBER_INT) return atom(t, TOKEN_INT);
    if (number == NUMBER_OTHER) return atom(t, TOKEN_NUMBER);
    bool sign = x->size > 1 && (x->at[0] == '-' || x->at[0] == '+');
    bool numeric = x->size && x->at[sign] >= '0' && x->at[sign] <= '9';
    int shown = x->size < 40 ? (int)x->size : 40;
    if (numeric) lexer_wrong(x, "bad number '%.*s'; expected digits", shown, x->at);
    else if (json) lexer_wrong(x, "unexpected '%.*s'; expected a value", shown, x->at);
    else return atom(t, TOKEN_SYMBOL);
    return TOKEN_WRONG;
}

/* ---- JSON ---- */

static token_kind json_next(tokens *t) {
    for (;;) {
        int c = next_byte(t);
        if (c < 0) return ended(t);
        switch (t->expect) {
        case NEXT_COMMA_OR_CLOSE:
            if (c == ']' || c == '}') break;
            if (c != ',') return wrong_byte(t, c, "',' or the closing bracket");
            assert(t->depth > 0); /* outside of containers a value may follow at once */
            t->expect = t->map[t->depth - 1] ? NEXT_KEY : NEXT_VALUE;
            t->x.p++;
            continue;
        case NEXT_COLON:
            if (c != ':') return wrong_byte(t, c, expectations[NEXT_COLON]);
            t->expect = NEXT_VALUE;
            t->x.p++;
            continue;
        case NEXT_KEY_OR_CLOSE:
        case NEXT_KEY:
            if (c != '"' && !(c == '}' && t->expect == NEXT_KEY_OR_CLOSE))
                return wrong_byte(t, c, expectations[t->expect]);
            break;
        default:
            if (c == '}' || (c == ']' && t->expect != NEXT_VALUE_OR_CLOSE))
                return wrong_byte(t, c, expectations[t->expect]);
            break;
        }
        if (c == '"') return string(t);
        if ((c >= '0' && c <= '9') || c == '-' || (c >= 'a' && c <= 'z')) return word(t);
        t->x.p++;
        switch (c) {
        case '{': return open_container(t, '}', TOKEN_MAP);
        case '[': return open_container(t, ']', TOKEN_LIST);
        case '}':
        case ']': return close_container(t, c);
        default: return wrong_byte(t, c, expectations[t->expect]);
        }
    }
}

/* ---- EDN ---- */

enum { AGAIN = -1 }; /* no token came of it */

static int edn_dispatch(tokens *t) { /* behind a # */
    int c = lexer_peek(&t->x);
    switch (c) {
    case '{': t->x.p++; return (int)open_container(t, '}', TOKEN_LIST);
    case '_':
        t->x.p++;
        t->discards += t->discard_depth == 0;
        return AGAIN;
    case '#': /* ##Inf, ##NaN */ t->x.p++; return lexer_word(&t->x) ? (int)atom(t, TOKEN_NUMBER) : (int)TOKEN_WRONG;
    default:
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 128))
            return (int)wrong_byte(t, c, "#{, #_ or a tag behind '#'");
        if (!lexer_word(&t->x)) return (int)TOKEN_WRONG;
        t->tagged = true;
        return AGAIN;
    }
}

static token_kind edn_close(tokens *t, int c) {
    bool discarding = t->discard_depth > 0;
    if (t->tagged) return wrong_byte(t, c, "a form behind the tag");
    if (t->discards && !discarding) return wrong_byte(t, c, "a form to discard");
    if (c == '}' && t->depth && t->map[t->depth - 1] && t->odd[t->depth - 1] && !discarding)
        return wrong_byte(t, c, "a value for the map's last key");
    return close_container(t, c);
}

static int edn_token(tokens *t) {
    int c = next_byte(t);
    if (c < 0) return (int)ended(t);
    if (c == '"') return (int)string(t);
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 128) return (int)word(t);
    switch (c) {
    case '{': t->x.p++; return (int)open_container(t, '}', TOKEN_MAP);
    case '[': t->x.p++; return (int)open_container(t, ']', TOKEN_LIST);
    case '(': t->x.p++; return (int)open_container(t, ')', TOKEN_LIST);
    case '}':
    case ']':
    case ')': t->x.p++; return (int)edn_close(t, c);
    case '#': t->x.p++; return edn_dispatch(t);
    case '\\': t->x.p++; return lexer_char(&t->x) ? (int)atom(t, TOKEN_STRING) : (int)TOKEN_WRONG;
    case ':':
        t->x.p++;
        if (!lexer_word(&t->x)) return (int)TOKEN_WRONG;
        if (!t->x.size) return (int)wrong_byte(t, lexer_peek(&t->x), "a name behind ':'");
        return (int)atom(t, TOKEN_KEYWORD);
    case '-':
    case '+':
    case '.':
    case '*':
    case '!':
    case '_':
    case '?':
    case '$':
    case '%':
    case '&':
    case '=':
    case '<':
    case '>':
    case '/': return (int)word(t);
    default: return (int)wrong_byte(t, c, "a value");
    }
}

/* A discarded form counts for nothing, so its map must not see a key or value done. */
static void undo_form(tokens *t) {
    assert(t->discards > 0);
    if (t->depth) t->odd[t->depth - 1] ^= true;
    t->discards--;
}

static token_kind edn_next(tokens *t) {
    for (;;) {
        int kind = edn_token(t);
        if (kind == AGAIN) continue;
        if (kind == TOKEN_WRONG || kind == TOKEN_END) return (token_kind)kind;
        t->tagged = false;
        if (t->discard_depth) {
            if (kind != TOKEN_CLOSE || t->depth + 1 != t->discard_depth) continue;
            t->discard_depth = 0;
            undo_form(t);
        } else if (!t->discards) {
            return (token_kind)kind;
        } else if (kind == TOKEN_MAP || kind == TOKEN_LIST) {
            t->discard_depth = t->depth;
        } else {
            undo_form(t);
        }
    }
}

/* ---- front ---- */

token_kind tokens_next(tokens *t, token *out) {
    out->kind = t->x.wrong[0] ? TOKEN_WRONG : t->dialect == DIALECT_JSON ? json_next(t) : edn_next(t);
    out->line = t->x.line;
    out->at = t->x.at;
    out->size = t->x.size;
    out->integer = t->x.integer;
    assert(out->kind != TOKEN_END || (!t->depth && !t->discards && !t->tagged));
    assert((out->kind == TOKEN_WRONG) == (t->x.wrong[0] != 0));
    assert((out->kind != TOKEN_MAP && out->kind != TOKEN_LIST) || t->depth > 0);
    return out->kind;
}

bool tokens_skip(tokens *t, const token *first) {
    if (first->kind != TOKEN_MAP && first->kind != TOKEN_LIST) return first->kind != TOKEN_WRONG;
    token k;
    unsigned depth = t->depth;
    while (t->depth >= depth)
        if (tokens_next(t, &k) == TOKEN_WRONG) return false;
    assert(k.kind == TOKEN_CLOSE && t->depth + 1 == depth);
    return true;
}

/* ---- values ---- */

typedef struct value_stack {
    value *item;
    size_t n, room;
    size_t start[TOKEN_DEPTH + 1]; /* by depth: its first item */
} value_stack;

static void push(value_stack *s, value v) {
    if (s->n == s->room) {
        s->room *= 2;
        s->item = MEM_GROW(s->item, value, s->room);
    }
    s->item[s->n++] = v;
}

static value atom_value(const token *k, values *v, bool reserved) {
    value number;
    switch (k->kind) {
    case TOKEN_INT: return value_int(v, k->integer);
    case TOKEN_NIL: return VALUE_NONE;
    case TOKEN_TRUE: return VALUE_TRUE;
    case TOKEN_FALSE: return VALUE_FALSE;
    case TOKEN_KEYWORD:
        if (reserved && k->size == 5 && memcmp(k->at, "empty", 5) == 0) return VALUE_EMPTY;
        if (reserved && k->size == 4 && memcmp(k->at, "full", 4) == 0) return VALUE_FULL;
        break;
    case TOKEN_NUMBER: /* EDN's ratios, infinities and what is no number stay as they are written */
        if (value_number(v, k->at, k->size, &number)) return number;
        break;
    default: break;
    }
    return value_bytes(v, k->at, k->size);
}

/* What has just been closed. A set is closed as a map is. */
static value_kind closed_kind(const tokens *t) {
    assert(t->depth < TOKEN_DEPTH);
    return t->map[t->depth] ? KIND_MAP : t->closer[t->depth] == '}' ? KIND_SET : KIND_TUPLE;
}

static bool list_value(tokens *t, values *v, bool reserved, value *out) {
    value_stack s = {.item = MEM_ARRAY(value, 16), .room = 16};
    unsigned outermost = t->depth;
    token k;
    s.start[outermost] = 0;
    while (t->depth >= outermost && tokens_next(t, &k) != TOKEN_WRONG) {
        if (k.kind == TOKEN_MAP || k.kind == TOKEN_LIST) {
            s.start[t->depth] = s.n;
            if (t->depth - outermost >= VALUE_DEPTH)
                lexer_wrong(&t->x, "nested more than %d deep; expected less", VALUE_DEPTH);
        } else if (k.kind == TOKEN_CLOSE) {
            size_t start = s.start[t->depth + 1];
            assert(start <= s.n);
            value list = value_list_of(v, closed_kind(t), s.item + start, s.n - start);
            s.n = start;
            push(&s, list);
        } else {
            push(&s, atom_value(&k, v, reserved && t->depth == outermost));
        }
    }
    bool good = !t->x.wrong[0];
    assert(!good || s.n == 1); /* everything that was opened has become one value */
    if (good) *out = s.item[0];
    free(s.item);
    return good;
}

bool tokens_value(tokens *t, const token *first, values *v, bool reserved, value *out) {
    if (first->kind == TOKEN_MAP || first->kind == TOKEN_LIST) return list_value(t, v, reserved, out);
    if (first->kind == TOKEN_WRONG) return false;
    *out = atom_value(first, v, reserved);
    return true;
}
