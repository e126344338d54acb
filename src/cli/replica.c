/* plumb replica: keeps what processes announce (plumbline/remote.h). */
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "remote/replica.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

typedef struct replica_settings {
    const char *listen, *keep;
    uint64_t memory;
} replica_settings;

static const replica_settings standard_settings = {.listen = "127.0.0.1:0", .memory = UINT64_C(1) << 30};

#define ROW(...) OPTION_ROW(replica_settings, __VA_ARGS__)

static const option options[] = {
    ROW(listen, "listen", TEXT, .letter = 'l', .argument = "ADDRESS", .standard = "127.0.0.1:0",
        .help = "where to listen: 127.0.0.1:PORT",
        .more = "On this machine only. Port 0: one that is free; the first line says which."),
    ROW(keep, "keep", TEXT, .argument = "FILE", .complete = "file",
        .help = "keep everything in FILE, too, and go on with it when it is there",
        .more =
            "Written and flushed before an answer leaves: a replica that crashes and is started again with its file "
            "is the same one. A file that is damaged is refused."),
    ROW(memory, "memory", BYTES, .argument = "SIZE", .standard = "1G",
        .help = "keep at most SIZE bytes; what comes then is refused"),
    {0}};

enum { LOOK_EVERY = 200 /* milliseconds */ };

static int run_replica(void *settings, char **operand, unsigned operands) {
    const replica_settings *s = settings;
    struct sockaddr_in at;
    char name[32];
    error e = {0};
    (void)operand, (void)operands;
    replica *r =
        socket_address(s->listen, strlen(s->listen), &at, &e) ? replica_new(&at, s->memory, s->keep, &e) : NULL;
    if (!r) return complain(&e);
    interrupt_listen();
    inet_ntop(AF_INET, &at.sin_addr, name, sizeof name);
    printf("%s:%u\n", name, ntohs(at.sin_port));
    fflush(stdout);
    bool good = true;
    while (good && !interrupted) good = replica_serve(r, LOOK_EVERY);
    replica_free(r);
    return good ? 0 : EXIT_INTERNAL;
}

COMMAND(
    replica, "[OPTION]...", "keep what processes announce, for `plumb monitor --replicas`", options, replica_settings,
    .about = "Prints the address it listens on, and runs until it is interrupted. Exit: 0 interrupted, 64 usage, 66 "
             "cannot listen.",
    .standard_settings = &standard_settings);
