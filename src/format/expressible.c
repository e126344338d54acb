#include "format/expressible.h"

#include "base/utf8.h"
#include "format/word.h"

#include <string.h>

static bool is_word(const char *name) {
    if (!*name || strchr("0123456789-#@:", *name) || !utf8_valid(name, strlen(name))) return false;
    for (const char *p = name; *p; p++)
        if (word_ends(*p) || (unsigned char)*p < ' ') return false;
    return true;
}

bool methods_are_words(const history *h, const char *format_name, error *e) {
    for (unsigned m = 0; m < h->methods; m++)
        if (!is_word(h->method_name[m]))
            return error_set(e, EXIT_BAD_INPUT,
                             "method name '%.60s' cannot be written as %s; expected a word without blanks and brackets",
                             h->method_name[m], format_name);
    return true;
}

static bool is_utf8(const values *t, value v) {
    if (v < VALUE_INTERNED) return true;
    size_t n;
    switch (value_kind_of(t, v)) {
    case KIND_BYTES: {
        const char *p = value_as_bytes(t, v, &n);
        return utf8_valid(p, n);
    }
    case KIND_TUPLE: {
        const value *item = value_as_tuple(t, v, &n);
        for (size_t i = 0; i < n; i++)
            if (!is_utf8(t, item[i])) return false;
        return true;
    }
    default: return true;
    }
}

static bool column_is_utf8(const history *h, const value *column, const char *format_name, error *e) {
    for (uint32_t i = 0; column && i < h->n; i++)
        if (!is_utf8(h->values, column[i]))
            return error_set(e, EXIT_BAD_INPUT,
                             "operation %u has a string that is not UTF-8, which cannot be written as %s",
                             history_number(h, i), format_name);
    return true;
}

bool values_are_utf8(const history *h, const char *format_name, error *e) {
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
        if (!column_is_utf8(h, h->arg[a], format_name, e)) return false;
    return column_is_utf8(h, h->key, format_name, e) && column_is_utf8(h, h->res, format_name, e);
}

bool results_are_not_words(const history *h, const char *format_name, error *e) {
    for (uint32_t i = 0; i < h->n; i++) {
        if (h->res[i] < VALUE_INTERNED || value_kind_of(h->values, h->res[i]) != KIND_BYTES) continue;
        const char *p = value_as_bytes(h->values, h->res[i], NULL);
        if (!strcmp(p, "empty") || !strcmp(p, "full"))
            return error_set(e, EXIT_BAD_INPUT,
                             "operation %u returned the string \"%s\", which %s takes for the constant",
                             history_number(h, i), p, format_name);
    }
    return true;
}
