/* What makes a verifier cry wolf, or sleep: the rules of src/runtime/sketch.h, one by one. tools/defects/runtime breaks
 * each of them in the sources and looks whether these tests notice. */
#include "support/cmocka.h"

#include "runtime/verifier.h"
#include "support/record_run.h"

#include <plumbline/verify.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static plumb_recorder *open_memory(const char *what, unsigned clock, bool no_fence) {
    plumb_record_options o = {
        .struct_size = sizeof o, .object = what, .clock = clock, .threads = 4, .no_fence = no_fence, .bytes = 64 << 20};
    plumb_recorder *r = plumb_record_open(&o);
    assert_null(plumb_record_error(r));
    return r;
}

/* ---- one by one ---- */

typedef struct events {
    unsigned calls, returns;
    uint64_t last_call, last_return;
} events;

static void note_call(void *context, sketched *op) {
    events *e = context;
    e->calls++;
    e->last_call = op->call;
}

static void note_return(void *context, sketched *op) {
    events *e = context;
    e->returns++;
    e->last_return = op->ret;
}

/* A call with the stamp of the cut waits: its thread may have begun after one returned that this round did not
 * see. */
static void calls_at_the_cut_wait(void **unused) {
    (void)unused;
    for (unsigned clock = 0; clock <= PLUMB_CLOCK_SNAPSHOT; clock++) {
        plumb_recorder *r = open_memory("queue", clock, false);
        plumb_log *a = plumb_record_join(r), *b = plumb_record_join(r);
        events seen = {0};
        sketch s;
        sketch_init(&s, &r->shared, NULL, &(sketch_sink){&seen, note_call, note_return});
        plumb_call_int(a, 0, 1);
        plumb_ret_none(a);
        sketch_round(&s);
        assert_int_equal(seen.calls, 1);
        assert_int_equal(seen.returns, 1);
        plumb_call_int(b, 0, 2);
        uint64_t stamp = r->shared.slot[1].announced
                             ? recording_chunk(&r->shared, r->shared.slot[1].first)->record[2] >> PLUMB_STAMP_SHIFT
                             : 0;
        s.frontier = 0;
        uint64_t limit = clock_limit(r->shared.header, r->shared.slot, &s.scanner);
        if (clock == PLUMB_CLOCK_TICKET) assert_true(log_call_key(clock, stamp << PLUMB_STAMP_SHIFT) > limit);
        sketch_round(&s);
        if (clock == PLUMB_CLOCK_TICKET) assert_int_equal(seen.calls, 1);
        plumb_ret_none(b);
        sketch_round(&s);
        assert_int_equal(seen.calls, 2);
        assert_int_equal(seen.returns, 2);
        sketch_free(&s);
        plumb_record_leave(a);
        plumb_record_leave(b);
        plumb_record_close(r);
    }
}

/* A call that is announced after the cut, with an older stamp, is moved up to it; so is a return that is published
 * late. */
static void what_comes_late_is_clamped(void **unused) {
    (void)unused;
    plumb_recorder *r = open_memory("queue", PLUMB_CLOCK_TICKET, false);
    plumb_log *a = plumb_record_join(r), *b = plumb_record_join(r);
    events seen = {0};
    sketch s;
    sketch_init(&s, &r->shared, NULL, &(sketch_sink){&seen, note_call, note_return});
    plumb_call_int(a, 0, 1); /* stamped; its announcement is on the way */
    uint64_t announced = a->shared->announced;
    a->shared->announced = 0;
    for (int i = 0; i < 10; i++) {
        plumb_call_int(b, 0, 2 + i);
        plumb_ret_none(b);
    }
    sketch_round(&s);
    assert_int_equal(seen.calls, 10);
    uint64_t frontier = s.frontier;
    a->shared->announced = announced;
    plumb_call_int(b, 0, 100);
    plumb_ret_none(b);
    seen = (events){0};
    sketch_round(&s);
    assert_int_equal(seen.calls, 2);
    assert_true(s.cursor[0].op.call >= frontier);
    plumb_ret_none(a);
    uint64_t done = a->shared->done;
    a->shared->done = 0; /* published late */
    for (int i = 0; i < 10; i++) {
        plumb_call_int(b, 0, 200 + i);
        plumb_ret_none(b);
    }
    sketch_round(&s);
    frontier = s.frontier;
    a->shared->done = done;
    sketch_round(&s);
    assert_true(s.cursor[0].op.ret >= frontier);
    assert_int_equal(seen.last_return, s.cursor[0].op.ret);
    sketch_free(&s);
    plumb_record_leave(a);
    plumb_record_leave(b);
    plumb_record_close(r);
}

