#include "runtime/record/durable.h"

#include "runtime/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOAD(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)

void durable_init(durable_log *d) { pthread_mutex_init(&d->lock, NULL); }

void durable_free(durable_log *d) {
    free(d->chunk);
    scanner_free(&d->scanner);
    pthread_mutex_destroy(&d->lock);
}

static bool cannot_sync(error *e) {
    return error_set(e, EXIT_CANNOT_OPEN, "plumb_record_sync: cannot be written to the disk: %s", strerror(errno));
}

/* A name is in its folder only when that is on the disk, too. */
static bool sync_folder(const char *path) {
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool good = fd >= 0 && !fsync(fd);
    if (fd >= 0) close(fd);
    free(copy);
    return good;
}

bool durable_begin(const recording *m, const char *path, error *e) {
    return (!fsync(m->fd) && sync_folder(path)) || cannot_sync(e);
}

static bool sync_header(const recording *m) { return !msync(m->header, LOG_HEADER, MS_SYNC); }

static bool sync_slots(const recording *m) { return !msync(m->header, m->header->chunks_at, MS_SYNC); }

/* The blocks of the file that were reserved are metadata of its own. */
static bool sync_chunks(const recording *m) {
    uint64_t chunks = LOAD(m->header->chunks), most = m->header->chunk_limit;
    size_t bytes = (size_t)(chunks < most ? chunks : most) * LOG_CHUNK_BYTES;
    return (!bytes || !msync(m->chunks, bytes, MS_SYNC)) && !fdatasync(m->fd);
}

/* ---- marks ---- */

/* The chunk that the record before this place is in. They are not used again: a ring is not durable. */
static const log_chunk *chunk_before(durable_log *d, const recording *m, uint32_t slot, uint64_t place) {
    uint64_t number = d->chunk[slot] ? d->chunk[slot] : LOAD(m->slot[slot].first);
    const log_chunk *c = recording_chunk(m, number);
    for (; c->sequence < (place - 1) / LOG_CHUNK_RECORDS; c = recording_chunk(m, number)) number = LOAD(c->next);
    d->chunk[slot] = number;
    return c;
}

/* Of what has returned: the records before `done` do not change any more. */
static void write_mark(durable_log *d, const recording *m, uint32_t slot, const log_mark *seen) {
    log_mark mark = {.generation = d->generation, .announced = seen->announced, .done = seen->done};
    const log_chunk *c = mark.done ? chunk_before(d, m, slot, mark.done) : NULL;
    mark.sum = log_mark_sum(&mark, c);
    *log_mark_at(&m->slot[slot], d->generation) = mark;
}

/* `done` before `announced`: whatever has returned was announced. */
static log_mark *read_cursors(const recording *m, uint64_t used) {
    log_mark *seen = calloc(used + 1, sizeof *seen);
    for (uint64_t i = 0; seen && i < used; i++) {
        seen[i].done = LOAD(m->slot[i].done);
        seen[i].announced = LOAD(m->slot[i].announced);
        if (seen[i].announced < seen[i].done) seen[i].announced = seen[i].done;
    }
    return seen;
}

/* The records, then what says how many there are, each in place of an older one that holds until the last step, which
 * is one page: whenever the machine stops, one of the two is whole. */
static bool keep(durable_log *d, const recording *m, const log_mark *seen, uint64_t used, uint64_t cut) {
    if (!sync_chunks(m)) return false;
    d->generation++;
    for (uint32_t i = 0; i < used; i++) write_mark(d, m, i, &seen[i]);
    if (!sync_slots(m)) return false;
    log_synced now = {.generation = d->generation, .cut = cut, .used = used};
    now.check = log_synced_sum(&now);
    m->header->synced[d->generation % 2] = now;
    return sync_header(m);
}

static bool prepare(durable_log *d, const recording *m, error *e) {
    if (d->chunk) return true;
    d->chunk = calloc(m->header->slots, sizeof *d->chunk);
    bool good = scanner_init(&d->scanner, m->header->slots) && d->chunk;
    return good || error_set(e, EXIT_INTERNAL, "out of memory in plumb_record_sync");
}

static bool sync_all(durable_log *d, const recording *m, error *e) {
    log_header *h = m->header;
    if (!prepare(d, m, e)) return false;
    const uint64_t cut = clock_limit(h, m->slot, &d->scanner);
    if (!clock_fence_writers(h, m->slot, true))
        return error_set(e, EXIT_UNDECIDED,
                         "plumb_record_sync: the system refuses the barrier (membarrier) that shows "
                         "what running threads have recorded");
    const uint64_t used = LOAD(h->used);
    log_mark *seen = read_cursors(m, used);
    bool good = seen ? keep(d, m, seen, used, cut) || cannot_sync(e)
                     : error_set(e, EXIT_INTERNAL, "out of memory in plumb_record_sync");
    free(seen);
    return good;
}

bool durable_sync(durable_log *d, const recording *m, error *e) {
    pthread_mutex_lock(&d->lock);
    bool good = sync_all(d, m, e);
    pthread_mutex_unlock(&d->lock);
    return good;
}

void durable_close(const recording *m) {
    if (!sync_chunks(m) || !sync_slots(m)) return;
    log_store(&m->header->closed, 1);
    sync_header(m);
}
