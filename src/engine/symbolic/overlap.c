#include "engine/symbolic/overlap.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>

enum { MOST_PAIRS = 1 << 29 };

typedef struct open_positions {
    uint32_t *at, n;
} open_positions;

static void keep_open(open_positions *open, const overlap *o, uint32_t now) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < open->n; i++)
        if (o->ret[open->at[i]] > now) open->at[kept++] = open->at[i];
    open->n = kept;
}

static bool collect(overlap *o, cnf *c) {
    open_positions open = {.at = MEM_ARRAY(uint32_t, (size_t)o->n + 1)};
    size_t room = 4 * (size_t)o->n + 16, count = 0;
    unsigned ticks = 0;
    bool good = true;
    o->earlier = MEM_ARRAY(uint32_t, room);
    for (uint32_t y = 0; y < o->n && good; y++) {
        assert(o->call[y] < o->ret[y] && (!y || o->call[y - 1] < o->call[y]));
        keep_open(&open, o, o->call[y]);
        if (count + open.n > room) o->earlier = MEM_GROW(o->earlier, uint32_t, room = 2 * room + open.n);
        o->start[y] = count;
        assert_costly(words_ascend(open.at, open.n));
        for (uint32_t i = 0; i < open.n; i++) o->earlier[count++] = open.at[i];
        open.at[open.n++] = y;
        good = count < MOST_PAIRS && !budget_tick(c->budget, &ticks);
    }
    o->start[o->n] = count;
    free(open.at);
    return good;
}

static void turn_round(overlap *o) {
    size_t pairs = o->start[o->n];
    o->later_start = mem_zero((size_t)o->n + 2, sizeof *o->later_start);
    o->later = MEM_ARRAY(uint32_t, pairs + 1);
    o->later_pair = MEM_ARRAY(uint32_t, pairs + 1);
    size_t *next = o->later_start + 1; /* shifted by one while it is filled */
    for (size_t i = 0; i < pairs; i++) next[o->earlier[i] + 1]++;
    for (uint32_t x = 0; x < o->n; x++) next[x + 1] += next[x];
    for (uint32_t y = 0; y < o->n; y++)
        for (size_t i = o->start[y]; i < o->start[y + 1]; i++) {
            size_t at = next[o->earlier[i]]++;
            assert(at < pairs && o->earlier[i] < y);
            o->later[at] = y;
            o->later_pair[at] = (uint32_t)i;
        }
    assert(o->later_start[o->n] == pairs);
}

bool overlap_init(overlap *o, cnf *c, const uint32_t *call, const uint32_t *ret, uint32_t n) {
    *o = (overlap){.n = n, .call = call, .ret = ret, .start = MEM_ARRAY(size_t, (size_t)n + 1)};
    if (!collect(o, c)) return false;
    o->first = cnf_variables(c, (uint32_t)o->start[n]);
    if (o->first) turn_round(o);
    return o->first != 0;
}

void overlap_free(overlap *o) {
    FREE_ALL(o->start, o->earlier, o->later_start, o->later, o->later_pair);
    *o = (overlap){0};
}

literal overlap_variable(const overlap *o, uint32_t x, uint32_t y) {
    size_t low = o->start[y], high = o->start[y + 1];
    while (high - low > 8) {
        size_t middle = low + (high - low) / 2;
        if (o->earlier[middle] <= x) low = middle;
        else high = middle;
    }
    while (o->earlier[low] != x) low++;
    assert(low < o->start[y + 1]); /* they overlap, x called first */
    return o->first + (literal)low;
}

uint32_t first_called_after(const overlap *o, uint32_t r) {
    uint32_t low = 0, high = o->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (o->call[middle] > r) high = middle;
        else low = middle + 1;
    }
    assert((low == 0 || o->call[low - 1] <= r) && (low == o->n || o->call[low] > r));
    return low;
}

/* ---- transitivity ---- */

static unsigned side_of(const overlap *o, uint32_t x) { return o->sides ? o->sides[x] : OVERLAP_SIDES - 1; }

/* Three operations that overlap each other: no cycle either way. */
static void forbid_cycles(const overlap *o, cnf *c, uint32_t z) {
    for (size_t i = o->start[z]; i < o->start[z + 1]; i++) {
        unsigned side = side_of(o, z) & side_of(o, o->earlier[i]);
        for (size_t j = i + 1; side && j < o->start[z + 1]; j++) {
            uint32_t x = o->earlier[i], y = o->earlier[j];
            if (!(side & side_of(o, y))) continue;
            literal xz = o->first + (literal)i, yz = o->first + (literal)j, xy = before(o, x, y);
            if (xy == LIT_TRUE) continue; /* x, y do not overlap: follow_order's business */
            cnf_clause(c, -xy, -yz, xz);
            cnf_clause(c, xy, yz, -xz);
        }
    }
}

