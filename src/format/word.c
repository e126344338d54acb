#include "format/word.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct word_reading {
    values *values;
    const char *wrong;
    unsigned depth;
} word_reading;

static const char *read_one(word_reading *r, const char *p, value *out);

static const char *refuse(word_reading *r, const char *wrong) {
    r->wrong = wrong;
    return NULL;
}

const char *word_long_int(const char *digits, bool negative, int64_t *out) {
    uint64_t u = 0, limit = (uint64_t)INT64_MAX + negative;
    const char *p = digits;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned d = (unsigned)(*p - '0');
        if (u > (limit - d) / 10) return NULL;
        u = u * 10 + d;
    }
    if (!word_ends(*p)) return NULL;
    *out = negative ? (int64_t)(0 - u) : (int64_t)u;
    return p;
}

/* ---- strings ---- */

static int hex(const char *p, unsigned digits) {
    int code = 0;
    for (unsigned i = 0; i < digits; i++) {
        char c = p[i];
        int d = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
        if (d < 0) return -1;
        code = code * 16 + d;
    }
    return code;
}

/* p stands behind \u: one code point, perhaps two surrogates. */
static const char *read_unicode(word_reading *r, const char *p, text *to) {
    int code = hex(p, 4);
    if (code < 0) return refuse(r, "bad escape; expected four hexadecimal digits behind \\u");
    p += 4;
    if (code >= 0xd800 && code < 0xdc00 && p[0] == '\\' && p[1] == 'u') {
        int low = hex(p + 2, 4);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            p += 6;
        }
    }
    char bytes[4];
    size_t n = utf8_encode((uint32_t)code, bytes);
    if (!n) return refuse(r, "lone surrogate; expected a pair of \\u escapes");
    text_bytes(to, bytes, n);
    return p;
}

static const char *read_escape(word_reading *r, const char *p, text *to) {
    static const char letter[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    if (*p == 'u') return read_unicode(r, p + 1, to);
    if (*p == 'x') {
        int byte = hex(p + 1, 2);
        if (byte < 0) return refuse(r, "bad escape; expected two hexadecimal digits behind \\x");
        text_char(to, (char)byte);
        return p + 3;
    }
    const char *at = *p ? strchr(letter, *p) : NULL;
    if (!at) return refuse(r, "bad escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX \\xHH");
    text_char(to, meaning[at - letter]);
    return p + 1;
}

static const char *read_quoted(word_reading *r, const char *p, value *out) {
    text t = {0};
    for (p++; p && *p && *p != '"';) {
        if (*p == '\\') {
            p = read_escape(r, p + 1, &t);
            continue;
        }
        size_t n = strcspn(p, "\"\\");
        if (utf8_valid(p, n)) text_bytes(&t, p, n);
        p = utf8_valid(p, n) ? p + n : refuse(r, "invalid UTF-8; expected other bytes written as \\xHH");
    }
    if (p && *p != '"') p = refuse(r, "string without end; expected a closing quote");
    if (p) *out = value_bytes(r->values, text_str(&t), t.size);
    text_free(&t);
    return p ? p + 1 : NULL;
}

/* -12.5, 1e+30; but 12e4 is a word, as an id in hexadecimal digits may be. */
static bool is_number(const char *p, size_t n) {
    size_t e = 0;
    if (!n || p[n - 1] < '0' || p[n - 1] > '9' || !((*p >= '0' && *p <= '9') || *p == '-')) return false;
    while (e < n && p[e] != 'e') e++;
    return e == n || (e + 1 < n && (p[e + 1] == '+' || p[e + 1] == '-'));
}

static const char *read_bare(word_reading *r, const char *p, value *out) {
    static const struct {
        const char *name;
        value v;
    } reserved[] = {
        {"empty", VALUE_EMPTY}, {"full", VALUE_FULL}, {"true", VALUE_TRUE}, {"false", VALUE_FALSE},
        {"none", VALUE_NONE},   {"nil", VALUE_NONE},  {"null", VALUE_NONE},
    };
    size_t n = 0;
    while (!word_ends(p[n])) n++;
    if (n == 0) return refuse(r, "no value; expected a number, a word, a quoted string or a tuple");
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i].name) == n && !memcmp(reserved[i].name, p, n)) {
            *out = reserved[i].v;
            return p + n;
        }
    if (!utf8_valid(p, n)) return refuse(r, "invalid UTF-8; expected other bytes quoted and written as \\xHH");
    if (!is_number(p, n) || !value_number(r->values, p, n, out)) *out = value_bytes(r->values, p, n);
    return p + n;
}

