/* LIFO stack in time n log n, empty pops included; exact for pending pops as far as a limit of work allows. The
 * condition, its proof and the witness: docs/proofs/containers.md.
 *
 * One sweep over the events keeps the values that cover the gap in groups, one on top of the other:
 *
 *     a cover begins      a new group on top
 *     a cover ends        all groups above that of the value join it: their covers cross
 *     a group is all over it is a block (stack_block.h), decided alone and forgotten
 *
 * A group is over when the covering values are again just those from before it began; what is inside a block neither
 * helps nor hinders anything outside. */
#include "engine/linear/stack_block.h"
#include "engine/linear/stack_order.h"
#include "engine/linear/tokens.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <string.h>

typedef struct group {
    uint32_t base;                    /* where the first cover begins */
    uint32_t live, size;              /* values that cover still; all values */
    uint32_t first_begun, last_begun; /* lists by next_begun and next_ended: in the order of begins and of ends */
    uint32_t first_ended, last_ended;
} group;

typedef struct stack_pass {
    inventory *c;
    outcome *out;
    uint32_t left_until; /* where covers of values never removed end: RANK_NEVER, or the first token's call */
    bool collect;        /* go on after a failure and note what failed: `stuck`, `empties_until` */
    bool failed;
    group *group;
    uint32_t groups, room;
    uint32_t *next_begun, *next_ended; /* by value */
    uint32_t free_gap;                 /* the last gap that nothing covers; NO_INDEX: none yet */
    stack_order order;
    stack_block block;
    uint32_t *member, *place; /* of the block: its values; ranks of the places where covers begin and end, from 1 on */
    uint32_t member_room;
    uint32_t *stuck, stucks, stuck_room; /* when collecting: values that are stuck in their blocks */
    uint32_t first_empty, empties_until; /* the first and the last return of an empty that has no gap */
} stack_pass;

/* ---- a block ---- */

/* Ends of covers that are no events have the rank behind the last. */
static uint32_t cover_end(const stack_pass *q, uint32_t v) {
    uint32_t end = is_removed(q->c, v) ? q->c->call[q->c->remove[v]] : q->left_until;
    return end == RANK_NEVER ? q->c->events : end;
}

static void reserve_members(stack_pass *q, uint32_t m) {
    stack_block_reserve(&q->block, m);
    if (m <= q->member_room) return;
    q->member_room = m < 16 ? 16 : 2 * m;
    q->member = MEM_GROW(q->member, uint32_t, q->member_room);
    q->place = MEM_GROW(q->place, uint32_t, 2 * (size_t)q->member_room + 2);
}

/* Places up to a rank. */
static uint32_t slot_at(const uint32_t *place, uint32_t places, uint32_t rank) {
    uint32_t low = 0, high = places;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (place[middle] <= rank) low = middle;
        else high = middle - 1;
    }
    assert(low <= places && (low == 0 || place[low] <= rank) && (low == places || place[low + 1] > rank));
    return low;
}

/* Numbered by where their covers begin; places are ranks that ascend, and each is one beginning or one end. */
SELF_CHECK static bool members_are_sound(const stack_pass *q) {
    const stack_block *b = &q->block;
    bool good = true, *used = mem_zero(2 * (size_t)b->m + 1, sizeof *used);
    for (uint32_t i = 0; i < b->m && good; i++) {
        good = b->begin[i] >= 1 && b->begin[i] < b->end[i] && b->end[i] <= 2 * b->m &&
               (i == 0 || b->begin[i - 1] < b->begin[i]) && !used[b->begin[i]] && !used[b->end[i]];
        if (good) used[b->begin[i]] = used[b->end[i]] = true;
    }
    for (uint32_t k = 2; k <= 2 * b->m && good; k++)
        good = q->place[k - 1] < q->place[k] || q->place[k - 1] == q->c->events || q->place[k - 1] == q->left_until;
    free(used);
    return good;
}

