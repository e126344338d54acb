/* The oracle of every reduction, on real code: wherever dfs comes to its end, dpor and bounded see the same histories;
 * with interchangeable threads the same up to renaming; with retry blocking at least as strong ones. */
#include "explore/outside/session.h"
#include "support/cmocka.h"
#include "support/listed_histories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct structure {
    const char *file, *flags, *object, *put, *get; /* get: with arguments where it has some */
    const char *compiler;                          /* with its level */
} structure;

static const structure structures[] = {
    {"corpus/michael_scott_queue.c", "", "queue", "enq", "deq", "gcc -O2"},
    {"corpus/michael_scott_queue.c", "-DBUG_HEAD", "queue", "enq", "deq", "clang -O2"},
    {"corpus/treiber_stack.c", "", "stack", "push", "pop", "gcc -O0"},
    {"corpus/treiber_stack.c", "-DBUG_ABA", "stack", "push", "pop", "gcc -O2"},
    {"corpus/two_lock_queue.c", "", "queue", "enq", "deq", "clang -O0"},
    {"tests/explore/machine/queue_spin.c", "-DQUEUE_ONLY", "queue", "enq", "deq", "gcc -O2"},
    {"tests/explore/machine/queue_mutex.c", "", "queue", "enq", "deq", "gcc -O2"},
    {"corpus/harris_michael_set.c", "", "set", "add", "remove(1)", "clang -O2"},
    {"corpus/lazy_set.c", "-DBUG_ONE_LOCK", "set", "add", "remove(1)", "gcc -O2"},
    {"corpus/michael_scott_queue.c", "-DBUG_TAIL", "queue", "enq", "deq", "gcc -O2"},
    {"corpus/mpmc_ring.c", "", "queue(capacity=2)", "enq", "deq", "gcc -O2"},
    {"corpus/hash_set.c", "", "set", "add", "contains(1)", "gcc -O0"},
    {"corpus/give_up_stack.c", "-DBUG_GIVE_UP", "stack", "push", "pop", "gcc -O2"},
    {"corpus/elimination_stack.c", "", "stack", "push", "pop", "gcc -O2"},
    {"tests/explore/machine/counted.c", "", "queue", "enq", "deq", "gcc -O2"},
    {"tests/explore/machine/counted.c", "-DPLACES=2", "queue", "enq", "deq", "clang -O2"},
    {"tests/explore/machine/counted.c", "-DYIELDS", "queue", "enq", "deq", "gcc -O2"},
    {"tests/explore/machine/counted.c", "-DPLACES=3 -DLOOKS=4", "queue", "enq", "deq", "gcc -O0"},
};
enum { STRUCTURES = sizeof structures / sizeof *structures };

