/* Sums and counts in theories: what they are worth on sequences, where they are not known yet, which results they ask
 * for, and mistakes in them. */
#include "support/cmocka.h"

#include "theory/evaluate.h"
#include "theory/theory_object.h"

#include <string.h>

enum { MOST = 8 };

typedef struct sequence {
    theory *t;
    object *o;
    values *v;
    theory_binding b;
    operation op[MOST];
    uint32_t n;
} sequence;

static const char counting[] =
    "theory c extends atomic\nmethod put(int)\nmethod take() -> removed\nmethod size() -> int\n"
    "method total() -> int\n";

static void begin(sequence *s, const char *axioms) {
    text source = {0};
    error e = {0};
    text_add(&source, counting);
    text_add(&source, axioms);
    s->n = 0;
    s->v = values_new();
    s->t = theory_parse(text_str(&source), "c.thy", "", &e);
    assert_string_equal(e.what, "");
    s->o = theory_object(theory_parse(text_str(&source), "c.thy", "", &e), "c.thy", NULL, &e);
    assert_non_null(s->o);
    object_use_values(s->o, s->v);
    theory_bind(s->t, s->o, &s->b);
    text_free(&source);
}

static void end(sequence *s) {
    object_close(s->o);
    theory_free(s->t);
    values_free(s->v);
}

static void add(sequence *s, const char *name, int arg, value res) {
    operation *op = &s->op[s->n];
    *op = (operation){.index = s->n, .call = 2 * s->n, .ret = 2 * s->n + 1, .key = VALUE_NONE, .res = res};
    op->method = (uint8_t)theory_method(s->t, name);
    op->nargs = arg != 0;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) op->arg[a] = VALUE_NONE;
    if (arg) op->arg[0] = value_int(s->v, arg);
    s->n++;
}

static void put_three(sequence *s) {
    add(s, "put", 5, VALUE_NONE);
    add(s, "put", 7, VALUE_NONE);
    add(s, "take", 0, value_int(s->v, 5));
    add(s, "take", 0, VALUE_EMPTY);
}

static bool holds_for(const char *axiom_text, const char *method_name, int result) {
    sequence s;
    begin(&s, axiom_text);
    put_three(&s);
    add(&s, method_name, 0, value_int(s.v, result));
    const bool is = theory_is_model(&s.b, s.op, s.n, NULL);
    assert_int_equal(is, theory_may_begin(&s.b, s.op, s.n)); /* only what comes before is counted */
    end(&s);
    return is;
}

#define SIZE "count(x. meth(x)=put & b(x,s)) - count(y. meth(y)=take & ret(y)!=empty & b(y,s))"
#define TOTAL "sum(x. meth(x)=put & b(x,s), arg(x))"

static void worth(void **unused) {
    (void)unused;
    const char *size = "axiom a: forall s. meth(s)=size -> ret(s) = " SIZE "\n";
    const char *total = "axiom a: forall s. meth(s)=total -> ret(s) = " TOTAL "\n";
    for (int i = -1; i < 4; i++) assert_int_equal(holds_for(size, "size", i), i == 1);
    for (int i = 11; i < 14; i++) assert_int_equal(holds_for(total, "total", i), i == 12);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(holds_for("axiom a: forall s. meth(s)=size -> ret(s) <= " SIZE "\n", "size", i), i <= 1);
        assert_int_equal(holds_for("axiom a: forall s. meth(s)=size -> ret(s) < " SIZE "\n", "size", i), i < 1);
        assert_int_equal(holds_for("axiom a: forall s. meth(s)=size -> " SIZE " <= ret(s)\n", "size", i), i >= 1);
        assert_int_equal(holds_for("axiom a: forall s. meth(s)=size -> ret(s) != " SIZE "\n", "size", i), i != 1);
        assert_int_equal(holds_for("axiom a: forall s. meth(s)=size -> ret(s) + 2 = " SIZE " + 3\n", "size", i),
                         i == 2);
    }
}

/* What is no integer has no sum: neither equal to anything nor below it. */
static void no_integer(void **unused) {
    (void)unused;
    assert_false(
        holds_for("axiom a: forall s. meth(s)=size -> 0 <= sum(y. meth(y)=take & b(y,s), ret(y))\n", "size", 0));
    assert_true(
        holds_for("axiom a: forall s. meth(s)=size -> !(0 <= sum(y. meth(y)=take & b(y,s), ret(y)))\n", "size", 0));
}

