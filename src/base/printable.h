/* Untrusted text on a terminal: names of files, values, messages of other programs.
 *
 * Control characters (C0, DEL, C1: among them ESC and U+009B, which begin escape sequences), the characters that change
 * the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), the separators U+2028 and U+2029,
 * U+FEFF and bytes that are not UTF-8 are written as \xNN or \uNNNN. JSON escapes the same characters its own way
 * (text_json), so that nothing is lost there. For strings: text_printable in base/text.h. */
#ifndef PLUMB_BASE_PRINTABLE_H
#define PLUMB_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool printable(uint32_t code); /* a Unicode scalar value that does nothing but stand there */
/* The next character of n bytes as it may be shown, and its length; `used` of the bytes were read. */
enum { PRINTABLE_PIECE = 8 }; /* \uNNNN and a NUL */
size_t printable_piece(const char *s, size_t n, char piece[PRINTABLE_PIECE], size_t *used);
/* A string into a buffer: what does not fit is left out, and never half a character. */
void copy_printable(char *to, size_t room, const char *s);

#endif
