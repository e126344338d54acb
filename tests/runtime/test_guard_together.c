/* The guard around objects whose operations take effect together: what it hands out as verified is set-linearizable (or
 * interval-linearizable), whatever the object does and whichever thread dies; a right object is never refused. */
#include "support/cmocka.h"

#include "base/random.h"
#include "evidence/certificate.h"
#include "support/judge_history.h"
#include "support/record_run.h"
#include "support/step_aside.h"

#include <plumbline/guard.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- by hand: two members, one thread ---- */

typedef struct table {
    plumb_guard *g;
    plumb_member *who[3];
} table;

static table open_table(const char *what) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = what, .threads = 4};
    table t = {.g = plumb_guard_open(&o)};
    if (plumb_guard_error(t.g)) fail_msg("%s", plumb_guard_error(t.g));
    for (unsigned i = 0; i < 3; i++) t.who[i] = plumb_guard_join(t.g);
    return t;
}

static void close_table(table *t) {
    for (unsigned i = 0; i < 3; i++) plumb_guard_leave(t->who[i]);
    plumb_guard_close(t->g);
}

static void call(const table *t, unsigned who, const char *name, const plumb_value *arg, size_t n) {
    plumb_guard_call(t->who[who], plumb_guard_method(t->g, name), arg, n);
}

static plumb_answer ret(const table *t, unsigned who, plumb_value res) { return plumb_guard_ret(t->who[who], res); }

static void refusal_is_certified(const table *t, unsigned who, const char *says) {
    char file[64];
    text said = {0};
    error e = {0};
    snprintf(file, sizeof file, "/tmp/plumb-together-%d.cert", (int)getpid());
    assert_true(plumb_guard_witness(t->who[who], file));
    if (certify(file, NULL, &said, &e)) fail_msg("%s%s", e.what, text_str(&said));
    if (!strstr(text_str(&said), says)) fail_msg("%s", text_str(&said));
    text_free(&said);
    unlink(file);
}

static void two_exchange(void **unused) {
    (void)unused;
    table t = open_table("exchanger");
    plumb_value one = plumb_int(1), two = plumb_int(2), three = plumb_int(3);
    call(&t, 0, "exchange", &one, 1);
    call(&t, 1, "exchange", &two, 1);
    assert_int_equal(ret(&t, 0, two), PLUMB_VERIFIED);
    call(&t, 2, "exchange", &three, 1);
    assert_int_equal(ret(&t, 2, plumb_empty()), PLUMB_VERIFIED);
    assert_int_equal(ret(&t, 1, three), PLUMB_REFUSED); /* 2 went to the first, who brought 1 */
    refusal_is_certified(&t, 1, "are a violation");
    close_table(&t);
}

static void a_push_meets_a_pop(void **unused) {
    (void)unused;
    table t = open_table("elimination");
    plumb_value seven = plumb_int(7);
    call(&t, 0, "push", &seven, 1);
    call(&t, 1, "pop", NULL, 0);
    call(&t, 2, "pop", NULL, 0);
    assert_int_equal(ret(&t, 1, seven), PLUMB_VERIFIED);
    assert_int_equal(ret(&t, 0, plumb_bool(true)), PLUMB_VERIFIED);
    assert_int_equal(ret(&t, 2, seven), PLUMB_REFUSED); /* only once */
    refusal_is_certified(&t, 2, "a violation of set-linearizable");
    close_table(&t);
}

static plumb_value view_of(plumb_value item[3]) { return plumb_tuple(item, 3); }

static void write_and_look(const table *t, unsigned who, int64_t v) {
    plumb_value arg[2] = {plumb_int((int64_t)who), plumb_int(v)};
    call(t, who, "write_snapshot", arg, 2);
}

/* The same three answers: right over time, wrong at once. */
static void snapshots(void **unused) {
    (void)unused;
    static const struct {
        const char *object;
        plumb_answer last;
    } cases[] = {{"write-snapshot(3)", PLUMB_VERIFIED}, {"immediate-snapshot(3)", PLUMB_REFUSED}};
    for (unsigned i = 0; i < 2; i++) {
        table t = open_table(cases[i].object);
        plumb_value some[3] = {plumb_int(1), plumb_int(2), plumb_none()},
                    all[3] = {plumb_int(1), plumb_int(2), plumb_int(3)};
        write_and_look(&t, 0, 1);
        write_and_look(&t, 1, 2);
        assert_int_equal(ret(&t, 0, view_of(some)), PLUMB_VERIFIED);
        write_and_look(&t, 2, 3);
        assert_int_equal(ret(&t, 1, view_of(all)), cases[i].last);
        close_table(&t);
    }
}

