/* The load: a thread for each client, which plans an operation, has the service do it, and puts on the reel what
 * became of it. */
#ifndef PLUMB_DRIVE_LOAD_H
#define PLUMB_DRIVE_LOAD_H

#include "drive/plan.h"
#include "drive/service.h"
#include "drive/reel.h"

#include <stdatomic.h>

typedef enum load_phase {
    LOAD_RUNS,
    LOAD_QUIET, /* final reads, then the clients end by themselves */
    LOAD_ENDS   /* now */
} load_phase;

/* A part of the load; they come one after the other, then again. */
typedef struct load_part {
    double seconds, reads, rate, think;
} load_part;
enum { LOAD_PARTS = 16 };

typedef struct load_settings {
    plan_settings plan;
    double rate;                /* operations a second of all clients; 0: each as soon as the one before has ended */
    double think;               /* seconds, on average, between two operations of a client; 0: none */
    uint64_t operations;        /* of all clients together; 0: no limit */
    load_part part[LOAD_PARTS]; /* instead of rate, think and plan.reads, when there are any */
    unsigned parts;
} load_settings;

typedef struct load_counts {
    _Atomic uint64_t calls, done, failed, unknown, unconnected;
} load_counts;

typedef struct load load;

/* All must outlive it. */
load *load_start(const load_settings *s, service *sv, const object *o, reel *t);
void load_phase_set(load *l, load_phase p);
/* A client that is held calls nothing more until it is let go; the operation that it is in goes on. */
void load_hold(load *l, uint32_t client, bool held);
bool load_has_ended(const load *l);  /* all clients have: their operations are done, or the quiet end is */
bool load_is_in_vain(const load *l); /* no client was ever connected, after several tries of each */
const load_counts *load_counted(const load *l);
uint32_t load_open(const load *l);          /* operations that have been called and have not ended */
void load_last_trouble(load *l, text *out); /* what the service said last when an operation did not succeed */
void load_end(load *l);                     /* waits for all clients, which a phase has ended, and frees it */

#endif
