/* Certificates in segments: what runs write holds, whatever is changed, left out or exchanged is refused. */
#include "support/cmocka.h"

#include "base/random.h"
#include "evidence/segment.h"
#include "support/concurrent.h"

#include <plumbline/segments.h>

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int is_segment(const struct dirent *d) { return strstr(d->d_name, SEGMENT_SUFFIX) != NULL; }

typedef struct names {
    char path[256][128];
    int n;
} names;

static names segments(void) {
    struct dirent **entry;
    names all = {.n = scandir(folder, &entry, is_segment, by_name)};
    assert_in_range(all.n, 0, 255);
    for (int i = 0; i < all.n; i++) {
        snprintf(all.path[i], sizeof all.path[i], "%s/%.60s", folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return all;
}

static void clean(void) {
    names all = segments();
    for (int i = 0; i < all.n; i++) unlink(all.path[i]);
}

static int certify_chain(const names *all, text *said) {
    error e = {0};
    segment_chain *c = chain_new(NULL);
    int code = 0;
    text_clear(said);
    for (int i = 0; i < all->n && !code; i++) code = chain_add(c, all->path[i], said, &e);
    if (!code) chain_end(c, said);
    if (e.code) text_add(said, e.what);
    chain_free(c);
    return code;
}

static void holds(uint64_t operations) {
    names all = segments();
    text said = {0};
    char expected[64];
    int code = certify_chain(&all, &said);
    if (code) fail_msg("%s", text_str(&said));
    snprintf(expected, sizeof expected, "holds: %" PRIu64 " operations", operations);
    if (!strstr(text_str(&said), expected)) fail_msg("%s; expected %s", text_str(&said), expected);
    text_free(&said);
}

/* ---- one thread: objects of all kinds ---- */

typedef struct model {
    int64_t held[64];
    unsigned n;
} model;

static void one_step(plumb_member *me, plumb_guard *g, const char *what, model *m, uint64_t i, uint64_t dice) {
    int64_t v = (int64_t)i;
    plumb_value args[2] = {plumb_int((int64_t)(dice % 5)), plumb_int(v)};
    plumb_value out = plumb_none();
    if (!strcmp(what, "register")) {
        bool reads = dice & 1;
        plumb_guard_call(me, plumb_guard_method(g, reads ? "read" : "write"), &args[1], !reads);
        if (!reads) {
            m->held[0] = v;
            m->n = 1;
        }
        out = !reads || !m->n ? plumb_none() : plumb_int(m->held[0]);
    } else if (!strcmp(what, "kv")) {
        int64_t *cell = &m->held[dice % 5];
        bool reads = dice >> 8 & 1;
        plumb_guard_call(me, plumb_guard_method(g, reads ? "get" : "put"), args, reads ? 1 : 2);
        out = reads && *cell ? plumb_int(*cell) : plumb_none();
        if (!reads) *cell = v;
    } else if (!strcmp(what, "counter")) {
        plumb_guard_call(me, plumb_guard_method(g, "inc"), NULL, 0);
        out = plumb_int(++m->held[0]);
    } else if (!strcmp(what, "set")) {
        int64_t *cell = &m->held[dice % 5];
        bool adds = dice >> 8 & 1;
        plumb_guard_call(me, plumb_guard_method(g, adds ? "add" : "remove"), args, 1);
        out = plumb_bool(adds ? !*cell : *cell);
        *cell = adds;
    } else if (!strcmp(what, "lock") || !strcmp(what, "semaphore(40)")) {
        bool takes = m->n < (*what == 'l' ? 1 : 40) && (!m->n || dice & 1);
        plumb_guard_call(me,
                         plumb_guard_method(g, *what == 'l' ? takes ? "lock" : "unlock"
                                               : takes      ? "acquire"
                                                            : "release"),
                         NULL, 0);
        m->n += takes ? 1u : -1u;
    } else { /* containers */
        bool adds = m->n < 40 && (dice & 1 || !m->n);
        plumb_guard_call(me,
                         plumb_guard_method(g, adds                          ? strncmp(what, "pq", 2) ? "add" : "insert"
                                               : !strcmp(what, "pqueue-max") ? "deletemax"
                                                                             : "remove"),
                         &args[1], adds);
        unsigned last = m->n - 1, from = !strcmp(what, "queue") ? 0 : last;
        if (adds) {
            if (!strncmp(what, "pq", 2)) assert_true(!m->n || m->held[m->n - 1] < v);
            m->held[m->n++] = v;
        } else {
            out = plumb_int(m->held[from]);
            memmove(m->held + from, m->held + from + 1, (last - from) * sizeof *m->held);
            m->n--;
        }
    }
    assert_int_equal(plumb_guard_ret(me, out), PLUMB_VERIFIED);
}

static plumb_guard *guard_of_two(const char *what) {
    return plumb_guard_open(
        &(plumb_guard_options){.struct_size = sizeof(plumb_guard_options), .object = what, .threads = 2});
}

static plumb_segments *segments_of(plumb_guard *g, unsigned operations) {
    return plumb_guard_segments(g, &(plumb_segments_options){.struct_size = sizeof(plumb_segments_options),
                                                             .folder = folder,
                                                             .operations = operations,
                                                             .ahead = 100});
}

static void of_all_kinds(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack",   "multiset", "pqueue-max", "register",
                                          "kv",    "counter", "set",      "lock",       "semaphore(40)"};
    for (unsigned k = 0; k < sizeof objects / sizeof *objects; k++) {
        clean();
        plumb_guard *g = guard_of_two(objects[k]);
        plumb_segments *s = segments_of(g, 200);
        plumb_member *me = plumb_guard_join(g);
        assert_non_null(me);
        model m = {0};
        random_source r = {k};
        for (uint64_t i = 1; i <= 1500; i++) one_step(me, g, objects[k], &m, i, random_next(&r));
        plumb_guard_leave(me);
        if (!plumb_segments_stop(s)) fail_msg("%s: %s", objects[k], plumb_segments_reason(s));
        plumb_segments_free(s);
        plumb_guard_close(g);
        assert_true(segments().n >= 7);
        holds(1500);
    }
}

static void enq(plumb_member *me, int64_t v) {
    plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(v));
    assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_NONE), PLUMB_VERIFIED);
}

