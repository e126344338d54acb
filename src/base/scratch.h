/* Temporary files and directories, where TMPDIR says; /tmp when it says nothing. */
#ifndef PLUMB_BASE_SCRATCH_H
#define PLUMB_BASE_SCRATCH_H

#include "base/error.h"

/* Makes an empty directory NAME-XXXXXX, readable by its owner only; `path` must be empty. False: it cannot (66). */
bool scratch_directory(const char *name, text *path, error *e);
/* Makes an empty file NAME-XXXXXX; the same otherwise. */
bool scratch_file(const char *name, text *path, error *e);

#endif
