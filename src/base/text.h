/* A growable piece of text: everything that is printed or written is built here first. */
#ifndef PLUMB_BASE_TEXT_H
#define PLUMB_BASE_TEXT_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEXT_FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define TEXT_FORMAT(f, a)
#endif

typedef struct text {
    char *at; /* always followed by a NUL once anything was added */
    size_t size;
    size_t room;
} text;

void text_free(text *t);
void text_clear(text *t); /* keeps the memory */
void text_bytes(text *t, const void *p, size_t n);
void text_add(text *t, const char *s);
void text_char(text *t, char c);
void text_int(text *t, int64_t i); /* decimal, without printf's cost */
void text_printf(text *t, const char *format, ...) TEXT_FORMAT(2, 3);
void text_vprintf(text *t, const char *format, va_list args);
void text_pad(text *t, size_t column); /* blanks up to a column counted from the last newline */
void text_json(text *t, const void *p,
               size_t n); /* quoted and escaped (base/printable.h); bytes that are not UTF-8 as \u00XX */
void text_printable(text *t, const char *s); /* untrusted text for a terminal (base/printable.h) */
const char *text_str(const text *t);         /* never NULL */

#endif