/* member[] is filled, block.begin, block.end and place[] too. */
static bool solve_members(stack_pass *q) {
    stack_block *b = &q->block;
    assert_costly(members_are_sound(q));
    for (uint32_t i = 0; i < b->m; i++) {
        uint32_t v = q->member[i];
        b->push_from[i] = slot_at(q->place, b->begin[i] - 1, add_call(q->c, v));
        b->pop_to[i] = slot_at(q->place, 2 * b->m, remove_return(q->c, v));
    }
    return stack_block_solve(b);
}

static bool solve_group(stack_pass *q, const group *g) {
    stack_block *b = &q->block;
    reserve_members(q, g->size);
    uint32_t i = 0, places = 0;
    for (uint32_t v = g->first_begun, next; v != NO_INDEX; v = next, i++) {
        assert(i < g->size);
        next = q->next_begun[v];
        q->member[i] = v;
        q->next_begun[v] = i;
    }
    assert(i == g->size);
    i = 0;
    for (uint32_t v = g->first_ended; v != NO_INDEX; v = q->next_ended[v]) {
        uint32_t end = cover_end(q, v);
        for (; i < b->m && add_return(q->c, q->member[i]) < end; i++) {
            q->place[++places] = add_return(q->c, q->member[i]);
            b->begin[i] = places;
        }
        q->place[++places] = end;
        b->end[q->next_begun[v]] = places;
    }
    assert(i == b->m && places == 2 * b->m);
    return solve_members(q);
}

/* A push goes to the end of its slot and a pop to the beginning of its one: there, no block inside the slot is open. */
static void place_members(stack_pass *q) {
    const stack_block *b = &q->block;
    for (uint32_t i = 0; i < b->m; i++) {
        uint32_t pop = q->place[b->pop_slot[i]];
        assert(b->push_slot[i] < b->begin[i] && b->pop_slot[i] >= b->end[i]);
        if (b->push_slot[i] + 1 == b->begin[i] && b->pop_slot[i] == b->end[i]) continue;
        stack_order_move(&q->order, q->member[i], q->place[b->push_slot[i] + 1], pop < q->c->events ? pop : NO_INDEX);
    }
}

/* ---- why not ---- */

typedef struct ranked_member {
    uint32_t rank, member;
} ranked_member;

static int by_rank(const void *a, const void *b) {
    uint32_t x = ((const ranked_member *)a)->rank, y = ((const ranked_member *)b)->rank;
    return x < y ? -1 : x > y;
}

/* Are these values, by the beginnings of their covers, a stack on their own? */
static bool solve_values(stack_pass *q, const uint32_t *v, uint32_t m) {
    stack_block *b = &q->block;
    reserve_members(q, m);
    ranked_member *end = MEM_ARRAY(ranked_member, m);
    for (uint32_t i = 0; i < m; i++) {
        q->member[i] = v[i];
        end[i] = (ranked_member){cover_end(q, v[i]), i};
    }
    qsort(end, m, sizeof *end, by_rank);
    for (uint32_t i = 1; i < m; i++) assert(add_return(q->c, v[i - 1]) < add_return(q->c, v[i]));
    for (uint32_t i = 0, j = 0, places = 0; j < m;) {
        if (i < m && add_return(q->c, v[i]) < end[j].rank) {
            q->place[++places] = add_return(q->c, v[i]);
            b->begin[i++] = places;
        } else {
            q->place[++places] = end[j].rank;
            b->end[end[j++].member] = places;
        }
    }
    bool all = solve_members(q);
    free(end);
    return all;
}

/* Leaves values out while the rest stays stuck: halves first, then ever smaller runs. */
static uint32_t shrink_stuck(stack_pass *q, uint32_t *stuck, uint32_t n) {
    enum { EFFORT = 1 << 22 };
    uint32_t *rest = MEM_ARRAY(uint32_t, n), effort = 0;
    for (uint32_t run_length = n / 2; run_length; run_length /= 2) {
        for (uint32_t at = 0; at < n && effort < EFFORT;) {
            uint32_t out = run_length < n - at ? run_length : n - at;
            memcpy(rest, stuck, at * sizeof *rest);
            memcpy(rest + at, stuck + at + out, (n - at - out) * sizeof *rest);
            effort += n;
            if (n - out == 0 || solve_values(q, rest, n - out)) {
                at += out;
            } else {
                n -= out;
                memcpy(stuck, rest, n * sizeof *rest);
            }
        }
    }
    free(rest);
    return n;
}

