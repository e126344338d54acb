#include "explore/compile/words.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void words_add(word_list *w, const char *word) {
    if (w->size + 2 > w->room) {
        w->room = w->room ? 2 * w->room : 16;
        w->at = MEM_GROW(w->at, char *, w->room);
    }
    assert(word && w->size + 1 < w->room);
    w->at[w->size++] = mem_string(word);
    w->at[w->size] = NULL;
}

void words_printf(word_list *w, const char *format, ...) {
    text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    words_add(w, text_str(&t));
    text_free(&t);
}

void words_all(word_list *w, const word_list *more) {
    assert(w != more); /* it would not end */
    for (size_t i = 0; i < more->size; i++) words_add(w, more->at[i]);
}

void words_split(word_list *w, const char *p) {
    for (p += strspn(p, " \t"); *p; p += strspn(p, " \t")) {
        size_t n = strcspn(p, " \t");
        words_printf(w, "%.*s", (int)n, p);
        p += n;
    }
}

void words_free(word_list *w) {
    for (size_t i = 0; i < w->size; i++) free(w->at[i]);
    free(w->at);
    *w = (word_list){0};
}
