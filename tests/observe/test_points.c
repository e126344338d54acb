/* Kind `points`: marks that explain an execution are accepted, others are refused with what is wrong about them, and
 * operations that change nothing are held against every state that they overlap. */
#include "support/cmocka.h"

#include "observe/observer.h"

#include <string.h>

typedef struct given {
    const char *method;
    int arg; /* 0: none */
    int res; /* a value, or one of these */
} given;
enum { NOTHING = 0, EMPTY = -1, YES = -2, NO = -3, PENDING = -4 };

static value result_of(values *v, int res) {
    return res == NOTHING   ? VALUE_NONE
           : res == EMPTY   ? VALUE_EMPTY
           : res == YES     ? VALUE_TRUE
           : res == NO      ? VALUE_FALSE
           : res == PENDING ? VALUE_UNKNOWN
                            : value_int(v, res);
}

static void fill(observed *x, object *o, const given *op, uint32_t n, const char *events) {
    *x = (observed){.o = o, .n = n};
    for (uint32_t i = 0; i < n; i++) {
        x->op[i] = (operation){.index = i,
                               .client = i,
                               .method = (uint8_t)object_type_method(o->type, op[i].method),
                               .nargs = op[i].arg != 0,
                               .key = VALUE_NONE,
                               .ret = op[i].res == PENDING ? RANK_NEVER : 1,
                               .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE},
                               .res = result_of(o->values, op[i].res)};
        if (op[i].arg) x->op[i].arg[0] = value_int(o->values, op[i].arg);
    }
    for (; *events; events += events[2] ? 3 : 2)
        x->event[x->events++] = (observed_event){*events == 'c'   ? OBSERVED_CALL
                                                 : *events == 'p' ? OBSERVED_POINT
                                                                  : OBSERVED_RETURN,
                                                 (uint8_t)(events[1] - '0')};
}

/* `events`: calls, points and returns by operation, "c0 p0 r0". `says`: a part of the complaint; NULL: explained. */
static void check(const char *object_name, const given *op, uint32_t n, const char *events, const char *says) {
    error e = {0};
    text why = {0};
    observed x;
    object *o = object_open(object_name, NULL, &e);
    values *v = values_new();
    object_use_values(o, v);
    fill(&x, o, op, n, events);
    observer *m = observer_open(observer_kind_find("points"), o, 0, &why);
    observer_verdict got = observer_run(m, &x, NULL, &why);
    if (got != (says ? OBSERVER_BAD_POINT : OBSERVER_GOOD) || (says && !strstr(text_str(&why), says))) {
        print_error("%s %s: verdict %d, %s; wanted %s\n", object_name, events, (int)got, text_str(&why),
                    says ? says : "no complaint");
        fail();
    }
    observer_close(m);
    object_close(o);
    values_free(v);
    text_free(&why);
}
#define CHECK(object, events, says, ...) \
    check(object, (const given[]){__VA_ARGS__}, sizeof((const given[]){__VA_ARGS__}) / sizeof(given), events, says)

static void marks(void **unused) {
    (void)unused;
    CHECK("queue", "c0 p0 r0 c1 p1 r1", NULL, {"enq", 1, NOTHING}, {"deq", 0, 1});
    /* The marks say 2 was first, the results agree. */
    CHECK("queue", "c0 c1 p1 p0 r0 r1 c2 p2 r2", NULL, {"enq", 1, NOTHING}, {"enq", 2, NOTHING}, {"deq", 0, 2});
    CHECK("queue", "c0 c1 p0 p1 r0 r1 c2 p2 r2", "cannot return what it returned", {"enq", 1, NOTHING},
          {"enq", 2, NOTHING}, {"deq", 0, 2});
    CHECK("queue", "c0 r0", "without a mark", {"enq", 1, NOTHING});
    CHECK("queue", "c0 p0 r0 c1 r1", "without a mark", {"enq", 1, NOTHING}, {"deq", 0, 1});
    CHECK("queue", "c0 r0 p0", "without a mark", {"enq", 1, NOTHING});
    CHECK("queue", "p0 c0 r0", "outside of its operation", {"enq", 1, NOTHING});
    /* Of what has not returned only the mark says whether it happened. */
    CHECK("queue", "c0 p0 c1 p1 r1", NULL, {"enq", 1, PENDING}, {"deq", 0, 1});
    CHECK("queue", "c0 c1 p1 r1", "cannot return what it returned", {"enq", 1, PENDING}, {"deq", 0, 1});
    CHECK("stack", "c0 p0 r0 c1 p1 r1 c2 p2 r2", NULL, {"push", 1, NOTHING}, {"push", 2, NOTHING}, {"pop", 0, 2});
    CHECK("stack", "c0 p0 r0 c1 p1 r1 c2 p2 r2", "cannot return what it returned", {"push", 1, NOTHING},
          {"push", 2, NOTHING}, {"pop", 0, 1});
}

static void read_only(void **unused) {
    (void)unused;
    CHECK("queue", "c0 c1 p0 r0 r1", NULL, {"enq", 1, NOTHING}, {"deq", 0, EMPTY});
    CHECK("queue", "c0 p0 r0 c1 r1", "no state during", {"enq", 1, NOTHING}, {"deq", 0, EMPTY});
    /* Empty for a moment, between other operations. */
    CHECK("queue", "c0 p0 r0 c1 c2 p2 r2 c3 p3 r3 r1", NULL, {"enq", 1, NOTHING}, {"deq", 0, EMPTY}, {"deq", 0, 1},
          {"enq", 2, NOTHING});
    CHECK("set", "c0 c1 p0 r1 r0", NULL, {"add", 1, YES}, {"contains", 1, YES});
    CHECK("set", "c0 c1 p0 r1 r0", NULL, {"add", 1, YES}, {"contains", 1, NO});
    CHECK("set", "c0 p0 c1 r1 r0", "no state during", {"add", 1, YES}, {"contains", 1, NO});
    CHECK("set", "c0 c1 r1 p0 r0", "no state during", {"add", 1, YES}, {"contains", 1, YES});
    CHECK("set", "c0 p0 r0 c1 c2 p1 r2 r1", NULL, {"add", 1, YES}, {"remove", 1, YES}, {"contains", 1, NO});
    /* A mark of one that changed nothing says nothing. */
    CHECK("set", "c0 p0 r0 c1 p1 r1", NULL, {"add", 1, YES}, {"add", 1, NO});
}

/* Elements of a set do not see each other: what is wrong is wrong in its part, at its event. */
static void parts(void **unused) {
    (void)unused;
    CHECK("set", "c0 p0 r0 c1 p1 r1 c2 r2", "no state during", {"add", 1, YES}, {"add", 2, YES}, {"contains", 2, NO});
    CHECK("set", "c0 p0 r0 c1 p1 r1 c2 r2", NULL, {"add", 1, YES}, {"add", 2, YES}, {"contains", 3, NO});
}

TEST_MAIN(TEST(marks), TEST(read_only), TEST(parts))