static void deq(plumb_member *me, int64_t v) {
    plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
    assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_INT(v)), PLUMB_VERIFIED);
}

/* Operations without effect are in no segment, and do not count as returned. */
static void what_failed(void **unused) {
    (void)unused;
    clean();
    plumb_guard *g = guard_of_two("queue");
    plumb_segments *s = segments_of(g, 100);
    plumb_member *a = plumb_guard_join(g);
    for (int64_t i = 0; i < 2000; i++) {
        enq(a, i);
        plumb_guard_call_word(a, i & 1, !(i & 1), i & 1 ? PLUMB_WORD_NONE : PLUMB_WORD_INT(i + 7));
        assert_int_equal(plumb_guard_fail(a), PLUMB_VERIFIED);
        deq(a, i);
        if (i % 50 == 0) usleep(1000); /* segments are written meanwhile */
    }
    plumb_guard_leave(a);
    if (!plumb_segments_stop(s)) fail_msg("%s", plumb_segments_reason(s));
    plumb_segments_free(s);
    plumb_guard_close(g);
    holds(4000);
}

/* Two adds that overlapped, in a queue that is long: only when their values leave it is known which came first. */
static void what_is_known_late(void **unused) {
    (void)unused;
    enum { INSIDE = 300, PAIRS = 2000 };
    for (int swapped = 0; swapped < 2; swapped++) {
        clean();
        plumb_guard *g = guard_of_two("queue");
        plumb_segments *s = segments_of(g, 100);
        plumb_member *a = plumb_guard_join(g), *b = plumb_guard_join(g);
        int64_t came[INSIDE + 2 * PAIRS + 2], n = 0;
        for (; n < INSIDE; n++) enq(a, came[n] = n);
        for (unsigned i = 0, out = 0; i < PAIRS; i++) {
            plumb_guard_call_word(a, 0, 1, PLUMB_WORD_INT(n));
            plumb_guard_call_word(b, 0, 1, PLUMB_WORD_INT(n + 1));
            assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_NONE), PLUMB_VERIFIED);
            assert_int_equal(plumb_guard_ret_word(b, PLUMB_WORD_NONE), PLUMB_VERIFIED);
            came[n] = n + swapped;
            came[n + 1] = n + !swapped;
            n += 2;
            deq(a, came[out++]);
            deq(a, came[out++]);
            if (i % 10 == 0) usleep(1000); /* segments are written meanwhile */
        }
        plumb_guard_leave(a);
        plumb_guard_leave(b);
        if (!plumb_segments_stop(s)) fail_msg("%s", plumb_segments_reason(s));
        plumb_segments_free(s);
        plumb_guard_close(g);
        holds(INSIDE + 4 * PAIRS);
    }
}

/* ---- threads ---- */

typedef struct client {
    plumb_guard *g;
    concurrent *c;
    pthread_barrier_t *joined;
    unsigned number, operations;
    bool dies;
    uint64_t digest;
    unsigned place;
    pthread_t thread;
} client;

