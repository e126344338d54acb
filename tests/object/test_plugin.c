/* Plug-ins: the right ones decide as the built-in objects do, and the self-test finds the defect of every broken
 * one. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "object/plugin.h"
#include "object/selftest.h"
#include "support/random_history.h"

#include <stdio.h>

static oracle_answer ask(const char *plugin, const char *operations) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.so", PLUGINS, plugin);
    bound b = make_history(path, operations);
    oracle_answer a = oracle_linearizable(b.o, b.h, 0);
    free_bound(&b);
    return a;
}

static void decides_right_and_wrong(void **unused) {
    (void)unused;
    assert_int_equal(
        ask("bounded_counter",
            "inc() -> true [0,4]; try_dec() -> 1 [1,3]; try_dec() -> false [5,6]; inc() [7,-]; get() -> 1 [8,9]"),
        ORACLE_YES);
    assert_int_equal(ask("bounded_counter",
                         "inc() -> true [0,2]; try_dec() -> true [3,6]; try_dec() -> true [4,7]; get() -> 0 [8,9]"),
                     ORACLE_NO);
    assert_int_equal(
        ask("linked_stack",
            "push([1 x]) [0,1]; push(b) [2,3]; pop() -> b [4,5]; pop() -> [1 x] [6,7]; pop() -> none [8,9]"),
        ORACLE_YES);
    assert_int_equal(ask("linked_stack", "push([1 x]) [0,1]; push(b) [2,3]; pop() -> [1 x] [4,5]"), ORACLE_NO);
    assert_int_equal(
        ask("any_pool", "put(1) [0,1]; put(2) [2,3]; take() [4,-]; take() -> 1 [5,6]; take() -> empty [7,8]"),
        ORACLE_YES);
    assert_int_equal(ask("any_pool", "put(1) [0,1]; put(2) [2,3]; take() -> 1 [5,6]; take() -> empty [7,8]"),
                     ORACLE_NO);
    assert_int_equal(ask("cells", "write(a 1) [0,9]; write(b [2 c]) [1,8]; read(b) -> none [2,3]; read(a) -> 1 [4,5]; "
                                  "read(b) -> [2 c] [6,7]"),
                     ORACLE_YES);
    assert_int_equal(ask("cells", "write(a 1) [0,1]; read(b) -> 1 [2,3]"), ORACLE_NO);
}

/* Calls at the same time share a ticket; one after the other they do not. Two that overlap a third may share with it
 * only one by one. */
/* empty and full are constants, from methods that return any value too. */
static void constants_are_no_strings(void **unused) {
    (void)unused;
    assert_int_equal(ask("weak_queue", "enq(1) [0,1]; enq(2) -> full [2,3]; deq() -> empty [4,5]; deq() -> 1 [6,7]"),
                     ORACLE_YES);
    assert_int_equal(ask("weak_queue", "enq(1) -> full [0,1]; deq() -> 1 [6,7]"), ORACLE_NO);
}

/* A plug-in is what its code says, whatever its name. */
static void a_name_of_a_built_in_object(void **unused) {
    (void)unused;
    bound b = make_history(PLUGINS "/named_queue.so", "enq(1) [0,1]; deq() -> empty [2,3]; deq() -> 1 [4,5]");
    assert_string_equal(b.o->name, "queue");
    budget time;
    decision d = {0};
    budget_init(&time, 10, 0);
    decide(b.h, b.o, &(decide_options){.threads = 1}, &time, NULL, &d);
    assert_int_equal(d.verdict, VERDICT_LINEARIZABLE);
    decision_free(&d);
    free_bound(&b);
}

static void takes_effect_together(void **unused) {
    (void)unused;
    assert_int_equal(ask("tickets", "next() -> 0 [0,2]; next() -> 0 [1,4]; next() -> 1 [3,6]; next() -> 1 [5,7]"),
                     ORACLE_YES);
    assert_int_equal(ask("tickets", "next() -> 0 [0,1]; next() -> 0 [2,3]"), ORACLE_NO);
    assert_int_equal(ask("tickets", "next() -> 0 [0,9]; next() -> 0 [1,2]; next() -> 0 [3,4]"), ORACLE_NO);
    assert_int_equal(ask("tickets", "next() [0,-]; next() -> 1 [1,2]"), ORACLE_YES);
    assert_int_equal(ask("tickets", "next() [0,-]; next() -> 2 [1,2]"), ORACLE_NO);
    bound b = make_history(PLUGINS "/tickets.so", "next() -> 0 [0,2]; next() -> 0 [1,3]");
    assert_int_equal(b.o->criterion.kind, CRITERION_SET);
    free_bound(&b);
}

static void parts_are_independent(void **unused) {
    (void)unused;
    bound b = make_history(PLUGINS "/cells.so", "write(a 1) [0,1]; write(b 1) [2,3]; read(a) -> 1 [4,5]");
    partition *p = object_partition(b.o, b.h);
    assert_int_equal(p->count, 2);
    partition_free(p);
    free_bound(&b);
}

