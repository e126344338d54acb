/* What SOAR and CLMT (Guerraoui and Vukolic, "A scalable and oblivious atomicity assertion", CONCUR 2008) look at: the
 * writes of a single-writer register in their order, the initial one first, and the reads that returned. A write that
 * never returned returns after everything. */
#ifndef PLUMB_ENGINE_GENERAL_SINGLE_WRITER_H
#define PLUMB_ENGINE_GENERAL_SINGLE_WRITER_H

#include "engine/engine.h"

typedef struct write_op {
    uint32_t op;        /* of the history; UINT32_MAX: the initial write */
    uint32_t call, ret; /* ranks, one later than in the history: 0 is the initial write's */
    value v;
} write_op;

typedef struct read_op {
    uint32_t op;
    uint32_t call, ret;
    value v;
    uint32_t write; /* for the engine: the write it comes right after */
} read_op;

typedef struct single_writer {
    write_op *write;
    uint32_t writes;
    read_op *read; /* by call */
    uint32_t reads;
} single_writer;

/* False: two writes overlap, which says why in out. */
bool single_writer_gather(const problem *p, single_writer *s, outcome *out);
void single_writer_free(single_writer *s);
/* Each write, then the reads that name it, by call. */
void single_writer_witness(const single_writer *s, outcome *out);

#endif
