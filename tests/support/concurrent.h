/* Concurrent objects to record: right ones, and the same with a defect that fires now and then.
 *
 * Nodes come from a fixed pool and are linked by index and count in one word, so that nothing is freed while a thread
 * reads it. */
#ifndef PLUMB_TESTS_CONCURRENT_H
#define PLUMB_TESTS_CONCURRENT_H

#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

#define CONCURRENT_EMPTY INT64_MIN

typedef enum defect {
    DEFECT_NONE,
    DEFECT_LOST,      /* an add that says it is done and is not */
    DEFECT_DUPLICATE, /* a remove that leaves its value inside */
    DEFECT_EMPTY,     /* a remove that says empty without looking */
    DEFECT_RACE,      /* a remove that does not notice another one: head or top is stored, not exchanged */
    DEFECT_LATE,      /* an add that takes effect after it returned */
    DEFECTS
} defect;

typedef struct concurrent concurrent;
typedef struct concurrent_client { /* of one thread */
    random_source random;
    int64_t late;       /* a value that is still to be put in; CONCURRENT_EMPTY: none */
    uint64_t fired;     /* how often the defect did something */
    uint32_t spare[64]; /* nodes at hand */
    unsigned spares;
} concurrent_client;

/* `one_in`: a defect fires in one of so many operations. */
concurrent *concurrent_new(bool lifo, uint32_t nodes, defect d, uint32_t one_in);
void concurrent_free(concurrent *c);
void concurrent_client_init(concurrent_client *k, uint64_t seed);
void concurrent_add(concurrent *c, concurrent_client *k, int64_t v); /* Michael and Scott's queue, or Treiber's stack */
int64_t concurrent_remove(concurrent *c, concurrent_client *k);

#endif
