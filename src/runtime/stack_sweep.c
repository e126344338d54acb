#include "runtime/stack_sweep.h"

#include "base/mem.h"

#include <string.h>

#define NONE NUMBER_NONE

/* ---- making ---- */

void stack_sweep_init(stack_sweep *s) {
    *s = (stack_sweep){.unused = NONE};
    s->item = MEM_ARRAY(stacked, s->item_room = 64);
    s->step = MEM_ARRAY(sweep_step, s->step_room = 64);
    s->group = MEM_ARRAY(stack_group, s->group_room = 64);
    s->undo = MEM_ARRAY(stack_undo, s->undo_room = 64);
}

void stack_sweep_free(stack_sweep *s) {
    FREE_ALL(s->item, s->step, s->group, s->undo);
    stack_block_free(&s->block);
    free(s->member);
    free(s->place);
}

#define COPY_ARRAY(to, n) ((to) = mem_copy(to, (n) * sizeof *(to)))

void stack_sweep_copy(stack_sweep *s) {
    COPY_ARRAY(s->item, s->item_room);
    COPY_ARRAY(s->step, s->step_room);
    COPY_ARRAY(s->group, s->group_room);
    COPY_ARRAY(s->undo, s->undo_room);
    s->block = (stack_block){0}; /* scratch */
    s->member = NULL;
    s->place = NULL;
    s->member_room = 0;
}

size_t stack_sweep_memory(const stack_sweep *s) {
    return s->item_room * sizeof *s->item + s->step_room * sizeof *s->step + s->group_room * sizeof *s->group +
           s->undo_room * sizeof *s->undo + s->member_room * 3 * sizeof *s->place;
}

uint32_t stack_sweep_item(stack_sweep *s, uint64_t v, uint64_t now) {
    uint32_t i = s->unused;
    if (i != NONE) s->unused = s->item[i].next_begun;
    else {
        if (s->items == s->item_room) s->item = MEM_GROW(s->item, stacked, s->item_room *= 2);
        i = s->items++;
    }
    assert(i < s->items && s->items <= s->item_room);
    stacked *x = &s->item[i];
    x->v = v;
    x->push_call = now;
    x->push_ret = x->pop_call = x->pop_ret = STACK_NEVER;
    x->taker = NONE;
    x->orphan = x->guessed = false;
    return i;
}

void stack_sweep_forget(stack_sweep *s, uint32_t item) {
    assert(item < s->items && item != s->unused);
    s->item[item].next_begun = s->unused;
    s->unused = item;
}

static void grow_steps(stack_sweep *s) {
    sweep_step *larger = MEM_ARRAY(sweep_step, 2 * s->step_room);
    for (uint64_t at = s->firm; at < s->end; at++) larger[at & (2 * s->step_room - 1)] = *stack_sweep_step(s, at);
    free(s->step);
    s->step = larger;
    s->step_room *= 2;
}

uint64_t stack_sweep_append(stack_sweep *s, sweep_step what) {
    assert(s->swept >= s->firm); /* grow_steps keeps steps from `firm` on only */
    assert((s->step_room & (s->step_room - 1)) == 0 && s->end - s->firm <= s->step_room);
    if (s->end - s->firm == s->step_room) grow_steps(s);
    *stack_sweep_step(s, s->end) = what;
    return s->end++;
}

/* ---- blocks ---- */

/* x began first, and left first: y can have been put in before x, or x taken out after y. */
static bool pair_fits(const stacked *x, const stacked *y) {
    return x->pop_call > y->pop_call || x->pop_ret >= y->pop_call || y->push_call < x->push_ret;
}

static void reserve_members(stack_sweep *s, uint32_t m) {
    stack_block_reserve(&s->block, m);
    if (m <= s->member_room) return;
    s->member_room = m < 16 ? 16 : 2 * m;
    s->member = MEM_GROW(s->member, uint32_t, s->member_room);
    s->place = MEM_GROW(s->place, uint64_t, 2 * (size_t)s->member_room + 2);
}

/* Places 1 .. upto that are not later. */
static uint32_t places_until(const uint64_t *place, uint32_t upto, uint64_t time) {
    uint32_t low = 0;
    while (low < upto) {
        uint32_t middle = low + (upto - low + 1) / 2;
        if (place[middle] <= time) low = middle;
        else upto = middle - 1;
    }
    return low;
}

