/* More threads than slots: what they do is not recorded, and that is known. A right object is never called wrong. */
#include "support/cmocka.h"

#include "runtime/record/outsiders.h"
#include "support/judge_history.h"

#include <plumbline/verify.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[64];

static plumb_recorder *open_for(unsigned threads, unsigned clock) {
    snprintf(file, sizeof file, "/tmp/plumb-outsiders-%d.plumblog", (int)getpid());
    plumb_record_options o = {
        .struct_size = sizeof o, .object = "queue", .path = file, .threads = threads, .clock = clock};
    plumb_recorder *r = plumb_record_open(&o);
    if (plumb_record_error(r)) fail_msg("%s", plumb_record_error(r));
    return r;
}

static void enqueue(plumb_log *l, int64_t v) {
    plumb_call_int(l, 0, v);
    plumb_ret_none(l);
}

static void dequeue(plumb_log *l, int64_t v) {
    plumb_call_none(l, 1);
    plumb_ret_int(l, v);
}

static history *read_and_remove(void) {
    history *h = read_file(file);
    unlink(file);
    return h;
}

static void one_slot_and_two_threads(void **unused) {
    (void)unused;
    for (unsigned clock = 0; clock < PLUMB_CLOCK_TSC; clock++) {
        plumb_recorder *r = open_for(1, clock);
        plumb_verifier *v = plumb_verify_start(r, NULL);
        plumb_log *a = plumb_record_join(r), *b = plumb_record_join(r);
        assert_non_null(b);
        assert_true(plumb_tag(a) != plumb_tag(b));
        enqueue(a, 1);
        enqueue(b, 2);
        dequeue(a, 1);
        dequeue(a, 2); /* that it was put in is not recorded */
        plumb_record_leave(b);
        plumb_record_leave(a);
        plumb_record_status s = {.struct_size = sizeof s};
        plumb_record_look(r, &s);
        assert_int_equal(s.dark, 1);
        assert_int_equal(plumb_verify_stop(v), PLUMB_UNDECIDED);
        assert_non_null(strstr(plumb_verify_reason(v), "1 threads had no slot"));
        plumb_verify_free(v);
        plumb_record_close(r);
        history *h = read_and_remove();
        assert_int_equal(h->n, 1);
        assert_non_null(strstr(h->lacks, "1 threads had no slot"));
        assert_int_equal(judge_history(h, "queue"), VERDICT_UNDECIDED);
        history_free(h);
    }
}

/* A thread without a slot that records nothing takes nothing away. */
static void outsiders_that_do_nothing(void **unused) {
    (void)unused;
    plumb_recorder *r = open_for(1, PLUMB_CLOCK_TICKET);
    plumb_log *a = plumb_record_join(r), *b = plumb_record_join(r);
    enqueue(a, 1);
    plumb_record_leave(b);
    plumb_record_leave(a);
    plumb_record_close(r);
    history *h = read_and_remove();
    assert_null(h->lacks);
    assert_int_equal(judge_history(h, "queue"), VERDICT_LINEARIZABLE);
    history_free(h);
}

/* What came before the first operation that was not recorded is judged: a violation there is one. */
static void a_violation_before_stays(void **unused) {
    (void)unused;
    plumb_recorder *r = open_for(1, PLUMB_CLOCK_TICKET);
    plumb_log *a = plumb_record_join(r), *b = plumb_record_join(r);
    dequeue(a, 7);
    enqueue(a, 8); /* what returned right before may overlap, as far as stamps can tell */
    enqueue(b, 7);
    plumb_record_leave(b);
    plumb_record_leave(a);
    plumb_record_close(r);
    history *h = read_and_remove();
    assert_int_equal(judge_history(h, "queue"), VERDICT_VIOLATION);
    history_free(h);
}

static void nothing_recorded_is_no_verdict(void **unused) {
    (void)unused;
    plumb_record_close(open_for(0, PLUMB_CLOCK_TICKET));
    history *h = read_and_remove();
    assert_int_equal(judge_history(h, "queue"), VERDICT_UNDECIDED);
    history_free(h);
}

