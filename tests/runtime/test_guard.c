/* The guard: what it hands out as verified is linearizable, whatever the object does and whichever thread dies; a right
 * object is never refused. The history that callers see, from before the announcement to after the answer, is judged by
 * the engines. */
#include "support/cmocka.h"

#include "evidence/certificate.h"
#include "runtime/record/recorder.h"
#include "support/judge_history.h"
#include "support/record_run.h"
#include "support/step_aside.h"

#include <plumbline/guard.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPERATIONS = 40, MOST_THREADS = 4 };

typedef struct seen {  /* by the caller */
    int64_t call, ret; /* ret INT64_MAX: no verified answer */
    int64_t v;         /* added, or removed */
    bool adds;
} seen;

typedef struct game {
    plumb_guard *g;
    concurrent *c;
    int add, take;
    _Atomic int64_t clock;
    uint32_t operations;
    uint64_t seed;
    bool unguarded; /* answers are handed out whatever the guard says */
} game;

typedef struct player {
    game *game;
    pthread_t thread;
    uint32_t number, played;
    bool dies; /* in the middle of an operation, and never leaves */
    seen seen[MOST_OPERATIONS];
    uint64_t verified, refused, unverified, fired;
    plumb_member *me;
} player;

/* Anything may happen here. */
static void dawdle(random_source *r) {
    uint32_t dice = random_below(r, 16);
    if (dice == 0) step_aside();
    else if (dice < 4)
        for (volatile uint32_t i = random_below(r, 200); i; i--) {}
}

static void *play(void *context) {
    player *p = context;
    game *m = p->game;
    concurrent_client k;
    random_source r = {m->seed * 16 + p->number};
    concurrent_client_init(&k, random_next(&r));
    plumb_member *me = p->me = plumb_guard_join(m->g);
    uint32_t dies_at = p->dies ? random_below(&r, m->operations) : UINT32_MAX;
    for (uint32_t i = 0; i < m->operations; i++) {
        seen *s = &p->seen[p->played++];
        *s = (seen){.adds = random_next(&r) & 1, .ret = INT64_MAX, .v = (int64_t)(p->number << 16 | i)};
        s->call = m->clock++;
        dawdle(&r);
        if (s->adds) plumb_guard_call_word(me, m->add, 1, PLUMB_WORD_INT(s->v));
        else plumb_guard_call_word(me, m->take, 0, PLUMB_WORD_NONE);
        dawdle(&r);
        if (i == dies_at && random_next(&r) & 1) return NULL; /* before or after the object was touched */
        if (s->adds) concurrent_add(m->c, &k, s->v);
        else s->v = concurrent_remove(m->c, &k);
        if (i == dies_at) return NULL;
        dawdle(&r);
        plumb_word result = s->adds                    ? PLUMB_WORD_NONE
                            : s->v == CONCURRENT_EMPTY ? PLUMB_WORD_EMPTY
                                                       : PLUMB_WORD_INT(s->v);
        plumb_answer answer = plumb_guard_ret_word(me, result);
        if (answer == PLUMB_VERIFIED || m->unguarded) s->ret = m->clock++;
        p->verified += answer == PLUMB_VERIFIED;
        p->refused += answer == PLUMB_REFUSED;
        p->unverified += answer == PLUMB_UNVERIFIED;
        if (answer != PLUMB_VERIFIED && !m->unguarded) break;
        dawdle(&r);
    }
    p->fired = k.fired;
    return NULL;
}

/* What has no verified answer is pending, as a client's of its own: one that comes after `client`. */
static void add_seen(plumb_history *h, const seen *s, uint32_t client, uint32_t number) {
    bool back = s->ret != INT64_MAX;
    plumb_value v = plumb_int(s->v), res = !back                      ? plumb_constant(PLUMB_UNKNOWN)
                                           : s->adds                  ? plumb_none()
                                           : s->v == CONCURRENT_EMPTY ? plumb_empty()
                                                                      : v;
    assert_true(plumb_history_operation(h, client + (back ? 0 : number + 1), s->adds ? "add" : "remove", &v, s->adds,
                                        s->call, s->ret, res));
}

static plumb_verdict judge_seen(const player *p, uint32_t threads, const char *what) {
    plumb_history *h = plumb_history_new();
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t i = 0; i < p[t].played; i++) add_seen(h, &p[t].seen[i], t * (MOST_OPERATIONS + 1), i);
    return check_and_free(h, what, NULL);
}

