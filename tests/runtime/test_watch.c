/* Verifiers whose barrier the system refuses: never a verdict over what was not read. */
#include "support/cmocka.h"

#include "runtime/record/recorder.h"

#include <plumbline/verify.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_BE_REFUSED = 77, FEW = 100, MANY = 5 * LOG_CHUNK_RECORDS };

static bool refuse_barriers(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

typedef struct sandboxed {
    bool wrong, joins, leaves;
    int operations;
} sandboxed;

/* A program that opens its recorder, then shuts itself in. */
static int run_inside(const sandboxed *s) {
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue"};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *l = plumb_record_join(r), *second = NULL;
    if (!r->shared.header->barriers || !refuse_barriers()) return CANNOT_BE_REFUSED;
    plumb_verifier *v = plumb_verify_start(r, NULL);
    plumb_verify_status now = {.struct_size = sizeof now};
    while (!log_load(&r->shared.header->refused)) usleep(1000); /* its first round */
    if (s->joins) second = plumb_record_join(r);
    if (s->joins && !second) return 10;
    plumb_call_int(second, 0, 1);
    plumb_ret_none(second);
    for (int i = 0; i < s->operations; i++) {
        plumb_call_none(l, 1);
        if (s->wrong) plumb_ret_int(l, 42);
        else plumb_ret_empty(l);
    }
    plumb_record_leave(second);
    if (s->leaves) plumb_record_leave(l);
    plumb_verdict found = plumb_verify_stop(v);
    plumb_verify_look(v, &now);
    bool has_reason = *plumb_verify_reason(v) != 0;
    if (found == PLUMB_LINEARIZABLE && now.checked != (uint64_t)s->operations) return 11;
    if (found == PLUMB_UNDECIDED && !has_reason) return 12;
    return (int)found;
}

static int run_sandboxed(const sandboxed *s) {
    fflush(NULL);
    pid_t child = fork();
    if (!child) _exit(run_inside(s));
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT_BE_REFUSED) skip();
    return WEXITSTATUS(status);
}

/* Threads that are still in their first chunk, which is written without fences, have not been read. */
static void what_cannot_be_read_is_undecided(void **unused) {
    (void)unused;
    assert_int_equal(run_sandboxed(&(sandboxed){.wrong = true, .joins = true, .operations = FEW}), PLUMB_UNDECIDED);
}

/* Once all threads have left, or fence what they announce, all is judged. */
static void what_can_be_read_is_judged(void **unused) {
    (void)unused;
    for (int leaves = 0; leaves < 2; leaves++)
        for (int wrong = 0; wrong < 2; wrong++) {
            sandboxed s = {.wrong = wrong, .leaves = leaves, .operations = leaves ? FEW : MANY};
            assert_int_equal(run_sandboxed(&s), wrong ? PLUMB_VIOLATION : PLUMB_LINEARIZABLE);
        }
}

/* A second thread cannot tell the first that it is not alone any more: it stays without a slot. */
static void who_joins_is_known(void **unused) {
    (void)unused;
    sandboxed s = {.joins = true, .leaves = true, .operations = MANY};
    assert_int_equal(run_sandboxed(&s), PLUMB_UNDECIDED);
}

static void nothing_is_no_verdict(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue"};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_verifier *v = plumb_verify_start(r, NULL);
    assert_int_equal(plumb_verify_stop(v), PLUMB_UNDECIDED);
    assert_non_null(strstr(plumb_verify_reason(v), "nothing was judged"));
    plumb_verify_free(v);
    plumb_record_close(r);
}

/* As two users of one log leave it (a signal handler, a forked process), before any of them has found out: the record
 * of an operation says that it returned before it was called. */
static void a_log_out_of_order_is_no_verdict(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "register", .init = "0"};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *l = plumb_record_join(r);
    for (int i = 0; i < 200; i++) {
        plumb_call_int(l, plumb_record_method(r, "write"), i % 2);
        plumb_ret_none(l);
    }
    uint64_t *first = (uint64_t *)(void *)recording_chunk(&r->shared, 1) + 4 * LOG_FIRST;
    first[2] += UINT64_C(100) << PLUMB_STAMP_SHIFT; /* the stamp of its call */
    plumb_verifier *v = plumb_verify_start(r, NULL);
    assert_int_equal(plumb_verify_stop(v), PLUMB_UNDECIDED);
    assert_string_equal(plumb_verify_reason(v), "the logs are damaged");
    plumb_verify_free(v);
    plumb_record_leave(l);
    plumb_record_close(r);
}

TEST_MAIN(TEST(a_log_out_of_order_is_no_verdict), TEST(what_cannot_be_read_is_undecided),
          TEST(what_can_be_read_is_judged), TEST(who_joins_is_known), TEST(nothing_is_no_verdict))
