#include "report/escape.h"

#include "base/printable.h"
#include "base/utf8.h"

#include <string.h>

/* What XML 1.0 allows (section 2.2: not U+FFFE and U+FFFF, and most control characters not either), without what turns
 * text round. */
static bool sayable(uint32_t code) {
    return code == '\n' || code == '\t' || (printable(code) && code != 0xfffe && code != 0xffff);
}

void escape_xml(text *out, const char *p, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t valid = utf8_sequence(p + i, n - i);
        unsigned char ch = (unsigned char)p[i];
        if (valid == 0 || !sayable(utf8_code(p + i, valid))) text_add(out, "?");
        else if (ch == '<') text_add(out, "&lt;");
        else if (ch == '>') text_add(out, "&gt;");
        else if (ch == '&') text_add(out, "&amp;");
        else if (ch == '"') text_add(out, "&quot;");
        else text_bytes(out, p + i, valid);
        i += valid ? valid : 1;
    }
}

void escape_xml_string(text *out, const char *s) { escape_xml(out, s, strlen(s)); }

void escape_json(text *out, const char *s) {
    text plain = {0};
    text_json(&plain, s, strlen(s));
    for (size_t i = 0; i < plain.size; i++) {
        char ch = plain.at[i];
        if (ch == '<' || ch == '>' || ch == '&') text_printf(out, "\\u%04x", (unsigned)ch);
        else text_char(out, ch);
    }
    text_free(&plain);
}