typedef struct totals {
    uint64_t runs, wrong, refused, verified, unverified, fired;
} totals;

static void play_once(totals *t, const char *what, bool lifo, defect d, unsigned clock, uint32_t threads, bool dies,
                      bool unguarded, uint64_t seed) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = what, .clock = clock, .threads = MOST_THREADS};
    player p[MOST_THREADS] = {0};
    game m = {.g = plumb_guard_open(&o),
              .c = concurrent_new(lifo, 4096, d, 6),
              .operations = 12 + (uint32_t)(seed % 20),
              .seed = seed,
              .unguarded = unguarded};
    assert_null(plumb_guard_error(m.g));
    m.add = plumb_guard_method(m.g, "add");
    m.take = plumb_guard_method(m.g, "remove");
    for (uint32_t i = 0; i < threads; i++) {
        p[i] = (player){.game = &m, .number = i, .dies = dies && i == 0};
        pthread_create(&p[i].thread, NULL, play, &p[i]);
    }
    for (uint32_t i = 0; i < threads; i++) pthread_join(p[i].thread, NULL);
    uint64_t refused = 0;
    for (uint32_t i = 0; i < threads; i++) {
        refused += p[i].refused;
        t->verified += p[i].verified;
        t->unverified += p[i].unverified;
        t->fired += p[i].fired;
        plumb_guard_leave(p[i].me);
    }
    plumb_verdict found = judge_seen(p, threads, what);
    assert_true(found == PLUMB_LINEARIZABLE || found == PLUMB_VIOLATION);
    t->runs++;
    t->wrong += found == PLUMB_VIOLATION;
    if (found == PLUMB_VIOLATION && !unguarded)
        print_message("a wrong answer got out: defect %d, clock %u, %u threads%s, seed %" PRIu64 "\n", (int)d, clock,
                      threads, dies ? ", one dies" : "", seed);
    t->refused += refused > 0;
    plumb_guard_close(m.g);
    concurrent_free(m.c);
}

/* In the long campaign more than a million with objects that are wrong. */
static uint32_t runs(uint32_t n) { return fewer_if_sanitized(n) * soak_times(300); }

/* ---- what is handed out ---- */

static void wrong_answers_stay_inside(void **unused) {
    (void)unused;
    totals t = {0};
    for (uint32_t i = 0; i < runs(3000); i++)
        play_once(&t, "queue", false, (defect)(1 + i % (DEFECTS - 1)), i / 5 % 3, 2 + i / 15 % 3, i / 45 % 2, false, i);
    print_message("%" PRIu64 " runs, %" PRIu64 " refused, %" PRIu64 " answers verified, %" PRIu64 " not\n", t.runs,
                  t.refused, t.verified, t.unverified);
    assert_int_equal(t.wrong, 0);
    assert_int_equal(t.unverified, 0);
    assert_true(t.refused > t.runs / 4);
}

static void without_the_guard_they_would_not(void **unused) {
    (void)unused;
    totals t = {0};
    for (uint32_t i = 0; i < fewer_if_sanitized(300); i++)
        play_once(&t, "queue", false, (defect)(1 + i % 3), i % 3, 2, false, true, i);
    assert_true(t.wrong > t.runs / 4);
}

static void right_objects_are_never_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *what;
        bool lifo;
    } objects[] = {{"queue", false}, {"stack", true}, {"multiset", true}};
    totals t = {0};
    for (uint32_t i = 0; i < runs(1800); i++) {
        unsigned o = i % 3;
        play_once(&t, objects[o].what, objects[o].lifo, DEFECT_NONE, i / 3 % 3, 2 + i / 9 % 3, i / 27 % 2, false, i);
    }
    assert_int_equal(t.wrong, 0);
    assert_int_equal(t.refused, 0);
    assert_int_equal(t.unverified, 0);
}

static void stacks_and_pools_are_guarded_too(void **unused) {
    (void)unused;
    totals t = {0};
    for (uint32_t i = 0; i < runs(800); i++)
        play_once(&t, i % 2 ? "stack" : "multiset", true, (defect)(1 + i / 2 % (DEFECTS - 1)), i / 10 % 3,
                  2 + i / 30 % 2, i / 60 % 2, false, i);
    assert_int_equal(t.wrong, 0);
    assert_true(t.refused > t.runs / 8);
}

/* ---- one thread, other objects ---- */

typedef struct step {
    const char *method;
    int64_t arg, res; /* NONE, EMPTY, YES, NO: constants */
} step;

