#include "evidence/oracle.h"

typedef struct search {
    const object *o;
    uint32_t n;
    operation op[ORACLE_MAX_OPERATIONS];
    uint32_t before[ORACLE_MAX_OPERATIONS]; /* operations that must come first */
    uint32_t completed;                     /* operations that must come at all */
    uint64_t steps, limit;
    bool gave_up;
} search;

static bool extend(search *s, uint32_t done, const state *now);

static bool try_operation(search *s, uint32_t done, const state *now, uint32_t i) {
    state next = {0};
    bool found = false;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !found && !s->gave_up; choice++) {
        value res;
        state_copy(&next, now);
        if (++s->steps > s->limit) s->gave_up = true;
        r = s->o->type->step(s->o, &next, &s->op[i], choice, &res);
        if (r != STEP_ILLEGAL) found = extend(s, done | 1u << i, &next);
    }
    state_free(&next);
    return found;
}

static bool extend(search *s, uint32_t done, const state *now) {
    if ((done & s->completed) == s->completed && object_may_end(s->o, now)) return true;
    for (uint32_t i = 0; i < s->n; i++) {
        if (done >> i & 1 || (s->before[i] & ~done)) continue;
        if (try_operation(s, done, now, i)) return true;
        if (s->gave_up) return false;
    }
    return false;
}

oracle_answer oracle_linearizable_with(const object *o, const history *h, const uint32_t *before, uint64_t steps) {
    if (h->n > ORACLE_MAX_OPERATIONS) return ORACLE_GAVE_UP;
    search s = {.o = o, .n = h->n, .limit = steps ? steps : UINT64_MAX};
    for (uint32_t i = 0; i < h->n; i++) {
        history_operation(h, i, &s.op[i]);
        if (h->ret[i] != RANK_NEVER) s.completed |= 1u << i;
        s.before[i] = before ? before[i] : 0;
        for (uint32_t j = 0; j < h->n; j++)
            if (h->ret[j] < h->call[i]) s.before[i] |= 1u << j;
    }
    state first = {0};
    o->type->init(o, &first);
    bool found = extend(&s, 0, &first);
    state_free(&first);
    return found ? ORACLE_YES : s.gave_up ? ORACLE_GAVE_UP : ORACLE_NO;
}

/* Keys are objects of their own (partition.h), so each part is looked at alone. */
oracle_answer oracle_linearizable(const object *o, const history *h, uint64_t steps) {
    partition *parts = object_partition(o, h);
    oracle_answer answer = ORACLE_YES;
    for (uint32_t p = 0; p < parts->count && answer != ORACLE_NO; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        history *part = history_select(h, op, n, RANK_NEVER);
        oracle_answer a = oracle_linearizable_with(o, part, NULL, steps);
        if (a != ORACLE_YES) answer = a;
        history_free(part);
    }
    partition_free(parts);
    return answer;
}
