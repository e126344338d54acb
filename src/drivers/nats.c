/* NATS key-value (JetStream), by libnats. Each client speaks to one of the nodes, which hands its requests on to the
 * leader of the bucket. What errors mean: docs/DRIVE.md. */
#include "help.h"

#include <errno.h>
#include <nats/nats.h>
#include <sys/stat.h>

enum { MOST_NODES = 5, AGAIN = 100, PATH_ROOM = 600, PREPARE_TRIES = 60 };
static const char bucket[] = "plumb";

typedef struct nats_service {
    char url[MOST_NODES][WORD_SIZE + 16];
    uint32_t nodes; /* that clients speak to */
    int replicas;
    double timeout;
    bool direct;
} nats_service;

typedef struct nats_link {
    const nats_service *of;
    natsConnection *connection;
    jsCtx *stream;
    kvStore *store;
} nats_link;

static const plumb_driver_object objects[] = {
    {"kv", "get put delete"}, {"register", "read write"}, {"cas-register", "read write - cas"}};
enum { READ, WRITE, DELETE, CAS };

static const plumb_driver_option options[] = {
    {"reads", "leader", "leader direct", "direct: any node of the bucket answers, perhaps with what is old"},
};

/* ---- starting ---- */

static bool write_configuration(const plumb_world *w, uint32_t node, char *path, char *why, size_t size) {
    snprintf(path, PATH_ROOM, "%s/nats.conf", w->folder(w, node));
    FILE *f = fopen(path, "we");
    if (!f) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return false;
    }
    fprintf(f, "server_name: n%u\nlisten: \"%s:%u\"\n", node + 1, w->host(w, node), w->port(w, node, 0));
    fprintf(f, "jetstream { store_dir: \"%s\", max_mem: 64M, max_file: 256M }\n", w->folder(w, node));
    if (w->nodes > 1) {
        fprintf(f, "cluster { name: plumb, listen: \"%s:%u\", routes: [", w->host(w, node), w->port(w, node, 1));
        for (uint32_t i = 0; i < w->nodes; i++)
            fprintf(f, "%s\"nats://%s:%u\"", i ? ", " : "", w->host(w, i), w->port(w, i, 1));
        fprintf(f, "] }\n");
    }
    bool good = fclose(f) == 0 && chmod(path, 0644) == 0;
    if (!good) snprintf(why, size, "%s: %s", path, strerror(errno));
    return good;
}

static bool start_nodes(const plumb_world *w, nats_service *s, char *why, size_t size) {
    char path[PATH_ROOM];
    s->nodes = w->nodes;
    s->replicas = (int)w->nodes;
    for (uint32_t n = 0; n < w->nodes; n++) {
        snprintf(s->url[n], sizeof s->url[n], "nats://%s:%u", w->host(w, n), w->port(w, n, 0));
        if (!write_configuration(w, n, path, why, size)) return false;
        const char *argv[] = {"nats-server", "-c", path, NULL};
        if (!w->run(w, n, argv, why, size)) return false;
    }
    return true;
}

static void *start(const plumb_world *w, char *why, size_t size) {
    nats_service *s = calloc(1, sizeof *s);
    if (!s || nats_Open(-1) != NATS_OK) {
        free(s);
        return NULL;
    }
    name_run(w);
    s->timeout = w->timeout;
    s->direct = !strcmp(w->option(w, "reads"), "direct");
    s->replicas = 1;
    bool good = true;
    if (w->at) {
        s->nodes = 1;
        snprintf(s->url[0], sizeof s->url[0], "nats://%s", w->at);
    } else {
        good = start_nodes(w, s, why, size);
    }
    if (good) return s;
    free(s);
    return NULL;
}

static void stop(void *service) {
    free(service);
    nats_CloseAndWait(0);
}

/* ---- connections ---- */

static void close_link(void *link) {
    nats_link *l = link;
    kvStore_Destroy(l->store);
    jsCtx_Destroy(l->stream);
    natsConnection_Destroy(l->connection);
    free(l);
}

