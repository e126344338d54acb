/* Atomic snapshot: update(i, v) writes segment i, scan returns all segments as a tuple. Segments are none at first. State: the
 * segments; when their number is not given, up to the last one that is not none, and then a scan may have any number of
 * none behind that. */
#include "object/leave_out.h"
#include "object/types.h"

enum { UPDATE, SCAN };
enum { SIZE };
enum { MAX_SEGMENTS = 1 << 16 };

static const method methods[] = {
    [UPDATE] = {"update", "write", 2, 2, ARG_INT_FIRST, RESULT_VOID, 0},
    [SCAN] = {"scan", "snapshot read", 0, 0, ARG_VALUE, RESULT_VALUE, ROLE_OBSERVES},
};

static uint32_t size_of(const object *o) { return (uint32_t)o->parameter[SIZE]; }

static void fill(state *s, uint32_t n) {
    while (s->n < n) state_push(s, VALUE_NONE);
}

static void init(const object *o, state *s) {
    s->n = 0;
    fill(s, size_of(o));
}

static void update(const object *o, state *s, uint32_t segment, value v) {
    fill(s, segment + 1);
    s->w[segment] = v;
    while (s->n > size_of(o) && s->w[s->n - 1] == VALUE_NONE) s->n--;
}

static bool same_segments(const object *o, const state *s, value scanned) {
    size_t n;
    const value *item = value_as_tuple(o->values, scanned, &n);
    if (n < s->n || (size_of(o) && n != s->n)) return false;
    for (size_t i = 0; i < n; i++)
        if (item[i] != (i < s->n ? s->w[i] : VALUE_NONE)) return false;
    return true;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    if (op->method == UPDATE) {
        *res = VALUE_NONE;
        update(o, s, (uint32_t)value_as_int(o->values, op->arg[0]), op->arg[1]);
        return step_if(operation_fits(op, *res));
    }
    *res = op->res == VALUE_UNKNOWN ? value_tuple(o->values, s->w, s->n) : op->res;
    return step_if(op->res == VALUE_UNKNOWN || same_segments(o, s, op->res));
}

/* Segment and value as one name: segments are below 2^16, and what lies beyond a tuple's end is none. */
static uint64_t seen_name(uint64_t segment, value v) { return segment << 32 | v; }

typedef struct seen_set {
    uint64_t *slot; /* name + 1 */
    uint32_t slots, count;
} seen_set;

static uint64_t *seen_slot(const seen_set *seen, uint64_t name) {
    uint32_t at = (uint32_t)hash_mix(name) & (seen->slots - 1);
    while (seen->slot[at] && seen->slot[at] != name + 1) at = (at + 1) & (seen->slots - 1);
    return &seen->slot[at];
}

static void see(seen_set *seen, uint64_t name) {
    if (seen->count * 2 >= seen->slots) {
        seen_set larger = {.slots = seen->slots ? seen->slots * 2 : 64};
        larger.slot = mem_zero(larger.slots, sizeof *larger.slot);
        for (uint32_t i = 0; i < seen->slots; i++)
            if (seen->slot[i]) *seen_slot(&larger, seen->slot[i] - 1) = seen->slot[i];
        larger.count = seen->count;
        free(seen->slot);
        *seen = larger;
    }
    uint64_t *slot = seen_slot(seen, name);
    seen->count += *slot == 0;
    *slot = name + 1;
}

static void see_scans(const history *h, const uint32_t *op, uint32_t n, seen_set *seen) {
    for (uint32_t i = 0; i < n; i++) {
        if (h->method[op[i]] != SCAN || history_pending(h, op[i])) continue;
        size_t size;
        const value *item = value_as_tuple(h->values, h->res[op[i]], &size);
        for (size_t k = 0; k < size; k++) see(seen, seen_name(k, item[k]));
    }
}

/* A scan may leave alone; an update that no scan saw may leave too. The others can once the scans that saw them have left. */
static void leave_out_unseen(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    seen_set seen = {0};
    see(&seen, UINT64_MAX - 1); /* so that it has room */
    see_scans(h, op, n, &seen);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.method == SCAN) {
            out->flags[i] = LEAVE_ALONE;
            continue;
        }
        uint64_t segment = (uint64_t)value_as_int(h->values, view.arg[0]);
        if (view.arg[1] != VALUE_NONE && !*seen_slot(&seen, seen_name(segment, view.arg[1]))) out->group[i] = out->groups++;
    }
    free(seen.slot);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the segments are ");
    object_describe(o, s, out);
}

static bool check(const object *o, const history *h, const char *file, error *e) {
    int64_t limit = size_of(o) ? size_of(o) : MAX_SEGMENTS;
    for (uint32_t i = 0; i < h->n; i++) {
        unsigned line = h->line ? h->line[i] : 0;
        if (h->method[i] == UPDATE) {
            int64_t segment = value_as_int(h->values, h->arg[0][i]);
            if (segment < 0 || segment >= limit)
                return error_set(e, EXIT_BAD_INPUT, "%s:%u: update of segment %lld; expected 0 to %lld", file, line, (long long)segment,
                                 (long long)limit - 1);
        } else if (!history_pending(h, i)) {
            size_t n = 0;
            if (value_kind_of(h->values, h->res[i]) == KIND_TUPLE) value_as_tuple(h->values, h->res[i], &n);
            else return error_set(e, EXIT_BAD_INPUT, "%s:%u: scan returned no tuple; expected all segments", file, line);
            if ((int64_t)n > limit || (size_of(o) && n != size_of(o)))
                return error_set(e, EXIT_BAD_INPUT, "%s:%u: scan returned %zu segments; expected %lld", file, line, n, (long long)limit);
        }
    }
    return true;
}

const object_type object_type_snapshot = {
    .name = "snapshot",
    .summary = "segments to update, and to read all at once",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .parameters = {[SIZE] = {"size", 0, 0, MAX_SEGMENTS, "segments; 0: as many as are updated"}},
    .init = init,
    .step = step,
    .leave_out = leave_out_unseen,
    .why_not = why_not,
    .check = check,
};
