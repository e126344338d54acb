/* Registers over replicas, some of which crash; processes that announce through them; the process that gathers and
 * judges. The replicas are threads here, which are stopped for good when they crash. */
#include "support/cmocka.h"
#include "support/loopback.h"

#include "remote/gather.h"
#include "remote/replica.h"

#include <plumbline/remote.h>

#include <arpa/inet.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REPLICAS = 3 };

typedef struct host {
    struct sockaddr_in at;
    replica *r;
    pthread_t thread;
    _Atomic int stop;
    bool running;
} host;

static host hosts[REPLICAS];
static char addresses[128];

static void *serve(void *context) {
    host *h = context;
    while (!h->stop) replica_serve(h->r, 5);
    return NULL;
}

static void start(host *h) {
    error e = {0};
    h->r = replica_new(&h->at, 1 << 24, NULL, KEEPING_GO_ON, &e);
    if (!h->r) fail_msg("%s", e.what);
    h->stop = 0;
    h->running = pthread_create(&h->thread, NULL, serve, h) == 0;
}

static void crash(host *h) {
    if (!h->running) return;
    h->stop = 1;
    pthread_join(h->thread, NULL);
    replica_free(h->r);
    h->running = false;
}

static void start_all(void) {
    addresses[0] = 0;
    for (int i = 0; i < REPLICAS; i++) {
        error e = {0};
        assert_true(socket_address("127.0.0.1:0", 11, false, &hosts[i].at, &e));
        start(&hosts[i]);
        size_t n = strlen(addresses);
        snprintf(addresses + n, sizeof addresses - n, "%s127.0.0.1:%u", i ? "," : "", ntohs(hosts[i].at.sin_port));
    }
}

static void crash_all(void) {
    for (int i = 0; i < REPLICAS; i++) crash(&hosts[i]);
}

static stored_log log_of(uint32_t client, unsigned entries) {
    stored_log l = {.client = client};
    unsigned char entry[2] = {ENTRY_LEAVE, 0};
    for (unsigned i = 0; i < entries; i++) {
        entry[1] = (unsigned char)i;
        assert_true(stored_append(&l, (wire_reader){.p = entry, .left = 2}));
    }
    return l;
}

static uint64_t length_of(const registers *r, uint32_t client) {
    for (uint32_t i = 0; i < r->n; i++)
        if (r->now[i].client == client) return r->now[i].length;
    return 0;
}

static void what_was_written_is_read(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    for (int dead = -1; dead < REPLICAS; dead++) {
        registers w, r;
        error e = {0};
        start_all();
        assert_true(registers_open(&w, addresses, NULL, 5, &e));
        assert_true(registers_open(&r, addresses, NULL, 5, &e));
        stored_log l = log_of(4, 3), more = log_of(4, 5), copy = {.client = 4};
        assert_true(registers_write(&w, &l, &e));
        if (dead >= 0) crash(&hosts[dead]);
        assert_true(registers_read(&r, &e));
        assert_int_equal(length_of(&r, 4), 3);
        assert_true(registers_write(&w, &more, &e));
        assert_true(registers_read(&r, &e));
        assert_int_equal(length_of(&r, 4), 5);
        assert_true(registers_fetch(&r, &r.now[0], &copy, &e));
        assert_int_equal(copy.bytes.size, more.bytes.size);
        assert_memory_equal(copy.bytes.at, more.bytes.at, copy.bytes.size);
        stored_free(&l);
        stored_free(&more);
        stored_free(&copy);
        registers_close(&w);
        registers_close(&r);
        crash_all();
    }
}

/* A write that only one replica has: a client reads it; then that replica crashes, and no other. A client that
 * reads later must find it, too. Without the write-back of the first one it would be gone. */
static void what_was_read_stays(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    registers one, r, later;
    error e = {0};
    char only[32];
    start_all();
    snprintf(only, sizeof only, "127.0.0.1:%u", ntohs(hosts[1].at.sin_port));
    assert_true(registers_open(&one, only, NULL, 5, &e));
    stored_log l = log_of(9, 2);
    assert_true(registers_write(&one, &l, &e));
    assert_true(registers_open(&r, addresses, NULL, 5, &e));
    assert_true(registers_open(&later, addresses, NULL, 5, &e));
    bool found = false;
    for (int i = 0; i < 100 && !found; i++) { /* the two others may answer first */
        assert_true(registers_read(&r, &e));
        found = length_of(&r, 9) == 2;
    }
    assert_true(found);
    crash(&hosts[1]);
    assert_true(registers_read(&later, &e));
    assert_int_equal(length_of(&later, 9), 2);
    registers_close(&one);
    registers_close(&r);
    registers_close(&later);
    stored_free(&l);
    crash_all();
}

