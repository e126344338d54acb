/* Which line of which source an assembly text is at, as its directives and markers say; complaints begin with it. */
#ifndef PLUMB_EXPLORE_COMPILE_ASSEMBLY_PLACE_H
#define PLUMB_EXPLORE_COMPILE_ASSEMBLY_PLACE_H

#include "base/text.h"
#include "explore/compile/statement.h"

enum { PLACE_FILES_MAX = 4096 };

typedef struct assembly_place {
    const char *source;          /* where the text names no file */
    char *file[PLACE_FILES_MAX]; /* of .file N "name" */
    char *name;                  /* where we are; NULL: not known */
    unsigned long line;
} assembly_place;

void place_set(assembly_place *p, text_piece file, unsigned long line);
void place_note_file(assembly_place *p, text_piece directive); /* .file */
void place_note_loc(assembly_place *p, text_piece directive);  /* .loc */
/* # 12 "file.c" 1: of gcc around inline assembly, and of the preprocessor; `mark` is "#", or "//" on arm64. False: the
 * line is something else. */
bool place_note_marker(assembly_place *p, text_piece line, const char *mark);
/* "file:line: statement: why" */
void place_complain(const assembly_place *p, text *complaints, text_piece what, const char *why);
void place_free(assembly_place *p);

#endif