/* p overlaps y and z, y is before z: if p is before y it is before z. A z that something q between y and z precedes can
 * be left out: y before q before z, and q overlaps p too. So only z called before the first return of what is called
 * after y. */
typedef struct following {
    uint32_t *least_return[OVERLAP_SIDES]; /* of what is called from here on, and has a bit of these; 0: not needed */
    uint32_t *next;                        /* by position: the first that is called after it returned */
    uint32_t *beside;                      /* what overlaps p */
    literal *first;                        /* p is before it */
} following;

static uint32_t gather_beside(const overlap *o, uint32_t p, following *f) {
    uint32_t n = 0;
    unsigned side = side_of(o, p);
    for (size_t i = o->start[p]; i < o->start[p + 1]; i++) {
        f->first[n] = -(o->first + (literal)i);
        f->beside[n] = o->earlier[i];
        n += (side & side_of(o, o->earlier[i])) != 0;
    }
    for (size_t i = o->later_start[p]; i < o->later_start[p + 1]; i++) {
        f->first[n] = o->first + (literal)o->later_pair[i];
        f->beside[n] = o->later[i];
        n += (side & side_of(o, o->later[i])) != 0;
    }
    return n;
}

static void follow_order(const overlap *o, cnf *c, uint32_t p, following *f) {
    uint32_t n = gather_beside(o, p, f);
    const uint32_t *least_return = f->least_return[side_of(o, p)];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t after = f->next[f->beside[i]], j = i + 1;
        if (after == o->n || o->call[after] > o->ret[p]) continue;
        while (j < n && f->beside[j] < after) j++;
        for (; j < n && o->call[f->beside[j]] < least_return[after]; j++)
            cnf_clause(c, -f->first[i], f->first[j], LIT_FALSE);
    }
}

void overlap_called(const overlap *o, cnf *c, uint32_t z, const uint32_t *recent, uint32_t n) {
    forbid_cycles(o, c, z);
    for (size_t i = o->start[z]; i < o->start[z + 1]; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t p = o->earlier[i], y = recent[k];
            if (o->call[p] < o->ret[y]) cnf_clause(c, -before(o, p, y), o->first + (literal)i, LIT_FALSE);
        }
}

static void following_init(following *f, const overlap *o) {
    size_t room = (size_t)o->n + 1;
    *f = (following){
        .next = MEM_ARRAY(uint32_t, room), .beside = MEM_ARRAY(uint32_t, room), .first = MEM_ARRAY(literal, room)};
    for (unsigned side = o->sides ? 1 : OVERLAP_SIDES - 1; side < OVERLAP_SIDES; side++) {
        uint32_t *least = f->least_return[side] = MEM_ARRAY(uint32_t, room);
        least[o->n] = UINT32_MAX;
        for (uint32_t i = o->n; i-- > 0;) {
            bool counts = side & side_of(o, i) && o->ret[i] < least[i + 1];
            least[i] = counts ? o->ret[i] : least[i + 1];
        }
    }
    for (uint32_t i = 0; i < o->n; i++) f->next[i] = first_called_after(o, o->ret[i]);
}

static void following_free(following *f) {
    for (unsigned side = 0; side < OVERLAP_SIDES; side++) free(f->least_return[side]);
    FREE_ALL(f->next, f->beside, f->first);
}

bool overlap_order(const overlap *o, cnf *c) {
    following f;
    bool good = true;
    unsigned ticks = 0;
    following_init(&f, o);
    for (uint32_t p = 0; p < o->n && good; p++) {
        if (side_of(o, p) == 0) continue;
        forbid_cycles(o, c, p);
        follow_order(o, c, p, &f);
        good = !budget_tick(c->budget, &ticks);
    }
    following_free(&f);
    return good;
}

/* An operation goes before an earlier called one only if they overlap: insertion from behind moves past such only. */
uint32_t overlap_sort(const overlap *o, const cnf *c, unsigned side, uint32_t *at) {
    uint32_t n = 0;
    for (uint32_t y = 0; y < o->n; y++) {
        if (!(side & side_of(o, y))) continue;
        uint32_t i = n++;
        for (; i && !cnf_true(c, before(o, at[i - 1], y)); i--) at[i] = at[i - 1];
        assert(i == n - 1 || o->call[at[i + 1]] < o->ret[y]);
        at[i] = y;
    }
    return n;
}