#define NONE (INT64_MIN)
#define EMPTY (INT64_MIN + 1)
#define YES (INT64_MIN + 2)
#define NO (INT64_MIN + 3)

static plumb_value value_of(int64_t i) {
    return i == NONE    ? plumb_none()
           : i == EMPTY ? plumb_empty()
           : i == YES   ? plumb_bool(true)
           : i == NO    ? plumb_bool(false)
                        : plumb_int(i);
}

static plumb_answer run_steps(const char *what, const step *s, unsigned n, unsigned keyed) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = what};
    plumb_guard *g = plumb_guard_open(&o);
    if (plumb_guard_error(g)) print_message("%s\n", plumb_guard_error(g));
    plumb_member *me = plumb_guard_join(g);
    plumb_answer answer = PLUMB_VERIFIED;
    for (unsigned i = 0; i < n; i++) {
        plumb_value arg[2] = {keyed ? plumb_bytes("k", 1) : value_of(s[i].arg), value_of(s[i].arg)};
        assert_int_equal(answer, PLUMB_VERIFIED); /* only the last step may be wrong */
        plumb_guard_call(me, plumb_guard_method(g, s[i].method), arg, keyed + (s[i].arg != NONE));
        answer = plumb_guard_ret(me, value_of(s[i].res));
    }
    if (answer == PLUMB_REFUSED) {
        assert_true(*plumb_guard_reason(me));
        plumb_guard_call(me, plumb_guard_method(g, s[0].method), NULL, 0);
        assert_int_equal(plumb_guard_ret(me, plumb_none()), PLUMB_REFUSED); /* once, always */
    }
    plumb_guard_leave(me);
    plumb_guard_close(g);
    return answer;
}

#define ASSERT_STEPS(what, keyed, expected, ...) \
    do { \
        const step s[] = {__VA_ARGS__}; \
        assert_int_equal(run_steps(what, s, sizeof s / sizeof *s, keyed), expected); \
    } while (0)

static void objects_of_all_kinds(void **unused) {
    (void)unused;
    ASSERT_STEPS("register", 0, PLUMB_VERIFIED, {"write", 1, NONE}, {"read", NONE, 1}, {"write", 2, NONE},
                 {"read", NONE, 2});
    ASSERT_STEPS("register", 0, PLUMB_REFUSED, {"write", 1, NONE}, {"write", 2, NONE}, {"read", NONE, 1});
    ASSERT_STEPS("swmr-register", 0, PLUMB_REFUSED, {"write", 1, NONE}, {"write", 2, NONE}, {"read", NONE, 1});
    ASSERT_STEPS("set", 0, PLUMB_VERIFIED, {"add", 1, YES}, {"contains", 1, YES}, {"remove", 1, YES},
                 {"contains", 1, NO});
    ASSERT_STEPS("set", 0, PLUMB_REFUSED, {"add", 1, YES}, {"add", 1, YES});
    ASSERT_STEPS("lock", 0, PLUMB_VERIFIED, {"lock", NONE, NONE}, {"trylock", NONE, NO}, {"unlock", NONE, NONE});
    ASSERT_STEPS("lock", 0, PLUMB_REFUSED, {"lock", NONE, NONE}, {"trylock", NONE, YES});
    ASSERT_STEPS("semaphore(1)", 0, PLUMB_REFUSED, {"acquire", NONE, NONE}, {"tryacquire", NONE, YES});
    ASSERT_STEPS("counter", 0, PLUMB_VERIFIED, {"inc", NONE, NONE}, {"inc", NONE, NONE}, {"get", NONE, 2});
    ASSERT_STEPS("counter", 0, PLUMB_REFUSED, {"inc", NONE, NONE}, {"get", NONE, 2});
    ASSERT_STEPS("kv", 1, PLUMB_VERIFIED, {"put", 1, NONE}, {"get", NONE, 1}, {"delete", NONE, NONE},
                 {"get", NONE, NONE});
    ASSERT_STEPS("kv", 1, PLUMB_REFUSED, {"put", 1, NONE}, {"get", NONE, NONE});
    ASSERT_STEPS("pqueue-max", 0, PLUMB_REFUSED, {"insert", 1, NONE}, {"insert", 2, NONE}, {"deletemax", NONE, 1});
    ASSERT_STEPS("queue", 0, PLUMB_REFUSED, {"enq", 1, NONE}, {"enq", 2, NONE}, {"deq", NONE, 2});
}