/* The one that had it first dies after it was written back, and before what it said is fetched: those that got it since
 * have it, too. */
static void what_was_written_back_is_fetched_from_anyone(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    registers one, r;
    error e = {0};
    char only[32];
    start_all();
    snprintf(only, sizeof only, "127.0.0.1:%u", ntohs(hosts[1].at.sin_port));
    assert_true(registers_open(&one, only, NULL, 5, &e));
    stored_log l = log_of(9, 2), copy = {.client = 9};
    assert_true(registers_write(&one, &l, &e));
    crash(&hosts[0]); /* the two others are the majority, so that it is written back */
    assert_true(registers_open(&r, addresses, NULL, 5, &e));
    assert_true(registers_read(&r, &e));
    assert_int_equal(length_of(&r, 9), 2);
    crash(&hosts[1]);
    if (!registers_fetch(&r, &r.now[0], &copy, &e)) fail_msg("%s", e.what);
    assert_int_equal(copy.length, 2);
    registers_close(&one);
    registers_close(&r);
    stored_free(&l);
    stored_free(&copy);
    crash_all();
}

static void without_a_majority_nothing_is_said(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    registers r;
    error e = {0};
    uint64_t rank;
    start_all();
    assert_true(registers_open(&r, addresses, NULL, 0.3, &e));
    assert_true(registers_rank(&r, &rank, &e));
    crash(&hosts[0]);
    assert_true(registers_rank(&r, &rank, &e));
    crash(&hosts[2]);
    stored_log l = log_of(1, 1);
    assert_false(registers_read(&r, &e));
    assert_non_null(strstr(e.what, "1 of 3 replicas answered"));
    assert_int_equal(e.code, EXIT_UNDECIDED);
    assert_false(registers_write(&r, &l, &e));
    assert_false(registers_rank(&r, &rank, &e));
    stored_free(&l);
    registers_close(&r);
    crash_all();
}

static bool all_are_known(const registers *r) {
    for (uint32_t i = 0; i < r->q.n; i++)
        if (!r->q.peer[i].incarnation) return false;
    return true;
}

/* One that was started again at the same address has forgotten everything: to clients that knew it before it does not
 * make a majority. */
static void a_replica_that_forgot_does_not_count(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    registers r;
    error e = {0};
    start_all();
    assert_true(registers_open(&r, addresses, NULL, 20, &e));
    stored_log l = log_of(1, 4);
    assert_true(registers_write(&r, &l, &e));
    /* one may be the last to answer for long */
    for (int i = 0; i < 100000 && !all_are_known(&r); i++) assert_true(registers_read(&r, &e));
    assert_true(all_are_known(&r));
    r.q.seconds = 0.5;
    crash(&hosts[0]);
    crash(&hosts[1]);
    start(&hosts[0]);
    assert_false(registers_read(&r, &e));
    stored_free(&l);
    registers_close(&r);
    crash_all();
}

/* ---- snapshots ---- */

/* A replica of which the clients announce something whenever it is asked, `turns` times: then they rest. */
typedef struct restless {
    struct sockaddr_in at;
    int listening;
    unsigned turns;
    bool both; /* two clients take turns */
    _Atomic int stop;
} restless;

static void announce_one(replica_store *s, uint32_t client, uint64_t rank) {
    text frame = {0}, entry = {0}, out = {0};
    enum wire_kind kind;
    uint64_t ticket, length = 0;
    wire_reader body;
    for (uint32_t i = 0; i < s->logs; i++)
        if (s->log[i].client == client) length = s->log[i].length;
    assert_true(wire_call(&entry, rank, "read", NULL, 0));
    size_t begun = wire_begin(&frame, WIRE_PUT, 1);
    wire_add(&frame, client, 4);
    wire_add(&frame, length, 8);
    wire_add(&frame, 1, 4);
    wire_add(&frame, entry.size, 4);
    text_bytes(&frame, entry.at, entry.size);
    wire_end(&frame, begun);
    assert_true(wire_frame(frame.at, frame.size, &kind, &ticket, &body) > 0);
    assert_true(replica_store_answer(s, kind, ticket, body, &out));
    text_free(&frame);
    text_free(&entry);
    text_free(&out);
}

