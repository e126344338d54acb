/* Worlds for strategies made of nothing but numbers: threads are lists of small instructions on a few cells of real
 * memory.
 *
 * Thread 0 is there from the start; others are spawned. A thread that is alone is not asked about, as in the real
 * machine. */
#ifndef PLUMB_TESTS_TOY_WORLD_H
#define PLUMB_TESTS_TOY_WORLD_H

#include "explore/strategy/strategy.h"

typedef enum toy_op {
    /* d = old value; CAS: d = 1 on success, 0 on failure */
    TOY_READ,
    TOY_WRITE,
    TOY_CAS,
    TOY_ADD,
    TOY_EXCHANGE,
    /* as EXCHANGE of x, waits while the cell is x already */
    TOY_AWAIT_EXCHANGE,
    TOY_LOCK,
    TOY_TRYLOCK,
    TOY_UNLOCK,
    TOY_RDLOCK,
    TOY_RDUNLOCK,
    TOY_WAIT,
    TOY_WAKE,
    TOY_SIGNAL,
    TOY_ACQUIRE,
    TOY_RELEASE,
    TOY_SPAWN,
    TOY_JOIN,
    TOY_YIELD,
    TOY_CHOOSE, /* d = one of 0 .. x-1 */
    TOY_SET,
    TOY_PLUS,
    TOY_JUMP_IF_EQUAL,
    TOY_JUMP_IF_DIFFERENT,
    TOY_JUMP,   /* no other thread sees these */
    TOY_CALL,   /* method x with argument y (none when negative) */
    TOY_RETURN, /* x; negative: empty */
    TOY_RETURN_NONE,
    TOY_ASSERT_DIFFERENT, /* fails when x == y */
    TOY_END
} toy_op;

typedef struct toy_operand {
    bool is_register;
    int32_t n;
} toy_operand;

typedef struct toy_instruction {
    uint8_t op, d; /* d: register that receives */
    /* of a pure loop: with `retry` a thread that comes here again without an effect stops for good */
    bool loop_head;
    toy_operand cell; /* memory: the number of a cell, or a register that has it */
    uint8_t offset;   /* added to it */
    toy_operand x, y;
    int16_t target; /* of jumps, absolute */
} toy_instruction;

enum { TOY_THREADS = 8, TOY_CODE = 96, TOY_CELLS = 256, TOY_REGISTERS = 8, TOY_OPERATIONS = 40 };

typedef struct toy_program {
    toy_instruction code[TOY_THREADS][TOY_CODE];
    unsigned length[TOY_THREADS];
    unsigned threads;
    uint8_t group[TOY_THREADS];
    int64_t initial[TOY_CELLS];
    bool retry;
    uint32_t most_steps;
} toy_program;

#define TOY_R(r) ((toy_operand){true, (r)})
#define TOY_N(n) ((toy_operand){false, (n)})

toy_instruction *toy_emit(toy_program *p, unsigned thread, toy_op op, unsigned d, toy_operand cell, toy_operand x,
                          toy_operand y);
unsigned toy_here(const toy_program *p, unsigned thread); /* the number of the next instruction */

world *toy_open(const toy_program *p);
void toy_close(world *w);
ending toy_run(world *w, const driver *d);
/* The last step and cells of the last execution, for tests that compare executions bit by bit. */
uint64_t toy_fingerprint(const world *w);
void toy_print(const toy_program *p);

#endif
