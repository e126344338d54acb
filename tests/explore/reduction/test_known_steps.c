/* What steps know of calls and returns against vector clocks, which share no code with it: on random programs, and
 * where it must refuse. */
#include "explore/campaign/boundary.h"
#include "explore/reduction/known_steps.h"
#include "support/cmocka.h"
#include "support/toy_programs.h"

#include <stdlib.h>
#include <string.h>

typedef struct counts {
    uint32_t known, clocked, changed;
} counts;

static void must_be_equal(const boundary *a, const boundary *b) {
    assert_int_equal(a->n, b->n);
    assert_true(a->all == b->all);
    for (unsigned e = 0; e < 2 * a->n; e++)
        if (a->all >> e & 1) assert_true(a->before[e] == b->before[e] && a->step[e] == b->step[e]);
}

/* Of every execution, and it goes on from there as if no clocks were asked for. */
static void compare(const toy_program *p, const char *name, uint32_t most, counts *c) {
    const strategy_type *type = strategy_find(name);
    strategy *s = strategy_open(type, &(strategy_options){.seed = 7, .bound = 2, .depth = 3, .most_steps = 200});
    world *w = toy_open(p);
    bool was_known = true;
    for (const driver *d; most-- && (d = strategy_next(s));) {
        toy_run(w, d);
        strategy_done(s, w);
        assert_false(type->diverged(s));
        trace_clocks order = type->order(s), clocks = type->clocks(s);
        boundary known, counted;
        assert_true(order.known || order.clock == clocks.clock);
        assert_true(boundary_build(&known, w, &order) && boundary_build(&counted, w, &clocks));
        must_be_equal(&known, &counted);
        c->changed += was_known && !order.known;
        was_known = order.known != NULL;
        ++*(was_known ? &c->known : &c->clocked);
    }
    toy_close(w);
    strategy_close(s);
}

static void random_programs(void **state) {
    (void)state;
    static const char *const strategies[] = {"bounded", "dfs", "random", "pct"};
    const uint32_t n = getenv("PLUMB_SOAK") ? 40000 : getenv("PLUMB_FEWER") ? 400 : 4000;
    counts c = {0};
    for (uint32_t i = 0; i < n; i++) {
        random_source r = {i};
        toy_program p;
        toy_random(&p, &r, (toy_flavour)(i % FLAVOURS));
        compare(&p, strategies[i / FLAVOURS % 4], 25, &c);
    }
    print_message("%u executions known, %u with clocks, %u programs changed over\n", c.known, c.clocked, c.changed);
    assert_true(c.known > n && c.clocked > n && c.changed > n / 20);
}

/* ---- by hand ---- */

/* Three threads that were there from the start, and no step yet. */
static world w;
static known_steps k;
static step s;

static const step *access(uintptr_t address, uint32_t size, place_role role) {
    s = (step){.kind = role == PLACE_READ ? STEP_READ : STEP_WRITE,
               .at = {{.address = address, .size = size, .role = (uint8_t)role}}};
    return &s;
}

static int known_open(void **state) {
    (void)state;
    memset(&w, 0, sizeof w);
    w.threads = 3;
    for (unsigned t = 0; t < 3; t++) w.creator[t] = (uint8_t)t;
    known_steps_init(&k);
    known_steps_reserve(&k, 16);
    return 0;
}

static int known_close(void **state) {
    (void)state;
    known_steps_free(&k);
    return 0;
}

static void reads_and_writes(void **state) {
    (void)state;
    w.events[0] = 1; /* a call of thread 0, which writes */
    assert_true(known_steps_add(&k, &w, 0, 0, access(0x1000, 8, PLACE_WRITE)));
    w.events[1] = 1; /* 1 reads that */
    assert_true(known_steps_add(&k, &w, 1, 1, access(0x1000, 8, PLACE_READ)));
    w.events[2] = 1; /* 2 reads it, too: nothing of 1 */
    assert_true(known_steps_add(&k, &w, 2, 2, access(0x1000, 8, PLACE_READ)));
    w.events[0] = 2; /* 0 writes again: behind both */
    assert_true(known_steps_add(&k, &w, 3, 0, access(0x1000, 8, PLACE_WRITE)));
    assert_true(k.step[1].knows[0] == 1 && k.step[1].knows[1] == 1 && k.step[1].knows[2] == 0);
    assert_true(k.step[2].knows[0] == 1 && k.step[2].knows[1] == 0 && k.step[2].knows[2] == 1);
    assert_true(k.step[3].knows[0] == 2 && k.step[3].knows[1] == 1 && k.step[3].knows[2] == 1);

    /* The last two are taken back: a write of 1 is behind its own reading and the first write only. */
    static const uint8_t thread[] = {0, 1, 2, 0};
    known_steps_forget(&k, thread, 4, 2);
    assert_true(known_steps_add(&k, &w, 2, 1, access(0x1000, 8, PLACE_WRITE)));
    assert_true(k.step[2].knows[0] == 1 && k.step[2].knows[1] == 1 && k.step[2].knows[2] == 0);
}

