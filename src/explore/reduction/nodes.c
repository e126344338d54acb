#include "explore/reduction/nodes.h"

#include "base/mem.h"
#include "explore/model/dependence.h"
#include "explore/reduction/races.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void resize(nodes *n, uint32_t room) {
    assert(room > n->room && n->recorded <= n->depth);
    n->at = MEM_GROW(n->at, node, room);
    n->thread = MEM_GROW(n->thread, uint8_t, room);
    n->trail = MEM_GROW(n->trail, uint64_t, room);
    n->clock = mem_resize(n->clock, room, sizeof *n->clock);
    n->count = mem_resize(n->count, room + 1, sizeof *n->count);
    n->position = mem_resize(n->position, room, sizeof *n->position);
    n->accesses_before = MEM_GROW(n->accesses_before, uint32_t, room);
    n->fork = MEM_GROW(n->fork, uint32_t, room);
    known_steps_reserve(&n->known, room);
    n->room = room;
}

void nodes_init(nodes *n) {
    memset(n, 0, sizeof *n);
    memset(n->newest, 0xff, sizeof n->newest);
    known_steps_init(&n->known);
    resize(n, 256);
    memset(n->count[0], 0, sizeof n->count[0]);
}

void nodes_free(nodes *n) {
    FREE_ALL(n->at, n->thread, n->trail, n->clock, n->count, n->position, n->accesses_before, n->fork, n->nothing,
             n->choice);
    known_steps_free(&n->known);
}

node *nodes_push(nodes *n, unsigned thread) {
    assert(n->depth == n->recorded); /* the step before a new node is known */
    if (n->depth == n->room) resize(n, 2 * n->room);
    n->thread[n->depth] = (uint8_t)thread;
    n->at[n->depth].thread = (uint8_t)thread;
    return &n->at[n->depth++];
}

static void forget_accesses(nodes *n, uint32_t keep) {
    while (n->accesses > keep) {
        const touch *a = &n->access[--n->accesses];
        assert(n->newest[a->bucket] == (int32_t)n->accesses && a->older < (int32_t)n->accesses);
        n->newest[a->bucket] = a->older;
    }
}

void nodes_forget(nodes *n, uint32_t recorded) {
    if (recorded >= n->recorded) return;
    if (n->knowing) known_steps_forget(&n->known, n->thread, n->recorded, recorded);
    else forget_accesses(n, n->accesses_before[recorded]);
    n->recorded = recorded;
    assert(n->knowing || n->accesses <= n->accesses_before[recorded]);
}

void nodes_push_choice(nodes *n, uint32_t at, unsigned of, unsigned taken) {
    if (n->choices == n->choice_room) {
        n->choice_room = n->choice_room ? 2 * n->choice_room : 64;
        n->choice = MEM_GROW(n->choice, choice, n->choice_room);
    }
    assert(taken < of && of <= UINT8_MAX);
    assert(!n->choices || n->choice[n->choices - 1].at <= at);
    n->choice[n->choices++] = (choice){.at = at, .n = (uint8_t)of, .taken = (uint8_t)taken};
}

static void reserve_accesses(nodes *n, uint32_t more) {
    if (n->accesses + more <= n->access_room) return;
    n->access_room = 2 * n->access_room + 1024 + more;
    n->nothing = MEM_GROW(n->nothing, touch, n->access_room + 1);
    *n->nothing = (touch){.older = -1, .change = -1};
    n->access = n->nothing + 1;
    assert(n->accesses + more <= n->access_room);
}

static inline __attribute__((always_inline)) void add_access(nodes *n, uint32_t bucket, uint32_t i, bool reads) {
    reserve_accesses(n, 1);
    int32_t me = (int32_t)n->accesses++, older = n->newest[bucket];
    assert(bucket < BUCKETS && older < me && (older < 0 || n->access[older].step <= i));
    n->access[me] =
        (touch){.step = i, .older = older, .change = reads ? n->access[older].change : me, .bucket = bucket};
    assert(n->access[me].change <= me);
    n->newest[bucket] = me;
}