/* The certificate holds, and says this; it is not needed any more. */
static void assert_certified(const char *file, const char *what) {
    text said = {0};
    error e = {0};
    assert_int_equal(certify(file, NULL, &said, &e), 0);
    assert_non_null(strstr(text_str(&said), what));
    text_free(&said);
    unlink(file);
}

static void a_refusal_has_a_witness(void **unused) {
    (void)unused;
    char file[64];
    snprintf(file, sizeof file, "/tmp/plumb-guard-%d.cert", (int)getpid());
    plumb_guard_options o = {.struct_size = sizeof o, .object = "queue"};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *me = plumb_guard_join(g);
    for (int64_t i = 1; i <= 2; i++) {
        plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(i));
        assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_NONE), PLUMB_VERIFIED);
    }
    assert_false(plumb_guard_witness(me, file));
    plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
    assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_INT(2)), PLUMB_REFUSED);
    assert_true(plumb_guard_witness(me, file));
    assert_certified(file, "3 operations of object queue are a violation");
    plumb_guard_leave(me);
    plumb_guard_close(g);
}

/* Two values are inside, and a remove that never returns has taken one of them at most: the other one is still
 * there. */
static void a_witness_beside_an_open_remove(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "multiset"};
    char file[64];
    snprintf(file, sizeof file, "/tmp/plumb-guard-%d.cert", (int)getpid());
    for (unsigned i = 0; i < 3; i++) {
        plumb_guard *g = plumb_guard_open(
            &(plumb_guard_options){.struct_size = sizeof(plumb_guard_options), .object = objects[i], .threads = 2});
        plumb_member *me = plumb_guard_join(g), *other = plumb_guard_join(g);
        plumb_guard_call_word(other, 1, 0, PLUMB_WORD_NONE);
        for (int64_t v = 1; v <= 2; v++) {
            plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(v));
            assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_NONE), PLUMB_VERIFIED);
        }
        plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_EMPTY), PLUMB_REFUSED);
        assert_true(plumb_guard_witness(me, file));
        assert_certified(file, objects[i]);
        plumb_guard_leave(me);
        plumb_guard_leave(other);
        plumb_guard_close(g);
    }
}

/* Long after the beginning, as long as the object is now and then as it was in the beginning. */
static void a_late_refusal_has_a_witness(void **unused) {
    (void)unused;
    static const char *const objects[] = {"counter", "set", "deque"}, *const observe[] = {"get", "contains", "popl"};
    char file[64];
    snprintf(file, sizeof file, "/tmp/plumb-guard-%d.cert", (int)getpid());
    for (unsigned i = 0; i < 3; i++) {
        plumb_guard *g =
            plumb_guard_open(&(plumb_guard_options){.struct_size = sizeof(plumb_guard_options), .object = objects[i]});
        plumb_member *me = plumb_guard_join(g);
        plumb_value key = plumb_int(1), right = i == 0 ? plumb_int(0) : i == 1 ? plumb_bool(false) : plumb_empty();
        for (unsigned k = 0; k <= 300; k++) {
            plumb_guard_call(me, plumb_guard_method(g, observe[i]), &key, i == 1);
            plumb_answer answer = plumb_guard_ret(me, k < 300 ? right : i == 1 ? plumb_bool(true) : plumb_int(7));
            assert_int_equal(answer, k < 300 ? PLUMB_VERIFIED : PLUMB_REFUSED);
        }
        assert_true(plumb_guard_witness(me, file));
        assert_certified(file, objects[i]);
        plumb_guard_leave(me);
        plumb_guard_close(g);
    }
}

