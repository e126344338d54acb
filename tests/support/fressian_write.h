/* Writes Fressian as its own writer would, for tests of the reader: bytes by hand where tests need wrong ones. */
#ifndef PLUMB_TESTS_FRESSIAN_WRITE_H
#define PLUMB_TESTS_FRESSIAN_WRITE_H

#include "base/text.h"

#include <stdint.h>
#include <string.h>

static inline void put_byte(text *t, unsigned c) { text_char(t, (char)c); }

static inline void put_big_endian(text *t, uint64_t u, unsigned bytes) {
    while (bytes--) put_byte(t, (unsigned)(u >> 8 * bytes) & 0xff);
}

static inline void put_integer(text *t, int64_t i) {
    static const struct {
        unsigned zero, bytes, reach; /* reach: how far the code goes from its zero */
    } way[] = {{0x50, 1, 16}, {0x68, 2, 8}, {0x72, 3, 2}, {0x76, 4, 2}, {0x7a, 5, 2}, {0x7e, 6, 2}};
    if (i >= -1 && i < 64) {
        put_byte(t, (unsigned)i & 0xff);
        return;
    }
    for (unsigned k = 0; k < sizeof way / sizeof *way; k++) {
        int64_t most = (int64_t)way[k].reach << 8 * way[k].bytes;
        if (i < -most || i >= most) continue;
        put_byte(t, (unsigned)((int64_t)way[k].zero + (i >> 8 * way[k].bytes)));
        put_big_endian(t, (uint64_t)i, way[k].bytes);
        return;
    }
    put_byte(t, 0xf8);
    put_big_endian(t, (uint64_t)i, 8);
}

static inline void put_string(text *t, const char *s) {
    size_t n = strlen(s);
    if (n < 8) {
        put_byte(t, 0xda + (unsigned)n);
    } else {
        put_byte(t, 0xe3);
        put_integer(t, (int64_t)n);
    }
    text_bytes(t, s, n);
}

static inline void put_tag(text *t, const char *tag, int64_t fields) { /* the first time */
    put_byte(t, 0xef);
    put_string(t, tag);
    put_integer(t, fields);
}

static inline void put_keyword(text *t, const char *name) { /* not put aside */
    put_byte(t, 0xca);
    put_byte(t, 0xf7);
    put_string(t, name);
}

#endif
