/* Jepsen's nemesis as intervals. Its operations come as pairs of :info events, and a fault lasts from the call of the
 * operation that makes it to the completion of the one that ends it:
 *
 *     :start .. :stop    :start-X .. :stop-X    :kill[-X] .. :start[-X] or :restart[-X]    :pause[-X] .. :resume[-X]
 *     :partition[-X] .. :heal[-X] or :stop[-X]
 *
 * A fault that no event ends has a beginning only: the file does not say how long it lasted. */
#ifndef PLUMB_FORMAT_NEMESIS_H
#define PLUMB_FORMAT_NEMESIS_H

#include "base/text.h"

typedef struct nemesis nemesis;

nemesis *nemesis_new(void);
void nemesis_free(nemesis *n);

/* An event of the nemesis: `note` is a number by which the caller knows it again. Calls `ended` for each fault that it
 * ends, with the note that it began with; a second time when the completion follows. */
void nemesis_event(nemesis *n, const char *f, size_t length, uint32_t note,
                   void (*ended)(void *context, uint32_t begun), void *context);

#endif
