/* The native text format: reading and writing are a file each. */
#ifndef PLUMB_FORMAT_PLUMB_JSONL_H
#define PLUMB_FORMAT_PLUMB_JSONL_H

#include "format/format.h"

bool read_jsonl(input *in, builder *b, const read_options *options); /* both forms */
bool write_jsonl(const history *h, const object *o, output *out, error *e);

/* A value as JSON; `empty` and `full` as strings, none and unknown as null. */
void json_value(const values *t, value v, text *out);
/* Parts of lines: "client":2,   "op":"enq","args":[7]   the line that names the object   the times of a note and
 * its end */
void json_client(const history *h, uint32_t i, text *out);
void json_call(const history *h, uint32_t i, text *out);
/* The first line: what a history says of itself beside its operations. Nothing to say: no line. */
typedef struct json_heading {
    const char *object, *init, *lacks; /* NULL: nothing */
    int64_t tick;                      /* as in history/history.h */
    uint32_t sample;
} json_heading;
void json_heading_write(const json_heading *x, text *out);
void json_header(const history *h, const object *o, text *out);
void json_note_times(const annotation *a, text *out);

#endif
