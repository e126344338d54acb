/* What an atomic access does to memory: computed before it is executed. */
#ifndef PLUMB_EXPLORE_MODEL_UPDATE_H
#define PLUMB_EXPLORE_MODEL_UPDATE_H

#include <stdint.h>

typedef enum update {
    UPDATE_NONE,
    UPDATE_SET,
    UPDATE_ADD,
    UPDATE_SUB,
    UPDATE_AND,
    UPDATE_OR,
    UPDATE_XOR,
    UPDATE_NAND,
    UPDATE_CAS,
    UPDATE_SIGNAL, /* of a condition variable: see condition_signalled */
    UPDATE_UNKNOWN /* an instruction in assembly: seen only afterwards */
} update;

/* A condition variable where graphs are explored: a bit for each thread that waits in the low half, for each that was
 * woken in the high one. `which` of those that wait is woken, the first if there are fewer; SIGNAL_ALL: all. */
#define SIGNAL_ALL UINT64_MAX
static inline uint64_t condition_signalled(uint64_t which, uint64_t now) {
    uint64_t waiting = now & UINT32_MAX, woken = waiting;
    if (which != SIGNAL_ALL) {
        if (which >= (uint64_t)__builtin_popcountll(waiting)) which = 0;
        for (; which; which--) woken &= woken - 1;
        woken &= -woken;
    }
    return (now & ~woken) | woken << 32;
}

/* Of up to eight bytes; a compare-and-swap succeeds. */
static inline uint64_t update_result(update u, uint64_t operand, uint64_t now, uint32_t size) {
    uint64_t r = now;
    switch (u) {
    case UPDATE_SET:
    case UPDATE_CAS: r = operand; break;
    case UPDATE_ADD: r = now + operand; break;
    case UPDATE_SUB: r = now - operand; break;
    case UPDATE_AND: r = now & operand; break;
    case UPDATE_OR: r = now | operand; break;
    case UPDATE_XOR: r = now ^ operand; break;
    case UPDATE_NAND: r = ~(now & operand); break;
    case UPDATE_SIGNAL: r = condition_signalled(operand, now); break;
    case UPDATE_NONE:
    case UPDATE_UNKNOWN: break;
    }
    return size < 8 ? r & ((UINT64_C(1) << 8 * size) - 1) : r;
}

#endif
