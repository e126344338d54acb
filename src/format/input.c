#include "format/input.h"

#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    RAW_SIZE = 128 << 10,    /* what is read from the file at once */
    BUFFER_SIZE = 256 << 10, /* stays in the second-level cache */
    SLACK = 96,              /* behind the buffer: a NUL, and room for readers that look ahead by words */
    PEEK_MAX = 64 << 10,
};

typedef enum compression { PACKED_UNKNOWN, PACKED_NOT, PACKED_GZIP, PACKED_ZSTD } compression;

struct input {
    char *name;
    error *e;
    int fd; /* -1: from memory */
    const char *memory;
    size_t memory_left;

    compression packing;
    unsigned char *raw; /* as it came: raw[raw_at .. raw_end) is still packed */
    size_t raw_at, raw_end, raw_room;
    bool raw_done;
    bool inside; /* a gzip member or zstd frame has begun and not ended */
    z_stream gzip;
    ZSTD_DStream *zstd;

    char *buffer; /* unpacked: buffer[at .. end) has not been handed out */
    size_t at, end, room;
    bool done, failed;
    uint32_t line;
    uint64_t bytes;
    uint64_t size; /* of the file; 0: not known */
    _Atomic uint64_t *progress;
    const _Atomic int *stop;
    bool (*go_on)(void *context); /* NULL: reading does not end early */
    void *go_on_context;
    pool_cleanup cleanup;
};

typedef struct descriptor_guard {
    int fd;
    pool_cleanup cleanup;
} descriptor_guard;

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

static void close_descriptor(void *opened) {
    int fd = ((descriptor_guard *)opened)->fd;
    if (fd > STDIN_FILENO) close(fd);
}

static void end_input(void *in) { input_close(in); }

/* `size`: how many bytes there are at most, as far as that is known. The input closes `fd`; -1: none. */
static input *new_input(const char *name, size_t size, int fd, error *e) {
    descriptor_guard opened = {.fd = fd};
    pool_at_failure(&opened.cleanup, close_descriptor, &opened);
    input *in = MEM_NEW(input);
    pool_forget(&opened.cleanup);
    in->fd = fd;
    pool_at_failure(&in->cleanup, end_input, in);
    in->name = mem_string(name);
    in->e = e;
    in->raw_room = size < RAW_SIZE ? size + SLACK : RAW_SIZE;
    in->raw = mem_alloc(in->raw_room);
    in->room = size < BUFFER_SIZE ? size + SLACK : BUFFER_SIZE;
    in->buffer = mem_zero(in->room + SLACK, 1);
    return in;
}

input *input_open(const char *path, error *e) {
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    if (fd < 0 || fstat(fd, &s) != 0) {
        error_set(e, EXIT_CANNOT_OPEN, "%s: cannot open: %s", path, strerror(errno));
        if (fd > STDIN_FILENO) close(fd);
        return NULL;
    }
    if (S_ISDIR(s.st_mode)) {
        error_set(e, EXIT_CANNOT_OPEN, "%s: is a directory; expected a file", path);
        if (!standard) close(fd);
        return NULL;
    }
    input *in = new_input(standard ? "<stdin>" : path, SIZE_MAX, fd, e);
    if (S_ISREG(s.st_mode)) in->size = (uint64_t)s.st_size;
    return in;
}

input *input_descriptor(int fd, const char *name, error *e) { return new_input(name, SIZE_MAX, fd, e); }

input *input_memory(const char *name, const void *p, size_t n, error *e) {
    input *in = new_input(name, n, -1, e);
    in->memory = p;
    in->memory_left = n;
    return in;
}

void input_close(input *in) {
    if (!in) return;
    pool_forget(&in->cleanup);
    if (in->fd > STDIN_FILENO) close(in->fd);
    if (in->packing == PACKED_GZIP) inflateEnd(&in->gzip);
    ZSTD_freeDStream(in->zstd);
    FREE_ALL(in->name, in->raw, in->buffer, in);
}

void input_watch(input *in, _Atomic uint64_t *progress, const _Atomic int *stop) {
    in->progress = progress;
    in->stop = stop;
}

void input_on_silence(input *in, bool (*go_on)(void *context), void *context) {
    in->go_on = go_on;
    in->go_on_context = context;
}

/* ---- raw bytes ---- */

static bool fail(input *in, int code, const char *what, const char *more) {
    in->failed = in->done = true;
    return error_set(in->e, code, "%s: %s%s", in->name, what, more);
}

static bool silence_ends_it(input *in) {
    enum { MOMENT = 20 }; /* milliseconds */
    if (!in->go_on || poll(&(struct pollfd){.fd = in->fd, .events = POLLIN}, 1, MOMENT) != 0 ||
        in->go_on(in->go_on_context))
        return false;
    return in->failed = in->done = true;
}

