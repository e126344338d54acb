/* The objects by hand, where the models of test_models.c do not reach: ties, spellings, exchanges, errors,
 * inference. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "history/builder.h"
#include "support/random_history.h"

#include <stdio.h>

static oracle_answer ask(const char *object_name, const char *operations) {
    bound b = make_history(object_name, operations);
    oracle_answer a = oracle_linearizable(b.o, b.h, 0);
    free_bound(&b);
    return a;
}

static void right(const char *object_name, const char *operations) {
    if (ask(object_name, operations) != ORACLE_YES) fail_msg("%s should be linearizable: %s", object_name, operations);
}

static void wrong(const char *object_name, const char *operations) {
    if (ask(object_name, operations) != ORACLE_NO) fail_msg("%s should be a violation: %s", object_name, operations);
}

static void capacities(void **unused) {
    (void)unused;
    right("queue(capacity=1)", "enq(1) [0,1]; enq(2) -> full [2,3]; deq() -> 1 [4,5]; enq(2) [6,7]");
    right("queue(capacity=1)", "enq(1) -> true [0,1]; enq(2) -> false [2,3]");
    wrong("queue", "enq(1) [0,1]; enq(2) -> full [2,3]");
    wrong("stack(capacity=1)", "push(1) [0,1]; push(2) [2,3]");
    wrong("deque(2)", "pushl(1) [0,1]; pushr(2) -> full [2,3]");
    right("multiset(capacity=1)", "add(1) [0,1]; remove() [2,-]; add(2) [3,4]");
}

static void priorities_and_ties(void **unused) {
    (void)unused;
    right("pqueue-max", "insert([1 7]) [0,1]; insert([2 5]) [2,3]; insert([2 6]) [4,5]; deletemax() -> [2 6] [6,7]; "
                        "deletemax() -> [2 5] [8,9]; deletemax() -> [1 7] [10,11]");
    right("pqueue-max",
          "insert([2 5]) [2,3]; insert([2 6]) [4,5]; deletemax() -> [2 5] [6,7]; deletemax() -> [2 6] [8,9]");
    wrong("pqueue-max", "insert([1 9]) [0,1]; insert([2 5]) [2,3]; deletemax() -> [1 9] [4,5]");
    right(
        "pqueue-max",
        "insert([2 5]) [0,1]; insert(2) [2,3]; deletemax() [4,-]; deletemax() -> 2 [5,6]; deletemax() -> empty [7,8]");
    right("pqueue-max", "insert([2 5]) [0,1]; insert(2) [2,3]; deletemax() [4,-]; deletemax() -> [2 5] [5,6]; "
                        "deletemax() -> empty [7,8]");
    wrong("pqueue-max", "insert([2 5]) [0,1]; insert(1) [2,3]; deletemax() [4,-]; deletemax() -> [2 5] [5,6]; "
                        "deletemax() -> 1 [7,8]; deletemax() -> 1 [9,10]");
    right("pqueue-min-fifo", "insert([2 5]) [0,1]; insert([2 6]) [2,3]; insert(3) [4,5]; deletemin() -> [2 5] [6,7]; "
                             "deletemin() -> [2 6] [8,9]; deletemin() -> 3 [10,11]");
    wrong("pqueue-min-fifo", "insert([2 5]) [0,1]; insert([2 6]) [2,3]; deletemin() -> [2 6] [4,5]");
    wrong("pqueue-max-fifo", "insert([2 5]) [0,1]; insert([2 6]) [2,3]; deletemax() [4,-]; deletemax() -> [2 5] [5,6]; "
                             "deletemax() -> empty [7,8]; deletemax() -> [2 6] [9,10]");
}

/* Which of several equals a pending removal takes never decides a history alone (it can wait until only one is left),
 * so look at the step itself. */
static void any_of_several_equals(void **unused) {
    (void)unused;
    bound b = make_history(
        "pqueue-min",
        "insert([2 5]) [0,1]; insert([2 6]) [2,3]; insert([2 6]) [4,5]; insert(3) [6,7]; deletemin() [8,-]");
    operation op;
    state now = {0}, next = {0};
    value res[2], unused_res;
    b.o->type->init(b.o, &now);
    for (uint32_t i = 0; i < 4; i++) {
        history_operation(b.h, i, &op);
        assert_int_equal(b.o->type->step(b.o, &now, &op, 0, &unused_res), STEP_LEGAL);
    }
    history_operation(b.h, 4, &op);
    for (uint32_t choice = 0; choice < 2; choice++) {
        state_copy(&next, &now);
        assert_int_equal(b.o->type->step(b.o, &next, &op, choice, &res[choice]), choice ? STEP_LEGAL : STEP_LEGAL_MORE);
        assert_int_equal(next.n, 3);
    }
    assert_int_not_equal(res[0], res[1]);
    state_copy(&next, &now);
    assert_int_equal(b.o->type->step(b.o, &next, &op, 2, &unused_res), STEP_ILLEGAL);
    state_free(&now);
    state_free(&next);
    free_bound(&b);
}

