/* Files and processes, as little as a compiler driver needs. */
#ifndef PLUMB_EXPLORE_COMPILE_FILE_H
#define PLUMB_EXPLORE_COMPILE_FILE_H

#include "base/error.h"
#include "explore/compile/words.h"

bool file_read(const char *path, text *out);
bool file_write(const char *path, const void *bytes, size_t size, error *e);
bool file_exists(const char *path);
const char *file_base(const char *path);                            /* behind the last slash */
void file_stem(text *out, const char *path, const char *extension); /* base name with another extension */

typedef struct scratch_folder { /* a directory of our own, gone when it is closed */
    char path[256];
} scratch_folder;
bool scratch_open(scratch_folder *s, error *e);
void scratch_close(scratch_folder *s);

/* Runs a command with our streams. Its exit code; 128 + signal when it was killed; 127 with a message when it is not
 * there. */
int command_run(const word_list *command);
int command_run_silently(const word_list *command); /* without its messages */

#endif
