/* A theory file as an object: the oracle gives the same answers for it as for the object it describes, on concurrent
 * histories with pending operations and repeated values; so do the engines that know nothing but steps. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/engine_trial.h"
#include "theory/theory_object.h"

#include <stdlib.h>

typedef struct row {
    const char *object, *file;
} row;

static void same_answers(const row *w, unsigned histories) {
    random_source r = {histories};
    unsigned count[2] = {0};
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = shape_small(&r);
        shape.operations = 2 + random_below(&r, 4);
        shape.keys = 1 + random_below(&r, 2);
        bound own = random_history(&r, w->object, &shape);
        text written = {0};
        history_text(&own, &written);
        bound theirs = make_history(w->file, text_str(&written));
        oracle_answer expected = oracle_linearizable(own.o, own.h, 0), got = oracle_linearizable(theirs.o, theirs.h, 0);
        if (expected != got)
            fail_msg("%s: the object says %d, its theory %d:\n%s", w->object, expected, got, text_str(&written));
        if (i % 8 == 0) {
            verdict v = expected == ORACLE_YES ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION;
            assert_int_equal(decide_all(engine_find("search"), &theirs), v);
            assert_int_equal(decide_all(engine_find("frontier"), &theirs), v);
        }
        count[expected == ORACLE_YES]++;
        text_free(&written);
        free_bound(&own);
        free_bound(&theirs);
    }
    print_message("%s: %u linearizable, %u violations\n", w->object, count[1], count[0]);
    assert_true(count[0] > histories / 20 && count[1] > histories / 20);
}

static void theories_give_the_same_answers(void **unused) {
    (void)unused;
    static const row rows[] = {
        {"queue", "theories/queue.thy"},
        {"stack", "theories/stack.thy"},
        {"register", "theories/register.thy"},
        {"lock", "theories/lock.thy"},
        {"max-register", "examples/theory/max-register.thy"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        same_answers(&rows[i], getenv("PLUMB_SOAK") ? 20000 : 1000);
}

/* A theory that is not closed under prefixes: every open must be closed by the end. */
static void prefixes_need_not_be_models(void **unused) {
    (void)unused;
    static const char source[] = "theory pairs extends atomic\nmethod open()\nmethod close()\n"
                                 "match: meth(x)=open & meth(y)=close\n"
                                 "axiom f: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2\n"
                                 "axiom g: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2\n"
                                 "axiom closed: forall x. meth(x)=open -> exists y. match(x,y) & b(x,y)\n"
                                 "axiom opened: forall y. meth(y)=close -> exists x. match(x,y) & b(x,y)\n";
    error e = {0};
    theory *t = theory_parse(source, "pairs", "", &e);
    assert_non_null(t);
    object *o = theory_object(t, "pairs.thy", NULL, &e);
    assert_non_null(o);
    values *v = values_new();
    object_use_values(o, v);
    state s = {0};
    value res;
    operation open = {.method = 0, .res = VALUE_NONE}, close = {.method = 1, .res = VALUE_NONE};
    o->type->init(o, &s);
    assert_true(object_may_end(o, &s));
    assert_int_not_equal(o->type->step(o, &s, &open, 0, &res), STEP_ILLEGAL);
    assert_false(object_may_end(o, &s));
    assert_int_not_equal(o->type->step(o, &s, &close, 0, &res), STEP_ILLEGAL);
    assert_true(object_may_end(o, &s));
    assert_int_equal(o->type->step(o, &s, &close, 0, &res), STEP_ILLEGAL);
    state_free(&s);
    object_close(o);
    values_free(v);
}

/* Nothing need follow: an axiom that any further operation would break does not forbid the first one. */
static void nothing_need_follow(void **unused) {
    (void)unused;
    error e = {0};
    theory *t =
        theory_parse("theory once extends atomic\nmethod go()\naxiom once: forall x,y. !b(x,y)\n", "once", "", &e);
    assert_non_null(t);
    object *o = theory_object(t, "once.thy", NULL, &e);
    values *v = values_new();
    object_use_values(o, v);
    state s = {0};
    value res;
    operation go = {.method = 0, .res = VALUE_NONE};
    assert_int_not_equal(o->type->step(o, &s, &go, 0, &res), STEP_ILLEGAL);
    assert_true(object_may_end(o, &s));
    assert_int_equal(o->type->step(o, &s, &go, 0, &res), STEP_ILLEGAL);
    state_free(&s);
    object_close(o);
    values_free(v);
}

static void partial_orders_are_refused(void **unused) {
    (void)unused;
    error e = {0};
    assert_null(specification_open("theories/exchanger.thy", NULL, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    assert_non_null(strstr(e.what, "does not order all operations"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theories_give_the_same_answers),
        cmocka_unit_test(prefixes_need_not_be_models),
        cmocka_unit_test(nothing_need_follow),
        cmocka_unit_test(partial_orders_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