static void add_place(nodes *n, const place *p, uint32_t i) {
    uintptr_t first = p->address >> GRANULE_SHIFT, last = (p->address + p->size - !!p->size) >> GRANULE_SHIFT;
    if (last - first >= MOST_GRANULES) {
        add_access(n, WIDE_BUCKET, i, false);
        return;
    }
    for (uintptr_t g = first; g <= last; g++) add_access(n, bucket_of(g), i, p->role == PLACE_READ);
}

/* What a creator knew when it created t; a thread that was there from the start knows nothing. */
static void creation_clock(const nodes *n, const world *w, unsigned t, uint16_t *clock) {
    memset(clock, 0, sizeof(clock_row));
    uint32_t before = w->created_at[t];
    for (unsigned c = w->creator[t]; c != t; t = c, c = w->creator[t]) {
        if (before > n->recorded) before = n->recorded;
        uint32_t steps = n->count[before][c];
        assert(c < t); /* threads are numbered as they are created */
        if (steps) {
            assert(n->position[steps - 1][c] < before);
            memcpy(clock, n->clock[n->position[steps - 1][c]], sizeof(clock_row));
            return;
        }
        before = w->created_at[c];
    }
}

void nodes_clock(const nodes *n, const world *w, unsigned t, uint16_t *clock) {
    uint32_t steps = n->count[n->recorded][t];
    assert(!steps || n->thread[n->position[steps - 1][t]] == t);
    if (steps) memcpy(clock, n->clock[n->position[steps - 1][t]], sizeof(clock_row));
    else creation_clock(n, w, t, clock);
}

/* The end of shared holding is independent of other shared acquires. */
static void find_shared_release(const nodes *n, node *d, unsigned thread) {
    for (unsigned k = 0; k < 2; k++) {
        if (d->at[k].role != PLACE_RELEASE) continue;
        for (int32_t a = n->newest[bucket_of(d->at[k].address >> GRANULE_SHIFT)]; a >= 0; a = n->access[a].older) {
            const node *e = &n->at[n->access[a].step];
            if (e->thread != thread) continue;
            unsigned which = e->at[1].address == d->at[k].address && e->at[1].role ? 1 : 0;
            if (e->at[which].address != d->at[k].address) continue;
            if (e->at[which].role == PLACE_ACQUIRE_SHARED) d->at[k].role = PLACE_RELEASE_SHARED;
            if (e->at[which].role == PLACE_ACQUIRE_SHARED || e->at[which].role == PLACE_ACQUIRE) break;
        }
    }
}

#ifdef PLUMB_SELF_CHECKS
enum { CHECKED_STEPS = 40 }; /* the check below looks at all earlier steps */

static bool roles_are_dependent(const node *e, const node *d) {
    for (unsigned k = 0; k < 4; k++)
        if (place_dependence(&e->at[k >> 1], &d->at[k & 1]) != INDEPENDENT) return true;
    return false;
}

/* Happens-before of a recorded step: what it knows has been executed, is closed under predecessors, and has every
 * earlier step that it depends on by its places. (That a semaphore is acquired before it is released matters to races
 * only.) */
static void check_clock(const nodes *n, uint32_t i) {
    const node *d = &n->at[i];
    const uint16_t *clock = n->clock[i];
    assert(clock[d->thread] == d->index);
    if (i >= CHECKED_STEPS) return;
    uint16_t count[THREADS_MAX] = {0};
    for (uint32_t j = 0; j < i; j++) {
        const node *e = &n->at[j];
        count[e->thread]++;
        assert(count[e->thread] == e->index);
        if (e->index <= clock[e->thread])
            for (unsigned t = 0; t < THREADS_MAX; t++) assert(n->clock[j][t] <= clock[t]);
        else {
            assert(e->thread != d->thread);
            assert(!roles_are_dependent(e, d));
        }
    }
    for (unsigned t = 0; t < THREADS_MAX; t++) assert(clock[t] <= count[t] + (t == d->thread));
}
#else
static void check_clock(const nodes *n, uint32_t i) { (void)n, (void)i; }
#endif