static void violation_stuck(stack_pass *q) {
    uint32_t n = 0, *stuck = MEM_ARRAY(uint32_t, q->block.m);
    for (uint32_t i = 0; i < q->block.m; i++)
        if (q->block.push_slot[i] == NOT_REMOVABLE) stuck[n++] = q->member[i];
    assert(n > 0);
    n = shrink_stuck(q, stuck, n);
    bad_pattern s = {0};
    for (uint32_t i = 0; i < n; i++) bad_pattern_add_value(&s, q->c, stuck[i]);
    inventory_violation(q->c, &s, NO_INDEX, q->out);
    free(stuck);
}

static void violation_empty(stack_pass *q, uint32_t position) {
    bad_pattern s = {0};
    cover_rule rule = {.left_until = q->left_until};
    bad_pattern_add(&s, position);
    bad_pattern_add_cover(&s, q->c, q->c->call[position], q->c->ret[position], &rule);
    inventory_violation(q->c, &s, NO_INDEX, q->out);
}

/* ---- the sweep ---- */

static void begin_cover(stack_pass *q, uint32_t v, uint32_t r) {
    if (q->groups == q->room) q->group = MEM_GROW(q->group, group, q->room = q->room ? 2 * q->room : 64);
    assert(q->groups == 0 || q->group[q->groups - 1].base < r);
    q->group[q->groups++] =
        (group){.base = r, .live = 1, .size = 1, .first_begun = v, .last_begun = v, .first_ended = NO_INDEX};
    q->next_begun[v] = NO_INDEX;
}

/* Joins the top group to the one below: all that begins and ends in it comes later. */
static void join_top(stack_pass *q) {
    assert(q->groups >= 2);
    group *top = &q->group[--q->groups], *below = top - 1;
    assert(below->base < top->base && below->live && top->live);
    below->live += top->live;
    below->size += top->size;
    q->next_begun[below->last_begun] = top->first_begun;
    below->last_begun = top->last_begun;
    if (top->first_ended == NO_INDEX) return;
    if (below->first_ended == NO_INDEX) below->first_ended = top->first_ended;
    else q->next_ended[below->last_ended] = top->first_ended;
    below->last_ended = top->last_ended;
}

static void note_stuck(stack_pass *q) {
    for (uint32_t i = 0; i < q->block.m; i++) {
        if (q->block.push_slot[i] != NOT_REMOVABLE) continue;
        if (q->stucks == q->stuck_room)
            q->stuck = MEM_GROW(q->stuck, uint32_t, q->stuck_room = q->stuck_room ? 2 * q->stuck_room : 16);
        q->stuck[q->stucks++] = q->member[i];
    }
}

static void close_group(stack_pass *q) {
    group *g = &q->group[--q->groups];
    assert(g->live == 0 && (g->size == 1) == (g->first_begun == g->last_begun));
    if (g->size == 1) return; /* in and out where the cover begins and ends */
    if (solve_group(q, g)) {
        place_members(q);
    } else {
        q->failed = true;
        if (q->collect) note_stuck(q);
        else if (q->out) violation_stuck(q);
    }
}

static void end_in_top(stack_pass *q, uint32_t v) {
    group *g = &q->group[q->groups - 1];
    if (g->first_ended == NO_INDEX) g->first_ended = v;
    else q->next_ended[g->last_ended] = v;
    g->last_ended = v;
    q->next_ended[v] = NO_INDEX;
    if (--g->live == 0) close_group(q);
}

static void end_cover(stack_pass *q, uint32_t v) {
    assert(q->groups > 0);
    while (q->group[q->groups - 1].base > add_return(q->c, v)) join_top(q);
    end_in_top(q, v);
}

/* All values that are never removed stop covering, from the top down: the order makes no difference, since their pops
 * would never return. */
