/* Many jobs on a few threads, with budgets that hold and a Ctrl-C that works at any moment. */
#ifndef PLUMB_CLI_SUPERVISE_H
#define PLUMB_CLI_SUPERVISE_H

#include "cli/job.h"

typedef struct supervision {
    job *jobs;
    uint32_t n;
    const job_settings *settings;
    unsigned workers;
    bool progress; /* a line on the terminal's stderr */
    bool say_understood;
    void (*finished)(void *context, uint32_t i, const report *r); /* in the order of the jobs, on the calling thread */
    void *context;
} supervision;

/* Blocks the signals that the supervisor listens to; to be called before any thread is made. */
void supervise_signals(void);
bool supervise_interrupted(void); /* has Ctrl-C been pressed so far? */

typedef struct supervised {
    int signal;       /* that ended it; 0: none */
    bool left_behind; /* threads still run: leave with _exit */
} supervised;

supervised supervise(const supervision *s);

/* Writes all of it, or gives up when interrupted. */
void emit(int fd, const char *p, size_t n);

#endif
