/* PostgreSQL, by libpq: keys are rows. Compare-and-set and transfers read first and write then, in one transaction of
 * the isolation level that was asked for: what that level promises is what is tested. Errors: docs/DRIVE.md. */
#include "help.h"

#include <glob.h>
#include <libpq-fe.h>
#include <poll.h>
#include <time.h>

enum { QUERY_ROOM = 512, ACCOUNTS = 8, BALANCE = 10, PATH_ROOM = 600 };

typedef enum postgres_shape { ROWS, QUEUE, BANK } postgres_shape;

typedef struct postgres_service {
    char host[WORD_SIZE];
    int port;
    double timeout;
    char begin[WORD_SIZE]; /* BEGIN ISOLATION LEVEL ... */
    postgres_shape shape;
} postgres_service;

typedef struct postgres_link {
    postgres_service *of;
    PGconn *c;
    double deadline; /* of the operation */
    plumb_value balance[ACCOUNTS];
} postgres_link;

static const plumb_driver_object objects[] = {
    {"kv", "get put delete cas"}, {"register", "read write"}, {"cas-register", "read write - cas"},
    {"queue", "deq enq"},         {"multiset", "remove add"}, {"bank", "read transfer"},
};
enum { READ, WRITE, DELETE, CAS };

static const plumb_driver_option options[] = {
    {"isolation", "serializable", "serializable repeatable-read read-committed", "of transactions"},
    {"synchronous_commit", "on", "on off", "off: a crash loses what was committed just before it"},
};

/* ---- starting ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Debian keeps the server's programs out of PATH, by version. */
static void find_program(const char *name, char path[PATH_ROOM]) {
    char pattern[100];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "/usr/lib/postgresql/*/bin/%s", name);
    snprintf(path, PATH_ROOM, "%s", name);
    if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
        snprintf(path, PATH_ROOM, "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
}

static bool run_server(const plumb_world *w, postgres_service *s, char *why, size_t size) {
    char initdb[PATH_ROOM], postgres[PATH_ROOM], data[PATH_ROOM], port[16], commit[64];
    find_program("initdb", initdb);
    find_program("postgres", postgres);
    snprintf(data, sizeof data, "%s/data", w->folder(w, 0));
    snprintf(port, sizeof port, "%d", s->port);
    snprintf(commit, sizeof commit, "synchronous_commit=%s", w->option(w, "synchronous_commit"));
    const char *make[] = {initdb,  "-D",        data, "-U",   "plumb",      "-A",
                          "trust", "--no-sync", "-E", "UTF8", "--locale=C", NULL};
    const char *run[] = {postgres,
                         "-D",
                         data,
                         "-p",
                         port,
                         "-h",
                         s->host,
                         "-k",
                         w->folder(w, 0),
                         "-c",
                         commit,
                         "-c",
                         "wal_writer_delay=1s",
                         "-c",
                         "shared_buffers=32MB",
                         "-c",
                         "max_connections=300",
                         NULL};
    return w->execute(w, make, why, size) && w->run(w, 0, run, why, size);
}

static void *start(const plumb_world *w, char *why, size_t size) {
    postgres_service *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    const char *level = w->option(w, "isolation");
    snprintf(s->begin, sizeof s->begin, "BEGIN ISOLATION LEVEL %s",
             !strcmp(level, "read-committed")    ? "READ COMMITTED"
             : !strcmp(level, "repeatable-read") ? "REPEATABLE READ"
                                                 : "SERIALIZABLE");
    s->timeout = w->timeout;
    s->shape = !strcmp(w->object, "bank")                                      ? BANK
               : !strcmp(w->object, "queue") || !strcmp(w->object, "multiset") ? QUEUE
                                                                               : ROWS;
    bool good = true;
    if (w->at) {
        good = split_address(w->at, s->host, &s->port);
        if (!good) snprintf(why, size, "--at %s; expected HOST:PORT", w->at);
    } else {
        snprintf(s->host, sizeof s->host, "%s", w->host(w, 0));
        s->port = w->port(w, 0, 0);
        good = run_server(w, s, why, size);
    }
    if (good) return s;
    free(s);
    return NULL;
}

