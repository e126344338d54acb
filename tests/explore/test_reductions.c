/* The oracle of every reduction: on random programs that dfs exhausts, what the others leave out is never a history. */
#include "support/cmocka.h"
#include "support/toy_campaign.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_DFS = 300 };

static uint32_t programs(uint32_t n) {
    if (getenv("PLUMB_SOAK")) return 40 * n;
    return getenv("PLUMB_FEWER") ? n / 10 : n;
}

static void must_agree(const toy_program *p, const toy_outcome *dfs, const toy_try *how, const char *what,
                       uint64_t seed) {
    toy_outcome o = toy_explore(p, how);
    bool same = o.good && o.r.complete && toy_same_histories(&dfs->seen, &o.seen);
    bool same_failure = (dfs->r.failure != FAILURE_NONE) == (o.r.failure != FAILURE_NONE);
    if (!same || !same_failure) {
        toy_print(p);
        printf("seed %llu: %s has %u histories, dfs %u; failure %d, dfs %d; complete %d good %d %s\n",
               (unsigned long long)seed, what, o.seen.n, dfs->seen.n, (int)o.r.failure, (int)dfs->r.failure,
               o.r.complete, o.good, o.r.message);
    }
    assert_true(same && same_failure);
    toy_outcome_free(&o);
}

/* Histories are not asked for: states are told apart by the linearizations that are left, and no longer by the order of
 * calls and returns. */
static void verdict_must_agree(const toy_program *p, const toy_outcome *dfs, uint64_t seed) {
    toy_outcome o =
        toy_explore(p, &(toy_try){.strategy = "states", .object = "register", .all = true, .no_histories = true});
    if (!o.good || !o.r.complete || (dfs->r.failure != FAILURE_NONE) != (o.r.failure != FAILURE_NONE)) {
        toy_print(p);
        printf("seed %llu: states: failure %d, dfs %d; complete %d good %d %s\n", (unsigned long long)seed,
               (int)o.r.failure, (int)dfs->r.failure, o.r.complete, o.good, o.r.message);
        fail();
    }
    assert_true(o.r.executions <= dfs->r.executions);
    toy_outcome_free(&o);
}

static void compare_one(toy_flavour flavour, uint64_t seed, uint32_t most, uint32_t *compared, uint32_t *violations) {
    random_source r = {seed};
    toy_program p;
    toy_random(&p, &r, flavour);
    toy_outcome dfs = toy_explore(
        &p, &(toy_try){.strategy = "dfs", .object = "register", .each_history = true, .all = true, .most = most});
    if (!dfs.good) printf("seed %llu: %s\n", (unsigned long long)seed, dfs.r.message);
    assert_true(dfs.good);
    if (dfs.r.complete) {
        ++*compared;
        *violations += dfs.r.failure != FAILURE_NONE;
        must_agree(&p, &dfs, &(toy_try){.strategy = "dpor", .object = "register", .all = true}, "dpor", seed);
        must_agree(&p, &dfs, &(toy_try){.strategy = "states", .object = "register", .all = true}, "states", seed);
        verdict_must_agree(&p, &dfs, seed);
        if (seed % 3 == 0 || getenv("PLUMB_SOAK"))
            must_agree(
                &p, &dfs,
                &(toy_try){.strategy = "bounded", .object = "register", .each_history = true, .all = true, .bound = 60},
                "bounded", seed);
        if (flavour == FLAVOUR_SYMMETRIC)
            must_agree(
                &p, &dfs,
                &(toy_try){.strategy = "dpor", .object = "register", .all = true, .symmetry = true, .rename = true},
                "symmetry", seed);
    }
    toy_outcome_free(&dfs);
}

static void compare_flavour(toy_flavour flavour, uint32_t n) {
    uint32_t compared = 0, violations = 0;
    for (uint32_t i = 0; i < programs(n); i++)
        compare_one(flavour, 1000000u * (uint64_t)(flavour + 1) + i, MOST_DFS, &compared, &violations);
    print_message("%u programs compared, %u of them fail\n", compared, violations);
    assert_true(compared > n / 20);
    assert_in_range(violations, compared / 20, compared - compared / 20);
}

static void memory_only(void **s) {
    (void)s;
    compare_flavour(FLAVOUR_MEMORY, 5000);
}
static void locks(void **s) {
    (void)s;
    compare_flavour(FLAVOUR_LOCKS, 3500);
}
static void waiting(void **s) {
    (void)s;
    compare_flavour(FLAVOUR_WAITING, 3000);
}
static void mixed(void **s) {
    (void)s;
    compare_flavour(FLAVOUR_MIXED, 3000);
}
static void symmetric(void **s) {
    (void)s;
    compare_flavour(FLAVOUR_SYMMETRIC, 3500);
}

/* Rare: a thread that only the rule of symmetry holds back could have gone on earlier, when its step was no marker. */
static void held_back(void **s) {
    (void)s;
    static const uint64_t seeds[] = {5003637, 5010473};
    uint32_t compared = 0, violations = 0;
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; i++)
        compare_one(FLAVOUR_SYMMETRIC, seeds[i], 3000, &compared, &violations);
    assert_int_equal(compared, sizeof seeds / sizeof *seeds);
}

TEST_MAIN(TEST(memory_only), TEST(locks), TEST(waiting), TEST(mixed), TEST(symmetric), TEST(held_back))
