/* The transport on NATS JetStream, by libnats: a shared object that knows remote/transport.h and nothing else of ours.
 *
 *     queue   stream PLUMB_UNITS, kept until acknowledged; subjects plumb.units.QUEUE; one durable consumer for all
 *             workers; the unit's name is its message id, by which JetStream drops what is put twice
 *     log     stream PLUMB_LOGS, subjects plumb.logs.LOG; an ordered consumer for each reader; numbers are the stream's
 *     keys    bucket plumb, compare-and-set by revision;      alive  bucket plumb_alive, whose values expire */
#include "remote/transport.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_ROOM = TRANSPORT_NAME + 40, WAIT_MILLISECONDS = 4000, AGAIN = 20, NKEY_SIZE = 56 };
static const char units_stream[] = "PLUMB_UNITS", logs_stream[] = "PLUMB_LOGS", consumer[] = "workers";

typedef struct nats_carrier {
    natsConnection *connection;
    jsCtx *js;
    kvStore *keys, *alive;
    natsSubscription *units; /* NULL: no unit was asked for yet */
    double lease;
    int replicas;
} nats_carrier;

typedef struct nats_reader {
    nats_carrier *c;
    natsSubscription *subscription;
} nats_reader;

static transport_answer answer_of(natsStatus s, char *why) {
    if (s == NATS_OK) return TRANSPORT_DONE;
    if (s == NATS_TIMEOUT || s == NATS_NOT_FOUND) return TRANSPORT_NOTHING;
    const char *more = nats_GetLastError(NULL);
    snprintf(why, TRANSPORT_WHY, "NATS: %s%s%s", natsStatus_GetText(s), more && *more ? ": " : "", more ? more : "");
    return TRANSPORT_ERROR;
}

/* Of requests that the server answers: one that is not answered is an error, not "nothing". */
static transport_answer request_answer(natsStatus s, char *why) {
    if (s != NATS_TIMEOUT) return answer_of(s, why);
    snprintf(why, TRANSPORT_WHY, "NATS: the server does not answer");
    return TRANSPORT_ERROR;
}

/* ---- opening ---- */

static void quiet_error(natsConnection *c, natsSubscription *s, natsStatus status, void *context) {
    (void)c, (void)s, (void)status, (void)context;
}

static natsStatus set_servers(natsOptions *o, const char *url) {
    char copy[2000], *save = NULL;
    const char *servers[32];
    int n = 0;
    if (snprintf(copy, sizeof copy, "%s", url) >= (int)sizeof copy) return NATS_INVALID_ARG;
    for (char *w = strtok_r(copy, ",", &save); w && n < 32; w = strtok_r(NULL, ",", &save)) servers[n++] = w;
    return natsOptions_SetServers(o, servers, n);
}

/* The public key of a file with the two lines that NATS's tools print for an NKEY: its seed (SU...) and itself
 * (U...). A credentials file begins with a JWT instead. */
static bool is_nkey(const char *path, char key[NKEY_SIZE + 1]) {
    char line[256];
    bool seed = false, found = false;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        seed |= !strncmp(line, "SU", 2);
        if (*line != 'U' || strlen(line) != NKEY_SIZE) continue;
        memcpy(key, line, NKEY_SIZE + 1);
        found = true;
    }
    if (f) fclose(f);
    return seed && found;
}

static natsStatus set_credential(natsOptions *o, const char *path) {
    char key[NKEY_SIZE + 1];
    return is_nkey(path, key) ? natsOptions_SetNKeyFromSeed(o, key, path)
                              : natsOptions_SetUserCredentialsFromFiles(o, path, NULL);
}

