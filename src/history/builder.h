/* Builds a history from what a reader finds, in file order: either events (call, return, fail, info of a client: the
 * file order is the clock) or whole operations with time stamps. A file uses one of the two ways throughout.
 *
 * Every function that can meet bad input takes the line it stands on and returns false after setting the builder's
 * error. */
#ifndef PLUMB_HISTORY_BUILDER_H
#define PLUMB_HISTORY_BUILDER_H

#include "base/error.h"
#include "history/history.h"

typedef struct builder builder;

#define STAMP_NEVER INT64_MAX    /* the return stamp of a pending operation (builder_operation) */
#define CLIENT_OWN VALUE_UNKNOWN /* the operation has a client of its own (operation lists name none) */

/* `file` is the name that messages begin with. */
builder *builder_new(const char *file, error *e);
void builder_free(builder *b);

values *builder_values(builder *b);
/* a small number for a method's name */
unsigned builder_method(builder *b, const char *name, size_t length, uint32_t line);
/* "file:line: ...", exit 65 */
bool builder_error(builder *b, uint32_t line, const char *format, ...) TEXT_FORMAT(3, 4);
void builder_expect(builder *b, uint64_t operations);  /* about so many will come: a hint, 0 for none */
void builder_object(builder *b, const char *name);     /* what the file says its object is */
void builder_tick(builder *b, int64_t nanoseconds);    /* what the file says one unit of its times is */
void builder_init(builder *b, const char *initial);    /* what the file says its initial value is */
void builder_sample(builder *b, uint64_t one_of);      /* only one of so many keys or values is in the file */
void builder_lacks(builder *b, const char *what);      /* not all that happened is in the file: why */
void builder_annotation(builder *b, value text);       /* at this place in the file */
void builder_note(builder *b, const annotation *note); /* the same, with its times; `before` is ignored */
uint32_t builder_notes(const builder *b);              /* how many there are: the number of the next */
void builder_note_until(builder *b, uint32_t number, int64_t until); /* a note that has a time lasted until then */

typedef struct call_record {
    value client; /* its name: a number or a string */
    unsigned method;
    value key; /* VALUE_NONE: not keyed */
    const value *arg;
    size_t nargs;
    uint32_t line;
} call_record;

/* ---- events ---- */
/* The event that is told next was at this time. The order of the lines is the order of the events all the same; times
 * are kept when every event has one and they do not go back. */
void builder_time(builder *b, int64_t time);
bool builder_call(builder *b, const call_record *call);
bool builder_return(builder *b, value client, value res, uint32_t line);
bool builder_fail(builder *b, value client, uint32_t line); /* certainly did not happen: the call is dropped */
bool builder_info(builder *b, value client, uint32_t line); /* may have happened: pending; the client starts afresh */
typedef struct open_call {
    unsigned method;
    size_t nargs;
    value first, key; /* its first argument and its key; VALUE_NONE: none */
    uint32_t line;
} open_call;
bool builder_open_call(const builder *b, value client, open_call *out); /* false: no open call */
bool builder_is_streamed(const builder *b); /* to a sink: a call is known by its arguments at once */
/* Replaces the open call's arguments (a completion may be the only place that has them). */
void builder_open_args(builder *b, value client, const value *arg, size_t nargs);

/* ---- a sink takes the events ----
 * Readers know builders only. A builder with a sink keeps no operations: each event goes to the sink as it is read,
 * which returns false to end the reading (with the builder's error set when something is wrong). */
typedef struct event_sink {
    void *context;
    bool (*call)(void *context, const call_record *call);
    bool (*ret)(void *context, value client, value res, uint32_t line);
    bool (*fail)(void *context, value client, uint32_t line);
    bool (*info)(void *context, value client, uint32_t line);
    bool (*open_call)(void *context, value client, open_call *out);
    void (*open_args)(void *context, value client, const value *arg, size_t nargs);
    void (*time)(void *context, int64_t time); /* of the event that comes next; may be NULL */
} event_sink;
void builder_redirect(builder *b, const event_sink *sink); /* before the first event; not copied */
const char *builder_method_name(const builder *b, unsigned method);
const char *builder_object_hint(const builder *b); /* what the file says its object is; NULL: nothing */
const char *builder_file(const builder *b);        /* the name that messages begin with */
const char *builder_lacking(const builder *b);     /* what the file says is missing in it; NULL: nothing */
/* As history_init. */
const char *builder_initial(const builder *b, const char *object, const char *given);
bool builder_has_operations(const builder *b); /* whole operations came: they are kept, sink or not */

/* ---- operations with stamps ---- */
bool builder_operation(builder *b, const call_record *call, int64_t call_time, int64_t ret_time, value res);
/* The same for readers whose return stamps may be any integer: whether it returned is said apart. */
bool builder_whole_operation(builder *b, const call_record *call, int64_t call_time, int64_t ret_time, bool returned,
                             value res);
/* Whole operations: a return at t precedes a call at t, of any client (operation lists mean it so). Operations
 * that begin and end at one t overlap. */
void builder_ties_precede(builder *b);
/* The stamps are the order of the events and nothing else: the history keeps ranks only. */
void builder_order_only(builder *b);

/* The history; NULL with the error set when the input is bad. The builder is spent: free it. */
history *builder_finish(builder *b);

#endif
