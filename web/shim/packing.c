/* zlib.h and zstd.h of this folder. */
#include "zlib.h"
#include "zstd.h"
#include "zstd_errors.h"

#include <stdint.h>
#include <string.h>

/* ---- deflate: stored blocks ---- */

enum { BLOCK_HEAD = 5, BLOCK_MOST = 65535 };

int deflateInit2(z_stream *z, int level, int method, int bits, int memory, int strategy) {
    (void)level, (void)method, (void)bits, (void)memory, (void)strategy;
    z->msg = NULL;
    z->head_left = z->block_left = 0;
    z->ended = 0;
    return Z_OK;
}

static void begin_block(z_stream *z) {
    uInt n = z->avail_in < BLOCK_MOST ? z->avail_in : BLOCK_MOST;
    z->ended = n == 0;
    z->head[0] = (unsigned char)z->ended;
    z->head[1] = (unsigned char)n;
    z->head[2] = (unsigned char)(n >> 8);
    z->head[3] = (unsigned char)~n;
    z->head[4] = (unsigned char)(~n >> 8);
    z->head_left = BLOCK_HEAD;
    z->block_left = n;
}

static void put(z_stream *z, const unsigned char *p, uInt n) {
    memcpy(z->next_out, p, n);
    z->next_out += n;
    z->avail_out -= n;
}

/* As much of the block as there is room for. */
static void put_block(z_stream *z) {
    uInt n = z->head_left < z->avail_out ? z->head_left : z->avail_out;
    put(z, z->head + BLOCK_HEAD - z->head_left, n);
    z->head_left -= n;
    n = z->block_left < z->avail_out ? z->block_left : z->avail_out;
    put(z, z->next_in, n);
    z->next_in += n;
    z->avail_in -= n;
    z->block_left -= n;
}

int deflate(z_stream *z, int flush) {
    for (;;) {
        put_block(z);
        if (z->head_left || z->block_left) return Z_OK; /* no room */
        if (z->ended) return Z_STREAM_END;
        if (!z->avail_in && flush != Z_FINISH) return Z_OK;
        begin_block(z);
    }
}

int deflateEnd(z_stream *z) {
    (void)z;
    return Z_OK;
}

/* ---- what does not come here ---- */

int inflateInit2(z_stream *z, int bits) {
    (void)bits;
    z->msg = "packed data are not read here";
    return Z_OK;
}
int inflate(z_stream *z, int flush) {
    (void)flush;
    z->msg = "packed data are not read here";
    return Z_DATA_ERROR;
}
int inflateReset(z_stream *z) { return deflateEnd(z); }
int inflateEnd(z_stream *z) { return deflateEnd(z); }

enum { ZSTD_ABSENT = 1 };
static char absent;

ZSTD_DStream *ZSTD_createDStream(void) { return (ZSTD_DStream *)&absent; }
size_t ZSTD_freeDStream(ZSTD_DStream *s) { return (void)s, 0; }
size_t ZSTD_decompressStream(ZSTD_DStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in) {
    (void)s, (void)out, (void)in;
    return ZSTD_ABSENT;
}
ZSTD_CStream *ZSTD_createCStream(void) { return NULL; }
size_t ZSTD_freeCStream(ZSTD_CStream *s) { return (void)s, 0; }
size_t ZSTD_initCStream(ZSTD_CStream *s, int level) { return (void)s, (void)level, ZSTD_ABSENT; }
size_t ZSTD_compressStream2(ZSTD_CStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in, int end) {
    (void)s, (void)out, (void)in, (void)end;
    return ZSTD_ABSENT;
}
ZSTD_DCtx *ZSTD_createDCtx(void) { return (ZSTD_DCtx *)&absent; }
size_t ZSTD_freeDCtx(ZSTD_DCtx *c) { return (void)c, 0; }
size_t ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t room, const void *from, size_t size) {
    (void)c, (void)to, (void)room, (void)from, (void)size;
    return ZSTD_ABSENT;
}
unsigned long long ZSTD_getFrameContentSize(const void *from, size_t size) { return (void)from, (void)size, 0; }
size_t ZSTD_compressBound(size_t size) { return size; }
size_t ZSTD_compress(void *to, size_t room, const void *from, size_t size, int level) {
    (void)to, (void)room, (void)from, (void)size, (void)level;
    return ZSTD_ABSENT;
}
unsigned ZSTD_isError(size_t code) { return code == ZSTD_ABSENT; }
const char *ZSTD_getErrorName(size_t code) { return (void)code, "packed data are not read here"; }
int ZSTD_getErrorCode(size_t code) { return (void)code, 0; }

/* ---- CRC-32 (ISO 3309) ---- */

uLong crc32(uLong crc, const Bytef *p, uInt n) {
    uint32_t c = ~(uint32_t)crc;
    for (uInt i = 0; p && i < n; i++) {
        c ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~c;
}
