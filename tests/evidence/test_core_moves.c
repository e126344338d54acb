/* Which moves lead to a core, and which do not. */
#include "support/cmocka.h"

#include "evidence/core.h"
#include "support/make_history.h"

#define KEEP(...) .keep = (uint32_t[]){__VA_ARGS__}, .n = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static void assert_moves(const char *object_name, const char *operations, core_move first, core_move second,
                         const char *says) {
    bound b = make_history(object_name, operations);
    core_move moves[] = {first, second};
    core c = {.op = second.keep, .n = second.n, .cut = second.cut, .move = moves, .moves = 2};
    text wrong = {0};
    assert_int_equal(core_check_moves(b.h, b.o, &c, &wrong), !says);
    assert_string_equal(text_str(&wrong), says ? says : "");
    text_free(&wrong);
    free_bound(&b);
}

#define ALL \
    { RANK_NEVER, KEEP(0, 1, 2, 3) }

static void groups_leave_as_a_whole(void **unused) {
    (void)unused;
    static const char *const queue = "enq(1) [0,1]; enq(2) [2,3]; deq() -> 1 [4,5]; deq() -> 2 [6,7]";
    core_move all = ALL;
    assert_moves("queue", queue, all, (core_move){RANK_NEVER, KEEP(0, 2)}, NULL);
    assert_moves("queue", queue, all, (core_move){RANK_NEVER, KEEP(0, 1, 2)},
                 "operation #1 stays, but belongs to what is left out");
    assert_moves("queue", queue, all, (core_move){RANK_NEVER, KEEP(2)},
                 "operation #2 stays, but belongs to what is left out");
    assert_moves("queue", queue, (core_move){RANK_NEVER, KEEP(0, 2)}, (core_move){RANK_NEVER, KEEP(0, 1, 2)},
                 "the core has operations that were left out before, or that are called after the cut");
}

static void a_cut_takes_the_end(void **unused) {
    (void)unused;
    static const char *const queue = "enq(1) [0,1]; enq(2) [2,3]; deq() -> 1 [4,5]; deq() -> 2 [6,7]";
    core_move all = ALL;
    assert_moves("queue", queue, all, (core_move){5, KEEP(0, 1, 2)}, NULL);
    assert_moves("queue", queue, all, (core_move){5, KEEP(0, 2)}, NULL);
    assert_moves("queue", queue, all, (core_move){3, KEEP(0, 1, 2)},
                 "the core has operations that were left out before, or that are called after the cut");
    assert_moves("queue", queue, (core_move){5, KEEP(0, 1, 2)}, (core_move){7, KEEP(0, 1, 2)}, "a cut is undone");
}

/* Cut after its call, a deq is pending: what it takes out is unknown. */
static void pending_removals_stay(void **unused) {
    (void)unused;
    static const char *const queue = "enq(1) [0,1]; enq(2) [2,3]; deq() -> 1 [4,5]; deq() -> 2 [4,7]";
    core_move all = ALL;
    assert_moves("queue", queue, all, (core_move){6, KEEP(0, 2, 3)}, NULL);
    assert_moves("queue", queue, all, (core_move){6, KEEP(0, 2)}, "operation #3 is left out, but has to stay");
}

static void what_is_fragile_leaves_first(void **unused) {
    (void)unused;
    static const char *const queue = "enq(1) [0,1]; enq(2) -> full [2,3]; deq() -> 1 [4,5]; enq(3) [6,7]";
    core_move all = ALL;
    assert_moves("queue(capacity=1)", queue, all, (core_move){RANK_NEVER, KEEP(0, 2)}, NULL);
    assert_moves("queue(capacity=1)", queue, all, (core_move){RANK_NEVER, KEEP(0, 2, 3)}, NULL);
    assert_moves("queue(capacity=1)", queue, all, (core_move){RANK_NEVER, KEEP(0, 1, 2)},
                 "operation #1 stays, but holds only with all that is left out");
}

static void parts_do_not_mix(void **unused) {
    (void)unused;
    static const char *const kv = "put(1, 5) [0,1]; put(2, 5) [2,3]; get(1) -> 7 [4,5]; get(2) -> 5 [6,7]";
    assert_moves("kv", kv, (core_move){RANK_NEVER, KEEP(0, 2)}, (core_move){RANK_NEVER, KEEP(2)}, NULL);
    assert_moves("kv", kv, (core_move){RANK_NEVER, KEEP(0, 1, 2)}, (core_move){RANK_NEVER, KEEP(2)},
                 "the core has operations that were left out before, or that are called after the cut");
}

/* Of a long history few operations stay: then only what is about their values is looked at. What leaves must leave all
 * the same. */
