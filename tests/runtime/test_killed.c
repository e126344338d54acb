/* kill -9 at any moment: the file is a history, it holds what had returned, and it gets the verdict that those got who
 * judged in memory. */
#include "support/cmocka.h"

#include "runtime/verifier.h"
#include "support/judge_history.h"
#include "support/record_run.h"

#include <plumbline/verify.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPERATIONS = 200000, THREADS = 2, LONGEST = 80000 /* stamps of the mirror until the kill: four an operation */ };

static char file[64];

typedef struct trial {
    bool lifo;
    unsigned clock;
    defect d;
    uint64_t seed;
    mirror *mirror;
} trial;

static const char *object_of(const trial *t) { return t->lifo ? "stack" : "queue"; }

/* ---- the program that is killed ---- */

static void on_alarm(void *context, const plumb_verify_status *s, const char *reason) {
    (void)s, (void)reason;
    __atomic_store_n(&((mirror *)context)->alarmed, 1, __ATOMIC_SEQ_CST);
}

static void run_until_killed(const trial *t) {
    plumb_record_options o = {.struct_size = sizeof o,
                              .object = object_of(t),
                              .path = file,
                              .clock = t->clock,
                              .bytes = 64 << 20,
                              .threads = MIRROR_THREADS};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_verifier *v = plumb_verify_start(
        r,
        &(plumb_verify_options){.struct_size = sizeof(plumb_verify_options), .alarm = on_alarm, .context = t->mirror});
    record_run run = {.lifo = t->lifo,
                      .d = t->d,
                      .one_in = 4000,
                      .threads = THREADS,
                      .operations = OPERATIONS,
                      .inside = t->d ? 20 : 0,
                      .seed = t->seed,
                      .r = r,
                      .mirror = t->mirror};
    record_run_all(&run);
    plumb_verify_free(v);
    plumb_record_close(r);
    _exit(0);
}

/* ---- those who judge ---- */

/* Or to its end: then this process was not given a processor for long. */
static bool has_come_to(const mirror *twin, uint64_t upto, pid_t child) {
    siginfo_t how = {0};
    usleep(VERIFIER_PAUSE);
    assert_int_equal(waitid(P_PID, (id_t)child, &how, WEXITED | WNOHANG | WNOWAIT), 0);
    if (how.si_pid && (how.si_code != CLD_EXITED || how.si_status)) fail_msg("the program has crashed");
    return how.si_pid || __atomic_load_n(&twin->clock, __ATOMIC_ACQUIRE) >= upto;
}

/* Another process, attached to the logs from their beginning until after the end of the one that is killed. */
static verdict watch_and_kill(pid_t child, const mirror *twin, uint64_t upto) {
    error e = {0};
    recording m;
    watch w;
    if (!recording_attach(&m, file, &e)) fail_msg("%s", e.what);
    assert_true(watch_init(&w, &m, &(checker_options){.max_lag = VERIFIER_MAX_LAG}));
    while (!has_come_to(twin, upto, child)) watch_round(&w);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    while (watch_round(&w)) {}
    verdict v = watch_verdict(&w);
    watch_free(&w);
    recording_close(&m);
    return v;
}

static verdict judge_mirror(const trial *t, mirror_moment from, mirror_moment to) {
    error e = {0};
    object *o = object_open(object_of(t), NULL, &e);
    history *h = mirror_history(t->mirror, o, from, to);
    verdict v = judge_history(h, object_of(t));
    history_free(h);
    object_close(o);
    return v;
}

/* ---- what is compared ---- */

static void assert_same(const trial *t, const history *h, uint32_t i, uint32_t slot, uint64_t number) {
    const mirrored *twin = mirror_at(t->mirror, slot, number);
    value v = twin->value == CONCURRENT_EMPTY ? VALUE_EMPTY : value_int(h->values, twin->value);
    assert_int_equal(h->nargs[i], twin->adds);
    if (twin->adds) assert_int_equal(h->arg[0][i], v);
    else if (h->ret[i] != RANK_NEVER) assert_int_equal(h->res[i], v);
}

/* The n-th operation of a thread in the file is the n-th one in the mirror. All that had returned to the caller have
 * returned in the file, and those that have are no more than the object has let go; the same of calls, the other way
 * round. */
