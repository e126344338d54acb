/* etcd, by the JSON gateway of its version 3 interface, over libcurl. Keys and values are base64 there. Each client
 * speaks to one of the nodes. Errors: docs/DRIVE.md. */
#include "help.h"

#include <curl/curl.h>
#include <pthread.h>

enum {
    MOST_NODES = 9,
    CLIENTS = 4096,
    ANSWER_ROOM = 4096,
    REQUEST_ROOM = 1024,
    URL_ROOM = 128,
    CODE_ROOM = 4 * (WORD_SIZE + 2) / 3 + 4
};

typedef struct etcd_service {
    char url[MOST_NODES][URL_ROOM];
    uint32_t nodes; /* that clients speak to */
    double timeout;
    bool serializable, locks;
    uint32_t generation[CLIENTS]; /* a client whose outcome is unknown goes on as another one, which holds no lock */
} etcd_service;

typedef struct etcd_link {
    etcd_service *of;
    CURL *c;
    const char *url;
    uint32_t client;
    char answer[ANSWER_ROOM];
    size_t size;
    const char *request; /* what has not been handed over of it */
    bool given;          /* some of it has: it may have been carried out */
} etcd_link;

static const plumb_driver_object objects[] = {
    {"kv", "get put delete cas"},
    {"register", "read write"},
    {"cas-register", "read write - cas"},
    {"lock", "trylock unlock"},
};
enum { READ, WRITE, DELETE, CAS };
enum { TRYLOCK, UNLOCK };

static const plumb_driver_option options[] = {
    {"reads", "linearizable", "linearizable serializable",
     "serializable: a node answers from what it has, perhaps old"},
};

/* ---- starting ---- */

static void add_peers(const plumb_world *w, char *out, size_t size) {
    size_t n = 0;
    for (uint32_t i = 0; i < w->nodes; i++)
        n += (size_t)snprintf(out + n, n < size ? size - n : 0, "%sn%u=http://%s:%u", i ? "," : "", i + 1,
                              w->host(w, i), w->port(w, i, 1));
}

static bool run_node(const plumb_world *w, const char *peers, uint32_t node, char *why, size_t size) {
    char name[16], client[URL_ROOM], peer[URL_ROOM];
    snprintf(name, sizeof name, "n%u", node + 1);
    snprintf(client, sizeof client, "http://%s:%u", w->host(w, node), w->port(w, node, 0));
    snprintf(peer, sizeof peer, "http://%s:%u", w->host(w, node), w->port(w, node, 1));
    const char *argv[] = {"etcd",
                          "--name",
                          name,
                          "--data-dir",
                          w->folder(w, node),
                          "--listen-client-urls",
                          client,
                          "--advertise-client-urls",
                          client,
                          "--listen-peer-urls",
                          peer,
                          "--initial-advertise-peer-urls",
                          peer,
                          "--initial-cluster",
                          peers,
                          "--initial-cluster-state",
                          "new",
                          "--logger",
                          "zap",
                          "--log-level",
                          "warn",
                          NULL};
    return w->run(w, node, argv, why, size);
}

static bool start_nodes(const plumb_world *w, etcd_service *s, char *why, size_t size) {
    char peers[REQUEST_ROOM];
    add_peers(w, peers, sizeof peers);
    s->nodes = w->nodes;
    for (uint32_t n = 0; n < w->nodes; n++) {
        snprintf(s->url[n], URL_ROOM, "http://%s:%u", w->host(w, n), w->port(w, n, 0));
        if (!run_node(w, peers, n, why, size)) return false;
    }
    return true;
}

static void *start(const plumb_world *w, char *why, size_t size) {
    etcd_service *s = calloc(1, sizeof *s);
    char host[WORD_SIZE];
    int port;
    if (!s || curl_global_init(CURL_GLOBAL_DEFAULT)) return NULL;
    name_run(w);
    s->timeout = w->timeout;
    s->locks = !strcmp(w->object, "lock");
    s->serializable = !strcmp(w->option(w, "reads"), "serializable");
    bool good;
    if (w->at) {
        good = split_address(w->at, host, &port);
        s->nodes = 1;
        if (good) snprintf(s->url[0], URL_ROOM, "http://%s:%d", host, port);
        else snprintf(why, size, "--at %s; expected HOST:PORT", w->at);
    } else {
        good = start_nodes(w, s, why, size);
    }
    if (good) return s;
    free(s);
    return NULL;
}

static void stop(void *service) {
    free(service);
    curl_global_cleanup();
}

/* ---- base64 ---- */