static uint64_t clock_of(const plumb_log *l) { return plumb_clock_at_call(l, l->shared, plumb_done(l->shared)); }

/* One thread counts the clock alone. When another one comes, the shared counter goes on above all that was counted;
 * from then on both go by it. */
static void the_clock_of_one_becomes_that_of_two(void **unused) {
    (void)unused;
    plumb_recorder *r = open_memory("queue", PLUMB_CLOCK_TICKET, false);
    log_header *h = r->shared.header;
    plumb_log *a = plumb_record_join(r);
    for (int i = 0; i < 3; i++) {
        plumb_call_int(a, 0, i);
        plumb_ret_none(a);
    }
    if (!h->barriers) {
        print_message("this system has no barriers: every thread shares the clock from the beginning\n");
    } else {
        assert_int_equal(clock_of(a), LOG_FIRST + 3); /* its place in the log */
        assert_int_equal(h->ticket, 0);
        assert_int_equal(clock_limit(h, r->shared.slot, NULL), 2 * (LOG_FIRST + 3));
    }
    plumb_call_int(a, 0, 3);
    plumb_log *b = plumb_record_join(r);
    if (h->barriers) assert_true(clock_of(b) > 5);
    assert_int_equal(clock_of(a), clock_of(b));
    uint64_t before = clock_of(b);
    plumb_ret_none(a);
    assert_int_equal(clock_of(b), before + 1);
    plumb_record_leave(a);
    plumb_log *c = plumb_record_join(r); /* to the same slot */
    plumb_call_int(c, 0, 4);
    plumb_ret_none(c);
    assert_int_equal(clock_of(b), before + 2);
    plumb_record_leave(b);
    plumb_record_leave(c);
    plumb_record_close(r);
}

enum { ROUNDS_MOST = 1 << 20 }; /* that there is room for: what is not recorded has no stamps */

typedef struct lonely {
    plumb_recorder *r;
    atomic_uint rounds, stop;
} lonely;

static void *record_and_record(void *context) {
    lonely *l = context;
    plumb_log *log = plumb_record_join(l->r);
    uint64_t last = 0;
    bool forward = true;
    while (!atomic_load(&l->stop) && atomic_load(&l->rounds) < ROUNDS_MOST) {
        plumb_call_int(log, 0, 1);
        forward = forward && clock_of(log) >= last;
        last = clock_of(log);
        plumb_ret_none(log);
        forward = forward && clock_of(log) > last;
        last = clock_of(log);
        atomic_fetch_add(&l->rounds, 1);
    }
    plumb_record_leave(log);
    return forward ? context : NULL;
}

/* Where cores are shared with many others a round waits for both threads in turn: then fewer do. */
enum { ROUNDS_AT_LEAST = 50, PATIENCE_SECONDS = 5 };

/* Whenever a reader comes, a thread's own stamps only grow. */
static void stamps_never_go_back(void **unused) {
    (void)unused;
    const time_t began = time(NULL);
    for (unsigned i = 0; i < fewer_if_sanitized(1000); i++) {
        if (i >= ROUNDS_AT_LEAST && time(NULL) - began > PATIENCE_SECONDS) break;
        lonely l = {.r = open_memory("queue", PLUMB_CLOCK_TICKET, false)};
        pthread_t t;
        void *forward;
        pthread_create(&t, NULL, record_and_record, &l);
        while (atomic_load(&l.rounds) < i % 50) sched_yield();
        plumb_log *me = plumb_record_join(l.r);
        unsigned enough = atomic_load(&l.rounds) + 5;
        if (enough > ROUNDS_MOST) enough = ROUNDS_MOST;
        while (atomic_load(&l.rounds) < enough) sched_yield();
        atomic_store(&l.stop, 1);
        pthread_join(t, &forward);
        assert_non_null(forward);
        plumb_record_leave(me);
        plumb_record_close(l.r);
    }
}

/* ---- right objects that provoke ---- */

static plumb_verdict judge_afterwards(plumb_recorder *r) {
    plumb_verifier *v = plumb_verify_start(r, NULL);
    plumb_verdict found = plumb_verify_stop(v);
    plumb_verify_free(v);
    return found;
}