static natsStatus set_trust(natsOptions *o, const transport_settings *s) {
    natsStatus n = NATS_OK;
    const bool tls = !strncmp(s->url, "tls://", 6) || s->authority || s->certificate;
    if (s->user) n = natsOptions_SetUserInfo(o, s->user, s->password ? s->password : "");
    if (n == NATS_OK && s->credential) n = set_credential(o, s->credential);
    if (n == NATS_OK && tls) n = natsOptions_SetSecure(o, true);
    if (n == NATS_OK && s->authority) n = natsOptions_LoadCATrustedCertificates(o, s->authority);
    if (n == NATS_OK && s->certificate) n = natsOptions_LoadCertificatesChain(o, s->certificate, s->key);
    return n;
}

/* The first connection is made now or not at all; later ones are made again for as long as it takes. */
static natsStatus connect_to(nats_carrier *c, const transport_settings *s) {
    natsOptions *o = NULL;
    jsOptions js;
    natsStatus n = natsOptions_Create(&o);
    if (n == NATS_OK) n = set_servers(o, s->url);
    if (n == NATS_OK) n = set_trust(o, s);
    if (n == NATS_OK) n = natsOptions_SetTimeout(o, WAIT_MILLISECONDS);
    if (n == NATS_OK) n = natsOptions_SetMaxReconnect(o, -1);
    if (n == NATS_OK) n = natsOptions_SetReconnectWait(o, 200);
    if (n == NATS_OK) n = natsOptions_SetPingInterval(o, 5000);
    if (n == NATS_OK) n = natsOptions_SetErrorHandler(o, quiet_error, NULL);
    if (n == NATS_OK) n = natsConnection_Connect(&c->connection, o);
    natsOptions_Destroy(o);
    jsOptions_Init(&js);
    js.Wait = WAIT_MILLISECONDS;
    if (n == NATS_OK) n = natsConnection_JetStream(&c->js, c->connection, &js);
    return n;
}

static natsStatus make_stream(nats_carrier *c, const char *name, const char *subjects, jsRetentionPolicy kept) {
    jsStreamInfo *info = NULL;
    jsStreamConfig how;
    jsErrCode code = 0;
    natsStatus n = js_GetStreamInfo(&info, c->js, name, NULL, &code);
    jsStreamInfo_Destroy(info);
    if (n != NATS_NOT_FOUND) return n;
    jsStreamConfig_Init(&how);
    how.Name = name;
    how.Subjects = &subjects;
    how.SubjectsLen = 1;
    how.Retention = kept;
    how.Replicas = c->replicas;
    how.Storage = js_FileStorage;
    n = js_AddStream(NULL, c->js, &how, NULL, &code);
    return n == NATS_OK || code == JSStreamNameExistErr ? NATS_OK : n; /* another one was faster */
}

static natsStatus make_bucket(nats_carrier *c, kvStore **out, const char *name, int64_t seconds) {
    kvConfig how;
    natsStatus n = js_KeyValue(out, c->js, name);
    if (n == NATS_OK) return n;
    kvConfig_Init(&how);
    how.Bucket = name;
    how.History = 1;
    how.Replicas = c->replicas;
    how.TTL = seconds * 1000000000;
    n = js_CreateKeyValue(out, c->js, &how);
    return n == NATS_OK ? n : js_KeyValue(out, c->js, name);
}

/* Three copies where three servers or more are named or say that they are there, else one. */
static int replicas_of(nats_carrier *c) {
    char **servers = NULL;
    int n = 0;
    if (natsConnection_GetServers(c->connection, &servers, &n) != NATS_OK) n = 0;
    for (int i = 0; i < n; i++) free(servers[i]);
    free(servers);
    return n >= 3 ? 3 : 1;
}

static natsStatus make_all(nats_carrier *c) {
    natsStatus n = make_stream(c, units_stream, "plumb.units.>", js_WorkQueuePolicy);
    if (n == NATS_OK) n = make_stream(c, logs_stream, "plumb.logs.>", js_LimitsPolicy);
    if (n == NATS_OK && !c->keys) n = make_bucket(c, &c->keys, "plumb", 0);
    if (n == NATS_OK && !c->alive) n = make_bucket(c, &c->alive, "plumb_alive", ALIVE_SECONDS);
    return n;
}

