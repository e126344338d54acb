/* A flood of connections: strangers that hold places, or send nonsense, do not keep out those who ask. */
#include "support/cmocka.h"
#include "support/loopback.h"

#include "remote/replica.h"
#include "remote/wire.h"

#include <arpa/inet.h>
#include <poll.h>
#include <unistd.h>

enum { FLOOD = 400, ROUNDS = 64 };

static int dial(const struct sockaddr_in *to) {
    int fd = socket_connect(to);
    assert_true(fd >= 0);
    return fd;
}

static void ask(int fd) {
    text out = {0};
    wire_end(&out, wire_begin(&out, WIRE_ASK, 1));
    assert_int_equal(write(fd, out.at, out.size), (ssize_t)out.size);
    text_free(&out);
}

static bool is_answered(replica *r, int fd) {
    char room[4096];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_true(replica_serve(r, 1));
        if (poll(&p, 1, 0) > 0 && p.revents & POLLIN) return read(fd, room, sizeof room) > 0;
    }
    return false;
}

/* Connected, and then writable: the handshake is over. */
static int dial_and_ask(replica *r, const struct sockaddr_in *to) {
    int fd = dial(to);
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    for (unsigned i = 0; i < ROUNDS && poll(&p, 1, 10) <= 0; i++) replica_serve(r, 1);
    ask(fd);
    return fd;
}

static void flood(replica *r, const struct sockaddr_in *to, int *fd, const char *nonsense) {
    for (unsigned i = 0; i < FLOOD; i++) {
        fd[i] = dial(to);
        if (i % 16 == 15) replica_serve(r, 1);
        if (nonsense && write(fd[i], nonsense, strlen(nonsense)) < 0) continue; /* turned away already */
    }
}

static void strangers_hold_no_places(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    error e = {0};
    int fd[FLOOD];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    replica *r = replica_new(&at, 1 << 20, NULL, KEEPING_GO_ON, &e);
    assert_non_null(r);
    int known = dial_and_ask(r, &at);
    assert_true(is_answered(r, known));
    static const char *const nonsense[] = {NULL, "\x10", "GET / HTTP/1.1\r\n\r\n"};
    for (unsigned k = 0; k < sizeof nonsense / sizeof *nonsense; k++) {
        flood(r, &at, fd, nonsense[k]);
        ask(known);
        assert_true(is_answered(r, known)); /* who was there before */
        int late = dial_and_ask(r, &at);
        assert_true(is_answered(r, late)); /* and who comes now */
        close(late);
        for (unsigned i = 0; i < FLOOD; i++) close(fd[i]);
    }
    close(known);
    replica_free(r);
}

/* Nonsense makes no logs: their number is bounded, and clients need them. */
static void nonsense_makes_no_logs(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    replica_store s;
    text out = {0}, q = {0};
    replica_store_init(&s, 1, 1 << 20);
    for (unsigned client = 0; client < 3; client++) {
        text_clear(&q);
        wire_add(&q, client, 4);
        wire_add(&q, client == 2 ? 7 : 0, 8);             /* from */
        wire_add(&q, client ? 1 : 0, 4);                  /* entries */
        if (client) wire_add(&q, client == 1 ? 0 : 1, 4); /* an entry of nothing */
        if (client == 2) text_char(&q, ENTRY_CALL);
        wire_reader body = {.p = (const unsigned char *)q.at, .left = q.size};
        assert_true(replica_store_answer(&s, WIRE_PUT, 1, body, &out));
        assert_int_equal(s.logs, 0);
    }
    text_free(&out);
    text_free(&q);
    replica_store_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strangers_hold_no_places),
        cmocka_unit_test(nonsense_makes_no_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