static void unrecorded_results(void **unused) {
    (void)unused;
    right("set", "add(1) [0,1]; add(1) [2,3]; contains(1) -> true [4,5]; remove(1) -> 1 [6,7]; remove(1) [8,9]; "
                 "contains(1) -> 0 [10,11]");
    wrong("set", "add(1) [0,1]; add(1) -> true [2,3]");
    right("counter", "inc() [0,1]; add(4) -> 5 [2,3]; dec() [4,5]; get() -> 4 [6,7]");
    wrong("counter", "inc() [0,1]; inc() -> 1 [2,3]");
}

static void spellings(void **unused) {
    (void)unused;
    right("multiset", "add(1) [0,1]; remove(1) -> true [2,3]; remove(1) -> false [4,5]; contains(1) -> false [6,7]");
    right("pool", "put(1) [0,1]; remove(1) -> 1 [2,3]; remove(1) -> empty [4,5]; get() -> none [6,7]");
    wrong("multiset", "add(1) [0,1]; remove(1) -> empty [2,3]");
    wrong("multiset", "add(1) [0,1]; remove(2) -> 2 [2,3]");
    right("cas-register",
          "write(1) [0,1]; cas([1 2]) -> [1 2] [2,3]; read() -> 2 [4,5]; compare_and_set(1 3) -> false [6,7]");
    right("lock", "1 tryLock() -> 1 [0,1]; 2 try_lock() -> 0 [2,3]; 1 release() [4,5]");
    right("kv", "get(k) -> none [0,1]; append(k x) [4,5]; append(k y) [6,7]; get(k) -> xy [8,9]; delete(k) [10,11]; "
                "cas(k none 3) -> true [12,13]; get(k) -> 3 [14,15]");
}

static void stores_without_absence(void **unused) {
    (void)unused;
    error e = {0};
    object *o = object_open("kv", NULL, &e);
    o->values = values_new();
    value res, empty_string = value_bytes(o->values, "", 0);
    operation get = {.method = (uint8_t)object_type_method(o->type, "get"), .res = empty_string};
    state s = {0};
    o->type->init(o, &s);
    assert_int_equal(o->type->step(o, &s, &get, 0, &res), STEP_LEGAL);
    s.w[0] = value_int(o->values, 1);
    assert_int_equal(o->type->step(o, &s, &get, 0, &res), STEP_ILLEGAL);
    state_free(&s);
    values_free(o->values);
    object_close(o);
}

static void owners(void **unused) {
    (void)unused;
    wrong("lock", "1 lock() [0,1]; 2 unlock() [2,3]");
    wrong("lock", "1 lock() [0,1]; 1 lock() [2,3]");
    right("lock", "1 lock() [0,1]; 1 trylock() -> false [2,3]; 1 unlock() [4,5]");
    right("rwlock", "1 rlock() [0,1]; 2 rlock() [2,3]; 1 rlock() [4,5]; 3 trywlock() -> false [6,7]; 1 runlock() "
                    "[8,9]; 1 runlock() [10,11]; 2 runlock() [12,13]; 3 wlock() [14,15]");
    wrong("rwlock", "1 rlock() [0,1]; 1 wlock() [2,3]");
    wrong("rwlock", "1 wlock() [0,1]; 2 rlock() [2,3]");
    wrong("rwlock", "1 rlock() [0,1]; 2 runlock() [2,3]");
}

static void exchanges(void **unused) {
    (void)unused;
    right("exchanger",
          "exchange(1) -> 2 [0,3]; exchange(2) -> 1 [1,4]; exchange(3) -> empty [2,5]; exchange(4) -> false [6,7]");
    right("exchanger", "exchange(1) -> 2 [0,3]; exchange(2) [1,-]");
    wrong("exchanger", "exchange(1) -> 2 [0,3]; exchange(2) -> 1 [4,5]");
    wrong("exchanger", "exchange(1) -> 2 [0,3]; exchange(2) -> 3 [1,4]");
    wrong("exchanger", "exchange(1) -> 2 [0,3]");
    wrong("exchanger", "exchange(1) -> 2 [0,3]; exchange(1) -> 2 [0,3]; exchange(2) -> 1 [1,4]");
    right("exchanger", "exchange(1) -> 1 [0,3]; exchange(1) -> 1 [2,5]");
}