static void end_left_inside(stack_pass *q) {
    for (uint32_t depth = q->groups; depth-- > 0 && !(q->failed && !q->collect);) {
        uint32_t joined = 0;
        for (uint32_t v = q->group[depth].first_begun; v != NO_INDEX; v = q->next_begun[v])
            joined += !is_removed(q->c, v);
        if (joined == 0) continue;
        while (q->groups > depth + 1) join_top(q); /* covers above that go on cross those that end here */
        uint32_t *ending_now = MEM_ARRAY(uint32_t, joined), n = 0;
        for (uint32_t v = q->group[depth].first_begun; v != NO_INDEX && n < joined; v = q->next_begun[v])
            if (!is_removed(q->c, v)) ending_now[n++] = v;
        for (uint32_t i = 0; i < n; i++) end_in_top(q, ending_now[i]);
        free(ending_now);
    }
}

static void place_empty(stack_pass *q, uint32_t position, uint32_t r) {
    if (q->free_gap != NO_INDEX && q->free_gap >= q->c->call[position]) {
        assert(q->order.cuts < q->c->empties && q->free_gap < r);
        q->order.cut[q->order.cuts++] = (empty_cut){q->free_gap, position};
        return;
    }
    q->failed = true;
    q->empties_until = r;
    if (q->first_empty == RANK_NEVER) q->first_empty = r;
    if (!q->collect && q->out) violation_empty(q, position);
}

static inline void sweep_event(stack_pass *q, uint32_t r, uint32_t e) {
    inventory *c = q->c;
    uint32_t x = event_index(e);
    switch (event_kind_of(e)) {
    case ADD_RETURN:
        if (cover_end(q, x) > r) begin_cover(q, x, r);
        else stack_order_nothing(&q->order, r);
        break;
    /* a push and a pop that are both open now, and were not before, take effect now: so at ADD_CALL_LATE */
    case REMOVE_CALL:
        if (add_return(c, x) < r) end_cover(q, x);
        else if (add_call(c, x) < r) stack_order_at_once(&q->order, r, x);
        else stack_order_nothing(&q->order, r);
        break;
    case EMPTY_RETURN: place_empty(q, c->empty[x], r); break;
    case TOKEN_CALL:
        if (r == q->left_until) end_left_inside(q);
        break;
    default: break;
    }
    if (q->groups == 0) q->free_gap = r;
}

enum { STRETCH = 2048 };

/* The order may take the place of events, so these are read first. */
static bool sweep_stretch(stack_pass *q, uint32_t from, uint32_t to) {
    const unsigned kinds = ~(1u << ADD_CALL | 1u << REMOVE_RETURN); /* the others change nothing */
    uint32_t rank[STRETCH], event[STRETCH], n = inventory_select(q->c, from, to, kinds, rank, event);
    stack_order_fill(&q->order, from, to);
    for (uint32_t k = 0; k < n; k++) {
        sweep_event(q, rank[k], event[k]);
        if (q->failed && !q->collect) return false;
    }
    return true;
}

static bool sweep(stack_pass *q) {
    q->groups = 0;
    stack_order_clear(&q->order);
    if (q->collect) q->stucks = 0;
    q->free_gap = NO_INDEX;
    q->failed = false;
    q->empties_until = 0;
    q->first_empty = RANK_NEVER;
    for (uint32_t from = 0, to; from < q->c->events; from = to) {
        to = q->c->events - from < STRETCH ? q->c->events : from + STRETCH;
        if (!sweep_stretch(q, from, to)) return false;
        if (q->out && from % (32 * STRETCH) == 31 * STRETCH && inventory_out_of_budget(q->c, q->out)) return false;
    }
    end_left_inside(q);
    assert(q->failed || q->groups == 0);
    return !q->failed;
}

/* ---- the witness ---- */

static void make_witness(stack_pass *q) {
    uint32_t n = stack_order_write(&q->order), *to = q->order.slot;
    if (to == q->c->event) q->c->event = NULL;
    q->order.slot = NULL;
    inventory_witness(q->c, to, n, q->out);
}

/* ---- tokens ---- */

static bool fits(token_trial *t) { return sweep(t->context); }

/* The topmost of the values left inside that were pushed before the first return of what failed. */
static uint32_t guess(token_trial *t) {
    const stack_pass *q = t->context;
    uint32_t first = q->first_empty;
    for (uint32_t i = 0; i < q->stucks; i++)
        if (remove_return(q->c, q->stuck[i]) < first) first = remove_return(q->c, q->stuck[i]);
    for (uint32_t i = t->candidates; i-- > 0;)
        if (!is_removed(q->c, t->candidate[i]) && add_return(q->c, t->candidate[i]) < first) return t->candidate[i];
    return NO_INDEX;
}

