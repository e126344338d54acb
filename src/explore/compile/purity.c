#include "explore/compile/purity.h"

#include <stdlib.h>

bool purity_analyse(const elf_file *program, pure_loops *out) {
    (void)program;
    *out = (pure_loops){0};
    return false;
}

void pure_loops_free(pure_loops *l) { free(l->at); }
