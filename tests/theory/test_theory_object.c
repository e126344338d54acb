/* A theory file as an object: the oracle gives the same answers for it as for the object it describes, on concurrent
 * histories with pending operations and repeated values; so do the engines that know nothing but steps. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/engine_trial.h"
#include "theory/theory_object.h"

#include <stdlib.h>
#include <string.h>

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
        {"fetch-add", "examples/theory/fetch-add.thy"},
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

/* ---- what is said of states, and what is refused ---- */

static object *object_of(const char *source, const char *init, values *v) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    if (!t) fail_msg("%s", e.what);
    object *o = theory_object(t, "f.thy", init, &e);
    if (!o) fail_msg("%s", e.what);
    object_use_values(o, v);
    return o;
}

static operation operation_of(const object *o, const char *name, unsigned nargs, value arg, value res) {
    operation op = {.method = (uint8_t)object_type_method(o->type, name),
                    .nargs = (uint8_t)nargs,
                    .key = VALUE_NONE,
                    .arg = {nargs ? arg : VALUE_NONE, VALUE_NONE, VALUE_NONE},
                    .res = res};
    return op;
}

static void states_are_told(void **unused) {
    (void)unused;
    values *v = values_new();
    object *o = object_of("theory t extends queue", NULL, v);
    value one = value_int(v, 1), two = value_int(v, 2), res;
    state s = {0};
    text out = {0};
    operation add = operation_of(o, "add", 1, one, VALUE_NONE), wrong = operation_of(o, "remove", 0, one, two);
    o->type->init(o, &s);
    o->type->describe(o, &s, &out);
    assert_string_equal(text_str(&out), "at the beginning");
    assert_int_equal(o->type->step(o, &s, &add, 0, &res), STEP_LEGAL);
    assert_int_equal(res, VALUE_NONE);
    assert_int_equal(o->type->step(o, &s, &add, 0, &res), STEP_LEGAL);
    text_clear(&out);
    o->type->describe(o, &s, &out);
    assert_string_equal(text_str(&out), "after add(1), add(1)");
    text_clear(&out);
    o->type->why_not(o, &s, &wrong, &out);
    assert_non_null(strstr(text_str(&out), "does not hold after add(1), add(1)"));
    o->type->init(o, &s);
    text_clear(&out);
    o->type->describe(o, &s, &out);
    assert_string_equal(text_str(&out), "at the beginning");
    state_free(&s);
    text_free(&out);
    object_close(o);
    values_free(v);
}

/* The results an operation may have whose result is not known, each once, in the order of the choices. */
static void possible(const object *o, state *s, const operation *op, const value *expected, unsigned n) {
    for (unsigned choice = 0; choice <= n; choice++) {
        state next = {0};
        value res = VALUE_UNKNOWN;
        state_copy(&next, s);
        step_result r = o->type->step(o, &next, op, choice, &res);
        if (choice == n) assert_int_equal(r, STEP_ILLEGAL);
        else assert_int_equal(res, expected[choice]);
        state_free(&next);
    }
}

static void pending_operations_return_what_there_is(void **unused) {
    (void)unused;
    values *v = values_new();
    object *o =
        object_of("theory t extends atomic\nmethod put(value)\nmethod look(value) -> value\nmethod take() -> removed\n"
                  "method test() -> bool\nmethod count() -> int\naxiom it: forall x. arg(x) != 9 & ret(x) != \"q\"\n",
                  NULL, v);
    value one = value_int(v, 1), word = value_bytes(v, "w", 1), nine = value_int(v, 9),
          new = value_int(v, INT64_C(0x51ab17e0c0ffee)), res;
    state s = {0};
    operation put = operation_of(o, "put", 1, one, VALUE_NONE), put_word = operation_of(o, "put", 1, word, VALUE_NONE);
    o->type->init(o, &s);
    o->type->step(o, &s, &put, 0, &res);
    o->type->step(o, &s, &put_word, 0, &res);
    operation op = operation_of(o, "put", 1, one, VALUE_UNKNOWN);
    possible(o, &s, &op, (value[]){VALUE_NONE}, 1);
    op = operation_of(o, "test", 0, one, VALUE_UNKNOWN);
    possible(o, &s, &op, (value[]){VALUE_TRUE, VALUE_FALSE}, 2);
    op = operation_of(o, "count", 0, one, VALUE_UNKNOWN);
    possible(o, &s, &op, (value[]){nine, one, new}, 3);
    op = operation_of(o, "take", 0, one, VALUE_UNKNOWN);
    possible(o, &s, &op, (value[]){VALUE_NONE, VALUE_EMPTY, nine, one, word, new}, 6);
    op = operation_of(o, "look", 1, value_int(v, 4), VALUE_UNKNOWN);
    possible(o, &s, &op, (value[]){VALUE_NONE, nine, value_int(v, 4), one, word, new}, 6);
    state_free(&s);
    object_close(o);
    values_free(v);
}

