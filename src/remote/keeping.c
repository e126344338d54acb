#include "remote/keeping.h"

#include "base/digest.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The file: a line, then records: client (4 bytes), size (4), digest of both and of the entry (8), the entry. */
#define FIRST_LINE "plumb-replica/1 %016" PRIx64 "\n"
enum { LINE_SIZE = 33, RECORD_HEAD = 16 };

static uint64_t record_digest(uint32_t client, wire_reader entry) {
    return digest_bytes(digest_word(DIGEST_START, client), entry.p, entry.left);
}

void keeping_add(text *journal, uint32_t client, wire_reader entry) {
    wire_add(journal, client, 4);
    wire_add(journal, entry.left, 4);
    wire_add(journal, record_digest(client, entry), 8);
    text_bytes(journal, entry.p, entry.left);
}

static bool read_all(int fd, text *out) {
    char block[65536];
    for (ssize_t n; (n = read(fd, block, sizeof block)) != 0;) {
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) text_bytes(out, block, (size_t)n);
    }
    return true;
}

/* The last record may have been cut off by a crash: its answer never left. Anything else that is wrong is damage. */
static bool take_records(replica_store *s, wire_reader r, size_t *whole) {
    while (r.left) {
        wire_reader next = r;
        const uint32_t client = (uint32_t)wire_number(&next, 4);
        const uint64_t size = wire_number(&next, 4), digest = wire_number(&next, 8);
        const wire_reader entry = wire_bytes(&next, (size_t)size);
        if (next.bad) return true; /* cut off */
        if (record_digest(client, entry) != digest) return !next.left;
        if (!replica_store_restore(s, client, entry)) return false;
        r = next;
        *whole += RECORD_HEAD + (size_t)size;
    }
    return true;
}

static bool take_file(replica_keeping *k, const char *path, replica_store *s, const text *all, error *e) {
    uint64_t incarnation = 0;
    size_t whole = LINE_SIZE;
    char line[LINE_SIZE + 1];
    snprintf(line, sizeof line, "%.*s", LINE_SIZE, text_str(all));
    if (all->size < LINE_SIZE || sscanf(line, "plumb-replica/1 %16" SCNx64, &incarnation) != 1 || !incarnation)
        return error_set(e, EXIT_BAD_INPUT, "%s:1: expected plumb-replica/1 and a number", path);
    s->incarnation = incarnation;
    const wire_reader records = {.p = (const unsigned char *)all->at + LINE_SIZE, .left = all->size - LINE_SIZE};
    if (!take_records(s, records, &whole))
        return error_set(e, EXIT_BAD_INPUT,
                         "%s: is damaged: this replica has lost what it answered for, and must not count; expected the "
                         "whole file",
                         path);
    return !ftruncate(k->fd, (off_t)whole) || error_set(e, EXIT_CANNOT_OPEN, "%s: %s", path, strerror(errno));
}

static bool begin_file(replica_keeping *k, const char *path, const replica_store *s, error *e) {
    text_printf(&k->journal, FIRST_LINE, s->incarnation);
    return keeping_flush(k) || error_set(e, EXIT_CANNOT_OPEN, "%s: %s", path, strerror(errno));
}

bool keeping_open(replica_keeping *k, const char *path, replica_store *s, error *e) {
    text all = {0};
    k->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (k->fd < 0) return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", path, strerror(errno));
    bool good = !flock(k->fd, LOCK_EX | LOCK_NB) ||
                error_set(e, EXIT_CANNOT_OPEN, "%s: another replica keeps its state there", path);
    good = good && (read_all(k->fd, &all) || error_set(e, EXIT_CANNOT_OPEN, "%s: %s", path, strerror(errno)));
    good = good && (all.size ? take_file(k, path, s, &all, e) : begin_file(k, path, s, e));
    text_free(&all);
    if (!good) keeping_close(k);
    return good;
}

bool keeping_flush(replica_keeping *k) {
    if (k->fd < 0 || !k->journal.size) return true;
    const bool good = write_all_bytes(k->fd, k->journal.at, k->journal.size) && !fdatasync(k->fd);
    text_clear(&k->journal);
    return good;
}

void keeping_close(replica_keeping *k) {
    if (k->fd >= 0) close(k->fd);
    k->fd = -1;
    text_free(&k->journal);
}