/* Of the values left inside those that a token may have to take: pushed while stuck values cover all the time of the
 * push (then they are stuck as well), or before the return of an empty that had no gap. The others only follow. */
static uint32_t *token_candidates(stack_pass *q, uint32_t *count) {
    inventory *c = q->c;
    uint32_t n, *left = inventory_left_inside(c, &n), *uncovered = q->order.slot, covers = 0, gaps = 0;
    memset(uncovered, 0, c->events * sizeof *uncovered);
    for (uint32_t i = 0; i < q->stucks; i++) {
        uncovered[add_return(c, q->stuck[i])]++;
        if (cover_end(q, q->stuck[i]) < c->events) uncovered[cover_end(q, q->stuck[i])]--;
    }
    for (uint32_t r = 0; r < c->events; r++) { /* from changes of cover to the number of uncovered gaps up to here */
        covers += uncovered[r];
        assert(covers <= q->stucks);
        uncovered[r] = gaps += covers == 0;
    }
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = add_call(c, left[i]), to = add_return(c, left[i]);
        bool stuck = uncovered[to - 1] == (from ? uncovered[from - 1] : 0);
        if (stuck || to < q->empties_until) left[(*count)++] = left[i];
    }
    return left;
}

static void try_tokens(stack_pass *q, const uint32_t *candidate, uint32_t n) {
    outcome *out = q->out;
    token_trial t = {.c = q->c,
                     .candidate = candidate,
                     .candidates = n,
                     .more_is_better = true,
                     .fits = fits,
                     .guess = guess,
                     .context = q,
                     .out = out};
    q->out = NULL;     /* a trial that fails says nothing */
    q->collect = true; /* but where it failed */
    token_answer answer = tokens_try(&t);
    q->out = out;
    if (answer == TOKENS_FIT) make_witness(q);
    else if (answer == TOKENS_DO_NOT_FIT) out->verdict = VERDICT_VIOLATION;
}

static void decide_with_tokens(stack_pass *q) {
    q->order.slot = MEM_ARRAY(uint32_t, q->c->events);
    q->collect = true;
    if (sweep(q)) { /* no token is needed */
        make_witness(q);
        return;
    }
    uint32_t n, *candidate = token_candidates(q, &n);
    q->collect = false;
    q->left_until = q->c->call[q->c->token[0]]; /* as if each value left inside were taken by the first token */
    if (sweep(q)) {
        q->left_until = RANK_NEVER;
        try_tokens(q, candidate, n);
    }
    free(candidate);
    free(q->order.slot);
}

static void decide(const problem *p, outcome *out) {
    inventory c;
    if (inventory_init(&c, p, out) == INVENTORY_READY) {
        stack_pass q = {
            .c = &c, .out = out, .left_until = RANK_NEVER, .order = {.c = &c, .cut = MEM_ARRAY(empty_cut, c.empties)}};
        /* the lists are not needed for values whose block is decided */
        q.next_begun = q.order.next_push = MEM_ARRAY(uint32_t, c.values);
        q.next_ended = q.order.next_pop = MEM_ARRAY(uint32_t, c.values);
        if (c.tokens) {
            decide_with_tokens(&q);
        } else {
            q.order.slot = c.event;
            if (sweep(&q)) make_witness(&q);
        }
        stack_order_free(&q.order);
        FREE_ALL(q.next_begun, q.next_ended, q.group, q.member, q.place, q.stuck);
        stack_block_free(&q.block);
    }
    inventory_free(&c);
}

ENGINE_RECORD(engine_stack_linear, "stack-linear",
              "one sweep over the events: which values can be at the bottom, block by block", .growth = "n log n",
              .objects = "stack", .needs = NEEDS_DISTINCT,
              .promises = PROMISES_SOUND | PROMISES_WITNESS | PROMISES_PATTERN, .cost = COST_NEAR_LINEAR,
              .accepts = inventory_accepts, .decide = decide);