static void assert_complete(const trial *t, const history *h) {
    uint64_t called[MIRROR_THREADS] = {0}, returned[MIRROR_THREADS] = {0};
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t slot = (uint32_t)value_as_int(h->values, history_client_name(h, i));
        assert_true(slot < MIRROR_THREADS && called[slot] < mirror_count(t->mirror, slot, MIRROR_BEFORE));
        assert_same(t, h, i, slot, called[slot]++);
        returned[slot] += h->ret[i] != RANK_NEVER;
    }
    for (uint32_t slot = 0; slot < MIRROR_THREADS; slot++) {
        assert_true(called[slot] >= mirror_count(t->mirror, slot, MIRROR_CALLED));
        assert_true(returned[slot] >= mirror_count(t->mirror, slot, MIRROR_AFTER));
        assert_true(returned[slot] <= mirror_count(t->mirror, slot, MIRROR_RETURNED));
    }
}

typedef struct tally {
    uint32_t violations, alarmed, between, differ;
    uint64_t operations;
} tally;

/* A recorded history has less order than the inner one of the mirror and more than the outer one; between these two,
 * stamps decide, and an event that a verifier has moved up (sketch.h) may tell. Where the two agree, all must. */
static void compare_verdicts(const trial *t, verdict in_file, verdict in_memory, tally *sum) {
    verdict inner = judge_mirror(t, MIRROR_CALLED, MIRROR_RETURNED),
            outer = judge_mirror(t, MIRROR_BEFORE, MIRROR_AFTER);
    bool alarmed = t->mirror->alarmed;
    assert_true(in_file != VERDICT_UNDECIDED && in_memory != VERDICT_UNDECIDED);
    if (t->d == DEFECT_NONE) assert_int_equal(inner, VERDICT_LINEARIZABLE);
    if (inner == VERDICT_LINEARIZABLE) assert_int_equal(outer, VERDICT_LINEARIZABLE);
    if (inner == outer) {
        assert_int_equal(in_file, outer);
        assert_int_equal(in_memory, outer);
        if (alarmed) assert_int_equal(in_file, VERDICT_VIOLATION);
    }
    sum->violations += in_file == VERDICT_VIOLATION;
    sum->alarmed += alarmed;
    sum->between += inner != outer;
    sum->differ += in_file != in_memory || (alarmed && in_file != VERDICT_VIOLATION);
}

static void kill_once(trial *t, uint64_t upto, tally *sum) {
    t->mirror = mirror_new(OPERATIONS);
    unlink(file);
    pid_t child = fork();
    if (!child) run_until_killed(t);
    while (!has_come_to(t->mirror, 1, child)) {} /* before that there is nothing to lose */
    verdict in_memory = watch_and_kill(child, t->mirror, upto);
    history *h = read_file(file);
    assert_complete(t, h);
    compare_verdicts(t, judge_history(h, h->object_hint), in_memory, sum);
    sum->operations += h->n - h->pending;
    history_free(h);
    mirror_free(t->mirror);
}

static void killed_at_any_moment(void **unused) {
    (void)unused;
    static const defect defects[] = {DEFECT_NONE,      DEFECT_LOST,  DEFECT_NONE,
                                     DEFECT_DUPLICATE, DEFECT_EMPTY, DEFECT_RACE};
    uint32_t kills = soaking() ? soak_times(1000) : fewer_if_sanitized(36);
    tally right = {0}, wrong = {0};
    random_source random = {17};
    snprintf(file, sizeof file, "/tmp/plumb-killed-%d.plumblog", (int)getpid());
    for (uint32_t i = 0; i < kills; i++) {
        trial t = {.lifo = i % 5 == 4,
                   .clock = i % 2 ? PLUMB_CLOCK_SNAPSHOT : PLUMB_CLOCK_TICKET,
                   .d = defects[i / 2 % 6],
                   .seed = i};
        kill_once(&t, random_below(&random, LONGEST), t.d ? &wrong : &right);
    }
    unlink(file);
    assert_true(kills < 30 || wrong.violations > 0);
    assert_true(wrong.differ <= wrong.between);
    assert_int_equal(right.violations + right.alarmed + right.between, 0);
    print_message(
        "%u kills: right objects, %" PRIu64 " operations had returned, all verdicts linearizable; wrong ones, %" PRIu64
        " operations, %u violations, "
        "%u found before the kill, %u for stamps to decide, %u of these decided differently\n",
        kills, right.operations, wrong.operations, wrong.violations, wrong.alarmed, wrong.between, wrong.differ);
}

TEST_MAIN(TEST(killed_at_any_moment))
