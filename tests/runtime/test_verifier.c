/* Verifiers beside running threads: no false alarm, defects are found, the dark is said, judging begins again. */
#include "support/cmocka.h"

#include "evidence/certificate.h"
#include "runtime/verifier.h"
#include "support/record_run.h"

#include <plumbline/verify.h>

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static plumb_recorder *open_memory(const char *what, unsigned clock, bool ring, size_t bytes) {
    plumb_record_options o = {
        .struct_size = sizeof o, .object = what, .clock = clock, .ring = ring, .bytes = bytes, .threads = 8};
    plumb_recorder *r = plumb_record_open(&o);
    assert_null(plumb_record_error(r));
    return r;
}

static plumb_verdict verify_run(record_run *run, const char *what, unsigned clock, bool ring, size_t bytes,
                                plumb_verify_status *s) {
    plumb_recorder *r = open_memory(what, clock, ring, bytes);
    plumb_verifier *v = plumb_verify_start(r, NULL);
    run->r = r;
    record_run_all(run);
    plumb_verdict found = plumb_verify_stop(v);
    if (found == PLUMB_VIOLATION && run->d == DEFECT_NONE) print_message("%s: %s\n", what, plumb_verify_reason(v));
    s->struct_size = sizeof *s;
    plumb_verify_look(v, s);
    plumb_verify_free(v);
    plumb_record_close(r);
    return found;
}

/* ---- right objects ---- */

/* Ten million operations; in the long campaign a billion. */
static void no_false_alarm(void **unused) {
    (void)unused;
    uint32_t operations = fewer_if_sanitized(500000), runs = 9 * soak_times(96);
    uint64_t judged[3] = {0};
    for (unsigned i = 0; i < runs; i++) {
        record_run run = {.threads = 2 + i % 9 / 6, .operations = operations, .inside = i / 9 % 4 * 50, .seed = i};
        plumb_verify_status s;
        assert_int_equal(verify_run(&run, "queue", i % 3, false, (size_t)operations * 192, &s), PLUMB_LINEARIZABLE);
        assert_int_equal(s.checked, (uint64_t)run.threads * run.operations);
        assert_int_equal(s.dark + s.grey + s.skipped, 0);
        judged[i % 3] += s.checked;
    }
    print_message("queue: TICKET %" PRIu64 ", SNAPSHOT %" PRIu64 ", TSC %" PRIu64 " operations, no alarm\n", judged[0],
                  judged[1], judged[2]);
}

static void no_false_alarm_of_others(void **unused) {
    (void)unused;
    static const char *const objects[] = {"stack", "multiset"};
    uint64_t judged = 0;
    for (unsigned i = 0; i < 6 * soak_times(140); i++) {
        record_run run = {.lifo = true, .threads = 2, .operations = fewer_if_sanitized(60000), .seed = i};
        plumb_verify_status s;
        assert_int_equal(verify_run(&run, objects[i / 3 % 2], i % 3, false, 0, &s), PLUMB_LINEARIZABLE);
        assert_int_equal(s.checked, 2u * run.operations);
        judged += s.checked;
    }
    print_message("stack and pool: %" PRIu64 " operations, no alarm\n", judged);
}

/* ---- wrong objects ---- */

static void defects_are_found(void **unused) {
    (void)unused;
    static const defect which[] = {DEFECT_LOST, DEFECT_DUPLICATE, DEFECT_EMPTY};
    for (unsigned i = 0; i < 18; i++) {
        bool lifo = i >= 9;
        record_run run = {.lifo = lifo,
                          .d = which[i / 3 % 3],
                          .one_in = 2000,
                          .threads = 2,
                          .operations = 20000,
                          .inside = 20,
                          .seed = i};
        plumb_verify_status s;
        plumb_verdict found = verify_run(&run, lifo ? "stack" : "queue", i % 3, false, 0, &s);
        if (run.fired > 2) assert_int_equal(found, PLUMB_VIOLATION);
    }
}

typedef struct alarms {
    int calls;
    char reason[200];
} alarms;

static void count_alarm(void *context, const plumb_verify_status *s, const char *reason) {
    alarms *a = context;
    assert_int_equal(s->verdict, PLUMB_VIOLATION);
    a->calls++;
    snprintf(a->reason, sizeof a->reason, "%s", reason);
}