static void stop(void *service) { free(service); }

/* ---- connections ---- */

static PGconn *connect_to(const postgres_service *s, char *why, size_t size) {
    char how[QUERY_ROOM];
    int seconds = s->timeout < 2 ? 2 : (int)s->timeout + 1; /* libpq takes less for two */
    snprintf(how, sizeof how, "host=%s port=%d user=plumb dbname=postgres connect_timeout=%d application_name=plumb",
             s->host, s->port, seconds);
    PGconn *c = PQconnectdb(how);
    if (c && PQstatus(c) == CONNECTION_OK) return c;
    snprintf(why, size, "%.*s", (int)strcspn(c ? PQerrorMessage(c) : "no memory", "\n"),
             c ? PQerrorMessage(c) : "no memory");
    PQfinish(c);
    return NULL;
}

static bool ready(void *service, uint32_t node) {
    char why[200];
    (void)node;
    PGconn *c = connect_to(service, why, sizeof why);
    PQfinish(c);
    return c != NULL;
}

static bool prepare(void *service, char *why, size_t size) {
    PGconn *c = connect_to(service, why, size);
    char query[2 * QUERY_ROOM];
    if (!c) return false;
    snprintf(query, sizeof query,
             "SET client_min_messages = warning;"
             "DROP TABLE IF EXISTS plumb_rows, plumb_items, plumb_accounts;"
             "CREATE TABLE plumb_rows (k text PRIMARY KEY, v bigint);"
             "CREATE TABLE plumb_items (id bigserial PRIMARY KEY, k text, v bigint);"
             "CREATE TABLE plumb_accounts (id int PRIMARY KEY, balance bigint);"
             "INSERT INTO plumb_accounts SELECT i, %d FROM generate_series(0, %d) i;",
             BALANCE, ACCOUNTS - 1);
    PGresult *r = PQexec(c, query);
    bool good = PQresultStatus(r) == PGRES_COMMAND_OK;
    if (!good) snprintf(why, size, "%.*s", (int)strcspn(PQerrorMessage(c), "\n"), PQerrorMessage(c));
    PQclear(r);
    PQfinish(c);
    return good;
}

static void *open_link(void *service, uint32_t client, char *why, size_t size) {
    postgres_link *l = calloc(1, sizeof *l);
    (void)client;
    if (!l) return NULL;
    l->of = service;
    l->c = connect_to(service, why, size);
    if (l->c) return l;
    free(l);
    return NULL;
}

static void close_link(void *link) {
    postgres_link *l = link;
    PQfinish(l->c);
    free(l);
}

/* ---- one statement ---- */

/* False: the deadline has passed, or the connection has ended. */
static bool wait_for_answer(postgres_link *l) {
    while (PQisBusy(l->c)) {
        double left = l->deadline - now();
        struct pollfd p = {.fd = PQsocket(l->c), .events = POLLIN};
        if (left <= 0 || poll(&p, 1, (int)(left * 1000) + 1) < 0 || !PQconsumeInput(l->c)) return false;
    }
    return true;
}

/* NULL: no answer. Otherwise the last result of the query. */
static PGresult *ask(postgres_link *l, const char *query) {
    PGresult *last = NULL;
    if (!PQsendQuery(l->c, query)) return NULL;
    while (wait_for_answer(l)) {
        PGresult *r = PQgetResult(l->c);
        if (!r) return last;
        PQclear(last);
        last = r;
    }
    PQclear(last);
    return NULL;
}

static bool is_good(const PGresult *r) {
    ExecStatusType s = PQresultStatus(r);
    return s == PGRES_COMMAND_OK || s == PGRES_TUPLES_OK;
}

/* The statement was rolled back: classes 40 (serialization failure, deadlock), 23 (constraint), 53 (no resources), 25
 * (state of the transaction). Others, and connections that end, leave it open. */
static bool is_rolled_back(const PGresult *r) {
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    return state && (!strncmp(state, "40", 2) || !strncmp(state, "23", 2) || !strncmp(state, "53", 2) ||
                     !strncmp(state, "25", 2));
}