static const char *encode(const char *word, char out[CODE_ROOM]) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = strlen(word), at = 0;
    for (size_t i = 0; i < n; i += 3) {
        unsigned left = n - i > 2 ? 3 : (unsigned)(n - i);
        unsigned b = (unsigned)(unsigned char)word[i] << 16 |
                     (left > 1 ? (unsigned)(unsigned char)word[i + 1] << 8 : 0) |
                     (left > 2 ? (unsigned char)word[i + 2] : 0);
        out[at++] = digit[b >> 18];
        out[at++] = digit[b >> 12 & 63];
        out[at++] = left > 1 ? digit[b >> 6 & 63] : '=';
        out[at++] = left > 2 ? digit[b & 63] : '=';
    }
    out[at] = '\0';
    return out;
}

static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void decode(const char *code, char word[WORD_SIZE]) {
    unsigned bits = 0, have = 0;
    size_t n = 0;
    for (int d; n + 1 < WORD_SIZE && (d = digit_of(*code)) >= 0; code++) {
        bits = (bits << 6 | (unsigned)d) & 0xffff;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        word[n++] = (char)(bits >> have & 0xff);
    }
    word[n] = '\0';
}

/* ---- requests ---- */

static size_t take_answer(char *p, size_t one, size_t n, void *context) {
    etcd_link *l = context;
    size_t keep = n < ANSWER_ROOM - 1 - l->size ? n : ANSWER_ROOM - 1 - l->size;
    (void)one;
    memcpy(l->answer + l->size, p, keep);
    l->size += keep;
    l->answer[l->size] = '\0';
    return n;
}

/* Requests are handed over in pieces that libcurl cannot take back: it would send one that it holds itself once more,
 * without a word, when a connection that was kept ends before the answer, and the operation would happen twice or be
 * reported by what became of the second. */
static size_t give_request(char *to, size_t one, size_t n, void *context) {
    etcd_link *l = context;
    size_t left = strlen(l->request), give = n * one < left ? n * one : left;
    memcpy(to, l->request, give);
    l->request += give;
    l->given = true;
    return give;
}

