/* Which memory an instruction touches, and how: the table of all x86-64 instructions that inline assembly may use. What
 * is not in the table and has a memory operand is refused: a guess here would be an interleaving that no run
 * explores. */
#ifndef PLUMB_EXPLORE_COMPILE_INSTRUCTION_H
#define PLUMB_EXPLORE_COMPILE_INSTRUCTION_H

#include "explore/compile/statement.h"

typedef struct access {
    unsigned code;      /* as in facts.h; 0: no hook is needed */
    text_piece operand; /* the memory operand, without segment; empty for fences, pauses and string instructions */
    int displacement;   /* to be added: pop computes its address after the stack pointer moved */
} access;

/* NULL, or why the instruction is refused. `function` is true in functions written in assembly, where returning and
 * calling are what functions do. */
const char *instruction_access(const statement *s, bool function, access *out);
/* Of instructions that the compiler made itself: must it be hooked although it is not inline assembly? */
bool instruction_hides(const statement *s);

#endif
