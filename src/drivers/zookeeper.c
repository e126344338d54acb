/* ZooKeeper, by libzookeeper-mt: its calls without waiting, so that each has our time-out. Each client speaks to one
 * of the followers. A leader has committed a write, and a follower may have told a client so, before the leader has
 * done it itself: a sync is ordered behind commits for followers only, and of the leader old values are read after
 * it. So the leader serves no clients (leaderServes). A key is a node that is never deleted, since that would begin
 * its versions anew: without data it holds none. What errors mean: docs/DRIVE.md. */
#include "help.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

enum { MOST_NODES = 9, SESSION_MILLISECONDS = 4000, AGAIN = 100, PATH_ROOM = 600, ADDRESS_ROOM = WORD_SIZE + 8 };

typedef enum zookeeper_reads { READ_SYNC, READ_LOCAL, READ_WRITE } zookeeper_reads;

typedef struct zookeeper_service {
    char address[MOST_NODES][ADDRESS_ROOM];
    uint32_t nodes; /* that clients speak to */
    double timeout;
    zookeeper_reads reads;
} zookeeper_service;

typedef struct zookeeper_link {
    const zookeeper_service *of;
    zhandle_t *handle;
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool connected, answered;
    int code; /* of the answer: ZOK, ZNONODE, ... */
    int version;
    char word[WORD_SIZE];
} zookeeper_link;

static const plumb_driver_object objects[] = {
    {"kv", "get put delete cas"}, {"register", "read write"}, {"cas-register", "read write - cas"}};
enum { READ, WRITE, DELETE, CAS };

static const plumb_driver_option options[] = {
    {"reads", "sync", "sync local write",
     "sync: each read after a sync; local: a node answers from what it has; write: each read after a write"},
    {"tick", "500", NULL, "milliseconds of the servers' tickTime; a leader is given up after four"},
};

/* ---- starting ---- */

static bool write_file(const plumb_world *w, uint32_t node, const char *name, const char *words, char *path, char *why,
                       size_t size) {
    snprintf(path, PATH_ROOM, "%s/%s", w->folder(w, node), name);
    FILE *f = fopen(path, "we");
    bool good = f && fputs(words, f) >= 0;
    good = f && fclose(f) == 0 && good && chmod(path, 0644) == 0;
    if (!good) snprintf(why, size, "%s: %s", path, strerror(errno));
    return good;
}

static void add_configuration(const plumb_world *w, uint32_t node, char *out, size_t size) {
    size_t n = (size_t)snprintf(out, size,
                                "dataDir=%s\nclientPort=%u\nclientPortAddress=%s\ntickTime=%d\ninitLimit=20\n"
                                "syncLimit=4\nmaxClientCnxns=0\nadmin.enableServer=false\npreAllocSize=1024\n"
                                "leaderServes=no\n4lw.commands.whitelist=srvr\n",
                                w->folder(w, node), w->port(w, node, 0), w->host(w, node), atoi(w->option(w, "tick")));
    for (uint32_t i = 0; w->nodes > 1 && i < w->nodes && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "server.%u=%s:%u:%u\n", i + 1, w->host(w, i), w->port(w, i, 1),
                              w->port(w, i, 2));
}

static bool run_node(const plumb_world *w, uint32_t node, char *why, size_t size) {
    char words[2048], number[16], path[PATH_ROOM], configuration[PATH_ROOM];
    add_configuration(w, node, words, sizeof words);
    snprintf(number, sizeof number, "%u\n", node + 1);
    if (!write_file(w, node, "myid", number, path, why, size)) return false;
    if (!write_file(w, node, "zoo.cfg", words, configuration, why, size)) return false;
    const char *argv[] = {"java",
                          "-Xmx192m",
                          "-XX:+UseSerialGC",
                          "-XX:TieredStopAtLevel=1",
                          "-cp",
                          "/etc/zookeeper/conf:/usr/share/java/zookeeper.jar",
                          "-Dzookeeper.log.dir=.",
                          "-Dzookeeper.root.logger=WARN,CONSOLE",
                          "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                          configuration,
                          NULL};
    return w->run(w, node, argv, why, size);
}

static bool start_nodes(const plumb_world *w, zookeeper_service *s, char *why, size_t size) {
    s->nodes = w->nodes;
    for (uint32_t n = 0; n < w->nodes; n++) {
        snprintf(s->address[n], sizeof s->address[n], "%s:%u", w->host(w, n), w->port(w, n, 0));
        if (!run_node(w, n, why, size)) return false;
    }
    return true;
}

static zookeeper_reads reads_of(const char *word) {
    return !strcmp(word, "local") ? READ_LOCAL : !strcmp(word, "write") ? READ_WRITE : READ_SYNC;
}

