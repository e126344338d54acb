/* The machine: real code, compiled through `plumb cc`, run in fibers, one step at a time. It is a world (explore/world.h) for
 * strategies. Lives in libplumbline-explore.so, inside the process of the program under test.
 *
 * Before the first execution the machine keeps a copy of everything the program can change; each execution starts from it. */
#ifndef PLUMB_EXPLORE_INSIDE_MACHINE_H
#define PLUMB_EXPLORE_INSIDE_MACHINE_H

#include "explore/world.h"
#include <plumbline/test.h>

typedef enum reuse { REUSE_NEWEST, REUSE_OLDEST, REUSE_CHOOSE, REUSE_NEVER } reuse; /* which freed block malloc hands out again */

typedef struct machine_options {
    reuse reuse;
    uint32_t most_steps;
    bool races_fatal;     /* data races on plain accesses end the execution; else they are counted and listed */
    bool leaks;           /* memory still allocated at the end is a failure */
    bool use_after_free_reads; /* reads too, not only writes */
    bool filter;          /* learn which memory is shared; off: every plain access of non-stack memory is a step */
    bool blocking;        /* await and retry blocking, for loops proved pure */
} machine_options;

/* What runs: the declared items with a list of threads, or a `main`. */
typedef struct scenario scenario;
scenario *scenario_parse(const char *text, const plumb_item *items, char *wrong, size_t room); /* "enq(1) : enq(2) deq | deq" */
void scenario_free(scenario *s);

bool machine_open(const machine_options *o, char *wrong, size_t room);
void machine_program(const scenario *s);                 /* from now on executions run this */
void machine_program_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp);
world *machine_world(void);
ending machine_run(world *w, const driver *d);            /* a world_run */

#endif
