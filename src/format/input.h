/* Bytes from a file, a pipe or standard input ("-"), gzip and zstd taken off by their magic numbers, handed out line by
 * line or in blocks. Never holds more than a buffer and the current line. */
#ifndef PLUMB_FORMAT_INPUT_H
#define PLUMB_FORMAT_INPUT_H

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct input input;

enum { INPUT_MAX_LINE = 64 << 20 }; /* a longer line is bad input */

input *input_open(const char *path, error *e);                            /* NULL: cannot open (66) */
input *input_memory(const char *name, const void *p, size_t n, error *e); /* for tests and fuzzing; not copied */
input *input_descriptor(int fd, const char *name, error *e);              /* takes it; the name is for messages */
void input_close(input *in);
/* `progress` grows by the bytes read; a non-zero `stop` ends the input with the error "interrupted" (130). Either may
 * be NULL. */
void input_watch(input *in, _Atomic uint64_t *progress, const _Atomic int *stop);
/* Asked each time no byte has come for a moment, before waiting for more; false ends the input there, without an
 * error. */
void input_on_silence(input *in, bool (*go_on)(void *context), void *context);

const char *input_name(const input *in); /* for messages */
/* Looks ahead without consuming: up to n bytes (n <= 64 KiB); returns how many there are. For sniffing. */
size_t input_peek(input *in, const char **p, size_t n);
/* The same without waiting for more than has come, but for the first bytes: for what is written while it is read. Each
 * call with `more` waits for more; returns as much as before at the end. */
size_t input_peek_now(input *in, const char **p, bool more);
/* The next line without its end (\n or \r\n), valid until the next call; NULL at the end or after an error.
 * A NUL stands behind the line; up to 32 bytes of no meaning behind that may be read. */
char *input_line(input *in, size_t *n);
uint32_t input_line_number(const input *in); /* of the line handed out last, from 1 */
/* The whole lines at hand, to be read where they stand: the place of the first, *end behind the newline of the last; up
 * to 64 bytes of no meaning behind that may be read. NULL when there is none: input_line() then brings more. */
const char *input_lines(input *in, const char **end);
void input_skip(input *in, const char *to, uint32_t lines); /* so far, and so many of them, they have been read */
/* The next block of raw bytes, with a NUL behind it; 0 at the end or after an error. Not to be mixed with lines. */
size_t input_block(input *in, const char **p);
bool input_failed(const input *in); /* truncated or damaged: the error is set */
/* What was handed out, but for the last `unread` bytes, held so many things: about how many does the whole file hold?
 * 0 when that cannot be known. */
uint64_t input_estimate(const input *in, uint64_t things, size_t unread);

#endif
