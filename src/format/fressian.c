#include "format/fressian.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fressian_code {                   /* one byte before each value */
                     CODE_INTS = 0x80, /* below: integers of one to seven bytes */
                     CODE_PUT_PACKED = 0x80,
                     CODE_TAG_PACKED = 0xa0,
                     CODE_LONGS = 0xb0,
                     CODE_DOUBLES,
                     CODE_BOOLEANS,
                     CODE_INT_ARRAY,
                     CODE_FLOATS,
                     CODE_OBJECTS,
                     CODE_MAP = 0xc0,
                     CODE_SET,
                     CODE_UUID = 0xc3,
                     CODE_REGEX,
                     CODE_URI,
                     CODE_BIGINT,
                     CODE_BIGDEC,
                     CODE_INST,
                     CODE_SYMBOL,
                     CODE_KEYWORD,
                     CODE_GET = 0xcc,
                     CODE_PUT,
                     CODE_FOOTER = 0xcf,
                     CODE_BYTES_PACKED = 0xd0,
                     CODE_BYTES_CHUNK = 0xd8,
                     CODE_BYTES,
                     CODE_STRING_PACKED = 0xda,
                     CODE_STRING_CHUNK = 0xe2,
                     CODE_STRING,
                     CODE_LIST_PACKED = 0xe4,
                     CODE_LIST = 0xec,
                     CODE_CLOSED_LIST,
                     CODE_OPEN_LIST,
                     CODE_NEW_TAG,
                     CODE_TAG,
                     CODE_TRUE = 0xf5,
                     CODE_FALSE,
                     CODE_NULL,
                     CODE_INT,
                     CODE_FLOAT,
                     CODE_DOUBLE,
                     CODE_DOUBLE_0,
                     CODE_DOUBLE_1,
                     CODE_END,
                     CODE_RESET,
                     CODE_MINUS_ONE,
};

enum { PACKED = 8, FOOTER_BYTES = 12, NUMBER_BYTES = 512 };

void fressian_init(fressian *f, const void *p, size_t n) {
    *f = (fressian){.p = p, .end = (const unsigned char *)p + n, .most = (UINT64_C(1) << 20) + (uint64_t)n * 1024};
}

static void forget(fressian *f) {
    for (uint32_t i = 0; i < f->tags; i++) text_free(&f->tag[i].name);
    f->tags = f->puts = 0;
    text_clear(&f->kept);
}

void fressian_free(fressian *f) {
    forget(f);
    text_free(&f->kept);
    free(f->tag);
    free(f->put);
}

static bool bad(fressian *f, const char *what) {
    if (!f->wrong[0]) strncpy(f->wrong, what, sizeof f->wrong - 1);
    return false;
}

/* ---- bytes and integers ---- */

static size_t left(const fressian *f) { return (size_t)(f->end - f->p); }

static bool take(fressian *f, unsigned char *c) {
    if (f->p == f->end) return bad(f, "the data ends inside a value");
    *c = *f->p++;
    return true;
}

static bool take_big_endian(fressian *f, unsigned n, uint64_t *out) {
    if (left(f) < n) return bad(f, "the data ends inside a value");
    for (*out = 0; n; n--) *out = *out << 8 | *f->p++;
    return true;
}

/* Small integers have their upper bits in the code: by 16 for one more byte, 8 for two, 2 for three to six. */
static bool packed_integer(fressian *f, unsigned char code, int64_t *out) {
    static const struct {
        unsigned char first, zero, bytes;
    } packed[] = {{0x7c, 0x7e, 6}, {0x78, 0x7a, 5}, {0x74, 0x76, 4}, {0x70, 0x72, 3}, {0x60, 0x68, 2}, {0x40, 0x50, 1}};
    uint64_t low;
    for (unsigned i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (code < packed[i].first) continue;
        if (!take_big_endian(f, packed[i].bytes, &low)) return false;
        *out = (int64_t)(((uint64_t)(int64_t)(code - packed[i].zero) << (8 * packed[i].bytes)) | low);
        return true;
    }
    *out = code;
    return true;
}

static bool is_integer(unsigned char code) { return code < CODE_INTS || code == CODE_INT || code == CODE_MINUS_ONE; }

