/* What a simulated client calls next: method, key and arguments. From the object's method table, with a few habits of
 * single objects (which numbers make sense, who may write) in one table. */
#ifndef PLUMB_GENERATE_CHOOSE_H
#define PLUMB_GENERATE_CHOOSE_H

#include "base/random.h"
#include "generate/generate.h"

typedef enum argument_habit {
    ARGUMENTS_DISTINCT,        /* 1, 2, 3, ... */
    ARGUMENTS_SCATTERED,       /* different, in no order: priorities */
    ARGUMENTS_SMALL,           /* 1 .. 9: amounts */
    ARGUMENTS_OF_FEW_KEYS,     /* the first is a key, of a few */
    ARGUMENTS_OF_TRANSFERS,    /* from one account to another */
    ARGUMENTS_OF_TRANSACTIONS, /* lists of reads and writes */
    ARGUMENTS_RISING,          /* near the largest so far: a maximum that keeps moving */
} argument_habit;

typedef struct habit {
    const char *object;
    argument_habit arguments;
    bool one_writer;      /* only client 0 may call what is not read-only */
    bool own_segment;     /* the first argument is the number of the client */
    const char *acquires; /* blank-separated methods that take hold of the object; all others give back */
} habit;

enum { CHOOSER_MAX_HOLDS = 2 }; /* of one client at a time */

typedef struct site { /* one independent instance as the chooser sees it */
    state now;
    uint32_t size;             /* values inside, counted from what happened */
    uint32_t adding, removing; /* calls that have not taken effect yet */
} site;

typedef struct chooser {
    const object *o;
    const generate_options *options;
    values *values;
    random_source *r;
    habit habit;
    bool acquires[OBJECT_METHODS];
    bool container;          /* has methods that add and methods that remove */
    bool dry;                /* runs the container empty, to meet its share of empties */
    uint64_t calls, empties; /* so far */
    int64_t last;            /* distinct values so far */
} chooser;

void chooser_init(chooser *c, const object *o, const generate_options *options, values *v, random_source *r);
/* Fills method, key and arguments; `instance` and `client` count from 0; `holding`: how often the client holds this
 * lock. */
void chooser_next(chooser *c, const site *s, uint32_t instance, uint32_t client, uint32_t holding, operation *op);
/* Does this call take hold of a lock? */
bool chooser_acquires(const chooser *c, const operation *op);
bool chooser_has_word(const char *words, const char *name); /* blank-separated; NULL: none */

#endif
