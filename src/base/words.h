/* Lists of words, separated by blanks: names of objects, choices of an option. */
#ifndef PLUMB_BASE_WORDS_H
#define PLUMB_BASE_WORDS_H

#include <stddef.h>

/* Which of the words it is, counted from 0; -1: none of them. `words` may be NULL: none. */
int words_find(const char *words, const char *word, size_t length);

#endif
