/* The machine: real code, compiled through `plumb cc`, run in fibers, one step at a time. It is a world
 * (explore/model/world.h) for strategies. Lives in libplumbline-explore.so, inside the process of the program under
 * test.
 *
 * Before the first execution the machine keeps a copy of everything the program can change; each execution starts from
 * it. */
#ifndef PLUMB_EXPLORE_INSIDE_MACHINE_H
#define PLUMB_EXPLORE_INSIDE_MACHINE_H

#include "explore/model/world.h"
#include <plumbline/test.h>

/* which freed block malloc hands out again */
typedef enum reuse { REUSE_NEWEST, REUSE_OLDEST, REUSE_CHOOSE, REUSE_NEVER } reuse;

typedef struct machine_options {
    reuse reuse;
    uint32_t most_steps;
    uint32_t timeouts;         /* timed waits of a thread that may run out by choice */
    uint32_t spurious;         /* failures of weak compare-and-swaps, and as many ends of waits, without a reason */
    uint32_t alloc_failures;   /* calls of malloc that may fail, in an execution */
    uint32_t signals;          /* that come, in an execution */
    bool races_fatal;          /* data races on plain accesses end the execution; else they are counted and listed */
    bool leaks;                /* memory still allocated at the end is a failure */
    bool use_after_free_reads; /* reads too, not only writes */
    bool filter;               /* learn which memory is shared; off: every plain access of non-stack memory is a step */
    bool blocking;             /* await and retry blocking, for loops proved pure */
    bool messages;             /* atomic accesses choose which write they read: for strategies of graphs */
    bool buffers;              /* stores go through buffers: x86-TSO */
    bool no_spinning;          /* do not take a thread that reads the same again and again for one that waits */
} machine_options;

/* What runs: the declared items with a list of threads, or a `main`. */
typedef struct scenario scenario;
/* "enq(1) : enq(2) deq | deq" */
scenario *scenario_parse(const char *words, const plumb_item *items, char *wrong, size_t room);
void scenario_free(scenario *s);
const plumb_item *items_registered(void); /* in the order they were declared */

bool machine_open(const machine_options *o, char *wrong, size_t room);
void machine_program(const scenario *s); /* from now on executions run this */
void machine_program_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp);
world *machine_world(void);
ending machine_run(world *w, const driver *d); /* a world_run */

/* take executions up where the one before passed (standard), or never */
void machine_snapshots(bool wanted);
uint64_t machine_taken_up(void); /* how many were */

/* What the machine has learned of the program decides where its steps are: a schedule is replayed with the same
 * knowledge. */
uint32_t machine_shared(const uintptr_t **list); /* in force in the last execution */
/* Memory of plain and atomic accesses: who does not know of it might not count the first execution that shows it. */
uint32_t machine_mixed(uintptr_t *out, uint32_t room);
/* All it has learned, for another process of the same program: returns how much. */
uint32_t machine_knowledge(uintptr_t *out, uint32_t room);
void machine_tell(const uintptr_t *list, uint32_t n);
void machine_learn(unsigned executions); /* runs at random until so many in a row teach nothing new */

/* What a report has to tell. */
typedef struct machine_race {
    uintptr_t pc[2];
    uintptr_t address;
    uint8_t thread[2];
    bool write[2];
    uint64_t seen;
} machine_race;
unsigned machine_races(const machine_race **list);
unsigned machine_spins(const uintptr_t **pcs); /* taken for waiting by their behaviour alone: not proved */
/* As machine_run, and notes which operations wait for another thread or repeat a loop because of one: progress.c. */
typedef struct machine_wait {
    const plumb_item *operation;
    uintptr_t pc;
    bool repeats; /* a loop; else: cannot go on before another thread does something */
} machine_wait;
void machine_watch(bool progress); /* without it machine_run_watched is machine_run */
ending machine_run_watched(world *w, const driver *d);
unsigned machine_waits(const machine_wait **list);
unsigned machine_awaits(const uintptr_t **pcs); /* blocked because their loop is pure, proved or annotated */

/* Facts proved on the machine code; weak here: nothing is known. A thread that comes to the hook of a pure loop again,
 * in the same activation of its function, with the same arguments and without a write that was a step, is as it was. A
 * failed compare-and-swap at pc does the work of the load at `first`. */
bool loop_is_pure(uintptr_t pc);
bool loop_cas_loads(uintptr_t pc, uintptr_t *first);

/* One execution in every detail: from now on, every block that is allocated is remembered. */
typedef struct machine_block {
    uintptr_t address, pc;
    size_t size;
    uint32_t from, to; /* steps executed when it was allocated, freed; NO_STEP: never freed */
    uint8_t thread;
} machine_block;
void machine_detail(bool wanted);
uint32_t machine_blocks(const machine_block **list);
/* The memory of the program as it is now: global variables and the heap. */
void machine_each_memory(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size), void *context);
/* Whose memory an address is; false: the heap's, a variable of the program's, or in no area that is known. */
typedef struct machine_region {
    char kind; /* region_kind */
    unsigned thread;
    uintptr_t address;
    size_t size;
    char name[120]; /* of a library, or of its variable; empty: of the program */
} machine_region;
bool machine_region_of(uintptr_t address, machine_region *out);
bool machine_owns(uintptr_t pc); /* code of the program under test */

#endif
