/* Histories made to order: a right object is simulated under a random scheduler (clients call, operations take effect
 * at some moment, clients return), so what comes out is linearizable. A mutation then plants one real violation.
 * The same object, options and seed give the same history everywhere. */
#ifndef PLUMB_GENERATE_GENERATE_H
#define PLUMB_GENERATE_GENERATE_H

#include "base/error.h"
#include "object/object.h"

typedef struct mutation mutation;

typedef struct generate_options {
    /* exactly; of locks up to 2 * clients fewer, since the last calls are kept to give locks back */
    uint32_t operations;
    /* "threads" on the command line; a client whose operation stays pending goes on under a new name */
    uint32_t clients;
    double overlap;     /* 0: one operation after the other, 1: every client always has one open */
    uint32_t occupancy; /* values inside a container that the schedule aims for */
    double pending;     /* share of operations that never return (half of them took effect) */
    double empties;     /* share of operations that find the container empty; negative: as it comes */
    double duplicates;  /* share of added or written values that occurred before; 0: all values are different */
    /* kv: keys; set: different elements; other objects: independent instances, told apart by key */
    uint32_t keys;
    uint64_t seed;
    const mutation *mutation; /* NULL: none, the history is linearizable */
    double at;                /* where the violation is planted: 0 the beginning, 1 the end */
} generate_options;

enum { GENERATE_MAX_CLIENTS = 4096 };

/* What `plumb generate` does without options: 1000 operations, 4 clients, overlap 0.5, occupancy 32, no pending,
 * empties as they come, all values different, 1 key (kv and set: 64), seed 1, no mutation, at 0.9. */
void generate_standard(const object *o, generate_options *out);

/* A history bound to o; NULL with the error set (EXIT_USAGE) when the options do not fit the object or the mutation
 * finds no place. The object may have been opened with parameters and an initial value; it must not be bound yet. */
history *generate(object *o, const generate_options *options, error *e);

/* ---- mutations ---- */

typedef struct planting planting; /* generate/plant.h */

struct mutation {
    const char *name;
    const char *summary;
    const char *objects;                    /* blank-separated: where it applies */
    bool (*plant)(planting *p, uint32_t i); /* at operation i; false: no place there, nothing changed */
};

const mutation *mutation_at(unsigned i);         /* NULL behind the last */
const mutation *mutation_find(const char *name); /* NULL: unknown */
bool mutation_applies(const mutation *m, const object_type *t);

/* Plants the violation in a linearizable history bound to o, as near to the relative position `at` as there is a place.
 * False with the error set when there is none. */
bool mutation_plant(const mutation *m, const object *o, history *h, double at, error *e);

#endif
