#include "explore/outside/word_list.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool separates(char c) { return c == ' ' || c == '\t'; }
static bool is_escape(const char *p) { return *p == '\\' && (separates(p[1]) || p[1] == '\\'); }

void word_list_add(text *list, const char *word) {
    assert(*word && !strpbrk(word, "\r\n"));
    if (list->size) text_char(list, ' ');
    for (; *word; word++) {
        if (separates(*word) || *word == '\\') text_char(list, '\\');
        text_char(list, *word);
    }
}

const char *word_list_next(const char *list, text *word) {
    text_clear(word);
    while (separates(*list)) list++;
    if (!*list) return NULL;
    for (; *list && !separates(*list); list++) {
        list += is_escape(list);
        text_char(word, *list);
    }
    return list;
}

char **word_list_split(const char *list, unsigned *n) {
    char **word = NULL;
    text next = {0};
    *n = 0;
    while ((list = word_list_next(list, &next))) {
        word = MEM_GROW(word, char *, *n + 2);
        word[(*n)++] = mem_string(text_str(&next));
    }
    text_free(&next);
    if (!word) word = MEM_ARRAY(char *, 1);
    word[*n] = NULL;
    return word;
}

void word_list_free(char **word) {
    for (char **w = word; w && *w; w++) free(*w);
    free(word);
}
