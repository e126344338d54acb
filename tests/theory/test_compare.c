/* Theories and sequential objects agree on all sequential histories up to a length: at least 20,000 for each. */
#include "support/cmocka.h"

#include "theory/compare.h"
#include "object/types.h"
#include "theory/theory_object.h"

#include <stdlib.h>

typedef struct row {
    const char *theory, *object;
    uint32_t values, clients, length;
    uint64_t at_least;
} row;

/* Sanitizers are slow: one operation less. */
static unsigned sanitized(void) {
    const char *set = getenv("PLUMB_FEWER");
    return set && *set;
}

static comparison compare(const row *r, bool by_beginnings) {
    error e = {0};
    theory *t = theory_open(r->theory, &e);
    if (!t) fail_msg("%s", e.what);
    object *o = object_open(r->object, NULL, &e);
    if (!o) fail_msg("%s", e.what);
    values *v = values_new();
    object_use_values(o, v);
    budget b;
    budget_init(&b, 0, 0);
    comparison c;
    comparison_settings s = {.values = r->values,
                             .clients = r->clients,
                             .length = r->length - sanitized(),
                             .by_beginnings = by_beginnings,
                             .common = true};
    if (!theory_compare(t, o, &s, &b, &c, &e)) fail_msg("%s", e.what);
    object_close(o);
    theory_free(t);
    values_free(v);
    return c;
}

static void agree(const row *r, bool by_beginnings) {
    comparison c = compare(r, by_beginnings);
    if (!c.equal)
        fail_msg("%s and %s differ: %s: %s", r->theory, r->object,
                 c.theory_accepts ? "only the theory accepts" : "only the object accepts", text_str(&c.difference));
    if ((c.histories < r->at_least && !sanitized()) || !c.complete)
        fail_msg("%s: %llu histories only", r->theory, (unsigned long long)c.histories);
    print_message("%s: %llu histories of %u operations, %llu legal\n", r->theory, (unsigned long long)c.histories,
                  c.length, (unsigned long long)c.legal);
    assert_true(c.legal > 0 && c.legal < c.histories);
    comparison_free(&c);
}

static void theories_are_their_objects(void **unused) {
    (void)unused;
    static const row rows[] = {
        {"queue", "queue", 2, 0, 6, 19531},
        {"queue", "queue", 3, 0, 5, 19608},
        {"stack", "stack", 2, 0, 6, 19531},
        {"stack", "stack", 3, 0, 5, 19608},
        {"pool", "multiset", 2, 0, 6, 19531},
        {"pool", "multiset", 3, 0, 5, 19608},
        {"multiset", "multiset", 1, 0, 5, 66430},
        {"multiset", "multiset", 2, 0, 3, 7240},
        {"pqueue-max", "pqueue-max", 3, 0, 5, 19608},
        {"pqueue-max", "pqueue-max", 2, 0, 6, 19531},
        {"pqueue-min", "pqueue-min", 3, 0, 5, 19608},
        {"pqueue-min", "pqueue-min", 2, 0, 6, 19531},
        {"register", "register", 2, 0, 6, 19531},
        {"register", "register", 3, 0, 5, 19608},
        {"set", "set", 1, 0, 7, 21845},
        {"set", "set", 2, 0, 5, 37449},
        {"bset", "set", 1, 0, 6, 55987},
        {"bset", "set", 2, 0, 4, 20000},
        {"lock", "lock", 0, 2, 5, 37449},
        {"lock", "lock", 0, 1, 7, 21845},
        {"bounded-semaphore", "semaphore(permits=1,bounded=1)", 0, 0, 7, 21845},
        {"bounded-semaphore(2)", "semaphore(permits=2,bounded=1)", 0, 0, 7, 21845},
        {"bounded-semaphore(3)", "semaphore(permits=3,bounded=1)", 0, 0, 7, 21845},
        {"semaphore", "semaphore", 0, 0, 7, 21845},
        {"semaphore(2)", "semaphore(2)", 0, 0, 7, 21845},
        {"semaphore(3)", "semaphore(3)", 0, 0, 6, 5461},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) agree(&rows[i], false);
}

/* Longer ones: beginnings that are refused for good stand for the rest. */
static void semaphores_by_beginnings(void **unused) {
    (void)unused;
    static const row rows[] = {
        {"bounded-semaphore", "semaphore(permits=1,bounded=1)", 0, 0, 8, 87381},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) agree(&rows[i], true);
}

