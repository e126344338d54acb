/* The clocks of nodes, as their servers see them when they ask libc: libfaketime is loaded into them and adds what a
 * file of the node says. Only the time of day is moved; what passes between two moments is not. */
#ifndef PLUMB_DRIVE_NODE_CLOCK_H
#define PLUMB_DRIVE_NODE_CLOCK_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { CLOCK_WORDS = 5 }; /* that stand before a command: env and what it sets */

typedef struct clock_words {
    char room[CLOCK_WORDS][640];
} clock_words;

/* The library, "" if there is none. */
const char *node_clock_library(void);
void node_clock_words(const char *folder, unsigned node, clock_words *out);
/* From now on this many seconds are added; 0: as it is. */
bool node_clock_set(const char *folder, unsigned node, int seconds, text *why);

#endif
