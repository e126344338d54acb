#include "engine/linear/stack_block.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>

void stack_block_reserve(stack_block *b, uint32_t m) {
    b->m = m;
    if (m > b->room || !b->memory) {
        b->room = m < 16 ? 16 : 2 * m;
        b->memory = MEM_GROW(b->memory, uint32_t, (size_t)b->room * 6);
    }
    assert(b->m <= b->room);
    uint32_t **column[] = {&b->begin, &b->end, &b->push_from, &b->pop_to, &b->push_slot, &b->pop_slot};
    for (unsigned i = 0; i < 6; i++) *column[i] = b->memory + (size_t)i * b->room;
}

void stack_block_free(stack_block *b) { free(b->memory); }

/* ---- few values: slots are bits ---- */

/* from .. to */
static uint64_t bits(uint32_t from, uint32_t to) {
    assert(from <= to && to < 64);
    return (~UINT64_C(0) >> (63 - (to - from))) << from;
}

bool stack_block_solve_small(stack_block *b) {
    uint32_t left = b->m;
    for (uint32_t i = 0; i < b->m; i++) b->push_slot[i] = b->pop_slot[i] = NOT_REMOVABLE;
    for (bool progress = true; left && progress;) {
        progress = false;
        uint64_t covered = 0;
        for (uint32_t i = 0; i < b->m; i++)
            if (b->push_slot[i] == NOT_REMOVABLE) covered |= bits(b->begin[i], b->end[i] - 1);
        for (uint32_t i = 0; i < b->m; i++) {
            if (b->push_slot[i] != NOT_REMOVABLE) continue;
            uint64_t push = bits(b->push_from[i], b->begin[i] - 1) & ~covered,
                     pop = bits(b->end[i], b->pop_to[i]) & ~covered;
            if (!push || !pop) continue;
            b->push_slot[i] = 63 - (uint32_t)__builtin_clzll(push);
            b->pop_slot[i] = (uint32_t)__builtin_ctzll(pop);
            left--;
            progress = true;
        }
    }
    return left == 0;
}

/* ---- many values ---- */

/* Free slots: a set with nearest neighbours, in levels of 64-bit words. */
typedef struct slot_set {
    uint64_t *word[6];
    unsigned levels;
} slot_set;

static void set_init(slot_set *s, uint32_t n) {
    s->levels = 0;
    do {
        n = (n + 63) / 64;
        s->word[s->levels++] = mem_zero(n, sizeof(uint64_t));
    } while (n > 1);
}

static void set_free(slot_set *s) {
    for (unsigned l = 0; l < s->levels; l++) free(s->word[l]);
}

static void set_add(slot_set *s, uint32_t i) {
    for (unsigned l = 0; l < s->levels; l++, i /= 64) s->word[l][i / 64] |= UINT64_C(1) << i % 64;
}

static uint32_t descend(const slot_set *s, unsigned level, uint32_t i, bool last) {
    while (level-- > 0)
        i = i * 64 +
            (last ? 63 - (uint32_t)__builtin_clzll(s->word[level][i]) : (uint32_t)__builtin_ctzll(s->word[level][i]));
    return i;
}

/* The last member up to i, and the first from i on. Slots 0 and 2m are members, so there always is one. */
static uint32_t set_before(const slot_set *s, uint32_t i) {
    for (unsigned l = 0;; l++, i = i / 64 - 1) {
        uint64_t w = s->word[l][i / 64] << (63 - i % 64);
        if (w) return descend(s, l, i - (uint32_t)__builtin_clzll(w), true);
    }
}

static uint32_t set_after(const slot_set *s, uint32_t i) {
    for (unsigned l = 0;; l++, i = i / 64 + 1) {
        uint64_t w = s->word[l][i / 64] >> i % 64;
        if (w) return descend(s, l, i + (uint32_t)__builtin_ctzll(w), false);
    }
}

/* How many values cover each slot: add to a range, find a slot that no value covers. */
typedef struct cover_tree {
    int32_t *least, *added; /* of a subtree: its minimum, what was added to all of it */
    uint32_t size;
} cover_tree;

enum { TAKEN = 1 << 30 };

