/* memcached, by its text protocol over a socket of our own: no client library is needed. */
#include "help.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_ROOM = 1024 };

typedef struct memcached_service {
    char host[WORD_SIZE];
    int port;
    double timeout;
    bool counts; /* the object is a counter */
} memcached_service;

typedef struct memcached_link {
    const memcached_service *of;
    int socket;
    char room[LINE_ROOM]; /* what came and was not read yet */
    size_t have;
} memcached_link;

static const plumb_driver_object objects[] = {{"kv", "get put delete cas"},
                                              {"register", "read write"},
                                              {"cas-register", "read write - cas"},
                                              {"counter", "get inc"}};
enum { READ, WRITE, DELETE, CAS };

static void *start(const plumb_world *w, char *why, size_t size) {
    memcached_service *s = calloc(1, sizeof *s);
    char port[16];
    if (!s) return NULL;
    name_run(w);
    s->timeout = w->timeout;
    s->counts = !strcmp(w->object, "counter");
    bool good = true;
    if (w->at) {
        good = split_address(w->at, s->host, &s->port);
        if (!good) snprintf(why, size, "--at %s; expected HOST:PORT", w->at);
    } else {
        snprintf(s->host, sizeof s->host, "%s", w->host(w, 0));
        s->port = w->port(w, 0, 0);
        snprintf(port, sizeof port, "%d", s->port);
        const char *argv[] = {"memcached", "-p", port, "-U", "0", "-l", s->host, "-m", "64", "-M", NULL};
        good = w->run(w, 0, argv, why, size);
    }
    if (good) return s;
    free(s);
    return NULL;
}

static void stop(void *service) { free(service); }

/* ---- lines ---- */

static int connect_to(const memcached_service *s) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
    struct timeval t = timeval_of(s->timeout);
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = fd >= 0 && inet_pton(AF_INET, s->host, &a.sin_addr) == 1;
    good = good && !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) &&
           !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t) &&
           !setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) && !connect(fd, (struct sockaddr *)&a, sizeof a);
    if (good) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static bool read_line(memcached_link *l, char *line, size_t size) {
    for (;;) {
        char *end = memchr(l->room, '\n', l->have);
        if (end) {
            size_t n = (size_t)(end - l->room) + 1, keep = n < size ? n : size - 1;
            memcpy(line, l->room, keep);
            line[keep] = '\0';
            line[strcspn(line, "\r\n")] = '\0';
            memmove(l->room, l->room + n, l->have -= n);
            return true;
        }
        ssize_t n = l->have < LINE_ROOM ? recv(l->socket, l->room + l->have, LINE_ROOM - l->have, 0) : -1;
        if (n <= 0) return false;
        l->have += (size_t)n;
    }
}

static bool ask(memcached_link *l, const char *request, char *line, size_t size) {
    size_t n = strlen(request);
    return send(l->socket, request, n, MSG_NOSIGNAL) == (ssize_t)n && read_line(l, line, size);
}

static bool begins(const char *line, const char *word) { return !strncmp(line, word, strlen(word)); }

/* ---- operations ---- */

typedef struct memcached_item { /* what a key holds */
    bool present;
    char word[WORD_SIZE];
    unsigned long long token; /* for cas */
} memcached_item;

/* VALUE key flags bytes token, the value, END; or END alone. */
static bool fetch(memcached_link *l, const char *key, memcached_item *out) {
    char request[LINE_ROOM], line[LINE_ROOM];
    *out = (memcached_item){0};
    snprintf(request, sizeof request, "gets %s\r\n", key);
    if (!ask(l, request, line, sizeof line)) return false;
    if (!strcmp(line, "END")) return true;
    out->present = sscanf(line, "VALUE %*s %*s %*s %llu", &out->token) == 1;
    if (!out->present || !read_line(l, line, sizeof line)) return false;
    snprintf(out->word, sizeof out->word, "%.63s", line);
    return read_line(l, line, sizeof line) && !strcmp(line, "END");
}

static enum plumb_outcome lost(char *why, size_t size, const char *line) {
    return outcome_because(PLUMB_OUTCOME_UNKNOWN, why, size,
                           *line ? line : "no answer in time, or the connection ended");
}

static enum plumb_outcome do_read(memcached_link *l, const char *key, plumb_value *result, char *why, size_t size) {
    memcached_item held;
    if (!fetch(l, key, &held)) return lost(why, size, "");
    *result = held.present ? value_of_word(held.word) : l->of->counts ? plumb_int(0) : plumb_none();
    return PLUMB_OUTCOME_DONE;
}