/* Up to n raw bytes; 0 at the end or after an error. */
static size_t pull(input *in, void *to, size_t n) {
    size_t got = 0;
    if (in->stop && atomic_load_explicit(in->stop, memory_order_relaxed)) {
        fail(in, EXIT_INTERRUPTED, "interrupted", " while reading");
    } else if (in->fd < 0) {
        got = n < in->memory_left ? n : in->memory_left;
        if (got) memcpy(to, in->memory, got);
        in->memory += got;
        in->memory_left -= got;
    } else if (!silence_ends_it(in)) {
        ssize_t r;
        do r = read(in->fd, to, n);
        while (r < 0 && errno == EINTR && !(in->stop && atomic_load_explicit(in->stop, memory_order_relaxed)));
        if (r < 0 && errno == EINTR) fail(in, EXIT_INTERRUPTED, "interrupted", " while reading");
        else if (r < 0) fail(in, EXIT_CANNOT_OPEN, "cannot read: ", strerror(errno));
        else got = (size_t)r;
    }
    in->bytes += got;
    if (in->progress) atomic_fetch_add_explicit(in->progress, got, memory_order_relaxed);
    if (!got) in->raw_done = true;
    return got;
}

static bool more_raw(input *in) {
    if (in->raw_at < in->raw_end) return true;
    if (in->raw_done) return false;
    in->raw_at = 0;
    in->raw_end = pull(in, in->raw, in->raw_room);
    return in->raw_end > 0;
}

/* gzip: RFC 1952. zstd: RFC 8878, where skippable frames may come first. */
static compression packing_of(const unsigned char *p, size_t n) {
    if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b) return PACKED_GZIP;
    if (n < 4) return PACKED_NOT;
    if (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) return PACKED_ZSTD;
    if ((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18) return PACKED_ZSTD;
    return PACKED_NOT;
}

/* Editors of some systems write it in front of a text; it says nothing. */
static bool begins_with_mark(const input *in) { return in->raw_end >= 3 && !memcmp(in->raw, "\xef\xbb\xbf", 3); }

static void find_packing(input *in) {
    while (in->raw_end < 4 && !in->raw_done) in->raw_end += pull(in, in->raw + in->raw_end, in->raw_room - in->raw_end);
    in->packing = packing_of(in->raw, in->raw_end);
    if (begins_with_mark(in)) in->raw_at = 3;
    if (in->packing == PACKED_GZIP && inflateInit2(&in->gzip, 15 + 16) != Z_OK) {
        in->packing = PACKED_NOT; /* nothing to end */
        mem_exhausted("out of memory in zlib");
    } else if (in->packing == PACKED_ZSTD && !(in->zstd = ZSTD_createDStream())) {
        mem_exhausted("out of memory in libzstd");
    }
}

/* ---- unpacking: each fills to[0 .. n), returns 0 at the end or after an error ---- */

static size_t unpack_plain(input *in, char *to, size_t n) {
    if (in->raw_at == in->raw_end) return in->raw_done ? 0 : pull(in, to, n);
    size_t part = in->raw_end - in->raw_at;
    if (part > n) part = n;
    memcpy(to, in->raw + in->raw_at, part);
    in->raw_at += part;
    return part;
}

/* Files may hold several members behind each other, and zeros behind the last (tapes are padded so). */
static bool next_member(input *in) {
    while (more_raw(in) && in->raw[in->raw_at] == 0) in->raw_at++;
    if (!more_raw(in)) return false;
    if (in->raw[in->raw_at] != 0x1f)
        return fail(in, EXIT_BAD_INPUT, "damaged gzip data: ", "bytes behind the end; expected gzip members only");
    inflateReset(&in->gzip);
    return in->inside = true;
}

static size_t unpack_gzip(input *in, char *to, size_t n) {
    z_stream *z = &in->gzip;
    size_t made = 0;
    while (!made) {
        if (!in->inside && !next_member(in)) return 0;
        if (!more_raw(in)) {
            if (!in->failed)
                fail(in, EXIT_BAD_INPUT, "truncated gzip data", "; expected the end of the compressed stream");
            return 0;
        }
        z->next_in = in->raw + in->raw_at;
        z->avail_in = (uInt)(in->raw_end - in->raw_at);
        z->next_out = (unsigned char *)to;
        z->avail_out = (uInt)n;
        int r = inflate(z, Z_NO_FLUSH);
        if (r == Z_MEM_ERROR) mem_exhausted("out of memory in zlib");
        in->raw_at = in->raw_end - z->avail_in;
        made = n - z->avail_out;
        if (r == Z_STREAM_END) in->inside = false;
        else if (r != Z_OK && r != Z_BUF_ERROR) {
            fail(in, EXIT_BAD_INPUT, "damaged gzip data: ", z->msg ? z->msg : "bad stream");
            return 0;
        }
    }
    return made;
}

static size_t unpack_zstd(input *in, char *to, size_t n) {
    ZSTD_outBuffer out = {.dst = to, .size = n};
    while (!out.pos) {
        bool ended = !more_raw(in);
        if (ended && !in->inside) return 0;
        ZSTD_inBuffer packed = {.src = in->raw, .size = in->raw_end, .pos = in->raw_at};
        size_t left = ZSTD_decompressStream(in->zstd, &out, &packed);
        in->raw_at = packed.pos;
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) mem_exhausted("out of memory in libzstd");
        if (ZSTD_isError(left)) {
            fail(in, EXIT_BAD_INPUT, "damaged zstd data: ", ZSTD_getErrorName(left));
            return 0;
        }
        in->inside = left != 0;
        if (ended && in->inside && !out.pos) {
            if (!in->failed)
                fail(in, EXIT_BAD_INPUT, "truncated zstd data", "; expected the end of the compressed stream");
            return 0;
        }
    }
    return out.pos;
}

