/* What one client calls next: by the object's own generator, with keys, skew and a share of reads on top. A client's
 * plan comes from the seed and its number alone, but for what it reacts to: a compare-and-set expects what the client
 * saw last, and a container that was found empty is filled first. */
#ifndef PLUMB_DRIVE_PLAN_H
#define PLUMB_DRIVE_PLAN_H

#include "generate/choose.h"

typedef struct plan_settings {
    uint64_t seed;
    uint32_t clients, keys;
    double reads;             /* share of operations that only observe; negative: as the object's generator has it */
    double skew;              /* 0: all keys alike; 1: as Zipf has it */
    uint64_t rotate;          /* operations of one client after which it goes on to new keys; 0: never */
    uint32_t occupancy;       /* values inside a container that the load aims for */
    bool can[OBJECT_METHODS]; /* methods that the service has */
} plan_settings;

typedef struct client_plan {
    const object *o;
    const plan_settings *settings;
    chooser chooser;
    generate_options options;
    random_source random;
    site *site; /* by instance, as this client knows it */
    uint32_t *held;
    double *reach; /* by instance: the share of it and those before */
    uint32_t client;
    double reads; /* as the settings have it, at first */
    uint64_t calls, epoch;
    uint32_t instance; /* of the operation that was planned last */
    uint32_t final;    /* operations of the quiet end that were planned */
} client_plan;

void plan_open(client_plan *p, const object *o, const plan_settings *s, values *v, uint32_t client);
void plan_close(client_plan *p);
void plan_next(client_plan *p, operation *op);
/* At the quiet end: observes every instance, takes out what is in a container. False: nothing more to do. */
bool plan_last(client_plan *p, operation *op);
void plan_learn(client_plan *p, const operation *op, bool happened); /* what became of the last one */
double plan_chance(client_plan *p);                                  /* between 0 and 1, of the same seed: pauses */

#endif