/* ---- tuples ---- */

static const char *next_item(const char *p) {
    p = word_blanks(p);
    return *p == ',' ? word_blanks(p + 1) : p;
}

static const char *read_tuple(word_reading *r, const char *p, value *out) {
    value *item = NULL;
    size_t n = 0, room = 0;
    if (++r->depth > VALUE_MOST_DEEP) return refuse(r, "tuples nested too deep; expected at most 100 levels");
    for (p = word_blanks(p + 1); p && *p && *p != ']'; p = p ? next_item(p) : NULL) {
        if (n == room) item = MEM_GROW(item, value, room = room ? room * 2 : 8);
        p = read_one(r, p, &item[n++]);
    }
    r->depth--;
    if (p && *p != ']') p = refuse(r, "tuple without end; expected ]");
    if (p) *out = value_tuple(r->values, item, n);
    free(item);
    return p ? p + 1 : NULL;
}

static const char *read_one(word_reading *r, const char *p, value *out) {
    int64_t i;
    const char *end = word_int(p, &i);
    if (end) {
        *out = value_int(r->values, i);
        return end;
    }
    if (*p == '"') return read_quoted(r, p, out);
    if (*p == '[') return read_tuple(r, p, out);
    return read_bare(r, p, out);
}

const char *word_read(values *t, const char *p, value *out, const char **wrong) {
    word_reading r = {.values = t};
    const char *end = read_one(&r, p, out);
    if (!end) *wrong = r.wrong;
    return end;
}

/* ---- writing ---- */

/* Bare words that no reader takes for anything else. */
static bool is_plain(const char *p, size_t n) {
    static const char *const reserved[] = {"empty", "full", "true", "false", "none", "nil", "null", "inf"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == n && !memcmp(reserved[i], p, n)) return false;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i && ((c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':' || c == '/'))) return false;
    }
    return n > 0;
}

static void write_quoted(const char *p, size_t n, text *out) {
    text_char(out, '"');
    for (size_t i = 0; i < n;) {
        size_t valid = utf8_sequence(p + i, n - i);
        if (valid == 0 || (unsigned char)p[i] < 0x20 || p[i] == 0x7f) {
            text_printf(out, "\\x%02x", (unsigned char)p[i++]);
            continue;
        }
        if (p[i] == '"' || p[i] == '\\') text_char(out, '\\');
        text_bytes(out, p + i, valid);
        i += valid;
    }
    text_char(out, '"');
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
/* What was written is read as the same bytes, to its end. */
static bool is_read_as(const values *t, const char *written, value v) {
    const char *wrong;
    values *other = values_new();
    value back;
    size_t n, m;
    const char *p = value_as_bytes(t, v, &n), *end = word_read(other, written, &back, &wrong);
    bool same = end && *end == 0 && value_kind_of(other, back) == KIND_BYTES;
    if (same) {
        const char *q = value_as_bytes(other, back, &m);
        same = n == m && memcmp(p, q, n) == 0;
    }
    values_free(other);
    return same;
}
#endif

void word_write(const values *t, value v, text *out) {
    size_t n, start;
    const char *p;
    switch (value_kind_of(t, v)) {
    case KIND_INT: text_int(out, value_as_int(t, v)); break;
    case KIND_TUPLE: value_print_tuple(t, v, " ", word_write, out); break;
    case KIND_BYTES:
        p = value_as_bytes(t, v, &n);
        start = out->size;
        if (is_plain(p, n)) text_bytes(out, p, n);
        else write_quoted(p, n, out);
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
        assert(is_read_as(t, text_str(out) + start, v));
#endif
        break;
    default: value_print(t, v, out);
    }
    (void)start;
}