static void ignore_error(natsConnection *c, natsSubscription *s, natsStatus status, void *context) {
    (void)c, (void)s, (void)status, (void)context;
}

static natsStatus connect_to(const nats_service *s, uint32_t client, nats_link *l) {
    natsOptions *o = NULL;
    jsOptions js;
    natsStatus status = natsOptions_Create(&o);
    if (status == NATS_OK) status = natsOptions_SetURL(o, s->url[client % s->nodes]);
    if (status == NATS_OK) status = natsOptions_SetTimeout(o, (int64_t)(s->timeout * 1000) + 1);
    if (status == NATS_OK) status = natsOptions_SetAllowReconnect(o, false);
    if (status == NATS_OK) status = natsOptions_SetErrorHandler(o, ignore_error, NULL);
    if (status == NATS_OK) status = natsConnection_Connect(&l->connection, o);
    natsOptions_Destroy(o);
    jsOptions_Init(&js);
    js.Wait = (int64_t)(s->timeout * 1000) + 1;
    if (status == NATS_OK) status = natsConnection_JetStream(&l->stream, l->connection, &js);
    return status;
}

/* Until there is a bucket it has none: it is made in `prepare`. */
static nats_link *link_without_store(const nats_service *s, uint32_t client, char *why, size_t size) {
    nats_link *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->of = s;
    natsStatus status = connect_to(s, client, l);
    if (status == NATS_OK) return l;
    snprintf(why, size, "%s: %s", s->url[client % s->nodes], natsStatus_GetText(status));
    close_link(l);
    return NULL;
}

static void *open_link(void *service, uint32_t client, char *why, size_t size) {
    nats_link *l = link_without_store(service, client, why, size);
    if (!l) return NULL;
    natsStatus status = js_KeyValue(&l->store, l->stream, bucket);
    if (status == NATS_OK) return l;
    snprintf(why, size, "no bucket: %s", natsStatus_GetText(status));
    close_link(l);
    return NULL;
}

static bool ready(void *service, uint32_t node) {
    char why[200];
    jsAccountInfo *info = NULL;
    nats_link *l = link_without_store(service, node, why, sizeof why);
    bool good = l && js_GetAccountInfo(&info, l->stream, NULL, NULL) == NATS_OK;
    jsAccountInfo_Destroy(info);
    if (l) close_link(l);
    return good;
}

/* The bucket, on as many nodes as there are; they may still be looking for a leader. */
static bool prepare(void *service, char *why, size_t size) {
    nats_service *s = service;
    kvConfig how;
    natsStatus status = NATS_TIMEOUT;
    kvConfig_Init(&how);
    how.Bucket = bucket;
    how.History = 1;
    how.Replicas = s->replicas;
    for (unsigned i = 0; i < PREPARE_TRIES && status != NATS_OK; i++) {
        nats_link *l = link_without_store(s, i, why, size);
        if (!l) continue;
        status = js_CreateKeyValue(&l->store, l->stream, &how);
        close_link(l);
        if (status != NATS_OK) nats_Sleep(200);
    }
    if (status != NATS_OK) snprintf(why, size, "no bucket can be made: %s", natsStatus_GetText(status));
    return status == NATS_OK;
}

/* ---- operations ---- */

typedef struct nats_item { /* what a key holds */
    bool present;
    char word[WORD_SIZE];
    uint64_t revision;
} nats_item;

static natsStatus fetch_direct(nats_link *l, const char *key, nats_item *out) {
    kvEntry *e = NULL;
    natsStatus status = kvStore_Get(&e, l->store, key);
    if (status != NATS_OK) return status;
    out->present = true;
    out->revision = kvEntry_Revision(e);
    snprintf(out->word, sizeof out->word, "%.*s", kvEntry_ValueLen(e), (const char *)kvEntry_Value(e));
    kvEntry_Destroy(e);
    return status;
}

