#include "cli/metrics_server.h"

#include "base/budget.h"
#include "base/mem.h"
#include "remote/socket.h"
#include "runtime/worker.h"

#include <arpa/inet.h>
#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 16, REQUEST_BYTES = 8192, LOOK_EVERY = 100 /* milliseconds */ };
#define PATIENCE 5.0 /* seconds for one request and its answer */
#define PUBLISH_SECONDS 0.1

typedef struct scraper { /* one connection */
    int fd;              /* -1: none */
    text in, out;
    bool answered;
    double since;
} scraper;

struct metrics_server {
    background_thread worker;
    int listening;
    scraper client[CLIENTS];
    double published;
    time_t started;
    /* under the worker's lock: what was published, with copies of its two labels */
    metrics known;
    text object, source;
    metrics_rate rate;
};

/* ---- requests ---- */

static bool begins(const text *t, const char *with) {
    size_t n = strlen(with);
    return t->size >= n && !memcmp(t->at, with, n);
}

static bool is_whole(const text *request) {
    return request->size && (strstr(text_str(request), "\r\n\r\n") || strstr(text_str(request), "\n\n"));
}

static void add_answer(const char *status, const text *body, bool with_body, text *out) {
    text_printf(out,
                "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %zu\r\n"
                "Connection: close\r\n\r\n",
                status, body->size);
    if (with_body) text_bytes(out, text_str(body), body->size);
}

static void refuse(const char *status, const char *why, text *out) {
    text body = {0};
    text_printf(&body, "%s\n", why);
    add_answer(status, &body, true, out);
    text_free(&body);
}

/* The rate is that of the moment of asking: of a program that does nothing it falls to 0. */
static void print_page(metrics_server *s, text *out) {
    pthread_mutex_lock(&s->worker.lock);
    s->known.rate = metrics_rate_now(&s->rate, s->known.checked, clock_seconds());
    if (s->known.object) metrics_print(&s->known, out);
    pthread_mutex_unlock(&s->worker.lock);
}

static void answer(metrics_server *s, scraper *c) {
    bool get = begins(&c->in, "GET "), head = begins(&c->in, "HEAD ");
    const char *path = get || head ? strchr(c->in.at, ' ') + 1 : "";
    size_t length = strcspn(path, " ?\r\n");
    bool known = (length == 1 && *path == '/') || (length == 8 && !strncmp(path, "/metrics", 8));
    c->answered = true;
    text page = {0};
    if (!get && !head) {
        refuse("405 Method Not Allowed", "expected GET /metrics", &c->out);
    } else if (!known) {
        refuse("404 Not Found", "expected /metrics", &c->out);
    } else {
        print_page(s, &page);
        add_answer("200 OK", &page, get, &c->out);
    }
    text_free(&page);
}

/* ---- connections ---- */

static void hang_up(scraper *c) {
    close(c->fd);
    text_free(&c->in);
    text_free(&c->out);
    *c = (scraper){.fd = -1};
}

static bool is_done(const scraper *c) { return c->answered && !c->out.size; }

static void serve_client(metrics_server *s, scraper *c, double now) {
    bool alive = c->answered || (socket_receive(c->fd, &c->in, REQUEST_BYTES) && c->in.size < REQUEST_BYTES);
    if (alive && !c->answered && is_whole(&c->in)) answer(s, c);
    if (alive && c->answered) alive = socket_send(c->fd, &c->out);
    if (!alive || is_done(c) || now - c->since > PATIENCE) hang_up(c);
}

static void take_clients(metrics_server *s, double now) {
    for (int i = 0; i < CLIENTS; i++) {
        if (s->client[i].fd >= 0) continue;
        int fd = socket_accept(s->listening);
        if (fd < 0) return;
        s->client[i] = (scraper){.fd = fd, .since = now};
    }
}

static void await(const metrics_server *s) {
    struct pollfd p[1 + CLIENTS];
    nfds_t n = 0;
    bool room = false;
    for (int i = 0; i < CLIENTS; i++) {
        const scraper *c = &s->client[i];
        if (c->fd < 0) room = true;
        else p[n++] = (struct pollfd){.fd = c->fd, .events = c->answered ? POLLOUT : POLLIN};
    }
    if (room) p[n++] = (struct pollfd){.fd = s->listening, .events = POLLIN};
    poll(p, n, LOOK_EVERY);
}

static void *serve(void *context) {
    metrics_server *s = context;
    while (!worker_should_stop(&s->worker)) {
        await(s);
        double now = clock_seconds();
        take_clients(s, now);
        for (int i = 0; i < CLIENTS; i++)
            if (s->client[i].fd >= 0) serve_client(s, &s->client[i], now);
    }
    return NULL;
}

/* ---- front door ---- */

static int listen_on(const char *address, error *e) {
    struct sockaddr_in at;
    char name[INET_ADDRSTRLEN];
    if (!socket_any_address(address, &at, e)) return -1;
    int fd = socket_listen(&at, e);
    if (fd < 0) return -1;
    inet_ntop(AF_INET, &at.sin_addr, name, sizeof name);
    fprintf(stderr, "plumb: metrics at http://%s:%u/metrics\n", name, ntohs(at.sin_port));
    return fd;
}

metrics_server *metrics_server_start(const char *address, error *e) {
    int fd = listen_on(address, e);
    if (fd < 0) return NULL;
    metrics_server *s = MEM_NEW(metrics_server);
    s->listening = fd;
    for (int i = 0; i < CLIENTS; i++) s->client[i].fd = -1;
    s->started = time(NULL);
    worker_init(&s->worker);
    if (worker_start(&s->worker, serve, s)) return s;
    error_set(e, EXIT_INTERNAL, "cannot start a thread for --metrics");
    metrics_server_stop(s);
    return NULL;
}

bool metrics_server_is_due(const metrics_server *s) { return s && clock_seconds() - s->published >= PUBLISH_SECONDS; }

void metrics_server_publish(metrics_server *s, const metrics *m) {
    if (!s) return;
    s->published = clock_seconds();
    pthread_mutex_lock(&s->worker.lock);
    text_clear(&s->object);
    text_clear(&s->source);
    text_add(&s->object, m->object);
    text_add(&s->source, m->source);
    s->known = *m;
    s->known.object = text_str(&s->object);
    s->known.source = text_str(&s->source);
    s->known.started = s->started;
    metrics_rate_now(&s->rate, m->checked, s->published);
    pthread_mutex_unlock(&s->worker.lock);
}

void metrics_server_stop(metrics_server *s) {
    if (!s) return;
    worker_stop(&s->worker);
    for (int i = 0; i < CLIENTS; i++)
        if (s->client[i].fd >= 0) hang_up(&s->client[i]);
    close(s->listening);
    text_free(&s->object);
    text_free(&s->source);
    worker_free(&s->worker);
    free(s);
}
