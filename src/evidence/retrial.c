#include "evidence/retrial.h"

#include "evidence/standings.h"
#include "format/event_order.h"

#include <assert.h>

enum { NOT_OPEN = -1, STORE_WORDS = 1 << 20 };

typedef struct trial {
    const object *o;
    const history *h; /* one part */
    operation *op;
    uint32_t *alike; /* by operation: the same number for those that nothing tells apart but their times */
    uint32_t kinds;
    bool *still;    /* changes nothing, whatever the state */
    bool *needed;   /* a pending operation that is not may as well not have happened */
    int32_t *bit;   /* by operation: its bit in a standing, NOT_OPEN before its call and behind its return */
    uint32_t *open; /* open operations, by return; those that never return last */
    uint32_t open_n;
    uint32_t *seen; /* by kind: the round that met it last */
    uint32_t round;
    unsigned done_words, used_words;
    uint32_t *free_bit;
    uint32_t free_bits, next_used;
    standings now, next, path; /* path: on the way to a return */
    state_store states;
    size_t store_limit;
    state s, probe;
    uint64_t *standing; /* being made */
    uint64_t steps;
    retrial_limits limit;
    bool gave_up;
} trial;

/* ---- standings as sets of operations ---- */

static uint64_t *word_of(const trial *t, uint64_t *standing, uint32_t i) {
    assert(t->bit[i] != NOT_OPEN);
    uint32_t word = (uint32_t)t->bit[i] / 64;
    assert(word < (history_pending(t->h, i) ? t->used_words : t->done_words));
    return standing + 1 + (history_pending(t->h, i) ? t->done_words : 0) + word;
}

static bool has(const trial *t, uint64_t *standing, uint32_t i) {
    return *word_of(t, standing, i) >> (t->bit[i] % 64) & 1;
}
static void put(const trial *t, uint64_t *standing, uint32_t i) {
    *word_of(t, standing, i) |= UINT64_C(1) << (t->bit[i] % 64);
}
static void drop(const trial *t, uint64_t *standing, uint32_t i) {
    *word_of(t, standing, i) &= ~(UINT64_C(1) << (t->bit[i] % 64));
}

static size_t memory_of(const standings *s) {
    return (size_t)s->room * (standing_words(s) * sizeof *s->at + sizeof *s->chain) + s->slots * sizeof *s->slot;
}

static void look_at_limits(trial *t) {
    size_t used = memory_of(&t->now) + memory_of(&t->next) + memory_of(&t->path) + t->states.room * sizeof(uint32_t) +
                  t->states.numbers_room * sizeof(size_t);
    if ((t->limit.steps && t->steps > t->limit.steps) || (t->limit.memory && used > t->limit.memory)) t->gave_up = true;
}

static step_result step(trial *t, state *s, uint32_t i, uint32_t choice) {
    value res;
    if ((++t->steps & 1023) == 0) look_at_limits(t);
    return t->o->type->step(t->o, s, &t->op[i], choice, &res);
}

/* ---- taking effect ---- */

/* An operation that changes nothing whatever the state and is possible here takes effect at once: in an order where it
 * comes later it may be moved to this place, for those between do not notice. Nothing else is lost, so nothing else is
 * tried. */
static void take_still(trial *t, uint64_t *standing, const state *s, uint32_t i) {
    if (has(t, standing, i)) return;
    state_copy(&t->probe, s);
    if (step(t, &t->probe, i, 0) != STEP_ILLEGAL) put(t, standing, i);
}

static void arrive(trial *t, uint64_t *standing, const state *s, uint32_t returning) {
    for (uint32_t k = 0; k < t->open_n; k++)
        if (t->still[t->open[k]]) take_still(t, standing, s, t->open[k]);
    standing[0] = state_store_add(&t->states, s);
    if (returning == UINT32_MAX || !has(t, standing, returning)) {
        standings_add(&t->path, standing);
        return;
    }
    drop(t, standing, returning);
    standings_add(&t->next, standing);
}

static void take(trial *t, uint32_t from, uint32_t i, uint32_t returning) {
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !t->gave_up; choice++) {
        const uint64_t *before = standing_at(&t->path, from); /* again: adding moves them */
        memcpy(t->standing, before, standing_words(&t->path) * sizeof *before);
        state_store_get(&t->states, (uint32_t)before[0], &t->s);
        r = step(t, &t->s, i, choice);
        if (r == STEP_ILLEGAL) return;
        put(t, t->standing, i);
        arrive(t, t->standing, &t->s, returning);
    }
}

/* Of open operations that are alike the one that returns first takes effect first: in an order where it comes later,
 * the two may change places, for both are called already and the place of the other is before both returns. */
static void try_all(trial *t, uint32_t from, uint32_t returning) {
    t->round++;
    for (uint32_t k = 0; k < t->open_n && !t->gave_up; k++) {
        uint32_t i = t->open[k];
        if (t->still[i] || has(t, standing_at(&t->path, from), i) || t->seen[t->alike[i]] == t->round) continue;
        t->seen[t->alike[i]] = t->round;
        take(t, from, i, returning);
    }
}

