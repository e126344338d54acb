/* Arbitrary files stop at the checksums. So the bytes are also taken as the raw content of a block, packed and
 * summed. */
#include "fuzz_reader.h"

#include <zlib.h>
#include <zstd.h>

static void put_little(text *t, uint32_t u) {
    for (int i = 0; i < 4; i++) text_char(t, (char)(u >> 8 * i & 0xff));
}

static uLong put_block(text *t, uLong sum, char kind, const void *raw, size_t n) {
    size_t bound = ZSTD_compressBound(n), start = t->size;
    char *packed = malloc(bound);
    size_t size = ZSTD_compress(packed, bound, raw, n, 1);
    text_char(t, kind);
    put_little(t, (uint32_t)n);
    put_little(t, (uint32_t)size);
    sum = crc32(crc32(sum, (const Bytef *)t->at + start, 9), (const Bytef *)packed, (uInt)size);
    put_little(t, (uint32_t)sum);
    text_bytes(t, packed, size);
    free(packed);
    return sum;
}

/* The first three bytes are the flags and the counts of the end block. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_reader("plumb-binary", data, size);
    if (size < 3) return 0;
    text t = {0};
    char header[8] = {'P', 'L', 'M', 'B', 1, (char)(data[0] & 3)};
    text_bytes(&t, header, sizeof header);
    uLong sum = put_block(&t, crc32(crc32(0, NULL, 0), (const Bytef *)header, 8), 'B', data + 3, size - 3);
    put_block(&t, sum, 'E', data + 1, 2);
    fuzz_reader("plumb-binary", (const uint8_t *)t.at, t.size);
    text_free(&t);
    return 0;
}
