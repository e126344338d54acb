/* A list of words, such as a command line; each word is owned by the list. */
#ifndef PLUMB_EXPLORE_COMPILE_WORDS_H
#define PLUMB_EXPLORE_COMPILE_WORDS_H

#include "base/text.h"

typedef struct words {
    char **at; /* ended by NULL once anything was added */
    size_t size, room;
} words;

void words_add(words *w, const char *word);
void words_printf(words *w, const char *format, ...) TEXT_FORMAT(2, 3);
void words_all(words *w, const words *more);
void words_split(words *w, const char *blank_separated);
void words_free(words *w);

#endif
