/* Events of one client, published to a subject of a cluster as lines of the event form, each acknowledged before
 * the call goes on: the order of the stream is a clock of calls that are announced before the operation begins and
 * of returns that are told after it has ended. `plumb monitor --cluster` judges them (scale/live_part.h). */
#ifndef PLUMB_REMOTE_PUBLISH_H
#define PLUMB_REMOTE_PUBLISH_H

#include "base/error.h"
#include "remote/transport.h"

#include <plumbline/plumbline.h>

typedef struct publisher {
    const transport_type *type;
    void *t; /* NULL: not open */
    char log[TRANSPORT_NAME];
    uint32_t client,
        life;   /* life: an event whose fate is not known ends one, and the client goes on under another name */
    bool keyed; /* the first argument is the key */
} publisher;

bool publisher_open(publisher *p, const char *url, const char *subject, error *e);
void publisher_close(publisher *p);
/* False: it is not acknowledged, and may be there or not. */
bool publisher_call(publisher *p, const char *method, const plumb_value *arg, size_t args, error *e);
bool publisher_end(publisher *p, const char *event, const plumb_value *res, error *e); /* "return", "fail", "info" */

bool subject_is_one(const char *subject);                        /* letters, digits, '-', '_', '.'; '*' to follow */
void subject_log(const char *subject, char log[TRANSPORT_NAME]); /* where its events are */

#endif
