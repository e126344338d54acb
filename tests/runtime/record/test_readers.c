/* Several verifiers of one recording, verifiers that follow others, and what neither may take for known: operations
 * that were under way in the dark, or before they came. Everything by hand, in one thread, but for the last tests. */
#include "support/cmocka.h"

#include "runtime/watch.h"
#include "support/record_run.h"

#include <plumbline/verify.h>

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 4, RING = 8 };

typedef struct scene {
    plumb_recorder *r;
    plumb_log *l[THREADS];
    int add, take;
} scene;

static scene open_scene(unsigned clock, bool ring) {
    plumb_record_options o = {.struct_size = sizeof o,
                              .object = "queue",
                              .clock = clock,
                              .ring = ring,
                              .bytes = RING * LOG_CHUNK_BYTES,
                              .threads = THREADS};
    scene s = {.r = plumb_record_open(&o)};
    assert_null(plumb_record_error(s.r));
    s.add = plumb_record_method(s.r, "enq");
    s.take = plumb_record_method(s.r, "deq");
    return s;
}

static void close_scene(scene *s) {
    for (unsigned i = 0; i < THREADS; i++) plumb_record_leave(s->l[i]);
    plumb_record_close(s->r);
}

static plumb_log *client(scene *s, unsigned i) {
    if (!s->l[i]) s->l[i] = plumb_record_join(s->r);
    return s->l[i];
}

static void put(scene *s, unsigned i, int64_t v) {
    plumb_call_int(client(s, i), s->add, v);
    plumb_ret_none(client(s, i));
}

static void get(scene *s, unsigned i, int64_t v) {
    plumb_call_none(client(s, i), s->take);
    plumb_ret_int(client(s, i), v);
}

static void get_nothing(scene *s, unsigned i) {
    plumb_call_none(client(s, i), s->take);
    plumb_ret_empty(client(s, i));
}

/* The next call of this client is not recorded. */
static void begin_in_the_dark(scene *s, unsigned i, int64_t v) {
    plumb_log *l = client(s, i);
    log_header *h = s->r->shared.header;
    h->want_dark = 1;
    ask_at_next_call(l);
    plumb_call_int(l, s->add, v);
    h->want_dark = 0;
}

static void end_in_the_dark(scene *s, unsigned i) { plumb_ret_none(client(s, i)); }

static void start(watch *w, scene *s) { assert_true(watch_init(w, &s->r->shared, &(checker_options){0})); }

static void look(watch *w, unsigned rounds) {
    while (rounds--) watch_round(w);
}

/* ---- the dark ---- */

/* With TICKET, what is not recorded does not count the clock on: a remove that was called while an unrecorded add ran
 * is held back for as long as no thread returns, and handed on only after judging began again. It is not one that began
 * after the dark. */
static void a_call_that_was_held_back_belongs_to_the_dark(void **unused) {
    (void)unused;
    for (unsigned clock = 0; clock < 2; clock++) {
        scene s = open_scene(clock, true);
        watch w;
        start(&w, &s);
        put(&s, 2, 1);
        get(&s, 2, 1);
        look(&w, 1);
        begin_in_the_dark(&s, 0, 7);
        plumb_call_none(client(&s, 1), s.take);
        end_in_the_dark(&s, 0);
        look(&w, 6);
        plumb_ret_empty(client(&s, 1)); /* before 7 was put in */
        get(&s, 2, 7);
        look(&w, 2);
        assert_int_not_equal(watch_verdict(&w), VERDICT_VIOLATION);
        watch_free(&w);
        close_scene(&s);
    }
}

/* A thread comes while a round is under way, does something unrecorded, and another one that had been called before
 * sees the effect: with SNAPSHOT its return has the stamp of the cut. */
static log_header *stage_header;
static checker_type late_comer;
static const checker_type *usual;

static void call_while_somebody_comes(checker *c, sketched *op) {
    stage_header->used = 2;
    usual->call(c, op);
}

