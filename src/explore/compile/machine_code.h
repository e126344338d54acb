/* What machine instructions read and write, as far as the proof of purity (purity.h) wants to know. */
#ifndef PLUMB_EXPLORE_COMPILE_MACHINE_CODE_H
#define PLUMB_EXPLORE_COMPILE_MACHINE_CODE_H

#include "explore/compile/elf_file.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, GENERAL, NO_REGISTER = -1 };

/* Sets of registers: one bit each; bits 0..15 general, 16 the flags, 32..63 the vectors. */
typedef uint64_t register_set;
#define FLAGS_BIT (UINT64_C(1) << 16)
#define VECTOR_BIT(n) (UINT64_C(1) << (32 + (n)))
#define VECTORS (UINT64_C(0xffffffff) << 32)
#define BIT(r) (UINT64_C(1) << (r))

typedef struct memory_operand {
    bool used;
    bool fs;
    int8_t base, index; /* NO_REGISTER: none */
    uint8_t scale, size;
    int64_t disp; /* absolute address when there is no base: rip is resolved */
} memory_operand;

typedef enum flow {
    FLOW_NEXT,
    FLOW_JUMP,
    FLOW_BRANCH /* conditional */,
    FLOW_CALL,
    FLOW_RETURN,
    FLOW_STOP,
    FLOW_ANYWHERE /* indirect */
} flow;

/* How a register that points into the stack is made from another. */
typedef enum pointer_move {
    POINTER_NONE,
    POINTER_COPY /* to = from + add */,
    POINTER_PUSH,
    POINTER_POP,
    POINTER_LEAVE
} pointer_move;

typedef enum condition { CONDITION_OTHER, CONDITION_EQUAL, CONDITION_DIFFERENT } condition;

typedef struct instruction {
    uint64_t address;
    uint8_t length;
    flow flow;
    uint64_t target;    /* of a jump or call; 0: not known */
    const char *callee; /* of a call or jump: name of the function that begins at the target; "" when not known */
    bool padding;       /* does nothing */
    bool unknown;       /* reads everything, writes anything */
    /* `writes` replaces the whole register, `partial` only a part, or maybe nothing */
    register_set reads, writes, partial;
    /* those of `reads` that are computed with or stored, not only used as addresses */
    register_set values;
    memory_operand load, store;
    bool atomic;           /* the store has a lock prefix: the hook before it reports it */
    condition condition;   /* of a branch */
    int8_t compared[2];    /* general registers that a comparison looks at; NO_REGISTER: not two registers */
    uint8_t compared_size; /* bytes; 0: no comparison */
    bool compared_bits;    /* test: their conjunction with zero */
    bool compared_number;  /* the second is this number */
    int64_t compared_with;
    bool constant; /* a register becomes this number */
    int64_t number;
    pointer_move pointer;
    int8_t to, from;
    int64_t add;
} instruction;

typedef struct code { /* instructions in the order of their addresses */
    instruction *at;
    size_t size, room;
    bool wide; /* registers wider than xmm occur */
} code;

bool code_decoder_available(void);
/* Adds the instructions of a range; false when something is no instruction. Names of callees live as long as the
 * file. */
bool code_decode(code *c, const elf_file *f, uint64_t address, uint64_t size);
size_t code_find(const code *c, uint64_t address); /* c->size: none begins there */
void code_free(code *c);

#endif
