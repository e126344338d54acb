/* The same few operations as a history file, as a recorded run, and through a guard: the cells of docs/TOGETHER.md.
 *
 *     events history                    EVENT...    JSON lines on standard output
 *     events record OBJECT LOG          EVENT...    exit 0; refused by name: 64
 *     events guard OBJECT CRITERION     EVENT...    exit 0 all verified, 1 one refused, 2 one unverified, refused: 64
 *
 * EVENT: "0 enq 1" client 0 calls enq(1), "0 deq" calls deq(), "0 = 2" its call returns 2; = none, = empty. */
#include <plumbline/guard.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 3, REFUSED_BY_NAME = 64 };

typedef struct event {
    unsigned client;
    char method[32], word[32];
    bool returns;
} event;

static event event_of(const char *text) {
    event e = {.client = 0};
    if (sscanf(text, "%u = %31s", &e.client, e.word) == 2) e.returns = true;
    else if (sscanf(text, "%u %31s %31s", &e.client, e.method, e.word) < 2) exit(70);
    return e;
}

static plumb_value value_of(const char *word) {
    if (!strcmp(word, "none")) return plumb_none();
    if (!strcmp(word, "empty")) return plumb_empty();
    if (!strcmp(word, "true")) return plumb_bool(true);
    return plumb_int(atoll(word));
}

static int no(const char *why) {
    fprintf(stderr, "%s\n", why);
    return REFUSED_BY_NAME;
}

/* ---- as a file ---- */

static int write_history(char **text, int n) {
    for (int i = 0; i < n; i++) {
        event e = event_of(text[i]);
        const char *quote = strcmp(e.word, "empty") ? "" : "\"", *word = strcmp(e.word, "none") ? e.word : "null";
        if (e.returns)
            printf("{\"client\":%u,\"event\":\"return\",\"res\":%s%s%s,\"time\":%d}\n", e.client, quote, word, quote,
                   i);
        else
            printf("{\"client\":%u,\"event\":\"call\",\"op\":\"%s\",\"args\":[%s],\"time\":%d}\n", e.client, e.method,
                   e.word, i);
    }
    return 0;
}

/* ---- recorded ---- */

static int record(const char *object, const char *path, char **text, int n) {
    plumb_record_options o = {.struct_size = sizeof o, .object = object, .path = path};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *log[CLIENTS];
    if (plumb_record_error(r)) return no(plumb_record_error(r));
    for (unsigned c = 0; c < CLIENTS; c++) log[c] = plumb_record_join(r);
    for (int i = 0; i < n; i++) {
        event e = event_of(text[i]);
        plumb_value v = value_of(e.word);
        if (e.returns) plumb_ret(log[e.client], v);
        else plumb_call(log[e.client], plumb_record_method(r, e.method), &v, *e.word ? 1 : 0);
    }
    for (unsigned c = 0; c < CLIENTS; c++) plumb_record_leave(log[c]);
    plumb_record_close(r);
    return 0;
}

/* ---- guarded ---- */

static int guard(const char *object, const char *criterion, char **text, int n) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = object, .criterion = criterion, .threads = CLIENTS};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *member[CLIENTS];
    int worst = 0;
    if (plumb_guard_error(g)) return no(plumb_guard_error(g));
    for (unsigned c = 0; c < CLIENTS; c++) member[c] = plumb_guard_join(g);
    for (int i = 0; i < n; i++) {
        event e = event_of(text[i]);
        plumb_value v = value_of(e.word);
        if (!e.returns) plumb_guard_call(member[e.client], plumb_guard_method(g, e.method), &v, *e.word ? 1 : 0);
        plumb_answer a = e.returns ? plumb_guard_ret(member[e.client], v) : PLUMB_VERIFIED;
        if (a == PLUMB_REFUSED) worst = 1;
        if (a == PLUMB_UNVERIFIED && !worst) worst = 2;
        if (a != PLUMB_VERIFIED) fprintf(stderr, "%s\n", plumb_guard_reason(member[e.client]));
    }
    for (unsigned c = 0; c < CLIENTS; c++) plumb_guard_leave(member[c]);
    plumb_guard_close(g);
    return worst;
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "history")) return write_history(argv + 2, argc - 2);
    if (argc > 3 && !strcmp(argv[1], "record")) return record(argv[2], argv[3], argv + 4, argc - 4);
    if (argc > 3 && !strcmp(argv[1], "guard")) return guard(argv[2], argv[3], argv + 4, argc - 4);
    return 70;
}
