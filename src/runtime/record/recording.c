/* The mapping that logs live in: made, or another program's. */
#include "runtime/record/recorder.h"
#include "runtime/record/room.h"

#include "base/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STANDARD_THREADS = 1024 };
#define STANDARD_BYTES (UINT64_C(1) << 30)
#define MOST_BYTES (UINT64_C(1) << 46)

static bool cannot(error *e, const char *path, const char *what) {
    return error_set(e, EXIT_CANNOT_OPEN, "%s: cannot %s: %s", path ? path : "recorder", what, strerror(errno));
}

enum { LONGEST_PATH = 4096 };

/* "shm:NAME" is memory that other programs can attach to by that name. */
static const char *real_path(const char *path, char *room) {
    if (strncmp(path, "shm:", 4)) return path;
    snprintf(room, LONGEST_PATH, "/dev/shm/plumb-%s", path + 4);
    return room;
}

/* Forked processes say in the header what they do without recording it; the rest is private to each. Where the header
 * is no whole pages, that is not known. */
static bool share_header(void *p) {
    if (LOG_HEADER % sysconf(_SC_PAGESIZE)) return true;
    int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED;
    return mmap(p, LOG_HEADER, PROT_READ | PROT_WRITE, flags, -1, 0) == p;
}

static bool map(recording *m, const char *path, size_t size, error *e) {
    int flags = m->fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, m->fd, 0);
    if (p == MAP_FAILED) return cannot(e, path, "map the logs");
    m->header = p;
    m->size = size;
    return m->fd >= 0 || share_header(p) || cannot(e, path, "share the header");
}

static void find_parts(recording *m) {
    assert(m->header->chunks_at == log_chunks_at(m->header->slots));
    assert(m->size == m->header->chunks_at + m->header->chunk_limit * LOG_CHUNK_BYTES);
    m->slot = (log_slot *)(void *)((char *)m->header + LOG_HEADER);
    m->chunks = (char *)m->header + m->header->chunks_at;
}

static bool describe(log_header *h, const plumb_record_options *options, const object_type *t, error *e) {
    if (strlen(options->object) >= sizeof h->object) return error_set(e, EXIT_USAGE, "the object's name is too long");
    if (options->init && strlen(options->init) + 1 >= sizeof h->init)
        return error_set(e, EXIT_USAGE, "the initial value is too long");
    strcpy(h->object, options->object);
    if (options->init) {
        h->init[0] = ':';
        strcpy(h->init + 1, options->init);
    }
    if (t->method_count > LOG_METHODS)
        return error_set(e, EXIT_USAGE, "object %s has more than %d methods", options->object, LOG_METHODS);
    h->methods = t->method_count;
    for (uint32_t i = 0; i < h->methods; i++) {
        if (strlen(t->methods[i].name) >= LOG_METHOD_NAME)
            return error_set(e, EXIT_USAGE, "a method's name is too long");
        strcpy(h->method[i], t->methods[i].name);
    }
    return true;
}

static uint64_t process_namespace(void) {
    struct stat s;
    return stat("/proc/self/ns/pid", &s) ? 0 : (uint64_t)s.st_ino;
}

/* In another namespace its number means another process, or none. The lock is gone when the process is. */
bool recording_is_running(const recording *m) {
    const log_header *h = m->header;
    struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
    bool same = !h->pid_namespace || h->pid_namespace == process_namespace();
    if (!h->process) return false; /* no program wrote it: it was converted from a history */
    if (same) return kill((pid_t)h->process, 0) == 0 || errno == EPERM;
    return !h->locked || fcntl(m->fd, F_GETLK, &lock) || lock.l_type != F_UNLCK;
}

/* The file is as long as it may become, but has only the pages that were written. The magic comes last: a program that
 * dies before leaves a file that is not mistaken for a log. */
