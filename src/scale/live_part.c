#include "scale/live_part.h"

#include "base/budget.h"
#include "base/whole_file.h"
#include "remote/blobs.h"
#include "scale/live_router.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT = 200 /* milliseconds */ };
#define ALIVE_EVERY 3.0
#define FOLLOW_AGAIN 5.0 /* a reader of a server that was started again may hear nothing more */
#define PATIENCE 60.0    /* with a cluster that does not answer */
#define STATE_FORM "plumb-part/1 %79s %" SCNu64 " %64s %d"

static bool stopped(const live_part *p) { return p->s->stop && atomic_load(p->s->stop); }

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = WAIT * 1000000L}, NULL); }

/* ---- owning ---- */

typedef struct search {
    const char *name;
    bool found;
} search;

static bool is_named(void *context, const char *who, const void *p, size_t n) {
    search *s = context;
    (void)p, (void)n;
    s->found = s->found || !strcmp(who, s->name);
    return !s->found;
}

static bool is_alive(live_part *p, const char *who, bool *known) {
    char why[TRANSPORT_WHY];
    search s = {.name = who};
    *known = p->c.type->each_alive(p->c.t, is_named, &s, why) != TRANSPORT_ERROR;
    return s.found;
}

static void tell_alive(live_part *p) {
    char why[TRANSPORT_WHY];
    p->c.type->be_alive(p->c.t, p->me, "monitor", 7, why);
}

/* Does the key say this? Then a put whose answer was lost has come through. */
static bool says(live_part *p, const text *said) {
    char why[TRANSPORT_WHY];
    transport_message m = {0};
    if (p->c.type->get(p->c.t, p->key, &m, why) != TRANSPORT_DONE) return false;
    const bool same = m.size == said->size && !memcmp(m.bytes, said->at, m.size);
    if (same) p->revision = m.number;
    p->c.type->release(p->c.t, &m);
    return same;
}

static transport_answer put_state(live_part *p, const char *owner, uint64_t expected) {
    char why[TRANSPORT_WHY];
    text said = {0};
    text_printf(&said, "plumb-part/1 %s %" PRIu64 " %s %d\n%s", owner, p->saved_events, p->blob[0] ? p->blob : "-",
                p->verdict, p->s->what);
    transport_answer a = p->c.type->put(p->c.t, p->key, expected, said.at, said.size, &p->revision, why);
    if (a == TRANSPORT_CONFLICT && says(p, &said)) a = TRANSPORT_DONE;
    text_free(&said);
    return a;
}

/* What the key says; false: not to be understood, or of something else. */
static bool take_state(live_part *p, const transport_message *m, char owner[80], error *e) {
    text said = {0};
    char blob[SHA256_HEX] = "";
    text_bytes(&said, m->bytes, m->size);
    const char *what = strchr(text_str(&said), '\n');
    bool good = what && sscanf(said.at, STATE_FORM, owner, &p->saved_events, blob, &p->verdict) == 4;
    if (!good) error_set(e, EXIT_BAD_INPUT, "--name %s: its state is not understood", p->s->name);
    if (good && strcmp(what + 1, p->s->what))
        good = error_set(e, EXIT_USAGE, "--name %s is of another subject, object or number of parts; expected the same",
                         p->s->name);
    snprintf(p->blob, sizeof p->blob, "%s", strcmp(blob, "-") ? blob : "");
    text_free(&said);
    return good;
}

