/* What a driver may ask for while it starts its service: addresses, ports, folders, processes. */
#ifndef PLUMB_DRIVE_WORLD_H
#define PLUMB_DRIVE_WORLD_H

#include "drive/service.h"

enum { WORLD_PORTS = 4 };

typedef struct world_details {
    keeper *keeper;
    const plumb_driver *driver;
    const char *set;
    const char *base; /* the folder of the run */
    bool clocked;
    char folder[KEEPER_NODES][512];
    char log[KEEPER_NODES][512];
    uint16_t port[KEEPER_NODES][WORLD_PORTS];
    char option[512];
    char host[KEEPER_NODES][32];
} world_details;

typedef struct driver_world {
    plumb_world w; /* what the driver sees */
    world_details details;
} driver_world;

bool driver_world_open(driver_world *w, const plumb_driver *d, const service_settings *s, keeper *k, error *e);
/* The value of NAME in "NAME=VALUE NAME=VALUE": where it begins, and its length. NULL: not there. */
const char *set_find(const char *set, const char *name, size_t *length);

#endif
