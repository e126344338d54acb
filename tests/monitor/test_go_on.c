/* Going on after a violation, and sampling: never a false alarm. Against the oracle. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/feed.h"
#include "support/random_history.h"

static void fail_with(const bound *b, const char *what) {
    text t = {0};
    history_text(b, &t);
    fail_msg("%s: %s\n%s", b->o->name, what, text_str(&t));
}

static unsigned how_many(unsigned standard) {
    const char *soak = getenv("PLUMB_SOAK");
    if (soak) return atoi(soak) > 1 ? (unsigned)atoi(soak) : 100000;
    return getenv("PLUMB_FEWER") ? standard / 8 : standard;
}

/* ---- going on ---- */

typedef struct wrong_operation { /* of the object as it is in the beginning */
    const char *object, *method;
    bool arg;
    value res; /* VALUE_INTERNED: the integer 4711 */
} wrong_operation;

static const wrong_operation wrongs[] = {
    {"queue", "deq", false, VALUE_INTERNED},       {"stack", "pop", false, VALUE_INTERNED},
    {"multiset", "remove", false, VALUE_INTERNED}, {"pqueue-max", "deletemax", false, VALUE_INTERNED},
    {"register", "read", false, VALUE_INTERNED},   {"cas-register", "read", false, VALUE_INTERNED},
    {"counter", "get", false, VALUE_INTERNED},     {"fetch-add", "read", false, VALUE_INTERNED},
    {"lock", "unlock", false, VALUE_NONE},         {"rwlock", "wunlock", false, VALUE_NONE},
    {"deque", "popl", false, VALUE_INTERNED},
};

static void one_wrong(monitor *m, const object *o, const wrong_operation *w) {
    monitor_call_record call = {.client = 99, .method = (uint8_t)object_type_own_method(o->type, w->method)};
    call.key = VALUE_NONE;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) call.arg[a] = VALUE_NONE;
    open_operation *op = monitor_call(m, &call);
    monitor_return(m, op, w->res == VALUE_INTERNED ? value_int(o->values, 4711) : w->res);
}

/* A wrong operation that changed nothing, then a history: one violation, or one more if it is one. */
static void judge_behind(const bound *b, const wrong_operation *w, bool first) {
    error e = {0};
    monitor *m = monitor_new(b->o, &(monitor_options){.go_on = true}, &e);
    feed f;
    uint32_t n;
    if (first) one_wrong(m, b->o, w);
    monitor_settle(m);
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    monitor_settle(m);
    const monitor_violation *found = monitor_violations(m, &n);
    bool right = oracle_linearizable(b->o, b->h, 0) == ORACLE_YES;
    if (right && n != first) fail_with(b, "a false alarm after a violation");
    if (first) assert_true(n && found[0].event == 1);
    if (first && n > 1 && !strcmp(b->o->type->name, "queue")) assert_non_null(strstr(found[1].reason, "assumed"));
    if (!right && !first && !n) fail_with(b, "a violation is missed");
    monitor_close_list(m);
    assert_int_equal(monitor_verdict(m), n ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE);
    feed_free(&f);
    monitor_free(m);
}

/* What is inside when the violation comes is not known behind it: a value that is put in again may come out twice. */
static void step(monitor *m, const object *o, const char *name, int64_t v, bool adds) {
    monitor_call_record call = {.client = 1, .method = (uint8_t)object_type_own_method(o->type, name)};
    call.key = VALUE_NONE;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) call.arg[a] = VALUE_NONE;
    if (adds) call.arg[0] = value_int(o->values, v), call.nargs = 1;
    open_operation *op = monitor_call(m, &call);
    monitor_return(m, op, adds ? VALUE_NONE : v < 0 ? VALUE_EMPTY : value_int(o->values, v));
}

static uint32_t violations_of(monitor *m) {
    uint32_t n;
    monitor_settle(m);
    monitor_violations(m, &n);
    return n;
}

static void values_of_before_come_again(void **unused) {
    (void)unused;
    error e = {0};
    random_source r = {1};
    random_shape shape = random_shape_any(&r);
    bound b = random_history(&r, "queue", &shape); /* for its object */
    monitor *m = monitor_new(b.o, &(monitor_options){.go_on = true}, &e);
    step(m, b.o, "enq", 1, true);
    step(m, b.o, "deq", 7, false);
    step(m, b.o, "enq", 1, true);
    step(m, b.o, "deq", 1, false);
    step(m, b.o, "deq", 1, false);
    assert_int_equal(violations_of(m), 1);
    step(m, b.o, "enq", 2, true);
    step(m, b.o, "enq", 2, true); /* and from here on no value tells anything */
    step(m, b.o, "deq", 2, false);
    step(m, b.o, "deq", 2, false);
    step(m, b.o, "deq", 1, false);
    assert_int_equal(violations_of(m), 1);
    step(m, b.o, "deq", -1, false); /* but that nothing is inside does */
    step(m, b.o, "deq", 2, false);
    assert_int_equal(violations_of(m), 2);
    uint32_t n;
    assert_null(strstr(monitor_violations(m, &n)[1].reason, "assumed"));
    monitor_free(m);
    free_bound(&b);
}

static void goes_on(void **unused) {
    (void)unused;
    for (unsigned k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
        random_source r = {k + 5};
        for (unsigned i = 0; i < how_many(300); i++) {
            random_shape shape = random_shape_any(&r);
            shape.values = 0;
            shape.pending = random_chance(&r, 0.3) ? 0.2 : 0;
            bound b = random_history(&r, wrongs[k].object, &shape);
            judge_behind(&b, &wrongs[k], random_chance(&r, 0.7));
            free_bound(&b);
        }
    }
}

/* ---- sampling ---- */

static void samples(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "multiset", "pqueue-max", "pqueue-min", "set", "kv"};
    for (unsigned k = 0; k < sizeof objects / sizeof *objects; k++) {
        random_source r = {k + 31};
        unsigned found = 0, wrong = 0;
        for (unsigned i = 0; i < how_many(500); i++) {
            random_shape shape = random_shape_any(&r);
            shape.values = random_chance(&r, 0.7) ? 0 : shape.values;
            shape.keys = 6;
            shape.operations = RANDOM_MAX_OPERATIONS - 2;
            bound b = random_history(&r, objects[k], &shape);
            monitor_options options = {.sample = 2 + random_below(&r, 2), .check_after = random_below(&r, 4)};
            verdict v = feed_all(&b, &options, &(moment){0});
            bool right = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES;
            if (right && v == VERDICT_VIOLATION) fail_with(&b, "a false alarm by sampling");
            wrong += !right;
            found += v == VERDICT_VIOLATION;
            free_bound(&b);
        }
        print_message("%-12s %u violations, %u found in the sample\n", objects[k], wrong, found);
        assert_true(found && found < wrong);
    }
}

static void some_cannot_be_sampled(void **unused) {
    (void)unused;
    error e = {0};
    object *o = object_open("counter", NULL, &e);
    values *t = values_new();
    object_use_values(o, t);
    assert_null(monitor_new(o, &(monitor_options){.sample = 4}, &e));
    assert_int_equal(e.code, EXIT_USAGE);
    object_close(o);
    values_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on),
        cmocka_unit_test(values_of_before_come_again),
        cmocka_unit_test(samples),
        cmocka_unit_test(some_cannot_be_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
