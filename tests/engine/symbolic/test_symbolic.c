/* The symbolic engine against the oracle, on larger histories against search, and on histories decided by hand. */
#include "support/cmocka.h"

#include "engine/symbolic/cnf.h"
#include "support/containers.h"
#include "support/read_text.h"

#include <stdio.h>
#include <string.h>

/* Without a solver the engine must refuse, and that is all there is to test. */
static bool no_solver(void) {
    if (cnf_available()) return false;
    assert_false(accepts_text("symbolic", "queue", "enq(1) [0,1]"));
    return true;
}

static void against_the_oracle(void **unused) {
    (void)unused;
    if (no_solver()) return;
    static const char *const name[] = {"queue",      "stack",    "multiset", "pqueue-max",
                                       "pqueue-min", "register", "set",      "lock"};
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
        /* multisets have operations on given elements, whose theory is grounded */
        differential d = {
            .engine = "symbolic", .object = name[i], .seed = 40 + i, .histories = i == 2 ? 3000 : 22000, .decided = 85};
        differential_run(&d);
    }
}

/* The theories, grounded as they are. */
static void grounded_theories(void **unused) {
    (void)unused;
    if (no_solver()) return;
    static const char *const name[] = {"queue",    "stack", "pqueue-max", "pqueue-min",   "register",
                                       "set",      "lock",  "multiset",   "semaphore(2)", "semaphore(1, bounded=1)",
                                       "exchanger"};
    static const int64_t generic[ENGINE_SETTINGS] = {2};
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
        /* set: all results or none */
        differential d = {.engine = "symbolic",
                          .object = name[i],
                          .setting = generic,
                          .seed = 70 + i,
                          .histories = 1000,
                          .decided = i == 5 ? 50 : 99};
        differential_run(&d);
    }
}

/* At every return: the verdict, and the first prefix that is a violation. */
static void at_returns(void **unused) {
    (void)unused;
    if (no_solver()) return;
    static const char *const name[] = {"queue", "stack", "multiset", "pqueue-max", "register", "lock"};
    static const int64_t setting[ENGINE_SETTINGS] = {0, 1, 0};
    for (unsigned i = 0; i < 2 * sizeof name / sizeof *name; i++) {
        bool distinct = i % 2; /* has an incremental form */
        differential d = {.engine = "symbolic",
                          .object = name[i / 2],
                          .setting = setting,
                          .seed = 90 + i,
                          .histories = distinct && i < 8 ? 4000 : 300,
                          .decided = 85,
                          .cut_violates = true,
                          .cut_is_early = true,
                          .shape = distinct ? shape_distinct : NULL};
        differential_run(&d);
    }
}

/* With operations removed: never a violation where there is none, and the ones that are recent are found. */
static void at_returns_with_removal(void **unused) {
    (void)unused;
    if (no_solver()) return;
    static const int64_t setting[ENGINE_SETTINGS] = {0, 1, 1};
    differential d = {.engine = "symbolic",
                      .object = "queue",
                      .setting = setting,
                      .seed = 123,
                      .histories = 2000,
                      .decided = 30,
                      .shape = shape_distinct};
    differential_run(&d);
}

static const container_trial trials[] = {
    {.engine = "symbolic", .object = "queue", .right = TAKE_OLDEST, .seed = 3, .histories = 12000},
    {.engine = "symbolic", .object = "stack", .right = TAKE_NEWEST, .seed = 4, .histories = 12000},
    {.engine = "symbolic", .object = "multiset", .right = TAKE_ANY, .seed = 5, .histories = 22000},
    {.engine = "symbolic", .object = "pqueue-max", .right = TAKE_GREATEST, .seed = 6, .histories = 12000},
    {.engine = "symbolic", .object = "pqueue-min", .right = TAKE_LEAST, .seed = 7, .histories = 12000},
};

static void containers(void **unused) {
    (void)unused;
    if (no_solver()) return;
    for (unsigned i = 0; i < sizeof trials / sizeof *trials; i++) {
        container_trial t = trials[i];
        if (getenv("PLUMB_FEWER")) t.histories /= 10;
        t.no_whole_pattern = true;
        containers_against_oracle(&t);
        t.histories = 60;
        containers_against_search(&t, 300);
    }
}

static verdict symbolic(const char *object_name, const char *operations) {
    return decide_text("symbolic", object_name, operations);
}

