/* Whole outputs against files that are kept beside the tests. */
#ifndef PLUMB_TESTS_EXPECTED_H
#define PLUMB_TESTS_EXPECTED_H

#include "base/text.h"

/* Fails, with the first line that differs, unless `path` holds exactly this; frees the text. When an output changes on
 * purpose, PLUMB_WRITE_EXPECTED=1 writes the files anew: read the difference before it is committed. */
void is_expected(const char *path, text *found);

#endif