static void somebody_dark_comes_during_a_round(void **unused) {
    (void)unused;
    scene s = open_scene(PLUMB_CLOCK_SNAPSHOT, true);
    watch w;
    start(&w, &s);
    plumb_call_none(client(&s, 0), s.take);
    begin_in_the_dark(&s, 1, 7);
    plumb_ret_int(client(&s, 0), 7);
    stage_header = s.r->shared.header;
    stage_header->used = 1; /* as the round finds it */
    usual = w.check->type;
    late_comer = *usual;
    late_comer.call = call_while_somebody_comes;
    late_comer.whole = NULL;
    w.check->type = &late_comer;
    watch_round(&w);
    assert_int_equal(stage_header->used, 2);
    assert_int_equal(w.verdict, VERDICT_LINEARIZABLE);
    assert_int_equal(w.state, WATCH_BLIND);
    end_in_the_dark(&s, 1);
    watch_free(&w);
    close_scene(&s);
}

/* ---- one after the other ---- */

/* An add of unknown outcome may take effect at any time: the verifier that comes later has not read of
 * it. */
static void ghosts_are_handed_down(void **unused) {
    (void)unused;
    for (int beside = 0; beside < 2; beside++) {
        scene s = open_scene(PLUMB_CLOCK_TICKET, true);
        watch first, second;
        start(&first, &s);
        plumb_call_int(client(&s, 0), s.add, 7);
        plumb_ret_unknown(client(&s, 0));
        put(&s, 1, 1);
        get(&s, 1, 1);
        look(&first, 2);
        if (!beside) watch_free(&first);
        start(&second, &s);
        look(&second, 4);
        get_nothing(&s, 1);
        look(&second, 2);
        get(&s, 1, 7);
        look(&second, 2);
        assert_int_not_equal(watch_verdict(&second), VERDICT_VIOLATION);
        watch_free(&second);
        if (beside) {
            look(&first, 2);
            assert_int_equal(watch_verdict(&first), VERDICT_LINEARIZABLE);
            watch_free(&first);
        }
        close_scene(&s);
    }
}

/* ---- side by side ---- */

static void fill(scene *s, unsigned from, unsigned n) {
    for (unsigned i = from; i < from + n; i++) {
        put(s, 0, i);
        get(s, 0, i);
    }
}

/* Three read; one of them stops reading for good. The ring goes round on the others' account; nothing is dark. The slow
 * one finds that out, comes in again beside them, and finds what goes wrong from then on; it never says that all was
 * right. */
static void one_that_is_behind_is_expelled(void **unused) {
    (void)unused;
    for (unsigned clock = 0; clock < 2; clock++) {
        scene s = open_scene(clock, true);
        watch w[3];
        plumb_record_status status = {.struct_size = sizeof status};
        for (unsigned i = 0; i < 3; i++) start(&w[i], &s);
        for (unsigned i = 0; i < 20 * RING; i++) {
            fill(&s, i * LOG_CHUNK_RECORDS / 4, LOG_CHUNK_RECORDS / 4);
            look(&w[0], 1);
            look(&w[1], 1);
        }
        plumb_record_look(s.r, &status);
        assert_int_equal(status.dark, 0);
        look(&w[2], 6);
        assert_int_equal(w[2].counts.expelled, 1);
        assert_int_equal(w[2].state, WATCH_GREY);
        get_nothing(&s, 0);
        put(&s, 0, -1);
        get(&s, 0, -1);
        for (unsigned i = 0; i < 3; i++) look(&w[i], 3);
        assert_int_equal(w[2].state, WATCH_CHECKING);
        assert_int_equal(watch_verdict(&w[0]), VERDICT_LINEARIZABLE);
        assert_int_equal(watch_verdict(&w[2]), VERDICT_UNDECIDED);
        w[2].verdict = VERDICT_LINEARIZABLE;
        get(&s, 0, -1);
        for (unsigned i = 0; i < 3; i++) {
            look(&w[i], 3);
            assert_int_equal(watch_verdict(&w[i]), VERDICT_VIOLATION);
            watch_free(&w[i]);
        }
        close_scene(&s);
    }
}

