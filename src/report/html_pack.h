/* Numbers as bytes, bytes as text. */
#ifndef PLUMB_REPORT_HTML_PACK_H
#define PLUMB_REPORT_HTML_PACK_H

#include "base/text.h"

void pack_number(text *out, uint64_t n); /* seven bits a byte, the low ones first */
/* 0, -1, 1, -2, ... */
static inline uint64_t pack_signed(int64_t i) { return i < 0 ? 2 * (uint64_t)(-(i + 1)) + 1 : 2 * (uint64_t)i; }
void pack_base64(const text *bytes, text *out); /* deflated (RFC 1951), then in base 64 */

#endif