static inline void count_step(nodes *n, uint32_t i, unsigned t) {
    const uint16_t *count = n->count[i];
    uint16_t *after = n->count[i + 1], before = count[t];
    assert(n->clock[i][t] == before); /* a thread knows all its own steps, and no thread knows more of them */
    n->at[i].index = n->clock[i][t] = (uint16_t)(before + 1);
    memcpy(after, count, sizeof(clock_row));
    after[t] = (uint16_t)(before + 1);
    n->position[before][t] = i;
    n->recorded = i + 1;
    check_clock(n, i);
}

static inline bool is_narrow(const place *p) {
    enum { GRANULE = 1 << GRANULE_SHIFT };
    return p->address % GRANULE + p->size <= GRANULE;
}

/* Most strategies want nothing but the order of steps, and most steps touch one granule at each place. */
static inline bool is_simple(const nodes *n, const node *d) {
    return d->kind != STEP_JOIN && n->newest[WIDE_BUCKET] < 0 && is_narrow(&d->at[0]) &&
           (!d->at[1].role || is_narrow(&d->at[1]));
}

/* Predecessors at one place: if the newest step there writes just that place, older ones happen before it. */
static inline void order_newest(const nodes *n, unsigned thread, const place *p, uint16_t *clock, int32_t a) {
    const uint32_t i = n->access[a].step;
    const node *e = &n->at[i];
    if (e->at[0].role != PLACE_WRITE || e->at[0].address != p->address || e->at[0].size != p->size)
        races_order(n, thread, p, clock, a);
    else if (e->thread != thread && e->index > clock[e->thread]) clock_join(clock, n->clock[i]);
}

static inline void order_at(nodes *n, unsigned thread, const place *p, uint32_t i, uint16_t *clock) {
    uint32_t bucket = bucket_of(p->address >> GRANULE_SHIFT);
    bool reads = p->role == PLACE_READ;
    int32_t newest = n->newest[bucket], a = reads && newest >= 0 ? n->access[newest].change : newest;
    if (a >= 0) order_newest(n, thread, p, clock, a);
    add_access(n, bucket, i, reads);
}

static inline void describe(nodes *n, uint32_t i, const place at[2], uint8_t kind, uint8_t flags, uint64_t trail) {
    node *d = &n->at[i];
    assert(kind < STEP_KINDS && at[0].role < PLACE_ROLES && at[0].role != PLACE_RELEASE_SHARED);
    assert(at[1].role < PLACE_ROLES && at[1].role != PLACE_RELEASE_SHARED);
    n->trail[i] = trail;
    d->kind = kind;
    d->flags = flags;
    d->at[0] = at[0];
    d->at[1] = at[1];
}

static inline void order_simple(nodes *n, uint32_t i, unsigned t) {
    const node *d = &n->at[i];
    if (d->at[0].role) order_at(n, t, &d->at[0], i, n->clock[i]);
    if (d->at[1].role) order_at(n, t, &d->at[1], i, n->clock[i]);
}

static void order_any(nodes *n, uint32_t i, bool reverse) {
    node *d = &n->at[i];
    unsigned t = d->thread;
    bool marker = n->symmetry && (d->flags & STEP_MARKER) && !(d->marked >> t & 1);
    races_find(n,
               &(race_query){.depth = i,
                             .thread = t,
                             .at = d->at,
                             .kind = d->kind,
                             .flags = d->flags,
                             .marker = marker,
                             .reverse = reverse},
               n->clock[i]);
    if (d->at[0].role) add_place(n, &d->at[0], i);
    if (d->at[1].role) add_place(n, &d->at[1], i);
    if (marker) add_access(n, MARKER_BUCKET, i, false);
}

