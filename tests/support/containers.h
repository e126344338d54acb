/* Random histories of containers for the near-linear engines: a run of this container or of another one under a random
 * scheduler, then often spoilt. Only adds and removes of anything. */
#ifndef PLUMB_TESTS_CONTAINERS_H
#define PLUMB_TESTS_CONTAINERS_H

#include "support/engine_trial.h"

typedef enum discipline { TAKE_OLDEST, TAKE_NEWEST, TAKE_ANY, TAKE_GREATEST, TAKE_LEAST, DISCIPLINES } discipline;

typedef struct container_shape {
    uint32_t operations, clients;
    discipline discipline; /* what the simulated container really does */
    double adds;           /* chance that an operation adds */
    double pending;        /* chance, at each moment of an operation, that it is never heard of again */
    double ties;           /* chance that an event has the stamp of the one before */
    uint32_t priorities;   /* priority queues: values are [priority n] with so many different priorities; 0: numbers */
    bool repeats;          /* values may be added again */
    bool sparse;           /* numbers are far apart, in the same order */
    uint32_t first_adds;   /* so many operations add, before chance decides */
    uint32_t relax;        /* a remove takes one of so many and one more, beginning with the right one */
    uint32_t swaps, lies;  /* neighbouring events that change places, removes that change results */
} container_shape;

container_shape container_shape_any(random_source *r, discipline right, uint32_t operations);
bound container_history(random_source *r, const char *object_name, const container_shape *shape);

typedef struct container_trial {
    const char *engine, *object;
    discipline right;
    uint64_t seed;
    uint32_t histories;    /* without PLUMB_SOAK in the environment: two million */
    bool always_pattern;   /* every violation comes with a pattern; else only those without pending removes */
    bool no_whole_pattern; /* no pattern where that would be the whole history */
} container_trial;

void containers_against_oracle(const container_trial *t); /* at most 9 operations; every witness and pattern checked */
uint32_t pattern_size(const char *engine_name, const char *object_name, const char *operations); /* of a violation */
void containers_against_search(const container_trial *t, uint32_t operations);                   /* larger ones */
/* Larger ones once more with other numbers in the same order: the same verdicts, whatever tables the values are kept
 * in. */
void containers_renumbered(const container_trial *t, uint32_t operations);

#endif
