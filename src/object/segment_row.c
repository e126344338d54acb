#include "object/segment_row.h"

#include "base/hash.h"
#include "base/table.h"

#include <assert.h>

enum { SIZE };

static uint32_t size_of(const object *o) { return (uint32_t)o->parameter[SIZE]; }

static void fill(state *s, uint32_t n) {
    while (s->n < n) state_push(s, VALUE_NONE);
}

void segment_row_init(const object *o, state *s) {
    s->n = 0;
    fill(s, size_of(o));
}

void segment_row_write(const object *o, state *s, const operation *op) {
    uint32_t segment = (uint32_t)value_as_int(o->values, op->arg[0]);
    assert(s->n >= size_of(o));
    fill(s, segment + 1);
    s->w[segment] = op->arg[1];
    while (s->n > size_of(o) && s->w[s->n - 1] == VALUE_NONE) s->n--;
    assert(s->n == size_of(o) || s->w[s->n - 1] != VALUE_NONE); /* one form: no none at the end of an open row */
}

static bool same_segments(const object *o, const state *s, value scanned) {
    size_t n;
    const value *item = value_as_tuple(o->values, scanned, &n);
    if (n < s->n || (size_of(o) && n != s->n)) return false;
    for (size_t i = 0; i < n; i++)
        if (item[i] != (i < s->n ? s->w[i] : VALUE_NONE)) return false;
    return true;
}

bool segment_row_seen(const object *o, const state *s, const operation *op, value *res) {
    *res = op->res == VALUE_UNKNOWN ? value_tuple(o->values, s->w, s->n) : op->res;
    return op->res == VALUE_UNKNOWN || same_segments(o, s, op->res);
}

/* ---- what binding asks ---- */

static int64_t limit_of(const object *o) { return size_of(o) ? size_of(o) : MAX_SEGMENTS; }

bool segment_row_check_write(const object *o, const operation *op, text *wrong) {
    int64_t segment = value_as_int(o->values, op->arg[0]);
    if (segment >= 0 && segment < limit_of(o)) return true;
    text_printf(wrong, "update of segment %lld; expected 0 to %lld", (long long)segment, (long long)limit_of(o) - 1);
    return false;
}

bool segment_row_check_view(const object *o, const operation *op, text *wrong) {
    if (op->res == VALUE_UNKNOWN) return true;
    if (value_kind_of(o->values, op->res) != KIND_TUPLE) {
        text_add(wrong, "scan returned no tuple; expected all segments");
        return false;
    }
    size_t n;
    value_as_tuple(o->values, op->res, &n);
    if ((int64_t)n <= limit_of(o) && (!size_of(o) || n == size_of(o))) return true;
    text_printf(wrong, "scan returned %zu segments; expected %s%lld", n, size_of(o) ? "" : "at most ",
                (long long)limit_of(o));
    return false;
}

/* ---- what was seen ---- */

typedef struct seen_segment {
    uint64_t name; /* segment and value */
    uint32_t by;   /* the one that saw it; UINT32_MAX: several */
} seen_segment;

struct segments_seen {
    seen_segment *seen;
    uint32_t count, room;
    table named; /* by name */
};

static uint64_t name_of(uint64_t segment, value v) { return segment << 32 | v; }

static uint32_t segment_hash(const void *owner, uint32_t i) {
    return (uint32_t)hash_mix(((const segments_seen *)owner)->seen[i].name);
}

static bool segment_is(const void *owner, uint32_t i, const void *name) {
    return ((const segments_seen *)owner)->seen[i].name == *(const uint64_t *)name;
}

static seen_segment *find_segment(const segments_seen *s, uint64_t name) {
    uint32_t i = table_find(&s->named, (uint32_t)hash_mix(name), segment_is, s, &name);
    return i == TABLE_NONE ? NULL : &s->seen[i];
}

segments_seen *segments_seen_new(void) { return MEM_NEW(segments_seen); }

void segments_seen_free(segments_seen *s) {
    free(s->seen);
    table_free(&s->named);
    free(s);
}

static void see_segment(segments_seen *s, uint64_t name, uint32_t by) {
    seen_segment *found = find_segment(s, name);
    if (found) {
        if (found->by != by) found->by = UINT32_MAX;
        return;
    }
    if (s->count == s->room) s->seen = MEM_GROW(s->seen, seen_segment, s->room = s->room ? s->room * 2 : 32);
    s->seen[s->count] = (seen_segment){.name = name, .by = by};
    table_add(&s->named, (uint32_t)hash_mix(name), segment_hash, s, s->count++);
}

void segments_see(segments_seen *s, const values *t, value view, uint32_t by) {
    size_t n;
    const value *item = value_as_tuple(t, view, &n);
    for (size_t k = 0; k < n; k++) see_segment(s, name_of(k, item[k]), by);
}

bool segments_were_seen(const segments_seen *s, uint32_t segment, value v, uint32_t but_by) {
    const seen_segment *found = find_segment(s, name_of(segment, v));
    return found && (but_by == UINT32_MAX || found->by != but_by);
}