/* Clients are part of the state only where the theory speaks of them. */
static void clients_are_kept_where_they_matter(void **unused) {
    (void)unused;
    static const struct {
        const char *source;
        bool sees;
    } rows[] = {{"theory t extends atomic\nmethod go()\naxiom one: forall x,y. client(x) = client(y)\n", true},
                {"theory t extends atomic\nmethod go()\n", false}};
    for (unsigned i = 0; i < 2; i++) {
        values *v = values_new();
        object *o = object_of(rows[i].source, NULL, v);
        state s = {0}, other = {0};
        value res;
        operation go = operation_of(o, "go", 0, VALUE_NONE, VALUE_NONE), theirs = go;
        theirs.client = 1;
        assert_int_equal(o->type->sees_clients, rows[i].sees);
        o->type->init(o, &s);
        o->type->init(o, &other);
        o->type->step(o, &s, &go, 0, &res);
        o->type->step(o, &other, &theirs, 0, &res);
        assert_true(state_equal(&s, &other) == !rows[i].sees);
        assert_int_equal(o->type->step(o, &s, &theirs, 0, &res), rows[i].sees ? STEP_ILLEGAL : STEP_LEGAL);
        state_free(&s);
        state_free(&other);
        object_close(o);
        values_free(v);
    }
}

static void refuses(const char *source, const char *init, int code, const char *expected) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    if (!t) fail_msg("%s", e.what);
    assert_null(theory_object(t, "f.thy", init, &e));
    assert_string_equal(e.what, expected);
    assert_int_equal(e.code, code);
}

static void what_cannot_be_an_object(void **unused) {
    (void)unused;
    refuses("theory t extends atomic", NULL, EXIT_BAD_INPUT,
            "f.thy: theory t has no methods; expected method NAME(...)");
    refuses("theory t\nmethod go()\n", NULL, EXIT_BAD_INPUT,
            "f.thy: theory t does not order all operations; expected one that extends atomic (of regular and safe "
            "registers: --object register --criterion regular, or safe)");
    refuses("theory t extends atomic\nmethod go()\n", "5", EXIT_USAGE, "theory t takes no initial value");
    refuses("theory t extends atomic\nmethod go()\naxiom it: forall x. arg(x) = 3 | arg(x) = none\n", "5", EXIT_USAGE,
            "theory t takes no initial value");
}

static void initial_values_are_taken(void **unused) {
    (void)unused;
    values *v = values_new();
    object *o = object_of(
        "theory t extends atomic\nmethod read() -> value\naxiom it: forall x. ret(x) != 3 & ret(x) = init\n", "5", v);
    state s = {0};
    value res;
    operation right = operation_of(o, "read", 0, VALUE_NONE, value_int(v, 5)),
              wrong = operation_of(o, "read", 0, VALUE_NONE, value_int(v, 6));
    assert_true(o->type->takes_init);
    o->type->init(o, &s);
    assert_int_equal(o->type->step(o, &s, &wrong, 0, &res), STEP_ILLEGAL);
    o->type->init(o, &s);
    assert_int_equal(o->type->step(o, &s, &right, 0, &res), STEP_LEGAL);
    assert_int_equal(res, value_int(v, 5));
    assert_non_null(theory_of_object(o));
    state_free(&s);
    object_close(o);
    error e = {0};
    o = specification_open("queue", NULL, &e);
    assert_null(theory_of_object(o));
    object_close(o);
    values_free(v);
}

TEST_MAIN(TEST(theories_give_the_same_answers), TEST(prefixes_need_not_be_models), TEST(nothing_need_follow),
          TEST(partial_orders_are_refused), TEST(states_are_told), TEST(pending_operations_return_what_there_is),
          TEST(clients_are_kept_where_they_matter), TEST(what_cannot_be_an_object), TEST(initial_values_are_taken))
