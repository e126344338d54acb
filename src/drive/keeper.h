/* The process that owns what a run starts: servers, programs of clients, folders. `plumb drive` asks it to start,
 * signal and end them. It is a process of its own so that nothing is left behind when `plumb drive` is killed: it
 * notices by the end of their connection, kills everything and removes the folder. Where it may (root), it is the
 * first process of a PID and mount namespace, so that the kernel ends all of them when it ends; otherwise it adopts
 * orphans. */
#ifndef PLUMB_DRIVE_KEEPER_H
#define PLUMB_DRIVE_KEEPER_H

#include "base/error.h"

#include <sys/types.h>

enum { KEEPER_NODES = 16, KEEPER_CLIENTS = 1024, KEEPER_SLOTS = KEEPER_NODES + KEEPER_CLIENTS, KEEPER_WORDS = 64 };

typedef struct keeper keeper;

/* To be called before the process has other threads. `folder`: removed when all is over; may be NULL. */
keeper *keeper_start(const char *folder, error *e);
/* Ends everything that runs and waits until it has ended. `keep`: the folder stays. */
void keeper_end(keeper *k, bool keep);

typedef struct keeper_job {
    unsigned slot;           /* which of the processes; of nodes their number */
    const char *const *argv; /* ended by NULL */
    const char *log;         /* file that its output is added to; NULL: as that of plumb */
    int input, output;       /* its standard input and output, if there is no log */
    bool as_server;          /* under another user when plumb runs as root */
} keeper_job;

/* All may be called by any thread. False with the reason in `why`. */
bool keeper_run(keeper *k, const keeper_job *job, text *why);
bool keeper_again(keeper *k, unsigned slot, text *why); /* the same job, once more */
/* To the process and all its descendants. SIGKILL waits until they are gone. */
bool keeper_signal(keeper *k, unsigned slot, int signal, text *why);
bool keeper_lives(keeper *k, unsigned slot, text *why); /* false: why says how it ended */
bool keeper_execute(keeper *k, const keeper_job *job, text *why);
/* A network of its own: each node in a network namespace, all joined by a bridge, where the caller's process is from
 * then on as well, and all threads that it starts later. Once, before anything runs. */
bool keeper_network(keeper *k, unsigned nodes, bool relayed, text *why); /* relayed: keeper_impair works */
bool keeper_cut(keeper *k, unsigned from, unsigned to, text *why);       /* nothing that `from` sends reaches `to` */
/* What the node and the others send each other is late, in milliseconds, or lost, in a hundred (below 128). */
bool keeper_impair(keeper *k, unsigned node, unsigned delay, unsigned loss, text *why);
bool keeper_join(keeper *k, text *why); /* all links are whole and fast again */
bool keeper_isolated(const keeper *k);  /* it has a PID namespace of its own */

/* The user that servers run as when plumb runs as root: 65534, who owns no files. False: our own. */
bool server_user(uid_t *user, gid_t *group);

#endif