static unsigned salt; /* no two runs are the same */

static void *work(void *context) {
    client *k = context;
    plumb_member *me = plumb_guard_join(k->g);
    pthread_barrier_wait(k->joined);
    concurrent_client here;
    concurrent_client_init(&here, k->number);
    for (unsigned i = 0; i < k->operations; i++) {
        if (random_next(&here.random) & 1) {
            int64_t v = (int64_t)k->number << 32 | (int64_t)salt << 40 | i;
            plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(v));
            concurrent_add(k->c, &here, v);
            plumb_guard_ret_word(me, PLUMB_WORD_NONE);
        } else {
            plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
            int64_t v = concurrent_remove(k->c, &here);
            plumb_guard_ret_word(me, v == CONCURRENT_EMPTY ? PLUMB_WORD_EMPTY : PLUMB_WORD_INT(v));
        }
    }
    k->digest = plumb_guard_digest(me);
    k->place = plumb_guard_number(me);
    plumb_guard_leave(me);
    return NULL;
}

/* All threads join before the first can leave: on a busy machine one may otherwise be done, and hand its place on,
 * before another is started, and a place has one digest for all that had it. */
static bool run(client *k, unsigned threads, unsigned operations, defect d, const plumb_segments_options *o,
                plumb_segments_status *status) {
    salt++;
    concurrent *c = concurrent_new(false, operations * threads + 4096, d, 1000);
    plumb_guard *g = plumb_guard_open(
        &(plumb_guard_options){.struct_size = sizeof(plumb_guard_options), .object = "queue", .threads = threads});
    plumb_segments *s = plumb_guard_segments(g, o);
    pthread_barrier_t joined;
    pthread_barrier_init(&joined, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        k[i] = (client){.g = g, .c = c, .joined = &joined, .number = i, .operations = operations};
        pthread_create(&k[i].thread, NULL, work, &k[i]);
    }
    for (unsigned i = 0; i < threads; i++) pthread_join(k[i].thread, NULL);
    pthread_barrier_destroy(&joined);
    bool whole = plumb_segments_stop(s);
    if (!whole) print_message("%s\n", plumb_segments_reason(s));
    *status = (plumb_segments_status){.struct_size = sizeof *status};
    plumb_segments_look(s, status);
    plumb_segments_free(s);
    plumb_guard_close(g);
    concurrent_free(c);
    return whole;
}

/* With patience nothing is left behind, and the digests are those that the clients have. */
static void of_threads(void **unused) {
    (void)unused;
    client k[2];
    plumb_segments_status status;
    names all;
    text said = {0};
    unsigned operations = getenv("PLUMB_FEWER") ? 20000 : 150000;
    plumb_segments_options o = {.struct_size = sizeof o, .folder = folder, .operations = 16384, .patience = 10000000};
    /* A thread that does not run for long while an operation is open has it counted as pending: then digests differ. */
    unsigned runs = 0;
    do {
        clean();
        assert_true(run(k, 2, operations, DEFECT_NONE, &o, &status));
    } while (status.excused && ++runs < 20);
    assert_int_equal(status.operations, 2 * operations);
    assert_false(status.ended);
    assert_true(status.memory < 64 << 20);
    holds(2 * operations);
    all = segments();
    certify_chain(&all, &said);
    for (unsigned i = 0; i < 2; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n%u %016" PRIx64 "\n", k[i].place, k[i].digest);
        assert_non_null(strstr(text_str(&said), line));
    }
    uint64_t bytes = 0;
    for (int i = 0; i < all.n; i++) {
        struct stat s;
        assert_int_equal(stat(all.path[i], &s), 0);
        bytes += (uint64_t)s.st_size;
    }
    print_message("%d segments, %.2f bytes an operation\n", all.n, (double)bytes / (2 * operations));
    assert_true(bytes < 5 * 2 * (uint64_t)operations);
    text_free(&said);
}

static void old_ones_are_deleted(void **unused) {
    (void)unused;
    client k[1];
    plumb_segments_status status;
    text said = {0};
    clean();
    plumb_segments_options o = {
        .struct_size = sizeof o, .folder = folder, .operations = 1000, .keep = 3, .patience = 10000000};
    assert_true(run(k, 1, 10000, DEFECT_NONE, &o, &status));
    names all = segments();
    assert_int_equal(all.n, 3);
    assert_int_equal(certify_chain(&all, &said), 0);
    assert_non_null(strstr(text_str(&said), "if the run came to the state in which segment 7 begins"));
    text_free(&said);
}