static void few_of_many(void **unused) {
    (void)unused;
    enum { VALUES = 100 };
    text many = {0};
    for (unsigned v = 0; v < VALUES; v++)
        text_printf(&many, "%senq(%u) [%u,%u]; deq() -> %u [%u,%u]", v ? "; " : "", v, 4 * v, 4 * v + 1, v, 4 * v + 2,
                    4 * v + 3);
    text_printf(&many, "; deq() -> empty [%u,%u]", 4 * VALUES, 4 * VALUES + 1);
    core_move two = {RANK_NEVER, KEEP(0, 1, 6, 7, 200)}, half = {RANK_NEVER, KEEP(0, 6, 7)},
              again = {RANK_NEVER, KEEP(6, 7)};
    assert_moves("queue", text_str(&many), two, again, NULL);
    assert_moves("queue", text_str(&many), half, again, "operation #0 stays, but belongs to what is left out");
    assert_moves("queue", text_str(&many), (core_move){RANK_NEVER, KEEP(6, 7, 999)}, again,
                 "the core has operations that were left out before, or that are called after the cut");
    assert_moves("queue", text_str(&many), (core_move){RANK_NEVER, KEEP(7, 6)}, again,
                 "the core has operations that were left out before, or that are called after the cut");
    text_free(&many);
}

static void the_last_move_is_the_core(void **unused) {
    (void)unused;
    bound b = make_history("queue", "enq(1) [0,1]; deq() -> 2 [2,3]");
    core_move move = {RANK_NEVER, KEEP(1)};
    core c = {.op = (uint32_t[]){0}, .n = 1, .cut = RANK_NEVER, .move = &move, .moves = 1};
    text wrong = {0};
    assert_false(core_check_moves(b.h, b.o, &c, &wrong));
    c.op[0] = 1;
    assert_true(core_check_moves(b.h, b.o, &c, &wrong));
    c.cut = 2;
    assert_false(core_check_moves(b.h, b.o, &c, &wrong));
    c.op[0] = move.keep[0] = 9;
    assert_false(core_check_moves(b.h, b.o, &c, &wrong));
    text_free(&wrong);
    free_bound(&b);
}

static void check_settled(const char *object_name, const char *operations, core_move first, const char *says) {
    bound b = make_history(object_name, operations);
    core c = {.op = first.keep,
              .n = first.n,
              .cut = RANK_NEVER,
              .move = &first,
              .moves = 1,
              .settled = true,
              .init = first.init};
    text wrong = {0};
    assert_int_equal(core_check_moves(b.h, b.o, &c, &wrong), !says);
    assert_string_equal(text_str(&wrong), says ? says : "");
    text_free(&wrong);
    free_bound(&b);
}

#define SETTLED(value, ...) \
    (core_move) { .cut = RANK_NEVER, KEEP(__VA_ARGS__), .settled = true, .init = value_int(NULL, value) }

/* What was before may leave when it had returned and the state is known: and only as a whole, and with that state. */
static void what_is_settled_leaves(void **unused) {
    (void)unused;
    static const char *const counter = "inc() [0,2]; add(3) [1,3]; inc() [4,5]; get() -> 7 [6,7]";
    check_settled("counter", counter, SETTLED(5, 3), NULL);
    check_settled("counter", counter, SETTLED(4, 2, 3), NULL);
    check_settled("counter", counter, SETTLED(6, 3), "what is settled does not leave the object as it is claimed");
    check_settled("counter", counter, SETTLED(2, 2, 3), "what is settled does not leave the object as it is claimed");
    check_settled("counter", counter, SETTLED(1, 1, 2, 3), "what is settled had not returned");
    check_settled("counter", counter, SETTLED(4, 3), "what is settled does not leave the object as it is claimed");
    check_settled("counter", counter, SETTLED(4, 0, 3), "what is settled is not what was called first");
    check_settled("counter", "inc() [0,-]; inc() [4,5]; get() -> 7 [6,7]", SETTLED(2, 2),
                  "what is settled had not returned");
    check_settled("queue", "enq(1) [0,1]; deq() -> 1 [2,3]; deq() -> 1 [4,5]", SETTLED(0, 2),
                  "what is settled does not leave the object as it is claimed");
    static const char *const kv = "append(1, 5) [0,1]; get(1) -> 5 [2,3]; append(1, 6) [4,5]; get(1) -> 7 [6,7]";
    check_settled("kv", kv, SETTLED(5, 2, 3), NULL);
    /* no operation looked */
    check_settled("kv", kv, SETTLED(56, 3), "what is settled does not leave the object as it is claimed");
}

TEST_MAIN(TEST(groups_leave_as_a_whole), TEST(a_cut_takes_the_end), TEST(pending_removals_stay),
          TEST(what_is_fragile_leaves_first), TEST(parts_do_not_mix), TEST(the_last_move_is_the_core),
          TEST(what_is_settled_leaves), TEST(few_of_many))
