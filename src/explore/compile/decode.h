/* Machine code taken apart by libcapstone, where it is there. */
#ifndef PLUMB_EXPLORE_COMPILE_DECODE_H
#define PLUMB_EXPLORE_COMPILE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool decode_available(void);
/* Instructions with a lock prefix, and exchanges with memory. The text of the first one goes to `first`. */
unsigned decode_count_atomics(const unsigned char *code, size_t size, char *first, size_t room);

typedef struct decoded { /* one instruction */
    uint64_t at;         /* behind the first byte of the code */
    unsigned size;
    const char *mnemonic, *operands; /* as AT&T writes them */
    bool pads;                       /* does nothing */
    bool goes_to, in_place;          /* to `target`; refers to memory at `target` */
    uint64_t target;
} decoded;

/* All instructions, one after the other, until `each` says false. False: that, or bytes that are no instruction. */
bool decode_each(const unsigned char *code, size_t size, bool (*each)(void *context, const decoded *d), void *context);

#endif