/* All are behind: no reader is expelled, the writers go dark. */
static void the_only_one_is_waited_for(void **unused) {
    (void)unused;
    scene s = open_scene(PLUMB_CLOCK_TICKET, true);
    watch w[2];
    plumb_record_status status = {.struct_size = sizeof status};
    for (unsigned i = 0; i < 2; i++) start(&w[i], &s);
    fill(&s, 0, RING * LOG_CHUNK_RECORDS);
    plumb_record_look(s.r, &status);
    assert_true(status.dark > 0);
    for (unsigned i = 0; i < 2; i++) {
        look(&w[i], 3);
        assert_int_equal(w[i].counts.expelled, 0);
        assert_int_equal(watch_verdict(&w[i]), VERDICT_UNDECIDED);
        watch_free(&w[i]);
    }
    close_scene(&s);
}

static void there_are_so_many_seats(void **unused) {
    (void)unused;
    scene ring = open_scene(PLUMB_CLOCK_TICKET, true), whole = open_scene(PLUMB_CLOCK_TICKET, false);
    watch w[LOG_READERS + 1], many[3 * LOG_READERS];
    for (unsigned i = 0; i < LOG_READERS; i++) start(&w[i], &ring);
    assert_false(watch_init(&w[LOG_READERS], &ring.r->shared, &(checker_options){0}));
    assert_non_null(strstr(watch_reason(&w[LOG_READERS]), "at most"));
    for (unsigned i = 0; i <= LOG_READERS; i++) watch_free(&w[i]);
    start(&w[0], &ring);
    watch_free(&w[0]);
    put(&whole, 0, 1);
    get_nothing(&whole, 0);
    for (unsigned i = 0; i < 3 * LOG_READERS; i++) {
        start(&many[i], &whole);
        look(&many[i], 1);
        assert_int_equal(watch_verdict(&many[i]), VERDICT_VIOLATION);
    }
    for (unsigned i = 0; i < 3 * LOG_READERS; i++) watch_free(&many[i]);
    close_scene(&ring);
    close_scene(&whole);
}

/* ---- threads ---- */

static void *run_all(void *context) {
    record_run_all(context);
    return NULL;
}

static uint64_t stop_one(plumb_verifier *v, uint64_t *whole) {
    plumb_verify_status s = {.struct_size = sizeof s};
    plumb_verdict found = plumb_verify_stop(v);
    if (found == PLUMB_VIOLATION || found == PLUMB_ERROR) fail_msg("%s", plumb_verify_reason(v));
    plumb_verify_look(v, &s);
    *whole += found == PLUMB_LINEARIZABLE;
    plumb_verify_free(v);
    return s.checked;
}

/* Verifiers come and go beside running threads, in a ring that is small: none raises a false alarm. */
static void they_come_and_go(void **unused) {
    (void)unused;
    uint64_t judged = 0, whole = 0;
    for (unsigned i = 0; i < 9; i++) {
        plumb_record_options o = {.struct_size = sizeof o,
                                  .object = "queue",
                                  .clock = i % 3,
                                  .ring = true,
                                  .bytes = 32 * LOG_CHUNK_BYTES,
                                  .threads = 2};
        plumb_recorder *r = plumb_record_open(&o);
        plumb_verifier *v[3];
        for (unsigned k = 0; k < 3; k++) v[k] = plumb_verify_start(r, NULL);
        record_run run = {
            .threads = 2, .operations = fewer_if_sanitized(soaking() ? 20000000 : 100000), .seed = i, .r = r};
        pthread_t thread;
        pthread_create(&thread, NULL, run_all, &run);
        for (unsigned turn = 0; turn < 12; turn++) {
            judged += stop_one(v[turn % 2], &whole); /* the third one stays */
            v[turn % 2] = plumb_verify_start(r, NULL);
        }
        pthread_join(thread, NULL);
        for (unsigned k = 0; k < 3; k++) judged += stop_one(v[k], &whole);
        plumb_record_close(r);
    }
    print_message("%" PRIu64 " judged; %" PRIu64 " verifiers saw all that there was\n", judged, whole);
    assert_true(judged > 0);
}

TEST_MAIN(TEST(a_call_that_was_held_back_belongs_to_the_dark), TEST(somebody_dark_comes_during_a_round),
          TEST(ghosts_are_handed_down), TEST(one_that_is_behind_is_expelled), TEST(the_only_one_is_waited_for),
          TEST(there_are_so_many_seats), TEST(they_come_and_go))