static void an_alarm_in_all_its_forms(void **unused) {
    (void)unused;
    char proof[64];
    snprintf(proof, sizeof proof, "/tmp/plumb-witness-%d.cert", (int)getpid());
    plumb_recorder *r = open_memory("queue", PLUMB_CLOCK_TICKET, false, 0);
    alarms heard = {0};
    plumb_verify_options o = {.struct_size = sizeof o, .witness = proof, .alarm = count_alarm, .context = &heard};
    plumb_verifier *v = plumb_verify_start(r, &o);
    plumb_log *l = plumb_record_join(r);
    plumb_call_int(l, 0, 1);
    plumb_ret_none(l);
    plumb_call_none(l, 1);
    plumb_ret_empty(l);
    struct pollfd p = {.fd = plumb_verify_fd(v), .events = POLLIN};
    assert_int_equal(poll(&p, 1, 20000), 1);
    assert_int_equal(plumb_verify_stop(v), PLUMB_VIOLATION);
    assert_int_equal(heard.calls, 1);
    assert_string_equal(heard.reason, plumb_verify_reason(v));
    error e = {0};
    text said = {0};
    assert_int_equal(certify(proof, NULL, &said, &e), 0);
    assert_non_null(strstr(text_str(&said), "violation"));
    text_free(&said);
    unlink(proof);
    plumb_verify_free(v);
    plumb_record_leave(l);
    plumb_record_close(r);
}

/* ---- the dark ---- */

/* A small ring: threads in a tight loop outrun the verifier. Nothing dark is called linearizable, nothing right is a
 * violation. */
static void overload_is_said(void **unused) {
    (void)unused;
    uint64_t dark = 0, checked = 0;
    for (unsigned i = 0; i < 9; i++) {
        record_run run = {.lifo = i >= 6, .threads = 2, .operations = fewer_if_sanitized(400000), .seed = i};
        plumb_verify_status s;
        plumb_verdict found = verify_run(&run, i >= 6 ? "stack" : "queue", i % 3, true, 16 * LOG_CHUNK_BYTES, &s);
        uint64_t not_judged = s.dark + s.grey + s.skipped;
        assert_int_equal(found, not_judged || s.dark_periods ? PLUMB_UNDECIDED : PLUMB_LINEARIZABLE);
        assert_int_equal(s.checked + not_judged, 2u * run.operations);
        dark += s.dark;
        checked += s.checked;
    }
    assert_true(checked > 0);
    print_message("%" PRIu64 " judged, %" PRIu64 " dark\n", checked, dark);
}

/* One thread, no races: what is dark is chosen by hand. */
typedef struct stage {
    plumb_recorder *r;
    plumb_log *l;
    recording *m;
    watch w;
    int add, take;
} stage;

static void open_stage(stage *s, const char *what) {
    s->r = open_memory(what, PLUMB_CLOCK_TICKET, true, 0);
    s->l = plumb_record_join(s->r);
    s->m = &s->r->shared;
    s->add = plumb_record_method(s->r, strcmp(what, "register") ? "add" : "write");
    s->take = plumb_record_method(s->r, strcmp(what, "register") ? "remove" : "read");
    assert_true(watch_init(&s->w, s->m, &(checker_options){0}));
}

static void close_stage(stage *s) {
    watch_free(&s->w);
    plumb_record_leave(s->l);
    plumb_record_close(s->r);
}

static void put(stage *s, int64_t v) {
    plumb_call_int(s->l, s->add, v);
    plumb_ret_none(s->l);
}

static void get(stage *s, int64_t v) {
    plumb_call_none(s->l, s->take);
    if (v == CONCURRENT_EMPTY) plumb_ret_empty(s->l);
    else plumb_ret_int(s->l, v);
}

static void in_the_dark(stage *s, void (*act)(stage *s, int64_t v), int64_t v) {
    s->m->header->want_dark = 1;
    ask_at_next_call(s->l);
    act(s, v);
    s->m->header->want_dark = 0;
}

static void look(stage *s, unsigned rounds) {
    while (rounds--) watch_round(&s->w);
}

