/* The state of snapshot objects: a row of segments, none at first, each written by itself and all read at once. When
 * their number is not given, the row ends with the last segment that is not none, and what is read may have any number
 * of none behind that. The size is the object's first parameter. */
#ifndef PLUMB_OBJECT_SEGMENT_ROW_H
#define PLUMB_OBJECT_SEGMENT_ROW_H

#include "object/object.h"

enum { MAX_SEGMENTS = 1 << 16 };
#define SEGMENT_ROW_SIZE \
    { "size", 0, 0, MAX_SEGMENTS, "segments; 0: as many as are updated" }

void segment_row_init(const object *o, state *s);
void segment_row_write(const object *o, state *s, const operation *op); /* arg[1] into segment arg[0] */
/* Could op have returned the row? `*res` is what it returned. */
bool segment_row_seen(const object *o, const state *s, const operation *op, value *res);

/* What binding asks of an operation: it writes a segment that exists; it returned a tuple of the right size. */
bool segment_row_check_write(const object *o, const operation *op, text *wrong);
bool segment_row_check_view(const object *o, const operation *op, text *wrong);

/* A set of contents: which value was seen in which segment, and by whom. What lies beyond a view's end is none. */
typedef struct segments_seen segments_seen;
segments_seen *segments_seen_new(void);
void segments_seen_free(segments_seen *seen);
void segments_see(segments_seen *seen, const values *t, value view, uint32_t by);
/* by another; UINT32_MAX: by anyone */
bool segments_were_seen(const segments_seen *seen, uint32_t segment, value v, uint32_t but_by);

#endif
