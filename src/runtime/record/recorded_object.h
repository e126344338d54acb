/* What a recorder knows of the object it records: the names of its methods, and whether the user's description of it
 * makes sense. Whether the operations fit the object is the business of programs that read the log, so nothing here
 * needs its sequential step: libplumbline-record has a table of names only (cmake/object_names.c). */
#ifndef PLUMB_RUNTIME_RECORD_RECORDED_OBJECT_H
#define PLUMB_RUNTIME_RECORD_RECORDED_OBJECT_H

#include "object/object.h"

typedef struct recorded_object {
    const object_type *type; /* a built-in type or `own`; NULL: not open. Only names, parameters, takes_init are used */
    object_type own;
    method methods[OBJECT_METHODS]; /* of `own` */
    void *library;                  /* of a plug-in */
    char *line;                     /* of serial runs: where the names of their methods are */
} recorded_object;

/* `what` and `init` as object_open (object/object.h) takes them. */
bool recorded_object_open(recorded_object *o, const char *what, const char *init, error *e);
void recorded_object_close(recorded_object *o);

#endif
