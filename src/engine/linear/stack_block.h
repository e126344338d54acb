/* The heart of the stack engine: which values of a block can be at the bottom, one after the other.
 *
 * A block is a set of values whose covers are connected. Their covers begin and end at 2m places, which cut the block's
 * time into slots 0 .. 2m; no value covers slots 0 and 2m. Value i, numbered by where its cover begins, covers slots
 * begin[i] .. end[i]-1; its push contains the slots push_from[i] .. begin[i]-1, its pop the slots end[i] .. pop_to[i].
 *
 * A value is removable when its push contains a slot that no remaining value covers, and its pop too: it can be pushed
 * before and popped after all of the remaining ones. Taking removable values away in any order ends with the same
 * rest. */
#ifndef PLUMB_ENGINE_LINEAR_STACK_BLOCK_H
#define PLUMB_ENGINE_LINEAR_STACK_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct stack_block {
    uint32_t m;
    uint32_t *begin, *end, *push_from, *pop_to;
    uint32_t *push_slot, *pop_slot; /* found: the slots of push and pop, nearest to the cover; NOT_REMOVABLE */
    uint32_t *memory;
    uint32_t room;
} stack_block;

#define NOT_REMOVABLE UINT32_MAX
enum { SMALL_BLOCK = 31 }; /* 2m + 1 slots fit into one word */

void stack_block_reserve(stack_block *b, uint32_t m); /* and sets m */
void stack_block_free(stack_block *b);

/* Fills push_slot and pop_slot. True when all values are removable. */
bool stack_block_solve(stack_block *b);

/* The two ways to do it, for tests: m*m steps with m at most SMALL_BLOCK; m log m. */
bool stack_block_solve_small(stack_block *b);
bool stack_block_solve_large(stack_block *b);

#endif
