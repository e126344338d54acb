/* Sources, flags and arguments on one line of a schedule: words with blanks between them. A blank that belongs to a
 * word, and a backslash, have a backslash before them; any other backslash is one. */
#ifndef PLUMB_EXPLORE_OUTSIDE_WORD_LIST_H
#define PLUMB_EXPLORE_OUTSIDE_WORD_LIST_H

#include "base/text.h"

void word_list_add(text *list, const char *word); /* not empty, without an end of line */
/* The first word from `list` on, as it was added, into `word`; returns what follows it, NULL when there is none. */
const char *word_list_next(const char *list, text *word);
char **word_list_split(const char *list, unsigned *n); /* all of them, ended by NULL */
void word_list_free(char **word);

#endif
