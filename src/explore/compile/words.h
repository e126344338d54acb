/* A list of words, such as a command line; each word is owned by the list. */
#ifndef PLUMB_EXPLORE_COMPILE_WORDS_H
#define PLUMB_EXPLORE_COMPILE_WORDS_H

#include "base/text.h"

typedef struct word_list {
    char **at; /* ended by NULL once anything was added */
    size_t size, room;
} word_list;

void words_add(word_list *w, const char *word);
void words_printf(word_list *w, const char *format, ...) TEXT_FORMAT(2, 3);
void words_all(word_list *w, const word_list *more);
void words_split(word_list *w, const char *blank_separated);
void words_free(word_list *w);

#endif
