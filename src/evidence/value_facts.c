/* Facts about values: where they come from, and how often. */
#include "evidence/facts.h"

static bool mentions(const values *t, value where, value v) {
    if (where == v) return true;
    if (value_kind_of(t, where) != KIND_TUPLE) return false;
    size_t n;
    const value *item = value_as_tuple(t, where, &n);
    for (size_t i = 0; i < n; i++)
        if (mentions(t, item[i], v)) return true;
    return false;
}

typedef struct value_mention {
    uint32_t count; /* operations of the part that have the value among their arguments */
    uint32_t put;   /* of these: that put it in */
    uint32_t first; /* the first of them */
    /* of those that may have brought it about before the operation in question returned: the last to return */
    uint32_t last;
    uint32_t over; /* an operation that came between that and the one in question */
    bool stale;    /* there is such a one, and it matters */
    bool brought;  /* there is such a one ... */
    bool open;     /* ... and one that is pending */
} value_mention;

/* May the state hold v because of this operation? An object that does not say brings about all its arguments. */
static bool may_bring(const object *o, const operation *op, value v) {
    return !o->type->brings || o->type->brings(o, op) == v || o->type->brings(o, op) == VALUE_UNKNOWN;
}

static value_mention count_in(const history *h, const object *o, const uint32_t *op, uint32_t n, uint32_t of, value v) {
    value_mention m = {0};
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        bool has = false;
        history_operation(h, op[i], &view);
        for (unsigned a = 0; a < view.nargs; a++) has |= mentions(h->values, view.arg[a], v);
        if (has && m.count++ == 0) m.first = op[i];
        if (has && view.call < h->ret[of] && may_bring(o, &view, v)) {
            m.open |= view.ret == RANK_NEVER;
            if (!m.brought || view.ret > h->ret[m.last]) m.last = op[i];
            m.brought = true;
        }
        m.put += has && object_method(o, &view)->role & ROLE_ADDS && view.res != VALUE_FULL;
    }
    return m;
}

/* Something came between all operations with the value and the one that returned it. It changed the value: the three by
 * themselves are a violation. */
static bool find_over(const history *h, const object *o, const uint32_t *op, uint32_t n, uint32_t of,
                      value_mention *m) {
    if (!m->brought || m->open) return false;
    for (uint32_t i = n; i-- > 0 && h->call[op[i]] > h->ret[m->last];) {
        operation view;
        history_operation(h, op[i], &view);
        if (!history_before(h, op[i], of) || object_changes_nothing(o, &view)) continue;
        m->over = op[i];
        history *only = history_select(h, (uint32_t[]){m->last, op[i], of}, 3, h->ret[of]);
        bool violates = oracle_linearizable(o, only, 0) == ORACLE_NO;
        history_free(only);
        return violates;
    }
    return false;
}

static value_mention find_mentions(const history *h, const object *o, uint32_t of, value v) {
    partition *parts = object_partition(o, h);
    value_mention m = {0};
    bool found = false;
    for (uint32_t p = 0; p < parts->count && !found; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        for (uint32_t i = 0; i < n && !found; i++) found = op[i] == of;
        if (!found) continue;
        m = count_in(h, o, op, n, of, v);
        m.stale = find_over(h, o, op, n, of, &m);
    }
    partition_free(parts);
    return m;
}

static bool takes_out(const object *o, const operation *op, value v) {
    const method *m = object_method(o, op);
    return m->role & ROLE_REMOVES && m->result == RESULT_REMOVED && op->res == v;
}

static uint32_t count_taken(const object *o, const history *only, value v) {
    uint32_t taken = 0;
    for (uint32_t i = 0; i < only->n; i++) {
        operation op;
        history_operation(only, i, &op);
        taken += takes_out(o, &op, v);
    }
    return taken;
}

/* Views of several values are no operation's argument where operations take effect together. */
static bool plain_value(const object *o, value v) {
    if (criterion_is_together(&o->criterion) && value_kind_of(o->values, v) == KIND_TUPLE) return false;
    return v != o->init && (v < VALUE_SPECIAL || v >= VALUE_INTERNED);
}

/* Only for cores that no order at all can help: there, values say it. */
bool facts_find_value(const history *h, const object *o, const core *c, facts *f) {
    for (uint32_t i = 0; i < f->only->n; i++) {
        operation op;
        history_operation(f->only, i, &op);
        bool removes = takes_out(o, &op, op.res), observes = object_method(o, &op)->result == RESULT_VALUE;
        if (history_pending(f->only, i) || !plain_value(o, op.res) || !(removes || observes)) continue;
        value_mention m = find_mentions(h, o, c->op[i], op.res);
        uint32_t taken = count_taken(o, f->only, op.res);
        fact *new_fact = NULL;
        if (m.count == 0) new_fact = facts_add(f, FACT_NEVER_IN, i, i, 0);
        else if (op.ret < h->call[m.first]) new_fact = facts_add(f, FACT_TOO_EARLY, i, i, 0);
        else if (!removes && m.stale) new_fact = facts_add(f, FACT_STALE, i, i, 0);
        else if (removes && taken > m.put && m.put > 0) new_fact = facts_add(f, FACT_TOO_OFTEN, i, i, 0);
        if (!new_fact) continue;
        new_fact->v = op.res;
        new_fact->first = new_fact->kind == FACT_STALE ? m.last : m.first;
        new_fact->second = m.over;
        new_fact->taken = taken;
        new_fact->put = m.put;
        return true;
    }
    return false;
}
