/* Verdicts of traces against the oracle, which shares no code with them, on every history one by one. */
#include "evidence/oracle.h"
#include "explore/campaign/boundary.h"
#include "explore/campaign/history_set.h"
#include "explore/campaign/trace_check.h"
#include "history/builder.h"
#include "support/cmocka.h"
#include "support/toy_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct judge {
    object *o;
    const world *w;
    const char *const *method;
    bool violation;
    uint32_t asked;
} judge;

static history *to_history(const judge *j, const explored_operation *op, const uint32_t *order, uint32_t events) {
    error e = {0};
    builder *b = builder_new("toy", &e);
    values *v = builder_values(b);
    for (uint32_t i = 0; i < events; i++) {
        const explored_operation *o = &op[order[i] / 2];
        value arg = o->nargs ? value_int(v, o->arg[0]) : VALUE_NONE, client = value_int(v, o->thread);
        if (order[i] & 1) assert_true(builder_return(b, client, o->result, i));
        else
            assert_true(builder_call(
                b, &(call_record){.client = client,
                                  .method = builder_method(b, j->method[o->method], strlen(j->method[o->method]), 1),
                                  .key = VALUE_NONE,
                                  .arg = &arg,
                                  .nargs = o->nargs,
                                  .line = i}));
    }
    history *h = builder_finish(b);
    assert_non_null(h);
    builder_free(b);
    assert_true(object_bind(j->o, h, "toy", &e));
    return h;
}

static void ask(void *context, const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events) {
    (void)n;
    judge *j = context;
    history *h = to_history(j, op, order, events);
    j->asked++;
    if (oracle_linearizable(j->o, h, 0) == ORACLE_NO) j->violation = true;
    history_free(h);
}

static const uint8_t as_declared[] = {0, 1};

typedef struct scene {
    const char *object, *init;
    const char *methods[2];
} scene;

static void compare(const toy_program *p, const scene *sc, const char *how, uint32_t most, uint32_t *violations,
                    uint32_t *traces) {
    error e = {0};
    object *asked = object_open(sc->object, sc->init, &e), *checked = object_open(sc->object, sc->init, &e);
    const strategy_type *type = strategy_find(how);
    strategy *st = strategy_open(type, &(strategy_options){.seed = 5});
    world *w = toy_open(p);
    trace_check *c = trace_check_new(checked, as_declared), *single = trace_check_new(checked, as_declared);
    for (const driver *d; most-- && (d = strategy_next(st));) {
        toy_run(w, d);
        strategy_done(st, w);
        if (w->ending != ENDED_WELL && w->ending != ENDED_BAD) continue;
        trace_clocks clocks = type->clocks(st);
        uint32_t order[2 * OPERATIONS_MAX], length;
        for (int whole = 0; whole < 2; whole++) {
            boundary b;
            assert_true(boundary_build(&b, w, whole ? &clocks : NULL));
            history_set *all = history_set_new();
            judge j = {.o = asked, .w = w, .method = sc->methods};
            history_set_add(all, w, &b, ask, &j);
            trace_verdict v = trace_check_decide(whole ? c : single, w, whole ? &clocks : NULL, order, &length);
            assert_int_equal(v, j.violation ? TRACE_VIOLATION : TRACE_RIGHT);
            *violations += j.violation;
            ++*traces;
            history_set_free(all);
        }
    }
    trace_check_free(c);
    trace_check_free(single);
    toy_close(w);
    strategy_close(st);
    object_close(asked);
    object_close(checked);
}

static void random_programs(void **s) {
    (void)s;
    const scene of_register = {"register", "0", {"write", "read"}};
    uint32_t violations = 0, traces = 0, n = getenv("PLUMB_SOAK") ? 20000 : 400;
    for (uint64_t seed = 0; seed < n; seed++) {
        random_source r = {seed};
        toy_program p;
        toy_random(&p, &r, (toy_flavour)(seed % FLAVOURS));
        compare(&p, &of_register, "dpor", 12, &violations, &traces);
    }
    print_message("%u traces and histories, %u violations\n", traces, violations);
    assert_in_range(violations, traces / 20, traces - traces / 20);
}

static void structures(void **s) {
    (void)s;
    static const struct {
        toy_model model;
        const char *threads;
        scene sc;
        bool wrong;
    } all[] = {
        {MODEL_QUEUE, "1:pg|g|g", {"queue", NULL, {"enq", "deq"}}, false},
        {MODEL_BROKEN_QUEUE, "1:pg|g", {"queue", NULL, {"enq", "deq"}}, true},
        {MODEL_STACK, "1:pg|gp", {"stack", NULL, {"push", "pop"}}, false},
        {MODEL_STACK, "0:pp|gg", {"queue", NULL, {"enq", "deq"}}, true}, /* a stack is no queue */
        {MODEL_GIVE_UP, "5:gggg|g", {"stack", NULL, {"push", "pop"}}, true},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t violations = 0, traces = 0;
        toy_program p;
        toy_structure(&p, all[i].model, all[i].threads);
        compare(&p, &all[i].sc, "dpor", 150, &violations, &traces);
        assert_int_equal(violations > 0, all[i].wrong);
    }
}

/* 33 operations are more than can be looked at: undecided, never wrong. */
static void too_many(void **s) {
    (void)s;
    toy_program p = {.threads = 1, .most_steps = 100};
    for (int i = 0; i < 33; i++) {
        toy_emit(&p, 0, TOY_CALL, 0, TOY_N(0), TOY_N(0), TOY_N(i));
        toy_emit(&p, 0, TOY_RETURN_NONE, 0, TOY_N(0), TOY_N(0), TOY_N(0));
    }
    for (unsigned n = 32; n <= 33; n++) {
        error e = {0};
        object *o = object_open("queue", NULL, &e);
        strategy *st = strategy_open(strategy_find("dpor"), &(strategy_options){0});
        world *w = toy_open(&p);
        p.length[0] = 2 * n;
        toy_run(w, strategy_next(st));
        strategy_done(st, w);
        trace_check *c = trace_check_new(o, as_declared);
        trace_clocks clocks = st->type->clocks(st);
        uint32_t order[2 * OPERATIONS_MAX], length;
        assert_int_equal(trace_check_decide(c, w, &clocks, order, &length), n == 32 ? TRACE_RIGHT : TRACE_UNDECIDED);
        trace_check_free(c);
        toy_close(w);
        strategy_close(st);
        object_close(o);
    }
}

TEST_MAIN(TEST(random_programs), TEST(structures), TEST(too_many))
