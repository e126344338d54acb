/* Redis, by hiredis. The first node is the master; others are its replicas. What errors mean: docs/DRIVE.md. */
#include "help.h"

#include <hiredis/hiredis.h>

enum { CLIENTS = 1024, WORDS = 8 };

typedef enum redis_shape { OF_KV, OF_QUEUE, OF_STACK, OF_SET, OF_COUNTER, OF_LOCK } redis_shape;

typedef struct redis_service {
    char host[16][WORD_SIZE];
    int port[16];
    uint32_t nodes;
    double timeout;
    redis_shape shape;
    bool replica_reads;
    int ttl;                      /* of locks, in milliseconds; 0: they are held until they are given back */
    uint32_t generation[CLIENTS]; /* a client whose outcome is unknown goes on as another one, which holds no lock */
} redis_service;

typedef struct redis_link {
    redis_service *of;
    uint32_t client;
    redisContext *master, *replica;
} redis_link;

static const plumb_driver_object objects[] = {
    {"kv", "get put delete cas"}, {"register", "read write"}, {"cas-register", "read write - cas"},
    {"queue", "deq enq"},         {"stack", "pop push"},      {"set", "contains add remove"},
    {"counter", "get inc dec"},   {"lock", "trylock unlock"},
};
enum { READ, WRITE, DELETE, CAS };
enum { TRYLOCK, UNLOCK };

static const plumb_driver_option options[] = {
    {"appendfsync", "always", "always everysec no off",
     "when writes reach the disk; off: there is no append-only file"},
    {"reads", "master", "master replica", "where reads go; replicas need --nodes 2 or more"},
    {"ttl", "0", NULL, "milliseconds after which a lock is free again; 0: never"},
};

/* ---- starting ---- */

static bool run_node(const plumb_world *w, redis_service *s, uint32_t node, char *why, size_t size) {
    char port[16], master[16];
    const char *sync = w->option(w, "appendfsync");
    bool off = !strcmp(sync, "off");
    snprintf(port, sizeof port, "%d", s->port[node]);
    snprintf(master, sizeof master, "%d", s->port[0]);
    const char *argv[32] = {"redis-server",
                            "--port",
                            port,
                            "--bind",
                            s->host[node],
                            "--dir",
                            w->folder(w, node),
                            "--save",
                            "",
                            "--daemonize",
                            "no",
                            "--appendonly",
                            off ? "no" : "yes",
                            "--repl-diskless-sync-delay",
                            "0",
                            "--protected-mode",
                            "no"};
    unsigned n = 17;
    if (!off) {
        argv[n++] = "--appendfsync";
        argv[n++] = sync;
    }
    if (node) {
        argv[n++] = "--replicaof";
        argv[n++] = s->host[0];
        argv[n++] = master;
    }
    return w->run(w, node, argv, why, size);
}

static redis_shape shape_of(const char *object) {
    static const char *const names[] = {"kv", "queue", "stack", "set", "counter", "lock"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(object, names[i])) return (redis_shape)i;
    return OF_KV; /* registers are keys */
}

static void *start(const plumb_world *w, char *why, size_t size) {
    redis_service *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    name_run(w);
    s->timeout = w->timeout;
    s->nodes = w->nodes;
    s->shape = shape_of(w->object);
    s->ttl = atoi(w->option(w, "ttl"));
    s->replica_reads = !strcmp(w->option(w, "reads"), "replica");
    bool good = true;
    if (w->at) {
        good = split_address(w->at, s->host[0], &s->port[0]);
        if (!good) snprintf(why, size, "--at %s; expected HOST:PORT", w->at);
    } else {
        for (uint32_t n = 0; n < w->nodes; n++) {
            snprintf(s->host[n], WORD_SIZE, "%s", w->host(w, n));
            s->port[n] = w->port(w, n, 0);
        }
        for (uint32_t n = 0; n < w->nodes && good; n++) good = run_node(w, s, n, why, size);
    }
    if (good && s->replica_reads && s->nodes < 2) {
        good = false;
        snprintf(why, size, "reads=replica: there is no replica; expected --nodes 2");
    }
    if (good) return s;
    free(s);
    return NULL;
}

static void stop(void *service) { free(service); }

/* ---- connections ---- */

static redisContext *connect_to(const redis_service *s, uint32_t node, char *why, size_t size) {
    struct timeval t = timeval_of(s->timeout);
    redisContext *c = redisConnectWithTimeout(s->host[node], s->port[node], t);
    if (c && !c->err && redisSetTimeout(c, t) == REDIS_OK) return c;
    snprintf(why, size, "%s", c ? c->errstr : "no memory");
    if (c) redisFree(c);
    return NULL;
}

/* It answers, has loaded its file, and, a replica, has seen its master. */
static bool ready(void *service, uint32_t node) {
    char why[160]; /* a little more than hiredis says */
    redisContext *c = connect_to(service, node, why, sizeof why);
    redisReply *r = c ? redisCommand(c, "INFO") : NULL;
    bool good = r && r->type == REDIS_REPLY_STRING && strstr(r->str, "loading:0") &&
                (node == 0 || strstr(r->str, "master_link_status:up"));
    if (r) freeReplyObject(r);
    if (c) redisFree(c);
    return good;
}

static void close_link(void *link) {
    redis_link *l = link;
    if (l->master) redisFree(l->master);
    if (l->replica) redisFree(l->replica);
    free(l);
}

static void *open_link(void *service, uint32_t client, char *why, size_t size) {
    redis_service *s = service;
    redis_link *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (redis_link){.of = s, .client = client};
    l->master = connect_to(s, 0, why, size);
    if (s->replica_reads) l->replica = connect_to(s, 1 + client % (s->nodes - 1), why, size);
    if (l->master && (l->replica || !s->replica_reads)) return l;
    close_link(l);
    return NULL;
}