static bool integer_behind(fressian *f, unsigned char code, int64_t *out) {
    uint64_t whole;
    if (code == CODE_MINUS_ONE) {
        *out = -1;
        return true;
    }
    if (code != CODE_INT) return packed_integer(f, code, out);
    if (!take_big_endian(f, 8, &whole)) return false;
    *out = (int64_t)whole;
    return true;
}

static bool integer(fressian *f, int64_t *out) {
    unsigned char code;
    if (!take(f, &code)) return false;
    return is_integer(code) ? integer_behind(f, code, out) : bad(f, "a value where an integer is expected");
}

/* Of things that take a byte at least. */
static bool count(fressian *f, uint32_t *out) {
    int64_t n;
    if (!integer(f, &n)) return false;
    if (n < 0 || (uint64_t)n > left(f) || n > INT32_MAX) return bad(f, "more items than there are bytes");
    *out = (uint32_t)n;
    return true;
}

/* ---- as EDN ---- */

static bool wrote(fressian *f, size_t n) {
    f->written += n;
    return f->written <= f->most || bad(f, "references to what was put aside make too long a text");
}

static bool any_value(fressian *f, unsigned char code, text *out);
static bool object(fressian *f, text *out) {
    unsigned char code;
    return take(f, &code) && any_value(f, code, out);
}

static void quoted(text *out, const char *p, size_t n) {
    text_char(out, '"');
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\n') {
            text_add(out, "\\n"); /* an event is a line */
            continue;
        }
        if (p[i] == '"' || p[i] == '\\') text_char(out, '\\');
        text_char(out, p[i]);
    }
    text_char(out, '"');
}

static bool is_word(const char *p, size_t n) {
    if (!n || (p[0] >= '0' && p[0] <= '9') || memchr("+-./", p[0], 4)) return false;
    for (size_t i = 0; i < n; i++) {
        bool letter = (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= '0' && p[i] <= '9');
        if (!letter && !memchr("-_.?!*+/<>=", p[i], 11)) return false;
    }
    return true;
}

/* Java's strings are UTF-16, and each half of a pair was encoded by itself: the two halves become one. */
static void add_utf8(text *out, const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n;) {
        bool pair = i + 6 <= n && p[i] == 0xed && p[i + 1] >= 0xa0 && p[i + 1] < 0xb0 && p[i + 3] == 0xed &&
                    p[i + 4] >= 0xb0 && p[i + 4] < 0xc0;
        if (pair) {
            uint32_t high = (uint32_t)(p[i + 1] & 15) << 6 | (p[i + 2] & 63),
                     low = (uint32_t)(p[i + 4] & 15) << 6 | (p[i + 5] & 63);
            char bytes[4];
            text_bytes(out, bytes, utf8_encode(0x10000 + (high << 10 | low), bytes));
            i += 6;
        } else text_char(out, (char)p[i++]);
    }
}

static bool run_of_bytes(fressian *f, uint32_t n, text *raw) {
    if (left(f) < n) return bad(f, "the data ends inside a string");
    text_bytes(raw, f->p, n);
    f->p += n;
    return true;
}

/* A string or bytes, perhaps in chunks: `first` is the code of the plain packed form, the others follow it. */
static bool gather(fressian *f, unsigned char code, unsigned first, text *raw) {
    for (;;) {
        uint32_t n = (uint32_t)code - first;
        bool chunk = n == PACKED;
        if (n > PACKED + 1) return bad(f, "something else between the chunks of a string");
        if (n >= PACKED && !count(f, &n)) return false;
        if (!run_of_bytes(f, n, raw)) return false;
        if (!chunk) return true;
        if (!take(f, &code)) return false;
        if (code < first) return bad(f, "something else between the chunks of a string");
    }
}

static bool string(fressian *f, unsigned char code, text *out) {
    text raw = {0}, plain = {0};
    bool good = gather(f, code, CODE_STRING_PACKED, &raw);
    if (good) {
        add_utf8(&plain, (const unsigned char *)text_str(&raw), raw.size);
        quoted(out, text_str(&plain), plain.size);
    }
    text_free(&raw);
    text_free(&plain);
    return good;
}

static bool bytes(fressian *f, unsigned char code, text *raw) { return gather(f, code, CODE_BYTES_PACKED, raw); }

