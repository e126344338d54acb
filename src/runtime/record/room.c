#include "runtime/record/room.h"

#include "runtime/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* File systems keep neighbouring pages together ("large folios": XFS, and ext4 since Linux 6.16), and the first store
 * into one of them takes room for all: for more than was asked for, if they reach beyond that. So room is taken by the
 * huge page, which no folio reaches beyond, and huge pages are asked for, whose faults cost a quarter; or, where a disk
 * has less left, and for short logs, the mapping is declared to be used at random: then pages stay alone. */
#define HUGE_PAGE (UINT64_C(2) << 20)
enum { WIDE_FROM = 8 /* huge pages */, TOUCHED_BYTES = 4096 /* the smallest page there is */ };

static bool allocate(int fd, uint64_t from, uint64_t bytes) {
    int failed;
    do failed = fallocate(fd, 0, (off_t)from, (off_t)bytes);
    while (failed && errno == EINTR);
    return !failed;
}

/* Where a file system cannot be asked to, zeros are written: the range is new. */
static bool reserve(int fd, uint64_t from, uint64_t bytes) {
    static const char zeros[4096];
    if (allocate(fd, from, bytes)) return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    for (uint64_t at = 0; at < bytes; at += sizeof zeros)
        if (pwrite(fd, zeros, sizeof zeros, (off_t)(from + at)) != sizeof zeros) return false;
    return true;
}

/* A writer may have come there first and be writing: what is there stays. False: a store would kill. */
static bool touch(char *from, size_t bytes) {
    if (!madvise(from, bytes, MADV_POPULATE_WRITE)) return true;
    if (errno != EINVAL) return errno != EFAULT;
    for (size_t at = 0; at < bytes; at += TOUCHED_BYTES)
        __atomic_fetch_or((uint64_t *)(void *)(from + at), 0, __ATOMIC_RELAXED);
    return true;
}

static void keep_pages_alone(recording *m) {
    __atomic_store_n(&m->wide, false, __ATOMIC_RELAXED);
    madvise(m->header, m->size, MADV_NOHUGEPAGE);
    madvise(m->header, m->size, MADV_RANDOM);
}

static uint64_t huge_page_of(uint64_t byte) { return byte / HUGE_PAGE; }

/* All huge pages that these bytes are in. The last that was taken is remembered: most often it is the same one. */
static bool reserve_wide(recording *m, uint64_t from, uint64_t to) {
    const uint64_t first = huge_page_of(from), last = huge_page_of(to - 1), begin = first * HUGE_PAGE,
                   end = (last + 1) * HUGE_PAGE < m->size ? (last + 1) * HUGE_PAGE : m->size;
    if (first == last && __atomic_load_n(&m->taken, __ATOMIC_RELAXED) == first + 1) return true;
    if (!allocate(m->fd, begin, end - begin)) return false;
    __atomic_store_n(&m->taken, last + 1, __ATOMIC_RELAXED);
    return true;
}

static bool is_wide(const recording *m) { return __atomic_load_n(&m->wide, __ATOMIC_RELAXED); }

uint64_t room_begin(recording *m, uint64_t bytes) {
    assert(bytes <= m->size);
    if (m->fd < 0) return bytes;
    m->wide = bytes <= HUGE_PAGE && m->size >= WIDE_FROM * HUGE_PAGE && !madvise(m->header, m->size, MADV_HUGEPAGE) &&
              reserve_wide(m, 0, bytes);
    if (m->wide && touch((char *)m->header, HUGE_PAGE)) return HUGE_PAGE;
    keep_pages_alone(m);
    return reserve(m->fd, 0, bytes) && touch((char *)m->header, bytes) ? bytes : 0;
}

bool room_take(recording *m, uint64_t first, uint64_t last) {
    assert(first >= 1 && first <= last && last <= m->header->chunk_limit);
    const uint64_t from = m->header->chunks_at + (first - 1) * LOG_CHUNK_BYTES,
                   to = m->header->chunks_at + last * LOG_CHUNK_BYTES;
    bool wide = m->fd >= 0 && is_wide(m) && reserve_wide(m, from, to);
    if (m->fd >= 0 && is_wide(m) && !wide) keep_pages_alone(m);
    return (m->fd < 0 || wide || reserve(m->fd, from, to - from)) && touch((char *)m->header + from, to - from);
}
