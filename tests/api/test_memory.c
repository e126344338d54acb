/* Out of memory, everywhere: each scenario is run again and again while its first, second, third, ... allocation fails,
 * once, and then from that one on. Whatever fails, no call ends the process, none claims a verdict that is not right, a
 * handle that was given out can be used and freed, and nothing is lost (which the address sanitizer's build sees). Each
 * exported function is in one of the scenarios: tests/house/test_exports.sh.
 *
 * Allocations are those of this program's own code, which is the library's: the linker wraps them (CMakeLists.txt). To
 * be quick only some numbers are tried when there are many; PLUMB_SOAK tries all of them. */
#include "support/cmocka.h"

#include "format/format.h"
#include "remote/replica.h"
#include "support/loopback.h"

#include <plumbline/monitor.h>
#include <plumbline/remote.h>
#include <plumbline/segments.h>
#include <plumbline/verify.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- allocations that fail ---- */

static _Atomic long seen, failing; /* failing 0: none does */
static _Atomic bool for_good;
static _Thread_local bool exempt; /* a thread that is not the library's */

static bool fails(void) {
    if (!atomic_load(&failing) || exempt) return false;
    long n = atomic_fetch_add(&seen, 1) + 1;
    return atomic_load(&for_good) ? n >= failing : n == failing;
}

static bool none_failed(void) { return seen < failing; }

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t at, size_t n);
int __real_posix_memalign(void **p, size_t at, size_t n);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *context);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t at, size_t n);
int __wrap_posix_memalign(void **p, size_t at, size_t n);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *context);

void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }
void *__wrap_aligned_alloc(size_t at, size_t n) { return fails() ? NULL : __real_aligned_alloc(at, n); }
int __wrap_posix_memalign(void **p, size_t at, size_t n) { return fails() ? ENOMEM : __real_posix_memalign(p, at, n); }
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t from) {
    return fails() ? MAP_FAILED : __real_mmap(at, n, prot, flags, fd, from);
}
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *context) {
    return fails() ? EAGAIN : __real_pthread_create(t, a, run, context);
}

/* The solver's: an exception. (With sanitizers, `new` ends the program by itself.) */
__attribute__((weak)) void *__real__Znwm(size_t n);
void *__wrap__Znwm(size_t n);
void *__wrap__Znwm(size_t n) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return __real__Znwm(n);
#else
    return __real__Znwm(fails() ? SIZE_MAX / 2 : n);
#endif
}

/* ---- what scenarios have in common ---- */

/* True: all memory was there, so all must be well. */
static bool all_well(bool expected) {
    if (none_failed() || !failing) assert_true(expected);
    return expected;
}

static void expect(plumb_verdict found, plumb_verdict right) {
    if (all_well(found == right)) return;
    assert_true(found == PLUMB_UNDECIDED || found == PLUMB_ERROR);
}

static char folder[] = "/tmp/plumb-memory-XXXXXX";

