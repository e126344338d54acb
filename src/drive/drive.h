/* One run: a service is started, loaded, broken and judged, until the time is over, a violation was found, or it is
 * told to stop. */
#ifndef PLUMB_DRIVE_DRIVE_H
#define PLUMB_DRIVE_DRIVE_H

#include "drive/faults.h"
#include "drive/live_judge.h"
#include "drive/load.h"
#include "drive/service.h"

typedef struct drive_status { /* while it runs */
    double seconds;
    const load_counts *counts;
    uint32_t open, faults;
    double judged; /* seconds: the time of the last event that was judged */
    const monitor *monitor;
} drive_status;

typedef struct drive_settings {
    const char *driver, *exec; /* one of them */
    const char *object, *init, *faults;
    service_settings service;
    load_settings load;
    double seconds, quiet, every, lasts; /* of the load; of the quiet end at most; of faults */
    bool go_on;
    const _Atomic int *stop;
    void (*look)(void *context, const drive_status *now); /* several times a second; may be NULL */
    void *context;
} drive_settings;

typedef struct drive_run {
    text folder, history; /* what servers wrote, and the history in it; removed by drive_close */
    text trouble;         /* what the service said last when an operation did not succeed */
    text unhealed;        /* why a fault could not be ended: what came afterwards is without that node */
    live_judge judge;
    load_counts counts;
    uint32_t nodes, faults;
    double seconds;
    bool interrupted, isolated;
    const char *object; /* its name */
    /* ---- its own ---- */
    unsigned kinds, needs; /* of faults; fault_need, together */
    reel reel;
    keeper *keeper;
    service_driver *driver;
    service *service;
    load *load;
    faults *nemesis;
} drive_run;

/* False with the error set: it could not begin. Call drive_close in any case. */
bool drive(const drive_settings *s, drive_run *r, error *e);
void drive_close(drive_run *r);

#endif
