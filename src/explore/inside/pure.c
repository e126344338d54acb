#include "explore/inside/pure.h"

#include "explore/inside/facts.h"

#include <string.h>

/* In the program; one that was not linked by us has none. */
extern const link_facts plumb_link __asm__("__plumb_link") __attribute__((weak, visibility("default")));

static const link_facts *facts(void) {
    const link_facts *volatile l = &plumb_link; /* weak: may be NULL, whatever the compiler thinks of addresses */
    return l && !memcmp(l->magic, FACTS_MAGIC, sizeof l->magic) ? l : NULL;
}

static const loop_fact *loop_find(uintptr_t pc, uint32_t kind) {
    const link_facts *l = facts();
    if (!l) return NULL;
    const loop_fact *loop = (const void *)(l + 1);
    size_t low = 0, high = l->loops;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (loop[mid].pc < pc || (loop[mid].pc == pc && loop[mid].kind < kind)) low = mid + 1;
        else high = mid;
    }
    return low < l->loops && loop[low].pc == pc && loop[low].kind == kind ? &loop[low] : NULL;
}

bool loop_is_pure(uintptr_t pc) { return loop_find(pc, LOOP_PURE) != NULL; }

bool loop_cas_loads(uintptr_t pc, uintptr_t *first) {
    const loop_fact *l = loop_find(pc, LOOP_CAS_LOADS);
    if (l) *first = l->first;
    return l != NULL;
}

const char *program_opaque(size_t *size) {
    const link_facts *l = facts();
    *size = l ? l->opaque : 0;
    return *size ? (const char *)(l + 1) + l->loops_room * sizeof(loop_fact) : NULL;
}
