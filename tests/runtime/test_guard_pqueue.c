/* A priority queue under a lock, right or now and then wrong, guarded: what is handed out as verified is linearizable,
 * the right one is never refused, and what takes too long to decide is unverified. */
#include "support/cmocka.h"

#include "base/random.h"
#include "support/judge_history.h"
#include "support/record_run.h"
#include "support/step_aside.h"

#include <plumbline/guard.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, OPERATIONS = 14, NONE_INSIDE = -1 };

typedef enum fault { FAULT_NONE, FAULT_SECOND, FAULT_TWICE, FAULT_EMPTY, FAULTS } fault;

typedef struct world {
    plumb_guard *g;
    pthread_mutex_t lock;
    int64_t inside[THREADS * OPERATIONS];
    uint32_t n;
    fault f;
    uint64_t seed;
    bool dies; /* the first thread, with an operation open */
    _Atomic int64_t clock;
    _Atomic uint32_t fired, refused, unverified, verified;
} world;

typedef struct seen {
    int64_t call, ret, v; /* ret INT64_MAX: no verified answer */
    bool inserts;
} seen;

typedef struct player {
    world *w;
    uint32_t number, played;
    pthread_t thread;
    seen seen[OPERATIONS];
    plumb_member *me;
} player;

static void insert(world *w, int64_t v) {
    pthread_mutex_lock(&w->lock);
    uint32_t at = w->n++;
    for (; at && w->inside[at - 1] > v; at--) w->inside[at] = w->inside[at - 1];
    w->inside[at] = v;
    pthread_mutex_unlock(&w->lock);
}

static int64_t delete_max(world *w, random_source *r) {
    pthread_mutex_lock(&w->lock);
    bool fires = w->f != FAULT_NONE && w->n > 1 && !random_below(r, 6);
    int64_t v = w->n ? w->inside[w->n - 1] : NONE_INSIDE;
    w->fired += fires;
    if (fires && w->f == FAULT_EMPTY) v = NONE_INSIDE;
    else if (fires && w->f == FAULT_SECOND) {
        v = w->inside[w->n - 2];
        w->inside[w->n - 2] = w->inside[w->n - 1];
        w->n--;
    } else if (w->n && !fires) {
        w->n--;
    }
    pthread_mutex_unlock(&w->lock);
    return v;
}

static void dawdle(random_source *r) {
    if (!random_below(r, 3)) step_aside();
}

static void *play(void *context) {
    player *p = context;
    world *w = p->w;
    random_source r = {w->seed * 8 + p->number};
    plumb_member *me = p->me = plumb_guard_join(w->g);
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        seen *s = &p->seen[p->played++];
        *s = (seen){.inserts = random_next(&r) & 1,
                    .ret = INT64_MAX,
                    .v = (int64_t)(random_below(&r, 1000) * 64 + i * THREADS + p->number)};
        s->call = w->clock++;
        plumb_guard_call_word(me, s->inserts ? 0 : 1, s->inserts, s->inserts ? PLUMB_WORD_INT(s->v) : PLUMB_WORD_NONE);
        dawdle(&r);
        if (s->inserts) insert(w, s->v);
        else s->v = delete_max(w, &r);
        if (w->dies && p->number == 0 && i == OPERATIONS / 2) return NULL;
        dawdle(&r);
        plumb_answer a = plumb_guard_ret_word(me, s->inserts            ? PLUMB_WORD_NONE
                                                  : s->v == NONE_INSIDE ? PLUMB_WORD_EMPTY
                                                                        : PLUMB_WORD_INT(s->v));
        if (a == PLUMB_VERIFIED) s->ret = w->clock++;
        w->verified += a == PLUMB_VERIFIED;
        w->refused += a == PLUMB_REFUSED;
        w->unverified += a == PLUMB_UNVERIFIED;
        if (a == PLUMB_REFUSED) break;
    }
    return NULL;
}

static plumb_verdict judge_seen(const player *p) {
    plumb_history *h = plumb_history_new();
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t i = 0; i < p[t].played; i++) {
            const seen *s = &p[t].seen[i];
            bool back = s->ret != INT64_MAX;
            plumb_value v = plumb_int(s->v), res = !back                 ? plumb_constant(PLUMB_UNKNOWN)
                                                   : s->inserts          ? plumb_none()
                                                   : s->v == NONE_INSIDE ? plumb_empty()
                                                                         : v;
            assert_true(plumb_history_operation(h, (int64_t)(t * 1000 + (back ? 0 : i + 1)),
                                                s->inserts ? "insert" : "deletemax", &v, s->inserts, s->call, s->ret,
                                                res));
        }
    return check_and_free(h, "pqueue-max", NULL);
}

static void play_once(world *w) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = "pqueue-max", .threads = THREADS};
    player p[THREADS];
    memset(p, 0, sizeof p);
    w->g = plumb_guard_open(&o);
    assert_null(plumb_guard_error(w->g));
    pthread_mutex_init(&w->lock, NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        p[i].w = w;
        p[i].number = i;
        pthread_create(&p[i].thread, NULL, play, &p[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++) pthread_join(p[i].thread, NULL);
    for (uint32_t i = 0; i < THREADS; i++) plumb_guard_leave(p[i].me);
    assert_int_equal(judge_seen(p), PLUMB_LINEARIZABLE);
    plumb_guard_close(w->g);
    pthread_mutex_destroy(&w->lock);
}

static uint32_t runs(uint32_t n) { return soaking() ? 100 * n : fewer_if_sanitized(n); }

static void wrong_answers_stay_inside(void **unused) {
    (void)unused;
    uint32_t fired = 0, refused = 0, verified = 0, unverified = 0, n = runs(300);
    for (uint32_t i = 0; i < n; i++) {
        world w = {.f = (fault)(1 + i % (FAULTS - 1)), .seed = i, .dies = i % 2};
        play_once(&w);
        fired += w.fired > 0;
        refused += w.refused > 0;
        verified += w.verified;
        unverified += w.unverified;
    }
    print_message("%u runs, a fault fired in %u, refused in %u; %u answers verified, %u not\n", n, fired, refused,
                  verified, unverified);
    assert_true(refused > fired / 4);
}

static void a_right_one_is_never_refused(void **unused) {
    (void)unused;
    uint32_t verified = 0, unverified = 0;
    for (uint32_t i = 0; i < runs(200); i++) {
        world w = {.seed = i, .dies = i % 2};
        play_once(&w);
        assert_int_equal(w.refused, 0);
        verified += w.verified;
        unverified += w.unverified;
    }
    print_message("%u answers verified, %u not\n", verified, unverified);
    assert_true(verified > unverified);
}

TEST_MAIN(TEST(wrong_answers_stay_inside), TEST(a_right_one_is_never_refused))
