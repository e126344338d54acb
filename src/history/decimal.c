#include "history/decimal.h"

#include <assert.h>
#include <string.h>

enum { EXPONENT_DIGITS = 18, ZEROS_BEHIND = 20, ZEROS_BEFORE = 6 };

static size_t digits_at(const char *p, size_t n) {
    size_t i = 0;
    while (i < n && p[i] >= '0' && p[i] <= '9') i++;
    return i;
}

static bool read_exponent(const char *p, size_t n, int64_t *out) {
    bool negative = n && *p == '-';
    size_t sign = n && (*p == '-' || *p == '+');
    p += sign;
    n -= sign;
    if (!n || digits_at(p, n) != n) return false;
    while (n && *p == '0') {
        p++;
        n--;
    }
    if (n > EXPONENT_DIGITS) return false;
    int64_t e = 0;
    for (size_t i = 0; i < n; i++) e = e * 10 + (p[i] - '0');
    *out = negative ? -e : e;
    return true;
}

/* Zeros at both ends say nothing but where the first digit stands. */
static void trim(decimal *d) {
    while (d->n && *d->digit == '0') {
        d->digit++;
        d->n--;
        d->exponent--;
    }
    while (d->n && d->digit[d->n - 1] == '0') d->n--;
    if (d->n) return;
    d->exponent = 0;
    d->negative = false;
}

bool decimal_read(const char *p, size_t n, text *room, decimal *out) {
    size_t sign = n && (*p == '-' || *p == '+'), whole = digits_at(p + sign, n - sign), at = sign + whole;
    int64_t exponent = 0;
    if (!whole) return false;
    text_clear(room);
    text_bytes(room, p + sign, whole);
    if (at < n && p[at] == '.') {
        size_t fraction = digits_at(p + at + 1, n - at - 1);
        text_bytes(room, p + at + 1, fraction);
        at += 1 + fraction;
    }
    if (n > at && (p[n - 1] == 'M' || p[n - 1] == 'N')) n--;
    if (at < n && (p[at] == 'e' || p[at] == 'E')) {
        if (!read_exponent(p + at + 1, n - at - 1, &exponent)) return false;
        at = n;
    }
    *out =
        (decimal){.digit = room->at, .n = room->size, .exponent = exponent + (int64_t)whole - 1, .negative = *p == '-'};
    trim(out);
    return at == n;
}

void decimal_of_int(int64_t i, char room[DECIMAL_OF_INT], decimal *out) {
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    char *first = room + DECIMAL_OF_INT;
    for (; u; u /= 10) *--first = (char)('0' + u % 10);
    size_t n = (size_t)(room + DECIMAL_OF_INT - first);
    *out = (decimal){.digit = first, .n = n, .exponent = (int64_t)n - 1, .negative = i < 0};
    trim(out);
}

bool decimal_as_int(const decimal *d, int64_t *out) {
    if (d->n && (d->exponent < (int64_t)d->n - 1 || d->exponent > 18)) return false;
    uint64_t u = 0, limit = (uint64_t)INT64_MAX + d->negative;
    for (int64_t i = 0; d->n && i <= d->exponent; i++) {
        unsigned digit = i < (int64_t)d->n ? (unsigned)(d->digit[i] - '0') : 0;
        if (u > (limit - digit) / 10) return false;
        u = u * 10 + digit;
    }
    *out = d->negative ? (int64_t)(0 - u) : (int64_t)u;
    return true;
}

static int compare_sizes(const decimal *a, const decimal *b) {
    if (!a->n || !b->n) return (a->n > 0) - (b->n > 0);
    if (a->exponent != b->exponent) return a->exponent < b->exponent ? -1 : 1;
    int c = memcmp(a->digit, b->digit, a->n < b->n ? a->n : b->n);
    return c ? c : (a->n > b->n) - (a->n < b->n);
}

int decimal_compare(const decimal *a, const decimal *b) {
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int c = compare_sizes(a, b);
    return a->negative ? -c : c;
}

static void zeros(text *out, int64_t n) {
    while (n-- > 0) text_char(out, '0');
}

static void print_plain(const decimal *d, text *out) {
    int64_t whole = d->exponent + 1, n = (int64_t)d->n;
    if (whole <= 0) {
        text_add(out, "0.");
        zeros(out, -whole);
        text_bytes(out, d->digit, d->n);
        return;
    }
    text_bytes(out, d->digit, (size_t)(whole < n ? whole : n));
    zeros(out, whole - n);
    if (whole >= n) return;
    text_char(out, '.');
    text_bytes(out, d->digit + whole, (size_t)(n - whole));
}

void decimal_print(const decimal *d, text *out) {
    if (d->negative) text_char(out, '-');
    if (!d->n) text_char(out, '0');
    else if (d->exponent >= -ZEROS_BEFORE && d->exponent <= (int64_t)d->n + ZEROS_BEHIND) print_plain(d, out);
    else {
        text_char(out, *d->digit);
        if (d->n > 1) text_char(out, '.');
        text_bytes(out, d->digit + 1, d->n - 1);
        text_printf(out, "e%+lld", (long long)d->exponent);
    }
}
