/* Objects that other compilers made, taken in: disassembled, held against what they were, and given hooks for every
 * access, as assembly written by hand is. What cannot be taken in stays foreign (lint.h). */
#ifndef PLUMB_EXPLORE_COMPILE_FOREIGN_H
#define PLUMB_EXPLORE_COMPILE_FOREIGN_H

#include "base/error.h"
#include "explore/compile/file.h"
#include "explore/compile/places.h"

typedef struct foreign_objects {
    word_list input;  /* as the linker's map names them */
    word_list object; /* what each became; "": it could not be taken in */
    text why;         /* of those a line each */
} foreign_objects;

/* Takes in what is foreign among these and was not tried before. True: the link has to be done again with them. */
bool foreign_take(foreign_objects *o, const word_list *inputs, const compiler *c, const scratch_folder *s);
/* Arguments of the linker with objects in the place of what was taken in; what was in archives comes first. */
void foreign_link(const foreign_objects *o, const word_list *link, word_list *command);
void foreign_free(foreign_objects *o);

#endif