/* The same history, on a plug-in and on the built-in object that it imitates. */
static void same_as_built_in(void **unused) {
    (void)unused;
    static const struct {
        const char *plugin, *built_in;
    } twins[] = {{PLUGINS "/linked_stack.so", "stack"}, {PLUGINS "/any_pool.so", "multiset(capacity=0)"}};
    for (unsigned k = 0; k < 2; k++) {
        random_source r = {.s = 9 + k};
        unsigned answers[3] = {0, 0, 0};
        for (unsigned i = 0; i < 60; i++) {
            random_shape shape = random_shape_any(&r);
            if (shape.values == 0) shape.values = 3;
            bound b = random_history(&r, twins[k].plugin, &shape);
            oracle_answer own = oracle_linearizable(b.o, b.h, 0);
            error e = {0};
            object *built_in = object_open(twins[k].built_in, NULL, &e);
            built_in->values = b.h->values;
            /* add and remove are methods 0 and 1 of both */
            assert_int_equal(oracle_linearizable(built_in, b.h, 0), own);
            answers[own]++;
            object_close(built_in);
            free_bound(&b);
        }
        assert_true(answers[ORACLE_NO] > 3 && answers[ORACLE_YES] > 3);
    }
}

static void tells_state_and_reason(void **unused) {
    (void)unused;
    bound b = make_history(PLUGINS "/bounded_counter.so", "inc() -> true [0,1]; get() -> 0 [2,3]");
    operation op;
    state s = {0};
    text t = {0};
    value res;
    b.o->type->init(b.o, &s);
    history_operation(b.h, 0, &op);
    assert_int_equal(b.o->type->step(b.o, &s, &op, 0, &res), STEP_LEGAL);
    object_describe(b.o, &s, &t);
    assert_string_equal(text_str(&t), "1 of 3");
    text_clear(&t);
    history_operation(b.h, 1, &op);
    object_why_not(b.o, &s, &op, &t);
    assert_string_equal(text_str(&t), "the count is 1");
    text_free(&t);
    state_free(&s);
    free_bound(&b);
}

static void finds_every_defect(void **unused) {
    (void)unused;
    static const struct {
        const char *defect, *message;
    } broken[] = {
        {"hidden_variable", "get gives"},
        {"global_state", "leaves two different states"},
        {"random", "get gives"},
        {"padding", "padding"},
        {"overrun", "writes behind its state of 16 bytes"},
        {"readonly", "declared read-only and changes the state"},
        {"wrong_kind", "get returns \"many\""},
        {"shallow_copy", "on a copy of a state changes the state itself"},
        {"bad_hash", "a copy of a state has another hash"},
        {"bad_equal", "from states that `equal` calls the same"},
        {"no_hash", "expected all of copy, equal and hash"},
        {"parts", "in different parts"},
        {"endless", "more than 4096 outcomes"},
        {"disagreement", "step refuses the result that apply gives for get"},
        {"bad_arity", "method get takes 0 to 9 arguments"},
        {"together_order", "together, on the same"},
        {"together_alone", "together does with get alone what apply does not"},
        {"together_hidden", "together"},
        {"no_size", "struct_size is 8"},
        {"no_definition", "no plumb_object_definition"},
    };
    for (unsigned i = 0; i < sizeof broken / sizeof *broken; i++) {
        char path[512];
        error e = {0};
        snprintf(path, sizeof path, "%s/broken_%s.so", PLUGINS, broken[i].defect);
        object *o = object_open(path, NULL, &e);
        if (o) fail_msg("%s was not found out", broken[i].defect);
        assert_int_equal(e.code, EXIT_BAD_INPUT);
        assert_null(strchr(e.what, '\n'));
        if (!strstr(e.what, broken[i].message))
            fail_msg("%s: '%s' does not say '%s'", broken[i].defect, e.what, broken[i].message);
    }
}

static void what_is_not_there(void **unused) {
    (void)unused;
    error e = {0};
    assert_null(object_open("./no-such-plugin.so", NULL, &e));
    assert_int_equal(e.code, EXIT_CANNOT_OPEN);
    e.code = 0;
    assert_null(object_open(PLUGINS "/cells.so", "3", &e));
    assert_int_equal(e.code, EXIT_USAGE);
    assert_true(plugin_named("spec.so") && plugin_named("./spec") && !plugin_named("queue"));
}

TEST_MAIN(TEST(decides_right_and_wrong), TEST(parts_are_independent), TEST(same_as_built_in),
          TEST(tells_state_and_reason), TEST(finds_every_defect), TEST(what_is_not_there),
          TEST(constants_are_no_strings), TEST(takes_effect_together), TEST(a_name_of_a_built_in_object))