/* Adds bytes behind buffer[end]; false when there are no more. */
static bool fill(input *in) {
    if (in->done) return false;
    if (in->packing == PACKED_UNKNOWN) find_packing(in);
    size_t n = in->room - in->end, got = 0;
    assert(in->at <= in->end && n > 0); /* a full buffer would look like the end of the file */
    if (!in->failed) {
        switch (in->packing) {
        case PACKED_GZIP: got = unpack_gzip(in, in->buffer + in->end, n); break;
        case PACKED_ZSTD: got = unpack_zstd(in, in->buffer + in->end, n); break;
        default: got = unpack_plain(in, in->buffer + in->end, n); break;
        }
    }
    assert(got <= n && in->raw_at <= in->raw_end && in->raw_end <= in->raw_room);
    in->end += got;
    if (!got) in->done = true;
    return got > 0;
}

/* Room for more bytes behind buffer[end], after moving what is left to the front. */
static void make_room(input *in) {
    if (in->at) {
        memmove(in->buffer, in->buffer + in->at, in->end - in->at);
        in->end -= in->at;
        in->at = 0;
    }
    if (in->end == in->room) {
        in->room *= 2;
        in->buffer = mem_resize(in->buffer, in->room + SLACK, 1);
    }
    assert(in->end < in->room);
}

/* ---- handing out ---- */

size_t input_peek(input *in, const char **p, size_t n) {
    assert(n <= PEEK_MAX);
    while (in->end - in->at < n && !in->done) {
        if (in->room - in->at < n) make_room(in);
        fill(in);
    }
    assert(in->done || in->end - in->at >= n);
    *p = in->buffer + in->at;
    return in->end - in->at < n ? in->end - in->at : n;
}

size_t input_peek_now(input *in, const char **p, bool more) {
    if ((more || in->end == in->at) && !in->done && in->end - in->at < PEEK_MAX) {
        if (in->end == in->room) make_room(in);
        fill(in);
    }
    *p = in->buffer + in->at;
    return in->end - in->at;
}

static char *hand_out(input *in, size_t length, size_t consumed, size_t *n) {
    char *line = in->buffer + in->at;
    assert(length <= consumed && consumed <= in->end - in->at);
    in->at += consumed;
    in->line++;
    if (length && line[length - 1] == '\r') length--;
    line[length] = 0;
    *n = length;
    return line;
}

char *input_line(input *in, size_t *n) {
    size_t searched = 0;
    for (;;) {
        char *line = in->buffer + in->at;
        size_t have = in->end - in->at;
        char *newline = have > searched ? memchr(line + searched, '\n', have - searched) : NULL;
        size_t length = newline ? (size_t)(newline - line) : have;
        if (length > INPUT_MAX_LINE && !in->failed) {
            in->failed = in->done = true;
            error_set(in->e, EXIT_BAD_INPUT, "%s:%u: line longer than %d MiB; expected shorter lines", in->name,
                      in->line + 1, INPUT_MAX_LINE >> 20);
        }
        if (in->failed) return NULL;
        if (newline) return hand_out(in, length, length + 1, n);
        searched = have;
        if (in->done) return have ? hand_out(in, have, have, n) : NULL;
        make_room(in);
        fill(in);
    }
}

const char *input_lines(input *in, const char **end) {
    if (in->at == in->end) {
        in->at = in->end = 0;
        fill(in);
    }
    if (in->failed) return NULL;
    const char *first = in->buffer + in->at, *newline = memrchr(first, '\n', in->end - in->at);
    if (!newline) return NULL;
    *end = newline + 1;
    return first;
}

void input_skip(input *in, const char *to, uint32_t lines) {
    assert(to >= in->buffer + in->at && to <= in->buffer + in->end); /* forward, within what was handed out */
    in->at = (size_t)(to - in->buffer);
    in->line += lines;
}

uint32_t input_line_number(const input *in) { return in->line; }

size_t input_block(input *in, const char **p) {
    if (in->at == in->end) {
        in->at = in->end = 0;
        fill(in);
    }
    *p = in->buffer + in->at;
    in->buffer[in->end] = 0;
    size_t n = in->failed ? 0 : in->end - in->at;
    in->at = in->end;
    return n;
}

const char *input_name(const input *in) { return in->name; }
bool input_failed(const input *in) { return in->failed; }

uint64_t input_estimate(const input *in, uint64_t things, size_t unread) {
    uint64_t ahead = in->packing == PACKED_NOT ? in->end - in->at + unread : 0;
    if (in->bytes <= ahead) return 0;
    double whole = (double)things * ((double)in->size / (double)(in->bytes - ahead));
    return whole < 1e18 ? (uint64_t)whole : 0;
}
