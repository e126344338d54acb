/* The name of what a call goes to: a function of the program, or one of a shared library through its stub. */
#ifndef PLUMB_EXPLORE_COMPILE_CALLEE_H
#define PLUMB_EXPLORE_COMPILE_CALLEE_H

#include "explore/compile/elf_file.h"

const char *callee_at(const elf_file *f, uint64_t address);      /* "" when not known */
const char *callee_in_slot(const elf_file *f, uint64_t address); /* of the table entry that the dynamic linker fills */

#endif
