/* Operations that are pending for ever, by kind: those that do the same are one more of a kind. Any of them may still
 * take effect, at any time, and none has to. */
#ifndef PLUMB_MONITOR_PENDING_KINDS_H
#define PLUMB_MONITOR_PENDING_KINDS_H

#include "monitor/ways.h"

#define NO_KIND UINT32_MAX

typedef struct pending_kind {
    operation view;
    uint32_t count; /* that may still take effect, those included that a way used */
    uint32_t spent; /* taken off the count while ways were left out: one of those may not have used them */
    uint32_t next;  /* another that brings about the same value; NO_KIND */
    value brings;   /* it matters only to operations that look for this; VALUE_UNKNOWN: to any */
    int64_t adds;   /* objects whose state is a sum: to it */
    uint64_t asked; /* in which round it was asked whether its text is in one that is looked for */
    bool in_text;
} pending_kind;

typedef struct pending_kinds {
    pending_kind *at;
    uint32_t n, room;
    uint32_t *slot; /* number + 1, by what they do */
    uint32_t slots;
    value_map by_value; /* brings -> the first */
    uint32_t *any;      /* those that may matter to any operation */
    uint32_t any_n, any_room;
} pending_kinds;

void pending_kinds_free(pending_kinds *k);
/* The kind of this operation, made if there is none. `goes_on`: its client may do something later. */
uint32_t pending_kinds_of(pending_kinds *k, const object *o, const operation *op, bool goes_on);
/* Those that were spent count again: nothing is known of the ways that spent them. */
void pending_kinds_recall(pending_kinds *k);
/* Kinds of which there is none left go; numbers change. */
void pending_kinds_compact(pending_kinds *k, const object *o);
size_t pending_kinds_memory(const pending_kinds *k);
void pending_kinds_store(pending_kinds *k, const object *o, store *s);

/* The value it brings about, if it matters only to operations that look for that; VALUE_UNKNOWN: to any. */
value brought_value(const object *o, const operation *op);
/* The values without which this operation might not be possible, for kinds that bring about values; LOOKS_FOR_ANY. */
int wanted_values(const object *o, const operation *op, value *v, int room);
/* A compare-and-set that failed: any value but v[0] will do. */
#define LOOKS_FOR_ANOTHER (LOOKS_FOR_ANY - 1)
bool object_is_sum(const object *o);
/* What it writes or appends to a key, as text; empty: nothing. */
void operation_piece(const object *o, const operation *op, text *out);
/* The text it finds under a key, if it finds one. */
bool operation_found_text(const object *o, const operation *op, text *out);
bool operation_appends(const object *o, const operation *op);
/* Whatever the state, it writes what it brings about. */
bool kind_overwrites(const object *o, const pending_kind *k);

#endif
