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

/* The file: a line, then records: client (4 bytes), size (4), a digest of both (4), one of the entry (4), the entry. A
 * crash leaves a beginning of the last record; a head that is not its own, or a whole entry that is not, is damage. */
#define FIRST_LINE "plumb-replica/2 %016" PRIx64 "\n"
enum { LINE_SIZE = 33, RECORD_HEAD = 16 };

static uint32_t folded(uint64_t digest) { return (uint32_t)(digest ^ digest >> 32); }

static uint32_t head_digest(uint32_t client, uint64_t size) {
    return folded(digest_word(digest_word(DIGEST_START, client), size));
}

static uint32_t entry_digest(wire_reader entry) { return folded(digest_bytes(DIGEST_START, entry.p, entry.left)); }

void keeping_add(text *journal, uint32_t client, wire_reader entry) {
    wire_add(journal, client, 4);
    wire_add(journal, entry.left, 4);
    wire_add(journal, head_digest(client, entry.left), 4);
    wire_add(journal, entry_digest(entry), 4);
    text_bytes(journal, entry.p, entry.left);
}

void keeping_add_standing(text *journal, enum wire_standing standing) {
    const unsigned char byte = (unsigned char)standing;
    keeping_add(journal, KEEPING_STANDING, (wire_reader){.p = &byte, .left = 1});
}

static bool read_all(int fd, text *out) {
    char block[65536];
    for (ssize_t n; (n = read(fd, block, sizeof block)) != 0;) {
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) text_bytes(out, block, (size_t)n);
    }
    return true;
}

static bool take_record(replica_store *s, uint32_t client, wire_reader entry) {
    if (client != KEEPING_STANDING) return replica_store_restore(s, client, entry);
    if (entry.left != 1 || (entry.p[0] != STANDING_LOST && entry.p[0] != STANDING_CAUGHT_UP)) return false;
    s->standing = (enum wire_standing)entry.p[0];
    return true;
}

/* The last record may have been cut off by a crash: its answer never left. Anything else that is wrong is damage. */
static bool take_records(replica_store *s, wire_reader r, size_t *whole) {
    while (r.left >= RECORD_HEAD) {
        wire_reader next = r;
        const uint32_t client = (uint32_t)wire_number(&next, 4);
        const uint64_t size = wire_number(&next, 4), head = wire_number(&next, 4), digest = wire_number(&next, 4);
        if (head != head_digest(client, size)) return false;
        const wire_reader entry = wire_bytes(&next, (size_t)size);
        if (next.bad) return true; /* cut off */
        if (entry_digest(entry) != digest || !take_record(s, client, entry)) return false;
        r = next;
        *whole += RECORD_HEAD + (size_t)size;
    }
    return true;
}

static bool cannot(const char *path, error *e) {
    return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", path, strerror(errno));
}

static bool begin_file(replica_keeping *k, const char *path, const replica_store *s, error *e) {
    text_printf(&k->journal, FIRST_LINE, s->incarnation);
    if (s->standing != STANDING_WHOLE) keeping_add_standing(&k->journal, s->standing);
    return (!ftruncate(k->fd, 0) && keeping_flush(k)) || cannot(path, e);
}

/* What it answered for is not all there: it goes on as another one. */
static bool begin_after_damage(replica_keeping *k, const char *path, replica_store *s, const text *all, error *e) {
    const uint64_t incarnation = s->incarnation;
    const size_t limit = s->limit;
    text beside = {0};
    text_printf(&beside, "%s.damaged", path);
    const bool good = whole_file_write(beside.at, all->at, all->size, e);
    text_free(&beside);
    replica_store_free(s);
    replica_store_init(s, incarnation, limit);
    replica_store_lose(s);
    return good && begin_file(k, path, s, e);
}

static bool take_file(replica_keeping *k, const char *path, replica_store *s, const text *all, error *e) {
    uint64_t incarnation = 0;
    size_t whole = LINE_SIZE;
    char line[LINE_SIZE + 1];
    snprintf(line, sizeof line, "%.*s", LINE_SIZE, text_str(all));
    if (all->size < LINE_SIZE || sscanf(line, "plumb-replica/2 %16" SCNx64, &incarnation) != 1 || !incarnation)
        return error_set(e, EXIT_BAD_INPUT, "%s:1: expected plumb-replica/2 and a number", path);
    const wire_reader records = {.p = (const unsigned char *)all->at + LINE_SIZE, .left = all->size - LINE_SIZE};
    if (!take_records(s, records, &whole)) return begin_after_damage(k, path, s, all, e);
    s->incarnation = incarnation;
    return !ftruncate(k->fd, (off_t)whole) || cannot(path, e);
}

bool keeping_open(replica_keeping *k, const char *path, keeping_start how, replica_store *s, error *e) {
    text all = {0};
    k->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (k->fd < 0) return cannot(path, e);
    bool good = !flock(k->fd, LOCK_EX | LOCK_NB) ||
                error_set(e, EXIT_CANNOT_OPEN, "%s: another replica keeps its state there", path);
    good = good && (read_all(k->fd, &all) || cannot(path, e));
    bool begins = !all.size || how == KEEPING_ANEW;
    if (begins && how == KEEPING_LOST) replica_store_lose(s);
    good = good && (begins ? begin_file(k, path, s, e) : take_file(k, path, s, &all, e));
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
