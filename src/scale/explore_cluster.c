#include "scale/explore_cluster.h"

#include "base/budget.h"
#include "base/mem.h"
#include "explore/outside/answer.h"
#include "scale/explore_split.h"
#include "scale/submission.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { JOBS_LEAST = 8, LOOK_MILLISECONDS = 100 };
#define SEND_AGAIN_AFTER 15.0 /* seconds without a result, and nothing waits in the cluster */

typedef struct asked_unit { /* a question, and its answer once it is there */
    char id[24], worker[64];
    text body;   /* empty: it was not asked for in this process */
    text answer; /* packed */
    result_state state;
    bool answered, waits; /* waits: a thread does */
} asked_unit;

struct explore_cluster {
    explore_cluster_settings s;
    submission *to;
    char binary[SHA256_HEX];
    hunt_elsewhere elsewhere;
    unsigned jobs;
    uint64_t kept;
    double until, heard;
    pthread_t reader;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    asked_unit **unit;
    unsigned units;
    bool ended, closing;
    error e;
};

/* ---- under the lock: questions and answers ---- */

static asked_unit *find(explore_cluster *x, const char *id) {
    for (unsigned i = 0; i < x->units; i++)
        if (!strcmp(x->unit[i]->id, id)) return x->unit[i];
    x->unit = MEM_GROW(x->unit, asked_unit *, x->units + 1);
    asked_unit *u = x->unit[x->units++] = MEM_NEW(asked_unit);
    assert(strlen(id) < sizeof u->id); /* a shorter name could be another question's */
    snprintf(u->id, sizeof u->id, "%s", id);
    return u;
}

/* The first answer counts. */
static void take_result(explore_cluster *x, const unit_result *r) {
    asked_unit *u = find(x, r->id);
    if (u->answered) return;
    assert(!u->answer.size && r->state < RESULT_STATES);
    u->answered = true;
    u->state = r->state;
    memcpy(u->worker, r->worker, sizeof u->worker);
    if (r->body.left) text_bytes(&u->answer, r->body.p, r->body.left);
    x->heard = clock_seconds();
    pthread_cond_broadcast(&x->changed);
}

static bool out_of_time(const explore_cluster *x) {
    return x->ended || x->closing || x->e.code || (x->s.stop && atomic_load(x->s.stop)) ||
           (x->until > 0 && clock_seconds() >= x->until);
}

/* ---- receiving ---- */

static bool send_unit(explore_cluster *x, const asked_unit *from, const char *label, error *e) {
    unit u = {.blobs = 1, .seconds = x->s.seconds};
    assert(from->body.size && *x->binary);
    memcpy(u.id, from->id, sizeof u.id);
    memcpy(u.blob[0], x->binary, sizeof x->binary);
    snprintf(u.label, sizeof u.label, "%.190s", label);
    return submission_add(x->to, &u, from->body.at, from->body.size, e);
}

/* Lost with a server that had not written it. */
static void send_lost(explore_cluster *x) {
    if (clock_seconds() - x->heard < SEND_AGAIN_AFTER || !submission_idle(x->to)) return;
    pthread_mutex_lock(&x->lock);
    for (unsigned i = 0; i < x->units; i++)
        if (x->unit[i]->waits && !x->unit[i]->answered) send_unit(x, x->unit[i], "sent again", &x->e);
    x->heard = clock_seconds();
    pthread_mutex_unlock(&x->lock);
}

static void *read_results(void *context) {
    explore_cluster *x = context;
    text bytes = {0};
    for (bool go_on = true; go_on;) {
        unit_result r;
        error e = {0};
        const transport_answer a = submission_next(x->to, LOOK_MILLISECONDS, &bytes, &r, &e);
        if (a == TRANSPORT_NOTHING) send_lost(x);
        pthread_mutex_lock(&x->lock);
        if (a == TRANSPORT_DONE) take_result(x, &r);
        if (a == TRANSPORT_ERROR) x->e = e;
        go_on = !x->closing && a != TRANSPORT_ERROR;
        pthread_cond_broadcast(&x->changed);
        pthread_mutex_unlock(&x->lock);
    }
    text_free(&bytes);
    return NULL;
}

/* ---- asking ---- */

static void pack_question(const explore_cluster *x, const run_request *r, text *out) {
    text line = {0};
    uint64_t words = 0;
    talk_begin(&line, "run");
    run_request_send(r, &line);
    pack_string(out, text_str(&line));
    text_free(&line);
    for (char *const *a = x->s.argv; a && *a; a++) words++;
    wire_add(out, words, 4);
    for (char *const *a = x->s.argv; a && *a; a++) pack_string(out, *a);
}

static void wait_a_moment(explore_cluster *x) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MILLISECONDS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_cond_timedwait(&x->changed, &x->lock, &until);
}

static bool not_explored(const char *note, run_answer *out) {
    *out = (run_answer){.result = {.preemptions = -1, .stopped = true}};
    if (note) out->notes = mem_string(note);
    return true;
}

static bool understand(const asked_unit *u, const run_request *r, run_answer *out, error *e) {
    text note = {0};
    assert(u->answered);
    if (u->state == RESULT_DONE) return run_answer_read(u->answer.at, out, e);
    if (u->state == RESULT_REFUSED) {
        unit_result refusal = {.body = {.p = (const unsigned char *)u->answer.at, .left = u->answer.size}};
        memcpy(refusal.worker, u->worker, sizeof refusal.worker);
        return result_refusal(&refusal, e);
    }
    text_printf(&note, "set aside, for %s: %s\n", text_str(&u->answer), r->threads ? r->threads : "main");
    not_explored(text_str(&note), out);
    text_free(&note);
    return true;
}