static void say_why(postgres_link *l, const PGresult *r, char *why, size_t size) {
    const char *said = r ? PQresultErrorMessage(r) : PQerrorMessage(l->c);
    if (!*said) said = "no answer in time";
    snprintf(why, size, "%.*s", (int)strcspn(said, "\n"), said);
}

/* What is known after a statement that commits, by itself or as COMMIT. Takes r. */
static enum plumb_outcome outcome_of(postgres_link *l, PGresult *r, char *why, size_t size) {
    enum plumb_outcome o = PLUMB_OUTCOME_UNKNOWN;
    if (r && is_good(r)) o = PLUMB_OUTCOME_DONE;
    else if (r && is_rolled_back(r)) o = PLUMB_OUTCOME_FAILED;
    if (o != PLUMB_OUTCOME_DONE) say_why(l, r, why, size);
    PQclear(r);
    return o;
}

/* Before COMMIT was sent nothing can have happened: a connection that ends takes the transaction with it. Takes r. */
static enum plumb_outcome give_up(postgres_link *l, PGresult *r, char *why, size_t size) {
    say_why(l, r, why, size);
    PQclear(r);
    return PLUMB_OUTCOME_REFUSED;
}

/* ---- transactions ---- */

/* Begins a transaction and reads; NULL: it did not, and `o` says what that means. */
static PGresult *begin_and_read(postgres_link *l, const char *query, enum plumb_outcome *o, char *why, size_t size) {
    PGresult *r = ask(l, l->of->begin);
    bool begun = r && is_good(r);
    if (begun) {
        PQclear(r);
        r = ask(l, query);
    }
    if (begun && r && is_good(r)) return r;
    *o = give_up(l, r, why, size);
    return NULL;
}

/* Writes, if there is something to write, and commits. */
static enum plumb_outcome write_and_commit(postgres_link *l, const char *query, char *why, size_t size) {
    PGresult *r = query ? ask(l, query) : NULL;
    if (query && (!r || !is_good(r))) return give_up(l, r, why, size);
    PQclear(r);
    return outcome_of(l, ask(l, "COMMIT"), why, size);
}

static enum plumb_outcome do_cas(postgres_link *l, const plumb_request *op, const char *key, plumb_value *result,
                                 char *why, size_t size) {
    char query[QUERY_ROOM], old[WORD_SIZE], new[WORD_SIZE];
    enum plumb_outcome o;
    word_of(&op->arg[0], old);
    word_of(&op->arg[1], new);
    snprintf(query, sizeof query, "SELECT v FROM plumb_rows WHERE k = '%s'", key);
    PGresult *r = begin_and_read(l, query, &o, why, size);
    if (!r) return o;
    bool there = PQntuples(r) > 0, holds = !strcmp(there ? PQgetvalue(r, 0, 0) : "", old);
    PQclear(r);
    *result = plumb_bool(holds);
    if (there) snprintf(query, sizeof query, "UPDATE plumb_rows SET v = %s WHERE k = '%s'", new, key);
    else snprintf(query, sizeof query, "INSERT INTO plumb_rows VALUES ('%s', %s)", key, new);
    return write_and_commit(l, holds ? query : NULL, why, size);
}

static enum plumb_outcome do_transfer(postgres_link *l, const plumb_request *op, plumb_value *result, char *why,
                                      size_t size) {
    char query[QUERY_ROOM];
    int64_t from = op->arg[0].as.integer, to = op->arg[1].as.integer, amount = op->arg[2].as.integer, balance[2] = {0};
    enum plumb_outcome o;
    snprintf(query, sizeof query, "SELECT id, balance FROM plumb_accounts WHERE id IN (%d, %d)", (int)from, (int)to);
    PGresult *r = begin_and_read(l, query, &o, why, size);
    if (!r) return o;
    for (int i = 0; i < PQntuples(r); i++) balance[atoi(PQgetvalue(r, i, 0)) != from] = atoll(PQgetvalue(r, i, 1));
    PQclear(r);
    bool enough = balance[0] >= amount;
    *result = plumb_bool(enough);
    snprintf(query, sizeof query,
             "UPDATE plumb_accounts SET balance = %lld WHERE id = %d; UPDATE plumb_accounts SET balance = %lld WHERE "
             "id = %d",
             (long long)(balance[0] - amount), (int)from, (long long)(balance[1] + amount), (int)to);
    return write_and_commit(l, enough && from != to ? query : NULL, why, size);
}

