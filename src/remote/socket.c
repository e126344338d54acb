#include "remote/socket.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool parse_port(const char *s, uint16_t *port) {
    char *end;
    long n = strtol(s, &end, 10);
    *port = htons((uint16_t)n);
    return *s >= '0' && *s <= '9' && !*end && n >= 0 && n <= 65535;
}

static bool parse_address(const char *what, size_t length, struct sockaddr_in *out) {
    char room[64];
    snprintf(room, sizeof room, "%.*s", length < sizeof room ? (int)length : 0, what);
    char *colon = strchr(room, ':');
    *out = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (!colon) return false;
    *colon = 0;
    return (!*room || inet_pton(AF_INET, room, &out->sin_addr) == 1) && parse_port(colon + 1, &out->sin_port);
}

bool socket_address(const char *what, size_t length, bool anywhere, struct sockaddr_in *out, error *e) {
    bool named = length && *what != ':' && parse_address(what, length, out);
    if (named && (anywhere || ntohl(out->sin_addr.s_addr) >> 24 == 127)) return true;
    return error_set(e, EXIT_USAGE, "'%.*s' is no address; expected 127.0.0.1:PORT%s", length < 60 ? (int)length : 60,
                     what,
                     named      ? ", or a key to go further"
                     : anywhere ? " or another ADDRESS:PORT"
                                : "");
}

bool socket_any_address(const char *what, struct sockaddr_in *out, error *e) {
    return parse_address(what, strlen(what), out) ||
           error_set(e, EXIT_USAGE, "'%.60s' is no address; expected :PORT, 127.0.0.1:PORT or 0.0.0.0:PORT", what);
}

static int new_socket(void) {
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

int socket_listen(struct sockaddr_in *at, error *e) {
    int one = 1, fd = new_socket();
    socklen_t size = sizeof *at;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd >= 0 && !bind(fd, (struct sockaddr *)at, sizeof *at) && !listen(fd, 64) &&
        !getsockname(fd, (struct sockaddr *)at, &size))
        return fd;
    error_set(e, EXIT_CANNOT_OPEN, "cannot listen on port %u: %s", ntohs(at->sin_port), strerror(errno));
    if (fd >= 0) close(fd);
    return -1;
}

int socket_connect(const struct sockaddr_in *to) {
    int fd = new_socket();
    if (fd < 0 || !connect(fd, (const struct sockaddr *)to, sizeof *to) || errno == EINPROGRESS) return fd;
    close(fd);
    return -1;
}

int socket_accept(int listening) {
    int one = 1, fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

bool socket_is_connected(int fd) {
    int why = 0;
    socklen_t size = sizeof why;
    return !getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) && !why;
}

static bool may_go_on(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

bool socket_send(int fd, text *out) {
    if (!out->size) return true;
    ssize_t n = send(fd, out->at, out->size, MSG_NOSIGNAL);
    if (n < 0) return may_go_on();
    text_drop(out, (size_t)n);
    return true;
}

bool socket_receive(int fd, text *in, size_t most) {
    char room[1 << 16];
    if (in->size >= most) return true;
    ssize_t n = recv(fd, room, sizeof room, 0);
    if (n <= 0) return n < 0 && may_go_on();
    text_bytes(in, room, (size_t)n);
    return true;
}

void text_drop(text *t, size_t n) {
    assert(n <= t->size);
    if (n) memmove(t->at, t->at + n, t->size - n);
    t->size -= n;
}
