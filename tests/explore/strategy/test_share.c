/* Whichever process explores it, the tree is the same. */
#include "explore/strategy/share.h"
#include "support/cmocka.h"
#include "support/toy_campaign.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct sum { /* in shared memory, one for each process */
    uint64_t executions, pruned, violations;
    bool complete, good, stopped;
    int preemptions;
} sum;

enum { MOST_WORKERS = 4 };

static uint64_t share_it(const toy_program *p, const toy_try *how, unsigned workers, sum *total) {
    sum *each = mmap(NULL, MOST_WORKERS * sizeof *each, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    share *s = share_new(workers);
    assert_non_null(s);
    for (unsigned i = 0; i < workers; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child) continue;
        toy_try own = *how;
        own.share = s;
        toy_outcome o = toy_explore(p, &own);
        each[i] = (sum){o.r.executions, 0, o.r.violations, o.r.complete, o.good, o.r.stopped, o.r.preemptions};
        for (unsigned k = 0; k < o.r.stages; k++) each[i].pruned += o.r.stage[k].pruned;
        toy_outcome_free(&o);
        _exit(0);
    }
    while (wait(NULL) > 0) continue;
    *total = (sum){.complete = true, .good = true, .preemptions = 1000};
    for (unsigned i = 0; i < workers; i++) {
        total->executions += each[i].executions;
        total->pruned += each[i].pruned;
        total->violations += each[i].violations;
        total->complete = total->complete && each[i].complete;
        total->good = total->good && each[i].good;
        total->stopped = total->stopped || each[i].stopped;
        if (each[i].preemptions < total->preemptions) total->preemptions = each[i].preemptions;
    }
    uint64_t signatures = share_signatures(s);
    share_free(s);
    munmap(each, MOST_WORKERS * sizeof *each);
    return signatures;
}

/* A process that died may have had the lock: the others end when the work is abandoned. */
static void nothing_hangs(void **st) {
    (void)st;
    share *s = share_new(2);
    assert_non_null(s);
    share_seize(s, 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) { /* as the parent of the processes does when it sees that one has died */
        usleep(100000);
        share_abandon(s);
        _exit(0);
    }
    toy_program p;
    toy_structure(&p, MODEL_QUEUE, "1:pg|g|g");
    toy_outcome o = toy_explore(
        &p, &(toy_try){.strategy = "dpor", .object = "queue", .all = true, .no_histories = true, .share = s});
    assert_false(o.r.complete);
    toy_outcome_free(&o);
    while (wait(NULL) > 0) continue;
    share_free(s);
}

static void same_tree(void **st) {
    (void)st;
    static const struct {
        toy_model model;
        const char *threads;
        bool symmetry, retry;
        const char *strategy;
    } all[] = {
        {MODEL_QUEUE, "1:pg|g|g", false, false, "dpor"}, {MODEL_QUEUE, "0:pg|pg|g", false, false, "dpor"},
        {MODEL_QUEUE, "0:pg|pg|g", true, false, "dpor"}, {MODEL_QUEUE, "0:pg|pg|pg", true, true, "dpor"},
        {MODEL_STACK, "2:g|gp|g", false, false, "dpor"}, {MODEL_MUTEX, "0:pg|pg|pg", false, false, "dpor"},
        {MODEL_QUEUE, "0:p|g", false, false, "dfs"},     {MODEL_QUEUE, "1:pg|g|g", false, false, "bounded"},
        {MODEL_QUEUE, "1:pg|gp", false, false, "auto"},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        toy_program p;
        toy_structure(&p, all[i].model, all[i].threads);
        p.retry = all[i].retry;
        toy_try how = {.strategy = all[i].strategy,
                       .object = all[i].model == MODEL_STACK ? "stack" : "queue",
                       .bound = 2,
                       .all = true,
                       .symmetry = all[i].symmetry,
                       .no_histories = true};
        toy_outcome alone = toy_explore(&p, &how);
        uint64_t pruned = 0;
        for (unsigned k = 0; k < alone.r.stages; k++) pruned += alone.r.stage[k].pruned;
        for (unsigned workers = 1; workers <= 3; workers++) {
            sum total;
            uint64_t signatures = share_it(&p, &how, workers, &total);
            assert_true(total.good);
            assert_int_equal(total.complete, alone.r.complete);
            assert_int_equal(total.preemptions, alone.r.preemptions);
            assert_int_equal(signatures, alone.r.histories);
            /* with auto each process has strategies for itself, too: how often these have their turn differs */
            if (strcmp(all[i].strategy, "auto"))
                assert_int_equal(total.executions - total.pruned, alone.r.executions - pruned);
        }
        toy_outcome_free(&alone);
    }
}

static void random_programs(void **st) {
    (void)st;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_source r = {seed};
        toy_program p;
        toy_random(&p, &r, (toy_flavour)(seed % FLAVOURS));
        toy_try how = {.strategy = "dpor", .object = "register", .all = true, .no_histories = true};
        toy_outcome alone = toy_explore(&p, &how);
        sum total;
        uint64_t signatures = share_it(&p, &how, 2, &total);
        assert_true(total.good && total.complete);
        assert_int_equal(signatures, alone.r.histories);
        assert_int_equal(total.violations > 0, alone.r.violations > 0);
        toy_outcome_free(&alone);
    }
}

/* One finds a violation and leaves: no other waits for it, none claims to have seen everything. */
static void early_end(void **st) {
    (void)st;
    toy_program p;
    toy_structure(&p, MODEL_BROKEN_QUEUE, "1:pg|g|g");
    sum total;
    share_it(&p, &(toy_try){.strategy = "dpor", .object = "queue", .no_histories = true}, 3, &total);
    assert_true(total.good && !total.complete && total.violations > 0);
}

static bool loads(const char *work) {
    share *s = share_new(1);
    assert_non_null(s);
    const bool good = share_load(s, 0, work);
    share_free(s);
    return good;
}

/* It comes from a file or from another machine. */
static void work_that_there_cannot_be_is_refused(void **st) {
    (void)st;
    assert_true(loads("0 0,0,0,0,e,e,6 1,2,0,0,a,a,2 "));
    static const char *const wrong[] = {
        "",
        "x",
        "0",
        "0 0",
        "0 0,0,0,0,e,e,6",                          /* cut off */
        "0 1,0,0,0,e,e,6 ",                         /* its own parent */
        "0 0,0,0,0,e,e,6 0,2,0,0,a,a,2 ",           /* a second root */
        "0 0,0,0,0,e,e,6 fff,2,0,0,a,a,2 ",         /* a parent that is not there */
        "0 0,100,0,0,e,e,6 ",                       /* numbers that do not fit */
        "0 0,0,0,1,e,e,6 ",                         /* more taken than there are */
        "0 0,0,0,0,e,e,0 ",                         /* nothing is left */
        "0 0,0,0,0,E,e,6 ",                         /* another spelling */
        "0 0,0,0,0,fffffffffffffffffffffffff,e,6 ", /* more threads than there are */
        "0 0,0,0,0,e,e,6 1,2,0,0,a,a,2 nonsense",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (loads(wrong[i])) fail_msg("taken: %s", wrong[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_tree), cmocka_unit_test(random_programs),
                                       cmocka_unit_test(nothing_hangs), cmocka_unit_test(early_end),
                                       cmocka_unit_test(work_that_there_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
