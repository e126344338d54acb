#include "remote/quorum.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { MOST_UNSENT = 8 << 20, STEP = 50 /* milliseconds */ };
#define TRY_AGAIN_AFTER 0.1 /* seconds */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Answers to an earlier process are not answers to this one. */
static uint64_t first_ticket(void) {
    uint64_t ticket;
    return getrandom(&ticket, sizeof ticket, 0) == (ssize_t)sizeof ticket ? ticket : 0;
}

bool quorum_open(quorum *q, const char *replicas, const char *key, double seconds, error *e) {
    *q = (quorum){.seconds = seconds < QUORUM_LONGEST ? seconds : QUORUM_LONGEST};
    if (!sealing_open(&q->key, key, e)) return false;
    q->ticket = q->key.on ? first_ticket() : 0;
    for (const char *p = replicas; p && *p;) {
        size_t length = strcspn(p, ",");
        if (q->n == QUORUM_MOST) return error_set(e, EXIT_USAGE, "too many replicas; expected at most %d", QUORUM_MOST);
        q->peer[q->n].fd = -1;
        if (!socket_address(p, length, q->key.on, &q->peer[q->n].address, e)) return false;
        q->n++;
        p += length + (p[length] == ',');
    }
    return q->n % 2 ||
           error_set(e, EXIT_USAGE, "%u replicas; expected an odd number: 127.0.0.1:PORT,127.0.0.1:PORT,127.0.0.1:PORT",
                     q->n);
}

static void disconnect(peer *p) {
    if (p->fd >= 0) close(p->fd);
    p->fd = -1;
    p->connected = false;
    text_free(&p->in);
    text_free(&p->out);
}

void quorum_close(quorum *q) {
    for (uint32_t i = 0; i < q->n; i++) disconnect(&q->peer[i]);
    q->n = 0;
}

void quorum_disconnect(quorum *q) {
    for (uint32_t i = 0; i < q->n; i++) {
        q->peer[i].in = q->peer[i].out = (text){0};
        disconnect(&q->peer[i]);
    }
    q->n = 0;
}

bool quorum_knows(quorum *q, uint32_t which, uint64_t incarnation, uint64_t standing) {
    assert(which < q->n);
    peer *p = &q->peer[which];
    for (uint32_t i = 0; i < q->n; i++) /* one that is named twice, or speaks for another one, is one all the same */
        if (i != which && q->peer[i].incarnation == incarnation) return false;
    if (!p->incarnation || standing != STANDING_WHOLE) p->incarnation = incarnation;
    p->changed = p->changed || p->incarnation != incarnation;
    return !p->changed;
}

uint64_t quorum_ticket(quorum *q) { return q->ticket + 1; }

static bool is_asked(const question *what, uint32_t i) { return !what->only || what->only >> i & 1; }

void quorum_say(quorum *q, uint32_t to, const text *frame) {
    assert(to < q->n);
    peer *p = &q->peer[to];
    assert(p->fd >= 0 || (!p->connected && !p->in.size && !p->out.size));
    if (p->fd < 0) return;
    const size_t begun = p->out.size;
    text_bytes(&p->out, frame->at, frame->size);
    sealing_seal(&q->key, SEAL_CLIENT, &p->out, begun);
    if (p->out.size > MOST_UNSENT) disconnect(p); /* it does not listen: the others will do */
    else if (p->connected && !socket_send(p->fd, &p->out)) disconnect(p);
}

/* The question is asked again on a new connection: what became of the old one is unknown. */
static void reach_out(quorum *q, const question *what, uint32_t i) {
    peer *p = &q->peer[i];
    if (p->fd >= 0 || p->changed || p->answered || p->aside || now() - p->tried < TRY_AGAIN_AFTER) return;
    p->tried = now();
    p->fd = socket_connect(&p->address);
    if (p->fd >= 0) quorum_say(q, i, what->frame);
}

static bool read_answers(quorum *q, const question *what, uint32_t i, error *e) {
    peer *p = &q->peer[i];
    enum wire_kind kind = 0;
    uint64_t ticket;
    wire_reader body = {0};
    size_t used = 0;
    heard h = HEARD_ANSWER;
    for (size_t n; p->in.size > used && (n = wire_frame(p->in.at + used, p->in.size - used, &kind, &ticket, &body));
         used += n) {
        if (!sealing_check(&q->key, SEAL_REPLICA, p->in.at + used, n, &body)) {
            h = HEARD_NONSENSE;
            break;
        }
        if (ticket != q->ticket || p->answered || p->aside)
            continue; /* of a question that has been answered without it */
        h = what->hear(what->context, i, kind, body, e);
        p->answered = h == HEARD_ANSWER;
        p->aside = h == HEARD_ASIDE;
        if (h == HEARD_NONSENSE || h == HEARD_REFUSAL) break;
    }
    assert(used <= p->in.size);
    if (h == HEARD_REFUSAL) return false;
    if (h == HEARD_NONSENSE || body.bad || p->changed) disconnect(p);
    else if (used) text_drop(&p->in, used);
    return true;
}

static bool attend(quorum *q, const question *what, uint32_t i, short events, error *e) {
    peer *p = &q->peer[i];
    if (p->fd < 0 || !events) return true;
    if (!p->connected) p->connected = socket_is_connected(p->fd);
    if (!p->connected || events & (POLLERR | POLLNVAL) || !socket_send(p->fd, &p->out)) {
        disconnect(p);
        return true;
    }
    if (!(events & (POLLIN | POLLHUP))) return true;
    bool alive = socket_receive(p->fd, &p->in, 2 * (WIRE_MOST + WIRE_HEAD));
    if (!read_answers(q, what, i, e)) return false;
    if (!alive) disconnect(p);
    return true;
}

static uint32_t answers(const quorum *q) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->n; i++) n += q->peer[i].answered;
    return n;
}

static bool step(quorum *q, const question *what, error *e) {
    struct pollfd p[QUORUM_MOST];
    for (uint32_t i = 0; i < q->n; i++) {
        if (is_asked(what, i)) reach_out(q, what, i);
        p[i] = (struct pollfd){.fd = q->peer[i].fd,
                               .events = !q->peer[i].connected || q->peer[i].out.size ? POLLIN | POLLOUT : POLLIN};
    }
    if (poll(p, q->n, STEP) < 0) return errno == EINTR || error_set(e, EXIT_INTERNAL, "poll: %s", strerror(errno));
    bool good = true;
    for (uint32_t i = 0; i < q->n && good; i++) good = attend(q, what, i, p[i].revents, e);
    return good;
}

bool quorum_ask(quorum *q, const question *what, error *e) {
    double begun = now();
    assert(q->n % 2 && 2 * quorum_majority(q) > q->n && what->needed >= 1 && what->needed <= q->n);
    assert(!what->only || (uint32_t)__builtin_popcount(what->only) >= what->needed);
    assert(!(what->only >> q->n));
    q->ticket++;
    for (uint32_t i = 0; i < q->n; i++) {
        q->peer[i].answered = q->peer[i].aside = false;
        if (is_asked(what, i) && q->peer[i].fd >= 0 && !q->peer[i].changed) quorum_say(q, i, what->frame);
    }
    while (answers(q) < what->needed && now() - begun < q->seconds)
        if (!step(q, what, e)) return false;
    /* Answers of a replica that has lost its state since count for so long only, whatever kept this process. */
    if (answers(q) >= what->needed && now() - begun < QUORUM_LONGEST) return true;
    return error_set(e, EXIT_UNDECIDED, "%u of %u replicas answered within %.1f s; expected %u", answers(q), q->n,
                     q->seconds, what->needed);
}
