#include "evidence/together_oracle.h"

#include "object/set_spec.h"

typedef struct dead_end {
    struct dead_end *next;
    uint32_t begun, ended, n;
    uint32_t word[];
} dead_end;

enum { BUCKETS = 1 << 8 };

typedef struct together_search {
    const object *o;
    uint32_t n;
    operation op[ORACLE_MAX_OPERATIONS];
    uint32_t before[ORACLE_MAX_OPERATIONS]; /* operations that must have ended before it begins */
    uint32_t completed;                     /* operations that must end */
    uint64_t steps, limit;
    bool gave_up;
    dead_end **dead;
} together_search;

static dead_end **bucket_of(const together_search *s, uint32_t begun, uint32_t ended, const state *now) {
    return &s->dead[hash_pair((uint64_t)begun << 32 | ended, state_hash(now)) % BUCKETS];
}

static bool is_dead_end(const together_search *s, uint32_t begun, uint32_t ended, const state *now) {
    for (const dead_end *d = *bucket_of(s, begun, ended, now); d; d = d->next)
        if (d->begun == begun && d->ended == ended && d->n == now->n &&
            (d->n == 0 || !memcmp(d->word, now->w, d->n * sizeof *now->w)))
            return true;
    return false;
}

static void add_dead_end(together_search *s, uint32_t begun, uint32_t ended, const state *now) {
    dead_end **bucket = bucket_of(s, begun, ended, now), *d = mem_alloc(sizeof *d + now->n * sizeof *now->w);
    *d = (dead_end){.next = *bucket, .begun = begun, .ended = ended, .n = now->n};
    if (now->n) memcpy(d->word, now->w, now->n * sizeof *now->w);
    *bucket = d;
}

static bool extend(together_search *s, uint32_t begun, uint32_t ended, const state *now);

/* The next step: these begin, these end. */
static bool try_step(together_search *s, uint32_t begun, uint32_t ended, const state *now, uint32_t begins,
                     uint32_t ends) {
    together t = {.n = 0};
    for (uint32_t i = 0; i < s->n; i++)
        if (((begun & ~ended) | begins) >> i & 1) together_add(&t, &s->op[i], begins >> i & 1, ends >> i & 1);
    state next = {0};
    bool found = false;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !found && !s->gave_up; choice++) {
        value res[TOGETHER_MAX];
        state_copy(&next, now);
        /* an object may have to pass over all choices before this one */
        if ((s->steps += 1 + choice) > s->limit) s->gave_up = true;
        r = s->o->type->together->step(s->o, &next, &t, choice, res);
        if (r != STEP_ILLEGAL) found = extend(s, begun | begins, ended | ends, &next);
    }
    state_free(&next);
    return found;
}

static uint32_t may_begin(const together_search *s, uint32_t begun, uint32_t ended) {
    uint32_t may = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (!(begun >> i & 1) && !(s->before[i] & ~ended)) may |= 1u << i;
    return may;
}

/* Any of those that may begin, and, of all that have begun then, any end: in a set, all. Of the hints of the object
 * only this one is believed: where the end of a pending operation is in vain, it does not end (tests compare with all
 * sequences of steps there are). */
static bool extend(together_search *s, uint32_t begun, uint32_t ended, const state *now) {
    if ((ended & s->completed) == s->completed) return true;
    if (is_dead_end(s, begun, ended, now)) return false;
    uint32_t may = may_begin(s, begun, ended);
    for (uint32_t begins = may; begins && !s->gave_up; begins = (begins - 1) & may) {
        uint32_t open = (begun & ~ended) | begins;
        if (object_has_intervals(s->o) && s->o->type->together->end_may_be_omitted) open &= s->completed;
        for (uint32_t ends = open; ends && !s->gave_up; ends = object_has_intervals(s->o) ? (ends - 1) & open : 0)
            if (try_step(s, begun, ended, now, begins, ends)) return true;
    }
    if (!s->gave_up) add_dead_end(s, begun, ended, now);
    return false;
}

static void forget_dead_ends(together_search *s) {
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (dead_end *d = s->dead[i], *next; d; d = next) {
            next = d->next;
            free(d);
        }
    free(s->dead);
}

oracle_answer together_oracle(const object *o, const history *h, const uint32_t *before, uint64_t steps,
                              uint64_t *taken) {
    if (h->n > ORACLE_MAX_OPERATIONS) return ORACLE_GAVE_UP;
    together_search s = {
        .o = o, .n = h->n, .limit = steps ? steps : UINT64_MAX, .dead = mem_zero(BUCKETS, sizeof *s.dead)};
    for (uint32_t i = 0; i < h->n; i++) {
        history_operation(h, i, &s.op[i]);
        if (h->ret[i] != RANK_NEVER) s.completed |= 1u << i;
        s.before[i] = before ? before[i] : 0;
        for (uint32_t j = 0; j < h->n; j++)
            if (history_before(h, j, i)) s.before[i] |= 1u << j;
    }
    state first = {0};
    o->type->init(o, &first);
    bool found = extend(&s, 0, 0, &first);
    state_free(&first);
    forget_dead_ends(&s);
    if (taken) *taken += s.steps;
    return found ? ORACLE_YES : s.gave_up ? ORACLE_GAVE_UP : ORACLE_NO;
}
