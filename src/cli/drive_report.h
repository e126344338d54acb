/* What came of a run of plumb drive: the verdict in words or JSON, and the files that are kept. */
#ifndef PLUMB_CLI_DRIVE_REPORT_H
#define PLUMB_CLI_DRIVE_REPORT_H

#include "drive/drive.h"

typedef struct drive_options {
    const char *object, *init, *exec, *faults, *at, *skew, *phases, *save, *html, *certificate;
    text set;
    uint64_t clients, ops, nodes, keys, rotate, rate, occupancy, seed;
    double time, every, lasts, timeout, reads, think, quiet_time;
    bool go_on, describe, json, quiet;
} drive_options;

/* Prints, writes the files, and returns the exit code. `name`: the driver; NULL with --exec. */
int drive_report(const drive_options *o, const char *name, drive_run *r);

#endif