/* The definition of set-linearizability for an exchanger: the operations that did not time out and returned have
 * partners, each its own, whose intervals have a moment in common with theirs. Such moments order the pairs. */
static bool pair_up(const history *h, uint32_t paired, uint32_t from) {
    while (from < h->n && (paired >> from & 1 || history_pending(h, from) || h->res[from] == VALUE_EMPTY ||
                           h->res[from] == VALUE_FALSE))
        from++;
    if (from == h->n) return true;
    for (uint32_t k = 0; k < h->n; k++) {
        if (k == from || paired >> k & 1 || h->res[from] != h->arg[0][k]) continue;
        if (!history_pending(h, k) && h->res[k] != h->arg[0][from]) continue;
        if (history_before(h, k, from) || history_before(h, from, k)) continue;
        if (pair_up(h, paired | 1u << from | 1u << k, from + 1)) return true;
    }
    return false;
}

static void exchanger_is_set_linearizable(void **unused) {
    (void)unused;
    random_source r = {.s = 5};
    unsigned answers[2] = {0, 0};
    for (unsigned i = 0; i < 6000; i++) {
        random_shape shape = random_shape_any(&r);
        bound b = random_history(&r, "exchanger", &shape);
        bool expected = pair_up(b.h, 0, 0);
        assert_int_equal(oracle_linearizable(b.o, b.h, 0), expected ? ORACLE_YES : ORACLE_NO);
        answers[expected]++;
        free_bound(&b);
    }
    assert_true(answers[0] > 1000 && answers[1] > 1000);
}

static void snapshots(void **unused) {
    (void)unused;
    right("snapshot",
          "scan() -> [none none] [0,1]; update(1 5) [2,3]; scan() -> [none 5] [4,5]; scan() -> [none 5 none] [6,7]");
    wrong("snapshot", "update(0 1) [0,9]; update(1 2) [0,9]; scan() -> [1 none] [1,2]; scan() -> [none 2] [1,2]");
    wrong("snapshot(size=2)", "update(0 1) [0,1]; scan() -> [none none] [2,3]");
}

/* ---- errors ---- */

typedef struct line { /* one operation of client 0, 1, ... in order */
    unsigned client;
    const char *method;
    unsigned nargs;
    value res;
} line;

static history *read_lines(const line *l, unsigned n, bool clients) {
    error e = {0};
    builder *b = builder_new("f", &e);
    for (unsigned i = 0; i < n; i++) {
        value arg[3] = {value_int(builder_values(b), 1), value_int(builder_values(b), 2),
                        value_int(builder_values(b), 3)};
        call_record call = {.client = clients ? value_int(builder_values(b), l[i].client) : CLIENT_OWN,
                            .key = VALUE_NONE,
                            .arg = arg,
                            .nargs = l[i].nargs,
                            .line = i + 1,
                            .method = builder_method(b, l[i].method, strlen(l[i].method), i + 1)};
        builder_operation(b, &call, 2 * i, 2 * i + 1, l[i].res);
    }
    history *h = builder_finish(b);
    builder_free(b);
    assert_non_null(h);
    return h;
}