/* p put, g get, the number: puts that came first. */
static const char *const shapes[] = {"0:p|p",   "0:p|g",   "1:g|g",   "1:p|g",   "0:pg|g",  "0:p|pg",
                                     "1:g|gp",  "0:p|g|g", "0:p|p|g", "1:p|p|p", "2:g|g|g", "0:pg|pg",
                                     "1:pg|gp", "0:pp|gg", "0:pp|g",  "1:gg|p"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool is_soak(void) { return getenv("PLUMB_SOAK") != NULL; }

static char folder[] = "/tmp/plumb-scenarios-XXXXXX";

/* Through `plumb cc`, as a user would; then a session with it. */
static session *open_session(const structure *s) {
    static char binary[80], *argv[] = {binary, NULL};
    char command[512], compiler[16] = "";
    const char *plumb = getenv("PLUMB") ? getenv("PLUMB") : "build/plumb";
    error e = {0};
    snprintf(binary, sizeof binary, "%s/program", folder);
    snprintf(compiler, sizeof compiler, "%.*s", (int)strcspn(s->compiler, " "), s->compiler);
    snprintf(command, sizeof command, "PLUMB_CC=%s %s cc %s -g -Iinclude %s %s -o %s", compiler, plumb,
             s->compiler + strcspn(s->compiler, " "), s->flags, s->file, binary);
    if (system(command)) fail_msg("%s", command);
    session *open = session_open(binary, argv, &e);
    assert_non_null(open);
    return open;
}

static void words_of(const structure *s, const char *shape, char *out, size_t room) {
    int given = 0;
    size_t n = 0;
    for (int first = atoi(shape); given < first;) n += (size_t)snprintf(out + n, room - n, "%s(%d) ", s->put, ++given);
    if (given) n += (size_t)snprintf(out + n, room - n, ": ");
    for (const char *c = strchr(shape, ':') + 1; *c; c++) {
        if (*c == 'p') n += (size_t)snprintf(out + n, room - n, "%s(%d) ", s->put, ++given);
        else n += (size_t)snprintf(out + n, room - n, "%s ", *c == 'g' ? s->get : "|");
    }
}

typedef struct seen {
    listed_histories h;
    campaign_result r;
    bool good;
} seen;

typedef struct mode {
    const char *name, *strategy;
    bool each, symmetry, trust_loops;
} mode;

static seen explore(session *s, const structure *what, const char *threads, const mode *how, uint64_t most) {
    seen out = {.good = false};
    run_answer a;
    error e = {0};
    run_request r = {.threads = threads,
                     .object = what->object,
                     .strategy = how->strategy,
                     .bound = 1000,
                     .seed = 1,
                     .depth = 3,
                     .steps = 2000,
                     .executions = most,
                     .all = true,
                     .filter = true,
                     .symmetry = how->symmetry,
                     .trust_loops = how->trust_loops,
                     .each_history = how->each,
                     .history = listed_add,
                     .context = &out.h};
    out.good = session_run(s, &r, NULL, NULL, &a, &e) && !a.died && !out.h.too_long;
    if (!out.good) printf("%s, %s: %s %s\n", threads, how->name, e.what, a.result.message);
    out.r = a.result;
    run_answer_free(&a);
    return out;
}

/* An assumed loop is no loss: what it would have done is dominated. */
static bool must_agree(session *s, const structure *what, const char *threads, const seen *dfs, const mode *how) {
    seen o = explore(s, what, threads, how, 0);
    listed_histories all = listed_copy(&dfs->h);
    if (how->symmetry) {
        listed_rename(&all);
        listed_rename(&o.h);
    }
    bool same = how->trust_loops ? listed_dominate(&o.h, &all) : listed_equal(&o.h, &all);
    bool failure = (o.r.failure != FAILURE_NONE) == (dfs->r.failure != FAILURE_NONE);
    bool good = o.good && o.r.complete && same && failure;
    if (!good)
        printf("%s %s, %s: %s has %u histories, dfs %u; failure %d, dfs %d; complete %d %s\n", what->file, what->flags,
               threads, how->name, o.h.n, all.n, (int)o.r.failure, (int)dfs->r.failure, o.r.complete, o.r.message);
    listed_free(&all);
    listed_free(&o.h);
    return good;
}

typedef struct tally {
    uint32_t compared, failing, wrong;
} tally;

static void compare_shape(session *s, const structure *what, const char *shape, uint64_t most, tally *sum) {
    static const mode dfs_mode = {"dfs", "dfs", .each = true};
    static const mode modes[] = {
        {.name = "dpor", .strategy = "dpor"},   {"bounded", "bounded", .each = true},
        {"states", "states", .each = true},     {"symmetry", "dpor", .symmetry = true},
        {"retry", "dpor", .trust_loops = true}, {"all", "dpor", .symmetry = true, .trust_loops = true}};
    char threads[256];
    words_of(what, shape, threads, sizeof threads);
    seen dfs = explore(s, what, threads, &dfs_mode, most);
    if (!dfs.good) sum->wrong++;
    if (dfs.good && dfs.r.complete) {
        sum->compared++;
        sum->failing += dfs.r.failure != FAILURE_NONE;
        for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
            sum->wrong += !must_agree(s, what, threads, &dfs, &modes[i]);
    }
    listed_free(&dfs.h);
}

static void same_histories(void **s) {
    (void)s;
    tally sum = {0};
    for (unsigned i = 0; i < STRUCTURES; i++) {
        session *open = open_session(&structures[i]);
        for (unsigned k = 0; k < SHAPES; k++)
            if (is_soak() || (i + k) % 3 == 0)
                compare_shape(open, &structures[i], shapes[k], is_soak() ? 20000 : 5000, &sum);
        session_close(open);
    }
    printf("%u scenarios compared, %u of them fail\n", sum.compared, sum.failing);
    assert_int_equal(sum.wrong, 0);
    assert_true(sum.compared >= (is_soak() ? 100 : 40));
    assert_true(sum.failing >= 2);
}

static void counted_looks_find(const char *flags, const char *threads, failure_kind expected) {
    static const char *const strategies[] = {"dfs", "dpor", "bounded", "auto"};
    session *open =
        open_session(&(structure){"tests/explore/machine/counted.c", flags, "queue", "enq", "deq", "gcc -O2"});
    for (unsigned i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        error e = {0};
        run_answer a;
        run_request r = {.threads = threads,
                         .object = "queue",
                         .strategy = strategies[i],
                         .bound = 1,
                         .steps = 2000,
                         .filter = true};
        assert_true(session_run(open, &r, NULL, NULL, &a, &e));
        if (a.result.failure != expected) printf("%s does not find it\n", strategies[i]);
        assert_int_equal(a.result.failure, expected);
        run_answer_free(&a);
    }
    session_close(open);
}

/* No thread waits for what will not come: after its looks it says that the queue is empty. */
static void counted_looks_end(void **s) {
    (void)s;
    counted_looks_find("-DLOOKS=20", "enq(1) | enq(2) deq", FAILURE_VIOLATION);
}

/* The clock that is looked at behind them may be seen much later than the last of them. */
static void counted_looks_and_a_clock(void **s) {
    (void)s;
    counted_looks_find("-DSTAMPS", "enq(1) | deq", FAILURE_ASSERTION);
}

static void give_up_is_found(void **s) {
    (void)s;
    static const mode modes[] = {
        {.name = "bounded", .strategy = "bounded"}, {.name = "dpor", .strategy = "dpor"},
        {.name = "auto", .strategy = "auto"},       {"symmetry", "dpor", .symmetry = true},
        {"retry", "dpor", .trust_loops = true},     {"all", "auto", .symmetry = true, .trust_loops = true}};
    static const char *const compilers[] = {"gcc -O2", "gcc -O0", "clang -O2", "clang -O0"};
    for (unsigned i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        session *open =
            open_session(&(structure){"corpus/give_up_stack.c", "-DBUG_GIVE_UP", "stack", "push", "pop", compilers[i]});
        error e = {0};
        for (unsigned k = 0; k < sizeof modes / sizeof *modes; k++) {
            run_answer a;
            run_request r = {.threads = "push(1) push(2) push(3) push(4) push(5) : pop pop pop pop | pop",
                             .object = "stack",
                             .strategy = modes[k].strategy,
                             .bound = 2,
                             .seed = 1,
                             .steps = 2000,
                             .filter = true,
                             .symmetry = modes[k].symmetry,
                             .trust_loops = modes[k].trust_loops,
                             .jobs = k % 2 + 1};
            if (!strcmp(modes[k].strategy, "bounded")) r.bound = 8;
            assert_true(session_run(open, &r, NULL, NULL, &a, &e));
            if (a.result.failure != FAILURE_VIOLATION) printf("%s: %s does not find it\n", compilers[i], modes[k].name);
            assert_int_equal(a.result.failure, FAILURE_VIOLATION);
            run_answer_free(&a);
        }
        session_close(open);
    }
}

/* Executions that are taken up at snapshots and run on without questions are those that are asked for step by step. */
static void fewer_questions(void **s) {
    (void)s;
    static const structure yields = {"tests/explore/machine/yields.c", "", "", "add", "get", "gcc -O2"};
    static const structure chooses = {"tests/explore/machine/chooses.c", "", "", "add", "get", "gcc -O2"};
    static const structure creates = {"tests/explore/machine/creates.c", "", "", "", "", "gcc -O2"}; /* in its main */
    static const structure creates_locked = {"tests/explore/machine/creates.c", "-DLOCKED", "", "", "", "gcc -O2"};
    static const struct {
        const structure *of;
        const char *shape;
    } tried[] = {{&structures[0], "0:pg|pg|g"},
                 {&structures[3], "1:pg|gp"},
                 {&structures[4], "0:pg|pg"},
                 {&structures[8], "1:p|g|g"},
                 {&yields, "0:pg|p|pg"},
                 {&chooses, "0:pg|p|pg"},
                 {&creates, NULL},
                 {&creates_locked, NULL}};
    for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++) {
        const structure *of = tried[i].of;
        char words[256] = "PLUMB_THREADS='", command[512];
        session_close(open_session(of));
        if (tried[i].shape) {
            words_of(of, tried[i].shape, words + strlen(words), sizeof words - strlen(words) - 1);
            strcat(words, "'");
        }
        snprintf(command, sizeof command, "PLUMB_EXPLORE='trial=1 snapshots=4000' %s %s/program >%s/said",
                 tried[i].shape ? words : "", folder, folder);
        if (system(command)) fail_msg("%s %s: see tests/explore/test_machine.sh, snapshots", of->file, words);
    }
}

