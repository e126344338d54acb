/* Allocation that cannot fail softly: running out of memory is an internal
 * failure (exit code 70), reported in this one place. Budgets (budget.h) exist
 * so that it does not come to that. */
#ifndef PLUMB_BASE_MEM_H
#define PLUMB_BASE_MEM_H

#include <stddef.h>

/* For programs, not for the library, which does not decide this for others: what is freed stays with the process, but
 * for blocks of a megabyte and more. A program that checks one history after the other does not get new pages for
 * each. */
void mem_keep_freed(void);

void *mem_alloc(size_t size);               /* not cleared */
void *mem_zero(size_t count, size_t size);  /* cleared */
void *mem_lines(size_t count, size_t size); /* not cleared, begins with a line of the cache */
void *mem_resize(void *p, size_t count, size_t size);
void *mem_copy(const void *p, size_t size);
char *mem_string(const char *text);

#define MEM_NEW(type) ((type *)mem_zero(1, sizeof(type)))
#define MEM_ARRAY(type, count) ((type *)mem_resize(NULL, (count), sizeof(type)))
#define MEM_GROW(p, type, count) ((type *)mem_resize((p), (count), sizeof(type)))

#endif
