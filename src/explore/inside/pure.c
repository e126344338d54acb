#include "explore/inside/pure.h"

#include "explore/inside/invariant.h"
#include "explore/model/facts.h"

#include <string.h>

/* In the program; one that was not linked by us has none. */
extern const link_facts plumb_link __asm__("__plumb_link") __attribute__((weak, visibility("default")));

static const link_facts *facts(void) {
    const link_facts *volatile l = &plumb_link; /* weak: may be NULL, whatever the compiler thinks of addresses */
    return l && !memcmp(l->magic, FACTS_MAGIC, sizeof l->magic) ? l : NULL;
}

static const loop_fact *loop_list(size_t *n) {
    const link_facts *l = facts();
    *n = l ? l->loops : 0;
    INVARIANT(!l || l->loops <= l->loops_room);
    return l ? (const void *)(l + 1) : NULL;
}

/* The i-th of this kind there. */
static const loop_fact *loop_find_nth(uintptr_t pc, uint32_t kind, size_t i) {
    size_t n, low = 0;
    const loop_fact *loop = loop_list(&n);
    for (size_t high = n; low < high;) {
        size_t mid = (low + high) / 2;
        if (loop[mid].pc < pc || (loop[mid].pc == pc && loop[mid].kind < kind)) low = mid + 1;
        else high = mid;
    }
    INVARIANT(low <= n);
    low += i;
    return low < n && loop[low].pc == pc && loop[low].kind == kind ? &loop[low] : NULL;
}

static const loop_fact *loop_find(uintptr_t pc, uint32_t kind) { return loop_find_nth(pc, kind, 0); }

bool loop_is_pure(uintptr_t pc) { return loop_find(pc, LOOP_PURE) != NULL; }

bool loop_cas_loads(uintptr_t pc, uintptr_t *first) {
    const loop_fact *l = loop_find(pc, LOOP_CAS_LOADS);
    if (l) *first = l->first;
    return l != NULL;
}

static bool confirms(uintptr_t load, uintptr_t hook, uint32_t kind) {
    const loop_fact *l;
    for (size_t i = 0; (l = loop_find_nth(hook, kind, i)); i++)
        if (l->first == load) return true;
    return false;
}

unsigned loop_confirms(uintptr_t load, uintptr_t hook) {
    if (confirms(load, hook, LOOP_CONFIRMED)) return 3;
    return (confirms(load, hook, LOOP_CONFIRMED_ZERO) ? 1 : 0) | (confirms(load, hook, LOOP_CONFIRMED_OTHER) ? 2 : 0);
}

uintptr_t loop_head(uintptr_t load) {
    const loop_fact *l = loop_find(load, LOOP_HEAD);
    return l ? l->first : 0;
}

bool loop_relies(uintptr_t load, unsigned i, uintptr_t *variable) {
    const loop_fact *l = loop_find_nth(load, LOOP_RELIES, i);
    if (l) *variable = l->first;
    return l != NULL;
}

bool loops_have_confirmed(void) {
    size_t n;
    const loop_fact *loop = loop_list(&n);
    for (size_t i = 0; i < n; i++)
        if (loop[i].kind >= LOOP_CONFIRMED && loop[i].kind <= LOOP_CONFIRMED_OTHER) return true;
    return false;
}

const char *program_opaque(size_t *size) {
    const link_facts *l = facts();
    *size = l ? l->opaque : 0;
    return *size ? (const char *)(l + 1) + l->loops_room * sizeof(loop_fact) : NULL;
}
