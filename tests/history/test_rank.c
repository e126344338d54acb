#include "support/cmocka.h"

#include "base/random.h"
#include "history/builder.h"
#include "history/rank.h"

#include <stdlib.h>

enum { MOST = 40 };

/* By definition: an event's rank is the number of events before it. */
static bool comes_before(int64_t a, bool a_returns, uint32_t i, int64_t b, bool b_returns, uint32_t k) {
    if (a != b) return a < b;
    if (a_returns != b_returns) return b_returns;
    return i < k;
}

static uint32_t rank_of(const int64_t *call, const int64_t *ret, uint32_t n, int64_t time, bool returns, uint32_t k) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        before += comes_before(call[i], false, i, time, returns, k);
        before += ret[i] != STAMP_NEVER && comes_before(ret[i], true, i, time, returns, k);
    }
    return before;
}

static void check(const int64_t *call_time, const int64_t *ret_time, uint32_t n) {
    uint32_t call[MOST], ret[MOST], events = rank_events(call_time, ret_time, STAMP_NEVER, n, NULL, call, ret),
                                    expected = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool pending = ret_time[i] == STAMP_NEVER;
        expected += 2u - pending;
        assert_int_equal(call[i], rank_of(call_time, ret_time, n, call_time[i], false, i));
        assert_int_equal(ret[i], pending ? RANK_NEVER : rank_of(call_time, ret_time, n, ret_time[i], true, i));
    }
    assert_int_equal(events, expected);
}

/* Steps of 1 make a clock that counts events, steps of 0 equal stamps, large ones a clock of another kind. */
static void random_stamps(random_source *r, uint32_t least, uint32_t most) {
    int64_t call[MOST], ret[MOST], clock = (int64_t)random_below(r, 1000) - 500;
    uint32_t n = 0, open[4], opened = 0;
    for (uint32_t left = random_below(r, MOST) + 1; left || opened;) {
        clock += (int64_t)least + random_below(r, most - least + 1);
        if (left && opened < 4 && (!opened || random_below(r, 2))) {
            call[n] = clock;
            ret[n] = STAMP_NEVER;
            open[opened++] = n++;
            left--;
        } else {
            uint32_t which = random_below(r, opened);
            if (random_below(r, 10)) ret[open[which]] = clock;
            open[which] = open[--opened];
        }
    }
    check(call, ret, n);
}

static void ranks_count_the_events_before(void **unused) {
    (void)unused;
    random_source r = {1};
    for (unsigned i = 0; i < 3000; i++) {
        random_stamps(&r, 1, 1);
        random_stamps(&r, 1, 3);
        random_stamps(&r, 0, 2);
        random_stamps(&r, 1, 1u << 30);
    }
}

/* Few or many keys, near or as far apart as integers are, nearly sorted or not at all. */
static uint32_t random_keys(random_source *r, int64_t *key, uint32_t most) {
    uint32_t n = random_below(r, most) + 1, near = random_below(r, 3);
    uint64_t span = random_below(r, 4) ? UINT64_C(1) << random_below(r, 63) : UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t key_of_i = near == 0 ? 4 * (uint64_t)i + random_below(r, 16) : random_next(r) % span;
        key[i] = (int64_t)(near == 1 ? key_of_i : key_of_i + (uint64_t)INT64_MIN);
    }
    return n;
}

static void sorting_keeps_the_order_of_equal_keys(void **unused) {
    (void)unused;
    enum { KEYS = 3000 };
    static int64_t key[KEYS];
    random_source r = {2};
    for (unsigned round = 0; round < 300; round++) {
        uint32_t n = random_keys(&r, key, round % 2 ? KEYS : 20), *order = rank_sort(key, n);
        uint8_t seen[KEYS] = {0};
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = order ? order[i] : i, before = !i ? 0 : order ? order[i - 1] : i - 1;
            assert_true(at < n && !seen[at]);
            seen[at] = 1;
            if (i) assert_true(key[before] < key[at] || (key[before] == key[at] && before < at));
        }
        free(order);
    }
}

static bool touches(const int64_t *call, const int64_t *ret, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            if (ret[i] != STAMP_NEVER && ret[i] == call[k]) return true;
    return false;
}

/* Clocks that count and clocks that leap. */
static void a_return_with_the_stamp_of_a_call(void **unused) {
    (void)unused;
    random_source r = {3};
    uint32_t touching = 0, n;
    for (unsigned round = 0; round < 4000; round++) {
        int64_t call[MOST], ret[MOST], clock = random_chance(&r, 0.1) ? INT64_MIN : (int64_t)random_below(&r, 9) - 4;
        uint32_t leap = round % 2 ? 4 : 1u << 20;
        n = random_below(&r, 12) + 1;
        for (uint32_t i = 0; i < n; i++, clock += 1 + random_below(&r, leap)) {
            call[i] = clock;
            ret[i] = random_chance(&r, 0.1) ? STAMP_NEVER : clock + 1 + random_below(&r, leap);
        }
        if (random_chance(&r, 0.3)) ret[0] = call[n - 1];
        assert_int_equal(rank_touches(call, ret, STAMP_NEVER, n), touches(call, ret, n));
        touching += touches(call, ret, n);
    }
    assert_true(touching > 1000 && touching < 3500);
    assert_false(rank_touches(NULL, NULL, STAMP_NEVER, 0));
}

TEST_MAIN(TEST(ranks_count_the_events_before), TEST(sorting_keeps_the_order_of_equal_keys),
          TEST(a_return_with_the_stamp_of_a_call))
