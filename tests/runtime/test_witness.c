/* A witness for every object, however late the violation comes and whatever is inside by then: the state that was known
 * last, told in operations, and what came since. `plumb certify` takes it. */
#include "support/cmocka.h"

#include "evidence/certificate.h"

#include <plumbline/guard.h>

#include <stdio.h>
#include <unistd.h>

typedef struct step { /* of an object that is never as in the beginning */
    const char *method;
    plumb_value arg[2];
    unsigned args;
    plumb_value res;
} step;

typedef struct late_case {
    const char *object, *init;
    step before, again[2], wrong; /* once; so often as wanted, one after the other; then */
} late_case;

#define INT(i) \
    { .kind = PLUMB_INT, .as.integer = i }
#define TRUTH(b) \
    { .kind = PLUMB_BOOL, .as.integer = b }
#define NOTHING \
    { .kind = PLUMB_NONE }

static const late_case cases[] = {
    {"counter",
     NULL,
     {"inc", {INT(0)}, 0, NOTHING},
     {{"get", {INT(0)}, 0, INT(1)}, {"get", {INT(0)}, 0, INT(1)}},
     {"get", {INT(0)}, 0, INT(9)}},
    {"deque",
     NULL,
     {"pushr", {INT(1)}, 1, NOTHING},
     {{"pushr", {INT(2)}, 1, NOTHING}, {"popr", {INT(0)}, 0, INT(2)}},
     {"popl", {INT(0)}, 0, INT(7)}},
    {"set",
     NULL,
     {"add", {INT(1)}, 1, TRUTH(1)},
     {{"contains", {INT(1)}, 1, TRUTH(1)}, {"contains", {INT(1)}, 1, TRUTH(1)}},
     {"contains", {INT(1)}, 1, TRUTH(0)}},
    {"cas-register",
     "0",
     {"write", {INT(1)}, 1, NOTHING},
     {{"cas", {INT(1), INT(2)}, 2, TRUTH(1)}, {"cas", {INT(2), INT(1)}, 2, TRUTH(1)}},
     {"read", {INT(0)}, 0, INT(7)}},
    {"fetch-add",
     NULL,
     {"add", {INT(3)}, 1, INT(0)},
     {{"add", {INT(1)}, 1, INT(3)}, {"add", {INT(-1)}, 1, INT(4)}},
     {"add", {INT(1)}, 1, INT(9)}},
    {"max-register",
     "0",
     {"write", {INT(5)}, 1, NOTHING},
     {{"read", {INT(0)}, 0, INT(5)}, {"write", {INT(2)}, 1, NOTHING}},
     {"read", {INT(0)}, 0, INT(2)}},
    {"kv",
     NULL,
     {"put", {INT(1), INT(2)}, 2, NOTHING},
     {{"get", {INT(1)}, 1, INT(2)}, {"get", {INT(1)}, 1, INT(2)}},
     {"get", {INT(1)}, 1, INT(7)}},
    {"queue",
     NULL,
     {"enq", {INT(1)}, 1, NOTHING},
     {{NULL, {INT(0)}, 0, NOTHING}, {NULL, {INT(0)}, 0, NOTHING}},
     {"deq", {INT(0)}, 0, INT(7)}},
    {"pqueue-min-fifo",
     NULL,
     {"insert", {INT(1)}, 1, NOTHING},
     {{"insert", {INT(0)}, 1, NOTHING}, {"deletemin", {INT(0)}, 0, INT(0)}},
     {"deletemin", {INT(0)}, 0, INT(7)}},
    {"semaphore(permits=2)",
     NULL,
     {"acquire", {INT(0)}, 0, NOTHING},
     {{"acquire", {INT(0)}, 0, NOTHING}, {"release", {INT(0)}, 0, NOTHING}},
     {"tryacquire", {INT(0)}, 0, TRUTH(0)}},
    {"stack",
     NULL,
     {"push", {INT(1)}, 1, NOTHING},
     {{NULL, {INT(0)}, 0, NOTHING}, {NULL, {INT(0)}, 0, NOTHING}},
     {"pop", {INT(0)}, 0, INT(7)}},
};

static plumb_answer do_step(plumb_guard *g, plumb_member *m, const step *s) {
    int which = plumb_guard_method(g, s->method);
    if (which < 0) fail_msg("no method %s", s->method);
    plumb_guard_call(m, which, s->arg, s->args);
    return plumb_guard_ret(m, s->res);
}

static void witness_of(const late_case *c, unsigned times, const char *path) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = c->object, .init = c->init};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *m = plumb_guard_join(g);
    assert_int_equal(do_step(g, m, &c->before), PLUMB_VERIFIED);
    for (unsigned i = 0; i < times; i++) {
        const step *s = &c->again[i % 2];
        if (s->method) assert_int_equal(do_step(g, m, s), PLUMB_VERIFIED);
    }
    assert_int_equal(do_step(g, m, &c->wrong), PLUMB_REFUSED);
    unlink(path);
    if (!plumb_guard_witness(m, path)) fail_msg("%s: no witness after %u operations", c->object, times);
    plumb_guard_leave(m);
    plumb_guard_close(g);
    text said = {0};
    error e = {0};
    if (certify(path, NULL, &said, &e))
        fail_msg("%s: the witness after %u operations is none: %s%s", c->object, times, e.what, text_str(&said));
    text_free(&said);
}

static void late_violations_have_witnesses(void **unused) {
    (void)unused;
    static const unsigned often[] = {0, 2, 46, 1000, 20000};
    char path[64];
    snprintf(path, sizeof path, "/tmp/plumb-witness-%d.cert", (int)getpid());
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned k = 0; k < sizeof often / sizeof *often; k++) witness_of(&cases[i], often[k], path);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(late_violations_have_witnesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
