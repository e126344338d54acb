#include "report/reads_from.h"

#include "explore/model/memory_model.h"

static bool overlap(const place *p, const place *q) {
    return p->size && q->size && p->address < q->address + q->size && q->address < p->address + p->size;
}

static bool is_access(const step *s) {
    return s->kind == STEP_READ || s->kind == STEP_WRITE || s->kind == STEP_UPDATE || s->kind == STEP_CAS;
}

/* ---- execution graphs: the machine has said it ---- */

static read_source source_in_graph(const execution *x, uint32_t i) {
    const executed_step *s = &x->step[i];
    read_source r = {.from = s->from, .missed = s->missed};
    r.synchronises = r.from != NO_STEP && r.from < x->steps && order_releases(x->step[r.from].step.order) &&
                     order_acquires(s->step.order);
    return r;
}

/* ---- x86-TSO ---- */

/* Has the store that was made at `store` reached memory before step i? Stores are numbered by their second place. */
static bool is_in_memory(const execution *x, uint32_t store, uint32_t i) {
    for (uint32_t k = store + 1; k < i; k++)
        if (x->step[k].step.kind == STEP_FLUSH && x->step[k].thread == x->step[store].thread &&
            x->step[k].step.at[1].address >= x->step[store].step.at[1].address)
            return true;
    return false;
}

static bool writes_memory(const step *s) { return s->kind == STEP_FLUSH || (is_access(s) && step_is_effective(s)); }

static read_source source_by_buffers(const execution *x, uint32_t i) {
    const executed_step *s = &x->step[i];
    read_source r = {.from = NO_STEP, .missed = NO_STEP};
    for (uint32_t k = i; k-- > 0;) {
        const executed_step *w = &x->step[k];
        if (!overlap(&w->step.at[0], &s->step.at[0])) continue;
        const bool buffered = w->step.kind == STEP_STORE && !is_in_memory(x, k, i);
        if (buffered && w->thread == s->thread) return (read_source){.from = k, .missed = NO_STEP, .own = true};
        if (buffered && r.missed == NO_STEP) r.missed = k;
        if (r.from == NO_STEP && writes_memory(&w->step)) r.from = k;
    }
    return r;
}

/* ---- either ---- */

/* A lock is taken from the thread that left it last. */
static read_source source_of_lock(const execution *x, uint32_t i) {
    for (uint32_t k = i; k-- > 0;)
        if (x->step[k].step.kind == STEP_UNLOCK && x->step[k].step.at[0].address == x->step[i].step.at[0].address)
            return (read_source){.from = k, .missed = NO_STEP, .synchronises = true};
    return (read_source){.from = NO_STEP, .missed = NO_STEP};
}

read_source read_source_of(const execution *x, uint32_t i) {
    const step *s = &x->step[i].step;
    const read_source none = {.from = NO_STEP, .missed = NO_STEP};
    if (x->model == EXECUTION_INTERLEAVED) return none;
    if (s->kind == STEP_LOCK) return source_of_lock(x, i);
    if (!is_access(s) || s->kind == STEP_WRITE) return none;
    return x->model == EXECUTION_GRAPH ? source_in_graph(x, i) : source_by_buffers(x, i);
}
