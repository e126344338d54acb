/* Loops whose failed iterations leave nothing behind, proved on the machine code of a linked program. facts.h says what
 * a listed loop promises, docs/proofs/compile.md why it holds. */
#ifndef PLUMB_EXPLORE_COMPILE_PURITY_H
#define PLUMB_EXPLORE_COMPILE_PURITY_H

#include "explore/compile/elf_file.h"
#include "explore/model/facts.h"

typedef struct pure_loops {
    loop_fact *at; /* sorted by pc */
    size_t size;
} pure_loops;

/* False: there is no decoder, nothing is known. */
bool purity_analyse(const elf_file *program, pure_loops *out);
void pure_loops_free(pure_loops *l);

#endif