/* Nearly always empty: removes that only read must not take effect before they are announced. */
static void near_empty_queues(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < fewer_if_sanitized(60); i++) {
        plumb_recorder *r = open_memory("queue", i % 3, false);
        record_run run = {.threads = 2, .operations = 20000, .seed = i, .r = r};
        record_run_all(&run);
        assert_int_equal(judge_afterwards(r), PLUMB_LINEARIZABLE);
        plumb_record_close(r);
    }
}

/* The same, watched while it runs, by a reader that never pauses; each time one thread was there before the other. */
static void near_empty_queues_watched(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < fewer_if_sanitized(200); i++) {
        plumb_recorder *r = open_memory("queue", PLUMB_CLOCK_TICKET, false);
        plumb_verifier *v =
            plumb_verify_start(r, &(plumb_verify_options){.struct_size = sizeof(plumb_verify_options), .pause = 1});
        record_run run = {.threads = 2, .operations = 4000, .seed = i, .r = r};
        record_run_all(&run);
        assert_int_equal(plumb_verify_stop(v), PLUMB_LINEARIZABLE);
        plumb_verify_free(v);
        plumb_record_close(r);
    }
}

/* One producer, one consumer, release stores only: without a fence before the last stamp an enqueue may return before
 * any reader can see it. */
enum { SLOTS = 8, PASSED = 4000 };

typedef struct spsc {
    plumb_recorder *r;
    _Atomic uint64_t in, out;
    _Atomic int64_t slot[SLOTS];
} spsc;

static void *produce(void *context) {
    spsc *q = context;
    plumb_log *l = plumb_record_join(q->r);
    for (int64_t i = 1; i <= PASSED;) {
        uint64_t in = atomic_load_explicit(&q->in, memory_order_relaxed);
        if (in - atomic_load_explicit(&q->out, memory_order_acquire) == SLOTS) {
            sched_yield();
            continue;
        }
        plumb_call_int(l, 0, i);
        atomic_store_explicit(&q->slot[in % SLOTS], i, memory_order_relaxed);
        atomic_store_explicit(&q->in, in + 1, memory_order_release);
        plumb_ret_none(l);
        i++;
    }
    plumb_record_leave(l);
    return NULL;
}

static void *consume(void *context) {
    spsc *q = context;
    plumb_log *l = plumb_record_join(q->r);
    unsigned empties = 0;
    for (int64_t seen = 0; seen < PASSED;) {
        plumb_call_none(l, 1);
        uint64_t out = atomic_load_explicit(&q->out, memory_order_relaxed);
        if (atomic_load_explicit(&q->in, memory_order_acquire) == out) {
            plumb_ret_empty(l);
            if (++empties % 64 == 0) sched_yield();
            continue;
        }
        seen = atomic_load_explicit(&q->slot[out % SLOTS], memory_order_relaxed);
        atomic_store_explicit(&q->out, out + 1, memory_order_release);
        plumb_ret_int(l, seen);
    }
    plumb_record_leave(l);
    return NULL;
}

static unsigned alarms_of_rings(bool no_fence, unsigned runs) {
    unsigned alarms = 0;
    for (unsigned i = 0; i < runs; i++) {
        spsc q = {.r = open_memory("queue", i % 3, no_fence)};
        pthread_t t[2];
        pthread_create(&t[0], NULL, produce, &q);
        pthread_create(&t[1], NULL, consume, &q);
        for (unsigned k = 0; k < 2; k++) pthread_join(t[k], NULL);
        alarms += judge_afterwards(q.r) == PLUMB_VIOLATION;
        plumb_record_close(q.r);
    }
    return alarms;
}

static void effects_that_are_plain_stores(void **unused) {
    (void)unused;
    unsigned runs = fewer_if_sanitized(30);
    assert_int_equal(alarms_of_rings(false, runs), 0);
    print_message("without the fence: %u alarms in %u runs\n", alarms_of_rings(true, runs), runs);
}

TEST_MAIN(TEST(calls_at_the_cut_wait), TEST(what_comes_late_is_clamped), TEST(the_clock_of_one_becomes_that_of_two),
          TEST(stamps_never_go_back), TEST(near_empty_queues_watched), TEST(near_empty_queues),
          TEST(effects_that_are_plain_stores))