static uint32_t put_begins(stack_sweep *s, uint32_t *from, uint32_t places, uint64_t until) {
    stack_block *b = &s->block;
    for (; *from < b->m && s->item[s->member[*from]].push_ret < until; ++*from) {
        s->place[++places] = s->item[s->member[*from]].push_ret;
        assert(places == 1 || s->place[places - 1] < s->place[places]);
        b->begin[*from] = places;
    }
    return places;
}

/* Those that are still inside end behind everything. */
static void put_places(stack_sweep *s, const stack_group *g) {
    stack_block *b = &s->block;
    uint32_t begun = 0, places = 0, m = 0;
    for (uint32_t v = g->first_begun; m < g->size; v = s->item[v].next_begun) {
        s->item[v].number = m;
        b->end[m] = 0;
        s->member[m++] = v;
    }
    uint32_t v = g->first_ended;
    for (uint32_t k = g->live; k < g->size; k++, v = s->item[v].next_ended) {
        places = put_begins(s, &begun, places, s->item[v].pop_call);
        s->place[++places] = s->item[v].pop_call;
        assert(places == 1 || s->place[places - 1] < s->place[places]);
        b->end[s->item[v].number] = places;
    }
    places = put_begins(s, &begun, places, STACK_NEVER);
    for (uint32_t i = 0; i < m; i++) {
        if (b->end[i]) continue;
        s->place[++places] = STACK_NEVER;
        b->end[i] = places;
    }
    assert(m == b->m && places == 2 * m); /* each member begins once and ends once */
}

static bool group_fits(stack_sweep *s, const stack_group *g) {
    assert(g->size > 0 && g->live <= g->size);
    s->work += g->size;
    if (g->size == 1 || g->live == g->size) return true;
    if (g->size == 2) return pair_fits(&s->item[g->first_begun], &s->item[g->last_begun]);
    stack_block *b = &s->block;
    reserve_members(s, g->size);
    put_places(s, g);
    for (uint32_t i = 0; i < b->m; i++) {
        const stacked *x = &s->item[s->member[i]];
        b->push_from[i] = places_until(s->place, b->begin[i] - 1, x->push_call);
        b->pop_to[i] = b->end[i] + places_until(s->place + b->end[i], 2 * b->m - b->end[i], x->pop_ret);
    }
    return stack_block_solve(b);
}

bool stack_sweep_groups_fit(stack_sweep *s, uint32_t *bad) {
    for (uint32_t i = s->dirty_from; i < s->groups; i++) {
        if (s->group[i].dirty && !group_fits(s, &s->group[i])) {
            s->dirty_from = *bad = i;
            return false;
        }
        s->group[i].dirty = false;
    }
    s->dirty_from = NONE;
    return true;
}

/* ---- the way back ---- */

/* NULL: the step is firm. */
static stack_undo *write_down(stack_sweep *s, uint32_t index) {
    if (s->swept < s->firm) return NULL;
    assert(index == NONE || index < s->groups);
    assert(s->undo_from <= s->undos && (s->undos == s->undo_from || s->undo[s->undos - 1].at <= s->swept));
    if (s->undos == s->undo_room && s->undo_from > s->undos / 2) {
        s->undos -= s->undo_from;
        memmove(s->undo, s->undo + s->undo_from, s->undos * sizeof *s->undo);
        s->undo_from = 0;
    }
    if (s->undos == s->undo_room) s->undo = MEM_GROW(s->undo, stack_undo, s->undo_room *= 2);
    stack_undo *u = &s->undo[s->undos++];
    u->at = s->swept;
    u->last_free = s->last_free;
    u->groups = s->groups;
    u->index = index;
    u->closed = false;
    if (index != NONE) u->group = s->group[index];
    return u;
}

static void mark_dirty(stack_sweep *s, uint32_t index) {
    s->group[index].dirty = true;
    if (index < s->dirty_from) s->dirty_from = index;
}

/* A group that is put back ends where it ended: nothing follows its last ones. */
static void put_back(stack_sweep *s, const stack_undo *u) {
    assert(u->at >= s->firm && (u->index == NONE || u->index < u->groups));
    s->groups = u->groups;
    s->last_free = u->last_free;
    if (u->index == NONE) return;
    s->group[u->index] = u->group;
    if (u->group.dirty) mark_dirty(s, u->index);
}

void stack_sweep_back(stack_sweep *s, uint64_t to) {
    if (s->swept < to) return;
    assert(to >= s->firm && to <= s->end);
    while (s->undos > s->undo_from && s->undo[s->undos - 1].at >= to) put_back(s, &s->undo[--s->undos]);
    s->swept = to;
}