static void a_queue_is_known_again(void **unused) {
    (void)unused;
    stage s;
    open_stage(&s, "queue");
    put(&s, 1);
    look(&s, 1);
    in_the_dark(&s, put, 2);
    look(&s, 4);
    assert_int_equal(s.w.state, WATCH_GREY);
    put(&s, 3);
    get(&s, 1);
    get(&s, 2); /* no verifier knew of it */
    look(&s, 1);
    assert_int_equal(s.w.state, WATCH_GREY);
    assert_int_equal(s.w.resync.grey, 2);
    get(&s, 3);
    put(&s, 4);
    look(&s, 1);
    assert_int_equal(s.w.state, WATCH_CHECKING);
    assert_int_equal(s.w.verdict, VERDICT_LINEARIZABLE);
    assert_int_equal(watch_verdict(&s.w), VERDICT_UNDECIDED); /* and the dark is not forgotten */
    s.w.verdict = VERDICT_LINEARIZABLE;
    get(&s, 2); /* now it is known that it cannot be inside */
    look(&s, 1);
    assert_int_equal(watch_verdict(&s.w), VERDICT_VIOLATION);
    close_stage(&s);
}

static void violations_among_known_values_after_the_dark(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "multiset"};
    for (unsigned i = 0; i < 3; i++) {
        stage s;
        open_stage(&s, objects[i]);
        in_the_dark(&s, put, 2);
        look(&s, 4);
        put(&s, 3);
        get(&s, 3);
        get(&s, CONCURRENT_EMPTY);
        look(&s, 1);
        assert_int_equal(s.w.state, WATCH_CHECKING);
        get(&s, 3);
        look(&s, 1);
        assert_int_equal(watch_verdict(&s.w), VERDICT_VIOLATION);
        assert_non_null(strstr(s.w.reason, "assumed"));
        close_stage(&s);
    }
}

/* Right runs of few values, one thread, are not called wrong, whenever the dark ends. Of queues and stacks values are
 * different while they are inside, as their monitors ask; those of others are not. */
static int64_t taken_by(const char *what, int64_t *inside, unsigned *n, uint64_t luck) {
    if (!*n) return CONCURRENT_EMPTY;
    unsigned at = 0;
    if (!strcmp(what, "stack")) at = *n - 1;
    else if (!strcmp(what, "multiset")) at = (unsigned)(luck % *n);
    else if (!strcmp(what, "pqueue-min"))
        for (unsigned i = 1; i < *n; i++)
            if (inside[i] < inside[at]) at = i;
    const int64_t v = inside[at];
    memmove(inside + at, inside + at + 1, (--*n - at) * sizeof *inside);
    return v;
}

static bool is_inside(const int64_t *inside, unsigned n, int64_t v) {
    for (unsigned i = 0; i < n; i++)
        if (inside[i] == v) return true;
    return false;
}

static int64_t added_to(const char *what, int64_t *inside, unsigned *n, uint64_t luck) {
    int64_t v = (int64_t)(luck % 3);
    if (!strcmp(what, "queue") || !strcmp(what, "stack"))
        while (is_inside(inside, *n, v)) v += 3;
    return inside[(*n)++] = v;
}

static void values_that_repeat_after_the_dark(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack", "multiset", "pqueue-min"};
    random_source r = {11};
    unsigned judged_again[4] = {0};
    for (unsigned run = 0; run < 2000; run++) {
        const char *what = objects[run % 4];
        stage s;
        int64_t inside[64];
        unsigned n = 0;
        open_stage(&s, what);
        for (unsigned i = 0; i < 40; i++) {
            const bool dark = i < 8;
            if (dark) s.m->header->want_dark = 1, ask_at_next_call(s.l);
            if (random_next(&r) % 2) put(&s, added_to(what, inside, &n, random_next(&r)));
            else get(&s, taken_by(what, inside, &n, random_next(&r)));
            s.m->header->want_dark = 0;
            if (i == 7) look(&s, 4);
            else if (!dark) look(&s, random_next(&r) % 2);
        }
        look(&s, 1);
        if (watch_verdict(&s.w) == VERDICT_VIOLATION) print_message("%s, run %u: %s\n", what, run, s.w.reason);
        assert_int_not_equal(watch_verdict(&s.w), VERDICT_VIOLATION);
        judged_again[run % 4] += s.w.state == WATCH_CHECKING;
        close_stage(&s);
    }
    for (unsigned i = 0; i < 4; i++) assert_in_range(judged_again[i], 50, 500);
}

