/* Verifiers against `plumb check` of the same recording: histories of every object, right or with a planted violation,
 * with operations whose outcome stays unknown and with dark periods, go through a recorder while a verifier reads it,
 * and into a file. What both decide is the same, and a right object is judged. */
#include "support/cmocka.h"

#include "base/random.h"
#include "generate/generate.h"
#include "object/plugin_value.h"
#include "runtime/record/recorder.h"
#include "support/feed.h"
#include "support/record_run.h"

#include <plumbline/verify.h>

#include <stdio.h>
#include <unistd.h>

enum { LOGS = 512 };

typedef struct live_plan {
    const char *object;
    uint64_t seed;
    uint32_t clients, operations;
    bool right, dark, slow;
    bool dark_early; /* near the beginning, and over before the rest comes; what is planted is near the end */
    double pending;
} live_plan;

typedef struct live_run {
    const live_plan *plan;
    object *o;
    history *h;
    plumb_recorder *r;
    plumb_verifier *verifier;
    plumb_log *log[LOGS]; /* by client; NULL: not here yet, or gone */
    uint32_t *waits;      /* operations that will never return, oldest first */
    uint32_t first_waits, waiting;
    random_source random;
    tuple_table *tuples;
} live_run;

static const mutation *any_mutation(random_source *r, const object_type *t) {
    const mutation *m, *chosen = NULL;
    uint32_t fit = 0;
    for (unsigned i = 0; (m = mutation_at(i)); i++)
        if (mutation_applies(m, t) && random_below(r, ++fit) == 0) chosen = m;
    return chosen;
}

/* NULL: there is no such history. */
static history *made(live_run *run) {
    const live_plan *p = run->plan;
    generate_options options;
    error e = {0};
    generate_standard(run->o, &options);
    options.operations = p->operations;
    options.clients = p->clients;
    options.overlap = (double)(1 + random_below(&run->random, 10)) / 10;
    options.occupancy = random_below(&run->random, 20);
    options.pending = p->pending;
    if (run->o->type->keyed || run->o->type->parts_by_arg) options.keys = 1 + random_below(&run->random, 8);
    else options.keys = 1; /* others would be objects of their own */
    options.seed = p->seed;
    options.at = p->dark_early ? 0.9 : (double)random_below(&run->random, 100) / 100;
    options.mutation = p->right ? NULL : any_mutation(&run->random, run->o->type);
    if (!p->right && !options.mutation) return NULL;
    return generate(run->o, &options, &e);
}

/* ---- events into logs ---- */

static plumb_log *log_of(live_run *run, uint32_t client) {
    assert_true(client < LOGS);
    if (!run->log[client]) run->log[client] = plumb_record_join(run->r);
    return run->log[client];
}

static void record_call(live_run *run, const operation *op) {
    plumb_value arg[HISTORY_MAX_ARGS + 1];
    size_t n = 0;
    plumb_log *l = log_of(run, op->client);
    if (run->o->type->keyed) arg[n++] = plugin_value(run->tuples, run->h->values, op->key);
    for (unsigned a = 0; a < op->nargs; a++) arg[n++] = plugin_value(run->tuples, run->h->values, op->arg[a]);
    ask_at_next_call(l);
    plumb_call(l, op->method, arg, n);
}

/* A thread whose operation has timed out goes on, as another client. */
static void time_out(live_run *run) {
    operation op;
    uint32_t newest = 0;
    history_operation(run->h, run->waits[run->first_waits++], &op);
    plumb_ret_unknown(run->log[op.client]);
    while (newest < LOGS && run->log[newest]) newest++;
    if (random_chance(&run->random, 0.5) || newest == LOGS) plumb_record_leave(run->log[op.client]);
    else run->log[newest] = run->log[op.client];
    run->log[op.client] = NULL;
}

static void record_event(live_run *run, uint32_t event) {
    operation op;
    history_operation(run->h, event / 2, &op);
    if (event & 1) {
        plumb_ret(log_of(run, op.client), plugin_value(run->tuples, run->h->values, op.res));
        return;
    }
    record_call(run, &op);
    if (history_pending(run->h, event / 2)) run->waits[run->waiting++] = event / 2;
}

/* Until the verifier has had some rounds more. */
static void wait_for_rounds(const live_run *run) {
    plumb_verify_status now = {.struct_size = sizeof now}, before = {.struct_size = sizeof before};
    plumb_verify_look(run->verifier, &before);
    do {
        usleep(100);
        plumb_verify_look(run->verifier, &now);
    } while (now.rounds < before.rounds + 4);
}

