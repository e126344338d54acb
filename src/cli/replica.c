/* plumb replica: keeps what processes announce (plumbline/remote.h). */
#include "base/user_state.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "remote/replica.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

typedef struct replica_settings {
    const char *listen, *keep, *key;
    bool begins, rejoins;
    uint64_t memory;
} replica_settings;

static const replica_settings standard_settings = {.listen = "127.0.0.1:0", .memory = UINT64_C(1) << 30};

#define ROW(...) OPTION_ROW(replica_settings, __VA_ARGS__)

static const option options[] = {
    ROW(listen, "listen", TEXT, .letter = 'l', .argument = "ADDRESS", .standard = "127.0.0.1:0",
        .help = "where to listen: 127.0.0.1:PORT",
        .more = "On this machine only, unless there is a --key. Port 0: one that is free; the first line says which."),
    ROW(key, "key", TEXT, .argument = "FILE", .complete = "file",
        .help = "a key that replicas and their clients share; with it other addresses may be named",
        .more =
            "16 bytes or more. What is not sealed with it (HMAC-SHA-256) is not answered. What is said is not hidden: "
            "across networks that others read, use a tunnel."),
    ROW(keep, "keep", TEXT, .argument = "FILE", .complete = "file",
        .help = "keep everything in FILE, too, and go on with it when it is there",
        .more =
            "Written and flushed before an answer leaves: a replica that crashes and is started again with its file "
            "is the same one. One whose file is damaged does not count until clients have brought it up to what a "
            "majority has. Standard, where a port is named: a file of that address in ~/.local/state/plumb; else "
            "none."),
    ROW(begins, "new", FLAG, .help = "begin with nothing, whatever the file says: for a run that begins"),
    ROW(rejoins, "rejoin", FLAG, .help = "its state was lost: it counts again when it has caught up",
        .more =
            "For a replica that was here before and whose file is gone, a new disk for example. Without it a replica "
            "without a file is taken for one that is started for the first time, and a majority may be made of "
            "replicas that have forgotten. Takes six seconds at least, and a client or monitor that runs."),
    ROW(memory, "memory", BYTES, .argument = "SIZE", .standard = "1G",
        .help = "keep at most SIZE bytes; what comes then is refused"),
    {0}};

enum { LOOK_EVERY = 200 /* milliseconds */ };

/* One that listens on a port of its own choice is never the same again; one on a named port may have crashed. */
static const char *standard_file(const struct sockaddr_in *at, text *path) {
    char name[32], file[80];
    if (!at->sin_port) return NULL;
    inet_ntop(AF_INET, &at->sin_addr, name, sizeof name);
    snprintf(file, sizeof file, "replica-%s-%u", name, ntohs(at->sin_port));
    return user_state_path(file, path) && user_state_make_folders(path->at) ? path->at : NULL;
}

static replica *open_replica(const replica_settings *s, struct sockaddr_in *at, error *e) {
    text path = {0};
    sealing key;
    if (!sealing_open(&key, s->key, e) || !socket_address(s->listen, strlen(s->listen), key.on, at, e)) return NULL;
    if (s->begins && s->rejoins) {
        error_set(e, EXIT_USAGE, "--new and --rejoin; expected one of them");
        return NULL;
    }
    const char *keep = s->keep ? s->keep : standard_file(at, &path);
    keeping_start how = s->begins ? KEEPING_ANEW : s->rejoins ? KEEPING_LOST : KEEPING_GO_ON;
    replica *r = replica_new(at, s->memory, keep, how, e);
    if (r && keep && !s->keep) fprintf(stderr, "plumb replica: keeps its state in %s; --new begins without it\n", keep);
    if (r && replica_standing(r) != STANDING_WHOLE && replica_standing(r) != STANDING_CAUGHT_UP)
        fprintf(stderr, "plumb replica: has lost its state: it does not count until it has caught up\n");
    if (r) replica_use_key(r, &key);
    text_free(&path);
    return r;
}

static int run_replica(void *settings, char **operand, unsigned operands) {
    const replica_settings *s = settings;
    struct sockaddr_in at;
    char name[32];
    error e = {0};
    (void)operand, (void)operands;
    replica *r = open_replica(s, &at, &e);
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
