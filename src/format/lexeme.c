#include "format/lexeme.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lexer_wrong(lexer *x, const char *format, ...) {
    if (x->wrong[0]) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(x->wrong, sizeof x->wrong, format, args);
    va_end(args);
    x->wrong_line = x->line;
    return false;
}

bool lexer_refill(lexer *x) {
    if (x->ended) return false;
    assert(x->p == x->end); /* nothing of the last block is left */
    const char *p = "";
    size_t n = x->more(x->context, &p);
    x->p = p;
    x->end = p + n;
    x->ended = n == 0;
    return n > 0;
}

static bool gather(lexer *x, const char *from, const char *to) {
    if (x->gathered.size + (size_t)(to - from) > LEXEME_MAX)
        return lexer_wrong(x, "string or word longer than %d MiB; expected a shorter one", LEXEME_MAX >> 20);
    text_bytes(&x->gathered, from, (size_t)(to - from));
    return true;
}

/* The lexeme ends at `end` in the current block and began at `start` there, or earlier if something is gathered. */
static bool ends_at(lexer *x, const char *start, const char *end) {
    assert(start <= end && end <= x->end && end <= x->p);
    if (x->gathered.size) {
        if (!gather(x, start, end)) return false;
        x->at = x->gathered.at;
        x->size = x->gathered.size;
    } else {
        x->at = start;
        x->size = (size_t)(end - start);
    }
    if (utf8_valid(x->at, x->size)) return true;
    return lexer_wrong(x, "invalid UTF-8; expected text in UTF-8");
}

/* ---- words ---- */

static inline bool in_word(unsigned char c) {
    static const bool delimiter[128] = {[' '] = 1, [','] = 1, ['('] = 1, [')'] = 1, ['['] = 1, [']'] = 1,  ['{'] = 1,
                                        ['}'] = 1, ['"'] = 1, [';'] = 1, ['^'] = 1, ['`'] = 1, ['\\'] = 1, ['@'] = 1};
    return c >= 128 || (c > ' ' && c != 127 && !delimiter[c]);
}

bool lexer_word(lexer *x) {
    text_clear(&x->gathered);
    for (;;) {
        const char *start = x->p, *p = start;
        while (p < x->end && in_word((unsigned char)*p)) p++;
        x->p = p;
        if (p < x->end) return ends_at(x, start, p);
        if (start < p && !gather(x, start, p)) return false;
        if (!lexer_refill(x)) return ends_at(x, x->p, x->p);
    }
}

/* ---- strings ---- */

static int hex_digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool hex4(lexer *x, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(lexer_take(x));
        if (digit < 0) return lexer_wrong(x, "bad \\u escape; expected four hexadecimal digits");
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

static bool add_code(lexer *x, uint32_t code) {
    char bytes[4];
    size_t n = utf8_encode(code, bytes);
    if (!n) return lexer_wrong(x, "escape of a lone surrogate U+%04X; expected a pair \\uD8xx\\uDCxx", (unsigned)code);
    return gather(x, bytes, bytes + n);
}

/* Behind \u: one UTF-16 unit, or two that are a surrogate pair (RFC 8259, section 7). */
static bool unicode_escape(lexer *x) {
    uint32_t code, low;
    if (!hex4(x, &code)) return false;
    if (code >= 0xd800 && code < 0xdc00 && lexer_peek(x) == '\\') {
        lexer_take(x);
        if (lexer_take(x) != 'u' || !hex4(x, &low) || low < 0xdc00 || low > 0xdfff)
            return lexer_wrong(x, "escape of a lone surrogate U+%04X; expected a pair \\uD8xx\\uDCxx", (unsigned)code);
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    return add_code(x, code);
}

static bool escape(lexer *x, bool json) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = lexer_take(x);
    if (c == 'u') return unicode_escape(x);
    const char *which = c > 0 ? strchr(from, c) : NULL;
    if (!which || (c == '/' && !json)) {
        if (c < 0) return lexer_wrong(x, "the text ends inside a string; expected '\"'");
        return lexer_wrong(x, "bad escape in a string; expected one of \\\" \\\\ %s\\b \\f \\n \\r \\t \\uXXXX",
                           json ? "\\/ " : "");
    }
    char plain = to[which - from];
    return gather(x, &plain, &plain + 1);
}

static inline const char *plain_run(const char *p, const char *end) {
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= ' ') p++;
    return p;
}