/* Whichever process explores it, the tree is the same; of one that fails, all processes end. */
static void processes_share(void **s) {
    (void)s;
    static const char *const strategies[] = {"dpor", "auto", "dfs"};
    session *open = open_session(&structures[0]);
    error e = {0};
    for (unsigned i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        uint64_t histories = 0, executions = 0;
        for (unsigned k = 0, jobs; k < 12; k++) { /* who claims what is never the same twice */
            run_answer a;
            jobs = k % 3 + 1;
            run_request r = {.threads = i == 2 ? "enq(1) : enq(2) | deq" : "enq(1) : enq(2) deq | deq | deq",
                             .object = "queue",
                             .strategy = strategies[i],
                             .bound = 1,
                             .steps = 2000,
                             .filter = true,
                             .jobs = jobs};
            assert_true(session_run(open, &r, NULL, NULL, &a, &e));
            assert_true(a.result.complete && a.result.failure == FAILURE_NONE && !a.result.stopped);
            uint64_t run = a.result.executions;
            for (unsigned j = 0; j < a.result.stages; j++) run -= a.result.stage[j].pruned;
            if (!k) {
                histories = a.result.histories;
                executions = run;
            }
            assert_int_equal(a.result.histories, histories);
            if (i != 1) assert_int_equal(run, executions); /* of auto, each process draws lots of its own */
            run_answer_free(&a);
        }
    }
    session_close(open);
}