/* From the standings in `path`, everywhere that operations taking effect lead to. */
static void walk(trial *t, uint32_t returning) {
    for (uint32_t k = 0; k < t->path.n && !t->gave_up; k++) {
        t->path.fixed = k + 1;
        try_all(t, k, returning);
    }
    look_at_limits(t);
}

/* ---- events ---- */

static void open_operation(trial *t, uint32_t i) {
    bool pending = history_pending(t->h, i);
    assert(t->bit[i] == NOT_OPEN && (pending || t->free_bits > 0));
    t->bit[i] = (int32_t)(pending ? t->next_used++ : t->free_bit[--t->free_bits]);
    uint32_t k = t->open_n++;
    for (; k > 0 && t->h->ret[t->open[k - 1]] > t->h->ret[i]; k--) t->open[k] = t->open[k - 1];
    t->open[k] = i;
    assert(k + 1 == t->open_n || t->h->ret[i] <= t->h->ret[t->open[k + 1]]); /* by return */
}

static void close_operation(trial *t, uint32_t i) {
    uint32_t k = 0;
    while (t->open[k] != i) k++;
    assert(k < t->open_n && !history_pending(t->h, i));
    memmove(t->open + k, t->open + k + 1, (--t->open_n - k) * sizeof *t->open);
    t->free_bit[t->free_bits++] = (uint32_t)t->bit[i];
    t->bit[i] = NOT_OPEN;
}

static void call(trial *t, uint32_t i) {
    if (!t->needed[i]) return;
    open_operation(t, i);
    for (uint32_t k = 0; t->still[i] && k < t->now.n; k++) {
        uint64_t *standing = standing_at(&t->now, k);
        state_store_get(&t->states, (uint32_t)standing[0], &t->s);
        take_still(t, standing, &t->s, i); /* the bit is new: those that were different stay so */
    }
}

static void swap(standings *a, standings *b) {
    standings other = *a;
    *a = *b;
    *b = other;
}

/* States that no standing has any more are forgotten now and then. */
static void forget_states(trial *t) {
    if (t->states.words < t->store_limit) return;
    state_store fresh;
    state_store_init(&fresh);
    standings_clear(&t->next);
    for (uint32_t k = 0; k < t->now.n; k++) {
        uint64_t *standing = standing_at(&t->now, k);
        state_store_get(&t->states, (uint32_t)standing[0], &t->s);
        standing[0] = state_store_add(&fresh, &t->s);
        standings_add(&t->next, standing);
    }
    swap(&t->now, &t->next);
    state_store_free(&t->states);
    t->states = fresh;
    t->store_limit = fresh.words * 4 > STORE_WORDS ? fresh.words * 4 : STORE_WORDS;
}

/* What holds behind the return: `now` keeps only standings in which the operation has taken effect. */
static void ret(trial *t, uint32_t i) {
    standings_clear(&t->next);
    standings_clear(&t->path);
    for (uint32_t k = 0; k < t->now.n; k++) {
        uint64_t *standing = standing_at(&t->now, k);
        if (!has(t, standing, i)) {
            standings_add(&t->path, standing);
            continue;
        }
        drop(t, standing, i);
        standings_add(&t->next, standing);
    }
    walk(t, i);
    swap(&t->now, &t->next);
    for (uint32_t k = 0; k < t->now.n; k++) assert(!has(t, standing_at(&t->now, k), i)); /* its bit is free again */
    close_operation(t, i);
    forget_states(t);
}

static bool any_may_end(trial *t, const standings *set) {
    for (uint32_t k = 0; k < set->n; k++) {
        state_store_get(&t->states, (uint32_t)standing_at(set, k)[0], &t->s);
        if (object_may_end(t->o, &t->s)) return true;
    }
    return false;
}

/* All have returned; those that never do may help to come to a state in which the object may be left. */
static bool may_end(trial *t) {
    if (any_may_end(t, &t->now)) return true;
    swap(&t->now, &t->path);
    walk(t, UINT32_MAX);
    return any_may_end(t, &t->path);
}

/* ---- the trial of one part ---- */

/* Objects with half-way states (exchanger) look at the times of operations: there nothing is alike. */
static bool same(const trial *t, uint32_t a, uint32_t b) {
    const operation *x = &t->op[a], *y = &t->op[b];
    if (t->o->type->may_end) return false;
    return x->method == y->method && x->nargs == y->nargs && x->key == y->key && x->res == y->res &&
           !memcmp(x->arg, y->arg, sizeof x->arg) && (!t->o->type->sees_clients || x->client == y->client);
}

static void find_alike(trial *t) {
    uint32_t slots = 64;
    while (slots < t->h->n * 2) slots *= 2;
    uint32_t *first = mem_zero(slots, sizeof *first);
    for (uint32_t i = 0; i < t->h->n; i++) {
        const operation *op = &t->op[i];
        uint64_t sum = hash_pair(hash_pair(op->method, op->res), hash_pair(op->arg[0], op->arg[1]));
        uint32_t at = (uint32_t)sum & (slots - 1);
        while (first[at] && !same(t, first[at] - 1, i)) at = (at + 1) & (slots - 1);
        if (!first[at]) {
            first[at] = i + 1;
            t->alike[i] = t->kinds++;
        } else {
            t->alike[i] = t->alike[first[at] - 1];
        }
    }
    free(first);
    assert(t->kinds <= t->h->n);
}

