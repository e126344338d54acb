/* A theory file online against the built-in object it describes, decided by the oracle: the violation is reported at
 * exactly the event after which the history so far is one. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "monitor/monitor.h"
#include "support/feed.h"
#include "support/random_history.h"
#include "theory/theory_object.h"

#include <stdlib.h>

static const char deque[] =
    "theory deque extends atomic\n"
    "method pushl(value)\nmethod pushr(value)\nmethod popl() -> removed\nmethod popr() -> removed\n"
    "define add(x): meth(x)=pushl | meth(x)=pushr\ndefine rem(x): meth(x)=popl | meth(x)=popr\n"
    "match: (meth(x)=pushl | meth(x)=pushr) & (meth(y)=popl | meth(y)=popr) & arg(x)=ret(y)\n"
    "define left(x,y): meth(x)=pushl & b(y,x) | meth(y)=pushr & b(x,y)\n"
    "axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2\n"
    "axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2\n"
    "axiom addrem: forall r. rem(r) & ret(r)!=empty -> exists a. match(a,r) & b(a,r)\n"
    "axiom empty: forall e,a. rem(e) & ret(e)=empty & add(a) & b(a,e) -> exists r. match(a,r) & b(r,e)\n"
    "axiom leftmost: forall r,a1,a2. meth(r)=popl & match(a1,r) & a1 != a2 & add(a2) & b(a2,r) & left(a2,a1)"
    " -> exists q. match(a2,q) & b(q,r)\n"
    "axiom rightmost: forall r,a1,a2. meth(r)=popr & match(a1,r) & a1 != a2 & add(a2) & b(a2,r) & left(a1,a2)"
    " -> exists q. match(a2,q) & b(q,r)\n";

static object *theory_of(const char *source, values *v) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    object *o = t ? theory_object(t, "f.thy", NULL, &e) : NULL;
    if (!o) fail_msg("%s", e.what);
    object_use_values(o, v);
    return o;
}

static uint32_t bad_event(const object *o, const history *h, uint64_t check_after) {
    error e = {0};
    monitor *m = monitor_new(o, &(monitor_options){.check_after = check_after}, &e);
    if (!m) fail_msg("%s", e.what);
    feed f;
    feed_init(&f, h);
    while (feed_next(&f, m)) {}
    verdict v = monitor_settle(m);
    assert_int_not_equal(v, VERDICT_UNDECIDED);
    uint32_t bad = v == VERDICT_VIOLATION ? (uint32_t)monitor_bad_event(m) : RANK_NEVER;
    feed_free(&f);
    monitor_free(m);
    return bad;
}

static void against(const char *source, const char *object_name, unsigned histories) {
    random_source r = {.s = histories};
    unsigned violations = 0;
    const char *soak = getenv("PLUMB_SOAK");
    if (soak) histories = (unsigned)atoi(soak);
    if (getenv("PLUMB_FEWER")) histories /= 10;
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = random_shape_any(&r);
        if (shape.operations > 8) shape.operations = 8;
        bound b = random_history(&r, object_name, &shape);
        object *own = theory_of(source, b.h->values);
        uint32_t expected = earliest_violation(&b), found = bad_event(own, b.h, 1 + random_below(&r, 5));
        if (found != expected) {
            text written = {0};
            history_text(&b, &written);
            fail_msg("%s: %d, expected %d\n%s", object_name, (int)found, (int)expected, text_str(&written));
        }
        violations += found != RANK_NEVER;
        object_close(own);
        free_bound(&b);
    }
    print_message("%s: %u histories, %u violations\n", object_name, histories, violations);
    assert_true(violations > histories / 20 && violations < histories);
}

static void deques(void **unused) {
    (void)unused;
    against(deque, "deque", 3000);
}

static void queues_and_stacks(void **unused) {
    (void)unused;
    against("theory t extends queue", "queue", 2000);
    against("theory t extends stack", "stack", 2000);
}

/* Clients keep their numbers: an unlock is its own client's. */
static void locks(void **unused) {
    (void)unused;
    against("theory t extends lock", "lock", 2000);
}

/* Sums are not made clauses: the general engines decide them. With keys in front, a key is a counter of its own. */
static void sums(void **unused) {
    (void)unused;
    against("theory t extends atomic\nmethod add(int) -> int\nmethod read() -> int\n"
            "axiom value: forall f. ret(f) = init + sum(x. meth(x)=add & b(x,f), arg(x))",
            "fetch-add", 1000);
    against("theory t extends atomic\nmethod add(key, int) -> int\nmethod read(key) -> int\n"
            "axiom value: forall f. ret(f) - init = sum(x. meth(x)=add & b(x,f), arg(x))",
            "fetch-add", 1000);
}

/* What may be asked for later cannot be judged before the end. */
static void refused(void **unused) {
    (void)unused;
    error e = {0};
    values *v = values_new();
    object *o = theory_of("theory t extends atomic\nmethod open()\nmethod close()\n"
                          "axiom closed: forall x. meth(x)=open -> exists y. meth(y)=close & b(x,y)",
                          v);
    assert_null(monitor_new(o, NULL, &e));
    assert_string_equal(e.what,
                        "object f.thy cannot be monitored; expected one whose histories may end after every operation");
    object_close(o);
    values_free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(deques), cmocka_unit_test(queues_and_stacks),
                                       cmocka_unit_test(locks), cmocka_unit_test(sums), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
