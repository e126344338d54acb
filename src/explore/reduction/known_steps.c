#include "explore/reduction/known_steps.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
    assert(!k->nothing->cell);
}

/* ---- places ---- */

static inline touched_cell *cell_home(const known_steps *k, uintptr_t address) {
    return &k->cell[(uint64_t)(address / 8) * 0x9e3779b97f4a7c15u >> (64 - CELL_BITS)];
}

/* The end of a thread matters to its join only, which names the thread. */
static bool is_end_of_thread(const place *p, uint8_t kind) { return p->role == PLACE_RELEASE && kind <= STEP_CAS; }

/* Not the one that it should be at once. NULL: places overlap, or something else is the matter, such as
 * a join that was passed: whose end it waited for is not known any more. */
static __attribute__((noinline)) touched_cell *cell_search(known_steps *k, const place at[2], uint8_t kind) {
    const place *p = &at[0];
    if (kind == STEP_JOIN || (at[1].role && !is_end_of_thread(&at[1], kind))) return NULL;
    if (!p->role) { /* a cell that no two steps have in common */
        k->cell[CELLS].newest = -1;
        return &k->cell[CELLS];
    }
    if (p->role > PLACE_WRITE || !p->size || p->address % 8 + p->size > 8) return NULL;
    touched_cell *c = cell_home(k, p->address);
    for (; c->size; c = c == &k->cell[CELLS - 1] ? k->cell : c + 1)
        if (c->address / 8 == p->address / 8) return c->address == p->address && c->size == p->size ? c : NULL;
    if (k->cells == CELLS_MOST) return NULL;
    k->cells++;
    assert(k->cells <= CELLS_MOST && !c->size);
    *c = (touched_cell){.address = p->address, .size = p->size, .newest = -1};
    return c;
}

static inline touched_cell *cell_find(known_steps *k, const place at[2], uint8_t kind) {
    touched_cell *c = cell_home(k, at[0].address);
    const bool plain = (uint8_t)(at[0].role - PLACE_READ) <= PLACE_WRITE - PLACE_READ &&
                       (!at[1].role || is_end_of_thread(&at[1], kind));
    return plain && c->address == at[0].address && c->size == at[0].size ? c : cell_search(k, at, kind);
}

/* ---- rows ---- */

static inline known_row join(known_row a, known_row b) {
#if defined __SSE2__ && !defined PLUMB_MANY_THREADS
    return (known_row)_mm_max_epu8((__m128i)a, (__m128i)b);
#else
    for (unsigned t = 0; t < THREADS_MAX; t++) a[t] = a[t] > b[t] ? a[t] : b[t];
    return a;
#endif
}

/* A row that knows so many of one thread, and nothing else. */
static inline known_row row_of(unsigned thread, uint8_t events) {
#ifdef PLUMB_MANY_THREADS
    known_row row = {0};
    row[thread] = events;
    return row;
#else
    typedef uint64_t halves __attribute__((vector_size(THREADS_MAX)));
    const uint64_t lane = (uint64_t)events << thread % 8 * 8;
    return (known_row)(thread < 8 ? (halves){lane, 0} : (halves){0, lane});
#endif
}

#ifdef PLUMB_SELF_CHECKS
static bool row_covers(known_row more, known_row less) {
    for (unsigned t = 0; t < THREADS_MAX; t++)
        if (less[t] > more[t]) return false;
    return true;
}

/* Step i knows what its thread knew, what the place handed on, and of no thread more than there is. */
static void check_step(const known_steps *k, const world *w, uint32_t i, unsigned thread, known_row before) {
    const known_step *s = &k->step[i];
    assert(row_covers(s->knows, before));
    assert(s->own < 0 || row_covers(s->knows, k->step[s->own].knows));
    for (unsigned t = 0; t < THREADS_MAX; t++) assert(s->knows[t] <= w->events[t]);
    if (s->cell == &k->cell[CELLS]) return;
    assert(row_covers(s->touched, s->written) && row_covers(s->touched, s->knows));
    assert(row_covers(s->knows, s->written));
    assert(s->older < 0 || row_covers(s->knows, k->step[s->older].written));
    assert(s->older < 0 || row_covers(s->touched, k->step[s->older].touched));
    (void)thread;
}
#else
static void check_step(const known_steps *k, const world *w, uint32_t i, unsigned thread, known_row before) {
    (void)k, (void)w, (void)i, (void)thread, (void)before;
}
#endif

