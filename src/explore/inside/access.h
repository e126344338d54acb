/* Accesses that the program performs itself when these return. */
#ifndef PLUMB_EXPLORE_INSIDE_ACCESS_H
#define PLUMB_EXPLORE_INSIDE_ACCESS_H

#include "explore/inside/fiber.h"

void calls_begin(fiber *f); /* its call stack is empty */
void access_plain(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp);
void access_visible(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp); /* in assembly */

/* Words of the machine's own that threads share: the access is performed. */
uint64_t access_load(const volatile uint64_t *a, uintptr_t pc);
void access_set(volatile uint64_t *a, uint64_t bits, uintptr_t pc);
void access_clear(volatile uint64_t *a, uint64_t bits, uintptr_t pc);

#endif