/* The chain ends where the object went wrong; what was written holds. */
static void of_a_wrong_object(void **unused) {
    (void)unused;
    client k[2];
    plumb_segments_status status;
    clean();
    plumb_segments_options o = {.struct_size = sizeof o, .folder = folder, .operations = 500, .patience = 10000000};
    assert_false(run(k, 2, 20000, DEFECT_DUPLICATE, &o, &status));
    assert_true(status.ended);
    if (status.segments) holds(status.operations);
}

/* ---- what is refused ---- */

static void make_chain(void) {
    client k[2];
    plumb_segments_status status;
    clean();
    plumb_segments_options o = {.struct_size = sizeof o, .folder = folder, .operations = 1000, .patience = 10000000};
    assert_true(run(k, 2, 3000, DEFECT_NONE, &o, &status));
    assert_true(status.segments >= 6);
}

static void refused(const names *all, const char *why) {
    text said = {0};
    assert_int_equal(certify_chain(all, &said), EXIT_VIOLATION);
    if (!strstr(text_str(&said), why)) fail_msg("%s; expected: %s", text_str(&said), why);
    assert_ptr_equal(strchr(text_str(&said), '\n') + 1, text_str(&said) + said.size); /* one line */
    text_free(&said);
}

static void missing_and_exchanged_ones_are_refused(void **unused) {
    (void)unused;
    make_chain();
    names all = segments(), some = all;
    memmove(some.path[2], some.path[3], sizeof some.path[0] * (size_t)(some.n - 3));
    some.n--;
    refused(&some, "it is segment 3; expected segment 2");
    some = all;
    memcpy(some.path[1], all.path[2], sizeof some.path[1]);
    memcpy(some.path[2], all.path[1], sizeof some.path[1]);
    refused(&some, "it is segment 2; expected segment 1");
    some = all;
    memcpy(some.path[2], all.path[1], sizeof some.path[1]);
    refused(&some, "it is segment 1; expected segment 2");
}

/* Of another run, with the right number. */
static void one_of_another_run_is_refused(void **unused) {
    (void)unused;
    char other[160];
    make_chain();
    names all = segments();
    snprintf(other, sizeof other, "%s/another", folder);
    assert_int_equal(rename(all.path[3], other), 0);
    char keep[160];
    snprintf(keep, sizeof keep, "%s", all.path[3]);
    make_chain();
    assert_int_equal(rename(other, keep), 0);
    all = segments();
    text said = {0};
    assert_int_equal(certify_chain(&all, &said), EXIT_VIOLATION);
    text_free(&said);
}

/* Every byte matters: none can be changed so that the chain still holds. */
static void changed_ones_are_refused(void **unused) {
    (void)unused;
    make_chain();
    names all = segments();
    FILE *f = fopen(all.path[2], "r+b");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    text said = {0};
    for (long at = 0; at < size; at += 1 + size / 200) {
        fseek(f, at, SEEK_SET);
        int byte = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(byte ^ 4, f);
        fflush(f);
        assert_int_not_equal(certify_chain(&all, &said), 0);
        fseek(f, at, SEEK_SET);
        fputc(byte, f);
        fflush(f);
    }
    fclose(f);
    assert_int_equal(certify_chain(&all, &said), 0);
    text_free(&said);
}

static void what_cannot_be_started(void **unused) {
    (void)unused;
    make_chain();
    plumb_guard *g =
        plumb_guard_open(&(plumb_guard_options){.struct_size = sizeof(plumb_guard_options), .object = "queue"});
    plumb_segments *s = plumb_guard_segments(
        g, &(plumb_segments_options){.struct_size = sizeof(plumb_segments_options), .folder = folder});
    assert_false(plumb_segments_stop(s));
    assert_non_null(strstr(plumb_segments_reason(s), "there are segments in it"));
    plumb_segments_free(s);
    s = plumb_guard_segments(g, NULL);
    assert_non_null(strstr(plumb_segments_reason(s), "no folder"));
    plumb_segments_free(s);
    plumb_guard_close(g);
}

int main(void) {
    snprintf(folder, sizeof folder, "/tmp/plumb-segments-%d", (int)getpid());
    mkdir(folder, 0777);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_all_kinds),
        cmocka_unit_test(what_failed),
        cmocka_unit_test(what_is_known_late),
        cmocka_unit_test(of_threads),
        cmocka_unit_test(old_ones_are_deleted),
        cmocka_unit_test(of_a_wrong_object),
        cmocka_unit_test(missing_and_exchanged_ones_are_refused),
        cmocka_unit_test(one_of_another_run_is_refused),
        cmocka_unit_test(changed_ones_are_refused),
        cmocka_unit_test(what_cannot_be_started),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clean();
    rmdir(folder);
    return failed;
}