static void a_register_is_known_again(void **unused) {
    (void)unused;
    stage s;
    open_stage(&s, "register");
    put(&s, 1);
    in_the_dark(&s, put, 2);
    look(&s, 4);
    get(&s, 2);
    get(&s, 2);
    put(&s, 3);
    look(&s, 1);
    assert_int_equal(s.w.verdict, VERDICT_LINEARIZABLE);
    assert_int_equal(s.w.state, WATCH_CHECKING);
    get(&s, 3);
    get(&s, 2);
    look(&s, 1);
    assert_int_equal(watch_verdict(&s.w), VERDICT_VIOLATION);
    close_stage(&s);
}

/* Objects of which one operation tells the state: judged again from there on, and the dark is not forgotten. */
typedef struct told_again {
    const char *object, *change, *tell, *wrong; /* what is done in the dark, what tells the state, what it cannot do */
    int args;
    int64_t told, wrongly; /* results; NOTHING: none */
} told_again;

enum { NOTHING = -9, YES = -1, NO = -2 };

static void act_once(stage *s, const char *name, int args, int64_t res) {
    int m = plumb_record_method(s->r, name);
    assert_true(m >= 0);
    if (args) plumb_call_int(s->l, m, 1);
    else plumb_call_none(s->l, m);
    if (res == NOTHING) plumb_ret_none(s->l);
    else if (res == YES || res == NO) plumb_ret_bool(s->l, res == YES);
    else plumb_ret_int(s->l, res);
}

static void told_again_after_the_dark(void **unused) {
    (void)unused;
    static const told_again objects[] = {
        {"lock", "lock", "unlock", "unlock", 0, NOTHING, NOTHING},
        {"rwlock", "wlock", "wunlock", "wunlock", 0, NOTHING, NOTHING},
        {"set", "add", "contains", "contains", 1, YES, NO},
        {"counter", "inc", "get", "get", 0, 7, 6},
        {"fetch-add", "add", "add", "add", 1, 7, 7},
        {"max-register", "write", "read", "read", 0, 7, 6},
        {"cas-register", "write", "read", "read", 0, 7, 6},
    };
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++)
        for (int wrong = 0; wrong < 2; wrong++) {
            const told_again *o = &objects[i];
            stage s = {.r = open_memory(o->object, PLUMB_CLOCK_TICKET, true, 0)};
            s.l = plumb_record_join(s.r);
            s.m = &s.r->shared;
            assert_true(watch_init(&s.w, s.m, &(checker_options){0}));
            s.m->header->want_dark = 1;
            ask_at_next_call(s.l);
            act_once(&s, o->change, o->args || !strcmp(o->change, "write"), NOTHING);
            s.m->header->want_dark = 0;
            look(&s, 4);
            act_once(&s, o->tell, o->args, o->told);
            look(&s, 1);
            assert_int_equal(s.w.state == WATCH_OVER, 0);
            if (wrong) act_once(&s, o->wrong, o->args, o->wrongly);
            look(&s, 1);
            assert_int_equal(watch_verdict(&s.w), wrong ? VERDICT_VIOLATION : VERDICT_UNDECIDED);
            close_stage(&s);
        }
}

