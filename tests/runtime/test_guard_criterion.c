/* Guards with a criterion other than the object's own, and guards and recorders of theory files. */
#include "support/cmocka.h"

#include <plumbline/guard.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char belt[] = "theory belt extends atomic\n"
                           "method enq(value)\n"
                           "method deq() -> removed\n"
                           "match: meth(x)=enq & meth(y)=deq & arg(x)=ret(y)\n"
                           "axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2\n"
                           "axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2\n"
                           "axiom taken: forall r. meth(r)=deq & ret(r)!=empty -> exists a. match(a,r) & b(a,r)\n"
                           "axiom empty: forall e,a. meth(e)=deq & ret(e)=empty & meth(a)=enq & b(a,e)\n"
                           "    -> exists r. match(a,r) & b(r,e)\n"
                           "axiom fifo: forall a1,a2,r2. meth(a1)=enq & match(a2,r2) & b(a1,a2)\n"
                           "    -> exists r1. match(a1,r1) & b(r1,r2)\n";

static char theory_path[64];

static int write_theory(void **unused) {
    (void)unused;
    snprintf(theory_path, sizeof theory_path, "/tmp/plumb-guard-%ld.thy", (long)getpid());
    FILE *f = fopen(theory_path, "w");
    assert_non_null(f);
    fputs(belt, f);
    return fclose(f);
}

static int remove_theory(void **unused) {
    (void)unused;
    return unlink(theory_path);
}

static plumb_answer does(plumb_guard *g, plumb_member *me, const char *name, int64_t arg, plumb_value result) {
    int which = plumb_guard_method(g, name);
    plumb_value given = plumb_int(arg);
    assert_true(which >= 0);
    plumb_guard_call(me, which, &given, arg ? 1 : 0);
    return plumb_guard_ret(me, result);
}

/* enq(1), enq(2), then deq() -> first, deq() -> second: the answers to the last two. */
static void two_out(const char *object, const char *criterion, int first, int second, plumb_answer of_first,
                    plumb_answer of_second) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = object, .criterion = criterion, .threads = 2};
    plumb_guard *g = plumb_guard_open(&o);
    if (plumb_guard_error(g)) fail_msg("%s", plumb_guard_error(g));
    plumb_member *me = plumb_guard_join(g);
    assert_int_equal(does(g, me, "enq", 1, plumb_none()), PLUMB_VERIFIED);
    assert_int_equal(does(g, me, "enq", 2, plumb_none()), PLUMB_VERIFIED);
    assert_int_equal(does(g, me, "deq", 0, plumb_int(first)), of_first);
    assert_int_equal(does(g, me, "deq", 0, plumb_int(second)), of_second);
    plumb_guard_leave(me);
    plumb_guard_close(g);
}

static void relaxed_queues(void **unused) {
    (void)unused;
    two_out("queue", NULL, 1, 2, PLUMB_VERIFIED, PLUMB_VERIFIED);
    two_out("queue", NULL, 2, 1, PLUMB_REFUSED, PLUMB_REFUSED);
    two_out("queue", "quasi(1)", 2, 1, PLUMB_VERIFIED, PLUMB_VERIFIED);
    two_out("queue", "quasi(1)", 2, 3, PLUMB_VERIFIED, PLUMB_REFUSED);
    two_out("queue", "quasi(enq=0,deq=1)", 2, 1, PLUMB_VERIFIED, PLUMB_VERIFIED);
    two_out("queue", "quasi(enq=1,deq=0)", 2, 1, PLUMB_VERIFIED, PLUMB_VERIFIED);
    two_out("queue", "quasi(deq=0)", 2, 1, PLUMB_REFUSED, PLUMB_REFUSED);
    two_out("queue", "out-of-order(1)", 2, 1, PLUMB_VERIFIED, PLUMB_VERIFIED);
}

