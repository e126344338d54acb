/* What machines tell each other through, whatever carries it: queues of work, logs, and a few keys.
 *
 *     queue   units of work, each with a name that makes it one (a unit that is put twice is there once, for a while).
 *             One that was taken belongs to its taker until the lease ends; when it was neither acknowledged nor
 *             extended by then, another one takes it, and sees how often it was delivered.
 *     log     messages in one order, numbered from 1, read from any number on by any number of readers
 *     keys    a value each, with a revision: put where the revision is still the one that was read
 *     alive   notes that vanish by themselves when they are not repeated
 *
 * A carrier is a record of functions: file_transport.c has one in a folder, src/transports/nats.c is a shared object
 * that is loaded on use (scale/cluster.h). Names are of letters, digits, '-' and '_', with '.' between parts. */
#ifndef PLUMB_REMOTE_TRANSPORT_H
#define PLUMB_REMOTE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRANSPORT_WHY = 300,
    TRANSPORT_NAME = 200,
    TRANSPORT_MESSAGE = 512 << 10, /* bytes of a message or value, at most: NATS has 1 MB */
};

typedef struct transport_settings {
    size_t struct_size;
    const char *url;                           /* nats://HOST:PORT[,...], tls://..., file:FOLDER */
    const char *user, *password, *credential;  /* NULL: what the URL says; credential: a file of NATS (NKEY, JWT) */
    const char *authority, *certificate, *key; /* files of TLS; NULL: the system's */
    double lease;                              /* seconds; 0: the carrier's own */
    const _Atomic int *stop; /* non-zero: opening, which may wait for servers, is given up; may be NULL */
    unsigned replicas;       /* of streams that are made; 0: as many servers as there are, at most 3 */
} transport_settings;

typedef enum transport_answer {
    TRANSPORT_DONE,
    TRANSPORT_NOTHING,  /* no unit, message or key, or not in time */
    TRANSPORT_CONFLICT, /* the key has another revision */
    TRANSPORT_ERROR,    /* `why` says it; it may pass */
} transport_answer;

typedef struct transport_message {
    void *bytes; /* the carrier's until it is released */
    size_t size;
    uint64_t number;     /* in its log; the revision of a key */
    unsigned deliveries; /* of a unit, with this one */
    void *handle;
} transport_message;

#define REVISION_NONE UINT64_C(0) /* the key must not be there */
#define REVISION_ANY UINT64_MAX

typedef bool transport_each(void *context, const char *key, const void *bytes, size_t size); /* false: enough */

/* Several threads may use what `open` made at once; one at a time takes units, and one at a time reads from a
 * reader. */
typedef struct transport_type {
    size_t struct_size;
    const char *name;
    void *(*open)(const transport_settings *s, char *why, size_t room); /* NULL: cannot; made what has to be there */
    void (*close)(void *t);
    void (*release)(void *t, transport_message *m); /* any message that was received */

    transport_answer (*put_unit)(void *t, const char *queue, const char *name, const void *p, size_t n, char *why);
    transport_answer (*take_unit)(void *t, int milliseconds, transport_message *out, char *why); /* of any queue */
    transport_answer (*acknowledge)(void *t, transport_message *unit, char *why); /* it is done, for good */
    transport_answer (*extend)(void *t, transport_message *unit, char *why);
    transport_answer (*give_back)(void *t, transport_message *unit, char *why);
    transport_answer (*waiting)(void *t, uint64_t *units, char *why); /* in all queues, taken ones included */

    transport_answer (*append)(void *t, const char *log, const void *p, size_t n, uint64_t *number, char *why);
    void *(*follow)(void *t, const char *log, uint64_t from, char *why); /* NULL: cannot */
    transport_answer (*next)(void *reader, int milliseconds, transport_message *out, char *why);
    void (*unfollow)(void *reader);
    transport_answer (*forget)(void *t, const char *log, char *why);

    transport_answer (*get)(void *t, const char *key, transport_message *out, char *why);
    transport_answer (*put)(void *t, const char *key, uint64_t expected, const void *p, size_t n, uint64_t *revision,
                            char *why);
    transport_answer (*remove)(void *t, const char *key, char *why);
    transport_answer (*each_key)(void *t, const char *under, transport_each *each, void *context, char *why);

    transport_answer (*be_alive)(void *t, const char *who, const void *p, size_t n, char *why);
    transport_answer (*each_alive)(void *t, transport_each *each, void *context, char *why);
} transport_type;

enum { ALIVE_SECONDS = 15 }; /* a note lasts so long */
#define LEASE_SECONDS 6.0

/* Of a shared object: `const transport_type plumb_transport_definition`. */

extern const transport_type transport_file;

#endif
