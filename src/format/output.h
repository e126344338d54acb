/* Bytes to a file or standard output ("-"), packed with gzip or zstd when the file's name ends in .gz or .zst.
 * A file appears under its name when it is complete, or not at all (base/whole_file.h).
 * A writer appends to output_text() and calls output_flush() after each line or so; the first error stays. */
#ifndef PLUMB_FORMAT_OUTPUT_H
#define PLUMB_FORMAT_OUTPUT_H

#include "base/error.h"
#include "base/text.h"

typedef struct output output;

output *output_open(const char *path, error *e); /* NULL: cannot open (66) */
output *output_to_text(text *to, error *e);      /* for tests: everything is appended to `to` */
text *output_text(output *out);                  /* append here */
bool output_flush(output *out);                  /* writes when a good piece has been gathered; false after an error */
/* writes the rest; false when anything went wrong, with the error set */
bool output_close(output *out);
void output_abandon(output *out);           /* the file that was there before stays */
bool output_end(output *out, bool written); /* closes what was written, abandons what was not; false: abandoned */

#endif