bool recording_create(recording *m, const plumb_record_options *options, const object_type *t, uint64_t *ready,
                      error *e) {
    uint64_t bytes = options->bytes ? options->bytes : STANDARD_BYTES;
    uint32_t slots = options->threads ? options->threads : STANDARD_THREADS;
    *m = (recording){.fd = -1, .ours = true};
    if (options->durable && (!options->path || !strncmp(options->path, "shm:", 4) || options->ring))
        return error_set(e, EXIT_USAGE, "durable; expected the path of a file, and no ring");
    if (slots > LOG_MAX_SLOTS) return error_set(e, EXIT_USAGE, "%u threads; expected at most %d", slots, LOG_MAX_SLOTS);
    if (bytes > MOST_BYTES) return error_set(e, EXIT_USAGE, "too much room for records; expected at most 2^46 bytes");
    if (options->path) {
        char room[LONGEST_PATH];
        m->fd = open(real_path(options->path, room), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (m->fd < 0) return cannot(e, options->path, "open");
    }
    uint64_t limit = (bytes + LOG_CHUNK_BYTES - 1) / LOG_CHUNK_BYTES, at = log_chunks_at(slots);
    size_t size = at + limit * LOG_CHUNK_BYTES;
    if (m->fd >= 0 && ftruncate(m->fd, (off_t)size)) return cannot(e, options->path, "make room");
    if (!map(m, options->path, size, e)) return false;
    uint64_t there = room_begin(m, at);
    if (!there) return error_set(e, EXIT_CANNOT_OPEN, "%s: cannot make room: the disk is full", options->path);
    *ready = (there - at) / LOG_CHUNK_BYTES;
    log_header *h = m->header;
    h->version = LOG_VERSION;
    h->slots = slots;
    h->clock = options->clock;
    h->ring = options->ring;
    h->sample = options->sample > 1 ? options->sample : 0;
    h->sampled = UINT64_MAX / (h->sample ? h->sample : 1);
    h->chunks_at = at;
    h->chunk_limit = limit;
    h->process = (uint32_t)getpid();
    h->pid_namespace = process_namespace();
    h->locked = m->fd >= 0 && fcntl(m->fd, F_SETLK, &(struct flock){.l_type = F_WRLCK, .l_len = 1}) == 0;
    h->barriers = clock_enable_barriers(options->path != NULL) && options->clock == PLUMB_CLOCK_TICKET;
    h->durable = options->durable ? boot_identity() | 1 : 0;
    if (!describe(h, options, t, e)) return false;
    find_parts(m);
    h->check = log_header_sum(h);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(h->magic, LOG_MAGIC, sizeof h->magic);
    return !options->durable || durable_begin(m, options->path, e);
}

static bool sound_header(const log_header *h, uint64_t size) {
    if (memcmp(h->magic, LOG_MAGIC, sizeof h->magic) || h->version < LOG_OLDEST || h->version > LOG_VERSION)
        return false;
    if (h->version > LOG_OLDEST && h->check != log_header_sum(h)) return false;
    if (!h->slots || h->slots > LOG_MAX_SLOTS || h->chunks_at != log_chunks_at(h->slots) || h->methods > LOG_METHODS)
        return false;
    if (h->clock > PLUMB_CLOCK_TSC || h->chunk_limit > MOST_BYTES / LOG_CHUNK_BYTES) return false;
    if (!memchr(h->object, 0, sizeof h->object) || !memchr(h->init, 0, sizeof h->init)) return false;
    for (uint32_t i = 0; i < h->methods; i++)
        if (!memchr(h->method[i], 0, LOG_METHOD_NAME)) return false;
    return size == h->chunks_at + h->chunk_limit * LOG_CHUNK_BYTES;
}

enum { MAKING_STEP = 1000 /* microseconds */, MAKING_STEPS = 1000 };

/* The program may be about to make it: the magic comes last. */
static void wait_until_made(const log_header *h) {
    static const char none[sizeof h->magic];
    for (unsigned i = 0; i < MAKING_STEPS && !memcmp(h->magic, none, sizeof none); i++) {
        usleep(MAKING_STEP);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    }
}

bool recording_attach(recording *m, const char *path, error *e) {
    struct stat s;
    char room[LONGEST_PATH];
    *m = (recording){.fd = open(real_path(path, room), O_RDWR | O_CLOEXEC)}; /* not ours */
    if (m->fd < 0 || fstat(m->fd, &s)) return cannot(e, path, "open");
    if (s.st_size < LOG_HEADER) return error_set(e, EXIT_BAD_INPUT, "%s: no log of a recorder; expected one", path);
    if (!map(m, path, (size_t)s.st_size, e)) return false;
    wait_until_made(m->header);
    if (!sound_header(m->header, m->size))
        return error_set(e, EXIT_BAD_INPUT, "%s: no log of a recorder; expected one of this version", path);
    find_parts(m);
    if (log_is_of_another_run(m->header, boot_identity()))
        return error_set(
            e, EXIT_BAD_INPUT,
            "%s: the machine has stopped since it was written; expected `plumb check`, which reads what was "
            "synced",
            path);
    return true;
}

void recording_close(recording *m) {
    if (m->header) munmap(m->header, m->size);
    if (m->fd >= 0) close(m->fd);
    m->header = NULL;
    m->fd = -1;
}
