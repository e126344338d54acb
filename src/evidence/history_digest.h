/* A name for a history by what it means: 16 hexadecimal digits, the same in whatever format it is written, as long as
 * the operations, their values and the order of their events are the same. Stamps, comments and names of clients do not
 * count; who is who counts for objects that see clients. It tells mix-ups apart, not forgers (base/digest.h). */
#ifndef PLUMB_EVIDENCE_HISTORY_DIGEST_H
#define PLUMB_EVIDENCE_HISTORY_DIGEST_H

#include "object/object.h"

uint64_t history_digest(const history *h, const object *o); /* of a history bound to the object */

#endif