static void *start(const plumb_world *w, char *why, size_t size) {
    zookeeper_service *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    zoo_set_debug_level((ZooLogLevel)0);
    zoo_deterministic_conn_order(1);
    name_run(w);
    s->timeout = w->timeout;
    s->reads = reads_of(w->option(w, "reads"));
    bool good = true;
    if (w->at) {
        s->nodes = 1;
        snprintf(s->address[0], sizeof s->address[0], "%s", w->at);
    } else if (atoi(w->option(w, "tick")) < 10) {
        good = false;
        snprintf(why, size, "tick=%s; expected at least 10", w->option(w, "tick"));
    } else {
        good = start_nodes(w, s, why, size);
    }
    if (good) return s;
    free(s);
    return NULL;
}

static void stop(void *service) { free(service); }

/* ---- waiting ---- */

static struct timespec after(double seconds) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    long nanoseconds = t.tv_nsec + (long)((seconds - (double)(time_t)seconds) * 1e9);
    t.tv_sec += (time_t)seconds + nanoseconds / 1000000000;
    t.tv_nsec = nanoseconds % 1000000000;
    return t;
}

static bool wait_for(zookeeper_link *l, const bool *what) {
    struct timespec until = after(l->of->timeout);
    pthread_mutex_lock(&l->lock);
    while (!*what && pthread_cond_timedwait(&l->change, &l->lock, &until) != ETIMEDOUT) {}
    bool good = *what;
    pthread_mutex_unlock(&l->lock);
    return good;
}

/* What the library's threads call. */
static void session_event(zhandle_t *handle, int type, int state, const char *path, void *context) {
    zookeeper_link *l = context;
    (void)handle, (void)path;
    if (type != ZOO_SESSION_EVENT) return;
    pthread_mutex_lock(&l->lock);
    l->connected = state == ZOO_CONNECTED_STATE;
    pthread_cond_broadcast(&l->change);
    pthread_mutex_unlock(&l->lock);
}

static void take_answer(zookeeper_link *l, int code, const char *word, int size, const struct Stat *stat) {
    pthread_mutex_lock(&l->lock);
    l->code = code;
    l->version = stat ? stat->version : -1;
    snprintf(l->word, sizeof l->word, "%.*s", word && size > 0 ? size : 0, word ? word : "");
    l->answered = true;
    pthread_cond_broadcast(&l->change);
    pthread_mutex_unlock(&l->lock);
}

static void take_data(int code, const char *word, int size, const struct Stat *stat, const void *link) {
    take_answer((zookeeper_link *)link, code, word, size, stat);
}

static void take_stat(int code, const struct Stat *stat, const void *link) {
    take_answer((zookeeper_link *)link, code, NULL, 0, stat);
}

static void take_name(int code, const char *name, const void *link) {
    (void)name;
    take_answer((zookeeper_link *)link, code, NULL, 0, NULL);
}

/* ---- single requests: the answer's code ---- */

/* Not sent: ZINVALIDSTATE. Sent, and no answer in time: ZOPERATIONTIMEOUT; the link is of no use any more then. */
static int answer_to(zookeeper_link *l, int sent) {
    if (sent != ZOK) return ZINVALIDSTATE;
    return wait_for(l, &l->answered) ? l->code : ZOPERATIONTIMEOUT;
}

static int ask_get(zookeeper_link *l, const char *path) {
    l->answered = false;
    return answer_to(l, zoo_aget(l->handle, path, 0, take_data, l));
}

static int ask_sync(zookeeper_link *l, const char *path) {
    l->answered = false;
    return answer_to(l, zoo_async(l->handle, path, take_name, l));
}

static int ask_set(zookeeper_link *l, const char *path, const char *word, int version) {
    l->answered = false;
    return answer_to(l, zoo_aset(l->handle, path, word, (int)strlen(word), version, take_stat, l));
}

static int ask_create(zookeeper_link *l, const char *path, const char *word) {
    l->answered = false;
    return answer_to(
        l, zoo_acreate(l->handle, path, word, (int)strlen(word), &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT, take_name, l));
}

/* ---- operations ---- */

/* The word of the key, with its version; no key: no word. */
static int fetch(zookeeper_link *l, const char *path) {
    int code = ZOK;
    if (l->of->reads == READ_SYNC) code = ask_sync(l, path);
    if (l->of->reads == READ_WRITE) code = ask_set(l, "/", "", -1);
    return code == ZOK ? ask_get(l, path) : code;
}

/* A key that is not there is made, unless another client is faster. */
static int store(zookeeper_link *l, const char *path, const char *word) {
    int code = ZNONODE;
    for (unsigned i = 0; i < AGAIN && (code == ZNONODE || code == ZNODEEXISTS); i++) {
        code = ask_set(l, path, word, -1);
        if (code == ZNONODE) code = ask_create(l, path, word);
    }
    return code;
}

/* From the reading to the writing the key has one version. */
static int compare_and_set(zookeeper_link *l, const char *path, const plumb_request *op, bool *swapped) {
    char old[WORD_SIZE], new[WORD_SIZE];
    int code = ZBADVERSION;
    word_of(&op->arg[0], old);
    word_of(&op->arg[1], new);
    *swapped = false;
    for (unsigned i = 0; i < AGAIN && (code == ZBADVERSION || code == ZNODEEXISTS); i++) {
        code = fetch(l, path);
        if (code != ZOK && code != ZNONODE) return code;
        if (strcmp(code == ZOK ? l->word : "", old)) return ZOK;
        code = code == ZOK ? ask_set(l, path, new, l->version) : ask_create(l, path, new);
        *swapped = code == ZOK;
    }
    return code;
}

