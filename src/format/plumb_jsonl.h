/* The native text format: reading and writing are a file each. */
#ifndef PLUMB_FORMAT_PLUMB_JSONL_H
#define PLUMB_FORMAT_PLUMB_JSONL_H

#include "format/format.h"

bool write_jsonl(const history *h, const object *o, output *out, error *e);

/* A value as JSON; `empty` and `full` as strings, none and unknown as null. */
void json_value(const values *t, value v, text *out);

#endif