/* At most two puts in all: what may follow is no reason to refuse a beginning, but what is there is. */
static void beginnings(void **unused) {
    (void)unused;
    sequence s;
    begin(&s, "axiom a: count(x. meth(x)=put) = 2\n");
    assert_non_null(theory_open_ended(s.t));
    assert_false(theory_is_model(&s.b, s.op, 0, NULL));
    assert_true(theory_may_begin(&s.b, s.op, 0));
    for (unsigned i = 1; i <= 3; i++) {
        add(&s, "put", 5, VALUE_NONE);
        assert_int_equal(theory_is_model(&s.b, s.op, i, NULL), i == 2);
        assert_int_equal(theory_may_begin(&s.b, s.op, i), i <= 2);
    }
    end(&s);
    begin(&s, "axiom a: forall s. meth(s)=size -> ret(s) = count(x. meth(x)=put & b(x,s))\n");
    assert_null(theory_open_ended(s.t));
    end(&s);
}

static void wanted(void **unused) {
    (void)unused;
    wanted_results w;
    sequence s;
    begin(&s, "axiom a: forall s. meth(s)=size -> ret(s) = " SIZE
              "\naxiom b: forall s. meth(s)=total -> 2 - ret(s) = " TOTAL "\n");
    put_three(&s);
    add(&s, "size", 0, VALUE_UNKNOWN);
    theory_wanted_results(&s.b, s.op, s.n, &w);
    assert_int_equal(w.n, 1);
    assert_int_equal(w.at[0], 1);
    s.n--;
    add(&s, "total", 0, VALUE_UNKNOWN);
    theory_wanted_results(&s.b, s.op, s.n, &w);
    assert_int_equal(w.n, 1);
    assert_int_equal(w.at[0], -10);
    end(&s);
}

static void printed(void **unused) {
    (void)unused;
    sequence s;
    text first = {0}, again = {0}, source = {0};
    error e = {0};
    begin(&s, "axiom a: forall s. meth(s)=size -> ret(s) <= " SIZE
              "\naxiom b: forall s. meth(s)=total -> ret(s) = " TOTAL "\n");
    for (const char *const *name = (const char *const[]){"a", "b", NULL}; *name; name++) {
        text_clear(&first), text_clear(&again), text_clear(&source);
        formula_print(s.t, theory_axiom(s.t, *name)->as_written, &first);
        text_printf(&source, "%saxiom again: %s\n", counting, text_str(&first));
        theory *t = theory_parse(text_str(&source), "c.thy", "", &e);
        assert_string_equal(e.what, "");
        formula_print(t, theory_axiom(t, "again")->as_written, &again);
        assert_string_equal(text_str(&again), text_str(&first));
        theory_free(t);
    }
    text_free(&first), text_free(&again), text_free(&source);
    end(&s);
}

static void mistake(const char *axioms, const char *told) {
    text source = {0};
    error e = {0};
    text_printf(&source, "%s%s", counting, axioms);
    theory *t = theory_parse(text_str(&source), "c.thy", "", &e);
    if (t) assert_false(theory_makes_sense(t, "c.thy", &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    if (strcmp(e.what, told) != 0) fail_msg("told \"%s\", not \"%s\"", e.what, told);
    theory_free(t);
    text_free(&source);
}

static void mistakes(void **unused) {
    (void)unused;
    mistake("axiom a: forall s. ret(s) = sum(x. meth(x)=take, arg(x))\n",
            "c.thy:6:20: argument 1 of take, which has 0; expected a method with arguments");
    mistake("axiom a: forall s. meth(s)=put -> ret(s) + 1 = 2\n",
            "c.thy:6:35: the result of put, which has none; expected 'method put(...) -> KIND', or another method");
    mistake("axiom a: forall s. ret(s) = count(x meth(x)=put)\n", "c.thy:6:37: 'meth'; expected '.' and a formula");
    mistake("axiom a: forall s. ret(s) = sum(x. meth(x)=put)\n", "c.thy:6:47: ')'; expected ',' and what is summed up");
    mistake("axiom a: forall s. 1 + meth(s) = 2\n", "c.thy:6:20: a method or a client in a sum; expected integers");
    mistake("axiom a: count(x. meth(x)=put) = 0 - 1\n",
            "c.thy: the axioms of c are unsatisfiable: whatever its method, no operation can be the first; expected "
            "axioms that some history satisfies");
}

/* Every method begins with a key, or none does. */
static void keys(void **unused) {
    (void)unused;
    error e = {0};
    theory *t =
        theory_parse("theory k extends atomic\nmethod put(key, value)\nmethod get() -> value\n", "k.thy", "", &e);
    assert_non_null(t);
    assert_null(theory_object(t, "k.thy", NULL, &e));
    assert_string_equal(e.what,
                        "k.thy: some methods of theory k begin with a key and some do not; expected all or none");
    e = (error){0};
    assert_null(theory_parse("theory k extends atomic\nmethod put(value, key)\n", "k.thy", "", &e));
    assert_string_equal(e.what, "k.thy:2:19: 'key'; expected value or int, or key in front");
}

TEST_MAIN(TEST(worth), TEST(no_integer), TEST(beginnings), TEST(wanted), TEST(printed), TEST(mistakes), TEST(keys))