/* A task is declared solved when all have answered, and the certificate says so for all of them. */
static void a_task_is_solved(void **unused) {
    (void)unused;
    char file[64];
    text said = {0};
    error e = {0};
    snprintf(file, sizeof file, "/tmp/plumb-together-%d.cert", (int)getpid());
    table t = open_table("set-agreement(2)");
    for (unsigned i = 0; i < 3; i++) {
        plumb_value own = plumb_int((int64_t)i + 1);
        call(&t, i, "decide", &own, 1);
    }
    assert_int_equal(ret(&t, 0, plumb_int(2)), PLUMB_VERIFIED);
    assert_int_equal(ret(&t, 1, plumb_int(3)), PLUMB_VERIFIED);
    assert_int_equal(ret(&t, 2, plumb_int(2)), PLUMB_VERIFIED);
    assert_true(plumb_guard_certificate(t.who[0], file));
    if (certify(file, NULL, &said, &e)) fail_msg("%s%s", e.what, text_str(&said));
    assert_non_null(strstr(text_str(&said), "3 operations of object set-agreement(2) are interval-linearizable"));
    text_free(&said);
    unlink(file);
    close_table(&t);
}

/* ---- a real exchanger ---- */

enum { WAITING = 0, PATIENCE = 2000, MOST_OPERATIONS = 24, MOST_THREADS = 4 };
typedef enum fault { FAULT_NONE, FAULT_TWICE, FAULT_DENIES, FAULT_OWN, FAULTS } fault;

/* One slot, in which an offer waits for a partner who takes it out. The thread that offered waits for a while, then
 * takes it back. */
typedef struct offer {
    _Atomic int64_t v;
    _Atomic int64_t answer; /* WAITING: none yet */
} offer;

typedef struct exchanger {
    _Atomic(offer *) slot;
    fault f;
    _Atomic uint64_t fired;
} exchanger;

static int64_t take_offer(exchanger *x, offer *theirs, int64_t v, bool fails) {
    bool taken = atomic_compare_exchange_strong(&x->slot, &(offer *){theirs}, NULL);
    if (!taken && !(fails && x->f == FAULT_TWICE)) return WAITING;
    if (!taken) x->fired++; /* another thread took it as well, or it was taken back */
    int64_t got = theirs->v;
    atomic_store(&theirs->answer, v);
    if (!fails || x->f != FAULT_OWN) return got;
    atomic_fetch_add(&x->fired, 1);
    return v;
}

static int64_t make_offer(exchanger *x, offer *mine, int64_t v, bool fails) {
    mine->v = v;
    atomic_store(&mine->answer, WAITING);
    if (!atomic_compare_exchange_strong(&x->slot, &(offer *){NULL}, mine)) return WAITING;
    for (unsigned i = 0; i < PATIENCE && atomic_load(&mine->answer) == WAITING; i++)
        if (i % 512 == 0) step_aside();
    if (atomic_compare_exchange_strong(&x->slot, &(offer *){mine}, NULL)) return WAITING;
    while (atomic_load(&mine->answer) == WAITING) step_aside();
    if (!fails || x->f != FAULT_DENIES) return atomic_load(&mine->answer);
    atomic_fetch_add(&x->fired, 1);
    return WAITING;
}

/* WAITING: met no partner. */
static int64_t exchange(exchanger *x, offer *mine, int64_t v, bool fails) {
    offer *theirs = atomic_load(&x->slot);
    return theirs ? take_offer(x, theirs, v, fails) : make_offer(x, mine, v, fails);
}

typedef struct seen {
    int64_t call, ret, v, got; /* ret INT64_MAX: no verified answer */
} seen;

typedef struct game {
    plumb_guard *g;
    exchanger x;
    _Atomic int64_t clock;
    uint32_t operations;
    uint64_t seed;
    bool unguarded;
} game;

typedef struct player {
    game *game;
    pthread_t thread;
    uint32_t number, played;
    bool dies;
    seen seen[MOST_OPERATIONS];
    offer mine;
    uint64_t refused, unverified;
    plumb_member *me;
} player;

static void *play(void *context) {
    player *p = context;
    game *m = p->game;
    random_source r = {m->seed * 16 + p->number};
    p->me = plumb_guard_join(m->g);
    uint32_t dies_at = p->dies ? random_below(&r, m->operations) : UINT32_MAX;
    for (uint32_t i = 0; i < m->operations; i++) {
        seen *s = &p->seen[p->played++];
        *s = (seen){.ret = INT64_MAX, .v = (int64_t)(p->number << 16 | (i + 1)), .call = m->clock++};
        plumb_guard_call_word(p->me, 0, 1, PLUMB_WORD_INT(s->v));
        if (i == dies_at) return NULL; /* with an announcement, and without an offer */
        s->got = exchange(&m->x, &p->mine, s->v, random_below(&r, 4) == 0);
        plumb_answer a = plumb_guard_ret_word(p->me, s->got == WAITING ? PLUMB_WORD_EMPTY : PLUMB_WORD_INT(s->got));
        if (a == PLUMB_VERIFIED || m->unguarded) s->ret = m->clock++;
        p->refused += a == PLUMB_REFUSED;
        p->unverified += a == PLUMB_UNVERIFIED;
        if (a != PLUMB_VERIFIED && !m->unguarded) break;
    }
    return NULL;
}

