/* libzstd as far as its names are needed: nothing is packed with it here, and nothing that is packed is read. */
#ifndef PLUMB_WEB_ZSTD_H
#define PLUMB_WEB_ZSTD_H

#include <stddef.h>

typedef struct ZSTD_DStream ZSTD_DStream;
typedef struct ZSTD_CStream ZSTD_CStream;
typedef struct ZSTD_DCtx ZSTD_DCtx;
typedef struct {
    const void *src;
    size_t size, pos;
} ZSTD_inBuffer;
typedef struct {
    void *dst;
    size_t size, pos;
} ZSTD_outBuffer;
enum { ZSTD_e_continue, ZSTD_e_end };

ZSTD_DStream *ZSTD_createDStream(void);
size_t ZSTD_freeDStream(ZSTD_DStream *s);
size_t ZSTD_decompressStream(ZSTD_DStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
ZSTD_CStream *ZSTD_createCStream(void);
size_t ZSTD_freeCStream(ZSTD_CStream *s);
size_t ZSTD_initCStream(ZSTD_CStream *s, int level);
size_t ZSTD_compressStream2(ZSTD_CStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in, int end);
ZSTD_DCtx *ZSTD_createDCtx(void);
size_t ZSTD_freeDCtx(ZSTD_DCtx *c);
size_t ZSTD_decompressDCtx(ZSTD_DCtx *c, void *to, size_t room, const void *from, size_t size);
unsigned long long ZSTD_getFrameContentSize(const void *from, size_t size);
size_t ZSTD_compressBound(size_t size);
size_t ZSTD_compress(void *to, size_t room, const void *from, size_t size, int level);
unsigned ZSTD_isError(size_t code);
const char *ZSTD_getErrorName(size_t code);

#endif
