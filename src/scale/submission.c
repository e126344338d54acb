#include "scale/submission.h"

#include "base/budget.h"
#include "base/mem.h"
#include "remote/blobs.h"
#include "scale/worker.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { PATIENCE_SECONDS = 120, AGAIN_MILLISECONDS = 200, KEPT_MILLISECONDS = 300 };
#define FOLLOW_AGAIN 3.0 /* a server that was started again does not know its readers */

struct submission {
    cluster c;
    char name[64], kind[16], log[96], key[96];
    bool resumed;
    const _Atomic int *stop;
    void *reader;
    uint64_t last;   /* number of the last message */
    double heard_at; /* when the last one came, or it was followed */
    uint64_t sent;
};

static bool told_to_stop(const submission *s) { return s->stop && atomic_load(s->stop); }

static void nap(int milliseconds) { nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL); }

/* Again, while it may still come back. */
static bool once_more(const submission *s, double since) {
    if (told_to_stop(s) || clock_seconds() - since > PATIENCE_SECONDS) return false;
    nap(AGAIN_MILLISECONDS);
    return true;
}

static bool failed(error *e, const char *why) { return error_set(e, EXIT_CANNOT_OPEN, "--cluster: %s", why); }

/* ---- the run ---- */

static void make_name(submission *s) {
    uint32_t lot = 0;
    if (getrandom(&lot, sizeof lot, 0) != sizeof lot) lot = (uint32_t)time(NULL);
    snprintf(s->name, sizeof s->name, "%s-%08" PRIx32, s->kind, lot);
}

static bool is_of(submission *s, const char *of, error *e) {
    char why[TRANSPORT_WHY] = "";
    transport_message m;
    const transport_answer a = s->c.type->get(s->c.t, s->key, &m, why);
    if (a == TRANSPORT_NOTHING)
        return error_set(e, EXIT_USAGE, "--resume %s: there is no such run; it may have ended", s->name);
    if (a != TRANSPORT_DONE) return failed(e, why);
    assert(s->resumed);
    const bool same = m.size == strlen(of) && !memcmp(m.bytes, of, m.size);
    s->c.type->release(s->c.t, &m);
    return same || error_set(e, EXIT_USAGE, "--resume %s: is a run of other inputs or options", s->name);
}

static bool begin_run(submission *s, const char *of, error *e) {
    char why[TRANSPORT_WHY] = "";
    const transport_answer a = s->c.type->put(s->c.t, s->key, REVISION_NONE, of, strlen(of), NULL, why);
    if (a == TRANSPORT_CONFLICT) return failed(e, "two runs drew one name; try again");
    return a == TRANSPORT_DONE || failed(e, why);
}

static bool follow_log(submission *s, error *e) {
    char why[TRANSPORT_WHY] = "";
    if (s->reader) s->c.type->unfollow(s->reader);
    s->reader = s->c.type->follow(s->c.t, s->log, s->last + 1, why);
    s->heard_at = clock_seconds();
    return s->reader || failed(e, why);
}

submission *submission_open(const transport_settings *to, const char *kind, const char *resume, const char *of,
                            const _Atomic int *stop, error *e) {
    submission *s = MEM_NEW(submission);
    s->stop = stop;
    s->resumed = resume != NULL;
    snprintf(s->kind, sizeof s->kind, "%s", kind);
    bool good =
        !resume || cluster_is_name(resume) || error_set(e, EXIT_USAGE, "--resume %s: not the name of a run", resume);
    good = good && cluster_open(&s->c, to, e);
    if (good && resume) snprintf(s->name, sizeof s->name, "%s", resume);
    else make_name(s);
    run_log(s->name, s->log);
    run_key(s->name, s->key);
    good = good && (resume ? is_of(s, of, e) : begin_run(s, of, e)) && follow_log(s, e);
    if (good) return s;
    if (s->c.t) cluster_close(&s->c);
    free(s);
    return NULL;
}