/* Once one thread is refused, a thread that joins is refused too: it begins with a copy of a copy of what was known. */
static void newcomers_after_a_refusal(void **unused) {
    (void)unused;
    static const char *const objects[] = {"counter", "set", "kv", "deque"};
    for (unsigned i = 0; i < 4; i++) {
        plumb_guard_options o = {
            .struct_size = sizeof o, .object = objects[i], .threads = 4, .bytes = 32 * LOG_CHUNK_BYTES};
        plumb_guard *g = plumb_guard_open(&o);
        plumb_member *a = plumb_guard_join(g);
        int observe = plumb_guard_method(g, i == 0 ? "get" : i == 1 ? "contains" : i == 2 ? "get" : "popl");
        plumb_value key = plumb_int(1), right = i == 0   ? plumb_int(0)
                                                : i == 1 ? plumb_bool(false)
                                                : i == 2 ? plumb_none()
                                                         : plumb_empty();
        for (int k = 0; k < 20000; k++) {
            plumb_guard_call(a, observe, &key, i == 1 || i == 2);
            plumb_answer answer = plumb_guard_ret(a, k == 10 ? i == 1 ? plumb_bool(true) : plumb_int(7) : right);
            assert_int_equal(answer, k < 10 ? PLUMB_VERIFIED : PLUMB_REFUSED);
        }
        for (unsigned n = 0; n < 2; n++) {
            plumb_member *b = plumb_guard_join(g);
            plumb_guard_call(b, observe, &key, i == 1 || i == 2);
            assert_int_equal(plumb_guard_ret(b, right), PLUMB_REFUSED);
            plumb_guard_leave(b);
        }
        plumb_guard_leave(a);
        plumb_guard_close(g);
    }
}

static void a_certificate_at_any_time(void **unused) {
    (void)unused;
    char file[64];
    snprintf(file, sizeof file, "/tmp/plumb-guard-%d.cert", (int)getpid());
    plumb_guard_options o = {.struct_size = sizeof o, .object = "queue", .threads = 2, .bytes = 64 * LOG_CHUNK_BYTES};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *me = plumb_guard_join(g), *other = plumb_guard_join(g);
    plumb_guard_call_word(other, 1, 0, PLUMB_WORD_NONE); /* open all the time */
    for (int64_t i = 1; i <= 1000; i++) {
        plumb_guard_call_word(me, i % 2 ? 0 : 1, (unsigned)(i % 2), i % 2 ? PLUMB_WORD_INT(i) : PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(me, i % 2 ? PLUMB_WORD_NONE : PLUMB_WORD_INT(i - 1)), PLUMB_VERIFIED);
    }
    assert_true(plumb_guard_certificate(me, file));
    text said = {0};
    error e = {0};
    assert_int_equal(certify(file, NULL, &said, &e), 0);
    assert_non_null(strstr(text_str(&said), "1001 operations of object queue are linearizable"));
    char digest[64];
    snprintf(digest, sizeof digest, "\n%u %016llx\n", plumb_guard_number(me),
             (unsigned long long)plumb_guard_digest(me));
    assert_non_null(strstr(text_str(&said), digest));
    text_free(&said);
    for (int64_t i = 0; i < 100000; i++) {
        plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(10000 + i));
        assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_NONE), PLUMB_VERIFIED);
    }
    assert_false(plumb_guard_certificate(me, file)); /* the beginning is gone */
    unlink(file);
    plumb_guard_leave(me);
    plumb_guard_leave(other);
    plumb_guard_close(g);
}

/* ---- those who were away ---- */

static void pass_through(plumb_member *me, int64_t from, int64_t n, plumb_answer expected) {
    for (int64_t i = from; i < from + n; i++) {
        plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(i));
        assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_NONE), expected);
        plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_INT(i)), expected);
    }
}

/* Alone, a thread looks at nothing but its own operation; its log goes round; a thread that comes then judges as it
 * does. */
static void alone_for_long(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "multiset"};
    for (unsigned i = 0; i < 3; i++) {
        plumb_guard_options o = {
            .struct_size = sizeof o, .object = objects[i], .threads = 2, .bytes = 16 * LOG_CHUNK_BYTES};
        plumb_guard *g = plumb_guard_open(&o);
        plumb_member *a = plumb_guard_join(g);
        plumb_guard_call_word(a, 0, 1, PLUMB_WORD_INT(7));
        assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_NONE), PLUMB_VERIFIED);
        if (i == 0) { /* a queue: the first one has to go before the others pass */
            plumb_guard_call_word(a, 1, 0, PLUMB_WORD_NONE);
            assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_INT(7)), PLUMB_VERIFIED);
        }
        pass_through(a, 1000, fewer_if_sanitized(40000), PLUMB_VERIFIED);
        plumb_member *b = plumb_guard_join(g);
        pass_through(a, 100000, 3, PLUMB_VERIFIED);
        pass_through(b, 200000, 3, PLUMB_VERIFIED);
        pass_through(a, 300000, 3, PLUMB_VERIFIED);
        plumb_guard_call_word(a, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(a, i ? PLUMB_WORD_INT(7) : PLUMB_WORD_EMPTY), PLUMB_VERIFIED);
        plumb_guard_call_word(b, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(b, PLUMB_WORD_INT(7)), PLUMB_REFUSED);
        plumb_guard_leave(a);
        plumb_guard_leave(b);
        plumb_guard_close(g);
    }
}

