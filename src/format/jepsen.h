/* What the events of a Jepsen or Knossos history mean, whatever the file looks like (EDN maps, tab-separated log
 * lines):
 *
 *     :invoke  a call                  :ok    its return
 *     :fail    certainly did not happen: dropped, or, for methods the user names, kept with the result false
 *     :info    may have happened at any later time: pending, with the arguments of the call
 *     a process that is not an integer (:nemesis): an annotation; faults that it ends are intervals (nemesis.h)
 *
 * One `:value` has to carry arguments and result, and which it is depends on the method. Before an object is known the
 * method's name decides; the table is in jepsen.c. */
#ifndef PLUMB_FORMAT_JEPSEN_H
#define PLUMB_FORMAT_JEPSEN_H

#include "format/format.h"

typedef enum jepsen_type { JEPSEN_INVOKE, JEPSEN_OK, JEPSEN_FAIL, JEPSEN_INFO } jepsen_type;

typedef enum method_manner {
    /* any other name: arguments from the call unless nil; a return that is nil or repeats them says nothing */
    MANNER_UPDATE,
    MANNER_WRITE,  /* has an argument, even nil; where the call has none, the return's value is taken */
    MANNER_ASK,    /* the return's value is the result; the call's value, unless nil, an argument */
    MANNER_REMOVE, /* of a set when the call has a value: like an update; of a container when it has none: asks */
    MANNER_CAS,    /* [old new] are two arguments; :ok means true unless it says false */
} method_manner;

typedef struct jepsen_event {
    uint32_t line;
    jepsen_type type;
    value process; /* VALUE_UNKNOWN: missing */
    const char *f; /* the method's name, without colon; NULL: missing */
    size_t f_length;
    value content; /* the :value, VALUE_NONE when nil or missing; VALUE_EMPTY and VALUE_FULL for :empty and :full */
    value key;     /* the :key, VALUE_NONE when missing */
    int64_t time;  /* the :time, nanoseconds since the test began; below 0: not said */
    int64_t until; /* of an annotation that we wrote; below 0: not said */
} jepsen_event;

typedef struct jepsen jepsen;

jepsen *jepsen_new(builder *b, const read_options *options);
void jepsen_free(jepsen *j);
bool jepsen_feed(jepsen *j, const jepsen_event *event);

method_manner method_manner_of(const char *name, size_t length);
/* a read of a register: it has no arguments, whatever stands at its invocation */
bool jepsen_plain_read(const char *name);
int jepsen_type_of(const char *name, size_t length); /* "invoke", ...; -1: none of the four */

#endif