static void carrier_close(void *t) {
    nats_carrier *c = t;
    natsSubscription_Destroy(c->units);
    kvStore_Destroy(c->keys);
    kvStore_Destroy(c->alive);
    jsCtx_Destroy(c->js);
    natsConnection_Destroy(c->connection);
    free(c);
}

static void *carrier_open(const transport_settings *s, char *why, size_t room) {
    nats_carrier *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->lease = s->lease > 0 ? s->lease : LEASE_SECONDS;
    natsStatus n = connect_to(c, s);
    const bool connected = n == NATS_OK;
    if (connected) c->replicas = s->replicas ? (int)s->replicas : replicas_of(c);
    for (unsigned i = 0; connected && i < AGAIN; i++) { /* a cluster may be looking for a leader */
        n = make_all(c);
        if (n == NATS_OK || n == NATS_NOT_PERMITTED || (s->stop && *s->stop)) break;
        nats_Sleep(300);
    }
    if (n == NATS_OK) return c;
    const char *more = nats_GetLastError(NULL);
    snprintf(why, room, "%s: %s%s%s%s", s->url, connected ? "JetStream (nats-server -js): " : "", natsStatus_GetText(n),
             more && *more && strcmp(more, natsStatus_GetText(n)) ? ": " : "",
             more && strcmp(more, natsStatus_GetText(n)) ? more : "");
    carrier_close(c);
    return NULL;
}

static void carrier_release(void *t, transport_message *m) {
    (void)t;
    natsMsg_Destroy(m->handle);
    *m = (transport_message){0};
}

static void take_message(transport_message *out, natsMsg *m) {
    jsMsgMetaData *about = NULL;
    *out = (transport_message){
        .bytes = (void *)(uintptr_t)natsMsg_GetData(m), .size = (size_t)natsMsg_GetDataLength(m), .handle = m};
    if (natsMsg_GetMetaData(&about, m) != NATS_OK) return;
    out->number = about->Sequence.Stream;
    out->deliveries = (unsigned)about->NumDelivered;
    jsMsgMetaData_Destroy(about);
}

/* ---- units ---- */

static transport_answer put_unit(void *t, const char *queue, const char *name, const void *p, size_t n, char *why) {
    nats_carrier *c = t;
    char subject[SUBJECT_ROOM], id[2 * TRANSPORT_NAME];
    jsPubOptions how;
    jsPubOptions_Init(&how);
    snprintf(subject, sizeof subject, "plumb.units.%s", queue);
    snprintf(id, sizeof id, "%s@%s", queue, name);
    how.MsgId = id;
    return request_answer(js_Publish(NULL, c->js, subject, p, (int)n, &how, NULL), why);
}

static natsStatus subscribe_units(nats_carrier *c) {
    jsConsumerConfig how;
    jsSubOptions to;
    if (c->units) return NATS_OK;
    jsConsumerConfig_Init(&how);
    how.Durable = consumer;
    how.AckPolicy = js_AckExplicit;
    how.AckWait = (int64_t)(c->lease * 1e9);
    how.MaxAckPending = 65536;
    how.MaxDeliver = -1;
    natsStatus n = js_AddConsumer(NULL, c->js, units_stream, &how, NULL, NULL);
    if (n != NATS_OK) return n;
    jsSubOptions_Init(&to);
    to.Stream = units_stream;
    to.Consumer = consumer;
    to.ManualAck = true;
    return js_PullSubscribe(&c->units, c->js, "plumb.units.>", consumer, NULL, &to, NULL);
}

static transport_answer take_unit(void *t, int milliseconds, transport_message *out, char *why) {
    nats_carrier *c = t;
    natsMsgList list = {0};
    natsStatus n = subscribe_units(c);
    if (n == NATS_OK) n = natsSubscription_Fetch(&list, c->units, 1, milliseconds > 0 ? milliseconds : 1, NULL);
    if (n == NATS_OK && list.Count == 1) {
        take_message(out, list.Msgs[0]);
        list.Msgs[0] = NULL;
    } else if (n == NATS_OK) {
        n = NATS_TIMEOUT;
    }
    natsMsgList_Destroy(&list);
    return answer_of(n, why);
}