static void a_wrong_answer_alone(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack"};
    for (unsigned i = 0; i < 2; i++) {
        plumb_guard_options o = {.struct_size = sizeof o, .object = objects[i]};
        plumb_guard *g = plumb_guard_open(&o);
        plumb_member *a = plumb_guard_join(g);
        pass_through(a, 100, 10, PLUMB_VERIFIED);
        for (int64_t v = 1; v <= 2; v++) {
            plumb_guard_call_word(a, 0, 1, PLUMB_WORD_INT(v));
            assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_NONE), PLUMB_VERIFIED);
        }
        plumb_guard_call_word(a, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_INT(i ? 1 : 2)), PLUMB_REFUSED);
        plumb_guard_leave(a);
        plumb_guard_close(g);
    }
}

/* Left behind, a thread finds what the others know, and judges as before. */
static void somebody_who_was_away(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "multiset"};
    for (unsigned i = 0; i < 3; i++) {
        plumb_guard_options o = {.struct_size = sizeof o,
                                 .object = objects[i],
                                 .threads = 3,
                                 .bytes = 12 * LOG_CHUNK_BYTES,
                                 .max_lag = 1000};
        plumb_guard *g = plumb_guard_open(&o);
        plumb_member *a = plumb_guard_join(g), *b = plumb_guard_join(g), *dead = plumb_guard_join(g);
        plumb_guard_call_word(dead, 1, 0, PLUMB_WORD_NONE); /* and that was the last of it */
        pass_through(b, 1, 1, PLUMB_VERIFIED);
        plumb_guard_call_word(a, 0, 1, PLUMB_WORD_INT(100));
        assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_NONE), PLUMB_VERIFIED);
        plumb_guard_call_word(a, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_INT(100)), PLUMB_VERIFIED);
        pass_through(a, 1000, objects[i][0] == 's' ? 4000 : 20000, PLUMB_VERIFIED);
        plumb_guard_call_word(b, 0, 1, PLUMB_WORD_INT(7));
        assert_int_equal(plumb_guard_ret_word(b, PLUMB_WORD_NONE), PLUMB_VERIFIED);
        plumb_guard_call_word(a, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_INT(7)), PLUMB_VERIFIED);
        pass_through(b, 1, 100, PLUMB_VERIFIED);
        plumb_guard_status s = {.struct_size = sizeof s};
        plumb_guard_look(b, &s);
        assert_int_equal(s.expelled, 1);
        assert_true(s.memory < 1 << 22);
        plumb_guard_call_word(b, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(b, PLUMB_WORD_INT(7)), PLUMB_REFUSED);
        plumb_guard_leave(a);
        plumb_guard_leave(b);
        plumb_guard_leave(dead);
        plumb_guard_close(g);
    }
}

/* A thread that joins knows what went before: from the logs, from one that left, from one that is there. */
static void those_who_come_later(void **unused) {
    (void)unused;
    for (int64_t before = 10; before <= 20000; before += 19990) {
        plumb_guard_options o = {
            .struct_size = sizeof o, .object = "queue", .threads = 2, .bytes = 8 * LOG_CHUNK_BYTES};
        plumb_guard *g = plumb_guard_open(&o);
        plumb_member *a = plumb_guard_join(g);
        pass_through(a, 1, before, PLUMB_VERIFIED);
        plumb_guard_call_word(a, 0, 1, PLUMB_WORD_INT(-1));
        assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_NONE), PLUMB_VERIFIED);
        plumb_guard_leave(a);
        a = plumb_guard_join(g);
        plumb_guard_call_word(a, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(a, PLUMB_WORD_INT(-1)), PLUMB_VERIFIED);
        plumb_member *b = plumb_guard_join(g);
        pass_through(a, 1, 1, PLUMB_VERIFIED);
        plumb_guard_call_word(b, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(b, PLUMB_WORD_EMPTY), PLUMB_VERIFIED);
        plumb_guard_call_word(b, 1, 0, PLUMB_WORD_NONE);
        assert_int_equal(plumb_guard_ret_word(b, PLUMB_WORD_INT(-1)), PLUMB_REFUSED);
        plumb_guard_leave(a);
        plumb_guard_leave(b);
        plumb_guard_close(g);
    }
}

/* ---- long runs with small rings: people are left behind and given all the time ---- */

