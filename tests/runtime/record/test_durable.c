/* The machine stops. The test is the disk: what msync and fdatasync were told to write is there, and of every other
 * page either what was written last or what the program has in memory, by lot, as the system may have written it at any
 * time. Whatever came of it: what had returned before the last sync is read, and a right object is never called
 * wrong. */
#include "support/cmocka.h"

#include "base/random.h"
#include "runtime/record/recorder.h"
#include "support/step_aside.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 1 << 20, VALUES = 1 << 16 };

/* ---- the disk ---- */

typedef struct fake_disk {
    char *on_disk;      /* what is there for certain */
    const char *memory; /* the mapping */
    size_t size;
    unsigned stops_after; /* so many calls, then no page comes to the disk any more; 0: never */
    unsigned calls;
    char *image; /* of the moment it stopped */
    random_source random;
} fake_disk;

static fake_disk disk;

/* As a device copies pages: word by word, while threads go on writing them, which is no access of the program's own. */
__attribute__((no_sanitize("thread"))) static void copy_pages(char *to, const char *from, size_t n) {
    const volatile uint64_t *in = (const volatile uint64_t *)(const void *)from;
    volatile uint64_t *out = (volatile uint64_t *)(void *)to;
    for (size_t i = 0; i < n / sizeof *in; i++) out[i] = in[i];
}

/* Each page that may be newer is, or is not. */
static void stop_machine(void) {
    disk.image = malloc(disk.size);
    for (size_t at = 0; at < disk.size; at += PAGE)
        copy_pages(disk.image + at, (random_chance(&disk.random, 0.5) ? disk.memory : disk.on_disk) + at, PAGE);
}

static void written(size_t from, size_t to) {
    if (to > disk.size) to = disk.size;
    copy_pages(disk.on_disk + from, disk.memory + from, to - from);
}

static void one_call(void) {
    if (!disk.image && disk.stops_after && ++disk.calls == disk.stops_after) stop_machine();
}

int msync(void *p, size_t n, int flags) {
    (void)flags;
    if (!disk.memory) return 0;
    size_t from = (size_t)((const char *)p - disk.memory);
    one_call();
    if (!disk.image) written(from, from + n);
    return 0;
}

int fdatasync(int fd) {
    (void)fd;
    return 0;
}

static void insert_disk(const plumb_recorder *r, uint64_t seed, unsigned stops_after) {
    disk = (fake_disk){
        .memory = (const char *)r->shared.header, .size = r->shared.size, .stops_after = stops_after, .random = {seed}};
    disk.on_disk = calloc(1, disk.size);
    written(0, disk.size); /* as it was opened: on the disk by then */
}

static void remove_disk(void) {
    free(disk.on_disk);
    free(disk.image);
    disk = (fake_disk){0};
}

/* As it is found in the next run of the machine. */
static void save_image(const char *path) {
    if (!disk.image) stop_machine();
    log_header *h = (log_header *)(void *)disk.image;
    assert_true(h->durable != 0);
    h->durable ^= UINT64_C(1) << 40;
    FILE *f = fopen(path, "w");
    assert_int_equal(fwrite(disk.image, 1, disk.size, f), disk.size);
    fclose(f);
}

/* ---- runs ---- */

typedef struct right_queue {
    plumb_recorder *r;
    int64_t value[VALUES], first, last, made;
    pthread_mutex_t lock;
} right_queue;

/* One of a few values takes a block. 0: there is no room for another one. */
static int64_t fresh_value(right_queue *q, random_source *random) {
    pthread_mutex_lock(&q->lock);
    const int64_t v = ++q->made;
    pthread_mutex_unlock(&q->lock);
    if (v >= VALUES) return 0;
    return random_chance(random, 0.2) ? v | INT64_C(1) << 62 : v;
}

static void use(right_queue *q, plumb_log *l, random_source *random) {
    const int64_t fresh = random_chance(random, 0.55) ? fresh_value(q, random) : 0;
    if (fresh) {
        plumb_call_int(l, 0, fresh);
        pthread_mutex_lock(&q->lock);
        q->value[q->last++] = fresh;
        pthread_mutex_unlock(&q->lock);
        plumb_ret_none(l);
        return;
    }
    plumb_call_none(l, 1);
    pthread_mutex_lock(&q->lock);
    const int64_t v = q->first < q->last ? q->value[q->first++] : 0;
    pthread_mutex_unlock(&q->lock);
    if (v) plumb_ret_int(l, v);
    else plumb_ret_empty(l);
}

static plumb_recorder *open_durable(const char *path) {
    plumb_record_options o = {
        .struct_size = sizeof o, .object = "queue", .path = path, .threads = 4, .bytes = BYTES, .durable = true};
    plumb_recorder *r = plumb_record_open(&o);
    assert_null(plumb_record_error(r));
    return r;
}

typedef struct found {
    plumb_verdict verdict;
    unsigned long operations;
    char reason[300];
} found;

static found check(const char *path) {
    plumb_history *h = plumb_history_read(path, NULL);
    plumb_result *r = plumb_check(h, NULL, NULL);
    found f = {.verdict = plumb_result_verdict(r)};
    snprintf(f.reason, sizeof f.reason, "%s", plumb_result_reason(r));
    const char *number = strstr(plumb_result_json(r), "\"operations\":");
    f.operations = number ? strtoul(number + strlen("\"operations\":"), NULL, 10) : 0;
    plumb_result_free(r);
    plumb_history_free(h);
    return f;
}

