/* write_snapshot(i, v) writes segment i and returns what is in all segments, as a tuple. Two objects with this one
 * method:
 *
 *   write-snapshot      what is returned was there at some moment of the operation, the own value included
 *   (self-inclusion), and
 *                       of two results one contains the other (containment). Interval-sequential: beginning is writing,
 *                       ending is returning what is there (Castaneda, Rajsbaum, Raynal 2018, section 3).
 *   immediate-snapshot  in addition, who saw your value returned no more than you (immediacy). Set-sequential: a set of
 *                       operations writes at one moment, and each returns what is there then (Borowsky, Gafni 1993).
 *
 * State: the row of segments. A segment belongs to one process; where several write one at the same moment, any of them
 * is the last. */
#include "object/leave_out.h"
#include "object/segment_row.h"
#include "object/set_spec.h"
#include "object/types.h"

static const method methods[] = {
    {"write_snapshot", "update_scan immediate_snapshot", 2, 2, ARG_INT_FIRST, RESULT_VALUE, 0},
};

static bool writes_with(const together *t, uint32_t i, uint32_t k) {
    return together_begins(t, k) && t->op[i]->arg[0] == t->op[k]->arg[0];
}

/* Those that begin write. Of several that write one segment, one is the last: `way` says which, for each such segment.
 * Returns how many ways there are. */
static uint32_t write_all(const object *o, state *s, const together *t, uint32_t way) {
    uint32_t ways = 1;
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t earlier = 0, writers = 0, last = 0;
        for (uint32_t k = 0; k < i; k++) earlier += writes_with(t, i, k);
        if (!together_begins(t, i) || earlier) continue;
        for (uint32_t k = i; k < t->n; k++) writers += writes_with(t, i, k);
        for (uint32_t k = i, nth = way / ways % writers + 1; nth; k++)
            if (writes_with(t, i, k) && --nth == 0) last = k;
        segment_row_write(o, s, t->op[last]);
        ways *= writers;
    }
    return ways;
}

static bool all_see(const object *o, const state *s, const together *t, value *res) {
    for (uint32_t i = 0; i < t->n; i++)
        if (together_ends(t, i) && !segment_row_seen(o, s, t->op[i], &res[i])) return false;
    return true;
}

static step_result step_together(const object *o, state *s, const together *t, uint32_t choice, value *res) {
    state before = {0};
    state_copy(&before, s);
    uint32_t ways = 1;
    bool found = false;
    for (uint32_t way = 0; way < ways && !found; way++) {
        state_copy(s, &before);
        ways = write_all(o, s, t, way);
        found = all_see(o, s, t, res) && choice-- == 0;
    }
    state_free(&before);
    return !found ? STEP_ILLEGAL : ways > 1 ? STEP_LEGAL_MORE : STEP_LEGAL;
}

/* What no other saw may leave: whatever was returned after it and before its segment was written again would show
 * it. */
static void leave_out_unseen(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    segments_seen *seen = segments_seen_new();
    for (uint32_t i = 0; i < n; i++)
        if (!history_pending(h, op[i])) segments_see(seen, h->values, h->res[op[i]], i);
    for (uint32_t i = 0; i < n; i++) {
        value v = h->arg[1][op[i]];
        uint32_t segment = (uint32_t)value_as_int(h->values, h->arg[0][op[i]]);
        if (v != VALUE_NONE && !segments_were_seen(seen, segment, v, i)) out->flags[i] = LEAVE_ALONE;
    }
    segments_seen_free(seen);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the segments are ");
    object_describe(o, s, out);
}

static bool check_operation(const object *o, const operation *op, text *wrong) {
    return segment_row_check_write(o, op, wrong) && segment_row_check_view(o, op, wrong);
}

static const set_spec writing_over_time = {
    .natural = CRITERION_INTERVAL, .intervals = true, .end_may_be_omitted = true, .step = step_together};
static const set_spec writing_at_once = {.natural = CRITERION_SET, .step = step_together};

#define SNAPSHOT_TYPE \
    .methods = methods, .method_count = sizeof methods / sizeof *methods, .named_only = true, \
    .parameters = {SEGMENT_ROW_SIZE}, .init = segment_row_init, .step = set_spec_alone, .leave_out = leave_out_unseen, \
    .why_not = why_not, .check_operation = check_operation

OBJECT_RECORD(object_type_write_snapshot, "write-snapshot",
              "writes a segment and returns all that were written before it returns", .together = &writing_over_time,
              SNAPSHOT_TYPE);

OBJECT_RECORD(object_type_immediate_snapshot, "immediate-snapshot",
              "writes a segment and returns all at the same moment, together with others", .together = &writing_at_once,
              SNAPSHOT_TYPE);