void submission_close(submission *s, bool done) {
    char why[TRANSPORT_WHY];
    if (!s) return;
    if (s->reader) s->c.type->unfollow(s->reader);
    if (done) {
        s->c.type->remove(s->c.t, s->key, why);
        s->c.type->forget(s->c.t, s->log, why);
    }
    cluster_close(&s->c);
    free(s);
}

const char *submission_name(const submission *s) { return s->name; }
bool submission_resumed(const submission *s) { return s->resumed; }

/* ---- units ---- */

bool submission_put_contents(submission *s, const void *p, size_t n, char name[SHA256_HEX], error *e) {
    const double since = clock_seconds();
    for (;;) {
        error now = {0};
        if (blob_put(s->c.type, s->c.t, p, n, name, &now)) return true;
        if (!once_more(s, since)) return failed(e, now.what);
    }
}

/* One that is sent again on purpose has another message id: JetStream would drop it. */
bool submission_add(submission *s, unit *u, const void *body, size_t size, error *e) {
    char why[TRANSPORT_WHY] = "", id[64];
    const double since = clock_seconds();
    text out = {0};
    assert(*u->id && s->reader);
    memcpy(u->kind, s->kind, sizeof u->kind);
    memcpy(u->run, s->name, sizeof u->run);
    unit_pack(u, body, size, &out);
    snprintf(id, sizeof id, "%s.%" PRIu64 ".%" PRIx64, u->id, s->sent++, (uint64_t)time(NULL));
    bool sent = false;
    do sent = s->c.type->put_unit(s->c.t, s->name, id, out.at, out.size, why) == TRANSPORT_DONE;
    while (!sent && once_more(s, since));
    text_free(&out);
    return sent || failed(e, why);
}

/* ---- results ---- */

static transport_answer next_message(submission *s, int milliseconds, text *bytes, error *e) {
    char why[TRANSPORT_WHY] = "";
    transport_message m;
    const transport_answer a = s->c.type->next(s->reader, milliseconds, &m, why);
    if (a == TRANSPORT_DONE) {
        text_clear(bytes);
        if (m.size) text_bytes(bytes, m.bytes, m.size);
        s->last = m.number;
        s->heard_at = clock_seconds();
        s->c.type->release(s->c.t, &m);
        return a;
    }
    if (a == TRANSPORT_ERROR) nap(AGAIN_MILLISECONDS);
    error now = {0};
    if (clock_seconds() - s->heard_at > FOLLOW_AGAIN && !follow_log(s, &now)) {
        const double since = clock_seconds();
        while (!s->reader && once_more(s, since)) {
            now = (error){0};
            follow_log(s, &now);
        }
        if (!s->reader) {
            *e = now;
            return TRANSPORT_ERROR;
        }
    }
    return TRANSPORT_NOTHING;
}

transport_answer submission_next(submission *s, int milliseconds, text *bytes, unit_result *out, error *e) {
    for (;;) {
        const transport_answer a = next_message(s, milliseconds, bytes, e);
        if (a != TRANSPORT_DONE || result_unpack(text_str(bytes), bytes->size, out)) return a;
    }
}

bool submission_next_kept(submission *s, text *bytes, unit_result *out, error *e) {
    return s->resumed && submission_next(s, KEPT_MILLISECONDS, bytes, out, e) == TRANSPORT_DONE;
}

bool submission_idle(submission *s) {
    char why[TRANSPORT_WHY];
    uint64_t units = 1;
    return s->c.type->waiting(s->c.t, &units, why) == TRANSPORT_DONE && units == 0;
}

typedef struct head_count {
    unsigned workers, slots;
} head_count;

static bool count_worker(void *context, const char *who, const void *p, size_t size) {
    head_count *c = context;
    worker_note n = {0};
    (void)who;
    c->workers++;
    if (worker_note_unpack(p, size, &n)) c->slots += (unsigned)n.slots;
    return true;
}

static head_count count_workers(submission *s) {
    char why[TRANSPORT_WHY];
    head_count c = {0};
    s->c.type->each_alive(s->c.t, count_worker, &c, why);
    return c;
}

unsigned submission_workers(submission *s) { return count_workers(s).workers; }
unsigned submission_slots(submission *s) { return count_workers(s).slots; }