/* Recorders without a key of the thread library find logs, too. */
static void keys_run_out(void **unused) {
    (void)unused;
    enum { MOST = 2000 };
    static pthread_key_t key[MOST];
    unsigned n = 0;
    while (n < MOST && !pthread_key_create(&key[n], NULL)) n++;
    plumb_recorder *r = open_for(0, PLUMB_CLOCK_TICKET);
    while (n) pthread_key_delete(key[--n]);
    assert_false(r->here.has_key);
    plumb_log *l = plumb_record_here(r);
    assert_non_null(l);
    assert_ptr_equal(plumb_record_here(r), l);
    dequeue(l, 42);
    plumb_record_close(r);
    history *h = read_and_remove();
    assert_int_equal(judge_history(h, "queue"), VERDICT_VIOLATION);
    history_free(h);
}

static void *call_here(void *r) {
    dequeue(plumb_record_here(r), 1);
    return NULL;
}

static void threads_that_end_give_their_slots_back(void **unused) {
    (void)unused;
    plumb_recorder *r = open_for(4, PLUMB_CLOCK_TICKET);
    pthread_key_delete(r->here.key);
    r->here.has_key = false;
    for (int i = 0; i < 100; i++) {
        pthread_t t;
        pthread_create(&t, NULL, call_here, r);
        pthread_join(t, NULL);
    }
    plumb_record_status s = {.struct_size = sizeof s};
    plumb_record_look(r, &s);
    assert_int_equal(s.records + s.dark, 100);
    assert_true(s.records >= 4);
    plumb_record_close(r);
    unlink(file);
}

static void work_in_child(plumb_recorder *r, plumb_log *l) {
    enqueue(l, 2);
    plumb_log *other = plumb_record_join(r);
    if (!other) _exit(1);
    enqueue(other, 3);
    plumb_record_leave(other);
    plumb_record_leave(l);
    plumb_record_close(r);
    _exit(0);
}

/* A forked process records nothing and damages nothing. If it uses the logs, the object may be shared with it, and what
 * follows is not judged; if it does not, all is as before. */
static void forked_processes_are_known(void **unused) {
    (void)unused;
    for (int uses = 0; uses < 2; uses++) {
        plumb_recorder *r = open_for(0, PLUMB_CLOCK_TICKET);
        plumb_verifier *v = plumb_verify_start(r, NULL);
        plumb_log *l = plumb_record_join(r);
        enqueue(l, 1);
        fflush(NULL);
        pid_t child = fork();
        if (!child && uses) work_in_child(r, l);
        if (!child) _exit(0);
        int status;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        if (uses && !outsider_calls(r->shared.header)) skip(); /* no MADV_WIPEONFORK */
        dequeue(l, 1);
        plumb_call_none(l, 1);
        if (uses) plumb_ret_int(l, 2);
        else plumb_ret_empty(l);
        plumb_record_leave(l);
        assert_int_equal(plumb_verify_stop(v), uses ? PLUMB_UNDECIDED : PLUMB_LINEARIZABLE);
        plumb_verify_free(v);
        assert_null(plumb_record_error(r));
        plumb_record_close(r);
        history *h = read_and_remove();
        assert_int_equal(judge_history(h, "queue"), uses ? VERDICT_UNDECIDED : VERDICT_LINEARIZABLE);
        history_free(h);
    }
}

static void forked_from_memory(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue"};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *l = plumb_record_join(r);
    enqueue(l, 1);
    fflush(NULL);
    pid_t child = fork();
    if (!child) work_in_child(r, l);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_true(outsider_calls(r->shared.header) == 2 || sysconf(_SC_PAGESIZE) > LOG_HEADER);
    plumb_record_leave(l);
    plumb_record_close(r);
}

TEST_MAIN(TEST(one_slot_and_two_threads), TEST(outsiders_that_do_nothing), TEST(a_violation_before_stays),
          TEST(nothing_recorded_is_no_verdict), TEST(keys_run_out), TEST(forked_processes_are_known),
          TEST(forked_from_memory), TEST(threads_that_end_give_their_slots_back))