static void tree_pull(cover_tree *t, uint32_t x) {
    int32_t a = t->least[2 * x], b = t->least[2 * x + 1];
    t->least[x] = (a < b ? a : b) + t->added[x];
}

static void tree_add(cover_tree *t, uint32_t from, uint32_t to, int32_t what) { /* from .. to-1 */
    uint32_t a = from + t->size, b = to + t->size;
    for (; a < b; a /= 2, b /= 2) {
        if (a & 1) {
            t->least[a] += what;
            t->added[a++] += what;
        }
        if (b & 1) {
            t->least[--b] += what;
            t->added[b] += what;
        }
    }
    for (uint32_t x = (from + t->size) / 2; x; x /= 2) tree_pull(t, x);
    for (uint32_t x = (to - 1 + t->size) / 2; x; x /= 2) tree_pull(t, x);
}

static uint32_t tree_uncovered(const cover_tree *t) {
    uint32_t x = 1;
    assert(t->least[1] >= 0);
    if (t->least[1] != 0) return NOT_REMOVABLE;
    while (x < t->size) x = t->least[2 * x] + t->added[x] == t->least[x] ? 2 * x : 2 * x + 1;
    assert(t->least[x] >= 0);
    return x - t->size;
}

/* Which pushes and pops contain a slot: pushes stand at begin[i] with their first slot, pops at end[i] with their last;
 * a tree of the least of these, and of the greatest, finds them one by one. */
typedef struct stab_tree {
    uint32_t *first, *last; /* least push_from (none: UINT32_MAX), greatest pop_to + 1 (none: 0) of a subtree */
    uint32_t size;
} stab_tree;

static void stab_pull(stab_tree *t, uint32_t x) {
    t->first[x] = t->first[2 * x] < t->first[2 * x + 1] ? t->first[2 * x] : t->first[2 * x + 1];
    t->last[x] = t->last[2 * x] > t->last[2 * x + 1] ? t->last[2 * x] : t->last[2 * x + 1];
}

static void stab_take(stab_tree *t, uint32_t place) {
    uint32_t x = place + t->size;
    t->first[x] = UINT32_MAX;
    t->last[x] = 0;
    for (x /= 2; x; x /= 2) stab_pull(t, x);
}

static bool holds(const stab_tree *t, uint32_t x, uint32_t slot, bool push) {
    return push ? t->first[x] <= slot : t->last[x] > slot;
}

/* A push that stands behind the slot and begins before it, or a pop that stands up to it and reaches it. */
static uint32_t stab_find(const stab_tree *t, uint32_t slot, bool push) {
    uint32_t a = t->size + (push ? slot + 1 : 0), b = push ? 2 * t->size : t->size + slot + 1, hit = 0;
    for (; a < b && !hit; a /= 2, b /= 2) {
        if (a & 1) {
            if (holds(t, a, slot, push)) hit = a;
            a++;
        }
        if (!hit && b & 1 && holds(t, --b, slot, push)) hit = b;
    }
    if (!hit) return NOT_REMOVABLE;
    while (hit < t->size) hit = holds(t, 2 * hit, slot, push) ? 2 * hit : 2 * hit + 1;
    return hit - t->size;
}

typedef struct solver {
    stack_block *b;
    slot_set free;
    cover_tree cover;
    stab_tree stab;
    uint32_t *owner; /* by place: the value that begins or ends there */
    uint8_t *held;   /* by value: how many of push and pop contain a free slot */
    uint32_t left;
} solver;

