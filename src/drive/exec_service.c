/* Programs as clients: a process each, a line of JSON for each operation and one for what became of it
 * (docs/DRIVE.md). */
#include "base/budget.h"
#include "base/mem.h"
#include "drive/service.h"
#include "format/plumb_jsonl.h"
#include "format/token.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELLO_SECONDS = 30, LINE_MOST = 1 << 20 };

typedef struct exec_service {
    service s;
    const char *command;
} exec_service;

typedef struct exec_link {
    exec_service *of;
    uint32_t client;
    int connection;
    text in; /* what came behind the last line */
} exec_link;

/* ---- lines ---- */

static bool send_line(int connection, const text *line) {
    size_t sent = 0;
    while (sent < line->size) {
        ssize_t n = send(connection, line->at + sent, line->size - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        sent += (size_t)n;
    }
    return true;
}

/* 1: more came; 0: nothing until the deadline; -1: the program has closed its output. */
static int receive_more(exec_link *l, double deadline) {
    char block[4096];
    double left = deadline - clock_seconds();
    struct pollfd p = {.fd = l->connection, .events = POLLIN};
    int found = poll(&p, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
    if (found < 0 && errno == EINTR) return left > 0;
    if (found <= 0) return 0;
    ssize_t n = recv(l->connection, block, sizeof block, 0);
    if (n <= 0) return -1;
    text_bytes(&l->in, block, (size_t)n);
    return l->in.size > LINE_MOST ? -1 : 1;
}

/* The next line, without its end; the rest stays in `in`. */
static bool receive_line(exec_link *l, double seconds, text *line, text *why) {
    double deadline = clock_seconds() + seconds;
    const char *end;
    text_clear(line);
    while (!(end = l->in.size ? memchr(l->in.at, '\n', l->in.size) : NULL)) {
        int more = receive_more(l, deadline);
        if (more > 0) continue;
        text_printf(why, more ? "the program closed its output" : "no answer within %g s", seconds);
        return false;
    }
    size_t n = (size_t)(end - l->in.at), rest = l->in.size - n - 1;
    text_bytes(line, l->in.at, n);
    memmove(l->in.at, end + 1, rest);
    l->in.size = rest;
    l->in.at[rest] = '\0';
    return true;
}

/* ---- what lines say ---- */

static value result_of(tokens *t, const token *first, values *v, bool *good) {
    value out = VALUE_NONE;
    if (first->kind == TOKEN_STRING && first->size == 5 && !memcmp(first->at, "empty", 5)) return VALUE_EMPTY;
    if (first->kind == TOKEN_STRING && first->size == 4 && !memcmp(first->at, "full", 4)) return VALUE_FULL;
    *good = tokens_value(t, first, v, false, &out);
    return out;
}

typedef struct exec_answer {
    bool understood;
    char word[8]; /* res, fail, info or ready */
    value v;
} exec_answer;

/* {"res":V}, {"fail":"why"}, {"info":"why"}, {"ready":true}: the first word that is one of these counts. */
static exec_answer read_answer(const text *line, values *v) {
    exec_answer a = {.v = VALUE_NONE};
    tokens t = {0};
    token one;
    tokens_init_line(&t, DIALECT_JSON, text_str(line), line->size, 1);
    bool good = tokens_next(&t, &one) == TOKEN_MAP;
    while (good && tokens_next(&t, &one) == TOKEN_STRING) {
        char name[8] = "";
        if (one.size < sizeof name) memcpy(name, one.at, one.size);
        bool known = !strcmp(name, "res") || !strcmp(name, "fail") || !strcmp(name, "info") || !strcmp(name, "ready");
        tokens_next(&t, &one);
        if (known && !a.understood) {
            a.understood = true;
            memcpy(a.word, name, sizeof name);
            a.v = result_of(&t, &one, v, &good);
        } else {
            good = tokens_skip(&t, &one);
        }
    }
    a.understood = a.understood && good && one.kind == TOKEN_CLOSE;
    tokens_free(&t);
    return a;
}

static void add_call(const service *s, const operation *op, text *out) {
    text_add(out, "{\"op\":\"");
    text_add(out, s->o->type->methods[op->method].name);
    text_char(out, '"');
    if (op->key != VALUE_NONE) {
        text_add(out, ",\"key\":");
        json_value(s->values, op->key, out);
    }
    text_add(out, ",\"args\":[");
    for (unsigned a = 0; a < op->nargs; a++) {
        if (a) text_char(out, ',');
        json_value(s->values, op->arg[a], out);
    }
    text_add(out, "]}\n");
}

static void add_word(text *out, const char *name, const char *word) {
    text_printf(out, ",\"%s\":", name);
    if (word) text_json(out, word, strlen(word));
    else text_add(out, "null");
}

static void add_hello(const exec_link *l, text *out) {
    const service *s = &l->of->s;
    text_printf(out, "{\"plumb\":\"drive/1\",\"client\":%u,\"timeout\":%g", l->client, s->settings.timeout);
    add_word(out, "object", s->o->type->name);
    add_word(out, "folder", s->settings.folder);
    add_word(out, "at", s->settings.at);
    add_word(out, "set", s->settings.set);
    text_add(out, "}\n");
}

/* ---- the service ---- */

static void close_program(service_link *link) {
    exec_link *l = (exec_link *)link;
    close(l->connection);
    keeper_signal(l->of->s.keeper, KEEPER_NODES + l->client, SIGKILL, NULL);
    text_free(&l->in);
    free(l);
}

static bool say_hello(exec_link *l, text *why) {
    text line = {0};
    add_hello(l, &line);
    send_line(l->connection, &line); /* where that fails the program has ended, and what it left, or nothing, is read */
    bool good = receive_line(l, HELLO_SECONDS, &line, why);
    exec_answer a = good ? read_answer(&line, l->of->s.values) : (exec_answer){0};
    if (good && !(a.understood && !strcmp(a.word, "ready"))) {
        text_add(why, "it said ");
        text_printable(why, text_str(&line));
        text_add(why, "; expected {\"ready\":true}");
    }
    text_free(&line);
    return a.understood && !strcmp(a.word, "ready");
}

static service_link *open_program(service *s, uint32_t client, text *why) {
    exec_service *x = (exec_service *)s;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        text_printf(why, "no socket pair: %s", strerror(errno));
        return NULL;
    }
    const char *argv[] = {"/bin/sh", "-c", x->command, NULL};
    keeper_job job = {.slot = KEEPER_NODES + client, .argv = argv, .input = pair[1], .output = pair[1]};
    bool runs = keeper_run(s->keeper, &job, why);
    close(pair[1]);
    exec_link *l = MEM_NEW(exec_link);
    *l = (exec_link){.of = x, .client = client, .connection = pair[0]};
    if (runs && say_hello(l, why)) return (service_link *)l;
    close_program((service_link *)l);
    return NULL;
}

static enum plumb_outcome outcome_of(const exec_answer *a, const text *line, value *res, text *why) {
    if (a->understood && !strcmp(a->word, "res")) {
        *res = a->v;
        return PLUMB_OUTCOME_DONE;
    }
    text_printable(why, text_str(line));
    return a->understood && !strcmp(a->word, "fail") ? PLUMB_OUTCOME_FAILED : PLUMB_OUTCOME_UNKNOWN;
}

static enum plumb_outcome apply_program(service_link *link, const operation *op, value *res, text *why) {
    exec_link *l = (exec_link *)link;
    service *s = &l->of->s;
    text line = {0};
    add_call(s, op, &line);
    enum plumb_outcome o = PLUMB_OUTCOME_UNKNOWN;
    if (l->in.size) text_add(why, "the program answered before it was asked");
    else if (!send_line(l->connection, &line)) text_add(why, "the program does not read");
    else if (receive_line(l, s->settings.timeout, &line, why)) {
        exec_answer a = read_answer(&line, s->values);
        o = outcome_of(&a, &line, res, why);
    }
    text_free(&line);
    return o;
}

static void free_programs(service *s) { free(s); }

service *exec_start(const char *command, const service_settings *settings, keeper *k, const object *o, values *v) {
    exec_service *x = MEM_NEW(exec_service);
    x->command = command;
    x->s = (service){.settings = *settings,
                     .keeper = k,
                     .values = v,
                     .o = o,
                     .open = open_program,
                     .apply = apply_program,
                     .close = close_program,
                     .stop = free_programs};
    for (unsigned m = 0; m < o->type->method_count; m++) x->s.method[m] = (uint16_t)m;
    return &x->s;
}
