#include "explore/compile/response.h"

#include "explore/compile/file.h"

#include <ctype.h>

enum { NESTED_MAX = 20 };

static void expand_word(const char *word, word_list *out, int depth);

static const char *read_word(const char *p, text *word) {
    char quote = 0;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (*p == '\\' && p[1]) text_char(word, *++p);
        else if (quote ? *p == quote : *p == '\'' || *p == '"') quote = quote ? 0 : *p;
        else text_char(word, *p);
    }
    return p;
}

static void expand_text(const char *p, word_list *out, int depth) {
    text word = {0};
    for (;;) {
        while (isspace((unsigned char)*p)) p++;
        if (!*p) break;
        text_clear(&word);
        p = read_word(p, &word);
        expand_word(text_str(&word), out, depth);
    }
    text_free(&word);
}

static void expand_word(const char *word, word_list *out, int depth) {
    text content = {0};
    if (word[0] == '@' && depth < NESTED_MAX && file_read(word + 1, &content))
        expand_text(text_str(&content), out, depth + 1);
    else words_add(out, word);
    text_free(&content);
}

void response_expand(char **argv, size_t argc, word_list *out) {
    for (size_t i = 0; i < argc; i++) expand_word(argv[i], out, 0);
}