bool lexer_string(lexer *x, bool json) {
    bool direct = true; /* nothing had to be gathered yet: gathered.size may be 0 for other reasons */
    uint32_t first_line = x->line;
    text_clear(&x->gathered);
    for (;;) {
        const char *start = x->p;
        x->p = plain_run(start, x->end);
        if (x->p < x->end && *x->p == '"') {
            const char *end = x->p++;
            if (direct) return ends_at(x, start, end);
            if (!gather(x, start, end)) return false;
            return ends_at(x, end, end);
        }
        if (start < x->p && !gather(x, start, x->p)) return false;
        direct = false;
        int c = lexer_take(x);
        if (c < 0) {
            x->line = first_line;
            return lexer_wrong(x, "the text ends inside this string; expected '\"'");
        }
        if (c == '\\') {
            if (!escape(x, json)) return false;
        } else if (c == '"') { /* the block ended before it */
            return ends_at(x, x->p, x->p);
        } else if ((unsigned char)c < ' ') {
            if (json)
                return lexer_wrong(x, "control character 0x%02x inside a string; expected it escaped", (unsigned)c);
            if (c == '\n') x->line++;
            char byte = (char)c;
            if (!gather(x, &byte, &byte + 1)) return false;
        } else { /* first byte of a new block */
            char byte = (char)c;
            if (!gather(x, &byte, &byte + 1)) return false;
        }
    }
}

bool lexer_char(lexer *x) {
    static const struct {
        const char *name;
        char plain;
    } names[] = {{"newline", '\n'}, {"space", ' '},     {"tab", '\t'},
                 {"return", '\r'},  {"formfeed", '\f'}, {"backspace", '\b'}};
    int c = lexer_peek(x);
    if (c > ' ' && c < 127 && !in_word((unsigned char)c)) { /* \( \[ \, ... */
        char byte = (char)lexer_take(x);
        text_clear(&x->gathered);
        gather(x, &byte, &byte + 1);
        return ends_at(x, x->p, x->p);
    }
    if (!lexer_word(x)) return false;
    if (x->size && utf8_sequence(x->at, x->size) == x->size) return true; /* one code point */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == x->size && memcmp(names[i].name, x->at, x->size) == 0) {
            x->at = &names[i].plain;
            x->size = 1;
            return true;
        }
    if (x->size == 5 && x->at[0] == 'u') {
        uint32_t code = 0;
        bool good = true;
        for (int i = 1; i < 5; i++) {
            int digit = hex_digit((unsigned char)x->at[i]);
            good = good && digit >= 0;
            code = code << 4 | (uint32_t)(digit & 15);
        }
        text_clear(&x->gathered);
        if (good && add_code(x, code)) return ends_at(x, x->p, x->p);
    }
    return lexer_wrong(x, "unknown character name; expected \\a, \\newline, \\space, \\tab or \\uXXXX");
}

/* ---- numbers ---- */

static size_t digits_at(const char *p, size_t n) {
    size_t i = 0;
    while (i < n && p[i] >= '0' && p[i] <= '9') i++;
    return i;
}

static bool to_integer(const char *p, size_t n, bool negative, int64_t *out) {
    uint64_t u = 0, limit = negative ? UINT64_C(1) << 63 : INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)(p[i] - '0');
        if (u > (limit - digit) / 10) return false;
        u = u * 10 + digit;
    }
    *out = negative ? (int64_t)(0 - u) : (int64_t)u;
    assert(*out == 0 || (*out < 0) == negative);
    return true;
}

static size_t zeros_at(const char *p, size_t n) {
    size_t i = 0;
    while (i < n && p[i] == '0') i++;
    return i;
}

enum { EXPONENT_MOST = 18 }; /* digits of an exponent that decimal_read takes */

/* .digits, e+digits: what makes a number a floating one; 0 when it is none. */
static size_t fraction_at(const char *p, size_t n, bool json) {
    size_t i = 0, more;
    if (i < n && p[i] == '.') {
        more = digits_at(p + 1, n - 1);
        if (!more && json) return 0;
        i = 1 + more;
    }
    if (i < n && (p[i] == 'e' || p[i] == 'E')) {
        size_t e = i + 1;
        if (e < n && (p[e] == '+' || p[e] == '-')) e++;
        more = digits_at(p + e, n - e);
        if (!more || more - zeros_at(p + e, more) > EXPONENT_MOST) return 0;
        i = e + more;
    }
    return i;
}

number_kind lexer_number(lexer *x, bool json) {
    const char *p = x->at;
    size_t n = x->size, sign = n && (p[0] == '-' || (p[0] == '+' && !json));
    size_t digits = digits_at(p + sign, n - sign), at = sign + digits;
    if (!digits || (digits > 1 && p[sign] == '0')) return NUMBER_NOT;
    if (!json && at + 1 == n && p[at] == 'N') x->size = n = at;
    if (at == n) return to_integer(p + sign, digits, p[0] == '-', &x->integer) ? NUMBER_INT : NUMBER_OTHER;
    if (!json && p[at] == '/') {
        size_t below = digits_at(p + at + 1, n - at - 1);
        return below && at + 1 + below == n ? NUMBER_OTHER : NUMBER_NOT;
    }
    at += fraction_at(p + at, n - at, json);
    if (!json && at + 1 == n && p[at] == 'M') at++;
    return at == n ? NUMBER_OTHER : NUMBER_NOT;
}