static void *serve_restlessly(void *context) {
    restless *h = context;
    replica_store s;
    text in = {0}, out = {0};
    int fd = -1;
    unsigned asked = 0;
    replica_store_init(&s, 1, 1 << 20);
    while (!h->stop && fd < 0) fd = socket_accept(h->listening);
    while (!h->stop) {
        enum wire_kind kind;
        uint64_t ticket;
        wire_reader body;
        socket_receive(fd, &in, WIRE_MOST);
        size_t n = in.size ? wire_frame(in.at, in.size, &kind, &ticket, &body) : 0;
        if (!n) continue;
        if (kind == WIRE_ASK && asked < h->turns) announce_one(&s, h->both ? asked % 2 : 0, 1000 + asked);
        asked += kind == WIRE_ASK;
        replica_store_answer(&s, kind, ticket, body, &out);
        text_drop(&in, n);
        while (out.size && socket_send(fd, &out)) {}
    }
    text_free(&in);
    text_free(&out);
    replica_store_free(&s);
    close(fd);
    return NULL;
}

static uint64_t rank_beside(unsigned turns, bool both) {
    restless h = {.turns = turns, .both = both};
    registers r;
    error e = {0};
    pthread_t thread;
    char address[32];
    uint64_t rank = 0;
    assert_true(socket_address("127.0.0.1:0", 11, false, &h.at, &e));
    h.listening = socket_listen(&h.at, &e);
    snprintf(address, sizeof address, "127.0.0.1:%u", ntohs(h.at.sin_port));
    pthread_create(&thread, NULL, serve_restlessly, &h);
    assert_true(registers_open(&r, address, NULL, 20, &e));
    assert_true(registers_rank(&r, &rank, &e));
    h.stop = 1;
    pthread_join(thread, NULL);
    registers_close(&r);
    close(h.listening);
    return rank;
}

/* Two readings that are the same; or one that moves for the second time lends its own, which it took before that
 * announcement. */
static void snapshots(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    assert_int_equal(rank_beside(0, false), 0);
    assert_int_equal(rank_beside(1, false), 1);      /* the second reading is the first one again */
    assert_int_equal(rank_beside(2, false), 2);      /* the third is the second one */
    assert_int_equal(rank_beside(100, false), 1002); /* moved in the second and in the third */
    /* client 0 came in the first, 1 in the second, 0 moved in the third, 1 again in the fourth */
    assert_int_equal(rank_beside(100, true), 1003);
}

/* ---- announcing ---- */

typedef struct announcer {
    uint32_t number, operations;
    bool wrong, all_well;
    pthread_t thread;
} announcer;

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t shared_value;

/* A register that is one value behind now and then, when it is wrong. */
static void *announce(void *context) {
    announcer *a = context;
    plumb_remote *r = plumb_remote_open(&(plumb_remote_options){.struct_size = sizeof(plumb_remote_options),
                                                                .replicas = addresses,
                                                                .object = "register",
                                                                .init = "0",
                                                                .client = a->number,
                                                                .timeout = 20000});
    a->all_well = !plumb_remote_error(r);
    for (uint32_t i = 1; i <= a->operations && a->all_well; i++) {
        bool writes = (i + a->number) % 2;
        plumb_value v = plumb_int((int64_t)a->number << 20 | i);
        a->all_well = plumb_remote_call(r, writes ? "write" : "read", &v, writes);
        pthread_mutex_lock(&shared_lock);
        int64_t found = shared_value;
        if (writes) shared_value = v.as.integer;
        pthread_mutex_unlock(&shared_lock);
        if (a->wrong && i % 20 == 0) found = 1 << 30; /* no client wrote that */
        a->all_well = a->all_well && plumb_remote_ret(r, writes ? plumb_none() : plumb_int(found));
    }
    if (!a->all_well) print_message("%s\n", plumb_remote_error(r));
    plumb_remote_close(r);
    return NULL;
}