/* One try: DONE: it is ours; NOTHING: not now; CONFLICT: it is over, `verdict` says how; ERROR: e, or ask again. */
static transport_answer claim(live_part *p, error *e) {
    char why[TRANSPORT_WHY] = "", owner[80] = "";
    transport_message m = {0};
    bool known = true;
    const transport_answer a = p->c.type->get(p->c.t, p->key, &m, why);
    if (a == TRANSPORT_ERROR) return TRANSPORT_NOTHING;
    if (a == TRANSPORT_NOTHING) return put_state(p, p->me, REVISION_NONE) == TRANSPORT_DONE ? TRANSPORT_DONE : a;
    const bool good = take_state(p, &m, owner, e);
    const uint64_t revision = m.number;
    p->c.type->release(p->c.t, &m);
    if (!good) return TRANSPORT_ERROR;
    if (p->verdict >= 0) return TRANSPORT_CONFLICT;
    const bool free_or_mine = !strcmp(owner, "-") || !strcmp(owner, p->me);
    if (!free_or_mine && (is_alive(p, owner, &known) || !known)) return TRANSPORT_NOTHING;
    return put_state(p, p->me, revision) == TRANSPORT_DONE ? TRANSPORT_DONE : TRANSPORT_NOTHING;
}

static bool fetch_checkpoint(live_part *p, error *e) {
    text bytes = {0};
    snprintf(p->checkpoint, sizeof p->checkpoint, "/tmp/plumb-part-XXXXXX");
    const int fd = mkstemp(p->checkpoint);
    if (fd < 0) return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", p->checkpoint, strerror(errno));
    close(fd);
    unlink(p->checkpoint); /* an empty one is no checkpoint */
    if (!p->blob[0]) return true;
    const bool good = blob_get(p->c.type, p->c.t, p->blob, &bytes, e) &&
                      whole_file_write(p->checkpoint, text_str(&bytes), bytes.size, e);
    text_free(&bytes);
    return good;
}

bool live_part_open(live_part *p, const live_settings *s, error *e) {
    char host[30] = "host";
    *p = (live_part){.s = s, .verdict = -1, .out = -1};
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *c)) *c = '-';
    snprintf(p->me, sizeof p->me, "monitor-%s-%ld-%" PRIu32, host, (long)getpid(), s->part);
    snprintf(p->key, sizeof p->key, "monitors.%s.%" PRIu32, s->name, s->part);
    if (!cluster_open(&p->c, &s->to, e)) return false;
    for (;;) {
        if (stopped(p)) return error_set(e, EXIT_INTERRUPTED, "interrupted; another monitor had the part");
        tell_alive(p);
        const transport_answer a = claim(p, e);
        if (a == TRANSPORT_DONE) break;
        if (a == TRANSPORT_ERROR || a == TRANSPORT_CONFLICT) return false;
        nap();
    }
    p->verdict = -1;
    return fetch_checkpoint(p, e);
}

/* ---- saving ---- */

static bool read_checkpoint(const char *path, text *out, error *e) {
    char block[65536];
    FILE *f = fopen(path, "rbe");
    if (!f) return error_set(e, EXIT_CANNOT_OPEN, "%s: %s", path, strerror(errno));
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) text_bytes(out, block, n);
    fclose(f);
    return true;
}

/* Compare-and-set, until the cluster answers. */
static bool put_for_sure(live_part *p, const char *owner, error *e) {
    for (const double since = clock_seconds(); clock_seconds() - since < PATIENCE; nap()) {
        const uint64_t expected = p->revision;
        const transport_answer a = put_state(p, owner, expected);
        if (a == TRANSPORT_DONE) return true;
        if (a == TRANSPORT_CONFLICT) {
            atomic_store(&p->lost, true);
            return error_set(e, EXIT_UNDECIDED, "another monitor has taken over part %" PRIu32, p->s->part);
        }
        p->revision = expected;
    }
    return error_set(e, EXIT_UNDECIDED, "the cluster does not answer");
}

bool live_part_save(live_part *p, uint64_t events, error *e) {
    text bytes = {0};
    char old[SHA256_HEX];
    if (events == p->saved_events && p->blob[0]) return true;
    memcpy(old, p->blob, sizeof old);
    bool good = read_checkpoint(p->checkpoint, &bytes, e) &&
                blob_put(p->c.type, p->c.t, text_str(&bytes), bytes.size, p->blob, e);
    p->saved_events = events;
    good = good && put_for_sure(p, p->me, e);
    if (good && old[0] && strcmp(old, p->blob)) blob_remove(p->c.type, p->c.t, old);
    text_free(&bytes);
    return good;
}

