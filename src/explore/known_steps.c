#include "explore/known_steps.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void known_steps_init(known_steps *k) {
    memset(k, 0, sizeof *k);
    memset(k->newest, 0xff, sizeof k->newest);
    k->cell = mem_zero(CELLS + 1, sizeof *k->cell);
}

void known_steps_free(known_steps *k) {
    free(k->nothing);
    free(k->cell);
}

void known_steps_reserve(known_steps *k, uint32_t steps) {
    if (steps <= k->room) return;
    known_step *more = mem_lines(steps + 1, sizeof *more);
    if (k->nothing) memcpy(more, k->nothing, (k->room + 1) * sizeof *more);
    else memset(more, 0, sizeof *more);
    free(k->nothing);
    k->nothing = more;
    k->step = more + 1;
    k->room = steps;
}

/* ---- places ---- */

static inline uint32_t slot_of(uintptr_t address) { return (uint32_t)((uint64_t)(address / 8) * 0x9e3779b97f4a7c15u >> (64 - CELL_BITS)); }

/* The end of a thread is for those who join it, and they take vector clocks. */
static bool is_end_of_thread(const place *p, uint8_t kind) { return p->role == PLACE_RELEASE && kind <= STEP_CAS; }

/* Not the one that it should be at once. Negative: places overlap, or something else is the matter. */
static __attribute__((noinline)) int32_t cell_search(known_steps *k, const place at[2], uint8_t kind) {
    const place *p = &at[0];
    if (kind == STEP_JOIN || (at[1].role && !is_end_of_thread(&at[1], kind))) return -1;
    if (!p->role) return k->cell[NO_CELL].newest = -1, NO_CELL; /* which no two of them have in common */
    if (p->role > PLACE_WRITE || !p->size || p->address % 8 + p->size > 8) return -1;
    uint32_t i = slot_of(p->address);
    for (; k->cell[i].size; i = (i + 1) % CELLS) {
        const cell *c = &k->cell[i];
        if (c->address / 8 == p->address / 8) return c->address == p->address && c->size == p->size ? (int32_t)i : -1;
    }
    if (k->cells == CELLS_MOST) return -1;
    k->cells++;
    k->cell[i] = (cell){.address = p->address, .size = p->size, .newest = -1};
    return (int32_t)i;
}

static inline int32_t cell_find(known_steps *k, const place at[2], uint8_t kind) {
    const uint32_t i = slot_of(at[0].address);
    const cell *c = &k->cell[i];
    const bool plain = (uint8_t)(at[0].role - PLACE_READ) <= PLACE_WRITE - PLACE_READ && !at[1].role;
    return plain && c->address == at[0].address && c->size == at[0].size ? (int32_t)i : cell_search(k, at, kind);
}

/* ---- rows ---- */

static inline known_row join(known_row a, known_row b) {
    for (unsigned t = 0; t < THREADS_MAX; t++) a[t] = a[t] > b[t] ? a[t] : b[t];
    return a;
}

/* A row that knows so many of one thread, and nothing else. */
static inline known_row row_of(unsigned thread, uint8_t events) {
    typedef uint64_t halves __attribute__((vector_size(THREADS_MAX)));
    const uint64_t lane = (uint64_t)events << thread % 8 * 8;
    return (known_row)(thread < 8 ? (halves){lane, 0} : (halves){0, lane});
}

/* What a creator knew when it created the thread; one that was there from the start knows nothing. */
static __attribute__((noinline)) known_row row_at_creation(const known_steps *k, const world *w, unsigned thread) {
    uint32_t before = w->created_at[thread];
    for (unsigned t = thread, c = w->creator[t]; c != t; t = c, c = w->creator[t]) {
        int32_t i = k->newest[c];
        while (i >= 0 && (uint32_t)i >= before) i = k->step[i].own;
        if (i >= 0) return k->step[i].knows;
        before = w->created_at[c];
    }
    return (known_row){0};
}

static inline known_row row_before(const known_steps *k, const world *w, unsigned thread) {
    const int32_t i = k->newest[thread];
    return i >= 0 ? k->step[i].knows : row_at_creation(k, w, thread);
}

/* Returns what the step knows, of a thread that knew `row` and has now made `mine`. */
static inline __attribute__((always_inline)) known_row put_step(known_steps *k, uint32_t i, unsigned thread, int32_t own, uint32_t at, bool reads,
                                                                    known_row row, known_row mine) {
    known_step *s = &k->step[i];
    const int32_t older = k->cell[at].newest;
    const known_step *o = &k->step[older];
    k->cell[at].newest = (int32_t)i;
    row = join(join(row, reads ? o->written : o->touched), mine);
    s->knows = row;
    s->written = reads ? o->written : row;
    s->touched = reads ? join(o->touched, row) : row;
    s->cell = at, s->older = older, s->own = own, s->thread = thread;
    return row;
}

bool known_steps_add(known_steps *k, const world *w, uint32_t i, unsigned thread, const step *s) {
    const int32_t at = cell_find(k, s->at, s->kind);
    if (at < 0) return false;
    put_step(k, i, thread, k->newest[thread], (uint32_t)at, s->at[0].role == PLACE_READ, row_before(k, w, thread), row_of(thread, w->events[thread]));
    k->newest[thread] = (int32_t)i;
    return true;
}

bool known_steps_pass(known_steps *k, const world *w, uint32_t first, unsigned thread) {
    known_row row = row_before(k, w, thread), mine = {0};
    uint32_t i = first;
    uint8_t events = 0;
    int32_t own = k->newest[thread];
    for (const passed_step *p = w->pass, *end = p + w->passed; p < end; p++, own = (int32_t)i++) {
        const int32_t at = cell_find(k, p->at, p->kind);
        if (at < 0) {
            k->newest[thread] = own;
            known_steps_forget(k, i, first);
            return false;
        }
        if (p->events != events) events = p->events, mine = row_of(thread, events);
        row = put_step(k, i, thread, own, (uint32_t)at, p->at[0].role == PLACE_READ, row, mine);
    }
    k->newest[thread] = own;
    return true;
}

void known_steps_forget(known_steps *k, uint32_t recorded, uint32_t keep) {
    for (uint32_t i = recorded; i-- > keep;) {
        const known_step *s = &k->step[i];
        k->cell[s->cell].newest = s->older;
        k->newest[s->thread] = s->own;
    }
}
