/* What a pool holds is there after a body that ended, and gone after one that ran out of memory. */
#include "base/mem.h"
#include "base/pool.h"
#include "support/cmocka.h"

#include <stdlib.h>
#include <string.h>

static char order[16]; /* of the cleanups that were run */

static void note(void *what) { strcat(order, what); }

typedef struct pool_trial {
    char *block, *shared;
    pthread_mutex_t lock;
    pool_cleanup first, second;
    bool inner, fails, inside;
} pool_trial;

static void allocate(void *argument) {
    pool_trial *t = argument;
    t->block = mem_string("abc");
    t->block = mem_resize(t->block, 100, 1000); /* it moves */
    char *gone = mem_alloc(3);
    mem_free(gone);
    mem_free(NULL);
    pool_at_failure(&t->first, note, "1");
    pool_at_failure(&t->second, note, "2");
    pool_forget(&t->second);
    pool_at_failure(&t->second, note, "3");
    if (t->fails) mem_exhausted("a test");
}

static void release(void *argument) {
    pool_trial *t = argument;
    pool_forget(&t->first);
    pool_forget(&t->second);
    mem_free(t->block);
}

static void what_is_allocated_stays(void **unused) {
    (void)unused;
    mem_pool p;
    pool_trial t = {.fails = false};
    pool_init(&p);
    order[0] = 0;
    assert_true(pool_run(&p, allocate, &t));
    assert_false(pool_is_running());
    assert_string_equal(t.block, "abc");
    assert_false(pool_is_empty(&p));
    assert_true(pool_run(&p, release, &t));
    assert_true(pool_is_empty(&p));
    assert_string_equal(order, "");
}

static void what_is_left_is_dropped(void **unused) {
    (void)unused;
    mem_pool p;
    pool_trial t = {.fails = false};
    pool_init(&p);
    order[0] = 0;
    assert_true(pool_run(&p, allocate, &t));
    pool_drop(&p);
    assert_true(pool_is_empty(&p));
    assert_string_equal(order, "31"); /* the last one first */
}

static void failure_returns(void **unused) {
    (void)unused;
    mem_pool p;
    pool_trial t = {.fails = true};
    pool_init(&p);
    order[0] = 0;
    assert_false(pool_run(&p, allocate, &t));
    assert_true(pool_is_empty(&p) && !pool_is_running());
    assert_string_equal(order, "31");
}

/* A table that outlives a call adds to itself in the midst of one. */
static void add_to_shared(void *argument) {
    pool_trial *t = argument;
    pool_enter(t->shared, &t->lock);
    t->block = mem_string("kept");
    if (t->fails) mem_exhausted("a test");
    pool_leave(&t->lock);
    char *own = mem_string("mine");
    (void)own;
    t->inside = true;
    mem_exhausted("a test");
}

static void fail_inside(void *argument) {
    pool_trial *t = argument;
    t->shared = mem_alloc(1000);
    t->inner = pool_try(add_to_shared, t);
    assert_true(pool_is_running());
    assert_int_equal(pthread_mutex_trylock(&t->lock), 0); /* was unlocked */
    pthread_mutex_unlock(&t->lock);
    assert_string_equal(t->block, "kept");
    mem_free(t->block);
    mem_free(t->shared);
}

static void pools_nest(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < 2; i++) {
        mem_pool p;
        pool_trial t = {.lock = PTHREAD_MUTEX_INITIALIZER, .fails = i, .inner = true};
        pool_init(&p);
        assert_true(pool_run(&p, fail_inside, &t));
        assert_false(t.inner);
        assert_true(t.inside == !i);
        assert_true(pool_is_empty(&p) && p.lost);
    }
}

enum { ROUNDS = 200, THREADS = 3 };

typedef struct team_trial {
    pool_scope *starter;
    char *block[THREADS];
    char *common; /* resized by all, one after the other */
    pthread_mutex_t lock;
} team_trial;

static void work_in_team(void *argument) {
    team_trial *t = argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        char *mine = mem_alloc(i);
        pool_enter(t->common, &t->lock);
        t->block[i % THREADS] = mem_resize(t->block[i % THREADS], i + 1, 10);
        pool_leave(&t->lock);
        mem_free(mine);
    }
    mem_alloc(10); /* the starter's, from now on */
    mem_exhausted("a test");
}

static void *run_in_team(void *argument) {
    team_trial *t = argument;
    assert_false(pool_team_try(t->starter, work_in_team, t));
    return NULL;
}

static void start_team(void *argument) {
    team_trial *t = argument;
    pthread_t thread[THREADS];
    t->common = mem_alloc(1);
    t->starter = pool_team_begin();
    for (unsigned i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, run_in_team, t), 0);
    for (unsigned i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    pool_team_end(t->starter);
    for (unsigned i = 0; i < THREADS; i++) mem_free(t->block[i]);
    mem_free(t->common);
}

static void threads_share_blocks(void **unused) {
    (void)unused;
    mem_pool p;
    team_trial t = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pool_init(&p);
    assert_true(pool_run(&p, start_team, &t));
    assert_true(pool_is_empty(&p));
}

static void without_a_pool_it_just_runs(void **unused) {
    (void)unused;
    pool_trial t = {.fails = false};
    order[0] = 0;
    assert_true(pool_try(allocate, &t));
    assert_string_equal(t.block, "abc");
    release(&t);
    assert_string_equal(order, "");
    assert_null(pool_team_begin());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_allocated_stays), cmocka_unit_test(what_is_left_is_dropped),
        cmocka_unit_test(failure_returns),         cmocka_unit_test(pools_nest),
        cmocka_unit_test(threads_share_blocks),    cmocka_unit_test(without_a_pool_it_just_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
