/* A driver of a service for `plumb drive`: how to start it, connect to it, and do one operation. A driver is a shared
 * object; the ones that come with Plumbline are found by their names, your own by its path:
 *
 *     #include <plumbline/driver.h>
 *
 *     static void *start(const plumb_world *w, char *why, size_t size) { return (void *)w; }
 *     static void *open_link(void *w, uint32_t client, char *why, size_t size) {
 *         return my_connect(((const plumb_world *)w)->at);
 *     }
 *     static enum plumb_outcome apply(void *link, const plumb_request *op, plumb_value *result,
 *                                     char *why, size_t size) {
 *         if (op->method == 0) *result = plumb_int(my_get(link, op->key.as.integer));
 *         else my_put(link, op->key.as.integer, op->arg[0].as.integer);
 *         return PLUMB_OUTCOME_DONE;
 *     }
 *     static const plumb_driver_object objects[] = {{"kv", "get put"}};
 *     const plumb_driver plumb_driver_definition = {
 *         .struct_size = sizeof(plumb_driver), .name = "mine", .objects = objects, .object_count = 1,
 *         .start = start, .open = open_link, .apply = apply, .close = my_close,
 *     };
 *
 *     $ cc -shared -fPIC -o mine.so mine.c $(pkg-config --cflags plumbline)
 *     $ plumb drive ./mine.so --object kv --at 127.0.0.1:7000
 *
 * The load, the history, the faults and the verdict are the business of `plumb drive`. Functions that take `why` write
 * one line there, with snprintf, when they fail. Connections are used by one thread each, different ones at once. */
#ifndef PLUMBLINE_DRIVER_H
#define PLUMBLINE_DRIVER_H

#include <plumbline/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of an operation. When in doubt it is PLUMB_OUTCOME_UNKNOWN: an operation that is said to have failed and
 * took effect all the same makes a right service look wrong. */
enum plumb_outcome {
    PLUMB_OUTCOME_DONE,    /* it took effect; `result` is what it returned */
    PLUMB_OUTCOME_FAILED,  /* it certainly did not happen and never will */
    PLUMB_OUTCOME_REFUSED, /* the same, and the connection is of no use any more: it is closed */
    PLUMB_OUTCOME_UNKNOWN  /* it may have happened, or happen later; the connection is closed */
};

typedef struct plumb_request {
    uint32_t method; /* the place of its name in the driver's list for the object */
    uint32_t nargs;
    plumb_value key; /* PLUMB_NONE: the object has no keys, or there is one of it only */
    plumb_value arg[3];
} plumb_request;

/* What a driver may ask of `plumb drive` while it starts its service. Nodes are counted from 0. */
typedef struct plumb_world plumb_world;
struct plumb_world {
    size_t struct_size;
    const char *object;    /* as the driver's list names it: "kv" */
    const char *at;        /* HOST:PORT of a service that runs already; NULL: start one */
    uint32_t nodes;        /* to be started */
    double timeout;        /* in seconds: an operation that takes longer is PLUMB_OUTCOME_UNKNOWN */
    void *private_details; /* not for drivers */

    /* The value of one of the driver's options: as given by --set NAME=VALUE, or its standard. */
    const char *(*option)(const plumb_world *w, const char *name);
    const char *(*host)(const plumb_world *w, uint32_t node); /* the address on which it listens: "127.0.0.1" */
    /* The port of a node; `which` tells several of one node apart (up to 4). Free when it was chosen. */
    uint16_t (*port)(const plumb_world *w, uint32_t node, uint32_t which);
    const char *(*folder)(const plumb_world *w, uint32_t node); /* of the node alone; it is empty at the start */
    /* Runs a command to its end, as the user under which servers run. */
    bool (*execute)(const plumb_world *w, const char *const *argv, char *why, size_t size);
    /* Starts the server of a node: this command, ended by NULL. After a fault the same one is started again. What it
     * prints becomes its log. */
    bool (*run)(const plumb_world *w, uint32_t node, const char *const *argv, char *why, size_t size);
};

typedef struct plumb_driver_object {
    const char *object;  /* its name: "kv", "queue" (plumb objects) */
    const char *methods; /* blank-separated: which of its methods the driver can do */
} plumb_driver_object;

typedef struct plumb_driver_option {
    const char *name;
    const char *standard;
    const char *choices; /* blank-separated; NULL: anything */
    const char *summary;
} plumb_driver_option;

typedef struct plumb_driver {
    size_t struct_size; /* sizeof(plumb_driver) */
    const char *name;
    const char *summary;
    const plumb_driver_object *objects;
    uint32_t object_count;
    const plumb_driver_option *options; /* may be NULL */
    uint32_t option_count;
    uint32_t most_nodes; /* 0: it starts nothing */
    uint32_t standard_nodes;

    /* Starts the servers (world->run), or notes where the running one is; returns the service, NULL: it cannot. */
    void *(*start)(const plumb_world *w, char *why, size_t size);
    /* Does this node answer? Asked again and again after start and after faults. May be NULL: it does. */
    bool (*ready)(void *service, uint32_t node);
    /* All nodes answer: what has to be there before the first operation. May be NULL. */
    bool (*prepare)(void *service, char *why, size_t size);
    /* A connection for one client. NULL: none now. */
    void *(*open)(void *service, uint32_t client, char *why, size_t size);
    /* One operation. What `result` points to stays until the next call for this connection. */
    enum plumb_outcome (*apply)(void *link, const plumb_request *op, plumb_value *result, char *why, size_t size);
    void (*close)(void *link);
    void (*stop)(void *service); /* frees it; its servers are ended by `plumb drive`. May be NULL */
    /* Its servers ask libc for the time of day and bear libfaketime, so that faults may set their clocks. Not so:
     * programs in Go, in Java, and with jemalloc. */
    bool clock_by_libc;
} plumb_driver;

/* What the shared object exports. */
extern const plumb_driver plumb_driver_definition;

#ifdef __cplusplus
}
#endif
#endif
