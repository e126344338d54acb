/* The kinds of faults: what each needs, how it begins and ends, and what is said of it in the history. */
#ifndef PLUMB_DRIVE_FAULT_KINDS_H
#define PLUMB_DRIVE_FAULT_KINDS_H

#include "drive/load.h"
#include "drive/service.h"

typedef enum fault_target { FAULT_OF_NODE, FAULT_OF_LINKS, FAULT_OF_CLIENT } fault_target;

/* What has to be made before the servers start. */
enum fault_need { FAULT_NETWORK = 1, FAULT_RELAY = 2, FAULT_DISKS = 4, FAULT_CLOCKS = 8 };

typedef struct fault_place { /* what faults are done to */
    service *service;
    load *load;
} fault_place;

typedef struct fault_case { /* one fault */
    uint32_t target;        /* a node, a client, or a set of nodes, as bits */
    uint32_t size;          /* 0..999: how much of it */
} fault_case;

typedef struct fault_kind {
    const char *name;
    fault_target target;
    unsigned needs;                                                      /* fault_need, together */
    bool (*begin)(const fault_place *p, const fault_case *c, text *why); /* false, why empty: not now */
    bool (*end)(const fault_place *p, const fault_case *c, text *why);   /* what began is undone */
    void (*say_size)(const fault_case *c, text *out);                    /* may be NULL */
    bool of_a_moment;                                                    /* it does not last */
} fault_kind;

enum { FAULT_KINDS = 10 };
extern const fault_kind fault_kinds[FAULT_KINDS];

#endif
