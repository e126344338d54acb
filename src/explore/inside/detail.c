/* What people want to know of one execution beyond its steps: which blocks of memory there were, and what was in
 * memory. */
#include "explore/inside/detail.h"
#include "explore/inside/fiber.h"
#include "explore/inside/heap.h"
#include "explore/inside/reset.h"

enum { BLOCKS_MAX = 4096 };

bool detail_is_wanted PROCESS_STATE;
static machine_block list[BLOCKS_MAX] PROCESS_STATE;
static uint32_t count PROCESS_STATE;

static void born(uintptr_t address, size_t bytes, uintptr_t pc) {
    if (count < BLOCKS_MAX) list[count++] = (machine_block){.address = address, .pc = pc, .size = bytes, .to = NO_STEP};
}

void machine_detail(bool wanted) {
    detail_is_wanted = wanted;
    if (!wanted) return;
    count = 0;
    heap_each_born(born);
}

void detail_block(uintptr_t address, size_t bytes, uintptr_t pc) {
    if (count < BLOCKS_MAX)
        list[count++] = (machine_block){.address = address,
                                        .pc = pc,
                                        .size = bytes,
                                        .from = world_now()->steps,
                                        .to = NO_STEP,
                                        .thread = fiber_now()->number};
}

void detail_freed(uintptr_t address) {
    INVARIANT(address_is_heap(address) && count <= BLOCKS_MAX);
    for (uint32_t i = count; i-- > 0;)
        if (list[i].address == address && list[i].to == NO_STEP) {
            list[i].to = world_now()->steps;
            return;
        }
}

uint32_t machine_blocks(const machine_block **out) {
    *out = list;
    return count;
}

void machine_each_memory(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size),
                         void *context) {
    reset_each_segment(each, context);
    heap_each_used(each, context);
}

bool machine_owns(uintptr_t pc) { return program_owns(pc); }