/* Time-outs: many operations of which nothing is known but their calls, then ordinary ones. */
static void unknown_outcomes_are_not_the_end(void **unused) {
    (void)unused;
    static const struct {
        const char *object, *change, *back, *look;
        int args, look_args;
        int64_t seen;
    } objects[] = {
        {"set", "add", "remove", "contains", 1, 1, NO},      {"counter", "inc", "dec", "get", 0, 0, 0},
        {"fetch-add", "add", "add", "read", 1, 0, 0},        {"max-register", "write", "write", "read", 1, 0, 0},
        {"cas-register", "write", "write", "read", 1, 0, 0}, {"lock", "lock", "lock", "trylock", 0, 0, YES},
    };
    enum { UNKNOWN = 60, LOOKS = 100 };
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        const char *what = objects[i].object;
        plumb_record_options how = {.struct_size = sizeof how, .object = what};
        if (strstr(what, "register")) how.init = "0";
        stage s = {.r = plumb_record_open(&how)};
        s.l = plumb_record_join(s.r);
        s.m = &s.r->shared;
        assert_true(watch_init(&s.w, s.m, &(checker_options){0}));
        for (int k = 0; k < UNKNOWN; k++) {
            int m = plumb_record_method(s.r, k & 1 ? objects[i].back : objects[i].change);
            if (objects[i].args) plumb_call_int(s.l, m, strstr(what, "register") ? k + 1 : 1);
            else plumb_call_none(s.l, m);
            plumb_ret_unknown(s.l);
        }
        for (int k = 0; k < LOOKS; k++) {
            act_once(&s, objects[i].look, objects[i].look_args, objects[i].seen);
            if (!strcmp(what, "lock")) act_once(&s, "unlock", 0, NOTHING);
        }
        look(&s, 2);
        assert_int_equal(watch_verdict(&s.w), VERDICT_LINEARIZABLE);
        act_once(&s, objects[i].look, objects[i].look_args, objects[i].seen);
        close_stage(&s);
    }
}

/* ---- who is gone ---- */

/* A thread that died in a remove may have taken something, at any time: memory stays bounded, right stays right, and
 * what it could not have done is still found. */
static void a_dead_thread_is_excused(void **unused) {
    (void)unused;
    for (int wrong = 0; wrong < 2; wrong++) {
        stage s;
        open_stage(&s, "queue");
        watch_free(&s.w);
        assert_true(watch_init(&s.w, s.m, &(checker_options){.max_lag = 1000}));
        put(&s, -1);
        plumb_log *dead = plumb_record_join(s.r);
        plumb_call_none(dead, s.take); /* takes -1, and is never heard of again */
        watch_counts c;
        for (int i = 0; i < 200000; i++) {
            put(&s, i);
            get(&s, i);
            if (i % 64 == 0) look(&s, 1);
        }
        look(&s, 2);
        watch_look(&s.w, &c);
        assert_int_equal(c.excused, 1);
        assert_true(c.memory < 1 << 20);
        assert_int_equal(watch_verdict(&s.w), VERDICT_LINEARIZABLE);
        if (wrong) get(&s, -1);
        look(&s, 2);
        if (wrong) assert_int_equal(watch_verdict(&s.w), VERDICT_VIOLATION);
        plumb_record_leave(dead);
        close_stage(&s);
    }
}

/* Another verifier takes over: from the beginning when all is kept, else after a dark time. */
static void a_verifier_follows_another(void **unused) {
    (void)unused;
    for (int ring = 0; ring < 2; ring++) {
        plumb_recorder *r = open_memory("queue", PLUMB_CLOCK_TICKET, ring, 0);
        plumb_verifier *v = plumb_verify_start(r, NULL);
        record_run run = {.threads = 2, .operations = 2000, .seed = 1, .r = r};
        record_run_all(&run);
        assert_int_equal(plumb_verify_stop(v), PLUMB_LINEARIZABLE);
        plumb_verify_free(v);
        v = plumb_verify_start(r, NULL);
        assert_int_equal(plumb_verify_stop(v), ring ? PLUMB_UNDECIDED : PLUMB_LINEARIZABLE);
        plumb_verify_free(v);
        plumb_record_close(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_false_alarm),
        cmocka_unit_test(no_false_alarm_of_others),
        cmocka_unit_test(defects_are_found),
        cmocka_unit_test(an_alarm_in_all_its_forms),
        cmocka_unit_test(overload_is_said),
        cmocka_unit_test(a_queue_is_known_again),
        cmocka_unit_test(violations_among_known_values_after_the_dark),
        cmocka_unit_test(values_that_repeat_after_the_dark),
        cmocka_unit_test(a_register_is_known_again),
        cmocka_unit_test(told_again_after_the_dark),
        cmocka_unit_test(unknown_outcomes_are_not_the_end),
        cmocka_unit_test(a_dead_thread_is_excused),
        cmocka_unit_test(a_verifier_follows_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
