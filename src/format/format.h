/* History file formats: a reader and a writer each. A new format is one file and one line in formats.def. */
#ifndef PLUMB_FORMAT_FORMAT_H
#define PLUMB_FORMAT_FORMAT_H

#include "base/error.h"
#include "format/input.h"
#include "history/builder.h"
#include "object/object.h"

typedef struct format format;
typedef struct output output; /* format/output.h */

typedef struct read_options {
    const format *format; /* NULL: sniff */
    bool independent;     /* Jepsen's [key value] values */
    /* blank-separated methods whose :fail is an observation (result false), not a drop; may be NULL */
    const char *observe;
    _Atomic uint64_t *bytes; /* for progress; may be NULL */
    const _Atomic int *stop; /* non-zero: give up reading (interrupted); may be NULL */
} read_options;

struct format {
    const char *name; /* "jepsen-edn" */
    const char *summary;
    const char *suffixes; /* blank-separated, for writing by file name: ".edn" */
    bool nameless;        /* what is written does not say which object it is */
    /* How sure, 0..100, from the first bytes of the file (up to 64 KiB, perhaps all of it). */
    int (*sniff)(const char *p, size_t n);
    /* Feeds the builder; on bad input sets the builder's error through builder_error. */
    bool (*read)(input *in, builder *b, const read_options *options);
    /* Writes a history (bound to an object, or not: method names are in the history). Appends to `out` and calls
     * `flush` whenever it has gathered a good piece. False and the error set (65): the format cannot say this
     * history. */
    bool (*write)(const history *h, const object *o, output *out, error *e);
};

const format *format_at(unsigned i);
const format *format_find(const char *name);
bool format_named(const char *name, const format **out, error *e); /* false: unknown, with the nearest one */
const format *format_for_path(const char *path);                   /* by suffix; NULL: none */

/* The format of an input that may still be written: looks at no more than it needs. NULL and the error set: none
 * fits. */
const format *format_sniff_live(input *in, error *e);

/* Reads a whole history; `used` receives the format. NULL and the error set on bad input. */
history *format_read(const char *path, const read_options *options, const format **used, error *e);
history *format_read_input(input *in, const read_options *options, const format **used, error *e);
bool format_write(const char *path, const format *f, const history *h, const object *o, error *e);

/* "read x.edn: jepsen-edn, 5 clients, 812 ok, 40 pending, 17 failed dropped, 3 annotations" */
void format_understood(const char *path, const format *f, const history *h, text *out);

#endif