/* ---- differences, counts and limits ---- */

typedef struct comparing_pair {
    theory *t;
    object *o;
    values *v;
} comparing_pair;

static comparing_pair pair_of(const char *source, const char *object_name) {
    error e = {0};
    comparing_pair p = {.t = theory_parse(source, "f.thy", "", &e), .v = values_new()};
    if (!p.t) fail_msg("%s", e.what);
    if (!(p.o = object_name ? object_open(object_name, NULL, &e)
                            : theory_object(theory_parse(source, "g", "", &e), "g", NULL, &e)))
        fail_msg("%s", e.what);
    object_use_values(p.o, p.v);
    return p;
}

static comparison compare_pair(const comparing_pair *p, comparison_settings s) {
    error e = {0};
    comparison c;
    budget b;
    budget_init(&b, 0, 0);
    if (!theory_compare(p->t, p->o, &s, &b, &c, &e)) fail_msg("%s", e.what);
    return c;
}

static void pair_free(comparing_pair *p) {
    theory_free(p->t);
    object_close(p->o);
    values_free(p->v);
}

#define QUEUE "theory t extends queue"

/* All words over the alphabet are counted, also those that stand behind a refused beginning. */
static void words_are_counted(void **unused) {
    (void)unused;
    static const struct {
        comparison_settings s;
        uint32_t letters, length;
        uint64_t histories;
    } rows[] = {
        {{.values = 1, .length = 3}, 3, 3, 1 + 3 + 9 + 27},
        {{.values = 1, .length = 3, .by_beginnings = true}, 3, 3, 1 + 3 + 9 + 27},
        {{.length = 2}, 5, 2, 1 + 5 + 25},
        {{.values = 3, .length = 1}, 7, 1, 1 + 7},
        {{.values = 1, .histories = 27}, 3, 3, 1 + 3 + 9 + 27},
        {{.values = 1, .histories = 26}, 3, 2, 1 + 3 + 9},
        {{.values = 1, .histories = 2}, 3, 1, 1 + 3},
    };
    comparing_pair p = pair_of(QUEUE, "queue");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        comparison c = compare_pair(&p, rows[i].s);
        assert_true(c.equal && c.complete);
        assert_int_equal(c.letters, rows[i].letters);
        assert_int_equal(c.length, rows[i].length);
        assert_int_equal(c.histories, rows[i].histories);
        comparison_free(&c);
    }
    pair_free(&p);
}

/* Sequences of one operation: there are as many as there are lengths, and sixteen operations are the most. */
static void length_is_limited(void **unused) {
    (void)unused;
    comparing_pair p = pair_of("theory t extends atomic\nmethod go()\n", NULL);
    static const uint32_t asked[] = {0, 15, 16, 17, 40}, looked_at[] = {16, 15, 16, 16, 16};
    for (unsigned i = 0; i < 5; i++) {
        comparison c = compare_pair(&p, (comparison_settings){.length = asked[i]});
        assert_true(c.equal && c.complete);
        assert_int_equal(c.length, looked_at[i]);
        assert_int_equal(c.histories, looked_at[i] + 1);
        assert_int_equal(c.legal, c.histories);
        comparison_free(&c);
    }
    pair_free(&p);
}

/* Clients are told apart where the theory sees them. */
static void clients_make_letters(void **unused) {
    (void)unused;
    comparing_pair p = pair_of("theory t extends lock", "lock");
    comparison two = compare_pair(&p, (comparison_settings){.length = 2}),
               one = compare_pair(&p, (comparison_settings){.length = 2, .clients = 1}),
               three = compare_pair(&p, (comparison_settings){.length = 2, .clients = 3});
    assert_int_equal(two.letters, 2 * one.letters);
    assert_int_equal(three.letters, 3 * one.letters);
    comparison_free(&one);
    comparison_free(&two);
    comparison_free(&three);
    pair_free(&p);
}

static void differs(const char *source, const char *object_name, bool theory_accepts, const char *difference,
                    const char *axiom_name) {
    comparing_pair p = pair_of(source, object_name);
    comparison c = compare_pair(&p, (comparison_settings){.length = 4});
    assert_false(c.equal);
    assert_true(c.complete);
    assert_string_equal(text_str(&c.difference), difference);
    assert_string_equal(text_str(&c.axiom), axiom_name);
    assert_true(c.theory_accepts == theory_accepts);
    comparison_free(&c);
    pair_free(&p);
}

