/* Contents of any size in the keys of a transport, named by their SHA-256: what is there under a name is what the name
 * says, no matter which process put it there, and is sent once however often it is needed. */
#ifndef PLUMB_REMOTE_BLOBS_H
#define PLUMB_REMOTE_BLOBS_H

#include "base/error.h"
#include "base/sha256.h"
#include "remote/transport.h"

enum { BLOB_CHUNK = 256 << 10 };

/* Under `name`, which is made. Chunks that are there already are not sent again. */
bool blob_put(const transport_type *type, void *t, const void *p, size_t n, char name[SHA256_HEX], error *e);
/* False: not there, or not what its name says (the error is set). */
bool blob_get(const transport_type *type, void *t, const char *name, text *out, error *e);
void blob_remove(const transport_type *type, void *t, const char *name); /* no one needs it any more */
bool blob_is_name(const char *name);

#endif