static void joins(void **state) {
    (void)state;
    w.events[1] = 2;
    assert_true(known_steps_add(&k, &w, 0, 1, access(0x1000, 8, PLACE_WRITE)));
    s = (step){.kind = STEP_JOIN, .value = 1};
    assert_true(known_steps_add(&k, &w, 1, 0, &s));
    assert_true(k.step[1].knows[1] == 2 && k.newest[0] == 1);
    /* knows nothing of the step without a place before it */
    assert_true(known_steps_add(&k, &w, 2, 2, access(0, 0, PLACE_UNUSED)));
    assert_true(k.step[2].knows[1] == 0);
}

/* What a creator has done before is known to the thread that it creates, and to those that one creates before its own
 * first step. */
static void creation(void **state) {
    (void)state;
    w.creator[1] = 0;
    w.created_at[1] = 1;
    w.creator[2] = 1;
    w.created_at[2] = 1;
    w.events[0] = 1;
    assert_true(known_steps_add(&k, &w, 0, 0, access(0x1000, 8, PLACE_WRITE)));
    w.events[0] = 2;
    assert_true(known_steps_add(&k, &w, 1, 0, access(0x1000, 8, PLACE_WRITE)));
    assert_true(known_steps_add(&k, &w, 2, 2, access(0x2000, 8, PLACE_WRITE)));
    assert_true(known_steps_add(&k, &w, 3, 1, access(0x3000, 8, PLACE_WRITE)));
    assert_true(k.step[2].knows[0] == 1 && k.step[3].knows[0] == 1); /* of the first write, not of the second */
}

static void refused(void **state) {
    (void)state;
    assert_true(known_steps_add(&k, &w, 0, 0, access(0x1000, 4, PLACE_WRITE)));
    assert_false(known_steps_add(&k, &w, 1, 1, access(0x1000, 8, PLACE_READ))); /* of another size */
    /* beside it, in the same eight bytes */
    assert_false(known_steps_add(&k, &w, 1, 1, access(0x1004, 4, PLACE_READ)));
    assert_false(known_steps_add(&k, &w, 1, 1, access(0x1ffc, 8, PLACE_READ))); /* in two times eight bytes */
    assert_false(known_steps_add(&k, &w, 1, 1, access(0x2000, 8, PLACE_ACQUIRE)));
    access(0x2000, 8, PLACE_READ);
    s.at[1] = (place){.address = 0x3000, .size = 8, .role = PLACE_READ};
    assert_false(known_steps_add(&k, &w, 1, 1, &s));
    assert_true(k.newest[0] == 0 && k.newest[1] == -1);
    assert_true(known_steps_add(&k, &w, 1, 1, access(0x1000, 4, PLACE_READ)));

    /* Among those that were passed, one is refused: none of them was there. */
    w.passed = 2;
    w.pass[0] =
        (passed_step){.kind = STEP_WRITE, .at = {{.address = 0x4000, .size = 8, .role = PLACE_WRITE}}, .events = 1};
    w.pass[1] =
        (passed_step){.kind = STEP_READ, .at = {{.address = 0x1004, .size = 4, .role = PLACE_READ}}, .events = 1};
    assert_false(known_steps_pass(&k, &w, 2, 1));
    w.events[2] = 1;
    assert_true(known_steps_add(&k, &w, 2, 2, access(0x4000, 8, PLACE_READ)));
    assert_true(k.step[2].knows[1] == 0 && k.newest[1] == 1);
    w.passed = 1;
    w.pass[0] = (passed_step){.kind = STEP_JOIN};
    assert_false(known_steps_pass(&k, &w, 3, 0)); /* of whom? */
}

/* More places than it has room for are refused as well, and those that it knows go on. */
static void many_places(void **state) {
    (void)state;
    static const uint8_t thread[] = {0, 0};
    for (uintptr_t i = 0; i < CELLS_MOST; i++) {
        assert_true(known_steps_add(&k, &w, 0, 0, access(0x10000 + 8 * i, 8, PLACE_WRITE)));
        known_steps_forget(&k, thread, 1, 0);
    }
    assert_false(known_steps_add(&k, &w, 0, 0, access(0x1000, 8, PLACE_WRITE)));
    for (uintptr_t i = 0; i < CELLS_MOST; i++) {
        assert_true(known_steps_add(&k, &w, 0, 0, access(0x10000 + 8 * i, 8, PLACE_WRITE)));
        assert_true(k.step[0].cell->address == 0x10000 + 8 * i && k.step[0].older == -1);
        known_steps_forget(&k, thread, 1, 0);
    }
}

int main(void) {
#define BY_HAND(test) cmocka_unit_test_setup_teardown(test, known_open, known_close)
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs),
                                       BY_HAND(reads_and_writes),
                                       BY_HAND(joins),
                                       BY_HAND(creation),
                                       BY_HAND(refused),
                                       BY_HAND(many_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