static transport_answer acknowledge(void *t, transport_message *unit, char *why) {
    (void)t;
    return request_answer(natsMsg_AckSync(unit->handle, NULL, NULL), why);
}

static transport_answer extend(void *t, transport_message *unit, char *why) {
    (void)t;
    return answer_of(natsMsg_InProgress(unit->handle, NULL), why);
}

static transport_answer give_back(void *t, transport_message *unit, char *why) {
    nats_carrier *c = t;
    natsStatus n = natsMsg_Nak(unit->handle, NULL);
    if (n == NATS_OK) n = natsConnection_FlushTimeout(c->connection, WAIT_MILLISECONDS);
    return request_answer(n, why);
}

static transport_answer waiting(void *t, uint64_t *units, char *why) {
    nats_carrier *c = t;
    jsStreamInfo *info = NULL;
    natsStatus n = js_GetStreamInfo(&info, c->js, units_stream, NULL, NULL);
    if (n == NATS_OK) *units = info->State.Msgs;
    jsStreamInfo_Destroy(info);
    return request_answer(n, why);
}

/* ---- logs ---- */

static transport_answer append(void *t, const char *log, const void *p, size_t n, uint64_t *number, char *why) {
    nats_carrier *c = t;
    char subject[SUBJECT_ROOM];
    jsPubAck *done = NULL;
    snprintf(subject, sizeof subject, "plumb.logs.%s", log);
    natsStatus s = js_Publish(&done, c->js, subject, p, (int)n, NULL, NULL);
    if (s == NATS_OK && number) *number = done->Sequence;
    jsPubAck_Destroy(done);
    return request_answer(s, why);
}

static void *follow(void *t, const char *log, uint64_t from, char *why) {
    nats_carrier *c = t;
    char subject[SUBJECT_ROOM];
    jsSubOptions how;
    nats_reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->c = c;
    snprintf(subject, sizeof subject, "plumb.logs.%s", log);
    jsSubOptions_Init(&how);
    how.Stream = logs_stream;
    how.Ordered = true;
    if (from > 1) {
        how.Config.DeliverPolicy = js_DeliverByStartSequence;
        how.Config.OptStartSeq = from;
    }
    natsStatus n = js_SubscribeSync(&r->subscription, c->js, subject, NULL, &how, NULL);
    if (n == NATS_OK) return r;
    answer_of(n == NATS_TIMEOUT ? NATS_ERR : n, why);
    free(r);
    return NULL;
}

static transport_answer next(void *reader, int milliseconds, transport_message *out, char *why) {
    nats_reader *r = reader;
    natsMsg *m = NULL;
    natsStatus n = natsSubscription_NextMsg(&m, r->subscription, milliseconds > 0 ? milliseconds : 1);
    if (n == NATS_OK) take_message(out, m);
    return answer_of(n, why);
}

static void unfollow(void *reader) {
    nats_reader *r = reader;
    natsSubscription_Unsubscribe(r->subscription);
    natsSubscription_Destroy(r->subscription);
    free(r);
}

static transport_answer forget(void *t, const char *log, char *why) {
    char subject[SUBJECT_ROOM];
    jsOptions how;
    snprintf(subject, sizeof subject, "plumb.logs.%s", log);
    jsOptions_Init(&how);
    how.Stream.Purge.Subject = subject;
    return request_answer(js_PurgeStream(((nats_carrier *)t)->js, logs_stream, &how, NULL), why);
}

/* ---- keys ---- */

