/* What people want to know of one execution beyond its steps: which blocks of memory there were, and what was in
 * memory. */
#include "explore/inside/inside.h"

enum { BLOCKS_MAX = 4096 };

static machine_block list[BLOCKS_MAX];
static uint32_t count;

static void born(uintptr_t address, size_t bytes, uintptr_t pc) {
    if (count < BLOCKS_MAX) list[count++] = (machine_block){.address = address, .pc = pc, .size = bytes, .to = NO_STEP};
}

void machine_detail(bool wanted) {
    m.detailed = wanted;
    if (!wanted) return;
    count = 0;
    heap_each_born(born);
}

void detail_block(uintptr_t address, size_t bytes, uintptr_t pc) {
    if (count < BLOCKS_MAX)
        list[count++] = (machine_block){
            .address = address, .pc = pc, .size = bytes, .from = m.world.steps, .to = NO_STEP, .thread = m.now->number};
}

void detail_freed(uintptr_t address) {
    for (uint32_t i = count; i-- > 0;)
        if (list[i].address == address && list[i].to == NO_STEP) {
            list[i].to = m.world.steps;
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
