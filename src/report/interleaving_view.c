#include "report/interleaving_view.h"

#include "base/mem.h"
#include "explore/outside/source_text.h"
#include "explore/outside/names.h"
#include "report/interleaving.h"
#include "report/reads_from.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_STEPS = 30 }; /* about so many are shown before the reader unfolds */

/* What is known of one piece of shared memory, by its name: a block that is used again has another. */
typedef struct shown_cell {
    const char *location, *value; /* NULL: not known */
    bool held_by[THREADS_MOST];   /* a lock */
} shown_cell;

typedef struct teller {
    const execution *x;
    debug_info *d;
    names *n;
    source_text *sources;
    told_execution *out;
    uint32_t column[THREADS_MOST];
    uint8_t *shown;
    uint32_t *row; /* of each step that has one */
    bool *told;    /* operations that ran alone: those told already */
    shown_cell *cell;
    uint32_t cells;
} teller;

/* ---- strings and rows ---- */

static const char *keep(teller *t, text *s) {
    told_execution *o = t->out;
    o->string = MEM_GROW(o->string, char *, o->strings + 1);
    return o->string[o->strings++] = s->at ? s->at : mem_string("");
}

static interleaving_step *add_row(teller *t, access_kind kind, unsigned thread) {
    told_execution *o = t->out;
    if (o->view.steps == o->room) o->step = MEM_GROW(o->step, interleaving_step, o->room = 2 * o->room + 64);
    assert(thread < THREADS_MOST && o->view.steps < o->room && t->column[thread] < THREADS_MOST);
    interleaving_step *s = &o->step[o->view.steps++];
    *s = (interleaving_step){.kind = kind, .thread = t->column[thread], .number = UINT32_MAX, FROM_NOWHERE};
    return s;
}

/* ---- operations ---- */

/* Operations are numbered in the order of their calls, as in the history. */
static uint32_t number_of(const execution *x, uint32_t op) {
    uint32_t before = 0;
    for (uint32_t o = 0; o < x->ops; o++) before += x->op[o].call_at < x->op[op].call_at;
    return before;
}

static void operation_row(teller *t, access_kind kind, uint32_t op) {
    const executed_operation *of = &t->x->op[op];
    interleaving_step *s = add_row(t, kind, of->thread);
    text words = {0};
    operation_words(of, &words);
    bool tells = kind == ACCESS_RETURN || (kind == ACCESS_ALONE && of->result[0] != 'n');
    if (kind == ACCESS_CALL) text_add(&words, " is called");
    if (tells) {
        text_char(&words, ' ');
        result_words(of->result, &words);
    }
    if (kind == ACCESS_ALONE) text_add(&words, ", while no other thread was there");
    s->words = keep(t, &words);
    s->number = number_of(t->x, op);
}

/* Operations while only one thread was there have no steps: told in the order of calls, before position `until`. */
static void rows_alone(teller *t, uint32_t until) {
    for (;;) {
        uint32_t next = UINT32_MAX;
        for (uint32_t o = 0; o < t->x->ops; o++) {
            const executed_operation *of = &t->x->op[o];
            if (of->first != NO_STEP || t->told[o] || !of->result || of->call_at >= until) continue;
            if (next == UINT32_MAX || of->call_at < t->x->op[next].call_at) next = o;
        }
        if (next == UINT32_MAX) return;
        assert(next < t->x->ops && !t->told[next]);
        t->told[next] = true;
        operation_row(t, ACCESS_ALONE, next);
    }
}

static void calls_before(teller *t, uint32_t step_number) {
    for (uint32_t o = 0; o < t->x->ops; o++) {
        if (t->x->op[o].first != step_number) continue;
        rows_alone(t, t->x->op[o].call_at);
        operation_row(t, ACCESS_CALL, o);
    }
}

static void returns_after(teller *t, uint32_t step_number) {
    for (uint32_t o = 0; o < t->x->ops; o++)
        if (t->x->op[o].last == step_number && t->x->op[o].result) operation_row(t, ACCESS_RETURN, o);
}

/* ---- memory ---- */

static shown_cell *cell_of(teller *t, const char *location) {
    for (uint32_t i = 0; i < t->cells; i++)
        if (!strcmp(t->cell[i].location, location)) return &t->cell[i];
    t->cell = MEM_GROW(t->cell, shown_cell, t->cells + 1);
    t->cell[t->cells] = (shown_cell){.location = location};
    return &t->cell[t->cells++];
}

