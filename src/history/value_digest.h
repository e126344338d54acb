/* Values into digests (base/digest.h): the same everywhere and for good. */
#ifndef PLUMB_HISTORY_VALUE_DIGEST_H
#define PLUMB_HISTORY_VALUE_DIGEST_H

#include "history/value.h"

uint64_t value_digest(uint64_t digest, const values *t, value v);

#endif
