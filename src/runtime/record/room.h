/* Room on the disk for a log, taken before a store needs it: a store into a mapping of a file whose disk is full kills
 * the program (SIGBUS). */
#ifndef PLUMB_RUNTIME_ROOM_H
#define PLUMB_RUNTIME_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* A new mapping, of whose file the first `bytes` are written to now. Says how much can be written to without a fault:
 * at least that; 0: there is no room. */
uint64_t room_begin(struct recording *m, uint64_t bytes);
/* For these chunks (numbers are from 1 on), whose pages are there then, too. False: there is none. */
bool room_take(struct recording *m, uint64_t first, uint64_t last);

#endif
