#include "format/output.h"

#include "base/mem.h"
#include "base/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { PIECE = 128 << 10, ZSTD_LEVEL = 3, GZIP_LEVEL = 6 };

typedef bool pack_function(output *out, const void *p, size_t n, bool last);

struct output {
    char *name;
    error *e;
    int fd;          /* -1: in memory */
    whole_file file; /* not open: standard output, or in memory */
    text gathered;
    text *memory; /* instead of a file */
    pack_function *pack;
    z_stream gzip;
    ZSTD_CStream *zstd;
    bool failed;
    pool_cleanup cleanup;
};

static bool fail(output *out, const char *what) {
    out->failed = true;
    return error_set(out->e, EXIT_CANNOT_OPEN, "%s: cannot write: %s", out->name, what);
}

static bool write_all(output *out, const char *p, size_t n) {
    if (out->memory) {
        text_bytes(out->memory, p, n);
        return true;
    }
    return write_all_bytes(out->fd, p, n) || fail(out, strerror(errno));
}

/* ---- packing ---- */

static bool pack_plain(output *out, const void *p, size_t n, bool last) {
    (void)last;
    return write_all(out, p, n);
}

static bool pack_gzip(output *out, const void *p, size_t n, bool last) {
    unsigned char packed[1 << 14];
    z_stream *z = &out->gzip;
    z->next_in = (unsigned char *)(uintptr_t)p; /* zlib does not write there */
    z->avail_in = (uInt)n;
    int r;
    do {
        z->next_out = packed;
        z->avail_out = sizeof packed;
        r = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        if (!write_all(out, (char *)packed, sizeof packed - z->avail_out)) return false;
    } while (last ? r != Z_STREAM_END : z->avail_in > 0);
    return true;
}

static bool pack_zstd(output *out, const void *p, size_t n, bool last) {
    char packed[1 << 14];
    ZSTD_inBuffer from = {.src = p, .size = n};
    size_t left;
    do {
        ZSTD_outBuffer to = {.dst = packed, .size = sizeof packed};
        left = ZSTD_compressStream2(out->zstd, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) return fail(out, ZSTD_getErrorName(left));
        if (!write_all(out, packed, to.pos)) return false;
    } while (last ? left > 0 : from.pos < from.size);
    return true;
}

static bool ends_in(const char *name, const char *suffix) {
    size_t n = strlen(name), s = strlen(suffix);
    return n > s && memcmp(name + n - s, suffix, s) == 0;
}

static bool choose_packing(output *out, const char *path) {
    out->pack = pack_plain;
    if (ends_in(path, ".gz")) {
        if (deflateInit2(&out->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
        out->pack = pack_gzip;
    } else if (ends_in(path, ".zst")) {
        out->zstd = ZSTD_createCStream();
        if (!out->zstd || ZSTD_isError(ZSTD_initCStream(out->zstd, ZSTD_LEVEL))) return false;
        out->pack = pack_zstd;
    }
    return true;
}

/* ---- front ---- */

static void abandon(void *out) { output_abandon(out); }

static output *new_output(const char *name, int fd, error *e) {
    output *out = MEM_NEW(output);
    out->name = mem_string(name);
    out->fd = fd;
    out->file = (whole_file){.fd = -1};
    out->e = e;
    out->pack = pack_plain;
    pool_at_failure(&out->cleanup, abandon, out);
    return out;
}

output *output_open(const char *path, error *e) {
    bool standard = strcmp(path, "-") == 0;
    output *out = new_output(standard ? "<stdout>" : path, STDOUT_FILENO, e);
    bool good = standard || whole_file_open(&out->file, path, e);
    if (good && !standard) out->fd = out->file.fd;
    if (good && choose_packing(out, path)) return out;
    if (good) error_set(e, EXIT_INTERNAL, "%s: cannot start the compressor", path);
    output_abandon(out);
    return NULL;
}

output *output_to_text(text *to, error *e) {
    output *out = new_output("<memory>", -1, e);
    out->memory = to;
    return out;
}

text *output_text(output *out) { return &out->gathered; }

static bool hand_over(output *out, bool last) {
    if (!out->failed) out->pack(out, out->gathered.at, out->gathered.size, last);
    text_clear(&out->gathered);
    return !out->failed;
}

bool output_flush(output *out) {
    if (out->gathered.size < PIECE) return !out->failed;
    return hand_over(out, false);
}

bool output_close(output *out) {
    if (!out->failed) hand_over(out, true);
    if (out->file.fd >= 0 && !out->failed) out->failed = !whole_file_commit(&out->file, out->e);
    else if (out->file.fd >= 0) whole_file_abandon(&out->file);
    bool good = !out->failed;
    pool_forget(&out->cleanup);
    if (out->pack == pack_gzip) deflateEnd(&out->gzip);
    ZSTD_freeCStream(out->zstd);
    text_free(&out->gathered);
    free(out->name);
    free(out);
    return good;
}

void output_abandon(output *out) {
    out->failed = true;
    output_close(out);
}

bool output_end(output *out, bool written) {
    if (written) return output_close(out);
    output_abandon(out);
    return false;
}
