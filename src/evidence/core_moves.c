/* Retracing the moves that led to a core. */
#include "evidence/core.h"

#include "object/about.h"
#include "object/leave_out.h"

#include <assert.h>

static bool refuse(text *wrong, const char *what) {
    text_add(wrong, what);
    return false;
}

/* May all of these operations that are not `kept` be left out together? The rules of object/leave_out.h. */
static bool may_leave(const history *h, const uint32_t *op, uint32_t n, const leave_out *l, const uint8_t *kept,
                      text *wrong) {
    uint8_t *leaves = mem_zero(l->groups, 1);
    bool any_group = false, good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        bool leaves_with_group = !kept[i] & !(l->flags[i] & LEAVE_ALONE);
        if (l->group[i] != GROUP_KEEP) { /* no branch inside: it would be mispredicted */
            assert(l->group[i] < l->groups);
            leaves[l->group[i]] |= leaves_with_group;
            any_group |= leaves_with_group;
        } else if (leaves_with_group) {
            text_printf(wrong, "operation #%u is left out, but has to stay", history_number(h, op[i]));
            good = false;
        }
    }
    for (uint32_t i = 0; i < n && good; i++) {
        if (!kept[i]) continue;
        if (l->group[i] != GROUP_KEEP && leaves[l->group[i]]) {
            text_printf(wrong, "operation #%u stays, but belongs to what is left out", history_number(h, op[i]));
            good = false;
        } else if (any_group && l->flags[i] & LEAVE_FRAGILE) {
            text_printf(wrong, "operation #%u stays, but holds only with all that is left out",
                        history_number(h, op[i]));
            good = false;
        }
    }
    free(leaves);
    return good;
}

/* Positions of `keep` in the ascending list `from`; false when one is not there or they are not ascending. */
static bool mark_kept(const uint32_t *from, uint32_t n, const core_move *m, uint8_t *kept) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < n && k < m->n; i++)
        if (from[i] == m->keep[k]) {
            kept[i] = 1;
            k++;
        }
    return k == m->n;
}

static bool may_leave_uncut(const history *h, const object *o, const uint32_t *op, uint32_t n, const core_move *m,
                            uint32_t focus_n, const uint8_t *kept, text *wrong) {
    leave_out l;
    object_leave_out_around(o, h, op, n, m->keep, focus_n, &l);
    bool good = may_leave(h, op, n, &l, kept, wrong);
    leave_out_free(&l);
    return good;
}

static bool may_leave_cut(const history *h, const object *o, const uint32_t *op, uint32_t n, uint32_t cut,
                          const uint8_t *kept, text *wrong) {
    history *base = history_select(h, op, n, cut);
    uint32_t *position = MEM_ARRAY(uint32_t, n);
    leave_out l;
    for (uint32_t i = 0; i < n; i++) position[i] = i;
    object_leave_out(o, base, position, n, &l);
    free(position);
    history_free(base);
    bool good = may_leave(h, op, n, &l, kept, wrong);
    leave_out_free(&l);
    return good;
}

/* By the cheaper rule, which is about what deals with the same values as the few that are kept. */
static bool may_leave_around(const history *h, const object *o, const uint32_t *op, uint32_t n, const core_move *m,
                             text *wrong) {
    uint32_t count, *few = object_narrow(o, h, op, n, m->keep, m->n, &count);
    const uint32_t *near = few ? few : op;
    if (!few) count = n;
    uint8_t *kept = mem_zero(count, 1);
    bool good = mark_kept(near, count, m, kept) && may_leave_uncut(h, o, near, count, m, m->n, kept, wrong);
    free(kept);
    free(few);
    return good;
}

/* Are the operations that are kept among these, ascending as these are? */
static bool are_among(const uint32_t *op, uint32_t n, const core_move *m) {
    uint32_t from = 0;
    for (uint32_t k = 0; k < m->n; k++) {
        uint32_t to = n;
        while (from < to) {
            uint32_t middle = from + (to - from) / 2;
            if (op[middle] < m->keep[k]) from = middle + 1;
            else to = middle;
        }
        if (from == n || op[from++] != m->keep[k]) return false;
    }
    return true;
}

/* What the rule around the few allows is allowed; what it does not may be all the same. */
static bool leaves_around(const history *h, const object *o, const uint32_t *op, uint32_t n, const core_move *m) {
    if (m->cut != RANK_NEVER || !are_among(op, n, m)) return false;
    text ignored = {0};
    bool good = may_leave_around(h, o, op, n, m, &ignored);
    text_free(&ignored);
    return good;
}