enum { LONG_THREADS = 3, LONG_OPERATIONS = 15000 };

typedef struct runner {
    plumb_guard *g;
    concurrent *c;
    _Atomic int64_t *clock;
    pthread_t thread;
    uint32_t number, operations, played;
    seen *seen;
    plumb_guard_status status;
    uint64_t fired;
} runner;

static void *run_long(void *context) {
    runner *w = context;
    concurrent_client k;
    concurrent_client_init(&k, w->number + 1);
    plumb_member *me = plumb_guard_join(w->g);
    plumb_answer answer = PLUMB_VERIFIED;
    for (uint32_t i = 0; i < w->operations && answer != PLUMB_REFUSED; i++) {
        seen *s = &w->seen[w->played++];
        *s = (seen){.adds = random_next(&k.random) & 1,
                    .ret = INT64_MAX,
                    .v = (int64_t)w->number << 32 | i,
                    .call = (*w->clock)++};
        if (i % 2000 == 1999) usleep(500);
        if (s->adds) {
            plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(s->v));
            concurrent_add(w->c, &k, s->v);
            answer = plumb_guard_ret_word(me, PLUMB_WORD_NONE);
        } else {
            plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
            s->v = concurrent_remove(w->c, &k);
            answer = plumb_guard_ret_word(me, s->v == CONCURRENT_EMPTY ? PLUMB_WORD_EMPTY : PLUMB_WORD_INT(s->v));
        }
        if (answer == PLUMB_VERIFIED) s->ret = (*w->clock)++;
    }
    w->fired = k.fired;
    w->status.struct_size = sizeof w->status;
    plumb_guard_look(me, &w->status);
    plumb_guard_leave(me);
    return NULL;
}

/* What was verified is linearizable, with everything else pending. */
static plumb_verdict judge_runners(const runner *w) {
    plumb_history *h = plumb_history_new();
    for (uint32_t t = 0; t < LONG_THREADS; t++)
        for (uint32_t i = 0; i < w[t].played; i++) add_seen(h, &w[t].seen[i], t * (LONG_OPERATIONS + 1), i);
    return check_and_free(h, "queue", NULL);
}

static void left_behind_again_and_again(void **unused) {
    (void)unused;
    uint64_t verified = 0, expelled = 0, all = 0;
    for (unsigned i = 0; i < 12 * soak_times(50); i++) {
        plumb_guard_options o = {.struct_size = sizeof o,
                                 .object = "queue",
                                 .threads = LONG_THREADS,
                                 .bytes = 24 * LOG_CHUNK_BYTES,
                                 .clock = i % 3};
        runner w[LONG_THREADS];
        _Atomic int64_t clock = 0;
        plumb_guard *g = plumb_guard_open(&o);
        concurrent *c = concurrent_new(false, 1 << 17, i / 3 % 2 ? (defect)(1 + i / 6 % 3) : DEFECT_NONE, 20000);
        for (uint32_t t = 0; t < LONG_THREADS; t++) {
            w[t] = (runner){.g = g,
                            .c = c,
                            .clock = &clock,
                            .number = t,
                            .operations = LONG_OPERATIONS,
                            .seen = calloc(LONG_OPERATIONS, sizeof(seen))};
            pthread_create(&w[t].thread, NULL, run_long, &w[t]);
        }
        uint64_t fired = 0, refused = 0;
        for (uint32_t t = 0; t < LONG_THREADS; t++) {
            pthread_join(w[t].thread, NULL);
            verified += w[t].status.verified;
            expelled += w[t].status.expelled;
            refused += w[t].status.refused;
            fired += w[t].fired;
            all += w[t].played;
        }
        if (!fired) assert_int_equal(refused, 0);
        assert_int_not_equal(judge_runners(w), PLUMB_VIOLATION);
        for (uint32_t t = 0; t < LONG_THREADS; t++) free(w[t].seen);
        plumb_guard_close(g);
        concurrent_free(c);
    }
    print_message("%" PRIu64 " of %" PRIu64 " verified, left behind %" PRIu64 " times\n", verified, all, expelled);
    assert_true(verified > 0);
}

/* ---- none forgets for good ---- */

enum { CELL_THREADS = 4, CELL_OPERATIONS = 60000 };

typedef struct cells {
    plumb_guard *g;
    pthread_mutex_t lock;
    int64_t value[4];
    bool is_set[4];
    _Atomic uint64_t unverified, refused;
} cells;