/* `join`: the thread that it waited for, of a join. */
static void order_step(nodes *n, const world *w, uint32_t i, unsigned join, bool reverse) {
    node *d = &n->at[i];
    assert(i == n->recorded && i < n->room);
    assert(d->kind != STEP_JOIN || (join < w->threads && join != d->thread));
    n->accesses_before[i] = n->accesses;
    if (d->at[0].role == PLACE_RELEASE || d->at[1].role == PLACE_RELEASE) find_shared_release(n, d, d->thread);
    nodes_clock(n, w, d->thread, n->clock[i]);
    if (d->kind == STEP_JOIN) {
        clock_row joined;
        nodes_clock(n, w, join, joined);
        clock_join(n->clock[i], joined);
    }
    if (!reverse && !n->symmetry && is_simple(n, d)) order_simple(n, i, d->thread);
    else order_any(n, i, reverse);
    count_step(n, i, d->thread);
}

void nodes_reclock(nodes *n, const world *w) {
    const uint32_t recorded = n->recorded;
    if (!n->knowing) return;
    forget_accesses(n, 0);
    n->recorded = 0;
    for (uint32_t i = 0; i < recorded; i++)
        order_step(n, w, i, n->at[i].kind == STEP_JOIN ? (unsigned)n->known.step[i].joined : NO_THREAD, false);
    assert(n->recorded == recorded);
}

static void stop_knowing(nodes *n, const world *w) {
    nodes_reclock(n, w);
    n->knowing = false;
}

void nodes_record(nodes *n, const world *w, const step *s, bool reverse) {
    const uint32_t i = n->recorded;
    assert(i < n->depth && n->at[i].thread == n->thread[i] && n->thread[i] < world_numbers(w));
    assert(n->at[i].able >> n->thread[i] & 1);
    describe(n, i, s->at, s->kind, s->flags, w->trail);
    if (n->knowing && known_steps_add(&n->known, w, i, n->at[i].thread, s)) {
        n->recorded = i + 1;
        return;
    }
    if (n->knowing) stop_knowing(n, w);
    order_step(n, w, i, (unsigned)s->value, reverse);
}

/* ---- steps made without a question ----
 * One loop for each thing that is kept of them: one loop for all would need more registers than there are. */

/* Nothing but the same thread is worth picking at the nodes behind them. */
static void describe_passed(nodes *n, const world *w, uint32_t first, unsigned t) {
    const thread_set me = (thread_set)1 << t;
    node *d = &n->at[first];
    assert(d->thread == t && d->able & me);
    d->kind = w->pass[0].kind;
    const node next = {.able = me,
                       .enabled = me,
                       .backtrack = me,
                       .preemptions = (uint16_t)node_preemptions_behind(d),
                       .thread = (uint8_t)t,
                       .previous = (uint8_t)t};
    for (const passed_step *p = w->pass, *end = p + w->passed; p < end; p++, d++) {
        _Static_assert(offsetof(node, at) + sizeof d->at == sizeof *d, "all of it but its step");
        memcpy(d + 1, &next, offsetof(node, at));
        d->kind = p->kind;
        d->flags = p->flags;
        d->at[0] = p->at[0];
        d->at[1] = p->at[1];
    }
    memset(n->thread + first + 1, (int)t, w->passed);
}

/* Is the state between two of them needed? For going back to a choice it is, and a thread that was created there knows
 * what its creator knew. */
static bool passed_is_divided(const nodes *n, const world *w, uint32_t first) {
    return (n->choices && n->choice[n->choices - 1].at > first) || w->created_at[w->threads - 1] > first;
}

static void count_passed_each(nodes *n, const world *w, uint32_t first, unsigned t) {
    for (uint32_t i = first; i < first + w->passed; i++) {
        memcpy(n->count[i + 1], n->count[i], sizeof(clock_row));
        n->position[n->count[i + 1][t]++][t] = i;
    }
}

static void count_passed(nodes *n, const world *w, uint32_t first, unsigned t) {
    const uint32_t end = first + w->passed;
    if (passed_is_divided(n, w, first)) {
        count_passed_each(n, w, first, t);
        return;
    }
    const uint16_t index = (uint16_t)(n->count[first][t] + w->passed);
    memcpy(n->count[end], n->count[first], sizeof(clock_row));
    n->count[end][t] = index;
    n->position[index - 1][t] = end - 1;
    assert(n->count[end][t] == n->count[first][t] + w->passed);
}

