/* A hunt: test programs one after the other, smallest first, over a few processes, under one time budget, until one
 * fails; then the smallest part of it that still fails. */
#ifndef PLUMB_EXPLORE_OUTSIDE_HUNT_H
#define PLUMB_EXPLORE_OUTSIDE_HUNT_H

#include "explore/outside/checkpoint.h"
#include "explore/outside/programs.h"
#include "explore/outside/session.h"

typedef struct hunt hunt;

/* Before a program is explored: what it is compared with may have to be made, and `r` be told of it. */
typedef enum prepared {
    PREPARED,
    PREPARED_FAILED, /* the program fails already: the answer says how */
    PREPARED_NOT,    /* out of time: the program cannot be explored */
    PREPARED_ERROR,
} prepared;
typedef prepared hunt_prepare(void *context, const char *threads, run_request *r, run_answer *failed, error *e);

/* Programs are explored elsewhere: `run` is called by as many threads as there are jobs, and waits for the answer. */
typedef struct hunt_elsewhere {
    void *context;
    bool (*run)(void *context, const run_request *r, run_answer *out, error *e);
    void (*end)(
        void *context); /* no more answers are wanted: `run` returns soon, with a program that is not explored */
} hunt_elsewhere;

typedef struct hunt_options {
    const char *binary;
    char *const *argv;
    run_request how;            /* threads are the hunt's business */
    const char *const *threads; /* programs written down; NULL: those of the space, or main when there is none */
    unsigned threads_n;
    hunt_prepare *prepare; /* called by several threads; NULL: nothing to be done */
    void *prepare_context;
    const program_space *space; /* programs to be made; NULL: none */
    /* a schedule of the program first_threads that is tried before everything else; NULL: none */
    const char *first;
    const char *first_threads; /* NULL: of main */
    unsigned jobs;             /* processes */
    double seconds;            /* for everything */
    /* this part of it once an order weaker than seq_cst, or inline assembly on shared memory, was seen: the rest is for
     * another memory model; 0: all */
    double weak_share, assembly_share;
    bool all;                        /* do not stop at a failure */
    bool keep_size;                  /* do not look for a smaller failing program */
    const _Atomic int *stop;         /* set from a signal handler */
    const hunt_elsewhere *elsewhere; /* NULL: in processes of here */
    checkpoint *checkpoint;          /* what was explored before, and will have been; NULL: none */
    /* a few times a second, from one thread at a time; NULL: not wanted */
    void (*progress)(void *context, const hunt *h);
    void *context;
} hunt_options;

typedef struct program_result {
    char *threads; /* NULL: main */
    run_answer answer;
} program_result;

struct hunt {
    uint64_t programs; /* explored, completely or not */
    uint64_t complete; /* of these: every interleaving */
    uint64_t bounded;  /* of these: every one with at most `preemptions` preemptions */
    uint64_t begun;    /* of these: not even those without preemption */
    bool made;         /* the programs were made up, not written down */
    uint64_t drawn;    /* larger ones drawn by lot, which no coverage is claimed of */
    uint64_t executions, steps, histories;
    uint64_t states;   /* that were told apart, of all programs; 0: none were compared */
    uint64_t blocked;  /* of the executions, of graphs: a thread waited at the end that goes on in another one */
    unsigned largest;  /* operations of the largest program begun */
    bool passed_again; /* the schedule that failed earlier was tried first and does not fail any more */
    bool all_programs; /* there was none left */
    bool stopped;      /* the user or the clock ended it */
    int preemptions;   /* see bounded; -1: there is none such */
    double seconds;
    campaign_result so_far; /* of a program that is being explored: for progress */

    bool failed;
    program_result failure; /* the first, as small as it could be made */
    unsigned shrunk_from;   /* operations before it was made smaller; 0: it was not */
    bool parts_left;        /* not every smaller part of it was explored to its end */
    outcome_list outcomes;  /* of all programs: what executions came to */
    order_site *order;      /* memory orders that the code asked for, of graphs */
    unsigned orders;
    text notes;      /* each once */
    coverage limits; /* of all programs, and of how they are made */
};

bool hunt_run(const hunt_options *o, hunt *out, error *e);
void hunt_free(hunt *h);
unsigned threads_operations(const char *threads); /* how many operations a program has */

/* shrink.c: the programs that come from leaving operations out of this one, fewest operations first; `each` returns
 * false to stop. False: there are too many of them. */
bool programs_within(const char *threads, bool (*each)(void *context, const char *smaller), void *context);
/* Without one call, counted from 0. False: there is no such call, or no other, or there are very many. */
bool program_without(const char *threads, unsigned call, text *out);

#endif