bool live_part_end(live_part *p, int code, error *e) {
    if (atomic_load(&p->lost)) return false;
    p->verdict = code;
    return put_for_sure(p, "-", e);
}

/* ---- events ---- */

/* False: the reader of the pipe has gone, or we are to stop. */
static bool write_lines(live_part *p, const text *lines) {
    for (size_t at = 0; at < lines->size;) {
        struct pollfd f = {.fd = p->out, .events = POLLOUT};
        const int ready = poll(&f, 1, WAIT);
        if (stopped(p) || atomic_load(&p->lost) || (ready > 0 && f.revents & (POLLERR | POLLNVAL))) return false;
        if (ready <= 0 || !(f.revents & POLLOUT)) continue;
        const size_t most = lines->size - at < 4096 ? lines->size - at : 4096; /* what a pipe takes without waiting */
        const ssize_t n = write(p->out, lines->at + at, most);
        if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (n > 0) at += (size_t)n;
    }
    return true;
}

typedef struct pump_state {
    void *reader;
    uint64_t last; /* message that was handed on */
    double heard, followed, alive;
    live_router router;
    text lines;
} pump_state;

static void follow_again(live_part *p, pump_state *s) {
    char log[TRANSPORT_NAME], why[TRANSPORT_WHY];
    if (s->reader) p->c.type->unfollow(s->reader);
    subject_log(p->s->subject, log);
    s->reader = p->c.type->follow(p->c.t, log, s->last + 1, why);
    s->followed = clock_seconds();
}

static bool take_message(live_part *p, pump_state *s, transport_message *m) {
    bool good = true;
    if (m->number > s->last) { /* not one that was here before the reader was made again */
        text_clear(&s->lines);
        live_router_sort(&s->router, m->bytes, m->size, &s->lines);
        good = write_lines(p, &s->lines);
        s->last = m->number;
        s->heard = s->followed = clock_seconds();
    }
    p->c.type->release(p->c.t, m);
    return good;
}

static bool pump_once(live_part *p, pump_state *s) {
    char why[TRANSPORT_WHY];
    transport_message m = {0};
    const double now = clock_seconds();
    if (now - s->alive > ALIVE_EVERY) {
        tell_alive(p);
        s->alive = now;
    }
    if (!s->reader || now - s->followed > FOLLOW_AGAIN) follow_again(p, s);
    const transport_answer a = s->reader ? p->c.type->next(s->reader, WAIT, &m, why) : TRANSPORT_ERROR;
    if (a == TRANSPORT_DONE) return take_message(p, s, &m);
    if (a == TRANSPORT_ERROR) {
        s->followed = 0;
        nap();
    }
    return p->s->idle <= 0 || clock_seconds() - s->heard < p->s->idle;
}

static void *pump(void *context) {
    live_part *p = context;
    pump_state s = {.last = p->s->from > 1 ? p->s->from - 1 : 0, .heard = clock_seconds()};
    live_router_init(&s.router, p->s->part, p->s->parts);
    while (!stopped(p) && !atomic_load(&p->lost) && pump_once(p, &s)) {}
    if (s.reader) p->c.type->unfollow(s.reader);
    live_router_free(&s.router);
    text_free(&s.lines);
    close(p->out);
    return NULL;
}

int live_part_events(live_part *p, error *e) {
    int both[2];
    if (pipe(both)) {
        error_set(e, EXIT_INTERNAL, "pipe: %s", strerror(errno));
        return -1;
    }
    p->out = both[1];
    p->pumping = !pthread_create(&p->pump, NULL, pump, p);
    return both[0];
}

void live_part_close(live_part *p) {
    atomic_store(&p->lost, true);
    if (p->pumping) pthread_join(p->pump, NULL);
    if (p->checkpoint[0]) unlink(p->checkpoint);
    if (p->c.t) cluster_close(&p->c);
}
