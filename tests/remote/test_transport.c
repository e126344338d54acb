/* The same questions to every carrier: the folder always, NATS where nats-server and libnats are there. */
#include "base/budget.h"
#include "remote/blobs.h"
#include "scale/cluster.h"
#include "support/cmocka.h"

#include "support/loopback.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64] = "/tmp/plumb-transport-XXXXXX";
static char url[128];
static pid_t server;

enum { PATIENCE = 20000 }; /* milliseconds: an upper bound, nothing waits for it where all is well */

static cluster connect_with(double lease) {
    cluster c;
    error e = {0};
    const transport_settings s = {.struct_size = sizeof s, .url = url, .lease = lease};
    if (!cluster_open(&c, &s, &e)) fail_msg("%s", e.what);
    return c;
}

static void take(cluster *c, transport_message *m, const char *expected) {
    char why[TRANSPORT_WHY] = "";
    if (c->type->take_unit(c->t, PATIENCE, m, why) != TRANSPORT_DONE) fail_msg("no unit: %s", why);
    assert_int_equal(m->size, strlen(expected));
    assert_memory_equal(m->bytes, expected, m->size);
}

static void put(cluster *c, const char *queue, const char *name) {
    char why[TRANSPORT_WHY] = "";
    if (c->type->put_unit(c->t, queue, name, name, strlen(name), why) != TRANSPORT_DONE) fail_msg("put: %s", why);
}

/* A unit that was acknowledged is gone; one that was given back is there again, and says how often it came. */
static void units_are_acknowledged_and_given_back(void **state) {
    cluster c = connect_with(30), other = connect_with(30);
    transport_message m;
    char why[TRANSPORT_WHY] = "";
    (void)state;
    put(&c, "q", "one");
    put(&c, "q", "one"); /* once */
    take(&other, &m, "one");
    assert_int_equal(m.deliveries, 1);
    assert_int_equal(other.type->give_back(other.t, &m, why), TRANSPORT_DONE);
    other.type->release(other.t, &m);
    take(&c, &m, "one");
    assert_int_equal(m.deliveries, 2);
    assert_int_equal(c.type->acknowledge(c.t, &m, why), TRANSPORT_DONE);
    c.type->release(c.t, &m);
    assert_int_equal(c.type->take_unit(c.t, 50, &m, why), TRANSPORT_NOTHING);
    uint64_t left = 9;
    assert_int_equal(c.type->waiting(c.t, &left, why), TRANSPORT_DONE);
    assert_int_equal(left, 0);
    cluster_close(&c);
    cluster_close(&other);
}

/* A worker that takes a unit and is not heard of any more loses it; one that extends its lease keeps it. */
static void leases_end_unless_they_are_extended(void **state) {
    cluster c = connect_with(0.5), other = connect_with(0.5);
    transport_message m, again;
    char why[TRANSPORT_WHY] = "";
    (void)state;
    put(&c, "q", "lease");
    take(&c, &m, "lease");
    const double until = clock_seconds() + 1.2;
    while (clock_seconds() < until) { /* more than two leases */
        c.type->extend(c.t, &m, why);
        assert_int_equal(other.type->take_unit(other.t, 50, &again, why), TRANSPORT_NOTHING);
    }
    take(&other, &again, "lease"); /* not extended any more */
    assert_int_equal(again.deliveries, 2);
    assert_int_equal(other.type->acknowledge(other.t, &again, why), TRANSPORT_DONE);
    c.type->release(c.t, &m);
    other.type->release(other.t, &again);
    assert_int_equal(c.type->take_unit(c.t, 700, &m, why), TRANSPORT_NOTHING);
    cluster_close(&c);
    cluster_close(&other);
}

static void expect_next(cluster *c, void *reader, const char *expected, uint64_t *number) {
    transport_message m;
    char why[TRANSPORT_WHY] = "";
    if (c->type->next(reader, PATIENCE, &m, why) != TRANSPORT_DONE) fail_msg("no message: %s", why);
    assert_int_equal(m.size, strlen(expected));
    assert_memory_equal(m.bytes, expected, m.size);
    if (number) *number = m.number;
    c->type->release(c->t, &m);
}