/* What a creator knew when it created the thread; one that was there from the start knows nothing. */
static __attribute__((noinline)) known_row row_at_creation(const known_steps *k, const world *w, unsigned thread) {
    uint32_t before = w->created_at[thread];
    for (unsigned t = thread, c = w->creator[t]; c != t; t = c, c = w->creator[t]) {
        int32_t i = k->newest[c];
        assert(c < t); /* threads are numbered as they are created */
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

/* Returns what the step knows, of a thread that knew `row` before it. */
static inline __attribute__((always_inline)) known_row put_step(known_step *all, int32_t i, int32_t own,
                                                                touched_cell *at, bool reads, known_row row) {
    known_step *s = all + i;
    const known_step *o = all + at->newest;
    assert(at->newest >= -1 && at->newest < i && own >= -1 && own < i);
    s->cell = at;
    s->older = at->newest;
    s->own = own;
    at->newest = i;
    if (reads) {
        row = join(row, o->written);
        s->written = o->written;
        s->touched = join(o->touched, row);
    } else {
        row = join(row, o->touched);
        s->written = s->touched = row;
    }
    return s->knows = row;
}

/* Knows all that the other thread knew at its end. No other step touches the place that says so. */
static __attribute__((noinline)) void add_join(known_steps *k, const world *w, uint32_t i, unsigned thread,
                                               unsigned joined) {
    assert(joined != thread && joined < w->threads && i < k->room);
    known_row row = join(row_before(k, w, thread), row_of(thread, w->events[thread]));
    k->step[i] = (known_step){.knows = join(row, row_before(k, w, joined)),
                              .cell = &k->cell[CELLS],
                              .joined = (int32_t)joined,
                              .own = k->newest[thread]};
    assert(k->newest[thread] < (int32_t)i);
    k->newest[thread] = (int32_t)i;
    check_step(k, w, i, thread, row);
}

bool known_steps_add(known_steps *k, const world *w, uint32_t i, unsigned thread, const step *s) {
    if (s->kind == STEP_JOIN) {
        add_join(k, w, i, thread, (unsigned)s->value);
        return true;
    }
    touched_cell *at = cell_find(k, s->at, s->kind);
    if (!at) return false;
    assert(i < k->room && thread < world_numbers(w) && k->newest[thread] < (int32_t)i);
    const known_row row = join(row_before(k, w, thread), row_of(thread, w->events[thread]));
    put_step(k->step, (int32_t)i, k->newest[thread], at, s->at[0].role == PLACE_READ, row);
    assert(k->step[i].knows[thread] == w->events[thread]);
    k->newest[thread] = (int32_t)i;
    check_step(k, w, i, thread, row);
    return true;
}

bool known_steps_pass(known_steps *k, const world *w, uint32_t first, unsigned thread) {
    known_step *const all = k->step;
    known_row row = row_before(k, w, thread);
    int32_t i = (int32_t)first, own = k->newest[thread];
    uint8_t events = 0;
    assert(first + w->passed <= k->room && own < i);
    for (const passed_step *p = w->pass, *end = p + w->passed; p < end; p++, own = i++) {
        touched_cell *at = cell_find(k, p->at, p->kind);
        if (!at) {
            while (i-- > (int32_t)first) all[i].cell->newest = all[i].older;
            return false;
        }
        if (p->events != events) row = join(row, row_of(thread, events = p->events));
        row = put_step(all, i, own, at, p->at[0].role == PLACE_READ, row);
        assert(row[thread] == p->events);
    }
    assert(own + 1 == i && i == (int32_t)(first + w->passed));
    k->newest[thread] = own;
    return true;
}

void known_steps_forget(known_steps *k, const uint8_t *thread, uint32_t recorded, uint32_t keep) {
    for (uint32_t i = recorded; i-- > keep;) {
        const known_step *s = &k->step[i];
        assert(k->newest[thread[i]] == (int32_t)i);
        assert(s->cell == &k->cell[CELLS] || s->cell->newest == (int32_t)i);
        assert(s->own < 0 || thread[s->own] == thread[i]);
        s->cell->newest = s->older;
        k->newest[thread[i]] = s->own;
    }
}