static void solver_init(solver *s, stack_block *b) {
    uint32_t places = 2 * b->m + 1, size = 1;
    while (size < places) size *= 2;
    *s = (solver){.b = b, .cover = {.size = size}, .stab = {.size = size}, .left = b->m};
    s->cover.least = mem_zero(2 * (size_t)size, sizeof(int32_t));
    s->cover.added = mem_zero(2 * (size_t)size, sizeof(int32_t));
    s->stab.first = MEM_ARRAY(uint32_t, 2 * (size_t)size);
    s->stab.last = mem_zero(2 * (size_t)size, sizeof(uint32_t));
    s->owner = mem_zero(size, sizeof *s->owner);
    s->held = mem_zero(b->m, 1);
    for (uint32_t x = 0; x < 2 * size; x++) s->stab.first[x] = UINT32_MAX;
    for (uint32_t x = places; x < size; x++) s->cover.least[x + size] = TAKEN;
    for (uint32_t i = 0; i < b->m; i++) {
        s->cover.least[size + b->begin[i]]++; /* differences first */
        s->cover.least[size + b->end[i]]--;
        s->stab.first[size + b->begin[i]] = b->push_from[i];
        s->stab.last[size + b->end[i]] = b->pop_to[i] + 1;
        s->owner[b->begin[i]] = s->owner[b->end[i]] = i;
    }
    for (uint32_t x = 1; x < places; x++) s->cover.least[size + x] += s->cover.least[size + x - 1];
    for (uint32_t x = size - 1; x; x--) {
        tree_pull(&s->cover, x);
        stab_pull(&s->stab, x);
    }
    set_init(&s->free, places);
}

static void solver_free(solver *s) {
    set_free(&s->free);
    FREE_ALL(s->cover.least, s->cover.added, s->stab.first, s->stab.last, s->owner, s->held);
}

static void take_value(solver *s, uint32_t i) {
    stack_block *b = s->b;
    assert(s->left > 0 && b->push_slot[i] == NOT_REMOVABLE);
    b->push_slot[i] = set_before(&s->free, b->begin[i] - 1);
    b->pop_slot[i] = set_after(&s->free, b->end[i]);
    assert(b->push_slot[i] >= b->push_from[i] && b->push_slot[i] < b->begin[i]);
    assert(b->pop_slot[i] >= b->end[i] && b->pop_slot[i] <= b->pop_to[i]);
    tree_add(&s->cover, b->begin[i], b->end[i], -1);
    s->left--;
}

static void slot_is_free(solver *s, uint32_t slot) {
    tree_add(&s->cover, slot, slot + 1, TAKEN);
    set_add(&s->free, slot);
    for (int push = 0; push < 2; push++)
        for (uint32_t place; (place = stab_find(&s->stab, slot, push)) != NOT_REMOVABLE;) {
            stab_take(&s->stab, place);
            assert(s->held[s->owner[place]] < 2);
            if (++s->held[s->owner[place]] == 2) take_value(s, s->owner[place]);
        }
}

bool stack_block_solve_large(stack_block *b) {
    solver s;
    solver_init(&s, b);
    for (uint32_t i = 0; i < b->m; i++) b->push_slot[i] = b->pop_slot[i] = NOT_REMOVABLE;
    for (uint32_t slot; s.left && (slot = tree_uncovered(&s.cover)) != NOT_REMOVABLE;) slot_is_free(&s, slot);
    bool all = s.left == 0;
    solver_free(&s);
    return all;
}

/* The slots that push and pop contain are there, whether they were found or not. */
SELF_CHECK static bool block_is_sound(const stack_block *b) {
    for (uint32_t i = 0; i < b->m; i++) {
        if (b->push_from[i] >= b->begin[i] || b->begin[i] >= b->end[i]) return false;
        if (b->end[i] > b->pop_to[i] || b->pop_to[i] > 2 * b->m) return false;
    }
    return true;
}

/* Found for all, or for none: both slots of a value. */
SELF_CHECK static bool solution_is_sound(const stack_block *b, bool all) {
    for (uint32_t i = 0; i < b->m; i++) {
        bool found = b->push_slot[i] != NOT_REMOVABLE;
        if (found != (b->pop_slot[i] != NOT_REMOVABLE) || (all && !found)) return false;
        if (!found) continue;
        if (b->push_slot[i] < b->push_from[i] || b->push_slot[i] >= b->begin[i]) return false;
        if (b->pop_slot[i] < b->end[i] || b->pop_slot[i] > b->pop_to[i]) return false;
    }
    return true;
}

bool stack_block_solve(stack_block *b) {
    assert_costly(block_is_sound(b));
    bool all = b->m <= SMALL_BLOCK ? stack_block_solve_small(b) : stack_block_solve_large(b);
    assert_costly(solution_is_sound(b, all));
    return all;
}