static void record_all(live_run *run) {
    feed f;
    feed_init(&f, run->h);
    const bool early = run->plan->dark_early;
    const uint32_t n = run->h->events, dark_from = early ? n / 10 : random_below(&run->random, n),
                   dark_for = early ? 20 : random_below(&run->random, 40);
    for (uint32_t e = 0; e < n; e++) {
        const bool dark = run->plan->dark && e >= dark_from && e - dark_from < dark_for;
        if (dark) __atomic_store_n(&run->r->shared.header->want_dark, 1, __ATOMIC_SEQ_CST);
        record_event(run, f.event[e]);
        if (early && (e == dark_from + dark_for || e == n / 2)) wait_for_rounds(run);
        if (run->first_waits < run->waiting && random_chance(&run->random, 0.2)) time_out(run);
        if (run->plan->slow && random_chance(&run->random, 0.01)) usleep(100);
    }
    feed_free(&f);
    for (uint32_t i = 0; i < LOGS; i++)
        if (run->log[i]) plumb_record_leave(run->log[i]);
}

/* ---- one run ---- */

typedef struct live_verdicts {
    plumb_verdict online, offline;
    uint64_t judged; /* operations, online */
    char why[200];
} live_verdicts;

static plumb_verdict check_file(const char *path) {
    plumb_history *h = plumb_history_read(path, NULL);
    plumb_check_options o = {.struct_size = sizeof o, .seconds = 2, .threads = 1};
    plumb_result *r = plumb_check(h, NULL, &o);
    plumb_verdict v = plumb_result_verdict(r);
    plumb_result_free(r);
    plumb_history_free(h);
    return v;
}

/* False: there is no such history. */
static bool live(const live_plan *plan, live_verdicts *out) {
    live_run run = {.plan = plan, .random = {plan->seed}, .tuples = tuple_table_new()};
    error e = {0};
    char path[64];
    run.o = object_open(plan->object, NULL, &e);
    run.h = made(&run);
    if (run.h) {
        snprintf(path, sizeof path, "/tmp/plumb-live-%d.log", (int)getpid());
        run.waits = MEM_ARRAY(uint32_t, run.h->n + 1);
        plumb_record_options how = {
            .struct_size = sizeof how, .object = plan->object, .path = path, .threads = LOGS, .bytes = 64 << 20};
        run.r = plumb_record_open(&how);
        assert_null(plumb_record_error(run.r));
        plumb_verifier *v = run.verifier = plumb_verify_start(run.r, NULL);
        record_all(&run);
        out->online = plumb_verify_stop(v);
        snprintf(out->why, sizeof out->why, "%s", plumb_verify_reason(v));
        plumb_verify_status end = {.struct_size = sizeof end};
        plumb_verify_look(v, &end);
        out->judged = end.checked;
        plumb_verify_free(v);
        plumb_record_close(run.r);
        out->offline = check_file(path);
        unlink(path);
        free(run.waits);
        history_free(run.h);
    }
    tuple_table_free(run.tuples);
    object_close(run.o);
    return run.h;
}

static live_plan any_plan(random_source *r, const char *object_name, uint64_t seed) {
    live_plan p = {.object = object_name, .seed = seed};
    p.clients = soaking() && random_chance(r, 0.15) ? 16 + random_below(r, 49) : 2 + random_below(r, 7);
    p.operations = 20 + random_below(r, soaking() ? 800 : 60);
    p.right = random_chance(r, 0.6);
    p.dark = random_chance(r, 0.2);
    p.slow = random_chance(r, 0.1);
    if (strcmp(object_name, "swmr-register") && random_chance(r, 0.5)) p.pending = 0.01; /* its writer has one name */
    return p;
}

static bool decided(plumb_verdict v) { return v == PLUMB_LINEARIZABLE || v == PLUMB_VIOLATION; }

static void online_and_offline_agree(void **unused) {
    (void)unused;
    const unsigned runs = fewer_if_sanitized(20) / 10 * soak_times(125); /* the long campaign: 10,000 and more */
    unsigned all = 0, right = 0, unsure = 0;
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++) {
        random_source r = {k + 5};
        unsigned count[3] = {0}, here = 0;
        for (unsigned i = 0; i < runs; i++) {
            live_plan p = any_plan(&r, t->name, 1000 * k + i + 1);
            live_verdicts v;
            if (!live(&p, &v)) continue;
            const bool wrong = (p.right && (v.online == PLUMB_VIOLATION || v.offline == PLUMB_VIOLATION)) ||
                               (decided(v.online) && decided(v.offline) && v.online != v.offline) ||
                               v.online == PLUMB_ERROR || v.offline == PLUMB_ERROR;
            if (wrong)
                fail_msg("%s seed %llu clients %u operations %u right %d dark %d pending %g: online %d, offline %d: %s",
                         t->name, (unsigned long long)p.seed, p.clients, p.operations, p.right, p.dark, p.pending,
                         v.online, v.offline, v.why);
            all++;
            count[v.online]++;
            if (!p.right || p.dark) continue;
            right++;
            here += v.online == PLUMB_UNDECIDED;
            if (v.online == PLUMB_UNDECIDED && getenv("PLUMB_LIVE_SAY"))
                print_message("%s seed %llu clients %u operations %u pending %g: %s\n", t->name,
                              (unsigned long long)p.seed, p.clients, p.operations, p.pending, v.why);
        }
        unsure += here;
        print_message("%-22s %u linearizable, %u violations, %u undecided (%u right without a dark period)\n", t->name,
                      count[0], count[1], count[2], here);
    }
    print_message("%u runs, %u right without a dark period, %u of these undecided\n", all, right, unsure);
}

