/* Room on the disk: by the huge page for long logs, chunk by chunk for short ones, and never where there is none. */
#include "support/cmocka.h"

#include "runtime/record/recorder.h"
#include "runtime/record/room.h"

#include <plumbline/record.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HUGE_PAGE (UINT64_C(2) << 20)

static plumb_recorder *open_file(char *path, uint64_t bytes) {
    strcpy(path, "/tmp/plumb-room-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    plumb_recorder *r = plumb_record_open(&(plumb_record_options){
        .struct_size = sizeof(plumb_record_options), .object = "queue", .path = path, .bytes = bytes});
    assert_null(plumb_record_error(r));
    return r;
}

static uint64_t room_taken(const char *path) {
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return (uint64_t)s.st_blocks * 512;
}

static void long_logs_take_whole_huge_pages(void **unused) {
    (void)unused;
    char path[64];
    plumb_recorder *r = open_file(path, 32 * HUGE_PAGE);
    if (r->shared.wide) { /* the system has huge pages, and the file system can take room */
        const uint64_t there = r->ahead.ready;
        assert_true(there > 0 && recording_chunk(&r->shared, there + 1) <=
                                     (log_chunk *)(void *)((char *)r->shared.header + HUGE_PAGE));
        assert_true(room_taken(path) >= HUGE_PAGE);
        assert_true(room_take(&r->shared, there + 1, there + 1)); /* it reaches into the second one */
        assert_true(room_taken(path) >= 2 * HUGE_PAGE);
    }
    plumb_record_close(r);
    unlink(path);
}

static void short_logs_take_what_they_need(void **unused) {
    (void)unused;
    char path[64];
    plumb_recorder *r = open_file(path, 2 * HUGE_PAGE);
    assert_false(r->shared.wide);
    assert_int_equal(r->ahead.ready, 0);
    assert_true(room_take(&r->shared, 1, 2));
    assert_true(room_taken(path) < HUGE_PAGE);
    plumb_record_close(r);
    unlink(path);
}

/* There is no room for a huge page any more: what is left is taken chunk by chunk, and nothing is written to where
 * there is none. */
static void the_end_of_a_disk_is_used(void **unused) {
    (void)unused;
    char path[64];
    plumb_recorder *r = open_file(path, 32 * HUGE_PAGE);
    const uint64_t next = 4 * HUGE_PAGE / LOG_CHUNK_BYTES, taken = room_taken(path);
    const int fd = r->shared.fd;
    r->shared.fd = open(path, O_RDONLY); /* takes no room */
    assert_false(room_take(&r->shared, next, next));
    assert_false(r->shared.wide);
    assert_int_equal(room_taken(path), taken);
    close(r->shared.fd);
    r->shared.fd = fd;
    assert_true(room_take(&r->shared, next, next));
    assert_true(room_taken(path) >= taken + LOG_CHUNK_BYTES && room_taken(path) < taken + HUGE_PAGE);
    plumb_record_close(r);
    unlink(path);
}

TEST_MAIN(TEST(long_logs_take_whole_huge_pages), TEST(short_logs_take_what_they_need), TEST(the_end_of_a_disk_is_used))
