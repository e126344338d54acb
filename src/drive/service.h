/* A service under load: a driver (plumbline/driver.h) or programs that speak lines of JSON (--exec), behind one face.
 * */
#ifndef PLUMB_DRIVE_SERVICE_H
#define PLUMB_DRIVE_SERVICE_H

#include "base/error.h"
#include "drive/keeper.h"
#include "object/object.h"
#include "plumbline/driver.h"

typedef struct service service;
typedef struct service_link service_link; /* the connection of one client */

typedef struct service_settings {
    const char *object; /* "kv"; NULL: the first that the driver has */
    const char *at;     /* HOST:PORT; NULL: started by us */
    const char *set;    /* NAME=VALUE, blank-separated; may be NULL */
    uint32_t nodes;     /* 0: as the driver has it */
    double timeout;
    const char *folder; /* for everything that the servers write */
    bool networked;     /* nodes are in network namespaces of their own */
    bool clocked;       /* nodes have clocks that can be set */
    bool clients_die;   /* programs of clients are killed and paused by faults */
} service_settings;

struct service {
    service_settings settings;
    keeper *keeper;
    values *values;
    const object *o;
    uint32_t nodes;                  /* that run under the keeper */
    uint16_t method[OBJECT_METHODS]; /* by the object's method: the driver's; SERVICE_LACKS */
    service_link *(*open)(service *s, uint32_t client, text *why);
    enum plumb_outcome (*apply)(service_link *l, const operation *op, value *res, text *why);
    void (*close)(service_link *l);
    bool (*ready)(service *s, uint32_t node); /* may be NULL */
    void (*stop)(service *s);
};

enum { SERVICE_LACKS = UINT16_MAX };

/* ---- drivers ---- */
typedef struct service_driver service_driver;

/* By name ("redis") or path ("./mine.so"). NULL with the error set, one line, when it is not there or cannot be
 * loaded. */
service_driver *driver_load(const char *name, error *e);
void driver_unload(service_driver *d);
const plumb_driver *driver_definition(const service_driver *d);
/* Checks object, options and nodes against what the driver has; fills in what was not given. */
bool driver_settle(const service_driver *d, service_settings *s, error *e);
/* Starts the service and waits until all nodes answer. `o` and `v` must outlive it. */
service *driver_start(service_driver *d, const service_settings *s, keeper *k, const object *o, values *v, error *e);

/* ---- programs ---- */
/* One process for each client, run by the shell. */
service *exec_start(const char *command, const service_settings *s, keeper *k, const object *o, values *v);

void service_stop(service *s);
/* Until the node answers, its process ends, or `seconds` have passed. */
bool service_wait(service *s, uint32_t node, double seconds, text *why);

#endif