/* The shortest difference is told, with the axiom that refuses it by itself. */
static void differences(void **unused) {
    (void)unused;
    differs(QUEUE " -fifo", "queue", true, "enq(1); enq(2); deq() -> 2", "");
    differs(QUEUE "\naxiom never: forall x. meth(x) = add -> arg(x) = 1", "queue", false, "enq(2)", "never");
    differs("theory t extends lock\naxiom never: forall x,y. client(x) = client(y)", "lock", false,
            "lock() by client 0; trylock() -> false by client 1", "never");
}

static void refuses(const comparing_pair *p, comparison_settings s, const char *expected) {
    error e = {0};
    comparison c;
    budget b;
    budget_init(&b, 0, 0);
    assert_false(theory_compare(p->t, p->o, &s, &b, &c, &e));
    assert_string_equal(e.what, expected);
    assert_int_equal(e.code, EXIT_USAGE);
    assert_int_equal(c.histories, 0);
    comparison_free(&c);
}

static void alphabets_are_limited(void **unused) {
    (void)unused;
    comparing_pair p = pair_of("theory t extends atomic\nmethod enq(value)\n", "queue");
    comparison c = compare_pair(&p, (comparison_settings){.values = 256, .length = 1, .common = true});
    assert_int_equal(c.letters, 256);
    comparison_free(&c);
    refuses(&p, (comparison_settings){.values = 257}, "257 values; expected at most 256");
    pair_free(&p);
    p = pair_of(QUEUE, "queue");
    refuses(&p, (comparison_settings){.values = 128}, "more than 256 different operations; expected fewer values");
    pair_free(&p);
    p = pair_of("theory t extends atomic\nmethod nothing()\n", "queue");
    refuses(&p, (comparison_settings){0}, "theory t and object queue have no method in common");
    pair_free(&p);
}

/* A method of one side is a difference, whoever has it; only when asked to is it left out, and then it is named. */
static void methods_of_one_side(void **unused) {
    (void)unused;
    static const struct {
        const char *source, *only_theory, *only_object;
    } rows[] = {
        {QUEUE "\nmethod peek() -> removed", "peek", ""},
        {"theory t extends atomic\nmethod enq(value)", "", "deq"},
        {"theory t extends atomic\nmethod enq(value)\nmethod look()\nmethod size() -> int", "look, size", "deq"},
        {QUEUE, "", ""}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        comparing_pair p = pair_of(rows[i].source, "queue");
        for (unsigned common = 0; common < 2; common++) {
            comparison c = compare_pair(&p, (comparison_settings){.length = 1, .common = common});
            assert_string_equal(text_str(&c.only_theory), rows[i].only_theory);
            assert_string_equal(text_str(&c.only_object), rows[i].only_object);
            if (!common && i < 3) assert_false(c.equal || c.histories);
            if (i == 3) assert_true(c.equal);
            comparison_free(&c);
        }
        pair_free(&p);
    }
}

#define MAP \
    "theory map extends atomic\nmethod put(value, value)\nmethod get(value) -> value\n" \
    "match: meth(x)=put & meth(y)=get & arg(x)=arg(y) & arg2(x)=ret(y)\n" \
    "axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2\n"