/* The stream's last message of this key, which its leader is asked for; one with an operation is a deletion. */
static natsStatus fetch_from_leader(nats_link *l, const char *key, nats_item *out) {
    natsMsg *m = NULL;
    jsErrCode code = 0;
    const char *deletes = NULL;
    char subject[WORD_SIZE + 16];
    snprintf(subject, sizeof subject, "$KV.plumb.%s", key);
    natsStatus status = js_GetLastMsg(&m, l->stream, "KV_plumb", subject, NULL, &code);
    if (status != NATS_OK) return status;
    natsMsgHeader_Get(m, "KV-Operation", &deletes);
    out->present = !deletes;
    out->revision = natsMsg_GetSequence(m);
    if (!deletes) snprintf(out->word, sizeof out->word, "%.*s", natsMsg_GetDataLength(m), natsMsg_GetData(m));
    natsMsg_Destroy(m);
    return status;
}

static natsStatus fetch(nats_link *l, const char *key, nats_item *out) {
    *out = (nats_item){0};
    natsStatus status = l->of->direct ? fetch_direct(l, key, out) : fetch_from_leader(l, key, out);
    return status == NATS_NOT_FOUND ? NATS_OK : status;
}

/* The server refused it because the key has another revision. */
static bool was_late(natsStatus status) {
    const char *said = nats_GetLastError(NULL);
    return status != NATS_OK && said && strstr(said, "wrong last sequence");
}

static natsStatus compare_and_set(nats_link *l, const char *key, const plumb_request *op, bool *swapped) {
    char old[WORD_SIZE], new[WORD_SIZE];
    nats_item held;
    natsStatus status = NATS_ERR;
    word_of(&op->arg[0], old);
    word_of(&op->arg[1], new);
    *swapped = false;
    for (unsigned i = 0; i < AGAIN; i++) {
        if ((status = fetch(l, key, &held)) != NATS_OK || strcmp(held.word, old)) return status;
        status = held.revision ? kvStore_UpdateString(NULL, l->store, key, new, held.revision)
                               : kvStore_CreateString(NULL, l->store, key, new);
        *swapped = status == NATS_OK;
        if (!was_late(status)) return status;
    }
    return status;
}

static enum plumb_outcome outcome_of(natsStatus status, char *why, size_t size) {
    if (status == NATS_OK) return PLUMB_OUTCOME_DONE;
    enum plumb_outcome o = PLUMB_OUTCOME_UNKNOWN;
    if (status == NATS_NO_RESPONDERS || was_late(status)) o = PLUMB_OUTCOME_FAILED;
    return outcome_because(o, why, size, natsStatus_GetText(status));
}

static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size) {
    nats_link *l = link;
    char key[WORD_SIZE], word[WORD_SIZE];
    nats_item held;
    bool swapped;
    natsStatus status;
    name_of_key(&op->key, key);
    if (natsConnection_IsClosed(l->connection))
        return outcome_because(PLUMB_OUTCOME_REFUSED, why, size, "the connection is closed");
    switch (op->method) {
    case READ:
        status = fetch(l, key, &held);
        if (status == NATS_OK && held.present) *result = value_of_word(held.word);
        break;
    case WRITE: status = kvStore_PutString(NULL, l->store, key, word_of(&op->arg[0], word)); break;
    case DELETE: status = kvStore_Delete(l->store, key); break;
    default:
        status = compare_and_set(l, key, op, &swapped);
        *result = plumb_bool(swapped);
        break;
    }
    return outcome_of(status, why, size);
}

DRIVER_EXPORT const plumb_driver plumb_driver_definition = {
    .struct_size = sizeof(plumb_driver),
    .name = "nats",
    .summary = "NATS key-value: one server or a cluster, with JetStream",
    .objects = objects,
    .object_count = sizeof objects / sizeof *objects,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .most_nodes = MOST_NODES,
    .standard_nodes = 3,
    .start = start,
    .ready = ready,
    .prepare = prepare,
    .open = open_link,
    .apply = apply,
    .close = close_link,
    .stop = stop,
};
