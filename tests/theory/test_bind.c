/* A theory meets an object: which of its methods, values and operations it speaks of, and which theory is chosen. */
#include "support/cmocka.h"

#include "theory/theory_object.h"

#include <string.h>

typedef struct pair {
    theory *t;
    object *o;
    values *v;
    theory_binding b;
} pair;

static pair bind(const char *source, const char *object_name, const char *init) {
    pair p = {0};
    error e = {0};
    p.t = theory_parse(source, "f.thy", "", &e);
    p.o = object_open(object_name, init, &e);
    if (e.code) fail_msg("%s", e.what);
    p.v = values_new();
    object_use_values(p.o, p.v);
    theory_bind(p.t, p.o, &p.b);
    return p;
}

static void pair_free(pair *p) {
    theory_free(p->t);
    object_close(p->o);
    values_free(p->v);
}

static uint8_t bound_to(const pair *p, const char *name) {
    int m = object_type_method(p->o->type, name);
    assert_true(m >= 0);
    return p->b.method[m];
}

static void methods_by_name_and_alias(void **unused) {
    (void)unused;
    pair p = bind("theory t\nmethod other()\nmethod deq() -> removed\nmethod put(value) also insert enq store\n",
                  "queue", NULL);
    assert_int_equal(bound_to(&p, "deq"), 1);
    assert_int_equal(bound_to(&p, "enq"), 2);
    assert_int_equal(theory_method(p.t, "insert"), 2);
    assert_int_equal(theory_method(p.t, "store"), 2);
    assert_int_equal(theory_method(p.t, "put"), 2);
    assert_int_equal(theory_method(p.t, "other"), 0);
    assert_int_equal(theory_method(p.t, "en"), -1);
    assert_int_equal(theory_method(p.t, "enqu"), -1);
    assert_int_equal(theory_method(p.t, "insert enq"), -1);
    assert_int_equal(theory_method(p.t, "enr"), -1);
    pair_free(&p);
    p = bind("theory t\nmethod enq(value)\n", "queue", NULL);
    assert_int_equal(bound_to(&p, "deq"), NO_METHOD);
    pair_free(&p);
}

/* A method's own name goes before an alias. */
static void names_before_aliases(void **unused) {
    (void)unused;
    pair p = bind("theory t\nmethod put(value) also enq\nmethod enq(value)\n", "queue", NULL);
    assert_int_equal(bound_to(&p, "enq"), 1);
    pair_free(&p);
}

static void constants_become_values(void **unused) {
    (void)unused;
    pair p = bind("theory t\nmethod read() -> value\naxiom it: forall x. ret(x) = init | ret(x) = 7 | ret(x) = \"q\" | "
                  "ret(x) = none\n",
                  "register", "5");
    assert_int_equal(p.b.constant[0], value_int(p.v, 5));
    assert_int_equal(p.b.constant[1], value_int(p.v, 7));
    assert_int_equal(p.b.constant[2], value_bytes(p.v, "q", 1));
    assert_int_equal(p.b.constant[3], VALUE_NONE);
    pair_free(&p);
}

static operation operation_of(const pair *p, const char *name, unsigned nargs, value arg, value res) {
    operation op = {.method = (uint8_t)object_type_method(p->o->type, name),
                    .nargs = (uint8_t)nargs,
                    .key = VALUE_NONE,
                    .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE},
                    .res = res};
    for (unsigned a = 0; a < nargs; a++) op.arg[a] = arg;
    return op;
}

static bool covers(const pair *p, const char *name, unsigned nargs, value arg, value res) {
    operation op = operation_of(p, name, nargs, arg, res);
    return theory_covers(&p->b, &op);
}

static void operations_that_are_spoken_of(void **unused) {
    (void)unused;
    pair p = bind("theory t\nmethod add(value)\nmethod contains(value, value?) -> bool\nmethod remove() -> int\n",
                  "set", NULL);
    value one = value_int(p.v, 1), word = value_bytes(p.v, "q", 1);
    assert_true(covers(&p, "add", 1, one, VALUE_NONE));
    assert_true(covers(&p, "add", 1, one, VALUE_UNKNOWN));
    assert_true(covers(&p, "add", 1, VALUE_NONE, VALUE_NONE));
    assert_false(covers(&p, "add", 1, one, VALUE_TRUE));
    assert_false(covers(&p, "add", 0, one, VALUE_NONE));
    assert_false(covers(&p, "add", 2, one, VALUE_NONE));
    assert_true(covers(&p, "contains", 1, one, VALUE_TRUE));
    assert_true(covers(&p, "contains", 2, one, VALUE_FALSE));
    assert_false(covers(&p, "contains", 2, VALUE_NONE, VALUE_FALSE));
    assert_false(covers(&p, "contains", 1, one, VALUE_NONE));
    assert_false(covers(&p, "contains", 1, one, one));
    assert_true(covers(&p, "remove", 0, one, one));
    assert_false(covers(&p, "remove", 0, one, word));
    assert_false(covers(&p, "remove", 0, one, VALUE_EMPTY));
    pair_free(&p);
    p = bind("theory t\nmethod add(value)\n", "set", NULL);
    assert_false(covers(&p, "contains", 1, one, VALUE_TRUE));
    pair_free(&p);
}

/* Tuples are ordered by their first item; one without items is not. */
static void order_of_values(void **unused) {
    (void)unused;
    values *v = values_new();
    value one = value_int(v, 1), two = value_int(v, 2);
    value low = value_tuple(v, (value[]){one, two}, 2), high = value_tuple(v, (value[]){two, one}, 2);
    value nothing = value_tuple(v, NULL, 0);
    assert_true(theory_less(v, one, two));
    assert_false(theory_less(v, two, one));
    assert_false(theory_less(v, one, one));
    assert_true(theory_less(v, low, high));
    assert_false(theory_less(v, high, low));
    assert_true(theory_less(v, low, two));
    assert_false(theory_less(v, low, one));
    assert_true(theory_less(v, one, high));
    assert_false(theory_less(v, two, high));
    assert_true(theory_less(v, nothing, one) == (value_compare(v, nothing, one) < 0));
    assert_true(theory_less(v, one, nothing) == (value_compare(v, one, nothing) < 0));
    values_free(v);
}

TEST_MAIN(TEST(methods_by_name_and_alias), TEST(names_before_aliases), TEST(constants_become_values),
          TEST(operations_that_are_spoken_of), TEST(order_of_values))