static bool byte_string(fressian *f, unsigned char code, text *out) {
    text raw = {0};
    bool good = bytes(f, code, &raw);
    text_add(out, "\"0x");
    for (size_t i = 0; good && i < raw.size; i++) text_printf(out, "%02x", (unsigned char)raw.at[i]);
    text_char(out, '"');
    text_free(&raw);
    return good;
}

static void floating(double d, int most, text *out) {
    char digits[40];
    if (!isfinite(d)) {
        text_add(out, isnan(d) ? "##NaN" : d < 0 ? "##-Inf" : "##Inf");
        return;
    }
    for (int precision = 1; precision <= most; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, d);
        if (strtod(digits, NULL) == d) break;
    }
    for (char *c = digits; *c; c++) /* whatever this place in the world puts before fractions */
        if (!memchr("0123456789+-e", *c, 13)) *c = '.';
    text_add(out, digits);
    if (!strpbrk(digits, ".e")) text_add(out, ".0");
}

static bool double_behind(fressian *f, text *out) {
    uint64_t bits;
    double d;
    if (!take_big_endian(f, 8, &bits)) return false;
    memcpy(&d, &bits, sizeof d);
    floating(d, 17, out);
    return true;
}

static bool float_behind(fressian *f, text *out) {
    uint64_t bits;
    float d;
    if (!take_big_endian(f, 4, &bits)) return false;
    uint32_t low = (uint32_t)bits;
    memcpy(&d, &low, sizeof d);
    floating((double)d, 17, out);
    return true;
}

/* Two's complement, the highest byte first, as decimal digits. */
static bool big_integer(fressian *f, text *out) {
    text raw = {0};
    unsigned char code;
    char digits[NUMBER_BYTES * 3];
    size_t n = 0;
    bool good = take(f, &code) && (code >= CODE_BYTES_PACKED && code <= CODE_BYTES ? bytes(f, code, &raw) : false);
    if (!good || !raw.size || raw.size > NUMBER_BYTES) {
        text_free(&raw);
        return bad(f, "a large number is not 1 to 512 bytes");
    }
    unsigned char *p = (unsigned char *)raw.at;
    bool negative = p[0] & 0x80;
    for (size_t i = raw.size, carry = negative; negative && i; i--) {
        unsigned sum = (unsigned)(unsigned char)~p[i - 1] + (unsigned)carry;
        p[i - 1] = (unsigned char)sum;
        carry = sum >> 8;
    }
    for (size_t begin = 0; begin < raw.size;) {
        unsigned rest = 0;
        for (size_t i = begin; i < raw.size; i++) {
            unsigned part = rest << 8 | p[i];
            p[i] = (unsigned char)(part / 10);
            rest = part % 10;
        }
        assert(n < sizeof digits);
        digits[n++] = (char)('0' + rest);
        while (begin < raw.size && !p[begin]) begin++;
    }
    if (negative) text_char(out, '-');
    while (n > 1 && digits[n - 1] == '0') n--;
    while (n) text_char(out, digits[--n]);
    text_free(&raw);
    return true;
}

static bool big_decimal(fressian *f, text *out) {
    int64_t scale;
    if (!big_integer(f, out) || !integer(f, &scale)) return false;
    if (scale < INT32_MIN || scale > INT32_MAX) return bad(f, "the scale of a decimal number is no 32-bit integer");
    text_printf(out, "e%" PRId64, -scale);
    return true;
}

/* ---- lists ---- */

static bool is_list(unsigned char code) { return code >= CODE_LIST_PACKED && code <= CODE_OPEN_LIST; }

typedef struct list_items { /* how many are still to come, or an end mark */
    bool marked, open;
    uint32_t left;
} list_items;

static bool list_begin(fressian *f, unsigned char code, list_items *l) {
    *l = (list_items){.marked = code >= CODE_CLOSED_LIST, .open = code == CODE_OPEN_LIST};
    if (code < CODE_LIST) l->left = (uint32_t)code - CODE_LIST_PACKED;
    return code != CODE_LIST || count(f, &l->left);
}

static bool list_ended(fressian *f, list_items *l) {
    if (!l->marked) {
        if (l->left == 0) return true;
        l->left--;
        return false;
    }
    if (f->p == f->end) return l->open; /* else the next byte is asked for in vain */
    if (*f->p != CODE_END) return false;
    f->p++;
    return true;
}

