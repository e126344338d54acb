#include "engine/pattern.h"
#include "engine/self_check.h"

#include "object/leave_out.h"

void outcome_violation(outcome *out, uint32_t cut) {
    out->verdict = VERDICT_VIOLATION;
    out->cut = cut;
}

void outcome_stopped(const problem *p, outcome *out) {
    out->verdict = VERDICT_UNDECIDED;
    out->stopped = budget_why(p->budget);
}

/* Operations to keep, or NULL. What observes and is not meant leaves. */
static uint32_t *select_pattern(const problem *p, const uint32_t *position, uint32_t n, uint32_t *count) {
    leave_out l;
    object_leave_out(p->o, p->h, p->op, p->n, &l);
    bool *stays = mem_zero(l.groups + 1, sizeof *stays), *meant = mem_zero(p->n, sizeof *meant), fragile = false;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = position[k];
        assert(i < p->n);
        meant[i] = true;
        if (l.group[i] != GROUP_KEEP) stays[l.group[i]] = true;
        fragile |= (l.flags[i] & LEAVE_FRAGILE) != 0;
    }
    uint32_t *op = MEM_ARRAY(uint32_t, p->n);
    *count = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        assert(l.group[i] == GROUP_KEEP || l.group[i] < l.groups);
        bool keep = l.group[i] == GROUP_KEEP || stays[l.group[i]];
        if (l.flags[i] & LEAVE_ALONE) keep = false;
        if (keep || meant[i]) op[(*count)++] = p->op[i];
    }
    free(stays);
    free(meant);
    leave_out_free(&l);
    assert(n == 0 || *count > 0);
    assert_costly(words_ascend(op, *count));
    if (!fragile && *count < p->n) return op;
    free(op);
    return NULL;
}

void pattern_from(const problem *p, const uint32_t *position, uint32_t n, outcome *out) {
    uint32_t count, *op = select_pattern(p, position, n, &count);
    if (!op) return;
    assert(!out->pattern);
    out->pattern = op;
    out->pattern_n = count;
}

void pattern_try(const problem *p, const uint32_t *position, uint32_t n, bool (*is_violation)(const problem *part),
                 outcome *out) {
    uint32_t count, *op = select_pattern(p, position, n, &count);
    if (!op) return;
    problem part = *p;
    part.op = op;
    part.n = count;
    if (is_violation(&part)) {
        out->pattern = op;
        out->pattern_n = count;
    } else {
        free(op);
    }
}
