#include "history/value_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void encode_items(const values *t, value v, char opening, text *out) {
    size_t n;
    const value *item = value_list(t, v, &n);
    text_char(out, opening);
    for (size_t i = 0; i < n; i++) {
        value_encode(t, item[i], out);
        text_char(out, ' ');
    }
    text_char(out, ']');
}

void value_encode(const values *t, value v, text *out) {
    size_t n;
    switch (value_kind_of(t, v)) {
    case KIND_NONE: text_char(out, 'n'); break;
    case KIND_EMPTY: text_char(out, 'e'); break;
    case KIND_FULL: text_char(out, 'f'); break;
    case KIND_UNKNOWN: text_char(out, '?'); break;
    case KIND_BOOL: text_add(out, v == VALUE_TRUE ? "b1" : "b0"); break;
    case KIND_INT:
        text_char(out, 'i');
        text_int(out, value_as_int(t, v));
        break;
    case KIND_BYTES: {
        const char *p = value_as_bytes(t, v, &n);
        text_char(out, 's');
        for (size_t i = 0; i < n; i++) text_printf(out, "%02x", (unsigned char)p[i]);
        break;
    }
    case KIND_NUMBER: text_printf(out, "d%s", value_as_number(t, v, NULL)); break;
    case KIND_TUPLE: encode_items(t, v, '[', out); break;
    case KIND_SET: encode_items(t, v, '<', out); break;
    case KIND_MAP: encode_items(t, v, '{', out); break;
    }
}

enum { TUPLE_MOST = 64 };

static value bytes_decode(values *t, const char **at) {
    char bytes[4096];
    size_t n = 0;
    unsigned byte;
    for (; n<sizeof bytes &&* * at> ' ' && sscanf(*at, "%2x", &byte) == 1; *at += 2) bytes[n++] = (char)byte;
    return value_bytes(t, bytes, n);
}

value value_decode(values *t, const char **at) {
    char *end;
    switch (*(*at)++) {
    case 'e': return VALUE_EMPTY;
    case 'f': return VALUE_FULL;
    case '?': return VALUE_UNKNOWN;
    case 'b': return value_bool(*(*at)++ == '1');
    case 'i': {
        int64_t i = strtoll(*at, &end, 10);
        *at = end;
        return value_int(t, i);
    }
    case 's': return bytes_decode(t, at);
    case 'd': {
        value number = VALUE_NONE;
        size_t n = strcspn(*at, " ]");
        value_number(t, *at, n, &number);
        *at += n;
        return number;
    }
    case '[':
    case '<':
    case '{': {
        char opening = (*at)[-1];
        value item[TUPLE_MOST];
        size_t n = 0;
        while (**at && **at != ']' && n < TUPLE_MOST) {
            item[n++] = value_decode(t, at);
            if (**at == ' ') (*at)++;
        }
        if (**at == ']') (*at)++;
        return value_list_of(t, opening == '[' ? KIND_TUPLE : opening == '<' ? KIND_SET : KIND_MAP, item, n);
    }
    default: return VALUE_NONE;
    }
}