/* The reductions are worth what they were: these are the numbers of models (test_models.c), on real code. */
static void executions_needed(void **s) {
    (void)s;
    static const struct {
        unsigned structure;
        const char *threads, *strategy;
        bool all;
        uint64_t executions, ended;
    } known[] = {
        {0, "enq(1) : enq(2) deq | deq | deq", "dpor", false, 728, 728},
        {0, "enq(1) deq | enq(2) deq | deq", "dpor", true, 182, 72},
        {0, "enq(1) deq | enq(2) deq | enq(3) deq", "dpor", true, 559, 228},
        {5, "enq(1) | enq(2) | deq", "dpor", false, 36, 36}, /* one for each trace */
        {5, "enq(1) | enq(2) | enq(3) | deq | deq | deq", "dpor", true, 20, 20},
        {6, "enq(1) deq | enq(2) deq | enq(3) deq", "dpor", true, 15, 15},
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        session *open = open_session(&structures[known[i].structure]);
        error e = {0};
        run_answer a;
        run_request r = {.threads = known[i].threads,
                         .object = "queue",
                         .strategy = known[i].strategy,
                         .steps = 2000,
                         .filter = true,
                         .symmetry = known[i].all,
                         .trust_loops = known[i].all};
        assert_true(session_run(open, &r, NULL, NULL, &a, &e));
        assert_true(a.result.complete && a.result.failure == FAILURE_NONE);
        if (a.result.executions != known[i].executions) printf("%s\n", known[i].threads);
        assert_int_equal(a.result.executions, known[i].executions);
        assert_int_equal(a.result.executions - a.result.stage[0].pruned - a.result.stage[0].assumed, known[i].ended);
        run_answer_free(&a);
        session_close(open);
    }
}

/* Locking, looking and giving up, again and again, is waiting: no execution runs into the bound on steps. */
static void retrying_with_locks(void **s) {
    (void)s;
    session *open = open_session(&(structure){"corpus/lazy_set.c", "", "set", "add", "remove", "gcc -O2"});
    error e = {0};
    run_answer a;
    run_request r = {.threads = "add(1) : remove(1) | add(2) contains(2)",
                     .object = "set",
                     .strategy = "bounded",
                     .bound = 2,
                     .steps = 2000,
                     .filter = true};
    assert_true(session_run(open, &r, NULL, NULL, &a, &e));
    assert_int_equal(a.result.failure, FAILURE_NONE);
    assert_int_equal(a.result.stages, 1);
    assert_true(a.result.stage[0].exhausted);
    assert_int_equal(a.result.stage[0].cut_off, 0);
    assert_int_equal(a.result.preemptions, 2);
    run_answer_free(&a);
    session_close(open);
}

