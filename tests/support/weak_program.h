/* Small programs with atomics of every order, for tests of execution graphs: a world that runs them, and an enumerator
 * written from the axioms, which shares no code with the explorer. */
#ifndef PLUMB_TESTS_WEAK_PROGRAM_H
#define PLUMB_TESTS_WEAK_PROGRAM_H

#include "explore/model/memory_model.h"
#include "explore/model/update.h"
#include "explore/model/world.h"

#include <stdio.h>

typedef enum weak_op {
    WEAK_LOAD,
    WEAK_STORE,
    WEAK_ADD,
    WEAK_EXCHANGE,
    WEAK_CAS,
    WEAK_FENCE,
    WEAK_SKIP_UNLESS, /* register `from` is not `expected`: the next `value` instructions are left out */
    WEAK_LOCK,
    WEAK_UNLOCK,
} weak_op;

enum { WEAK_THREADS = 4, WEAK_CODE = 6, WEAK_PLACES = 4, WEAK_REGISTERS = 6, WEAK_NO_REGISTER = 255 };

typedef struct weak_instruction {
    uint8_t op, place, order, order_failed;
    uint8_t to, from; /* registers; from WEAK_NO_REGISTER: `value` alone, else their sum */
    int8_t value, expected;
} weak_instruction;

typedef struct weak_program {
    weak_instruction code[WEAK_THREADS][WEAK_CODE];
    unsigned length[WEAK_THREADS];
    unsigned threads;
} weak_program;

/* Registers of all threads, then the places' last values. */
typedef struct weak_outcome {
    int8_t value[WEAK_THREADS * WEAK_REGISTERS + WEAK_PLACES];
} weak_outcome;

typedef struct weak_outcomes {
    weak_outcome *at; /* distinct */
    uint32_t n, room;
    uint64_t graphs;  /* distinct ones */
    uint64_t blocked; /* executions in which a thread waited at the end */
} weak_outcomes;
void weak_outcomes_add(weak_outcomes *o, const weak_outcome *a);
bool weak_outcomes_equal(const weak_outcomes *a, const weak_outcomes *b);

/* All complete graphs of the model, from its axioms. */
void weak_enumerate(const weak_program *p, memory_model m, weak_outcomes *out);
/* All outcomes under x86-TSO, by a machine of states with store buffers; the number of graphs is not known. */
void weak_buffer_machine(const weak_program *p, weak_outcomes *out);
/* Every execution of the strategy `graphs`; false: it diverged, or a graph was run twice. */
bool weak_explore(const weak_program *p, memory_model m, weak_outcomes *out);
void weak_print(const weak_program *p, FILE *to);
/* "x=1@rlx; r1=y@acq || r1=add(x,1)@ar; F@sc": orders rlx acq rel ar sc. */
void weak_read(const char *from, weak_program *p);

#endif