/* Keys are told apart: a theory that mixes them up differs from kv, and not by one operation. */
static void keys_are_compared(void **unused) {
    (void)unused;
    static const struct {
        const char *source, *difference;
    } rows[] = {
        {MAP "axiom found: forall r. meth(r)=get & ret(r)!=none -> exists a. match(a,r) & b(a,r)"
             " & (forall d. meth(d)=put & arg(d)=arg(r) & b(a,d) -> b(r,d))\n"
             "axiom missing: forall r,a. meth(r)=get & ret(r)=none & meth(a)=put & arg(a)=arg(r) -> b(r,a)",
         ""},
        {MAP "axiom found: forall r. meth(r)=get & ret(r)!=none -> exists a. match(a,r) & b(a,r)"
             " & (forall d. meth(d)=put & b(a,d) -> b(r,d))\n"
             "axiom missing: forall r,a. meth(r)=get & ret(r)=none & meth(a)=put & arg(a)=arg(r) -> b(r,a)",
         "put(1, 1); put(2, 1); get(1) -> 1"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        comparing_pair p = pair_of(rows[i].source, "kv");
        comparison c = compare_pair(&p, (comparison_settings){.length = 4, .common = true});
        assert_string_equal(text_str(&c.difference), rows[i].difference);
        assert_true(c.equal == (i == 0) && c.keys == 2);
        if (i == 0) assert_true(c.letters == 4 + 2 * 3 && c.histories == 1 + 10 + 100 + 1000 + 10000);
        comparison_free(&c);
        pair_free(&p);
    }
}

/* What was not looked at is not said to be. */
static void a_spent_budget_is_told(void **unused) {
    (void)unused;
    comparing_pair p = pair_of(QUEUE, "queue");
    error e = {0};
    comparison c;
    budget b;
    budget_init(&b, 0, 0);
    budget_stop(&b, STOP_TIME);
    assert_true(theory_compare(p.t, p.o, &(comparison_settings){.length = 5}, &b, &c, &e));
    assert_true(c.equal);
    assert_false(c.complete);
    comparison_free(&c);
    pair_free(&p);
}

/* Leaving out what both refuse for good hides no difference, whichever of them goes on. */
static void differences_by_beginnings(void **unused) {
    (void)unused;
    static const char *const other[][2] = {{"queue", "stack"}, {"stack", "queue"}};
    for (unsigned i = 0; i < 2; i++) {
        text source = {0};
        text_printf(&source, "theory t extends %s", other[i][0]);
        comparing_pair p = pair_of(text_str(&source), other[i][1]);
        comparison whole = compare_pair(&p, (comparison_settings){.length = 4}),
                   fast = compare_pair(&p, (comparison_settings){.length = 4, .by_beginnings = true});
        assert_false(whole.equal || fast.equal);
        assert_string_equal(text_str(&whole.difference), text_str(&fast.difference));
        assert_true(whole.theory_accepts == fast.theory_accepts);
        comparison_free(&whole);
        comparison_free(&fast);
        pair_free(&p);
        text_free(&source);
    }
}

/* A register that hides a number: each write may leave any of 70, and only the last of them lets it be read. */
enum { HIDDEN = 70 };

static void hidden_init(const object *o, state *s) {
    object_type_register.init(o, s);
    state_push(s, HIDDEN - 1);
}

static step_result hidden_step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    bool writes = op->nargs > 0;
    if (choice >= (writes ? HIDDEN : 1) || (!writes && s->w[1] != HIDDEN - 1)) return STEP_ILLEGAL;
    s->n = 1; /* the register's own */
    step_result r = object_type_register.step(o, s, op, 0, res);
    s->n = 2;
    if (writes) s->w[1] = choice;
    return r != STEP_ILLEGAL && writes && choice + 1 < HIDDEN ? STEP_LEGAL_MORE : r;
}

/* However many states the object may be in, none is forgotten; and each is kept once, or there were 70^4 of them. */
static void all_states_of_a_nondeterministic_object(void **unused) {
    (void)unused;
    comparing_pair p = pair_of("theory t extends register", "register");
    const object_type *own = p.o->type;
    object_type hidden = *own;
    hidden.init = hidden_init;
    hidden.step = hidden_step;
    p.o->type = &hidden;
    comparison c = compare_pair(&p, (comparison_settings){.values = 1, .length = 4});
    if (!c.equal) fail_msg("%s", text_str(&c.difference));
    assert_true(c.complete && c.legal > 0);
    comparison_free(&c);
    p.o->type = own;
    pair_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_counted),
                                       cmocka_unit_test(differences_by_beginnings),
                                       cmocka_unit_test(all_states_of_a_nondeterministic_object),
                                       cmocka_unit_test(length_is_limited),
                                       cmocka_unit_test(clients_make_letters),
                                       cmocka_unit_test(differences),
                                       cmocka_unit_test(alphabets_are_limited),
                                       cmocka_unit_test(methods_of_one_side),
                                       cmocka_unit_test(keys_are_compared),
                                       cmocka_unit_test(a_spent_budget_is_told),
                                       cmocka_unit_test(theories_are_their_objects),
                                       cmocka_unit_test(semaphores_by_beginnings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
