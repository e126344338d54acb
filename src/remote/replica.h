/* A replica: a process that keeps what clients announce and answers questions about it. With a file (keeping.h) one
 * that is started again goes on as the same one. One that has lost what it answered for is another one, and does not
 * count until clients have brought it up to what a majority has. Without a file, and not told so, it cannot know, and
 * does not count for clients that knew the first only. */
#ifndef PLUMB_REMOTE_REPLICA_H
#define PLUMB_REMOTE_REPLICA_H

#include "remote/keeping.h"
#include "remote/sealing.h"
#include "remote/socket.h"
#include "remote/store.h"

typedef struct replica replica;

/* NULL: cannot listen, or not read `keep`, the file (NULL: none); the port is filled in. */
replica *replica_new(struct sockaddr_in *at, size_t limit, const char *keep, keeping_start how, error *e);
void replica_use_key(replica *r, const sealing *key); /* before it serves: what is not sealed is not answered */
enum wire_standing replica_standing(const replica *r);
/* waits for something to do, at most so long, and does it; false: cannot go on */
bool replica_serve(replica *r, int milliseconds);
void replica_free(replica *r);

#endif