/* What only executions with reads that are out of date show: they are left out where nothing can be lost, and only
 * there. */
static void reads_out_of_date(void **s) {
    (void)s;
    static const struct {
        const char *flags;
        failure_kind failure;
    } known[] = {{"-DCOMES_BACK", FAILURE_ASSERTION},     {"-DFREED", FAILURE_USE_AFTER_FREE},
                 {"-DELSEWHERE", FAILURE_USE_AFTER_FREE}, {"-DLEAVES", FAILURE_ASSERTION},
                 {"-DWRITES", FAILURE_ASSERTION},         {"-DMOVED", FAILURE_ASSERTION}};
    static const char *const compilers[] = {"gcc -O2", "clang -O2"};
    for (unsigned i = 0; i < 2 * sizeof known / sizeof *known; i++) {
        session *open = open_session(
            &(structure){"tests/explore/machine/confirmed.c", known[i / 2].flags, NULL, NULL, NULL, compilers[i % 2]});
        for (unsigned k = 0; k < 3; k++) {
            error e = {0};
            run_answer a;
            run_request r = {.threads = "look | change",
                             .strategy = k ? "dpor" : "dfs",
                             .steps = 2000,
                             .filter = true,
                             .trust_loops = k == 2};
            assert_true(session_run(open, &r, NULL, NULL, &a, &e));
            if (a.result.failure != known[i / 2].failure)
                printf("%s %s, %u: %s\n", compilers[i % 2], known[i / 2].flags, k, a.result.message);
            assert_int_equal(a.result.failure, known[i / 2].failure);
            run_answer_free(&a);
        }
        session_close(open);
    }
}

static unsigned races_in(const char *notes) {
    unsigned n = 0;
    for (const char *at = notes; at && (at = strstr(at, "data race: ")); at++) n++;
    return n;
}

/* Found by whichever process explores, and nothing else is taken for one. */
static void data_races(void **s) {
    (void)s;
    static const struct {
        const char *threads;
        unsigned races;
    } known[] = {{"put | get", 1}, {"put | look", 1}, {"count | meet", 1}, {"put : get | look", 0}};
    static const char *const strategies[] = {"dpor", "bounded"}, *const compilers[] = {"gcc -O2", "clang -O0"};
    for (unsigned i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        for (unsigned k = 0; k < sizeof known / sizeof *known; k++) {
            /* each for itself: races that were found are remembered */
            for (unsigned j = 0; j < sizeof strategies / sizeof *strategies; j++) {
                session *open =
                    open_session(&(structure){"tests/explore/machine/racing.c", "", NULL, NULL, NULL, compilers[i]});
                error e = {0};
                run_answer a;
                run_request r = {
                    .threads = known[k].threads, .strategy = strategies[j], .bound = 2, .steps = 2000, .filter = true};
                assert_true(session_run(open, &r, NULL, NULL, &a, &e));
                assert_true(a.result.failure == FAILURE_NONE);
                if (races_in(a.notes) != known[k].races)
                    printf("%s, %s, %s: %s\n", compilers[i], known[k].threads, strategies[j], a.notes ? a.notes : "");
                assert_int_equal(races_in(a.notes), known[k].races);
                run_answer_free(&a);
                session_close(open);
            }
        }
    }
}

static int make_folder(void **s) { return (void)s, mkdtemp(folder) ? 0 : -1; }

static int remove_folder(void **s) {
    char command[64];
    (void)s;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(executions_needed), cmocka_unit_test(retrying_with_locks),
                                       cmocka_unit_test(processes_share),   cmocka_unit_test(fewer_questions),
                                       cmocka_unit_test(same_histories),    cmocka_unit_test(reads_out_of_date),
                                       cmocka_unit_test(counted_looks_end), cmocka_unit_test(counted_looks_and_a_clock),
                                       cmocka_unit_test(give_up_is_found),  cmocka_unit_test(data_races)};
    if (getenv("PLUMB_SANITIZED")) return 0; /* there is no explorer in such a build */
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
