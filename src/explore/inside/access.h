/* Accesses that the program performs itself when these return. */
#ifndef PLUMB_EXPLORE_INSIDE_ACCESS_H
#define PLUMB_EXPLORE_INSIDE_ACCESS_H

#include "explore/inside/fiber.h"

void calls_begin(fiber *f); /* its call stack is empty */
void access_plain(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp);
void access_visible(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp); /* in assembly */

/* Where accesses choose messages: a relaxed one that is no atomic, of up to 8 bytes of shared memory. The load is false
 * if it is no step, and then finds in memory what it reads. */
bool access_relaxed_load(uintptr_t a, uint32_t size, uintptr_t pc, uintptr_t sp, uint64_t *seen);
void access_relaxed_store(uintptr_t a, uint32_t size, uint64_t stored, uintptr_t pc, uintptr_t sp);

/* Words of the machine's own that threads share: the access is performed. */
uint64_t access_load(const volatile uint64_t *a, uintptr_t pc);
void access_set(volatile uint64_t *a, uint64_t bits, uintptr_t pc);
void access_clear(volatile uint64_t *a, uint64_t bits, uintptr_t pc);

/* Where accesses choose messages: a state of one byte or four that the C library keeps in the program's memory. Loads
 * and swaps acquire, stores release. */
uint32_t access_state(uintptr_t a, uint32_t size, uintptr_t pc);
bool access_state_swap(uintptr_t a, uint32_t size, uint32_t from, uint32_t to, uintptr_t pc);
void access_state_set(uintptr_t a, uint32_t size, uint32_t to, uintptr_t pc);

#endif
