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
    UPDATE_UNKNOWN /* an instruction in assembly: seen only afterwards */
} update;

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
    case UPDATE_NONE:
    case UPDATE_UNKNOWN: break;
    }
    return size < 8 ? r & ((UINT64_C(1) << 8 * size) - 1) : r;
}

#endif
