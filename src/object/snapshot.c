/* Atomic snapshot: update(i, v) writes segment i, scan returns all segments as a tuple. Segments are none at first.
 * State: the segments; when their number is not given, up to the last one that is not none, and then a scan may have
 * any number of none behind that. */
#include "object/leave_out.h"
#include "object/segment_row.h"
#include "object/types.h"

enum { UPDATE, SCAN };

static const method methods[] = {
    [UPDATE] = {"update", "write", 2, 2, ARG_INT_FIRST, RESULT_VOID, 0},
    [SCAN] = {"scan", "snapshot read", 0, 0, ARG_VALUE, RESULT_VALUE, ROLE_OBSERVES},
};

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    if (op->method == UPDATE) {
        *res = VALUE_NONE;
        segment_row_write(o, s, op);
        return step_if(operation_fits(op, *res));
    }
    return step_if(segment_row_seen(o, s, op, res));
}

/* Which of these operations are in focus; without a focus all are. Both ascending. To be freed. */
static uint8_t *in_focus(const leave_out *l, const uint32_t *op, uint32_t n) {
    uint8_t *in = mem_zero(n, 1);
    for (uint32_t i = 0, k = 0; i < n; i++) {
        in[i] = !l->focus_n || (k < l->focus_n && l->focus[k] == op[i]);
        k += in[i];
    }
    return in;
}

/* A scan may leave alone; an update that no scan saw may leave too. The others can once the scans that saw them have
 * left: with all scans that are not in focus leave the updates that only these saw, as one group. */
static void leave_out_unseen(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    enum { REST };
    uint8_t *named = in_focus(out, op, n);
    segments_seen *seen = segments_seen_new();
    for (uint32_t i = 0; i < n; i++)
        if (named[i] && h->method[op[i]] == SCAN && !history_pending(h, op[i]))
            segments_see(seen, h->values, h->res[op[i]], i);
    out->groups = out->focus_n ? REST + 1 : 0;
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.method == SCAN) {
            out->flags[i] = LEAVE_ALONE;
            if (!named[i]) out->group[i] = REST;
            continue;
        }
        uint32_t segment = (uint32_t)value_as_int(h->values, view.arg[0]);
        if (view.arg[1] == VALUE_NONE || segments_were_seen(seen, segment, view.arg[1], UINT32_MAX)) continue;
        out->group[i] = named[i] ? out->groups++ : REST;
    }
    segments_seen_free(seen);
    free(named);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the segments are ");
    object_describe(o, s, out);
}

static bool check_operation(const object *o, const operation *op, text *wrong) {
    return op->method == UPDATE ? segment_row_check_write(o, op, wrong) : segment_row_check_view(o, op, wrong);
}

OBJECT_RECORD(object_type_snapshot, "snapshot", "segments to update, and to read all at once", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .parameters = {SEGMENT_ROW_SIZE},
              .init = segment_row_init, .step = step, .leave_out = leave_out_unseen, .why_not = why_not,
              .check_operation = check_operation);
