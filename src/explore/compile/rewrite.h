/* The assembly text that a compiler made, with a call of __plumb_asm before every memory access that -fsanitize=thread
 * did not see: all of inline assembly, and fences and locked instructions that the compiler made by itself. */
#ifndef PLUMB_EXPLORE_COMPILE_REWRITE_H
#define PLUMB_EXPLORE_COMPILE_REWRITE_H

#include "base/text.h"
#include "explore/compile/statement.h"

typedef struct rewrite_options {
    const char *source; /* for messages where the text names no file */
    bool by_hand;       /* the whole text was written by hand: a .s or .S file */
} rewrite_options;

typedef struct rewrite_result {
    unsigned hooks;   /* inserted */
    unsigned refused; /* statements that were not understood; they are left as they were */
} rewrite_result;

/* For the processor of this command. Refused statements are described in `complaints`, one line each:
 * "file:line: statement: why". */
rewrite_result rewrite_assembly(text_piece in, const rewrite_options *o, text *out, text *complaints);
/* x86-64: what inline assembly does to memory is hooked, instruction by instruction. */
rewrite_result rewrite_x86_64(text_piece in, const rewrite_options *o, text *out, text *complaints);
/* arm64: accesses in inline assembly are refused by name; the compiler's own code needs no hooks beside the compiler's.
 */
rewrite_result rewrite_arm64(text_piece in, const rewrite_options *o, text *out, text *complaints);

/* Section in every object that we made; the link-time check knows ours by it. */
#define MARKER_SECTION ".plumb.cc"
#define MARKER_TEXT "\t.section " MARKER_SECTION ",\"\",@progbits\n\t.asciz \"plumb cc\"\n"

#endif