/* Every reader sees all messages of its log in one order, from where it likes. */
static void logs_are_read_in_order_from_anywhere(void **state) {
    cluster c = connect_with(0);
    char why[TRANSPORT_WHY] = "";
    uint64_t number[3], seen = 0;
    static const char *const said[] = {"first", "", "third"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(c.type->append(c.t, "run.a", said[i], strlen(said[i]), &number[i], why), TRANSPORT_DONE);
        assert_int_equal(c.type->append(c.t, "run.b", "other", 5, NULL, why), TRANSPORT_DONE);
    }
    void *all = c.type->follow(c.t, "run.a", 0, why), *later = c.type->follow(c.t, "run.a", number[2], why);
    assert_non_null(all);
    assert_non_null(later);
    for (unsigned i = 0; i < 3; i++) {
        expect_next(&c, all, said[i], &seen);
        assert_int_equal(seen, number[i]);
    }
    expect_next(&c, later, "third", &seen);
    assert_int_equal(seen, number[2]);
    transport_message m;
    assert_int_equal(c.type->next(all, 50, &m, why), TRANSPORT_NOTHING);
    assert_int_equal(c.type->append(c.t, "run.a", "fourth", 6, NULL, why), TRANSPORT_DONE);
    expect_next(&c, all, "fourth", NULL);
    c.type->unfollow(all);
    c.type->unfollow(later);
    assert_int_equal(c.type->forget(c.t, "run.a", why), TRANSPORT_DONE);
    cluster_close(&c);
}

static void keys_are_compared_and_set(void **state) {
    cluster c = connect_with(0);
    char why[TRANSPORT_WHY] = "";
    uint64_t first = 0, second = 0;
    transport_message m;
    (void)state;
    assert_int_equal(c.type->get(c.t, "runs.x", &m, why), TRANSPORT_NOTHING);
    assert_int_equal(c.type->put(c.t, "runs.x", REVISION_NONE, "a", 1, &first, why), TRANSPORT_DONE);
    assert_int_equal(c.type->put(c.t, "runs.x", REVISION_NONE, "b", 1, NULL, why), TRANSPORT_CONFLICT);
    assert_int_equal(c.type->put(c.t, "runs.x", first, "c", 1, &second, why), TRANSPORT_DONE);
    assert_int_equal(c.type->put(c.t, "runs.x", first, "d", 1, NULL, why), TRANSPORT_CONFLICT);
    assert_int_equal(c.type->get(c.t, "runs.x", &m, why), TRANSPORT_DONE);
    assert_int_equal(m.number, second);
    assert_memory_equal(m.bytes, "c", 1);
    c.type->release(c.t, &m);
    assert_int_equal(c.type->remove(c.t, "runs.x", why), TRANSPORT_DONE);
    assert_int_equal(c.type->get(c.t, "runs.x", &m, why), TRANSPORT_NOTHING);
    cluster_close(&c);
}

typedef struct contender {
    cluster c;
    unsigned won;
} contender;

/* Adds 1 to the key as often as it can: what was read and not changed since. */
static void *contend(void *context) {
    contender *x = context;
    char why[TRANSPORT_WHY], digits[32];
    for (unsigned i = 0; i < 40; i++) {
        transport_message m;
        if (x->c.type->get(x->c.t, "runs.sum", &m, why) != TRANSPORT_DONE) continue;
        snprintf(digits, sizeof digits, "%.*s", (int)m.size, (const char *)m.bytes);
        const int n = snprintf(digits, sizeof digits, "%d", atoi(digits) + 1);
        x->won += x->c.type->put(x->c.t, "runs.sum", m.number, digits, (size_t)n, NULL, why) == TRANSPORT_DONE;
        x->c.type->release(x->c.t, &m);
    }
    return NULL;
}

static void no_update_of_a_key_is_lost(void **state) {
    contender x[3] = {{.c = connect_with(0)}, {.c = connect_with(0)}, {.c = connect_with(0)}};
    pthread_t thread[3];
    char why[TRANSPORT_WHY], digits[32];
    transport_message m;
    unsigned won = 0;
    (void)state;
    assert_int_equal(x[0].c.type->put(x[0].c.t, "runs.sum", REVISION_ANY, "0", 1, NULL, why), TRANSPORT_DONE);
    for (unsigned i = 0; i < 3; i++) pthread_create(&thread[i], NULL, contend, &x[i]);
    for (unsigned i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < 3; i++) won += x[i].won;
    assert_int_equal(x[0].c.type->get(x[0].c.t, "runs.sum", &m, why), TRANSPORT_DONE);
    snprintf(digits, sizeof digits, "%.*s", (int)m.size, (const char *)m.bytes);
    x[0].c.type->release(x[0].c.t, &m);
    assert_int_equal(atoi(digits), won);
    assert_true(won >= 40);
    for (unsigned i = 0; i < 3; i++) cluster_close(&x[i].c);
}

static bool count_key(void *context, const char *key, const void *bytes, size_t size) {
    (void)bytes;
    assert_true(size == 1 && strlen(key) > 0);
    ++*(unsigned *)context;
    return true;
}

