/* Allocation that callers need not check. Running out of memory ends the public call of the library in whose midst it
 * happens (base/pool.h), and the command, where there is no such call, with exit code 70: reported in this one place.
 * Budgets (budget.h) exist so that it does not come to that. */
#ifndef PLUMB_BASE_MEM_H
#define PLUMB_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

/* For programs, not for the library, which does not decide this for others: what is freed stays with the process, but
 * for blocks of a megabyte and more. A program that checks one history after the other does not get new pages for
 * each. */
void mem_keep_freed(void);
void mem_give_back(void); /* what is kept all the same goes back to the system, where the C library can do that */

void *mem_alloc(size_t size);               /* not cleared */
void *mem_zero(size_t count, size_t size);  /* cleared */
void *mem_lines(size_t count, size_t size); /* not cleared, begins with a line of the cache */
void *mem_resize(void *p, size_t count, size_t size);
void *mem_copy(const void *p, size_t size);
char *mem_string(const char *text);
/* `free` is this function in the rooms of the library (cmake/libraries.cmake); by its own name only tests call it. */
void mem_free(void *p);
void mem_foreign_free(void *p); /* the C library's free: of what getline or realpath allocated */

/* Cleared, on lines of its own, and of no pool: what a handle of the public interface is made of. NULL: no memory. */
void *mem_shell(size_t size);
/* Another limit was reached than that of memory: ends the call, or the command, as running out of memory does. */
_Noreturn void mem_exhausted(const char *what);

#define MEM_NEW(type) ((type *)mem_zero(1, sizeof(type)))
#define MEM_ARRAY(type, count) ((type *)mem_resize(NULL, (count), sizeof(type)))
#define MEM_GROW(p, type, count) ((type *)mem_resize((p), (count), sizeof(type)))

/* Frees several, in this order; all of them are looked at before the first is freed. */
#define FREE_ALL(...) free_all((void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
static inline void free_all(void *const *p, size_t n) {
    for (size_t i = 0; i < n; i++) free(p[i]);
}

#endif