/* Asks, unless it was asked before. */
static asked_unit *post(explore_cluster *x, const run_request *r, error *e) {
    text body = {0};
    char name[SHA256_HEX], id[24];
    pack_question(x, r, &body);
    sha256_name(body.at, body.size, name);
    snprintf(id, sizeof id, "%.20s", name);
    pthread_mutex_lock(&x->lock);
    asked_unit *u = find(x, id);
    const bool send = !u->answered && !u->body.size && !out_of_time(x);
    bool good = true;
    u->waits = true;
    if (send) u->body = body;
    else text_free(&body);
    pthread_mutex_unlock(&x->lock);
    if (send) good = send_unit(x, u, r->threads ? r->threads : "main", e);
    return good ? u : NULL;
}

static bool receive(explore_cluster *x, asked_unit *u, const run_request *r, run_answer *out, error *e) {
    bool good = true;
    pthread_mutex_lock(&x->lock);
    while (!u->answered && !out_of_time(x)) wait_a_moment(x);
    u->waits = false;
    if (x->e.code) {
        *e = x->e;
        good = false;
    }
    if (good && u->answered) good = understand(u, r, out, e);
    else if (good) not_explored(NULL, out);
    pthread_mutex_unlock(&x->lock);
    return good;
}

static bool ask(void *context, const run_request *r, run_answer *out, error *e) {
    explore_cluster *x = context;
    asked_unit *u = post(x, r, e);
    return u && receive(x, u, r, out, e);
}

static bool ask_all(void *context, const run_request *r, unsigned n, run_answer *out, error *e) {
    explore_cluster *x = context;
    asked_unit **u = MEM_ARRAY(asked_unit *, n);
    bool good = true;
    unsigned answers = 0;
    for (unsigned i = 0; good && i < n; i++) good = (u[i] = post(x, &r[i], e)) != NULL;
    while (good && answers < n && (good = receive(x, u[answers], &r[answers], &out[answers], e))) answers++;
    for (unsigned i = 0; !good && i < answers; i++) run_answer_free(&out[i]);
    free(u);
    return good;
}

static bool is_out_of_time(void *context) {
    explore_cluster *x = context;
    pthread_mutex_lock(&x->lock);
    const bool out = out_of_time(x);
    pthread_mutex_unlock(&x->lock);
    return out;
}

static bool run_elsewhere(void *context, const run_request *r, run_answer *out, error *e) {
    explore_cluster *x = context;
    const split_ways ways = {
        .context = x, .ask = ask, .ask_all = ask_all, .is_over = is_out_of_time, .pieces = 2 * x->jobs};
    run_request whole = *r;
    whole.jobs = 1;
    return may_be_split(r) ? run_split(&ways, r, out, e) : ask(x, &whole, out, e);
}

static void end_elsewhere(void *context) {
    explore_cluster *x = context;
    pthread_mutex_lock(&x->lock);
    x->ended = true;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
}

/* ---- all of it ---- */

static bool read_binary(const char *path, text *out, error *e) {
    char block[65536];
    FILE *f = fopen(path, "rbe");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "cannot open %s: %s", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) text_bytes(out, block, n);
    fclose(f);
    return true;
}

/* A run is of a program and of options, and says so by their names. */
static bool begin(explore_cluster *x, error *e) {
    text bytes = {0}, of = {0};
    char options[SHA256_HEX];
    bool good = read_binary(x->s.binary, &bytes, e);
    sha256_name(text_str(&bytes), bytes.size, x->binary);
    sha256_name(x->s.options, strlen(x->s.options), options);
    text_printf(&of, "%s %s", x->binary, options);
    good = good && (x->to = submission_open(&x->s.to, "explore", x->s.resume, text_str(&of), x->s.stop, e));
    good = good && submission_put_contents(x->to, text_str(&bytes), bytes.size, x->binary, e);
    text_free(&bytes);
    text_free(&of);
    return good;
}

static bool take_kept(explore_cluster *x, error *e) {
    text bytes = {0};
    unit_result r;
    while (submission_next_kept(x->to, &bytes, &r, e)) take_result(x, &r);
    text_free(&bytes);
    x->kept = x->units;
    return !e->code;
}

explore_cluster *explore_cluster_open(const explore_cluster_settings *s, error *e) {
    explore_cluster *x = MEM_NEW(explore_cluster);
    x->s = *s;
    x->elsewhere = (hunt_elsewhere){.context = x, .run = run_elsewhere, .end = end_elsewhere};
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, NULL);
    if (!begin(x, e) || !take_kept(x, e)) {
        submission_close(x->to, false);
        free(x);
        return NULL;
    }
    const unsigned slots = submission_slots(x->to);
    x->jobs = 2 * slots > JOBS_LEAST ? 2 * slots : JOBS_LEAST;
    x->heard = clock_seconds();
    x->until = s->seconds > 0 ? clock_seconds() + s->seconds : 0;
    pthread_create(&x->reader, NULL, read_results, x);
    return x;
}

void explore_cluster_close(explore_cluster *x, bool done) {
    if (!x) return;
    pthread_mutex_lock(&x->lock);
    x->closing = true;
    pthread_mutex_unlock(&x->lock);
    pthread_join(x->reader, NULL);
    submission_close(x->to, done);
    for (unsigned i = 0; i < x->units; i++) {
        text_free(&x->unit[i]->body);
        text_free(&x->unit[i]->answer);
        free(x->unit[i]);
    }
    free(x->unit);
    free(x);
}

const hunt_elsewhere *explore_cluster_elsewhere(const explore_cluster *x) { return &x->elsewhere; }
unsigned explore_cluster_jobs(const explore_cluster *x) { return x->jobs; }
const char *explore_cluster_name(const explore_cluster *x) { return submission_name(x->to); }
uint64_t explore_cluster_kept(const explore_cluster *x) { return x->kept; }