/* Objects of which no operation tells the state: tasks that each process does once, and transactions, which tell some
 * registers only. */
static bool stays_dark(const char *object_name) {
    static const char *const names[] = {"immediate-snapshot", "write-snapshot", "set-agreement", "renaming",
                                        "multi-register"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], object_name)) return true;
    return false;
}

/* A run is judged again when what is wrong near its end is found, or, of a right one, when more operations were judged
 * than came before the dark period and in it. Not every run: what was planted may be about what came before. */
static bool is_judged_again(const char *object_name, uint64_t seed, unsigned runs) {
    for (unsigned i = 0; i < runs; i++) {
        live_plan p = {.object = object_name,
                       .seed = seed + i,
                       .clients = 2 + i % 3,
                       .operations = 300,
                       .dark = true,
                       .dark_early = true,
                       .right = i % 4 == 3};
        live_verdicts v;
        if (!live(&p, &v)) continue;
        if (p.right && v.online == PLUMB_VIOLATION)
            fail_msg("%s seed %llu: %s", object_name, (unsigned long long)p.seed, v.why);
        if (p.right ? v.judged > p.operations / 2 : v.online == PLUMB_VIOLATION) return true;
        if (getenv("PLUMB_LIVE_SAY")) print_message("%s: judged %u: %s\n", object_name, (unsigned)v.judged, v.why);
    }
    return false;
}

static void judged_again_after_the_dark(void **unused) {
    (void)unused;
    static const char *const bounded[] = {"queue(capacity=6)", "stack(capacity=6)", "deque(capacity=6)"};
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++) {
        const bool dark = stays_dark(t->name);
        if (is_judged_again(t->name, 1000 * k + 1, dark ? 4 : 100) == dark) fail_msg("%s", t->name);
    }
    for (unsigned k = 0; k < sizeof bounded / sizeof *bounded; k++)
        if (!is_judged_again(bounded[k], 1000 * k + 1, 100)) fail_msg("%s", bounded[k]);
}

/* An operation that timed out before a dark period does not keep an object from being judged after it. */
static void judged_again_after_time_outs(void **unused) {
    (void)unused;
    plumb_record_options how = {.struct_size = sizeof how, .object = "counter", .threads = 4};
    plumb_recorder *r = plumb_record_open(&how);
    plumb_verifier *v = plumb_verify_start(r, NULL);
    plumb_log *l = plumb_record_join(r);
    plumb_verify_status s = {.struct_size = sizeof s};
    const int inc = plumb_record_method(r, "inc"), get = plumb_record_method(r, "get");
    plumb_call_none(l, inc);
    plumb_ret_unknown(l);
    for (unsigned i = 0; i < 20000 && !s.dark_periods; i++) {
        __atomic_store_n(&r->shared.header->want_dark, 1, __ATOMIC_SEQ_CST);
        ask_at_next_call(l);
        plumb_call_none(l, inc);
        plumb_ret_none(l);
        usleep(200);
        plumb_verify_look(v, &s);
    }
    assert_true(s.dark_periods > 0);
    const uint64_t before = s.checked;
    for (unsigned i = 0; i < 20000 && s.checked <= before + 8; i++) {
        ask_at_next_call(l);
        plumb_call_none(l, get);
        plumb_ret_int(l, 50);
        usleep(200);
        plumb_verify_look(v, &s);
    }
    assert_true(s.checked > before + 8);
    plumb_call_none(l, get);
    plumb_ret_int(l, 7);
    assert_int_equal(plumb_verify_stop(v), PLUMB_VIOLATION);
    plumb_record_leave(l);
    plumb_verify_free(v);
    plumb_record_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judged_again_after_time_outs),
        cmocka_unit_test(judged_again_after_the_dark),
        cmocka_unit_test(online_and_offline_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