static bool list_between(fressian *f, unsigned char code, const char *between, text *out) {
    list_items l;
    if (!list_begin(f, code, &l)) return false;
    for (bool first = true; !list_ended(f, &l); first = false) {
        if (!first) text_add(out, between);
        if (!object(f, out)) return false;
    }
    return true;
}

static bool list(fressian *f, unsigned char code, text *out) {
    text_char(out, '[');
    if (!list_between(f, code, " ", out)) return false;
    text_char(out, ']');
    return true;
}

/* Behind a tag: the items as those of a map or a set. nil stands for none. */
static bool braced(fressian *f, const char *opening, text *out) {
    unsigned char code;
    text_add(out, opening);
    if (!take(f, &code)) return false;
    if (code != CODE_NULL && !is_list(code)) return bad(f, "a map or set that is no list");
    if (code != CODE_NULL && !list_between(f, code, " ", out)) return false;
    text_char(out, '}');
    return true;
}

static bool array(fressian *f, text *out) {
    uint32_t n;
    if (!count(f, &n)) return false;
    text_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) text_char(out, ' ');
        if (!object(f, out)) return false;
    }
    text_char(out, ']');
    return true;
}

/* ---- what is behind a tag ---- */

/* A namespace and a name, both strings: :name, :space/name, or a string where that is no word. */
static bool name(fressian *f, bool keyword, text *out) {
    text space = {0}, own = {0}, whole = {0};
    bool good = object(f, &space) && object(f, &own);
    if (good && (text_str(&own)[0] != '"' || (text_str(&space)[0] != '"' && strcmp(text_str(&space), "nil"))))
        good = bad(f, "a name that is no string");
    if (good) {
        if (text_str(&space)[0] == '"') {
            text_bytes(&whole, space.at + 1, space.size - 2);
            text_char(&whole, '/');
        }
        text_bytes(&whole, own.at + 1, own.size - 2);
        if (is_word(text_str(&whole), whole.size)) text_printf(out, "%s%s", keyword ? ":" : "", whole.at);
        else text_printf(out, "\"%s\"", text_str(&whole)); /* it was quoted */
    }
    text_free(&space);
    text_free(&own);
    text_free(&whole);
    return good;
}

static bool character(fressian *f, text *out) {
    int64_t code;
    char encoded[4];
    if (!integer(f, &code)) return false;
    size_t n = code > 0 && code <= 0x10ffff ? utf8_encode((uint32_t)code, encoded) : 0;
    if (!n) return bad(f, "a character that there is not");
    quoted(out, encoded, n);
    return true;
}

/* An operation of newer Jepsens: what it has besides the usual fields stands among them, as in history.edn. */
static bool operation(fressian *f, text *out) {
    static const char *const field[] = {"{:index ", ", :time ", ", :type ", ", :process ", ", :f ", ", :value "};
    for (unsigned i = 0; i < sizeof field / sizeof *field; i++) {
        text_add(out, field[i]);
        if (!object(f, out)) return false;
    }
    text more = {0};
    bool good = object(f, &more);
    if (good && more.size > 2 && more.at[0] == '{') {
        text_add(out, ", ");
        text_bytes(out, more.at + 1, more.size - 2);
    }
    text_char(out, '}');
    text_free(&more);
    return good;
}

static bool pair(fressian *f, text *out) {
    text_char(out, '[');
    if (!object(f, out)) return false;
    text_char(out, ' ');
    if (!object(f, out)) return false;
    text_char(out, ']');
    return true;
}

static bool record(fressian *f, text *out) { /* the name of its class, its map */
    text class = {0};
    bool good = object(f, &class) && object(f, out);
    text_free(&class);
    return good;
}

static bool block_reference(fressian *f, text *out) {
    text_add(out, "#block-ref ");
    return object(f, out);
}

static bool as_map(fressian *f, text *out) { return braced(f, "{", out); }
static bool as_set(fressian *f, text *out) { return braced(f, "#{", out); }
static bool as_keyword(fressian *f, text *out) { return name(f, true, out); }
static bool as_symbol(fressian *f, text *out) { return name(f, false, out); }

typedef struct fressian_kind {
    const char *tag;
    uint32_t fields;
    bool (*read)(fressian *f, text *out);
    unsigned char code; /* that stands for the tag; 0: none does */
} fressian_kind;