/* The HTTP status; 0: there was no whole answer. */
static long ask(etcd_link *l, const char *path, const char *request, CURLcode *code) {
    char url[URL_ROOM + 32];
    long status = 0;
    snprintf(url, sizeof url, "%s/v3/kv/%s", l->url, path);
    l->size = 0;
    l->answer[0] = '\0';
    curl_easy_setopt(l->c, CURLOPT_URL, url);
    curl_easy_setopt(l->c, CURLOPT_POSTFIELDSIZE, (long)strlen(request));
    l->request = request;
    l->given = false;
    *code = curl_easy_perform(l->c);
    if (*code == CURLE_OK) curl_easy_getinfo(l->c, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static void make_read(const etcd_service *s, const char *key, char *out) {
    snprintf(out, REQUEST_ROOM, "{\"key\":\"%s\"%s}", key, s->serializable ? ",\"serializable\":true" : "");
}

/* The key holds the old value, or is not there; then it is set. */
static void make_cas(const plumb_request *op, const char *key, char *out) {
    char old[WORD_SIZE], new[WORD_SIZE], old_code[CODE_ROOM], new_code[CODE_ROOM], compare[300];
    encode(word_of(&op->arg[0], old), old_code);
    encode(word_of(&op->arg[1], new), new_code);
    if (*old) snprintf(compare, sizeof compare, "\"target\":\"VALUE\",\"value\":\"%s\"", old_code);
    else snprintf(compare, sizeof compare, "\"target\":\"VERSION\",\"version\":\"0\"");
    snprintf(out, REQUEST_ROOM,
             "{\"compare\":[{\"key\":\"%s\",\"result\":\"EQUAL\",%s}],"
             "\"success\":[{\"requestPut\":{\"key\":\"%s\",\"value\":\"%s\"}}]}",
             key, compare, key, new_code);
}

/* The holder is the value of the key; a key that is not there is a free lock. */
static void make_lock(const etcd_link *l, const plumb_request *op, const char *key, char *out) {
    char owner[WORD_SIZE], code[CODE_ROOM];
    snprintf(owner, sizeof owner, "%u.%u", l->client, l->of->generation[l->client % CLIENTS]);
    encode(owner, code);
    if (op->method == TRYLOCK)
        snprintf(out, REQUEST_ROOM,
                 "{\"compare\":[{\"key\":\"%s\",\"result\":\"EQUAL\",\"target\":\"VERSION\",\"version\":\"0\"}],"
                 "\"success\":[{\"requestPut\":{\"key\":\"%s\",\"value\":\"%s\"}}]}",
                 key, key, code);
    else
        snprintf(out, REQUEST_ROOM,
                 "{\"compare\":[{\"key\":\"%s\",\"result\":\"EQUAL\",\"target\":\"VALUE\",\"value\":\"%s\"}],"
                 "\"success\":[{\"requestDeleteRange\":{\"key\":\"%s\"}}]}",
                 key, code, key);
}

static const char *make_request(const etcd_link *l, const plumb_request *op, char *out) {
    char key[WORD_SIZE], code[CODE_ROOM], word[WORD_SIZE], word_code[CODE_ROOM];
    const etcd_service *s = l->of;
    encode(name_of_key(&op->key, key), code);
    if (s->locks) {
        make_lock(l, op, code, out);
        return "txn";
    }
    switch (op->method) {
    case READ: make_read(s, code, out); return "range";
    case WRITE:
        encode(word_of(&op->arg[0], word), word_code);
        snprintf(out, REQUEST_ROOM, "{\"key\":\"%s\",\"value\":\"%s\"}", code, word_code);
        return "put";
    case DELETE: snprintf(out, REQUEST_ROOM, "{\"key\":\"%s\"}", code); return "deleterange";
    default: make_cas(op, code, out); return "txn";
    }
}

static plumb_value result_of(const etcd_link *l, const plumb_request *op) {
    static const char name[] = "\"value\":\"";
    char word[WORD_SIZE];
    if (l->of->locks && op->method == UNLOCK) return plumb_none();
    if (l->of->locks || op->method == CAS) return plumb_bool(strstr(l->answer, "\"succeeded\":true") != NULL);
    const char *found = op->method == READ ? strstr(l->answer, name) : NULL;
    if (!found) return plumb_none();
    decode(found + sizeof name - 1, word);
    return value_of_word(word);
}

/* Errors that etcd gives to requests it has not proposed. */
static bool refuses(const char *answer) {
    static const char *const words[] = {"no leader", "too many requests", "mvcc: database space exceeded",
                                        "not capable"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(answer, words[i])) return true;
    return false;
}

static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size) {
    etcd_link *l = link;
    char request[REQUEST_ROOM];
    CURLcode code;
    const char *path = make_request(l, op, request);
    long status = ask(l, path, request, &code);
    if (status == 200) {
        *result = result_of(l, op);
        return PLUMB_OUTCOME_DONE;
    }
    if (!l->given && code == CURLE_COULDNT_CONNECT)
        return outcome_because(PLUMB_OUTCOME_REFUSED, why, size, curl_easy_strerror(code));
    if (code == CURLE_OK && refuses(l->answer)) return outcome_because(PLUMB_OUTCOME_FAILED, why, size, l->answer);
    l->of->generation[l->client % CLIENTS]++;
    return outcome_because(PLUMB_OUTCOME_UNKNOWN, why, size, code == CURLE_OK ? l->answer : curl_easy_strerror(code));
}

/* ---- connections ---- */

static void close_link(void *link) {
    etcd_link *l = link;
    curl_easy_cleanup(l->c);
    free(l);
}

static void *open_link(void *service, uint32_t client, char *why, size_t size) {
    etcd_service *s = service;
    etcd_link *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->of = s;
    l->client = client;
    l->url = s->url[client % s->nodes];
    l->c = curl_easy_init();
    if (!l->c) {
        snprintf(why, size, "libcurl cannot begin");
        free(l);
        return NULL;
    }
    curl_easy_setopt(l->c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(l->c, CURLOPT_PROXY, "");
    curl_easy_setopt(l->c, CURLOPT_TIMEOUT_MS, (long)(s->timeout * 1000));
    curl_easy_setopt(l->c, CURLOPT_POST, 1L);
    curl_easy_setopt(l->c, CURLOPT_READFUNCTION, give_request);
    curl_easy_setopt(l->c, CURLOPT_READDATA, l);
    curl_easy_setopt(l->c, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(l->c, CURLOPT_WRITEDATA, l);
    return l;
}

/* A linearizable read needs a leader. */
static bool ready(void *service, uint32_t node) {
    char why[100], code[CODE_ROOM], request[REQUEST_ROOM];
    CURLcode said;
    etcd_link *l = open_link(service, node, why, sizeof why);
    snprintf(request, sizeof request, "{\"key\":\"%s\"}", encode("plumb", code));
    bool good = l && ask(l, "range", request, &said) == 200;
    if (l) close_link(l);
    return good;
}

DRIVER_EXPORT const plumb_driver plumb_driver_definition = {
    .struct_size = sizeof(plumb_driver),
    .name = "etcd",
    .summary = "etcd: a cluster, by the JSON gateway of version 3",
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