static void keys_and_notes_are_listed(void **state) {
    cluster c = connect_with(0);
    char why[TRANSPORT_WHY] = "";
    unsigned n = 0;
    (void)state;
    c.type->put(c.t, "list.a", REVISION_ANY, "1", 1, NULL, why);
    c.type->put(c.t, "list.b", REVISION_ANY, "2", 1, NULL, why);
    c.type->put(c.t, "listing.c", REVISION_ANY, "3", 1, NULL, why);
    assert_int_equal(c.type->each_key(c.t, "list.", count_key, &n, why), TRANSPORT_DONE);
    assert_int_equal(n, 2);
    n = 0;
    assert_int_equal(c.type->be_alive(c.t, "worker-1", "x", 1, why), TRANSPORT_DONE);
    assert_int_equal(c.type->be_alive(c.t, "worker-1", "y", 1, why), TRANSPORT_DONE);
    assert_int_equal(c.type->each_alive(c.t, count_key, &n, why), TRANSPORT_DONE);
    assert_int_equal(n, 1);
    cluster_close(&c);
}

/* Of no bytes, of one chunk, of several: what comes back is what went in, and what was altered is refused. */
static void contents_are_what_their_names_say(void **state) {
    static const size_t sizes[] = {0, 1, BLOB_CHUNK, 3 * BLOB_CHUNK + 7};
    cluster c = connect_with(0);
    text out = {0};
    char name[SHA256_HEX], why[TRANSPORT_WHY], key[TRANSPORT_NAME];
    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        error e = {0};
        char *bytes = malloc(sizes[i] + 1);
        for (size_t k = 0; k < sizes[i]; k++) bytes[k] = (char)(k * 31 + k / 256 + i);
        assert_true(blob_put(c.type, c.t, bytes, sizes[i], name, &e));
        assert_true(blob_put(c.type, c.t, bytes, sizes[i], name, &e));
        assert_true(blob_get(c.type, c.t, name, &out, &e));
        assert_int_equal(out.size, sizes[i]);
        if (sizes[i]) assert_memory_equal(out.at, bytes, sizes[i]);
        free(bytes);
    }
    error e = {0};
    snprintf(key, sizeof key, "blob.%s.1", name);
    assert_int_equal(c.type->put(c.t, key, REVISION_ANY, "forged", 6, NULL, why), TRANSPORT_DONE);
    assert_false(blob_get(c.type, c.t, name, &out, &e));
    assert_non_null(strstr(e.what, "are not what their name says"));
    e = (error){0};
    name[0] = name[0] == '0' ? '1' : '0';
    assert_false(blob_get(c.type, c.t, name, &out, &e));
    assert_non_null(strstr(e.what, "are not there"));
    text_free(&out);
    cluster_close(&c);
}

/* ---- which carrier ---- */

static int use_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(url, sizeof url, "file:%s/file", folder);
    return 0;
}

static int remove_folder(void **state) {
    char command[128];
    (void)state;
    if (server > 0) {
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
        server = 0;
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static int ask_carrier(const char *name, int (*setup)(void **)) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_acknowledged_and_given_back),
        cmocka_unit_test(leases_end_unless_they_are_extended),
        cmocka_unit_test(logs_are_read_in_order_from_anywhere),
        cmocka_unit_test(keys_are_compared_and_set),
        cmocka_unit_test(no_update_of_a_key_is_lost),
        cmocka_unit_test(keys_and_notes_are_listed),
        cmocka_unit_test(contents_are_what_their_names_say),
    };
    return cmocka_run_group_tests_name(name, tests, setup, remove_folder);
}

static bool reachable(int port) {
    cluster c;
    error e = {0};
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    const transport_settings s = {.struct_size = sizeof s, .url = url};
    if (!cluster_open(&c, &s, &e)) return false;
    cluster_close(&c);
    return true;
}

static int start_server(void **state) {
    (void)state;
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    if (!mkdtemp(folder)) return -1;
    const int port = 20000 + (int)(getpid() % 20000);
    char port_text[16];
    snprintf(port_text, sizeof port_text, "%d", port);
    server = fork();
    if (!server) {
        execlp("nats-server", "nats-server", "-js", "-sd", folder, "-a", "127.0.0.1", "-p", port_text, "-l",
               "/dev/null", NULL);
        _exit(127);
    }
    for (unsigned i = 0; i < 100; i++, usleep(100000))
        if (reachable(port)) return 0;
    return -1;
}

static bool has_nats(void) {
    error e = {0};
    cluster c;
    const transport_settings s = {.struct_size = sizeof s, .url = "nats://127.0.0.1:1"};
    if (cluster_open(&c, &s, &e)) cluster_close(&c);
    return !strstr(e.what, "is not there") && !system("command -v nats-server >/dev/null") && has_loopback();
}

int main(void) {
    int bad = ask_carrier("a folder", use_folder);
    if (has_nats()) bad |= ask_carrier("NATS", start_server);
    else printf("# skip: NATS: nats-server, libnats or connections to 127.0.0.1 are not there\n");
    return bad;
}
