#include "explore/inside/volatiles.h"

#include "explore/inside/access.h"
#include "explore/inside/failures.h"
#include "explore/inside/fiber.h"
#include "explore/inside/shared.h"

#include <string.h>

enum { WORD = 8, MARKED_LEAST = 4 };

typedef struct open_volatile {
    uintptr_t address, pc, sp;
    uint32_t size;
    bool writes;
    uint8_t under[WORD]; /* what was there: of a load, the newest message */
    fiber_calls calls;   /* of the store: the call stack in which it is made */
} open_volatile;

bool volatile_is_open EXECUTION_COUNTS;
static open_volatile now PROCESS_STATE;

static void refuse_size(uint64_t size, uintptr_t pc) {
    if (size > WORD)
        fail(FAILURE_UNMODELLED, "a volatile access of %lu bytes at %#lx under a weak memory model",
             (unsigned long)size, (unsigned long)pc);
}

static void begin(uintptr_t a, uint64_t size, bool writes, uintptr_t pc, uintptr_t sp) {
    now = (open_volatile){
        .address = a, .pc = pc, .sp = sp, .size = (uint32_t)size, .writes = writes, .calls = fiber_now()->calls};
    memcpy(now.under, (const void *)a, size);
    volatile_is_open = true;
}

void volatile_load(uintptr_t a, uint64_t size, uintptr_t pc, uintptr_t sp) {
    uint64_t seen;
    refuse_size(size, pc);
    if (!access_relaxed_load(a, (uint32_t)size, pc, sp, &seen)) return;
    begin(a, size, false, pc, sp);
    memcpy((void *)a, &seen, size);
}

/* For the copy of a structure gcc calls the hook of the store, then that of the load, and copies behind both: a store
 * that has not been made at the next hook is one. Small ones have no room for a mark that no program stores. */
static void marked(uint8_t *out) {
    static const uint8_t mask[WORD] = {0x5a, 0x3c, 0x87, 0x1e, 0xa5, 0xc3, 0x96, 0x69};
    for (unsigned i = 0; i < now.size; i++) out[i] = now.under[i] ^ mask[i];
}

void volatile_store(uintptr_t a, uint64_t size, uintptr_t pc, uintptr_t sp) {
    refuse_size(size, pc);
    begin(a, size, true, pc, sp);
    if (size >= MARKED_LEAST) marked((uint8_t *)a);
}

static uint64_t stored(void) {
    uint8_t mark[WORD];
    uint64_t v = 0;
    memcpy(&v, (const void *)now.address, now.size);
    marked(mark);
    if (now.size >= MARKED_LEAST && !memcmp(mark, (const void *)now.address, now.size))
        fail(FAILURE_UNMODELLED, "the copy of a volatile structure at %#lx under a weak memory model",
             (unsigned long)now.pc);
    return v;
}

void volatile_close(void) {
    fiber *f = fiber_now();
    const uint64_t v = now.writes ? stored() : 0;
    volatile_is_open = false;
    memcpy((void *)now.address, now.under, now.size);
    if (!now.writes) return;
    const fiber_calls calls = f->calls;
    f->calls = now.calls;
    access_relaxed_store(now.address, now.size, v, now.pc, now.sp);
    f->calls = calls;
}