typedef struct cell_client {
    cells *c;
    int64_t number;
    pthread_t thread;
    plumb_answer last;
} cell_client;

/* Large integers: what a member knows of them is long to copy, and others run out of room meanwhile. */
static plumb_answer one_cell(cells *c, plumb_member *me, int64_t fresh) {
    plumb_value arg[2] = {plumb_int(fresh % 4), plumb_int(fresh << 34)};
    bool put = fresh % 3;
    plumb_guard_call(me, plumb_guard_method(c->g, put ? "put" : "get"), arg, 1 + put);
    pthread_mutex_lock(&c->lock);
    plumb_value res = put || !c->is_set[fresh % 4] ? plumb_none() : plumb_int(c->value[fresh % 4]);
    if (put) {
        c->value[fresh % 4] = fresh << 34;
        c->is_set[fresh % 4] = true;
    }
    pthread_mutex_unlock(&c->lock);
    return plumb_guard_ret(me, res);
}

static void *use_cells(void *context) {
    cell_client *k = context;
    plumb_member *me = plumb_guard_here(k->c->g);
    for (int64_t i = 0; i < fewer_if_sanitized(CELL_OPERATIONS); i++) {
        plumb_answer answer = one_cell(k->c, me, 1 + i * CELL_THREADS + k->number);
        k->c->unverified += answer == PLUMB_UNVERIFIED;
        k->c->refused += answer == PLUMB_REFUSED;
    }
    return NULL;
}

/* With room for a few hundred operations, members are left behind all the time, and each is told again. */
static void none_forgets_for_good(void **unused) {
    (void)unused;
    plumb_guard_options o = {
        .struct_size = sizeof o, .object = "kv", .threads = CELL_THREADS, .bytes = 32 * LOG_CHUNK_BYTES};
    cells c = {.g = plumb_guard_open(&o), .lock = PTHREAD_MUTEX_INITIALIZER};
    cell_client k[CELL_THREADS];
    for (unsigned i = 0; i < CELL_THREADS; i++) {
        k[i] = (cell_client){.c = &c, .number = i};
        pthread_create(&k[i].thread, NULL, use_cells, &k[i]);
    }
    for (unsigned i = 0; i < CELL_THREADS; i++) pthread_join(k[i].thread, NULL);
    print_message("%" PRIu64 " of %u answers unverified\n", (uint64_t)c.unverified,
                  CELL_THREADS * fewer_if_sanitized(CELL_OPERATIONS));
    assert_int_equal(c.refused, 0);
    /* something is known at the end: one that comes now is told */
    plumb_answer last = one_cell(&c, plumb_guard_here(c.g), INT64_C(1) << 28);
    if (last) print_message("%s\n", plumb_guard_reason(plumb_guard_here(c.g)));
    assert_int_equal(last, PLUMB_VERIFIED);
    plumb_guard_close(c.g);
}

static void *come_and_go(void *g) {
    plumb_member *me = plumb_guard_here(g);
    assert_non_null(me);
    assert_ptr_equal(me, plumb_guard_here(g));
    plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
    assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_EMPTY), PLUMB_VERIFIED);
    return NULL;
}

/* Threads that end without leaving free their places. */
static void places_of_threads_that_ended(void **unused) {
    (void)unused;
    plumb_guard_options o = {.struct_size = sizeof o, .object = "queue", .threads = 2};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *me = plumb_guard_here(g);
    for (unsigned i = 0; i < 20; i++) {
        pthread_t t;
        pthread_create(&t, NULL, come_and_go, g);
        pthread_join(t, NULL);
    }
    plumb_guard_leave(me);
    assert_non_null(plumb_guard_here(g));
    plumb_guard_close(g);
}

TEST_MAIN(TEST(objects_of_all_kinds), TEST(a_refusal_has_a_witness), TEST(a_witness_beside_an_open_remove),
          TEST(newcomers_after_a_refusal), TEST(a_late_refusal_has_a_witness), TEST(a_certificate_at_any_time),
          TEST(a_wrong_answer_alone), TEST(alone_for_long), TEST(wrong_answers_stay_inside),
          TEST(without_the_guard_they_would_not), TEST(right_objects_are_never_refused),
          TEST(stacks_and_pools_are_guarded_too), TEST(somebody_who_was_away), TEST(those_who_come_later),
          TEST(left_behind_again_and_again), TEST(none_forgets_for_good), TEST(places_of_threads_that_ended))
