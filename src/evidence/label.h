/* How operations are named to people: #12 enq(1). */
#ifndef PLUMB_EVIDENCE_LABEL_H
#define PLUMB_EVIDENCE_LABEL_H

#include "object/object.h"

/* Appends at most `columns` columns of t, with dots where something is missing, and frees t. */
void label_shorten(text *t, size_t columns, text *out);
/* The operation without its number, shortened to `columns` columns. */
void label_operation(const object *o, const history *h, uint32_t i, size_t columns, text *out);
void label_numbered(const object *o, const history *h, uint32_t i, text *out); /* #12 enq(1), of moderate length */
void label_value(const object *o, value v, text *out);                         /* of moderate length */

#endif