static void refuses(const char *object_name, const line *l, unsigned n, bool clients, const char *message) {
    error e = {0};
    history *h = read_lines(l, n, clients);
    object *o = object_open(object_name, NULL, &e);
    assert_non_null(o);
    assert_false(object_bind(o, h, "f", &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    if (!strstr(e.what, message)) fail_msg("'%s' does not say '%s'", e.what, message);
    history_free(h);
    object_close(o);
}

static void bad_histories(void **unused) {
    (void)unused;
    const line writers[] = {{1, "write", 1, VALUE_NONE}, {2, "read", 0, VALUE_NONE}, {2, "write", 1, VALUE_NONE}};
    refuses("swmr-register", writers, 3, true,
            "f:3: client 2 writes, but client 1 wrote in line 1; expected a single writer");
    const line holders[] = {{1, "lock", 0, VALUE_NONE}};
    refuses("lock", holders, 1, false, "f: the operations name no clients");
    refuses("rwlock", holders, 1, false, "f: the operations name no clients");
    const line scans[] = {{1, "update", 2, VALUE_NONE}, {1, "scan", 0, VALUE_TRUE}};
    refuses("snapshot", scans, 2, true, "f:2: scan returned no tuple");
    refuses("snapshot(size=1)", scans, 2, true, "f:1: update of segment 1; expected 0 to 0");
    const line no_key[] = {{1, "get", 0, VALUE_NONE}};
    refuses("kv", no_key, 1, true, "f:1: the key is missing");
    const line loud[] = {{1, "lock", 0, VALUE_FALSE}};
    refuses("lock", loud, 1, true, "f:1: lock returned false; expected no result");
}

static void bad_parameters(void **unused) {
    (void)unused;
    static const char *const bad[] = {
        "queue(size=3)", "queue(capacity=-1)", "semaphore(1,2)", "lock(1)", "semaphore(x)", "heap", "stack(3"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        error e = {0};
        assert_null(object_open(bad[i], NULL, &e));
        assert_int_equal(e.code, EXIT_USAGE);
    }
    error e = {0};
    assert_null(object_open("queue", "3", &e));
    assert_int_equal(e.code, EXIT_USAGE);
}

/* ---- inference ---- */

static void infers(const char *expected, const line *l, unsigned n) {
    error e = {0};
    history *h = read_lines(l, n, true);
    const object_type *t = object_infer(h, "f", &e);
    if (expected) {
        assert_non_null(t);
        assert_string_equal(t->name, expected);
    } else {
        assert_null(t);
        assert_int_equal(e.code, EXIT_BAD_INPUT);
    }
    history_free(h);
}

#define INFERS(expected, ...) \
    infers(expected, (const line[]){__VA_ARGS__}, sizeof((const line[]){__VA_ARGS__}) / sizeof(line))

static void inference(void **unused) {
    (void)unused;
    INFERS("queue", {0, "enq", 1, 0}, {0, "deq", 0, 0});
    INFERS("queue", {0, "enqueue", 1, 0}, {0, "poll", 0, 0}, {0, "dequeue", 0, 0}, {0, "offer", 1, 0},
           {0, "enq", 1, 0});
    INFERS("stack", {0, "push", 1, 0}, {0, "pop", 0, 0});
    INFERS("register", {0, "write", 1, 0}, {0, "read", 0, 0});
    INFERS("cas-register", {0, "write", 1, 0}, {0, "read", 0, 0}, {0, "cas", 2, 0});
    INFERS("kv", {0, "put", 2, 0}, {0, "get", 1, 0});
    INFERS("set", {0, "add", 1, 0}, {0, "remove", 1, 0});
    INFERS("pqueue-min", {0, "insert", 1, 0}, {0, "deletemin", 0, 0});
    INFERS("lock", {0, "lock", 0, 0}, {0, "tryLock", 0, 0});
    INFERS("rwlock", {0, "rlock", 0, 0}, {0, "unlock", 0, 0});
    INFERS("counter", {0, "inc", 0, 0}, {0, "get", 0, 0});
    INFERS(NULL, {0, "add", 1, 0}, {0, "remove", 0, 0});      /* queue, stack, multiset, ... */
    INFERS(NULL, {0, "acquire", 0, 0}, {0, "release", 0, 0}); /* how many permits? */
    INFERS(NULL, {0, "put", 1, 0}, {0, "get", 0, 0});
    INFERS(NULL, {0, "frobnicate", 1, 0});
}

/* No two methods of an object may answer to one name, and no two objects. */
static void names_are_unambiguous(void **unused) {
    (void)unused;
    const object_type *t, *other;
    for (unsigned i = 0; (t = object_type_at(i)); i++) {
        for (unsigned m = 0; m < t->method_count; m++) assert_int_equal(object_type_method(t, t->methods[m].name), m);
        for (unsigned k = 0; (other = object_type_at(k)); k++)
            if (object_type_find(other->name, strlen(other->name)) != other) fail_msg("%s is hidden", other->name);
        assert_non_null(t->summary);
        assert_true(t->method_count <= OBJECT_METHODS);
    }
}

TEST_MAIN(TEST(capacities), TEST(priorities_and_ties), TEST(any_of_several_equals), TEST(unrecorded_results),
          TEST(spellings), TEST(stores_without_absence), TEST(owners), TEST(exchanges),
          TEST(exchanger_is_set_linearizable), TEST(snapshots), TEST(bad_histories), TEST(bad_parameters),
          TEST(inference), TEST(names_are_unambiguous))
