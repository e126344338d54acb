#include "support/cmocka.h"

#include "base/random.h"
#include "history/builder.h"
#include "history/rank.h"

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

TEST_MAIN(TEST(ranks_count_the_events_before))
