/* A relocatable object that another compiler made, as assembly text: what the rewriter can put hooks into. Code is
 * written instruction by instruction, with a label before each, so that it may grow; data keeps its layout. */
#ifndef PLUMB_EXPLORE_COMPILE_DISASSEMBLE_H
#define PLUMB_EXPLORE_COMPILE_DISASSEMBLE_H

#include "base/text.h"
#include "explore/compile/elf_file.h"

/* `padded`: with the bytes between functions and before loops, which makes it the same object again when it is
 * assembled; without them it is the text to be rewritten. False with `why`: there is something in it that is not
 * understood. */
bool disassemble(const elf_file *f, bool padded, text *out, text *why);

/* Is `again`, assembled from the padded text, the same: code and data byte by byte, relocations one by one? */
bool disassembly_holds(const elf_file *f, const elf_file *again, text *why);

#endif
