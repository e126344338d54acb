/* Behind the front door: what the opaque types are. */
#ifndef PLUMB_API_API_H
#define PLUMB_API_API_H

#include "history/builder.h"
#include "object/object.h"
#include "report/report.h"
#include "runtime/record/recorder.h"

#include <plumbline/plumbline.h>

struct plumb_history {
    char *name;         /* for messages */
    const char *format; /* NULL: built by calls */
    error error;
    builder *building; /* NULL once complete */
    history *h;        /* NULL until complete, or after an error */
    object *o;         /* NULL until bound */
    uint32_t event;    /* events so far: stands for the line */
    double read_seconds;
};

struct plumb_result {
    report *report;
    text explanation, json;
};

/* Structures of the interface begin with their size: does the caller's, compiled earlier perhaps, have this field? */
#define API_GIVEN(options, field) \
    ((options)->struct_size >= offsetof(__typeof__(*(options)), field) + sizeof((options)->field))

value api_value(values *t, const plumb_value *v); /* as the house has it */
history *api_history_complete(plumb_history *h);  /* NULL: the error is set */

#endif
