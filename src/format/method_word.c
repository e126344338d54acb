#include "format/method_word.h"

#include "base/utf8.h"
#include "format/word.h"

#include <string.h>

static bool is_word(const char *name) {
    if (!*name || strchr("0123456789-#@:", *name) || !utf8_valid(name, strlen(name))) return false;
    for (const char *p = name; *p; p++)
        if (word_ends(*p) || (unsigned char)*p < ' ') return false;
    return true;
}

bool method_words_check(const history *h, const char *format_name, error *e) {
    for (unsigned m = 0; m < h->methods; m++)
        if (!is_word(h->method_name[m]))
            return error_set(e, EXIT_BAD_INPUT, "method name '%.60s' cannot be written as %s; expected a word without blanks and brackets",
                             h->method_name[m], format_name);
    return true;
}
