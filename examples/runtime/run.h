/* What the examples in C share: threads, and the ways to run.
 *
 *     EXAMPLE record FILE [OPERATIONS]     records into FILE: `plumb check FILE`, `plumb monitor --attach FILE`
 *     EXAMPLE ring FILE [OPERATIONS]       the same in little room, used again when attached monitors have read it
 *     EXAMPLE monitor [OPERATIONS]         a verifier beside the threads; exit 0 linearizable, 1 violation, 2 undecided
 *     EXAMPLE guard [OPERATIONS]           no unverified answer leaves the object; exit 1 when one was refused
 *     EXAMPLE segments FOLDER [OPERATIONS] the same, and writes a certificate in segments: `plumb certify FOLDER`
 *
 * A fourth word `wrong` makes the object do something wrong now and then. */
#ifndef EXAMPLE_RUN_H
#define EXAMPLE_RUN_H

#include <plumbline/segments.h>
#include <plumbline/wrap_guard.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };

typedef struct client { /* one of log and me is NULL */
    plumb_log *log;
    plumb_member *me;
    unsigned number, random, operations;
    int wrong;
    plumb_answer worst;
} client;

/* Records or guards, as the client does. */
#define APPLY(c, which, args, arg, action, result)                                                   \
    do {                                                                                             \
        if ((c)->log) PLUMB_RECORDED((c)->log, which, args, arg, action, result);                    \
        else {                                                                                       \
            plumb_answer a = PLUMB_GUARDED((c)->me, which, args, arg, action, result);               \
            if ((c)->worst == PLUMB_VERIFIED) (c)->worst = a;                                        \
        }                                                                                            \
    } while (0)

static unsigned dice(client *c) { return (c->random = c->random * 1103515245u + 12345u) >> 16; }
static int goes_wrong(client *c) { return c->wrong && dice(c) % 1000 == 0; }

void work(client *c); /* what one thread does: each example has its own */

static plumb_recorder *run_r;
static plumb_guard *run_g;

static void *run_client(void *context) {
    client *c = context;
    c->log = run_r ? plumb_record_join(run_r) : NULL;
    c->me = run_g ? plumb_guard_join(run_g) : NULL;
    work(c);
    plumb_record_leave(c->log);
    plumb_guard_leave(c->me);
    return NULL;
}

static plumb_answer run_clients(unsigned operations, int wrong) {
    client c[THREADS];
    pthread_t t[THREADS];
    plumb_answer worst = PLUMB_VERIFIED;
    for (unsigned i = 0; i < THREADS; i++) {
        memset(&c[i], 0, sizeof c[i]);
        c[i].number = i;
        c[i].random = i + 1;
        c[i].operations = operations;
        c[i].wrong = wrong;
        pthread_create(&t[i], NULL, run_client, &c[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        if (worst == PLUMB_VERIFIED) worst = c[i].worst;
    }
    return worst;
}

static int run_example(int argc, char **argv, const char *object) {
    const char *how = argc > 1 ? argv[1] : "monitor";
    int ring = !strcmp(how, "ring"), records = ring || !strcmp(how, "record"), in_segments = !strcmp(how, "segments");
    int at = records || in_segments ? 3 : 2, wrong = !strcmp(argv[argc - 1], "wrong");
    unsigned operations = argc > at && atoi(argv[at]) > 0 ? (unsigned)atoi(argv[at]) : 100000;
    plumb_record_options o = {
        .struct_size = sizeof o, .object = object, .path = records && argc > 2 ? argv[2] : NULL, .ring = ring};
    if (ring) o.bytes = 4 << 20;
    if (in_segments || !strcmp(how, "guard")) {
        plumb_segments_options so = {
            .struct_size = sizeof so, .folder = argc > 2 ? argv[2] : NULL, .operations = 10000, .patience = 1000000};
        run_g = plumb_guard_open(&(plumb_guard_options){.struct_size = sizeof(plumb_guard_options), .object = object});
        plumb_segments *s = in_segments ? plumb_guard_segments(run_g, &so) : NULL;
        plumb_answer worst = run_clients(operations, wrong);
        if (s && !plumb_segments_stop(s)) printf("the certificate ends before the run: %s\n", plumb_segments_reason(s));
        plumb_segments_free(s);
        plumb_guard_close(run_g);
        printf("%s\n", worst == PLUMB_VERIFIED  ? "every answer was verified"
                       : worst == PLUMB_REFUSED ? "an answer was refused"
                                                : "an answer could not be verified");
        return (int)worst;
    }
    run_r = plumb_record_open(&o);
    if (plumb_record_error(run_r)) return fprintf(stderr, "%s\n", plumb_record_error(run_r)), 66;
    plumb_verifier *v = records ? NULL : plumb_verify_start(run_r, NULL);
    run_clients(operations, wrong);
    plumb_verdict found = v ? plumb_verify_stop(v) : PLUMB_LINEARIZABLE;
    if (v)
        printf("%s%s\n",
               found == PLUMB_LINEARIZABLE ? "linearizable"
               : found == PLUMB_VIOLATION  ? "violation: "
                                           : "undecided: ",
               plumb_verify_reason(v));
    plumb_verify_free(v);
    plumb_record_close(run_r);
    return (int)found;
}

#endif