/* Going back to one of them compares the trail there. */
static void keep_trails(nodes *n, const world *w, uint32_t first) {
    const uint32_t kept = passed_is_divided(n, w, first) ? w->passed : 1;
    for (uint32_t i = 0; i < kept; i++) n->trail[first + i] = w->pass[i].trail;
}

/* A read or a write of one granule: what almost every step is. */
static inline bool is_plain(const place at[2]) {
    return (uint8_t)(at[0].role - PLACE_READ) <= PLACE_WRITE - PLACE_READ && !at[1].role && is_narrow(&at[0]);
}

static __attribute__((noinline)) void order_other(nodes *n, uint32_t i) {
    node *d = &n->at[i];
    if (d->at[0].role == PLACE_RELEASE || d->at[1].role == PLACE_RELEASE) find_shared_release(n, d, d->thread);
    if (is_simple(n, d)) order_simple(n, i, d->thread);
    else order_any(n, i, false);
}

/* Where there is room for one more access, and nothing that touches many granules is anywhere. */
static inline __attribute__((always_inline)) void order_plain(nodes *n, touch *access, int32_t me, const node *d,
                                                              uint32_t i, uint16_t *clock) {
    const place *p = &d->at[0];
    const uint32_t bucket = bucket_of(p->address >> GRANULE_SHIFT);
    const bool reads = p->role == PLACE_READ;
    const int32_t newest = n->newest[bucket], change = access[newest].change, a = reads ? change : newest;
    assert((uint32_t)me < n->access_room && newest < me && change <= newest);
    n->newest[bucket] = me;
    access[me] = (touch){.step = i, .older = newest, .change = reads ? change : me, .bucket = bucket};
    if (a >= 0) order_newest(n, d->thread, p, clock, a);
}

/* Rows are copied before, or without, the part that was written just now: processors are slow to read what they have
 * yet to write in smaller parts. */
static void order_passed(nodes *n, uint32_t first, uint32_t end, unsigned t) {
    uint16_t *clock = n->clock[first], index = n->count[first][t];
    node *d = &n->at[first];
    uint32_t *before = n->accesses_before, accesses = n->accesses;
    touch *access = n->access;
    bool wide = n->newest[WIDE_BUCKET] >= 0;
    for (uint32_t i = first; i < end; i++, d++, clock += THREADS_MAX) {
        before[i] = accesses;
        assert(clock[t] == n->count[first][t]);
        d->index = ++index;
        if (is_plain(d->at) && !wide) {
            order_plain(n, access, (int32_t)accesses++, d, i, clock);
        } else {
            n->accesses = accesses;
            order_other(n, i);
            reserve_accesses(n, 2 * (end - i));
            accesses = n->accesses;
            access = n->access;
            wide = n->newest[WIDE_BUCKET] >= 0;
        }
        memcpy(clock + THREADS_MAX, clock, sizeof(clock_row));
        clock[t] = index;
    }
    n->accesses = accesses;
    assert(index == n->count[end][t]);
    for (uint32_t i = first; i < end; i++) check_clock(n, i);
}

static void clock_passed(nodes *n, const world *w, uint32_t first, unsigned t) {
    reserve_accesses(n, 2 * w->passed);
    nodes_clock(n, w, t, n->clock[first]);
    count_passed(n, w, first, t);
    order_passed(n, first, first + w->passed, t);
}

void nodes_pass(nodes *n, const world *w) {
    const uint32_t first = n->recorded, end = first + w->passed;
    const unsigned t = n->at[first].thread;
    assert(w->passed && w->passed <= PASSED_MAX && first + 1 == n->depth);
    if (end + 1 >= n->room) resize(n, 2 * n->room + w->passed);
    describe_passed(n, w, first, t);
    keep_trails(n, w, first);
    if (!n->knowing || !known_steps_pass(&n->known, w, first, t)) {
        if (n->knowing) stop_knowing(n, w);
        clock_passed(n, w, first, t);
    }
    n->recorded = end;
    n->depth = end + 1;
}
