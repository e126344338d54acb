/* The few functions of zlib that are called by what the page needs: checksums, and packing into stored blocks (RFC 1951,
 * 3.2.4), which any inflater reads. Packed input does not come here: the page unpacks it. */
#ifndef PLUMB_WEB_ZLIB_H
#define PLUMB_WEB_ZLIB_H

typedef unsigned uInt;
typedef unsigned long uLong;
typedef unsigned char Bytef;

typedef struct z_stream {
    const unsigned char *next_in;
    uInt avail_in;
    unsigned char *next_out;
    uInt avail_out;
    const char *msg;
    unsigned char head[5]; /* of the block that is being written */
    unsigned head_left;    /* bytes of it that have not been */
    uInt block_left;       /* the same of what is in it */
    int ended;             /* the last block has begun */
} z_stream;

enum { Z_OK = 0, Z_STREAM_END = 1, Z_STREAM_ERROR = -2, Z_DATA_ERROR = -3, Z_MEM_ERROR = -4, Z_BUF_ERROR = -5 };
enum { Z_NO_FLUSH = 0, Z_FINISH = 4, Z_DEFLATED = 8, Z_DEFAULT_STRATEGY = 0 };

int deflateInit2(z_stream *z, int level, int method, int bits, int memory, int strategy);
int deflate(z_stream *z, int flush);
int deflateEnd(z_stream *z);
int inflateInit2(z_stream *z, int bits);
int inflate(z_stream *z, int flush);
int inflateReset(z_stream *z);
int inflateEnd(z_stream *z);
uLong crc32(uLong crc, const Bytef *p, uInt n);

#endif
