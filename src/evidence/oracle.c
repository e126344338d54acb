#include "evidence/oracle.h"

#include "evidence/together_oracle.h"

#include <assert.h>

/* Where the search has been without success: the operations done and the state they led to decide what can follow, so
 * the same pair need not be tried again. Each entry is kept in full. */
typedef struct dead_ends {
    uint32_t *words; /* entries one behind the other: operations done, number of words, words of the state */
    size_t size, room;
    size_t *slot; /* open addressing: place in words + 1 */
    size_t slots, count;
} dead_ends;

typedef struct oracle_search {
    const object *o;
    uint32_t n;
    operation op[ORACLE_MAX_OPERATIONS];
    uint32_t before[ORACLE_MAX_OPERATIONS]; /* operations that must come first */
    uint32_t completed;                     /* operations that must come at all */
    uint64_t steps, limit;
    unsigned weight; /* of a step */
    bool gave_up;
    dead_ends dead;
} oracle_search;

static size_t find_slot(const dead_ends *d, uint32_t done, const uint32_t *w, uint32_t n) {
    size_t at = (size_t)hash_pair(done, hash_words(w, n)) & (d->slots - 1);
    for (; d->slot[at]; at = (at + 1) & (d->slots - 1)) {
        const uint32_t *entry = d->words + d->slot[at] - 1;
        if (entry[0] == done && entry[1] == n && (n == 0 || memcmp(entry + 2, w, n * sizeof *w) == 0)) break;
    }
    return at;
}

static void double_slots(dead_ends *d) {
    free(d->slot);
    d->slots = d->slots ? d->slots * 2 : 64;
    d->slot = mem_zero(d->slots, sizeof *d->slot);
    for (size_t at = 0; at < d->size; at += 2 + d->words[at + 1])
        d->slot[find_slot(d, d->words[at], d->words + at + 2, d->words[at + 1])] = at + 1;
}

static bool is_dead_end(const dead_ends *d, uint32_t done, const state *now) {
    return d->slots && d->slot[find_slot(d, done, now->w, now->n)];
}

static void add_dead_end(dead_ends *d, uint32_t done, const state *now) {
    if (2 * ++d->count > d->slots) double_slots(d);
    size_t more = d->size + 2 + now->n;
    if (more > d->room) {
        d->room = 2 * more;
        d->words = MEM_GROW(d->words, uint32_t, d->room);
    }
    d->slot[find_slot(d, done, now->w, now->n)] = d->size + 1;
    assert(more <= d->room && 2 * d->count <= d->slots); /* a probe ends */
    d->words[d->size] = done;
    d->words[d->size + 1] = now->n;
    if (now->n) memcpy(d->words + d->size + 2, now->w, now->n * sizeof *now->w);
    d->size = more;
}

static bool extend(oracle_search *s, uint32_t done, const state *now);

static bool try_operation(oracle_search *s, uint32_t done, const state *now, uint32_t i) {
    state next = {0};
    bool found = false;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !found && !s->gave_up; choice++) {
        value res;
        state_copy(&next, now);
        assert(!(done >> i & 1) && !(s->before[i] & ~done));
        s->steps += s->weight;
        if (s->steps > s->limit) s->gave_up = true;
        r = s->o->type->step(s->o, &next, &s->op[i], choice, &res);
        if (r != STEP_ILLEGAL) found = extend(s, done | 1u << i, &next);
    }
    state_free(&next);
    return found;
}

static bool extend(oracle_search *s, uint32_t done, const state *now) {
    if ((done & s->completed) == s->completed && object_may_end(s->o, now)) return true;
    if (is_dead_end(&s->dead, done, now)) return false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (done >> i & 1 || (s->before[i] & ~done)) continue;
        if (try_operation(s, done, now, i)) return true;
        if (s->gave_up) return false;
    }
    add_dead_end(&s->dead, done, now);
    return false;
}

oracle_answer oracle_linearizable_with(const object *o, const history *h, const uint32_t *before, uint64_t steps,
                                       uint64_t *taken) {
    if (h->n > ORACLE_MAX_OPERATIONS) return ORACLE_GAVE_UP;
    if (criterion_is_together(&o->criterion)) return together_oracle(o, h, before, steps, taken);
    bool in_time = criterion_keeps_time(&o->criterion);
    unsigned weight = o->type->step_weight ? o->type->step_weight : 1;
    oracle_search s = {.o = o, .n = h->n, .limit = steps ? steps : UINT64_MAX, .weight = weight};
    for (uint32_t i = 0; i < h->n; i++) {
        history_operation(h, i, &s.op[i]);
        if (h->ret[i] != RANK_NEVER) s.completed |= 1u << i;
        s.before[i] = before ? before[i] : 0;
        for (uint32_t j = 0; j < h->n; j++)
            if (h->ret[j] < h->call[i] && (in_time || history_client(h, i) == history_client(h, j)))
                s.before[i] |= 1u << j;
        assert(!(s.before[i] >> i & 1)); /* nothing precedes itself */
    }
    state first = {0};
    o->type->init(o, &first);
    bool found = extend(&s, 0, &first);
    state_free(&first);
    free(s.dead.words);
    free(s.dead.slot);
    if (taken) *taken += s.steps;
    return found ? ORACLE_YES : s.gave_up ? ORACLE_GAVE_UP : ORACLE_NO;
}

/* Keys are objects of their own (history/partition.h), so each part is looked at alone. */
oracle_answer oracle_linearizable(const object *o, const history *h, uint64_t steps) {
    partition *parts = object_partition(o, h);
    oracle_answer answer = ORACLE_YES;
    for (uint32_t p = 0; p < parts->count && answer != ORACLE_NO; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        history *part = history_select(h, op, n, RANK_NEVER);
        oracle_answer a = oracle_linearizable_with(o, part, NULL, steps, NULL);
        if (a != ORACLE_YES) answer = a;
        history_free(part);
    }
    partition_free(parts);
    return answer;
}
