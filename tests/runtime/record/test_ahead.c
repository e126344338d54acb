/* Memory ahead of the writers: what is ready has room, the pages are there, and a writer never depends on it. */
#include "support/cmocka.h"

#include "runtime/record/recorder.h"

#include <plumbline/record.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNKS = 64, MOST_AHEAD = 256, BEGIN_AT = 8 };

static void *nothing(void *context) { return context; }

/* Only programs with several threads get one more. */
static void have_two_threads(void) {
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, nothing, NULL), 0);
    pthread_join(t, NULL);
}

static plumb_recorder *open_file(char *path, size_t chunks) {
    strcpy(path, "/tmp/plumb-ahead-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    plumb_recorder *r = plumb_record_open(&(plumb_record_options){.struct_size = sizeof(plumb_record_options),
                                                                  .object = "queue",
                                                                  .path = path,
                                                                  .bytes = chunks * LOG_CHUNK_BYTES});
    assert_null(plumb_record_error(r));
    return r;
}

static void record(plumb_recorder *r, uint64_t operations) {
    plumb_log *l = plumb_record_join(r);
    int enq = plumb_record_method(r, "enq");
    for (uint64_t i = 0; i < operations; i++) {
        plumb_call_int(l, enq, (int64_t)i);
        plumb_ret_none(l);
    }
    plumb_record_leave(l);
}

static uint64_t room_taken(const char *path) {
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return (uint64_t)s.st_blocks * 512;
}

static void wait_until_ahead(const plumb_recorder *r, uint64_t chunks) {
    for (int i = 0; i < 10000 && __atomic_load_n(&r->ahead.ready, __ATOMIC_ACQUIRE) < chunks; i++) usleep(1000);
}

static void chunks_are_ready_before_they_are_needed(void **unused) {
    (void)unused;
    char path[64];
    have_two_threads();
    plumb_recorder *r = open_file(path, CHUNKS);
    record(r, 16 * LOG_CHUNK_RECORDS);
    uint64_t used = r->shared.header->chunks;
    wait_until_ahead(r, used + 1);
    uint64_t ready = __atomic_load_n(&r->ahead.ready, __ATOMIC_ACQUIRE);
    assert_true(ready > used && ready <= 2 * used); /* no more than twice what is used */
    assert_true(room_taken(path) >= ready * LOG_CHUNK_BYTES);
    unsigned char there[LOG_CHUNK_BYTES / 4096];
    assert_int_equal(mincore(recording_chunk(&r->shared, ready), LOG_CHUNK_BYTES, there), 0);
    assert_true(there[0] & 1);
    plumb_record_close(r);
    unlink(path);
}

static void it_stops_at_the_end_of_the_log(void **unused) {
    (void)unused;
    char path[64];
    plumb_record_status s = {.struct_size = sizeof s};
    have_two_threads();
    plumb_recorder *r = open_file(path, CHUNKS);
    record(r, (CHUNKS - 1) * (uint64_t)(LOG_CHUNK_RECORDS - LOG_FIRST));
    wait_until_ahead(r, CHUNKS);
    assert_int_equal(__atomic_load_n(&r->ahead.ready, __ATOMIC_ACQUIRE), CHUNKS);
    plumb_record_look(r, &s);
    assert_int_equal(s.dark, 0);
    record(r, 2 * LOG_CHUNK_RECORDS);
    plumb_record_look(r, &s);
    assert_true(s.dark > 0); /* full: dark, as without a thread ahead */
    plumb_record_close(r);
    unlink(path);
}

static void short_recordings_have_no_thread(void **unused) {
    (void)unused;
    char path[64];
    have_two_threads();
    plumb_recorder *r = open_file(path, CHUNKS);
    record(r, (BEGIN_AT - 2) * LOG_CHUNK_RECORDS);
    assert_int_equal(r->ahead.state, 0);
    assert_int_equal(r->ahead.ready, 0);
    plumb_record_close(r);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_ready_before_they_are_needed),
        cmocka_unit_test(it_stops_at_the_end_of_the_log),
        cmocka_unit_test(short_recordings_have_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
