/* Lines of source files, for showing where a step was. */
#ifndef PLUMB_EXPLORE_OUTSIDE_SOURCE_TEXT_H
#define PLUMB_EXPLORE_OUTSIDE_SOURCE_TEXT_H

#include "base/text.h"

typedef struct source_text source_text;

/* `binary` was compiled from the files: one that was changed after it is not shown. */
source_text *source_text_new(const char *binary);
void source_text_free(source_text *s);
/* The line, counted from 1, without the blanks around it; false: it cannot be known. */
bool source_text_line(source_text *s, const char *file, unsigned line, text *out);

#endif