/* From the leader of the stream, so that what was put is seen: a copy may lag behind. */
static transport_answer get(void *t, const char *key, transport_message *out, char *why) {
    nats_carrier *c = t;
    natsMsg *m = NULL;
    jsErrCode code = 0;
    const char *deletes = NULL;
    char subject[SUBJECT_ROOM];
    snprintf(subject, sizeof subject, "$KV.plumb.%s", key);
    natsStatus n = js_GetLastMsg(&m, c->js, "KV_plumb", subject, NULL, &code);
    if (n != NATS_OK) return request_answer(n, why);
    natsMsgHeader_Get(m, "KV-Operation", &deletes);
    if (deletes) {
        natsMsg_Destroy(m);
        return TRANSPORT_NOTHING;
    }
    *out = (transport_message){.bytes = (void *)(uintptr_t)natsMsg_GetData(m),
                               .size = (size_t)natsMsg_GetDataLength(m),
                               .number = natsMsg_GetSequence(m),
                               .handle = m};
    return TRANSPORT_DONE;
}

static bool was_late(natsStatus n) {
    const char *said = nats_GetLastError(NULL);
    return n != NATS_OK && said && strstr(said, "wrong last sequence");
}

static transport_answer put(void *t, const char *key, uint64_t expected, const void *p, size_t n, uint64_t *revision,
                            char *why) {
    nats_carrier *c = t;
    uint64_t mine = 0;
    natsStatus s = expected == REVISION_ANY    ? kvStore_Put(&mine, c->keys, key, p, (int)n)
                   : expected == REVISION_NONE ? kvStore_Create(&mine, c->keys, key, p, (int)n)
                                               : kvStore_Update(&mine, c->keys, key, p, (int)n, expected);
    if (expected != REVISION_ANY && was_late(s)) return TRANSPORT_CONFLICT;
    if (revision) *revision = mine;
    return request_answer(s, why);
}

static transport_answer remove_key(void *t, const char *key, char *why) {
    nats_carrier *c = t;
    return request_answer(kvStore_Delete(c->keys, key), why);
}

static transport_answer each_of(kvStore *store, const char *pattern, transport_each *each, void *context, char *why) {
    kvWatcher *watcher = NULL;
    kvWatchOptions how;
    bool go_on = true;
    kvWatchOptions_Init(&how);
    how.IgnoreDeletes = true;
    natsStatus n = kvStore_Watch(&watcher, store, pattern, &how);
    while (n == NATS_OK && go_on) {
        kvEntry *e = NULL;
        n = kvWatcher_Next(&e, watcher, WAIT_MILLISECONDS);
        if (n != NATS_OK || !e) break; /* NULL: these were all */
        go_on = each(context, kvEntry_Key(e), kvEntry_Value(e), (size_t)kvEntry_ValueLen(e));
        kvEntry_Destroy(e);
    }
    kvWatcher_Destroy(watcher);
    return request_answer(n, why);
}

static transport_answer each_key(void *t, const char *under, transport_each *each, void *context, char *why) {
    char pattern[SUBJECT_ROOM];
    snprintf(pattern, sizeof pattern, "%s>", under); /* under: "runs." */
    return each_of(((nats_carrier *)t)->keys, pattern, each, context, why);
}

static transport_answer be_alive(void *t, const char *who, const void *p, size_t n, char *why) {
    return request_answer(kvStore_Put(NULL, ((nats_carrier *)t)->alive, who, p, (int)n), why);
}

static transport_answer each_alive(void *t, transport_each *each, void *context, char *why) {
    return each_of(((nats_carrier *)t)->alive, ">", each, context, why);
}

__attribute__((visibility("default"))) const transport_type plumb_transport_definition = {
    .struct_size = sizeof(transport_type),
    .name = "nats",
    .open = carrier_open,
    .close = carrier_close,
    .release = carrier_release,
    .put_unit = put_unit,
    .take_unit = take_unit,
    .acknowledge = acknowledge,
    .extend = extend,
    .give_back = give_back,
    .waiting = waiting,
    .append = append,
    .follow = follow,
    .next = next,
    .unfollow = unfollow,
    .forget = forget,
    .get = get,
    .put = put,
    .remove = remove_key,
    .each_key = each_key,
    .be_alive = be_alive,
    .each_alive = each_alive,
};