/* What was there before the first step, unless something else was allocated there since. */
static bool initial_word(const execution *x, uintptr_t address, unsigned size, uint32_t step_number, uint64_t *out) {
    for (uint32_t b = 0; b < x->blocks; b++) {
        const heap_block *k = &x->block[b];
        if (k->from > 0 && k->from <= step_number && address >= k->address && address < k->address + k->size)
            return false;
    }
    for (uint32_t m = 0; m < x->memories; m++) {
        const memory_piece *p = &x->memory[m];
        if (address < p->address || address + size > p->address + p->size) continue;
        *out = 0;
        memcpy(out, p->bytes + (address - p->address), size);
        return true;
    }
    return false;
}

static const char *value_words(teller *t, uint64_t v, unsigned size, uint32_t step_number) {
    text words = {0};
    name_value(t->n, v, size, step_number, &words);
    return keep(t, &words);
}

static const char *location_words(teller *t, uintptr_t address, uint32_t step_number) {
    text words = {0};
    name_address(t->n, address, step_number, &words);
    return keep(t, &words);
}

typedef struct word_access {
    uintptr_t address;
    unsigned size;
    uint64_t value, expected;
} word_access;

/* Steps show what they read and what they leave. What a write overwrites is known from an earlier step, or from the
 * beginning: writes to memory that only one thread knows are no steps. */
static void change_word(teller *t, uint32_t i, const word_access *w, memory_change *out) {
    const step *s = &t->x->step[i].step;
    bool writes = s->kind != STEP_READ && !(s->flags & STEP_FAILED);
    uint64_t initial;
    out->location = location_words(t, w->address, i);
    shown_cell *c = cell_of(t, out->location);
    out->location = c->location;
    if (!writes) out->before = value_words(t, w->value, w->size, i);
    else if (s->kind == STEP_CAS) out->before = value_words(t, w->expected, w->size, i);
    else if (c->value) out->before = c->value;
    else if (initial_word(t->x, w->address, w->size, i, &initial)) out->before = value_words(t, initial, w->size, i);
    if (writes) out->after = value_words(t, w->value, w->size, i);
    /* memory is what it was where a step read another message or from the buffer of its thread, or is not newest */
    out->aside = s->flags & STEP_STALE || s->at[1].role == PLACE_ANSWERED;
    if (!out->aside) c->value = writes ? out->after : out->before;
}

static void change_memory(teller *t, uint32_t i, interleaving_step *row) {
    const step *s = &t->x->step[i].step;
    uintptr_t second = step_second_word(s);
    word_access low = {s->at[0].address, s->size < 8 ? s->size : 8, s->value, s->expected};
    word_access high = {second, 8, s->high, s->expected_high};
    change_word(t, i, &low, &row->change[0]);
    if (second) change_word(t, i, &high, &row->change[1]);
}

static const char *holders_words(teller *t, const bool held_by[THREADS_MOST]) {
    text words = {0};
    bool any = false;
    for (unsigned k = 0; k < THREADS_MOST; k++)
        if (held_by[k]) {
            text_printf(&words, "%s %u", any ? "," : "held by thread", k);
            any = true;
        }
    if (!any) text_add(&words, "free");
    return keep(t, &words);
}

static void change_lock(teller *t, uint32_t i, const place *p, memory_change *out) {
    const executed_step *s = &t->x->step[i];
    text location = {0};
    name_object(t->n, p->address, i, &location);
    shown_cell *c = cell_of(t, keep(t, &location));
    out->location = c->location;
    out->before = c->value ? c->value : s->step.kind == STEP_LOCK || s->step.kind == STEP_TRYLOCK ? "free" : NULL;
    if (s->step.flags & STEP_FAILED) return;
    bool releases = p->role == PLACE_RELEASE || p->role == PLACE_RELEASE_SHARED;
    c->held_by[s->thread] = !releases;
    out->after = c->value = holders_words(t, c->held_by);
}

static void change_free(teller *t, uint32_t i, memory_change *out) {
    out->location = cell_of(t, value_words(t, t->x->step[i].step.at[0].address, 8, i))->location;
    out->after = "freed";
}

/* ---- steps ---- */

static bool is_word_access(const step *s) {
    return s->size && (s->kind == STEP_READ || s->kind == STEP_WRITE || s->kind == STEP_UPDATE || s->kind == STEP_CAS ||
                       s->kind == STEP_FLUSH);
}

static access_kind kind_of(const step *s) {
    if (s->flags & STEP_FAILED) return ACCESS_REFUSED;
    if (s->kind == STEP_READ) return ACCESS_READ;
    if (s->kind == STEP_WRITE || s->kind == STEP_FREE || s->kind == STEP_FLUSH) return ACCESS_WRITE;
    if (s->kind == STEP_STORE) return ACCESS_LOCAL;
    return step_is_effective(s) ? ACCESS_UPDATE : ACCESS_LOCAL;
}