static bool check_by_all(const history *h, const object *o, const uint32_t *from, uint32_t n, const core_move *m,
                         text *wrong) {
    uint32_t *open = NULL, count = m->cut == RANK_NEVER ? n : 0;
    if (m->cut != RANK_NEVER) {
        open = MEM_ARRAY(uint32_t, n);
        for (uint32_t i = 0; i < n; i++)
            if (h->call[from[i]] <= m->cut) open[count++] = from[i];
        from = open;
    }
    uint8_t *kept = mem_zero(count, 1);
    bool good = mark_kept(from, count, m, kept) ||
                refuse(wrong, "the core has operations that were left out before, or that are called after the cut");
    if (good && m->cut != RANK_NEVER) good = may_leave_cut(h, o, from, count, m->cut, kept, wrong);
    else if (good) good = may_leave_uncut(h, o, from, count, m, 0, kept, wrong);
    free(kept);
    free(open);
    return good;
}

/* Either rule may allow it. Where few are kept of many, the cheaper one is asked first. */
static bool check_move(const history *h, const object *o, const uint32_t *from, uint32_t n, const core_move *m,
                       text *wrong) {
    enum { MANY = 16 };
    bool few = m->n < n / MANY;
    text why_not = {0};
    bool good = (few && leaves_around(h, o, from, n, m)) || check_by_all(h, o, from, n, m, &why_not) ||
                (!few && leaves_around(h, o, from, n, m));
    if (!good) text_add(wrong, text_str(&why_not));
    text_free(&why_not);
    return good;
}

/* Everything that leaves returned before anything that stays was called, and left the object in the state that is
 * claimed. */
static bool check_settled(const history *h, const object *o, const uint32_t *from, uint32_t n, const core_move *m,
                          text *wrong) {
    uint32_t left = n - m->n, latest = 0;
    value init;
    if (m->cut != RANK_NEVER || m->n == 0 || m->n >= n || memcmp(from + left, m->keep, m->n * sizeof *from))
        return refuse(wrong, "what is settled is not what was called first");
    for (uint32_t i = 0; i < left; i++)
        if (h->ret[from[i]] > latest) latest = h->ret[from[i]]; /* RANK_NEVER: pending */
    if (latest > h->call[m->keep[0]]) return refuse(wrong, "what is settled had not returned");
    bool known = o->type->settle && o->type->settle(o, h, from, left, &init) && init == m->init;
    return known || refuse(wrong, "what is settled does not leave the object as it is claimed");
}

static bool check_moves_from(const history *h, const object *o, const uint32_t *op, uint32_t n, const core *c,
                             text *wrong) {
    uint32_t cut = RANK_NEVER;
    object begun = *o;
    bool may_cut = criterion_type_of(o->criterion.kind)->cut_is_sound;
    for (uint32_t k = 0; k < c->moves; k++) {
        const core_move *m = &c->move[k];
        if (m->cut > cut) return refuse(wrong, "a cut is undone");
        if (m->cut != RANK_NEVER && !may_cut) return refuse(wrong, "histories of this criterion may not be cut");
        cut = m->cut;
        if (!(m->settled ? check_settled : check_move)(h, &begun, op, n, m, wrong)) return false;
        if (m->settled) begun.init = m->init;
        op = m->keep;
        n = m->n;
    }
    object end = core_object(o, c);
    bool same =
        c->cut == cut && begun.init == end.init && c->n == n && (n == 0 || memcmp(c->op, op, n * sizeof *op) == 0);
    return same || refuse(wrong, "the moves do not lead to the core");
}

bool core_check_moves(const history *h, const object *o, const core *c, text *wrong) {
    if (c->n == 0 || c->moves == 0 || c->move[0].n == 0) return refuse(wrong, "the core is empty");
    uint32_t first = c->move[0].keep[0];
    for (uint32_t i = 0; i < c->n; i++)
        if (c->op[i] >= h->n) return refuse(wrong, "the core has an operation that does not exist");
    partition *parts = object_partition(o, h);
    bool good = false, found = false;
    for (uint32_t p = 0; p < parts->count && !found; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        for (uint32_t i = 0; i < n && !found; i++) found = op[i] == first;
        if (found) good = check_moves_from(h, o, op, n, c, wrong);
    }
    partition_free(parts);
    return found ? good : refuse(wrong, "the core has an operation that does not exist");
}