static void by_hand(void **unused) {
    (void)unused;
    if (no_solver()) return;
    assert_int_equal(symbolic("queue", ""), VERDICT_LINEARIZABLE);
    /* Passes every sweep: the orders that the two pairs of overlaps force contradict each other. */
    assert_int_equal(symbolic("queue", "enq(1) [0,3]; enq(2) [1,2]; deq() -> 1 [4,5]; deq() -> 2 [6,7]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(symbolic("queue", "enq(1) [0,1]; deq() -> empty [2,7]; enq(2) [3,4]; deq() -> 1 [5,6]"),
                     VERDICT_VIOLATION);
    assert_int_equal(symbolic("stack", "push(1) [0,1]; push(2) [2,4]; pop() -> empty [3,7]; pop() -> 1 [5,6]"),
                     VERDICT_VIOLATION);
    /* A pending remove made the queue empty, or none did. */
    assert_int_equal(symbolic("queue", "enq(1) [0,1]; deq() [2,-]; deq() -> empty [3,4]"), VERDICT_LINEARIZABLE);
    assert_int_equal(symbolic("queue", "enq(1) [0,1]; deq() -> empty [3,4]; deq() [5,-]"), VERDICT_VIOLATION);
    /* Values that come again. */
    assert_int_equal(
        symbolic("stack", "push(2) [0,1]; push(2) [2,4]; pop() -> 2 [3,5]; pop() -> 2 [6,9]; pop() -> 2 [7,8]"),
        VERDICT_VIOLATION);
    assert_int_equal(symbolic("register", "write(1) [0,9]; read() -> 1 [1,2]; read() -> none [3,4]"),
                     VERDICT_VIOLATION);
    assert_int_equal(symbolic("register", "write(1) [0,1]; write(2) [2,-]; read() -> 2 [3,4]; read() -> 1 [5,6]"),
                     VERDICT_VIOLATION);
    /* Operations that name a value. */
    assert_int_equal(symbolic("multiset", "add(1) [0,1]; remove(1) -> true [2,3]; contains(1) -> false [4,5]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(symbolic("multiset", "add(1) [0,1]; remove() -> 1 [2,3]; remove(1) -> true [4,5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(
        symbolic("multiset", "add(false) [0,1]; remove(false) -> false [2,3]; contains(false) -> false [4,5]"),
        VERDICT_LINEARIZABLE);
    /* A pending exchange that meets no partner did not happen. */
    assert_int_equal(symbolic("exchanger", "0 exchange(1) [0,-]; 1 exchange(2) -> 1 [1,5]; 2 exchange(3) [2,-]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(symbolic("lock", "0 lock() [0,1]; 1 trylock() -> false [2,3]; 0 unlock() [4,5]; 1 lock() [4,9]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(symbolic("lock", "0 lock() [0,1]; 0 unlock() [2,3]; 1 trylock() -> false [4,5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(
        symbolic(
            "set",
            "remove(1) -> true [0,7]; add(1) -> true [1,3]; contains(1) -> false [4,5]; contains(1) -> true [6,8]"),
        VERDICT_VIOLATION);
}

static void refuses(void **unused) {
    (void)unused;
    if (no_solver()) return;
    assert_false(accepts_text("symbolic", "queue(capacity=2)", "enq(1) [0,1]"));
    assert_false(accepts_text("symbolic", "counter", "inc() -> 1 [0,1]"));
    static const int64_t folded[ENGINE_SETTINGS] = {1};
    bound named = make_history("multiset", "add(1) [0,1]; remove(1) -> true [2,3]");
    assert_int_equal(decide_whole(&named, "symbolic", folded), VERDICT_UNDECIDED);
    free_bound(&named);
}

static verdict decide_file(const char *path, const char *object_name) {
    error e = {0};
    bound b = {.h = format_read(path, &(read_options){0}, NULL, &e)};
    b.o = b.h ? object_open(object_name, NULL, &e) : NULL;
    if (!b.o || !object_bind(b.o, b.h, path, &e)) fail_msg("%s", e.what);
    verdict v = decide_all(engine_find("symbolic"), &b);
    free_bound(&b);
    return v;
}

/* Every recorded history of queues and stacks gets the verdict of the table: path, object, ..., verdict. */
static void recorded(void **unused) {
    (void)unused;
    if (no_solver() || !data_directory()) return;
    char path[2048], line[1024];
    snprintf(path, sizeof path, "%s/violin/verdicts.tsv", data_directory());
    FILE *table = fopen(path, "r");
    unsigned count = 0;
    while (table && fgets(line, sizeof line, table)) {
        char name[256], object_name[64];
        bool violation = strstr(line, "\tviolation"), linearizable = strstr(line, "\tlinearizable");
        if (sscanf(line, "%255s %63s", name, object_name) != 2 || violation == linearizable) continue;
        snprintf(path, sizeof path, "%s/violin/%s", data_directory(), name);
        assert_int_equal(decide_file(path, object_name), violation ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE);
        count++;
    }
    if (table) fclose(table);
    print_message("%u recorded histories\n", count);
}

TEST_MAIN(TEST(against_the_oracle), TEST(grounded_theories), TEST(at_returns), TEST(at_returns_with_removal),
          TEST(containers), TEST(by_hand), TEST(refuses), TEST(recorded))