static void forget_members(stack_sweep *s, const stack_group *g) {
    uint32_t v = g->first_begun;
    for (uint32_t k = 0; k < g->size; k++) {
        uint32_t next = s->item[v].next_begun;
        if (!s->item[v].guessed) stack_sweep_forget(s, v);
        v = next;
    }
}

void stack_sweep_firm(stack_sweep *s, uint64_t to) {
    assert(to >= s->firm && to <= s->end);
    s->firm = to;
    for (; s->undo_from < s->undos && s->undo[s->undo_from].at < to; s->undo_from++)
        if (s->undo[s->undo_from].closed) forget_members(s, &s->undo[s->undo_from].group);
    if (s->undo_from == s->undos) s->undo_from = s->undos = 0;
}

/* ---- forward ---- */

static inline void put_on_top(stack_sweep *s, uint32_t v, uint64_t time) {
    assert(!s->groups || s->group[s->groups - 1].base < time);
    if (s->groups == 0) s->last_free = time - 1;
    if (s->groups == s->group_room) s->group = MEM_GROW(s->group, stack_group, s->group_room *= 2);
    s->group[s->groups++] = (stack_group){.base = time, .live = 1, .size = 1, .first_begun = v, .last_begun = v};
}

static void begin_cover(stack_sweep *s, uint32_t v, uint64_t time) {
    write_down(s, NONE);
    put_on_top(s, v, time);
}

void stack_sweep_push(stack_sweep *s, uint32_t item) { put_on_top(s, item, s->item[item].push_ret); }

bool stack_sweep_pop(stack_sweep *s, uint32_t item) {
    if (!s->groups || s->group[s->groups - 1].size > 1 || s->group[s->groups - 1].first_begun != item) return false;
    s->groups--;
    stack_sweep_forget(s, item);
    return true;
}

static void join_top(stack_sweep *s) {
    assert(s->groups >= 2 && s->group[s->groups - 2].base < s->group[s->groups - 1].base);
    write_down(s, s->groups - 1);
    write_down(s, s->groups - 2);
    const stack_group *top = &s->group[--s->groups];
    stack_group *below = &s->group[s->groups - 1];
    s->item[below->last_begun].next_begun = top->first_begun;
    below->last_begun = top->last_begun;
    if (top->live < top->size) {
        if (below->live < below->size) s->item[below->last_ended].next_ended = top->first_ended;
        else below->first_ended = top->first_ended;
        below->last_ended = top->last_ended;
    }
    below->live += top->live;
    below->size += top->size;
}

static bool end_in_top(stack_sweep *s, uint32_t v) {
    stack_undo *u = write_down(s, s->groups - 1);
    stack_group *g = &s->group[s->groups - 1];
    assert(g->live > 0 && g->live <= g->size && g->base <= s->item[v].push_ret);
    if (g->live < g->size) s->item[g->last_ended].next_ended = v;
    else g->first_ended = v;
    g->last_ended = v;
    if (--g->live) {
        mark_dirty(s, s->groups - 1);
        return true;
    }
    if (!group_fits(s, g)) return false;
    s->groups--;
    if (u) u->closed = true;
    else forget_members(s, g);
    return true;
}

static bool end_cover(stack_sweep *s, uint32_t v) {
    assert(s->groups > 0 && s->group[0].base <= s->item[v].push_ret); /* it is in one of the groups */
    while (s->group[s->groups - 1].base > s->item[v].push_ret) join_top(s);
    return end_in_top(s, v);
}

static inline bool look_at(stack_sweep *s, const sweep_step *e) {
    switch (e->kind) {
    case STEP_PUSHED:
        if (s->item[e->item].pop_call > e->time) begin_cover(s, e->item, e->time);
        return true;
    case STEP_POP: return s->item[e->item].push_ret > e->time || end_cover(s, e->item);
    case STEP_EMPTY: return s->groups == 0 || s->last_free >= e->time;
    default: return true;
    }
}

bool stack_sweep_to(stack_sweep *s, uint64_t to) {
    assert(to <= s->end);
    for (; s->swept < to; s->swept++) {
        s->work++;
        if (look_at(s, stack_sweep_step(s, s->swept))) continue;
        if (s->swept >= s->firm) stack_sweep_back(s, s->swept);
        return false;
    }
    return true;
}
