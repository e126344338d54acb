/* What the compiler left for debuggers, as far as explanations need it: source lines of code addresses, names and types
 * of global variables, members of structures. Read with libdw; without it (or without -g) everything is simply
 * unknown. */
#ifndef PLUMB_EXPLORE_OUTSIDE_DEBUG_INFO_H
#define PLUMB_EXPLORE_OUTSIDE_DEBUG_INFO_H

#include "base/text.h"

#include <stdint.h>

typedef struct debug_info debug_info;
typedef uint32_t type_id; /* 0: unknown */

enum { PLACE_CALLS = 3 };

typedef struct code_place {
    const char *file; /* NULL: unknown; as the compiler was given it */
    unsigned line;
    const char *function; /* that the line stands in, inlined ones included; NULL: unknown */
    /* Where headers were inlined into each other: the line is that of the outermost, and these are inside of it, one in
     * the other. */
    struct {
        const char *file;
        unsigned line;
    } call[PLACE_CALLS];
    unsigned calls;
    const char *caller; /* of a single installed header: where the source calls it; NULL: not such a place */
    unsigned caller_line;
} code_place;

typedef struct global_variable {
    const char *name;
    uintptr_t address; /* of a thread-local one: how far into the block of each thread */
    size_t size;
    type_id type;
    bool thread_local_one;
} global_variable;

debug_info *debug_info_open(const char *binary); /* NULL: nothing can be known */
void debug_info_close(debug_info *d);
/* Of the call that returns to `pc`. */
code_place debug_info_line(debug_info *d, uintptr_t pc);
void code_place_write(const code_place *p, text *out); /* "FILE:LINE < FILE:LINE", "FILE:LINE (FILE:LINE)" */
unsigned debug_info_globals(debug_info *d);
const global_variable *debug_info_global(debug_info *d, unsigned i);

/* The symbol that an address of the program lies in, when nothing more is known of it: variables of objects without
 * debug information, copies of variables of libraries. */
const char *debug_info_symbol(debug_info *d, uintptr_t address, size_t *offset);

/* Walks into structures and arrays to what lies at `offset`, appending ".head" or "[3]" for each level; the type of the
 * innermost thing there, and in *inside how far into it the offset still is. */
type_id debug_info_member(debug_info *d, type_id t, size_t offset, text *path, size_t *inside);
type_id debug_info_pointee(debug_info *d, type_id t);       /* 0: not a pointer, or to nothing known */
const char *debug_info_type_name(debug_info *d, type_id t); /* "node"; NULL: it has none */
size_t debug_info_type_size(debug_info *d, type_id t);
/* The one structure of that size that has a member of this type at this offset; 0: none, or several. */
type_id debug_info_container(debug_info *d, type_id member, size_t offset, size_t size);

#endif