/* ---- single statements ---- */

static enum plumb_outcome do_read(postgres_link *l, const char *query, plumb_value *result, plumb_value nothing,
                                  char *why, size_t size) {
    PGresult *r = ask(l, query);
    if (r && is_good(r)) *result = PQntuples(r) && !PQgetisnull(r, 0, 0) ? value_of_word(PQgetvalue(r, 0, 0)) : nothing;
    return outcome_of(l, r, why, size);
}

static enum plumb_outcome read_balances(postgres_link *l, plumb_value *result, char *why, size_t size) {
    PGresult *r = ask(l, "SELECT balance FROM plumb_accounts ORDER BY id");
    int n = r && is_good(r) ? PQntuples(r) : 0;
    for (int i = 0; i < n && i < ACCOUNTS; i++) l->balance[i] = value_of_word(PQgetvalue(r, i, 0));
    *result = plumb_tuple(l->balance, (uint32_t)(n < ACCOUNTS ? n : ACCOUNTS));
    return outcome_of(l, r, why, size);
}

static enum plumb_outcome of_queue(postgres_link *l, const plumb_request *op, const char *key, plumb_value *result,
                                   char *why, size_t size) {
    char query[QUERY_ROOM], word[WORD_SIZE];
    if (op->method == WRITE) {
        snprintf(query, sizeof query, "INSERT INTO plumb_items (k, v) VALUES ('%s', %s)", key,
                 word_of(&op->arg[0], word));
        return outcome_of(l, ask(l, query), why, size);
    }
    snprintf(query, sizeof query,
             "DELETE FROM plumb_items WHERE id = (SELECT id FROM plumb_items WHERE k = '%s' ORDER BY id "
             "FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING v",
             key);
    return do_read(l, query, result, plumb_empty(), why, size);
}

static enum plumb_outcome of_rows(postgres_link *l, const plumb_request *op, const char *key, plumb_value *result,
                                  char *why, size_t size) {
    char query[QUERY_ROOM], word[WORD_SIZE];
    switch (op->method) {
    case READ:
        snprintf(query, sizeof query, "SELECT v FROM plumb_rows WHERE k = '%s'", key);
        return do_read(l, query, result, plumb_none(), why, size);
    case WRITE:
        word_of(&op->arg[0], word);
        snprintf(query, sizeof query, "INSERT INTO plumb_rows VALUES ('%s', %s) ON CONFLICT (k) DO UPDATE SET v = %s",
                 key, word, word);
        break;
    case DELETE: snprintf(query, sizeof query, "DELETE FROM plumb_rows WHERE k = '%s'", key); break;
    default: return do_cas(l, op, key, result, why, size);
    }
    return outcome_of(l, ask(l, query), why, size);
}

static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size) {
    postgres_link *l = link;
    char key[WORD_SIZE];
    l->deadline = now() + l->of->timeout;
    name_of_key(&op->key, key);
    if (l->of->shape == BANK && op->method == READ) return read_balances(l, result, why, size);
    if (l->of->shape == BANK) return do_transfer(l, op, result, why, size);
    return l->of->shape == QUEUE ? of_queue(l, op, key, result, why, size) : of_rows(l, op, key, result, why, size);
}

DRIVER_EXPORT const plumb_driver plumb_driver_definition = {
    .struct_size = sizeof(plumb_driver),
    .name = "postgres",
    .summary = "PostgreSQL: one server; transactions of the isolation level that is asked for",
    .objects = objects,
    .object_count = sizeof objects / sizeof *objects,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .most_nodes = 1,
    .standard_nodes = 1,
    .start = start,
    .ready = ready,
    .prepare = prepare,
    .open = open_link,
    .apply = apply,
    .close = close_link,
    .stop = stop,
    .clock_by_libc = true,
};
