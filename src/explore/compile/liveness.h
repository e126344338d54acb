/* One function of a program: its control flow, where registers point into its stack, which registers and cells of
 * memory a loop writes, and which of them are live where. What is not understood reads everything; in a loop it refuses
 * the proof. */
#ifndef PLUMB_EXPLORE_COMPILE_LIVENESS_H
#define PLUMB_EXPLORE_COMPILE_LIVENESS_H

#include "explore/compile/hooks.h"
#include "explore/compile/machine_code.h"

enum { CELLS_MAX = 64 };

typedef enum cell_kind { CELL_STACK, CELL_FIXED, CELL_THREAD /* fs: */, CELL_POINTER, CELL_ANYWHERE } cell_kind;

typedef struct tracked_cell {
    cell_kind kind;
    int8_t base, index; /* CELL_POINTER */
    uint8_t scale;
    int64_t at; /* from the stack pointer at entry; the address; the displacement */
    unsigned size;
} tracked_cell;

/* Which registers are known to be the stack pointer at entry plus a constant. */
typedef struct pointers {
    bool reached;
    uint16_t known;
    int64_t offset[GENERAL];
} pointers;

typedef struct live_set {
    register_set registers;
    uint64_t cells;
} live_set;

typedef struct function {
    code code;
    hook *hook;        /* of each call */
    pointers *before;  /* each instruction */
    size_t (*next)[2]; /* SIZE_MAX: none */
    bool *exits;       /* goes on where we do not see it: everything is live */
    bool *leaves;      /* may end with a jump to another function */
    bool *in_loop;
    size_t *enter, *from; /* predecessors of i: from[enter[i]] up to from[enter[i + 1]] */
    size_t entry;
    live_set *live; /* before each instruction */
    bool escaped;   /* the address of something on the stack went where we do not follow */
    bool has_entry, hopeless;
    tracked_cell cell[CELLS_MAX]; /* that the loop writes */
    unsigned cells;
} function;

void function_prepare(function *f); /* of `code` and `entry` */
void function_free(function *f);

/* The instructions on cycles through one: reached from it, and reaching it. False when there is no cycle. */
bool find_loop(function *f, size_t head);
/* What the loop writes: registers, and `f->cell`. False: something in it is not understood, calls away, or writes where
 * we cannot follow. */
bool collect_writes(function *f, register_set *registers);
void solve_liveness(function *f); /* of registers and of the cells that the loop writes */

bool result_is_unused(const function *f, size_t i); /* with liveness solved: nothing looks at what it leaves */

tracked_cell resolve(const function *f, size_t i, const memory_operand *m);
tracked_cell expected_cell(
    const function *f, size_t call); /* where a compare-and-swap finds its expected value, and leaves what it found */
bool cells_overlap(const tracked_cell *a, const tracked_cell *b); /* of one kind */
bool cell_replaces(const function *f, size_t i, const tracked_cell *write, const tracked_cell *c);
extern const register_set clobbered; /* by calls */

#endif