static void add_place(teller *t, const step *s, interleaving_step *row) {
    code_place c = t->d ? debug_info_line(t->d, s->pc) : (code_place){0};
    text line = {0};
    if (!c.file) return;
    row->file = file_name(c.file);
    row->line = c.line;
    if (source_text_line(t->sources, c.file, c.line, &line)) row->source = keep(t, &line);
    else text_free(&line);
}

static void add_source(teller *t, uint32_t i, interleaving_step *row) {
    const read_source r = read_source_of(t->x, i);
    row->from = r.from == NO_STEP || t->x->step[r.from].thread == t->x->step[i].thread ? UINT32_MAX : t->row[r.from];
    row->missed = r.missed == NO_STEP ? UINT32_MAX : t->row[r.missed];
    row->synchronises = r.synchronises;
}

static void step_row(teller *t, uint32_t i) {
    const executed_step *x = &t->x->step[i];
    const step *s = &x->step;
    bool locks = s->kind >= STEP_LOCK && s->kind <= STEP_TRYRDLOCK,
         waits = s->kind == STEP_WAIT || s->kind == STEP_WAKE;
    interleaving_step *row = add_row(t, kind_of(s), x->thread);
    text words = {0};
    step_phrase(t->x, t->n, i, &words);
    row->words = keep(t, &words);
    row->dull = !t->shown[i];
    t->row[i] = t->out->view.steps - 1;
    add_source(t, i, row);
    add_place(t, s, row);
    if (is_word_access(s)) change_memory(t, i, row);
    else if (s->kind == STEP_FREE) change_free(t, i, &row->change[0]);
    else if (locks) change_lock(t, i, &s->at[0], &row->change[0]);
    else if (waits && s->at[1].role) change_lock(t, i, &s->at[1], &row->change[0]);
}

/* A fold of one row saves nothing. */
static void unfold_single_rows(told_execution *o) {
    for (uint32_t k = 0; k < o->view.steps; k++) {
        bool before = k && o->step[k - 1].dull, after = k + 1 < o->view.steps && o->step[k + 1].dull;
        if (o->step[k].dull && !before && !after) o->step[k].dull = false;
    }
}

/* Nothing to tell: a thread begins, or waits for another's end. */
static bool step_is_silent(const step *s) { return s->kind == STEP_JOIN || s->kind == STEP_NOTHING; }

/* Threads without steps have no column. */
static void place_threads(teller *t) {
    bool used[THREADS_MOST] = {false};
    for (uint32_t i = 0; i < t->x->steps; i++)
        used[t->x->step[i].thread % THREADS_MOST] |= !step_is_silent(&t->x->step[i].step);
    for (uint32_t o = 0; o < t->x->ops; o++) used[t->x->op[o].thread % THREADS_MOST] |= t->x->op[o].first != NO_STEP;
    for (unsigned k = 0; k < THREADS_MOST; k++) {
        text name = {0};
        if (!used[k]) continue;
        text_printf(&name, "thread %u", k);
        t->column[k] = t->out->view.threads;
        t->out->thread[t->out->view.threads++] = keep(t, &name);
    }
}

void told_execution_make(told_execution *out, const execution *x, debug_info *d, const char *binary) {
    *out = (told_execution){0};
    teller t = {.x = x,
                .d = d,
                .n = names_new(d, x),
                .sources = source_text_new(binary),
                .out = out,
                .shown = mem_zero(x->steps + 1, 1),
                .row = mem_zero(x->steps + 1, sizeof(uint32_t)),
                .told = mem_zero(x->ops + 1, sizeof(bool))};
    interleaving_select(x, false, PAGE_STEPS, t.shown);
    place_threads(&t);
    for (uint32_t i = 0; i < x->steps; i++) {
        calls_before(&t, i);
        if (!step_is_silent(&x->step[i].step)) step_row(&t, i);
        returns_after(&t, i);
    }
    rows_alone(&t, UINT32_MAX);
    for (uint32_t o = 0; o < x->ops; o++) assert(t.told[o] || x->op[o].first != NO_STEP || !x->op[o].result);
    unfold_single_rows(out);
    out->view.thread = out->thread;
    out->view.step = out->step;
    names_free(t.n);
    source_text_free(t.sources);
    FREE_ALL(t.shown, t.row, t.told, t.cell);
}

void told_execution_free(told_execution *t) {
    for (uint32_t i = 0; i < t->strings; i++) free(t->string[i]);
    free(t->string);
    free(t->step);
    *t = (told_execution){0};
}