static void count_open(trial *t, const event_order *events) {
    uint32_t open = 0, most = 0, pending = 0;
    for (uint32_t r = 0; r < events->events; r++) {
        if (events->event[r] == EVENT_NONE) continue;
        uint32_t i = event_operation(events->event[r]);
        if (history_pending(t->h, i)) pending += t->needed[i];
        else if (event_is_return(events->event[r])) open--;
        else if (++open > most) most = open;
        assert(open <= t->h->n); /* no return without its call */
    }
    t->done_words = (most + 63) / 64;
    t->used_words = (pending + 63) / 64;
    t->open = MEM_ARRAY(uint32_t, most + pending);
    t->free_bit = MEM_ARRAY(uint32_t, most);
    for (t->free_bits = 0; t->free_bits < most; t->free_bits++) t->free_bit[t->free_bits] = most - 1 - t->free_bits;
}

static void trial_init(trial *t, const event_order *events) {
    uint32_t n = t->h->n, *all = MEM_ARRAY(uint32_t, n);
    uint8_t *needed = MEM_ARRAY(uint8_t, n);
    t->op = MEM_ARRAY(operation, n);
    t->alike = MEM_ARRAY(uint32_t, n);
    t->still = MEM_ARRAY(bool, n);
    t->needed = MEM_ARRAY(bool, n);
    t->bit = MEM_ARRAY(int32_t, n);
    for (uint32_t i = 0; i < n; i++) all[i] = i;
    object_needed(t->o, t->h, all, n, needed);
    for (uint32_t i = 0; i < n; i++) {
        history_operation(t->h, i, &t->op[i]);
        t->still[i] = object_changes_nothing(t->o, &t->op[i]);
        t->needed[i] = needed[i] && !(history_pending(t->h, i) && t->still[i]);
        t->bit[i] = NOT_OPEN;
    }
    free(needed);
    free(all);
    find_alike(t);
    count_open(t, events);
    t->seen = mem_zero(t->kinds, sizeof *t->seen);
    standings_init(&t->now, t->done_words, t->used_words);
    standings_init(&t->next, t->done_words, t->used_words);
    standings_init(&t->path, t->done_words, t->used_words);
    state_store_init(&t->states);
    t->store_limit = STORE_WORDS;
    t->standing = mem_zero(standing_words(&t->now), sizeof *t->standing);
    t->o->type->init(t->o, &t->s);
    t->standing[0] = state_store_add(&t->states, &t->s);
    standings_add(&t->now, t->standing);
}

static void trial_free(trial *t) {
    free(t->op);
    free(t->alike);
    free(t->still);
    free(t->needed);
    free(t->bit);
    free(t->open);
    free(t->seen);
    free(t->free_bit);
    standings_free(&t->now);
    standings_free(&t->next);
    standings_free(&t->path);
    state_store_free(&t->states);
    state_free(&t->s);
    state_free(&t->probe);
    free(t->standing);
}

static oracle_answer try_part(const object *o, const history *part, const retrial_limits *limit) {
    trial t = {.o = o, .h = part, .limit = *limit};
    event_order *events = event_order_new(part);
    trial_init(&t, events);
    for (uint32_t r = 0; r < events->events && t.now.n && !t.gave_up; r++) {
        if (events->event[r] == EVENT_NONE) continue;
        if (event_is_return(events->event[r])) ret(&t, event_operation(events->event[r]));
        else call(&t, event_operation(events->event[r]));
    }
    bool right = !t.gave_up && t.now.n && may_end(&t);
    assert(!right || t.next_used <= t.used_words * 64);
    oracle_answer answer = right ? ORACLE_YES : t.gave_up ? ORACLE_GAVE_UP : ORACLE_NO;
    event_order_free(events);
    trial_free(&t);
    return answer;
}

/* Keys are objects of their own (history/partition.h). One part that is wrong settles it, whatever the others are. */
oracle_answer retrial_linearizable(const object *o, const history *h, const retrial_limits *limits) {
    static const retrial_limits none = {0};
    if (!criterion_keeps_time(&o->criterion)) return ORACLE_GAVE_UP; /* events are taken in time */
    partition *parts = object_partition(o, h);
    oracle_answer answer = ORACLE_YES;
    for (uint32_t p = 0; p < parts->count && answer != ORACLE_NO; p++) {
        uint32_t n;
        const uint32_t *op = partition_ops(parts, p, &n);
        history *part = history_select(h, op, n, RANK_NEVER);
        oracle_answer a = try_part(o, part, limits ? limits : &none);
        if (a != ORACLE_YES) answer = a;
        history_free(part);
    }
    partition_free(parts);
    return answer;
}
