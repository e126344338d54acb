/* UTF-8 as RFC 3629 has it: no surrogates, no overlong forms, nothing above U+10FFFF. */
#ifndef PLUMB_BASE_UTF8_H
#define PLUMB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t utf8_sequence(const void *p, size_t n);    /* length of the valid sequence at p, 0 when invalid */
uint32_t utf8_code(const void *p, size_t length); /* of a valid sequence of that length */
bool utf8_valid(const void *p, size_t n);
size_t utf8_encode(uint32_t code, char out[4]); /* 0 when code is not a scalar value */
size_t utf8_columns(const void *p, size_t n);   /* terminal columns: one per code point */

#endif