static enum plumb_outcome do_cas(memcached_link *l, const plumb_request *op, const char *key, plumb_value *result,
                                 char *why, size_t size) {
    char old[WORD_SIZE], new[WORD_SIZE], request[LINE_ROOM], line[LINE_ROOM] = "";
    memcached_item held;
    word_of(&op->arg[0], old);
    word_of(&op->arg[1], new);
    if (!fetch(l, key, &held)) return lost(why, size, "");
    *result = plumb_bool(false);
    if (strcmp(held.word, old)) return PLUMB_OUTCOME_DONE;
    if (held.present)
        snprintf(request, sizeof request, "cas %s 0 0 %zu %llu\r\n%s\r\n", key, strlen(new), held.token, new);
    else snprintf(request, sizeof request, "add %s 0 0 %zu\r\n%s\r\n", key, strlen(new), new);
    if (!ask(l, request, line, sizeof line)) return lost(why, size, line);
    *result = plumb_bool(begins(line, "STORED"));
    /* Another client was faster: it held the old value when it was read, and does no more. The compare-and-set did not
     * happen, and at no moment was it known to be refused. */
    if (begins(line, "EXISTS") || begins(line, "NOT_FOUND") || begins(line, "NOT_STORED"))
        return outcome_because(PLUMB_OUTCOME_FAILED, why, size, line);
    return begins(line, "STORED") ? PLUMB_OUTCOME_DONE : lost(why, size, line);
}

/* A counter that is not there yet is made, if no other client does so meanwhile. */
static enum plumb_outcome do_count(memcached_link *l, const plumb_request *op, const char *key, char *why,
                                   size_t size) {
    char by[WORD_SIZE] = "1", request[LINE_ROOM], line[LINE_ROOM] = "";
    if (op->nargs) word_of(&op->arg[0], by);
    snprintf(request, sizeof request, "incr %s %s\r\n", key, by);
    if (!ask(l, request, line, sizeof line)) return lost(why, size, line);
    if (begins(line, "NOT_FOUND")) {
        snprintf(request, sizeof request, "add %s 0 0 %zu\r\n%s\r\n", key, strlen(by), by);
        if (!ask(l, request, line, sizeof line)) return lost(why, size, line);
        if (begins(line, "NOT_STORED")) return outcome_because(PLUMB_OUTCOME_FAILED, why, size, line);
        return begins(line, "STORED") ? PLUMB_OUTCOME_DONE : lost(why, size, line);
    }
    return *line >= '0' && *line <= '9' ? PLUMB_OUTCOME_DONE : lost(why, size, line);
}

static enum plumb_outcome do_write(memcached_link *l, const plumb_request *op, const char *key, char *why,
                                   size_t size) {
    char word[WORD_SIZE], request[LINE_ROOM], line[LINE_ROOM] = "";
    if (op->method == DELETE) snprintf(request, sizeof request, "delete %s\r\n", key);
    else {
        word_of(&op->arg[0], word);
        snprintf(request, sizeof request, "set %s 0 0 %zu\r\n%s\r\n", key, strlen(word), word);
    }
    if (!ask(l, request, line, sizeof line)) return lost(why, size, line);
    bool good = begins(line, "STORED") || begins(line, "DELETED") || begins(line, "NOT_FOUND");
    return good ? PLUMB_OUTCOME_DONE : lost(why, size, line);
}

static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size) {
    memcached_link *l = link;
    char key[WORD_SIZE];
    name_of_key(&op->key, key);
    if (op->method == READ) return do_read(l, key, result, why, size);
    if (l->of->counts) return do_count(l, op, key, why, size);
    return op->method == CAS ? do_cas(l, op, key, result, why, size) : do_write(l, op, key, why, size);
}

/* ---- connections ---- */

static void close_link(void *link) {
    memcached_link *l = link;
    close(l->socket);
    free(l);
}

static void *open_link(void *service, uint32_t client, char *why, size_t size) {
    memcached_link *l = calloc(1, sizeof *l);
    (void)client;
    if (!l) return NULL;
    l->of = service;
    l->socket = connect_to(service);
    if (l->socket >= 0) return l;
    snprintf(why, size, "%s", strerror(errno));
    free(l);
    return NULL;
}

static bool ready(void *service, uint32_t node) {
    char why[100], line[LINE_ROOM];
    memcached_link *l = open_link(service, node, why, sizeof why);
    bool good = l && ask(l, "version\r\n", line, sizeof line) && begins(line, "VERSION");
    if (l) close_link(l);
    return good;
}

DRIVER_EXPORT const plumb_driver plumb_driver_definition = {
    .struct_size = sizeof(plumb_driver),
    .name = "memcached",
    .summary = "memcached: one server, which keeps nothing when it ends",
    .objects = objects,
    .object_count = sizeof objects / sizeof *objects,
    .most_nodes = 1,
    .standard_nodes = 1,
    .start = start,
    .ready = ready,
    .open = open_link,
    .apply = apply,
    .close = close_link,
    .stop = stop,
    .clock_by_libc = true,
};
