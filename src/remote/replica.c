#include "remote/replica.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 256, MOST_UNSENT = 8 << 20, AT_ONCE = 32 };

typedef struct connection {
    int fd;
    bool known;       /* it has asked something that was understood */
    uint64_t arrival; /* the lower, the earlier it came */
    text in, out;
} connection;

struct replica {
    int listening;
    replica_store store;
    replica_keeping keeping;
    sealing key;
    connection *open;
    unsigned n;
    uint64_t arrivals;
    double started; /* seconds */
    bool failed;
};

static uint64_t new_incarnation(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 48;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum wire_standing replica_standing(const replica *r) { return r->store.standing; }

replica *replica_new(struct sockaddr_in *at, size_t limit, const char *keep, keeping_start how, error *e) {
    int fd = socket_listen(at, e);
    if (fd < 0) return NULL;
    replica *r = MEM_NEW(replica);
    r->listening = fd;
    r->open = MEM_ARRAY(connection, MOST_CONNECTIONS);
    replica_store_init(&r->store, new_incarnation(), limit);
    r->keeping.fd = -1;
    r->started = seconds_now();
    if (!keep && how == KEEPING_LOST) replica_store_lose(&r->store);
    if (keep && !keeping_open(&r->keeping, keep, how, &r->store, e)) {
        replica_free(r);
        return NULL;
    }
    if (keep) r->store.journal = &r->keeping.journal;
    return r;
}

void replica_use_key(replica *r, const sealing *key) { r->key = *key; }

static void drop(replica *r, unsigned i) {
    assert(i < r->n && r->open[i].fd >= 0);
    close(r->open[i].fd);
    text_free(&r->open[i].in);
    text_free(&r->open[i].out);
    r->open[i] = r->open[--r->n];
}

void replica_free(replica *r) {
    if (!r) return;
    while (r->n) drop(r, r->n - 1);
    close(r->listening);
    keeping_close(&r->keeping);
    replica_store_free(&r->store);
    free(r->open);
    free(r);
}

/* Of those that have not asked anything yet, the one that has been here for longest; n: there is none. */
static unsigned oldest_stranger(const replica *r) {
    unsigned oldest = r->n;
    for (unsigned i = 0; i < r->n; i++)
        if (!r->open[i].known && (oldest == r->n || r->open[i].arrival < r->open[oldest].arrival)) oldest = i;
    return oldest;
}

/* A newcomer is let in: in the place of one that only holds it, if there is no other. When all places are taken by
 * clients that are known, the next one is turned away at once. False: nothing was waiting. */
static bool welcome(replica *r) {
    int fd = socket_accept(r->listening);
    if (fd < 0) return false;
    if (r->n == MOST_CONNECTIONS && oldest_stranger(r) < r->n) drop(r, oldest_stranger(r));
    if (r->n < MOST_CONNECTIONS) r->open[r->n++] = (connection){.fd = fd, .arrival = r->arrivals++};
    else close(fd);
    return true;
}

/* All questions that are there. A client that asks nonsense, or does not read the answers, is disconnected. */
static bool answer(replica *r, connection *c) {
    enum wire_kind kind = 0;
    uint64_t ticket;
    wire_reader body;
    size_t used = 0;
    if (!c->in.size) return true;
    for (size_t n; (n = wire_frame(c->in.at + used, c->in.size - used, &kind, &ticket, &body)); used += n) {
        const size_t begun = c->out.size;
        if (!sealing_check(&r->key, SEAL_CLIENT, c->in.at + used, n, &body)) return false;
        if (begun > MOST_UNSENT || !replica_store_answer(&r->store, kind, ticket, body, &c->out)) return false;
        sealing_seal(&r->key, SEAL_REPLICA, &c->out, begun);
        c->known = true;
    }
    assert(used <= c->in.size);
    text_drop(&c->in, used);
    if (!keeping_flush(&r->keeping)) {
        r->failed = true; /* what it would answer for is not on the disk */
        return false;
    }
    return !body.bad && socket_send(c->fd, &c->out);
}

static bool serve_one(replica *r, connection *c, short events) {
    if (events & (POLLERR | POLLNVAL)) return false;
    if (events & POLLOUT && !socket_send(c->fd, &c->out)) return false;
    if (!(events & (POLLIN | POLLHUP))) return true;
    return socket_receive(c->fd, &c->in, WIRE_MOST + WIRE_HEAD) && answer(r, c);
}

bool replica_serve(replica *r, int milliseconds) {
    struct pollfd p[MOST_CONNECTIONS + 1];
    unsigned n = r->n;
    assert(n <= MOST_CONNECTIONS);
    p[0] = (struct pollfd){.fd = r->listening, .events = POLLIN};
    for (unsigned i = 0; i < n; i++)
        p[i + 1] = (struct pollfd){.fd = r->open[i].fd, .events = r->open[i].out.size ? POLLIN | POLLOUT : POLLIN};
    if (poll(p, n + 1, milliseconds) < 0) return errno == EINTR;
    replica_store_age(&r->store, seconds_now() - r->started);
    for (unsigned i = n; i-- > 0;)
        if (p[i + 1].revents && !serve_one(r, &r->open[i], p[i + 1].revents)) drop(r, i);
    for (unsigned i = 0; p[0].revents & POLLIN && i < AT_ONCE && welcome(r);)
        i++; /* then those inside have their turn */
    return !r->failed;
}
