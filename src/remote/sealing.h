/* A key that replicas and their clients share: each frame ends in its HMAC-SHA-256 (RFC 2104), and one that does not is
 * not looked at. It covers who says it, so that a question is no answer; an answer has the ticket of its question,
 * which begins at random, and the incarnation of its replica, which two replicas do not share: none can be said again
 * later, or by another one. What is said is not hidden. */
#ifndef PLUMB_REMOTE_SEALING_H
#define PLUMB_REMOTE_SEALING_H

#include "base/error.h"
#include "base/sha256.h"
#include "remote/wire.h"

typedef struct sealing {
    bool on;
    sha256 inner, outer; /* behind the key */
} sealing;

enum seal_side { SEAL_CLIENT = 'c', SEAL_REPLICA = 'r' };

/* Of the bytes of a file, 16 at least, without blanks at its end. NULL: no key. */
bool sealing_open(sealing *s, const char *file, error *e);
void sealing_seal(const sealing *s, enum seal_side who, text *out, size_t begun); /* the last frame of out */
/* Is the frame, of so many bytes, sealed by that side? Its body loses the seal. */
bool sealing_check(const sealing *s, enum seal_side who, const void *frame, size_t n, wire_reader *body);

#endif