static void file_name(char *path, const char *what) { sprintf(path, "/tmp/plumb-durable-%d-%s", (int)getpid(), what); }

/* Syncs at random, one or two threads' logs, the machine stops in a sync or after it. */
static void what_was_synced_is_read(void **unused) {
    (void)unused;
    char path[64], image[64];
    file_name(path, "log");
    file_name(image, "image");
    unsigned stopped_inside = 0;
    static right_queue q;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_source random = {seed};
        q = (right_queue){.r = open_durable(path), .lock = PTHREAD_MUTEX_INITIALIZER};
        plumb_log *l[3] = {plumb_record_join(q.r), plumb_record_join(q.r), NULL};
        insert_disk(q.r, seed, 1 + (unsigned)random_below(&random, 16));
        unsigned long recorded = 0, synced = 0;
        for (unsigned i = 0; i < 12 && !disk.image; i++) {
            const unsigned n = (unsigned)random_below(&random, 2500);
            for (unsigned k = 0; k < n; k++) use(&q, l[random_below(&random, 2)], &random);
            recorded += n;
            if (i == 5) l[2] = plumb_record_join(q.r);
            if (!plumb_record_sync(q.r)) fail_msg("seed %llu: no sync", (unsigned long long)seed);
            if (!disk.image) synced = recorded;
        }
        stopped_inside += disk.image != NULL;
        save_image(image);
        found f = check(image);
        if (f.verdict != PLUMB_UNDECIDED || f.operations < synced ||
            (synced && !strstr(f.reason, "the machine stopped")))
            fail_msg("seed %llu: verdict %d, %lu operations of %lu synced: %s", (unsigned long long)seed, f.verdict,
                     f.operations, synced, f.reason);
        remove_disk();
        for (unsigned i = 0; i < 3; i++) plumb_record_leave(l[i]);
        plumb_record_close(q.r);
    }
    assert_true(stopped_inside > 10);
    unlink(path);
    unlink(image);
}

typedef struct busy_thread {
    right_queue *q;
    uint64_t name;
    uint32_t stop;
} busy_thread;

static void *stay_busy(void *context) {
    busy_thread *b = context;
    random_source random = {b->name};
    plumb_log *l = plumb_record_join(b->q->r);
    while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED)) {
        use(b->q, l, &random);
        if (random_chance(&random, 0.02)) step_aside();
    }
    plumb_record_leave(l);
    return NULL;
}

/* While two threads record: a cut through the midst of operations. */
static void while_others_record(void **unused) {
    (void)unused;
    char path[64], image[64];
    file_name(path, "log");
    file_name(image, "image");
    static right_queue q;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        q = (right_queue){.r = open_durable(path), .lock = PTHREAD_MUTEX_INITIALIZER};
        busy_thread b[2] = {{&q, 1, 0}, {&q, 2, 0}};
        pthread_t t[2];
        insert_disk(q.r, seed, 0);
        for (unsigned i = 0; i < 2; i++) pthread_create(&t[i], NULL, stay_busy, &b[i]);
        usleep(1000 * (unsigned)(1 + seed % 4));
        for (unsigned i = 0; i < 2; i++) assert_true(plumb_record_sync(q.r));
        usleep(500);
        stop_machine();
        for (unsigned i = 0; i < 2; i++) __atomic_store_n(&b[i].stop, 1, __ATOMIC_RELAXED);
        for (unsigned i = 0; i < 2; i++) pthread_join(t[i], NULL);
        save_image(image);
        found f = check(image);
        if (f.verdict != PLUMB_UNDECIDED)
            fail_msg("seed %llu: verdict %d, %lu operations: %s", (unsigned long long)seed, f.verdict, f.operations,
                     f.reason);
        remove_disk();
        plumb_record_close(q.r);
    }
    unlink(path);
    unlink(image);
}

/* In the same run of the machine nothing is lost with the process; and what was closed is all there. */
static void nothing_is_left_out_without_a_stop(void **unused) {
    (void)unused;
    char path[64];
    file_name(path, "log");
    static right_queue q;
    q = (right_queue){.r = open_durable(path), .lock = PTHREAD_MUTEX_INITIALIZER};
    random_source random = {3};
    plumb_log *l = plumb_record_join(q.r);
    for (unsigned i = 0; i < 3000; i++) use(&q, l, &random);
    found f = check(path);
    assert_int_equal(f.verdict, PLUMB_LINEARIZABLE);
    assert_int_equal(f.operations, 3000);
    plumb_record_leave(l);
    plumb_record_close(q.r);
    log_header h;
    int fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, &h, sizeof h, 0), sizeof h);
    h.durable ^= UINT64_C(1) << 40;
    assert_int_equal(pwrite(fd, &h, sizeof h, 0), sizeof h);
    close(fd);
    f = check(path);
    assert_int_equal(f.verdict, PLUMB_LINEARIZABLE);
    assert_int_equal(f.operations, 3000);
    unlink(path);
}

static void options_that_make_no_sense(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue", .durable = true};
    plumb_recorder *r = plumb_record_open(&o);
    assert_non_null(plumb_record_error(r));
    assert_false(plumb_record_sync(r));
    plumb_record_close(r);
    o.path = "/tmp/plumb-durable-ring";
    o.ring = true;
    r = plumb_record_open(&o);
    assert_non_null(strstr(plumb_record_error(r), "no ring"));
    plumb_record_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_synced_is_read),
        cmocka_unit_test(while_others_record),
        cmocka_unit_test(nothing_is_left_out_without_a_stop),
        cmocka_unit_test(options_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