/* Tags of Fressian itself, of Clojure's data and of Jepsen. What only wraps a value is that value. */
static const fressian_kind kinds[] = {
    {"map", 1, as_map, CODE_MAP},
    {"set", 1, as_set, CODE_SET},
    {"regex", 1, object, CODE_REGEX},
    {"uri", 1, object, CODE_URI},
    {"bigint", 1, big_integer, CODE_BIGINT},
    {"bigdec", 2, big_decimal, CODE_BIGDEC},
    {"inst", 1, object, CODE_INST},
    {"sym", 2, as_symbol, CODE_SYMBOL},
    {"key", 2, as_keyword, CODE_KEYWORD},
    {"uuid", 2, object, CODE_UUID}, /* two are announced, and there is one */
    {"int[]", 2, array, CODE_INT_ARRAY},
    {"long[]", 2, array, CODE_LONGS},
    {"float[]", 2, array, CODE_FLOATS},
    {"boolean[]", 2, array, CODE_BOOLEANS},
    {"double[]", 2, array, CODE_DOUBLES},
    {"Object[]", 2, array, CODE_OBJECTS},
    {"char", 1, character, 0},
    {"ratio", 2, pair, 0},
    {"record", 2, record, 0},
    {"jepsen.history.Op", 7, operation, 0},
    {"map-entry", 2, pair, 0},
    {"persistent-hash-set", 1, as_set, 0},
    {"persistent-sorted-set", 1, as_set, 0},
    {"block-ref", 1, block_reference, 0},
    {"vec", 1, object, 0},
    {"atom", 1, object, 0},
    {"multiset", 1, object, 0},
    {"date-time", 1, object, 0},
    {"instant", 1, object, 0},
    {"throwable", 1, object, 0},
    {"byte", 1, object, 0},
};

static const fressian_kind *kind_of(const char *tag, uint32_t fields, unsigned char code) {
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tag ? kinds[i].fields == fields && !strcmp(kinds[i].tag, tag) : kinds[i].code == code) return &kinds[i];
    return NULL;
}

/* `which` may move while fields are read that bring tags of their own. */
static bool tagged(fressian *f, uint32_t which, text *out) {
    uint32_t fields = f->tag[which].fields;
    const char *own = text_str(&f->tag[which].name);
    const fressian_kind *k = kind_of(own, fields, 0);
    if (k) return k->read(f, out);
    if (is_word(own, strlen(own))) text_printf(out, "#%s ", own);
    text_char(out, '[');
    for (uint32_t i = 0; i < fields; i++) {
        if (i) text_char(out, ' ');
        if (!object(f, out)) return false;
    }
    text_char(out, ']');
    return true;
}

static bool new_tag(fressian *f, text *out) {
    text quoted_name = {0};
    int64_t fields;
    bool good = object(f, &quoted_name) && integer(f, &fields);
    if (good && (quoted_name.size < 2 || quoted_name.at[0] != '"')) good = bad(f, "a tag that is no string");
    if (good && (fields < 0 || (uint64_t)fields > left(f))) good = bad(f, "more fields than there are bytes");
    uint32_t which = f->tags;
    if (good) {
        if ((which & (which - 1)) == 0) f->tag = MEM_GROW(f->tag, fressian_tag, which ? which * 2 : 1);
        f->tag[f->tags++] = (fressian_tag){.fields = (uint32_t)fields};
        text_bytes(&f->tag[which].name, quoted_name.at + 1, quoted_name.size - 2);
    }
    text_free(&quoted_name);
    return good && tagged(f, which, out);
}

static bool old_tag(fressian *f, int64_t which, text *out) {
    if (which < 0 || which >= (int64_t)f->tags) return bad(f, "a tag that was not said before");
    return tagged(f, (uint32_t)which, out);
}

/* ---- what is put aside ---- */

static bool put_aside(fressian *f, text *out) {
    uint32_t which = f->puts;
    if ((which & (which - 1)) == 0) f->put = MEM_GROW(f->put, fressian_put, which ? which * 2 : 1);
    f->put[f->puts++] = (fressian_put){0};
    text own = {0};
    bool good = object(f, &own);
    if (good && which < f->puts) { /* unless all was forgotten meanwhile */
        f->put[which] = (fressian_put){.ready = true, .at = f->kept.size, .size = own.size};
        text_bytes(&f->kept, text_str(&own), own.size);
    }
    text_bytes(out, text_str(&own), own.size);
    good = good && wrote(f, own.size);
    text_free(&own);
    return good;
}