/* Answers that say that nothing was done. */
static bool refuses(int code) {
    return code == ZINVALIDSTATE || code == ZBADVERSION || code == ZNODEEXISTS || code == ZNONODE || code == ZNOAUTH ||
           code == ZSESSIONMOVED || code == ZNOTREADONLY || code == ZTHROTTLEDOP;
}

static enum plumb_outcome outcome_of(int code, char *why, size_t size) {
    if (code == ZOK) return PLUMB_OUTCOME_DONE;
    if (code == ZINVALIDSTATE) return outcome_because(PLUMB_OUTCOME_REFUSED, why, size, "not connected");
    return outcome_because(refuses(code) ? PLUMB_OUTCOME_FAILED : PLUMB_OUTCOME_UNKNOWN, why, size, zerror(code));
}

static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size) {
    zookeeper_link *l = link;
    char name[WORD_SIZE], path[WORD_SIZE + 1], word[WORD_SIZE];
    bool swapped;
    int code;
    snprintf(path, sizeof path, "/%s", name_of_key(&op->key, name));
    if (zoo_state(l->handle) != ZOO_CONNECTED_STATE) return outcome_of(ZINVALIDSTATE, why, size);
    switch (op->method) {
    case READ:
        code = fetch(l, path);
        if (code == ZOK && *l->word) *result = value_of_word(l->word);
        if (code == ZNONODE) code = ZOK;
        break;
    case CAS:
        code = compare_and_set(l, path, op, &swapped);
        *result = plumb_bool(swapped);
        break;
    default: code = store(l, path, op->method == WRITE ? word_of(&op->arg[0], word) : ""); break;
    }
    return outcome_of(code, why, size);
}

/* ---- connections ---- */

/* Completions that are still open are called before zookeeper_close returns. */
static void close_link(void *link) {
    zookeeper_link *l = link;
    if (l->handle) zookeeper_close(l->handle);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->change);
    free(l);
}

static zookeeper_link *new_link(const zookeeper_service *s) {
    zookeeper_link *l = calloc(1, sizeof *l);
    pthread_condattr_t monotonic;
    if (!l) return NULL;
    l->of = s;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->change, &monotonic);
    return l;
}

/* All of them, another one first for each client: the leader turns clients away. */
static void list_addresses(const zookeeper_service *s, uint32_t first, char *out, size_t size) {
    size_t n = 0;
    for (uint32_t i = 0; i < s->nodes && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "," : "", s->address[(first + i) % s->nodes]);
}

static void *open_link(void *service, uint32_t client, char *why, size_t size) {
    zookeeper_service *s = service;
    char all[MOST_NODES * ADDRESS_ROOM];
    zookeeper_link *l = new_link(s);
    if (!l) return NULL;
    list_addresses(s, client, all, sizeof all);
    l->handle = zookeeper_init(all, session_event, SESSION_MILLISECONDS, NULL, l, 0);
    if (l->handle && wait_for(l, &l->connected)) return l;
    snprintf(why, size, "%s: no session", s->address[client % s->nodes]);
    close_link(l);
    return NULL;
}

/* Does the node say anything about itself? A leader does not say that it is one. */
static bool speaks(const char *address) {
    char host[WORD_SIZE], answer[64];
    struct sockaddr_in to = {.sin_family = AF_INET};
    const struct timeval patience = {.tv_usec = 500000};
    const char *colon = strrchr(address, ':');
    if (!colon || snprintf(host, sizeof host, "%.*s", (int)(colon - address), address) >= (int)sizeof host)
        return false;
    to.sin_port = htons((uint16_t)atoi(colon + 1));
    int s = inet_pton(AF_INET, host, &to.sin_addr) == 1 ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (s < 0) return false;
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool good = !connect(s, (struct sockaddr *)&to, sizeof to) && send(s, "srvr", 4, MSG_NOSIGNAL) == 4 &&
                recv(s, answer, sizeof answer, 0) > 0;
    close(s);
    return good;
}

/* A sync needs a leader. */
static bool ready(void *service, uint32_t node) {
    zookeeper_service *s = service;
    char why[200];
    if (!speaks(s->address[node])) return false;
    zookeeper_link *l = open_link(service, node, why, sizeof why);
    bool good = l && ask_sync(l, "/") == ZOK;
    if (l) close_link(l);
    return good;
}

DRIVER_EXPORT const plumb_driver plumb_driver_definition = {
    .struct_size = sizeof(plumb_driver),
    .name = "zookeeper",
    .summary = "ZooKeeper: one server or an ensemble",
    .objects = objects,
    .object_count = sizeof objects / sizeof *objects,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .most_nodes = MOST_NODES,
    .standard_nodes = 3,
    .start = start,
    .ready = ready,
    .open = open_link,
    .apply = apply,
    .close = close_link,
    .stop = stop,
};
