/* One execution in every detail, as the program under test reported it: for people, and for the check of its
 * history. */
#ifndef PLUMB_EXPLORE_MODEL_EXECUTION_H
#define PLUMB_EXPLORE_MODEL_EXECUTION_H

#include "base/error.h"
#include "explore/model/talk.h"
#include "explore/model/world.h"
#include "history/history.h"

typedef struct executed_operation {
    char *method;
    unsigned thread, nargs;
    int64_t arg[OPERATION_ARGS];
    char *result;                /* as value_encode writes it; NULL: has not returned */
    uint32_t first, last;        /* steps; NO_STEP: alone */
    uint32_t call_at, return_at; /* position among all calls and returns */
    bool buffered;               /* x86-TSO: it returned with stores in the buffer */
} executed_operation;

typedef struct executed_step {
    unsigned thread;
    step step;
    /* of a read of an execution graph: the step that wrote what it read, and the newest write if that is another one;
     * NO_STEP: what was there before, or none */
    uint32_t from, missed;
} executed_step;

/* By the steps that there are. */
typedef enum execution_model { EXECUTION_INTERLEAVED, EXECUTION_BUFFERED, EXECUTION_GRAPH } execution_model;

typedef struct heap_block { /* what malloc handed out */
    uintptr_t address;
    size_t size;
    unsigned thread;
    uintptr_t pc;      /* of the call that asked for it */
    uint32_t from, to; /* steps executed when it was allocated, freed; NO_STEP: never freed */
} heap_block;

typedef struct memory_piece { /* what memory held before the first step: globals and blocks */
    uintptr_t address;
    size_t size;
    uint8_t *bytes;
} memory_piece;

/* Memory that is neither heap nor a variable of the program itself. */
typedef enum region_kind { REGION_STACK = 's', REGION_THREAD_LOCAL = 't', REGION_FOREIGN = 'f' } region_kind;
typedef struct memory_region {
    region_kind kind;
    unsigned thread; /* its owner; not of REGION_FOREIGN */
    uintptr_t address;
    size_t size;
    char *name; /* a variable or file of a library; "": thread-local variables of the program itself, stacks */
} memory_region;

typedef struct execution {
    executed_operation *op;
    uint32_t ops;
    executed_step *step;
    uint32_t steps;
    execution_model model;
    heap_block *block;
    uint32_t blocks;
    memory_piece *memory;
    uint32_t memories;
    memory_region *region;
    uint32_t regions;
    failure_kind failure;
    char *message;
} execution;

/* One line of the answer to `replay`. False: not a line about an execution. */
bool execution_take(execution *x, const talk_line *line);
void execution_free(execution *x);
/* Its calls and returns as a history; client = thread. */
history *execution_history(const execution *x, const char *file, error *e);
const char *failure_name(failure_kind k); /* "use after free" */

/* The child's half: writing the same. */
void talk_operation(text *out, const char *method, const explored_operation *op, const values *v);
/* A whole history in one line: operations by thread as "thread,method,argument;argument,returned-before,result ". The
 * caller ends the line. */
void talk_history(text *out, const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events,
                  const values *v);
/* `read`: what it read in an execution graph; NULL: it is no step of one that reads. */
void talk_step(text *out, unsigned thread, const step *s, const read_message *read);
void talk_block(text *out, const heap_block *b);
void talk_region(text *out, const memory_region *r);
void talk_memory(text *out, uintptr_t address, const void *bytes, size_t size);

#endif
