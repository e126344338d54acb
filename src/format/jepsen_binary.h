/* What Jepsen keeps of a run besides text: test.jepsen, a file of blocks, or the older test.fressian, one Fressian map.
 *
 *     "JEPSEN"  version (32 bits)  place of the index (64)  blocks
 *     block:  its length (64)  CRC-32 (32)  kind (16)  padding to 28 bytes  data; all numbers highest byte first
 *
 *     1 index     the root's number (32), then numbers of blocks (32) and their places (64)
 *     2 value     one Fressian value: the root is the test map, whose :history and :results are references to blocks
 *     3 map       the number of the block with the rest of it (32), a Fressian map
 *     4 stream    Fressian values up to its end
 *     5 vector    how many items (64), then first items (64) and numbers (32) of the blocks that have them
 *
 * The checksum is that of the data, then of the head with 0 for the checksum. The kind was meant to take 2 bytes; the
 * program that writes these files leaves 16 for it. Both are read: the checksum says which it was. */
#ifndef PLUMB_FORMAT_JEPSEN_BINARY_H
#define PLUMB_FORMAT_JEPSEN_BINARY_H

#include "base/text.h"

typedef struct jepsen_binary {
    text history; /* EDN, an event a line */
    text map;     /* the rest of the test map, EDN */
    text results; /* what is kept for a quick look: a map with :valid?; EDN, or empty */
    char wrong[160];
} jepsen_binary;

bool jepsen_binary_sniff(const char *p, size_t n);
/* False: `wrong` says why. Freed in either case. */
bool jepsen_binary_read(const void *p, size_t n, jepsen_binary *out);
void jepsen_binary_free(jepsen_binary *b);

#endif