static verdict announce_and_gather(bool wrong, int dies, uint64_t *checked) {
    announcer a[3];
    gather g;
    error e = {0};
    start_all();
    shared_value = 0;
    for (uint32_t i = 0; i < 3; i++) {
        a[i] = (announcer){.number = i + 1, .operations = 60, .wrong = wrong && i == 1};
        pthread_create(&a[i].thread, NULL, announce, &a[i]);
    }
    assert_true(gather_open(&g, addresses, NULL, 20, &(checker_options){0}, &e));
    for (uint64_t events, rounds = 0; g.verdict == VERDICT_LINEARIZABLE && (g.clients < 3 || gather_here(&g));
         rounds++) {
        if (!gather_round(&g, &events, &e)) fail_msg("%s", e.what);
        if (rounds == 10 && dies >= 0) crash(&hosts[dies]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        pthread_join(a[i].thread, NULL);
        assert_true(a[i].all_well);
    }
    verdict v = g.verdict;
    *checked = g.returned;
    if (v != VERDICT_LINEARIZABLE) print_message("%s\n", g.reason);
    gather_close(&g);
    crash_all();
    return v;
}

static void announced_and_judged(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    for (int dies = -1; dies < REPLICAS; dies++) {
        uint64_t checked;
        assert_int_equal(announce_and_gather(false, dies, &checked), VERDICT_LINEARIZABLE);
        assert_int_equal(checked, 3 * 60);
        assert_int_equal(announce_and_gather(true, dies, &checked), VERDICT_VIOLATION);
    }
}

static void says(const plumb_remote *r, const char *call) {
    const char *told = plumb_remote_error(r);
    if (!told || !strstr(told, call)) fail_msg("\"%s\" does not name %s", told ? told : "(null)", call);
}

/* It is told and stays told, though calls that are right go on being announced. */
static void misuse_stays(void **unused) {
    (void)unused;
    start_all();
    for (uint32_t kind = 0; kind < 3; kind++) {
        plumb_remote *r = plumb_remote_open(&(plumb_remote_options){.struct_size = sizeof(plumb_remote_options),
                                                                    .replicas = addresses,
                                                                    .object = "register",
                                                                    .client = kind,
                                                                    .timeout = 20000});
        assert_null(plumb_remote_error(r));
        if (kind == 0) assert_false(plumb_remote_ret(r, plumb_none()));
        if (kind == 1) assert_false(plumb_remote_call(r, "raed", NULL, 0));
        assert_true(plumb_remote_call(r, "read", NULL, 0));
        if (kind == 2) assert_false(plumb_remote_call(r, "read", NULL, 0));
        assert_true(plumb_remote_ret(r, plumb_none()));
        says(r, kind == 0 ? "plumb_remote_ret: " : "plumb_remote_call: ");
        plumb_remote_close(r);
    }
    crash_all();
}

/* What clients announce is not trusted. */
static void nonsense_is_undecided(void **unused) {
    (void)unused;
    NEEDS_LOOPBACK();
    static const char *const names[] = {"/tmp/code.so", "code.so", "nothing"};
    for (unsigned i = 0; i < 3; i++) {
        registers w;
        gather g;
        error e = {0};
        text hello = {0};
        uint64_t events;
        start_all();
        wire_hello(&hello, names[i], NULL);
        stored_log l = {.client = 1};
        assert_true(stored_append(&l, (wire_reader){.p = (const unsigned char *)hello.at, .left = hello.size}));
        assert_true(registers_open(&w, addresses, NULL, 5, &e));
        assert_true(registers_write(&w, &l, &e));
        assert_true(gather_open(&g, addresses, NULL, 5, &(checker_options){0}, &e));
        assert_true(gather_round(&g, &events, &e));
        assert_int_equal(g.verdict, VERDICT_UNDECIDED);
        assert_non_null(strstr(g.reason, "not built in"));
        gather_close(&g);
        registers_close(&w);
        stored_free(&l);
        text_free(&hello);
        crash_all();
    }
}

TEST_MAIN(TEST(what_was_written_is_read), TEST(what_was_read_stays), TEST(what_was_written_back_is_fetched_from_anyone),
          TEST(without_a_majority_nothing_is_said), TEST(a_replica_that_forgot_does_not_count), TEST(snapshots),
          TEST(announced_and_judged), TEST(misuse_stays), TEST(nonsense_is_undecided))