static plumb_verdict judge_seen(const player *p, uint32_t threads) {
    plumb_history *h = plumb_history_new();
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t i = 0; i < p[t].played; i++) {
            const seen *s = &p[t].seen[i];
            bool back = s->ret != INT64_MAX;
            plumb_value v = plumb_int(s->v), res = !back               ? plumb_constant(PLUMB_UNKNOWN)
                                                   : s->got == WAITING ? plumb_empty()
                                                                       : plumb_int(s->got);
            assert_true(plumb_history_operation(h, (int64_t)(t * 1000 + (back ? 0 : i + 1)), "exchange", &v, 1, s->call,
                                                s->ret, res));
        }
    return check_and_free(h, "exchanger", "set-linearizable");
}

typedef struct totals {
    uint64_t runs, wrong, refused, unverified, fired, met;
} totals;

static void play_once(totals *t, fault f, uint32_t threads, bool dies, bool unguarded, uint64_t seed) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = "exchanger", .threads = MOST_THREADS};
    player *p = calloc(threads, sizeof *p);
    game m = {.g = plumb_guard_open(&o),
              .x = {.f = f},
              .operations = 6 + (uint32_t)(seed % 8),
              .seed = seed,
              .unguarded = unguarded};
    assert_null(plumb_guard_error(m.g));
    for (uint32_t i = 0; i < threads; i++) {
        p[i] = (player){.game = &m, .number = i, .dies = dies && i == 0};
        pthread_create(&p[i].thread, NULL, play, &p[i]);
    }
    for (uint32_t i = 0; i < threads; i++) pthread_join(p[i].thread, NULL);
    uint64_t refused = 0;
    for (uint32_t i = 0; i < threads; i++) {
        refused += p[i].refused;
        t->unverified += p[i].unverified;
        for (uint32_t k = 0; k < p[i].played; k++) t->met += p[i].seen[k].got != WAITING;
        plumb_guard_leave(p[i].me);
    }
    plumb_verdict found = judge_seen(p, threads);
    assert_true(found == PLUMB_LINEARIZABLE || found == PLUMB_VIOLATION);
    t->runs++;
    t->fired += m.x.fired > 0;
    t->wrong += found == PLUMB_VIOLATION;
    t->refused += refused > 0;
    plumb_guard_close(m.g);
    free(p);
}

static uint32_t runs(uint32_t n) { return soaking() ? n * 100 : fewer_if_sanitized(n); }

static void wrong_answers_stay_inside(void **unused) {
    (void)unused;
    totals t = {0};
    for (uint32_t i = 0; i < runs(600); i++)
        play_once(&t, (fault)(1 + i % (FAULTS - 1)), 2 + i / 3 % 2, i / 6 % 2, false, i);
    print_message("%" PRIu64 " runs, faults in %" PRIu64 ", refused in %" PRIu64 ", %" PRIu64 " meetings, %" PRIu64
                  " wrong\n",
                  t.runs, t.fired, t.refused, t.met, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_int_equal(t.unverified, 0);
    assert_true(t.refused > 0);
}

static void without_the_guard_they_would_not(void **unused) {
    (void)unused;
    totals t = {0};
    for (uint32_t i = 0; i < fewer_if_sanitized(150); i++)
        play_once(&t, (fault)(1 + i % (FAULTS - 1)), 2, false, true, i);
    assert_true(t.wrong > 0);
}

static void a_right_exchanger_is_never_refused(void **unused) {
    (void)unused;
    totals t = {0};
    for (uint32_t i = 0; i < runs(600); i++) play_once(&t, FAULT_NONE, 2 + i % 2, i / 2 % 2, false, i);
    assert_int_equal(t.wrong, 0);
    assert_int_equal(t.refused, 0);
    assert_int_equal(t.unverified, 0);
    assert_true(t.met > 0);
}

TEST_MAIN(TEST(two_exchange), TEST(a_push_meets_a_pop), TEST(snapshots), TEST(a_task_is_solved),
          TEST(wrong_answers_stay_inside), TEST(without_the_guard_they_would_not),
          TEST(a_right_exchanger_is_never_refused))