/* ---- operations ---- */

static const char cas_script[] = "local held = redis.call('GET', KEYS[1]) or '' "
                                 "if held == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2]) return 1 end return 0";
static const char unlock_script[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end "
    "return 0";

typedef struct redis_command {
    const char *word[WORDS];
    int n;
    char key[WORD_SIZE], one[WORD_SIZE], two[WORD_SIZE];
} redis_command;

static void say(redis_command *c, int n, const char *const *word) {
    c->n = n;
    for (int i = 0; i < n; i++) c->word[i] = word[i];
}
#define SAY(c, ...) say(c, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static void make_lock_command(const redis_link *l, const plumb_request *op, redis_command *c) {
    snprintf(c->one, sizeof c->one, "%u.%u", l->client, l->of->generation[l->client % CLIENTS]);
    snprintf(c->two, sizeof c->two, "%d", l->of->ttl);
    if (op->method == UNLOCK) SAY(c, "EVAL", unlock_script, "1", c->key, c->one);
    else if (l->of->ttl) SAY(c, "SET", c->key, c->one, "NX", "PX", c->two);
    else SAY(c, "SET", c->key, c->one, "NX");
}

static void make_kv_command(const plumb_request *op, redis_command *c) {
    switch (op->method) {
    case READ: SAY(c, "GET", c->key); break;
    case WRITE: SAY(c, "SET", c->key, c->one); break;
    case DELETE: SAY(c, "DEL", c->key); break;
    default: SAY(c, "EVAL", cas_script, "1", c->key, c->one, c->two); break;
    }
}

static void make_command(const redis_link *l, const plumb_request *op, redis_command *c) {
    static const char *const set_word[] = {"SISMEMBER", "SADD", "SREM"}, *const count[] = {"GET", "INCRBY", "DECRBY"};
    name_of_key(&op->key, c->key);
    if (op->nargs > 0) word_of(&op->arg[0], c->one);
    if (op->nargs > 1) word_of(&op->arg[1], c->two);
    switch (l->of->shape) {
    case OF_KV: make_kv_command(op, c); break;
    case OF_QUEUE:
    case OF_STACK:
        if (op->method == WRITE) SAY(c, l->of->shape == OF_QUEUE ? "RPUSH" : "LPUSH", c->key, c->one);
        else SAY(c, "LPOP", c->key);
        break;
    case OF_SET: SAY(c, set_word[op->method], c->key, c->one); break;
    case OF_COUNTER:
        if (op->method == READ) SAY(c, "GET", c->key);
        else SAY(c, count[op->method], c->key, op->nargs ? c->one : "1");
        break;
    case OF_LOCK: make_lock_command(l, op, c); break;
    }
}

static plumb_value read_result(const redis_service *s, const redisReply *r) {
    if (r->type == REDIS_REPLY_STRING) return value_of_word(r->str);
    if (s->shape == OF_SET) return plumb_bool(r->integer != 0);
    return s->shape == OF_COUNTER ? plumb_int(0) : s->shape == OF_KV ? plumb_none() : plumb_empty();
}

static plumb_value result_of(const redis_service *s, const plumb_request *op, const redisReply *r) {
    if (s->shape == OF_LOCK) return op->method == TRYLOCK ? plumb_bool(r->type == REDIS_REPLY_STATUS) : plumb_none();
    if (s->shape == OF_COUNTER && op->method != READ) return plumb_int(r->integer);
    if (s->shape == OF_SET && op->method != READ) return plumb_bool(r->integer != 0);
    if (op->method == READ) return read_result(s, r);
    return s->shape == OF_KV && op->method == CAS ? plumb_bool(r->integer == 1) : plumb_none();
}

/* Errors that Redis gives before it does anything. */
static bool refuses(const char *said) {
    static const char *const words[] = {"LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS", "MISCONF",
                                        "OOM",     "BUSY",     "NOAUTH",     "NOPERM",     "ERR max number of clients"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(said, words[i], strlen(words[i]))) return true;
    return false;
}

static enum plumb_outcome unknown(redis_link *l, char *why, size_t size, const char *said) {
    l->of->generation[l->client % CLIENTS]++;
    return outcome_because(PLUMB_OUTCOME_UNKNOWN, why, size, said);
}

static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size) {
    redis_link *l = link;
    redis_command c = {0};
    bool reads = op->method == READ && l->of->shape != OF_QUEUE && l->of->shape != OF_STACK && l->of->shape != OF_LOCK;
    redisContext *to = reads && l->replica ? l->replica : l->master;
    make_command(l, op, &c);
    redisReply *r = redisCommandArgv(to, c.n, c.word, NULL);
    if (!r) return unknown(l, why, size, to->errstr);
    enum plumb_outcome o = PLUMB_OUTCOME_DONE;
    if (r->type != REDIS_REPLY_ERROR) *result = result_of(l->of, op, r);
    else if (refuses(r->str)) o = outcome_because(PLUMB_OUTCOME_FAILED, why, size, r->str);
    else o = unknown(l, why, size, r->str);
    freeReplyObject(r);
    return o;
}

DRIVER_EXPORT const plumb_driver plumb_driver_definition = {
    .struct_size = sizeof(plumb_driver),
    .name = "redis",
    .summary = "Redis: one server, or a master with replicas",
    .objects = objects,
    .object_count = sizeof objects / sizeof *objects,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .most_nodes = 16,
    .standard_nodes = 1,
    .start = start,
    .ready = ready,
    .open = open_link,
    .apply = apply,
    .close = close_link,
    .stop = stop,
};
