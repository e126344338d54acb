/* Bits for register constructions under `plumb explore`: safe, regular and atomic ones (Lamport, "On interprocess
 * communication", 1986). What a reading that overlaps a writing returns is a choice (plumb_choose): all are explored.
 *
 *     static plumb_bit flag = PLUMB_BIT(PLUMB_SAFE, 0);
 *     plumb_bit_write(&flag, 1);           // one writer at a time
 *     int seen = plumb_bit_read(&flag, 0); // by reader number 0; each number reads once at a time
 *
 * A reading takes two steps, and so does a writing, but of an atomic bit one each. A reading of a safe bit may return
 * anything when it overlaps a writing; of a regular bit, what was there when it began or what an overlapping writing
 * writes; of an atomic one, what is there.
 *
 * examples/explore/regular_bit.c uses them. */
#ifndef PLUMBLINE_BITS_H
#define PLUMBLINE_BITS_H

#include <plumbline/test.h>

typedef enum plumb_bit_kind { PLUMB_SAFE, PLUMB_REGULAR, PLUMB_ATOMIC } plumb_bit_kind;

typedef struct plumb_bit {
    plumb_bit_kind kind;
    /* the value; what is being written, and that something is; for each reader, which values were begun to be written
     * since it began to read */
    unsigned content;
} plumb_bit;

enum { PLUMB_BIT_READERS = 12 };
#define PLUMB_BIT(kind, value) \
    { (kind), (value) }

#define PLUMB_BIT_VALUE 1u
#define PLUMB_BIT_WRITING 2u
#define PLUMB_BIT_NEXT 4u
#define PLUMB_BIT_SEEN 8u

/* What a reader may have met: bit 0 for value 0, bit 1 for value 1. */
static inline unsigned plumb_bit_seen_(unsigned content, unsigned reader) {
    return content / PLUMB_BIT_SEEN >> 2 * reader & 3u;
}

static inline void plumb_bit_write(plumb_bit *b, int value) {
    const unsigned v = value != 0;
    const unsigned marks = PLUMB_BIT_WRITING | v * PLUMB_BIT_NEXT;
    unsigned begun = marks, old;
    if (b->kind == PLUMB_ATOMIC) {
        __atomic_store_n(&b->content, v, __ATOMIC_SEQ_CST);
        return;
    }
    for (unsigned r = 0; r < PLUMB_BIT_READERS; r++) begun |= PLUMB_BIT_SEEN << (2 * r + v);
    old = __atomic_fetch_or(&b->content, begun, __ATOMIC_SEQ_CST) & PLUMB_BIT_VALUE;
    __atomic_fetch_xor(&b->content, marks | (old ^ v), __ATOMIC_SEQ_CST);
}

static inline int plumb_bit_read(plumb_bit *b, unsigned reader) {
    unsigned before, met, value;
    if (b->kind == PLUMB_ATOMIC) return (int)__atomic_load_n(&b->content, __ATOMIC_SEQ_CST);
    before = __atomic_fetch_and(&b->content, ~(3u * PLUMB_BIT_SEEN << 2 * reader), __ATOMIC_SEQ_CST);
    met = plumb_bit_seen_(__atomic_load_n(&b->content, __ATOMIC_SEQ_CST), reader);
    value = before & PLUMB_BIT_VALUE;
    if (before & PLUMB_BIT_WRITING) met |= before & PLUMB_BIT_NEXT ? 2u : 1u;
    if (!met || (b->kind == PLUMB_REGULAR && met == 1u << value)) return (int)value;
    return (int)plumb_choose(2);
}

#endif
