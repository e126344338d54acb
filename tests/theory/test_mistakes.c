/* Mistakes of theories that read well are told; what is right, or may be, is not refused. */
#include "support/cmocka.h"

#include "theory/theory.h"

#include <string.h>

#define QUEUE "theory t extends queue\n"
#define ATOMIC "theory t extends atomic\nmethod go(value)\nmethod stop(value?) -> bool\nmethod look()\n"

static bool makes_sense(const char *source, error *e) {
    theory *t = theory_parse(source, "f.thy", "", e);
    if (!t) fail_msg("%s", e->what);
    bool good = theory_makes_sense(t, "f.thy", e);
    theory_free(t);
    return good;
}

static void refused(const char *source, const char *expected) {
    error e = {0};
    if (makes_sense(source, &e)) fail_msg("not refused: %s", source);
    if (!strstr(e.what, expected)) fail_msg("'%s' does not say '%s'", e.what, expected);
    assert_int_equal(e.code, EXIT_BAD_INPUT);
}

static void fine(const char *source) {
    error e = {0};
    if (!makes_sense(source, &e)) fail_msg("%s: %s", source, e.what);
}

static void labels_that_are_missing(void **unused) {
    (void)unused;
    refused(QUEUE "axiom x: forall a. meth(a)=add -> arg2(a)=1",
            "f.thy:2:35: argument 2 of add, which has 1; expected");
    refused(QUEUE "axiom x: forall a. meth(a)=add -> ret(a)=1", "f.thy:2:35: the result of add, which has none");
    refused(QUEUE "axiom x: forall a,r. match(a,r) -> arg(a)=arg(r)", "argument 1 of remove, which has 0");
    refused(QUEUE "axiom x: forall a. arg3(a) < 2", "argument 3 of ");
    refused(QUEUE "axiom x: exists a. meth(a)=add & (forall b. meth(b)=remove -> ret(b)=ret(a))", "the result of add");
    refused(ATOMIC "axiom x: forall a. meth(a)!=stop -> arg(a)=1", "argument 1 of look");
    refused(ATOMIC "match: meth(x)=go & meth(y)=look & arg(x)=arg(y)", "f.thy:5:36: argument 1 of look");
    refused(ATOMIC "define one(x): ret(x)=true\naxiom x: forall a. meth(a)=go -> one(a)",
            "f.thy:5:16: the result of go");
}

/* An argument that may be left out is there; what an operation of any method may have is asked of it; whether a label is
 * missing may be asked of all. */
static void labels_that_may_be_there(void **unused) {
    (void)unused;
    fine(QUEUE "axiom x: forall a. arg(a) <= 7");
    fine(QUEUE "axiom x: forall a. meth(a)=add -> ret(a)=none & arg2(a)=none");
    fine(QUEUE "axiom x: forall a,r. meth(a)=add & meth(r)=remove & b(a,r) -> arg(a)=ret(r) | ret(r)=empty");
    fine(ATOMIC "axiom x: forall a. meth(a)=stop -> arg(a)=1 | ret(a)=true");
    fine(ATOMIC "axiom x: forall a. meth(a)=go & meth(a)=look -> arg2(a)=1"); /* of no operation at all */
}

static void axioms_that_refuse_everything(void **unused) {
    (void)unused;
    const char *said = "the axioms of t are unsatisfiable";
    refused("theory t\nmethod w(value)\naxiom total: forall x,y. b(x,y) ^ b(y,x)", said);
    refused(ATOMIC "axiom x: forall a. exists b. b(b,a)", said);
    refused(ATOMIC "axiom x: forall a. meth(a)!=go & meth(a)!=stop\naxiom y: forall a. meth(a)!=look", said);
    refused(QUEUE "axiom x: forall a. meth(a)!=add\naxiom y: forall r. meth(r)=remove -> ret(r)!=empty\n"
                  "axiom z: forall r. meth(r)=remove -> exists a. meth(a)=add & b(a,r)",
            said);
    fine(ATOMIC "axiom x: forall a. meth(a)!=go & meth(a)!=stop");
    fine(ATOMIC "axiom x: forall a. meth(a)=go -> exists b. meth(b)=stop & b(a,b)"); /* not at its first operation */
    fine("theory t extends order\nmethod w()\naxiom x: forall a. exists b. b(b,a) | b(a,b)");
}

static void shipped_theories(void **unused) {
    (void)unused;
    const theory_file *f;
    for (unsigned i = 0; (f = theory_file_at(i)); i++) fine(f->source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_that_are_missing), cmocka_unit_test(labels_that_may_be_there),
        cmocka_unit_test(axioms_that_refuse_everything), cmocka_unit_test(shipped_theories)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
