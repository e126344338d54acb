/* Behind the front door: what the opaque types are. */
#ifndef PLUMB_API_API_H
#define PLUMB_API_API_H

#include "base/pool.h"
#include "history/builder.h"
#include "object/object.h"
#include "report/report.h"
#include "runtime/record/recorder.h"

#include <plumbline/plumbline.h>

struct plumb_history {
    mem_pool pool;      /* of all that follows: dropped when memory runs out */
    char *name;         /* for messages; NULL: memory ran out */
    const char *format; /* NULL: built by calls */
    error error;
    builder *building; /* NULL once complete */
    history *h;        /* NULL until complete, or after an error */
    object *o;         /* NULL until bound */
    uint32_t event;    /* events so far: stands for the line */
    double read_seconds;
};

struct plumb_result {
    mem_pool pool;
    report *report; /* NULL: there was no memory for one */
    text explanation, json;
};

/* Structures of the interface begin with their size: does the caller's, compiled earlier perhaps, have this field? */
#define API_GIVEN(options, field) \
    ((options)->struct_size >= offsetof(__typeof__(*(options)), field) + sizeof((options)->field))

value api_value(values *t, const plumb_value *v); /* as the house has it */
history *api_history_complete(plumb_history *h);  /* NULL: the error is set */

/* Runs the body of a public function in the pool of its handle. False: memory ran out, the pool is empty and the error
 * says so; what pointed into the pool is the caller's to forget. */
bool api_run(mem_pool *pool, error *e, const char *call, void (*body)(void *argument), void *argument);
void api_history_forget(plumb_history *h); /* after that */

/* A method and its arguments, or a result, as a caller may hand them over. False: misuse, and the error is set. */
bool api_call_is_right(const char *call, const char *name, const plumb_value *arg, size_t args, error *e);
bool api_value_is_right(const char *call, const plumb_value *v, error *e);

/* What the handle refused, given what was called before: misuse of this call. Always false. */
bool api_refused(const char *call, error *e);

#endif
