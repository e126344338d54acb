/* Where things are in the small picture. */
#include "report/scene.h"

#include "support/cmocka.h"
#include "support/make_history.h"

#include <string.h>

static scene placed(const bound *b, uint32_t cut) {
    scene s;
    uint32_t all[64];
    for (uint32_t i = 0; i < b->h->n; i++) all[i] = i;
    scene_open(&s, b->h, b->o, all, b->h->n, NULL, 0, cut);
    scene_place(&s, cut);
    return s;
}

static void time_goes_to_the_right(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,1]; 2 enq(2) [2,6]; 1 deq() -> 1 [3,5]");
    scene s = placed(&b, RANK_NEVER);
    assert_true(s.bar[0].x0 < s.bar[0].x1 && s.bar[0].x1 < s.bar[1].x0); /* one before the other */
    assert_true(s.bar[1].x0 < s.bar[2].x0 && s.bar[2].x1 < s.bar[1].x1); /* one within the other */
    assert_int_equal(s.lanes, 2);
    assert_int_equal(s.bar[0].lane, s.bar[2].lane); /* of one client */
    assert_int_equal(s.tears, 0);
    scene_close(&s);
    free_bound(&b);
}

static void operations_of_no_client_share_lanes_only_when_apart(void **unused) {
    (void)unused;
    bound b = make_history("queue", "enq(1) [0,4]; enq(2) [1,2]; enq(3) [3,5]; enq(4) [6,7]");
    scene s = placed(&b, RANK_NEVER);
    for (uint32_t i = 0; i < s.bars; i++)
        for (uint32_t k = i + 1; k < s.bars; k++)
            assert_true(s.bar[i].lane != s.bar[k].lane || s.bar[i].x1 < s.bar[k].x0);
    assert_int_equal(s.lanes, 2);
    scene_close(&s);
    free_bound(&b);
}

static void what_is_left_out_tears_the_axis(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,1]; 2 enq(2) [2,3]; 2 enq(3) [4,5]; 1 deq() -> 1 [6,7]");
    scene s;
    scene_open(&s, b.h, b.o, (uint32_t[]){0, 3}, 2, NULL, 0, RANK_NEVER);
    scene_place(&s, RANK_NEVER);
    assert_int_equal(s.tears, 1);
    assert_int_equal(s.tear[0].events, 4);
    assert_true(s.bar[0].x1 < s.tear[0].x && s.tear[0].x < s.bar[1].x0);
    scene_close(&s);
    free_bound(&b);
}

static void what_returns_behind_the_cut_is_open(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,5]; 2 deq() -> 1 [1,2]");
    scene s = placed(&b, 2);
    assert_true(s.bar[0].open && !s.bar[1].open);
    assert_true(s.bar[0].x1 > s.bar[1].x1);
    assert_string_equal(s.bar[0].label.at, "#0 enq(1) pending");
    scene_close(&s);
    free_bound(&b);
}

static void mentioned_operations_are_context(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 deq() -> 1 [0,1]; 2 enq(1) [2,3]");
    scene s;
    scene_open(&s, b.h, b.o, (uint32_t[]){0}, 1, (uint32_t[]){1, 1, 0}, 3, 1);
    scene_place(&s, 1);
    assert_int_equal(s.bars, 2); /* once each, and never twice when it is of the core */
    assert_true(!s.bar[0].context && s.bar[1].context);
    assert_true(s.cut_x > s.bar[0].x1 && s.cut_x < s.bar[1].x0);
    scene_close(&s);
    free_bound(&b);
}

/* Points are within their operations and in order. */
static void points_keep_to_call_and_return(void **unused) {
    (void)unused;
    bound b = make_history("queue", "1 enq(1) [0,3]; 2 enq(2) [1,2]; 3 deq() -> 2 [4,7]; 4 deq() -> 1 [5,6]");
    static const uint32_t order[] = {1, 0, 2, 3};
    scene s;
    scene_open(&s, b.h, b.o, (uint32_t[]){0, 1, 2, 3}, 4, NULL, 0, RANK_NEVER);
    for (int k = 0; k < 4; k++) text_add(&scene_point(&s, order[k])->state, "[1 2 3 4 5]");
    scene_place(&s, RANK_NEVER);
    for (uint32_t k = 0; k < s.points; k++) {
        const bar *at = &s.bar[s.point[k].bar];
        assert_true(at->x0 < s.point[k].x && s.point[k].x < at->x1);
        if (k) assert_true(s.point[k].x > s.point[k - 1].x + 60); /* room for the words */
    }
    assert_null(scene_point(&s, 77));
    scene_close(&s);
    free_bound(&b);
}

static void of_many_operations_the_ends_are_shown(void **unused) {
    (void)unused;
    text operations = {0};
    for (int i = 0; i < 60; i++) text_printf(&operations, "%s1 enq(%d) [%d,%d]", i ? "; " : "", i, 2 * i, 2 * i + 1);
    bound b = make_history("queue", operations.at);
    scene s = placed(&b, RANK_NEVER);
    assert_int_equal(s.bars, SCENE_OPERATIONS);
    assert_int_equal(s.left_out, 60 - SCENE_OPERATIONS);
    assert_int_equal(s.bar[SCENE_OPERATIONS - 1].op, 59);
    scene_close(&s);
    free_bound(&b);
    text_free(&operations);
}

TEST_MAIN(TEST(time_goes_to_the_right), TEST(operations_of_no_client_share_lanes_only_when_apart),
          TEST(what_is_left_out_tears_the_axis), TEST(what_returns_behind_the_cut_is_open),
          TEST(mentioned_operations_are_context), TEST(points_keep_to_call_and_return),
          TEST(of_many_operations_the_ends_are_shown))