static const char *in_folder(const char *name) {
    static char path[4][128];
    static unsigned next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static void put_file(const char *name, const char *what) {
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(what, f);
    fclose(f);
}

/* ---- histories and checks ---- */

static void look_at(plumb_result *r, plumb_verdict right) {
    size_t n;
    expect(plumb_result_verdict(r), right);
    bool decided = plumb_result_verdict(r) <= PLUMB_VIOLATION;
    assert_true(decided || strstr(plumb_result_reason(r), "memory"));
    assert_true(plumb_result_verdict(r) != PLUMB_VIOLATION ||
                (*plumb_result_explanation(r) && plumb_result_core(r, &n) && n));
    assert_true(plumb_result_verdict(r) != PLUMB_LINEARIZABLE || plumb_result_witness(r, &n));
    assert_true(!decided || (*plumb_result_object(r) && *plumb_result_engine(r)));
    assert_true(strstr(plumb_result_json(r), "\"schema\":\"plumb.report/2\""));
    plumb_result_free(r);
}

/* The history may be checked again when the first check ran out of memory: then it is decided. */
static void check_as(plumb_history *h, const char *of, const char *engine, const char *relaxed, unsigned threads,
                     plumb_verdict right) {
    plumb_check_options o = {.struct_size = sizeof o, .engine = engine, .criterion = relaxed, .threads = threads};
    look_at(plumb_check(h, of, &o), right);
    if (failing && !for_good && !none_failed()) {
        plumb_result *again = plumb_check(h, of, &o);
        plumb_verdict v = plumb_result_verdict(again);
        assert_true(v == right || (v == PLUMB_ERROR && plumb_history_error(h)));
        plumb_result_free(again);
    }
    plumb_history_free(h);
}

static void queue_events(plumb_history *h, int64_t taken) {
    plumb_value big[] = {plumb_int(INT64_MAX), plumb_bytes("a", 1)};
    const plumb_value arg[] = {plumb_int(1), plumb_int(2), plumb_tuple(big, 2)};
    all_well(plumb_history_call(h, 1, "enq", &arg[0], 1) && plumb_history_return(h, 1, plumb_none()) &&
             plumb_history_call(h, 1, "enq", &arg[1], 1) && plumb_history_call(h, 2, "deq", NULL, 0) &&
             plumb_history_return(h, 2, plumb_int(taken)) && plumb_history_info(h, 1) &&
             plumb_history_call(h, 3, "enq", &arg[2], 1) && plumb_history_fail(h, 3) && !plumb_history_error(h));
}

static void build_and_check(void) {
    plumb_history *h = plumb_history_new();
    queue_events(h, 1);
    check_as(h, "queue", NULL, NULL, 0, PLUMB_LINEARIZABLE);
}

static void build_a_violation(void) {
    plumb_history *h = plumb_history_new();
    queue_events(h, 7);
    check_as(h, "queue", NULL, NULL, 0, PLUMB_VIOLATION);
}

static void add_operations(plumb_history *h, int64_t read, unsigned keys) {
    for (int64_t k = 0; k < keys; k++) {
        const plumb_value key = plumb_int(k), put[] = {key, plumb_int(1)};
        all_well(plumb_history_operation(h, 1, "put", put, 2, 4 * k, 4 * k + 2, plumb_none()) &&
                 plumb_history_operation(h, 2, "get", &key, 1, 4 * k + 3, 4 * k + 4, plumb_int(read)));
    }
}

static void parts_in_threads(void) {
    plumb_history *h = plumb_history_new();
    add_operations(h, 1, 3);
    check_as(h, "kv", "frontier", NULL, 2, PLUMB_LINEARIZABLE);
}

static void parts_at_once(void) {
    plumb_history *h = plumb_history_new();
    add_operations(h, 2, 2);
    check_as(h, "kv", NULL, NULL, 2, PLUMB_VIOLATION);
}

/* Three overlapping adds and removes of a stack in no order that fits. */
static plumb_history *overlapping(int64_t first, int64_t second) {
    plumb_history *h = plumb_history_new();
    for (int64_t i = 0; i < 3; i++) {
        const plumb_value v = plumb_int(i / 2); /* a value twice */
        plumb_history_operation(h, i, "push", &v, 1, 0, 10, plumb_none());
    }
    plumb_history_operation(h, 3, "pop", NULL, 0, 11, 20, plumb_int(first));
    plumb_history_operation(h, 4, "pop", NULL, 0, 21, 30, plumb_int(second));
    return h;
}

static void against_each_other(void) { check_as(overlapping(0, 1), "stack", NULL, NULL, 2, PLUMB_LINEARIZABLE); }
static void in_no_order(void) { check_as(overlapping(1, 1), "stack", NULL, NULL, 1, PLUMB_VIOLATION); }

static void with_a_solver(void) {
    plumb_history *h = plumb_history_new();
    queue_events(h, 1);
    plumb_check_options o = {.struct_size = sizeof o, .engine = "symbolic"};
    plumb_result *r = plumb_check(h, "queue", &o);
    assert_int_not_equal(plumb_result_verdict(r), PLUMB_VIOLATION);
    plumb_result_free(r);
    plumb_history_free(h);
}

static void of_a_relaxed_queue(void) {
    plumb_history *h = plumb_history_new();
    for (int64_t i = 0; i < 3; i++) {
        const plumb_value v = plumb_int(i);
        plumb_history_operation(h, 1, "enq", &v, 1, 2 * i, 2 * i + 1, plumb_none());
    }
    plumb_history_operation(h, 1, "deq", NULL, 0, 10, 11, plumb_int(1));
    check_as(h, "queue", NULL, "quasi(2)", 0, PLUMB_LINEARIZABLE);
}

static void of_a_plug_in(void) {
    plumb_history *h = plumb_history_new();
    for (int64_t i = 0; i < 3; i++) {
        const plumb_value v = plumb_int(i);
        plumb_history_operation(h, 1, "push", &v, 1, 2 * i, 2 * i + 1, plumb_none());
    }
    plumb_history_operation(h, 2, "pop", NULL, 0, 10, 11, plumb_int(2));
    check_as(h, PLUGINS "/linked_stack.so", NULL, NULL, 0, PLUMB_LINEARIZABLE);
}

static void of_a_theory(void) {
    plumb_history *h = plumb_history_new();
    queue_events(h, 1);
    plumb_result *r = plumb_check(h, "theories/queue.thy", NULL);
    assert_int_not_equal(plumb_result_verdict(r), PLUMB_VIOLATION);
    plumb_result_free(r);
    plumb_history_free(h);
}

static void set_linearizable(void) {
    plumb_history *h = plumb_history_new();
    const plumb_value v[] = {plumb_int(1), plumb_int(2)};
    plumb_history_operation(h, 1, "exchange", &v[0], 1, 0, 10, plumb_int(2));
    plumb_history_operation(h, 2, "exchange", &v[1], 1, 0, 10, plumb_int(1));
    check_as(h, "exchanger", NULL, NULL, 0, PLUMB_LINEARIZABLE);
}

static void read_as(const char *path, const char *of, plumb_verdict right) {
    plumb_read_options o = {.struct_size = sizeof o};
    plumb_history *h = plumb_history_read(path, &o);
    all_well(!plumb_history_error(h));
    check_as(h, of, NULL, NULL, 0, right);
}

static void read_lines(void) { read_as("examples/histories/queue-wrong.jsonl", NULL, PLUMB_VIOLATION); }
static void read_edn(void) { read_as("examples/histories/kv-right.edn", "kv", PLUMB_LINEARIZABLE); }
static void read_violin(void) { read_as("examples/histories/lock-wrong.violin", NULL, PLUMB_VIOLATION); }
static void read_packed(void) { read_as("tests/format/old/log-2.plumblog.gz", NULL, PLUMB_LINEARIZABLE); }
static void read_binary(void) { read_as(in_folder("queue.plumb"), NULL, PLUMB_LINEARIZABLE); }
static void read_list(void) { read_as(in_folder("list.txt"), "queue", PLUMB_LINEARIZABLE); }
static void read_serial(void) { read_as("examples/histories/set-right.jsonl", NULL, PLUMB_LINEARIZABLE); }

/* ---- monitors ---- */

static void watch(const char *of, const char *add, const char *take, int64_t taken, plumb_verdict right) {
    plumb_monitor *m = plumb_monitor_new(of, NULL);
    uint64_t number[8];
    const plumb_value v = plumb_int(1);
    for (int64_t i = 0; i < 2; i++) {
        const plumb_value x = plumb_int(10 + i);
        plumb_monitor_call(m, i, add, &x, 1);
        plumb_monitor_return(m, i, plumb_none());
    }
    plumb_monitor_call(m, 1, add, &v, 1);
    plumb_monitor_info(m, 1);
    plumb_monitor_call(m, 4, add, &v, 1);
    plumb_monitor_fail(m, 4);
    plumb_monitor_call(m, 2, take, NULL, 0);
    plumb_monitor_return(m, 2, plumb_int(taken));
    plumb_verdict found = plumb_monitor_settle(m);
    expect(found, right);
    assert_true(found <= PLUMB_VIOLATION || strstr(plumb_monitor_reason(m), "memory"));
    if (found == PLUMB_VIOLATION) assert_true(plumb_monitor_bad_event(m) < plumb_monitor_events(m));
    plumb_monitor_pattern(m, number, 8);
    plumb_monitor_lag(m);
    plumb_monitor_memory(m);
    plumb_monitor_free(m);
}

static void monitor_queue(void) { watch("queue", "enq", "deq", 10, PLUMB_LINEARIZABLE); }
static void monitor_bad_queue(void) { watch("queue", "enq", "deq", 11, PLUMB_VIOLATION); }
static void monitor_stack(void) { watch("stack", "push", "pop", 10, PLUMB_VIOLATION); }
static void monitor_pool(void) { watch("multiset", "add", "remove", 11, PLUMB_LINEARIZABLE); }
static void monitor_register(void) { watch("register", "write", "read", 11, PLUMB_LINEARIZABLE); }
static void monitor_by_steps(void) { watch("max-register", "write", "read", 10, PLUMB_VIOLATION); }

/* ---- running programs ---- */

static plumb_recorder *recorded(bool ring, int64_t taken, plumb_log **log) {
    plumb_recorder *r = plumb_record_open(&(plumb_record_options){sizeof(plumb_record_options), .object = "queue",
                                                                  .ring = ring, .threads = 2, .bytes = 1 << 18});
    *log = plumb_record_join(r);
    int enq = plumb_record_method(r, "enq"), deq = plumb_record_method(r, "deq");
    if (plumb_record_error(r)) return r;
    const plumb_value bytes = plumb_bytes("more than a word", 16);
    plumb_call_int(*log, enq, 7);
    plumb_ret_none(*log);
    plumb_call(*log, enq, &bytes, 1);
    plumb_ret(*log, plumb_none());
    plumb_call_int(*log, enq, INT64_MAX); /* plumb_call_word_slowly takes what is no word */
    plumb_ret_fail(*log);
    plumb_call(*log, deq, NULL, 0);
    plumb_ret_int(*log, taken);
    plumb_call(*log, deq, NULL, 0);
    plumb_ret_unknown(*log);
    plumb_tag(*log);
    plumb_call(plumb_record_here(r), deq, NULL, 0);
    plumb_ret_word_slowly(plumb_record_here(r), PLUMB_WORD_EMPTY);
    return r;
}

static void record(void) {
    plumb_log *log;
    plumb_recorder *r = recorded(false, 7, &log);
    plumb_record_status s = {.struct_size = sizeof s};
    all_well(!plumb_record_error(r));
    plumb_record_look(r, &s);
    plumb_record_sync(r);
    plumb_call_word_slowly(log, 0, 1, PLUMB_WORD_INT(1));
    plumb_record_leave(log);
    plumb_record_close(r);
}

static void verify_run(int64_t taken, plumb_verdict right) {
    plumb_log *log;
    plumb_recorder *r = recorded(false, taken, &log);
    plumb_verify_options o = {.struct_size = sizeof o, .witness = in_folder("witness")};
    plumb_verify_status s = {.struct_size = sizeof s};
    plumb_verifier *v = plumb_verify_start(r, &o);
    plumb_verify_look(v, &s);
    plumb_verify_fd(v);
    char page[4096];
    all_well(plumb_verify_metrics(v, "test", page, sizeof page) > 0);
    plumb_verdict found = plumb_verify_stop(v);
    expect(found, right);
    if (found != PLUMB_LINEARIZABLE) assert_true(*plumb_verify_reason(v));
    plumb_verify_free(v);
    plumb_record_leave(log);
    plumb_record_close(r);
}

static void verify_right(void) { verify_run(7, PLUMB_LINEARIZABLE); }
static void verify_wrong(void) { verify_run(8, PLUMB_VIOLATION); }

static void use_guard(plumb_guard *g, int64_t taken, plumb_answer right) {
    plumb_member *me = plumb_guard_join(g), *here = plumb_guard_here(g);
    int enq = plumb_guard_method(g, "enq"), deq = plumb_guard_method(g, "deq");
    const plumb_value seven = plumb_int(7);
    plumb_guard_status s = {.struct_size = sizeof s};
    plumb_guard_call(me, enq, &seven, 1);
    plumb_answer first = plumb_guard_ret(me, plumb_none());
    if (!all_well(first == PLUMB_VERIFIED)) assert_int_equal(first, PLUMB_UNVERIFIED);
    plumb_guard_call_word(here, enq, 1, PLUMB_WORD_INT(8));
    plumb_guard_fail(here);
    plumb_guard_call_word(me, deq, 0, PLUMB_WORD_NONE);
    plumb_answer second = plumb_guard_ret_word(me, PLUMB_WORD_INT(taken));
    if (!all_well(second == right)) assert_int_equal(second, PLUMB_UNVERIFIED);
    if (second != PLUMB_VERIFIED) assert_true(*plumb_guard_reason(me));
    plumb_guard_call(here, deq, NULL, 0);
    plumb_guard_unknown(here);
    if (right == PLUMB_REFUSED) all_well(plumb_guard_witness(me, in_folder("witness")));
    else all_well(plumb_guard_certificate(me, in_folder("certificate")));
    plumb_guard_look(me, &s);
    plumb_guard_digest(me);
    plumb_guard_number(me);
    plumb_guard_leave(me);
}

static void guard_run(int64_t taken, plumb_answer right) {
    plumb_guard *g = plumb_guard_open(
        &(plumb_guard_options){sizeof(plumb_guard_options), .object = "queue", .threads = 3, .bytes = 1 << 18});
    all_well(!plumb_guard_error(g));
    use_guard(g, taken, right);
    plumb_guard_close(g);
}

static void guard_right(void) { guard_run(7, PLUMB_VERIFIED); }
static void guard_wrong(void) { guard_run(9, PLUMB_REFUSED); }

static void drop_segments(void) {
    char path[160];
    snprintf(path, sizeof path, "rm -rf %s/segments", folder);
    assert_int_equal(system(path), 0);
}

static void end_segments(plumb_segments *s) {
    plumb_segments_status status = {.struct_size = sizeof status};
    bool good = plumb_segments_stop(s);
    plumb_segments_look(s, &status);
    all_well(good && status.segments);
    assert_true(good || *plumb_segments_reason(s));
    plumb_segments_free(s);
    drop_segments();
}

static void segments_of_recorder(void) {
    plumb_log *log;
    plumb_recorder *r = plumb_record_open(&(plumb_record_options){sizeof(plumb_record_options), .object = "queue",
                                                                  .ring = true, .threads = 2, .bytes = 1 << 18});
    plumb_segments_options o = {.struct_size = sizeof o, .folder = in_folder("segments"), .operations = 4};
    plumb_segments *s = plumb_record_segments(r, &o);
    log = plumb_record_join(r);
    for (int64_t i = 0; i < 12 && log; i++) {
        plumb_call_int(log, plumb_record_method(r, "enq"), i);
        plumb_ret_none(log);
    }
    plumb_record_leave(log);
    end_segments(s);
    plumb_record_close(r);
}

static void segments_of_guard(void) {
    plumb_guard *g = plumb_guard_open(
        &(plumb_guard_options){sizeof(plumb_guard_options), .object = "queue", .threads = 3, .bytes = 1 << 18});
    plumb_segments_options o = {.struct_size = sizeof o, .folder = in_folder("segments")};
    plumb_segments *s = plumb_guard_segments(g, &o);
    use_guard(g, 7, PLUMB_VERIFIED);
    end_segments(s);
    plumb_guard_close(g);
}

/* ---- message passing ---- */

static struct sockaddr_in listening;
static _Atomic bool served;

static void *serve(void *r) {
    exempt = true;
    while (!atomic_load(&served)) replica_serve(r, 1);
    return NULL;
}

static void announce(void) {
    char where[32];
    error e = {0};
    pthread_t thread;
    if (!has_loopback()) return;
    exempt = true;
    listening = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    replica *one = replica_new(&listening, 1 << 20, NULL, KEEPING_GO_ON, &e);
    assert_non_null(one);
    atomic_store(&served, false);
    assert_int_equal(pthread_create(&thread, NULL, serve, one), 0);
    exempt = false;
    snprintf(where, sizeof where, "127.0.0.1:%u", ntohs(listening.sin_port));
    const plumb_value seven = plumb_int(7);
    plumb_remote *r = plumb_remote_open(&(plumb_remote_options){sizeof(plumb_remote_options), .object = "queue",
                                                                .replicas = where, .client = 1, .timeout = 2000});
    all_well(plumb_remote_call(r, "enq", &seven, 1) && plumb_remote_ret(r, plumb_none()) &&
             plumb_remote_call(r, "deq", NULL, 0) && plumb_remote_ret_fail(r) && plumb_remote_call(r, "deq", NULL, 0) &&
             plumb_remote_ret_unknown(r) && !plumb_remote_error(r));
    plumb_remote_close(r);
    atomic_store(&served, true);
    pthread_join(thread, NULL);
    exempt = true;
    replica_free(one);
    exempt = false;
}

static void say_version(void) { assert_true(*plumb_version()); }

/* ---- the sweep ---- */

typedef struct scenario {
    const char *name;
    void (*run)(void);
} scenario;

#define SCENARIO(f) \
    { #f, f }
static const scenario scenarios[] = {
    SCENARIO(say_version),
    SCENARIO(build_and_check),
    SCENARIO(build_a_violation),
    SCENARIO(parts_in_threads),
    SCENARIO(parts_at_once),
    SCENARIO(against_each_other),
    SCENARIO(in_no_order),
    SCENARIO(with_a_solver),
    SCENARIO(of_a_relaxed_queue),
    SCENARIO(of_a_plug_in),
    SCENARIO(of_a_theory),
    SCENARIO(set_linearizable),
    SCENARIO(read_lines),
    SCENARIO(read_edn),
    SCENARIO(read_violin),
    SCENARIO(read_packed),
    SCENARIO(read_binary),
    SCENARIO(read_list),
    SCENARIO(read_serial),
    SCENARIO(monitor_queue),
    SCENARIO(monitor_bad_queue),
    SCENARIO(monitor_stack),
    SCENARIO(monitor_pool),
    SCENARIO(monitor_register),
    SCENARIO(monitor_by_steps),
    SCENARIO(record),
    SCENARIO(verify_right),
    SCENARIO(verify_wrong),
    SCENARIO(guard_right),
    SCENARIO(guard_wrong),
    SCENARIO(segments_of_recorder),
    SCENARIO(segments_of_guard),
    SCENARIO(announce),
};

/* Another number after the n-th: all at first, then fewer. */
static long after(long n) { return n < 40 || getenv("PLUMB_SOAK") ? n + 1 : n + 1 + n / 16; }

static void fail_each(const scenario *s, bool from_there_on) {
    atomic_store(&for_good, from_there_on);
    for (long n = 1;; n = after(n)) {
        atomic_store(&seen, 0);
        atomic_store(&failing, n);
        if (getenv("PLUMB_MEMORY_TALK")) fprintf(stderr, "%s %ld%s\n", s->name, n, from_there_on ? " on" : "");
        s->run();
        if (none_failed()) break;
    }
    atomic_store(&failing, 0);
}

static void nothing_ends_the_process(void **unused) {
    (void)unused;
    const char *only = getenv("PLUMB_MEMORY_ONLY");
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (only && strcmp(only, scenarios[i].name)) continue;
        scenarios[i].run();
        fail_each(&scenarios[i], false);
        fail_each(&scenarios[i], true);
        scenarios[i].run(); /* and the next one works */
    }
}

static int make_folder(void **unused) {
    (void)unused;
    if (!mkdtemp(folder)) return -1;
    error e = {0};
    const format *used;
    history *h = format_read("examples/histories/queue-right.jsonl", &(read_options){0}, &used, &e);
    if (!h || !format_write(in_folder("queue.plumb"), format_find("binary"), h, NULL, &e)) return -1;
    history_free(h);
    put_file("list.txt", "enq 1 1 2\nenq 2 3 4\ndeq 1 5 6\n");
    return 0;
}

static int drop_folder(void **unused) {
    (void)unused;
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_ends_the_process)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
