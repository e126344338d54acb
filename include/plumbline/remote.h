/* Announcing what processes do to an object that they share, over message passing: the logs are kept by replicas, of
 * which a minority may crash, and `plumb monitor --replicas` judges them while they grow.
 *
 *     $ plumb replica --listen 127.0.0.1:7001 &      (and the same for ports 7002 and 7003)
 *
 *     plumb_remote_options o = {.struct_size = sizeof o, .object = "queue"};
 *     o.client = 1;
 *     o.replicas = "127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003";
 *     plumb_remote *r = plumb_remote_open(&o);
 *     if (plumb_remote_call(r, "deq", NULL, 0)) plumb_remote_ret(r, plumb_int(my_dequeue(q)));
 *     plumb_remote_close(r);
 *
 * Each process writes a register of its own, emulated by the replicas (Attiya, Bar-Noy, Dolev): a call and a return
 * each wait until a majority has them. When a majority does not answer in time, they say so: the object is then not to
 * be called, or what it returned stays unknown to the others: pending. Used by one thread.
 *
 * With `cluster` and `subject` each call and return is an event of a stream of NATS JetStream, acknowledged before the
 * function returns; `plumb monitor --cluster` judges it. transports/nats.so is loaded then. */
#ifndef PLUMBLINE_REMOTE_H
#define PLUMBLINE_REMOTE_H

#include <plumbline/plumbline.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plumb_remote plumb_remote;

typedef struct plumb_remote_options {
    size_t struct_size;   /* sizeof(plumb_remote_options): set it, zero the rest */
    const char *replicas; /* addresses, with commas: an odd number of them */
    const char *object;   /* a name that `plumb objects` lists */
    const char *init;     /* initial value of a register; NULL: none */
    uint32_t client;      /* a number that no other process of this run ever has */
    unsigned timeout;     /* milliseconds that a majority is waited for, at most 5000; 0: 2000 */
    const char *cluster;  /* instead of replicas: nats://HOST:PORT, tls://..., file:FOLDER */
    const char *subject;  /* of the cluster: where events are published, orders.eu for example */
    const char *key;      /* a file: the key that replicas and clients share; NULL: none, and all are on this machine */
} plumb_remote_options;

/* Never NULL. When it could not be opened, plumb_remote_error says why, and all calls fail. */
PLUMB_API plumb_remote *plumb_remote_open(const plumb_remote_options *options);
/* Of the first misuse, which stays, or of the last call if it failed; NULL: all is well. */
PLUMB_API const char *plumb_remote_error(const plumb_remote *r);

/* The call is announced. False: it is not known to a majority (though it may be to some); do not call the object. It
 * can be tried again. */
/* at most 3; for kv the key is the first */
PLUMB_API bool plumb_remote_call(plumb_remote *r, const char *method, const plumb_value *arg, size_t args);
/* The return is published. False: a majority does not know of it, and the operation counts as pending. */
PLUMB_API bool plumb_remote_ret(plumb_remote *r, plumb_value result);
PLUMB_API bool plumb_remote_ret_fail(plumb_remote *r);    /* the call certainly had no effect */
PLUMB_API bool plumb_remote_ret_unknown(plumb_remote *r); /* it may have one, now or later: pending */
PLUMB_API void plumb_remote_close(plumb_remote *r);       /* says that it leaves */

#ifdef __cplusplus
}
#endif
#endif
