#include "theory/lexer.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct theory_scanner {
    const char *at, *line_start;
    uint32_t line;
    uint32_t room;
    token_list *out;
} theory_scanner;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static theory_token *add(theory_scanner *s, theory_token_kind kind, uint32_t length) {
    token_list *l = s->out;
    if (l->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        l->token = MEM_GROW(l->token, theory_token, s->room);
    }
    theory_token *t = &l->token[l->count++];
    uint32_t column = (uint32_t)(s->at - s->line_start) + 1;
    *t = (theory_token){
        .kind = kind, .begins_item = column == 1, .at = s->at, .length = length, .line = s->line, .column = column};
    assert(l->count < 2 || t[-1].line < t->line || t[-1].at + t[-1].length <= t->at); /* tokens do not overlap */
    assert(length > 0 || kind == TOKEN_END);
    s->at += length;
    return t;
}

/* A hyphen belongs to the name when a letter follows at once: pqueue-max is a name, n-1 is not. */
static uint32_t name_length(const char *s) {
    uint32_t n = 0;
    while (is_letter(s[n]) || is_digit(s[n]) || (s[n] == '-' && is_letter(s[n + 1]))) n++;
    return n;
}

static uint32_t number_length(const char *s) {
    uint32_t n = 0;
    while (is_digit(s[n])) n++;
    return n;
}

static uint32_t symbol_length(const char *s) {
    if (!strncmp(s, "<->", 3)) return 3;
    if (!strncmp(s, "->", 2) || !strncmp(s, "!=", 2) || !strncmp(s, "<=", 2)) return 2;
    return *s && strchr("(),.:=<&|^!-+?", *s) ? 1 : 0;
}

static void skip_blanks(theory_scanner *s) {
    for (;; s->at++) {
        if (*s->at == '#') s->at += strcspn(s->at, "\n");
        if (*s->at == '\n') {
            s->line++;
            s->line_start = s->at + 1;
        } else if (*s->at != ' ' && *s->at != '\t' && *s->at != '\r') {
            return;
        }
    }
}

static bool scan_string(theory_scanner *s, error *e) {
    size_t length = strcspn(s->at + 1, "\"\n");
    if (s->at[1 + length] != '"')
        return error_set(e, EXIT_BAD_INPUT, "%s:%u:%u: a string is not closed; expected \" in the same line",
                         s->out->file, s->line, (unsigned)(s->at - s->line_start) + 1);
    theory_token *t = add(s, TOKEN_STRING, (uint32_t)length + 2);
    t->at++;
    t->length -= 2;
    return true;
}

static bool scan(theory_scanner *s, error *e) {
    uint32_t length;
    if (*s->at == '"') return scan_string(s, e);
    if (is_letter(*s->at)) add(s, TOKEN_NAME, name_length(s->at));
    else if (is_digit(*s->at)) add(s, TOKEN_NUMBER, number_length(s->at));
    else if ((length = symbol_length(s->at))) add(s, TOKEN_SYMBOL, length);
    else
        return error_set(e, EXIT_BAD_INPUT,
                         "%s:%u:%u: byte 0x%02x; expected a name, a number or a sign of the language", s->out->file,
                         s->line, (unsigned)(s->at - s->line_start) + 1, (unsigned char)*s->at);
    return true;
}

bool lex(const char *source, const char *file, token_list *out, error *e) {
    *out = (token_list){.file = file};
    theory_scanner s = {.at = source, .line_start = source, .line = 1, .out = out};
    for (skip_blanks(&s); *s.at; skip_blanks(&s)) {
        if (!scan(&s, e)) {
            token_list_free(out);
            return false;
        }
    }
    assert(s.at == source + strlen(source));
    add(&s, TOKEN_END, 0)->begins_item = true;
    return true;
}

void token_list_free(token_list *l) {
    free(l->token);
    *l = (token_list){0};
}

bool token_is(const theory_token *t, const char *word) {
    return t->kind != TOKEN_STRING && t->kind != TOKEN_END && strlen(word) == t->length &&
           memcmp(word, t->at, t->length) == 0;
}

bool token_complain(const token_list *l, const theory_token *t, error *e, const char *format, ...) {
    text what = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&what, format, args);
    va_end(args);
    error_set(e, EXIT_BAD_INPUT, "%s:%u:%u: %s", l->file, t->line, t->column, text_str(&what));
    text_free(&what);
    return false;
}

bool token_error(const token_list *l, const theory_token *t, const char *expected, error *e) {
    if (t->kind == TOKEN_END) return token_complain(l, t, e, "the file ends; expected %s", expected);
    if (t->begins_item && t->kind == TOKEN_NAME)
        return token_complain(l, t, e, "a new item begins ('%.*s'); expected %s, or a blank before a line that goes on",
                              (int)t->length, t->at, expected);
    return token_complain(l, t, e, "'%.*s'; expected %s", (int)(t->length < 40 ? t->length : 40), t->at, expected);
}