static void theories(void **unused) {
    (void)unused;
    two_out(theory_path, NULL, 1, 2, PLUMB_VERIFIED, PLUMB_VERIFIED);
    two_out(theory_path, NULL, 2, 1, PLUMB_REFUSED, PLUMB_REFUSED);
    two_out(theory_path, "quasi(deq=1)", 2, 1, PLUMB_VERIFIED, PLUMB_VERIFIED);
    two_out(theory_path, "quasi(deq=1)", 3, 1, PLUMB_REFUSED, PLUMB_REFUSED);
}

/* Two reads during one write: the new value, then the old one. */
static plumb_answer new_then_old(const char *criterion, int64_t old) {
    plumb_guard_options o = {
        .struct_size = sizeof o, .object = "register", .criterion = criterion, .init = "0", .threads = 2};
    plumb_guard *g = plumb_guard_open(&o);
    if (plumb_guard_error(g)) fail_msg("%s", plumb_guard_error(g));
    plumb_member *writer = plumb_guard_join(g), *reader = plumb_guard_join(g);
    int write = plumb_guard_method(g, "write");
    plumb_value one = plumb_int(1);
    plumb_guard_call(writer, write, &one, 1);
    assert_int_equal(does(g, reader, "read", 0, plumb_int(1)), PLUMB_VERIFIED);
    plumb_answer a = does(g, reader, "read", 0, plumb_int(old));
    plumb_guard_ret(writer, plumb_none());
    plumb_guard_leave(reader);
    plumb_guard_leave(writer);
    plumb_guard_close(g);
    return a;
}

static void weak_registers(void **unused) {
    (void)unused;
    assert_int_equal(new_then_old(NULL, 0), PLUMB_REFUSED);
    assert_int_equal(new_then_old("regular", 0), PLUMB_VERIFIED);
    assert_int_equal(new_then_old("regular", 7), PLUMB_REFUSED);
    assert_int_equal(new_then_old("safe", 7), PLUMB_VERIFIED);
}

static void refused(const char *object, const char *criterion, const char *says) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = object, .criterion = criterion};
    plumb_guard *g = plumb_guard_open(&o);
    const char *why = plumb_guard_error(g);
    if (!why || !strstr(why, says))
        fail_msg("%s under %s: %s", object, criterion ? criterion : "linearizable", why ? why : "taken");
    plumb_guard_close(g);
}

static void refusals_name_the_reason(void **unused) {
    (void)unused;
    refused("queue", "sequential", "cannot be guarded");
    refused("queue", "aligned(1)", "cannot be guarded");
    refused("queue", "spurious(deq=empty)", "cannot be guarded");
    refused("queue", "regular", "registers and keys");
    refused("queue", "nonsense", "unknown criterion");
    refused("nowhere.thy", NULL, "cannot open");
}

static void a_certificate(void **unused) {
    (void)unused;
    char path[80];
    snprintf(path, sizeof path, "%s.certificate", theory_path);
    plumb_guard_options o = {.struct_size = sizeof o, .object = "queue", .criterion = "quasi(1)"};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *me = plumb_guard_join(g);
    does(g, me, "enq", 1, plumb_none());
    does(g, me, "enq", 2, plumb_none());
    does(g, me, "deq", 0, plumb_int(2));
    if (!plumb_guard_certificate(me, path)) fail_msg("%s", plumb_guard_reason(me));
    unlink(path);
    plumb_guard_leave(me);
    plumb_guard_close(g);
}

static void recorder_of_a_theory(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = theory_path};
    plumb_recorder *r = plumb_record_open(&o);
    assert_null(plumb_record_error(r));
    assert_int_equal(plumb_record_method(r, "enq"), 0);
    assert_int_equal(plumb_record_method(r, "deq"), 1);
    assert_int_equal(plumb_record_method(r, "peek"), -1);
    plumb_record_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relaxed_queues), cmocka_unit_test(theories),
        cmocka_unit_test(weak_registers), cmocka_unit_test(refusals_name_the_reason),
        cmocka_unit_test(a_certificate),  cmocka_unit_test(recorder_of_a_theory),
    };
    return cmocka_run_group_tests(tests, write_theory, remove_theory);
}
