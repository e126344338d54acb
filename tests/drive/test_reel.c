/* Events of several threads in one order: nothing is lost, clients keep their order, times do not go back. */
#include "support/cmocka.h"

#include "drive/reel.h"

#include <stdatomic.h>

enum { THREADS = 4, EVENTS = 100000 };

static reel shared;
static _Atomic unsigned ended;

static void *put_events(void *number) {
    for (uint32_t i = 0; i < EVENTS; i++) {
        reel_event e = {.kind = REEL_CALL, .client = *(uint32_t *)number, .res = i};
        reel_put(&shared, &e);
    }
    atomic_fetch_add(&ended, 1);
    return NULL;
}

static void all_arrive_in_order(void **unused) {
    (void)unused;
    pthread_t thread[THREADS];
    uint32_t number[THREADS], next[THREADS] = {0}, all = 0;
    int64_t last = 0;
    reel_open(&shared);
    for (uint32_t i = 0; i < THREADS; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, put_events, &number[i]), 0);
    }
    for (bool more = true; more;) {
        const reel_event *e;
        more = atomic_load(&ended) < THREADS; /* asked before what came is taken */
        uint32_t n = reel_take(&shared, &e);
        for (uint32_t i = 0; i < n; i++, all++) {
            assert_int_equal(e[i].res, next[e[i].client]++);
            assert_true(e[i].time >= last);
            last = e[i].time;
        }
    }
    for (uint32_t i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    assert_int_equal(all, THREADS * EVENTS);
    reel_close(&shared);
}

/* More than there is room for, and no judge: the call waits until it is told not to; returns never wait. */
static void waiting_ends(void **unused) {
    (void)unused;
    pthread_t thread;
    uint32_t number = 1, all = 0;
    const reel_event *e;
    reel_open(&shared);
    atomic_store(&ended, 0);
    for (unsigned i = 0; i < EVENTS; i++) reel_put(&shared, &(reel_event){.kind = REEL_RETURN});
    assert_int_equal(pthread_create(&thread, NULL, put_events, &number), 0);
    reel_end_waiting(&shared);
    pthread_join(thread, NULL);
    all = reel_take(&shared, &e);
    assert_int_equal(all, 2 * EVENTS);
    reel_close(&shared);
}

static void a_note_keeps_its_time(void **unused) {
    (void)unused;
    const reel_event *e;
    reel_open(&shared);
    reel_put(&shared, &(reel_event){.kind = REEL_NOTE, .time = 5, .until = 9});
    assert_int_equal(reel_take(&shared, &e), 1);
    assert_int_equal(e->time, 5);
    assert_int_equal(e->until, 9);
    assert_int_equal(reel_take(&shared, &e), 0);
    reel_close(&shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arrive_in_order),
        cmocka_unit_test(waiting_ends),
        cmocka_unit_test(a_note_keeps_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