static bool get_again(fressian *f, int64_t which, text *out) {
    if (which < 0 || which >= (int64_t)f->puts || !f->put[which].ready)
        return bad(f, "a reference to a value that was not put aside");
    text_bytes(out, f->kept.at + f->put[which].at, f->put[which].size);
    return wrote(f, f->put[which].size);
}

/* ---- values ---- */

static bool by_number(fressian *f, bool (*read)(fressian *f, int64_t which, text *out), text *out) {
    int64_t which;
    return integer(f, &which) && read(f, which, out);
}

static bool word(text *out, const char *w) {
    text_add(out, w);
    return true;
}

static bool number(fressian *f, unsigned char code, text *out) {
    int64_t i;
    if (!integer_behind(f, code, &i)) return false;
    text_int(out, i);
    return true;
}

static bool value_behind(fressian *f, unsigned char code, text *out) {
    if (is_integer(code)) return number(f, code, out);
    if (code >= CODE_PUT_PACKED && code < CODE_TAG_PACKED) return get_again(f, code - CODE_PUT_PACKED, out);
    if (code >= CODE_TAG_PACKED && code < CODE_LONGS) return old_tag(f, code - CODE_TAG_PACKED, out);
    if (code >= CODE_BYTES_PACKED && code <= CODE_BYTES) return byte_string(f, code, out);
    if (code >= CODE_STRING_PACKED && code <= CODE_STRING) return string(f, code, out);
    if (is_list(code)) return list(f, code, out);
    switch (code) {
    case CODE_PUT: return put_aside(f, out);
    case CODE_GET: return by_number(f, get_again, out);
    case CODE_NEW_TAG: return new_tag(f, out);
    case CODE_TAG: return by_number(f, old_tag, out);
    case CODE_TRUE: return word(out, "true");
    case CODE_FALSE: return word(out, "false");
    case CODE_NULL: return word(out, "nil");
    case CODE_FLOAT: return float_behind(f, out);
    case CODE_DOUBLE: return double_behind(f, out);
    case CODE_DOUBLE_0: return word(out, "0.0");
    case CODE_DOUBLE_1: return word(out, "1.0");
    case CODE_RESET: forget(f); return object(f, out);
    default: break;
    }
    const fressian_kind *k = kind_of(NULL, 0, code);
    return k ? k->read(f, out) : bad(f, "a code that Fressian does not have");
}

static bool any_value(fressian *f, unsigned char code, text *out) {
    if (f->depth == FRESSIAN_DEPTH) return bad(f, "nested too deeply");
    f->depth++;
    bool good = value_behind(f, code, out);
    f->depth--;
    return good && wrote(f, 1);
}

bool fressian_more(fressian *f) {
    while (left(f) >= FOOTER_BYTES && !memcmp(f->p, "\xcf\xcf\xcf\xcf", 4)) {
        f->p += FOOTER_BYTES; /* magic, length, checksum: files of Jepsen have their own */
        forget(f);
    }
    return f->p < f->end;
}

bool fressian_value(fressian *f, text *out) { return object(f, out); }

bool fressian_map(fressian *f, fressian_entry *entry, void *context) {
    unsigned char code;
    list_items l;
    if (!take(f, &code)) return false;
    if (code != CODE_MAP) return bad(f, "no map");
    if (!take(f, &code)) return false;
    if (code == CODE_NULL) return true;
    if (!is_list(code)) return bad(f, "a map that is no list");
    if (!list_begin(f, code, &l)) return false;
    bool good = true;
    text key = {0};
    while (good && !list_ended(f, &l)) {
        text_clear(&key);
        good = object(f, &key) && (l.marked || l.left-- || bad(f, "a key without a value")) && entry(context, f, &key);
    }
    text_free(&key);
    return good;
}

bool fressian_at_list(const fressian *f) { return f->p < f->end && is_list(*f->p); }

bool fressian_items(fressian *f, text *out) {
    unsigned char code;
    if (!take(f, &code)) return false;
    if (code == CODE_NULL) return true;
    if (!is_list(code)) return bad(f, "no list");
    return list_between(f, code, "\n", out);
}
