/* Threads that wait by reading the same again and again.
 *
 * Three degrees, from trusted to proved:
 *   spinning  a thread that has gone through the same reads twice, none of which changed, without a write of its own, is
 *             disabled until one of them changes. Behaviour alone: code that counts its attempts is cut short, so the places
 *             are kept for the report, and it never makes a livelock by itself (machine.c lets such a thread go on).
 *   await     an exchange or compare-and-swap of a pure loop that fails goes back to itself: disabled while it would fail,
 *             like a lock. Learned, then the exploration begins anew.
 *   retry     a thread about to repeat a failed iteration of a pure loop stops for good; the execution without the failed
 *             iteration has the same results and later calls, so its history is at least as strong (EXPLORER-TRACES 5). */
#include "explore/inside/inside.h"

enum { PLACES_MAX = 256 };

typedef struct pcs { uintptr_t pc[PLACES_MAX]; unsigned count; } pcs;
static pcs annotated, spins, awaits;

static void pcs_add(pcs *p, uintptr_t pc) {
    for (unsigned i = 0; i < p->count; i++)
        if (p->pc[i] == pc) return;
    if (p->count < PLACES_MAX) p->pc[p->count++] = pc;
}
static bool pcs_has(const pcs *p, uintptr_t pc) {
    for (unsigned i = 0; i < p->count; i++)
        if (p->pc[i] == pc) return true;
    return false;
}

__attribute__((weak)) bool loop_is_pure(uintptr_t pc) { return (void)pc, false; }
static bool head_is_pure(uintptr_t pc) { return pcs_has(&annotated, pc) || loop_is_pure(pc); }

EXPORT void plumb_pure_loop(void) {
    if (m.mode != OUTSIDE) m.now->annotated = true;
}

static inline uint64_t memory_read(const read_seen *r) {
    uint64_t v = 0;
    memcpy(&v, (const void *)r->address, r->size);
    return v;
}

static bool reads_changed(const fiber *f) {
    for (uint32_t i = 0; i < f->reads; i++)
        if (memory_read(&f->read[i]) != f->read[i].value) return true;
    return false;
}

bool spin_ends(const fiber *f, const step *s) {
    if (s->flags & STEP_AWAIT) return s->at[0].role == PLACE_WRITE;
    return s->at[0].role == PLACE_WRITE || reads_changed(f);
}

/* A failing exchange or compare-and-swap that directly follows its own last failure. */
static void await_or_retry(fiber *f, step *s, uint32_t found) {
    pcs_add(&awaits, s->pc);
    if (s->kind != STEP_READ && found + 1 == f->reads) await_learn(s->pc);
    s->flags |= STEP_ASSUMED;
    m.assumed |= (thread_set)1 << f->number;
}

static bool await_mark(fiber *f, step *s) {
    if (s->kind == STEP_READ || s->at[0].role == PLACE_WRITE || !await_known(s->pc)) return false;
    s->flags |= STEP_AWAIT;
    f->spinning = true;
    step_waits(WAIT_READS, s->at[0].address);
    return true;
}

void spin_look(step *s, uintptr_t sp) {
    fiber *f = m.now;
    uint32_t i = 0;
    if (UNLIKELY(f->annotated)) f->annotated = false, pcs_add(&annotated, s->pc);
    if (m.options.blocking && await_mark(f, s)) return;
    for (; i < f->reads; i++) {
        const read_seen *r = &f->read[i];
        if (r->address == s->at[0].address && r->pc == s->pc && r->site == s->site && r->sp == sp) break;
    }
    if (i == f->reads) return;
    if (s->kind != STEP_READ && (s->at[0].role == PLACE_WRITE || f->read[i].expected != s->expected)) return;
    if (m.options.blocking && f->operation != OPERATION_NONE && s->kind != STEP_CAS && head_is_pure(s->pc)) {
        await_or_retry(f, s, i);
        return;
    }
    if (m.options.no_spinning || f->head > READS_MAX) return;
    if (reads_changed(f)) {
        spin_forget(f);
        return;
    }
    f->repeats = true;
    if (f->head == READS_MAX) f->head = i;
    if (i != f->head || ++f->rounds < 2) return;
    pcs_add(&spins, s->pc);
    f->spinning = true;
    step_waits(WAIT_READS, s->at[0].address);
}

void spin_saw(const step *s, uint64_t seen, uintptr_t sp) {
    fiber *f = m.now;
    if (f->repeats) return;
    if (f->reads == READS_MAX) { /* too many to watch: not taken for waiting before the next write */
        f->head = READS_MAX + 1;
        return;
    }
    f->read[f->reads++] = (read_seen){s->at[0].address, s->pc, sp, seen, s->expected, s->site, s->size};
}

unsigned machine_spins(const uintptr_t **list) { return *list = spins.pc, spins.count; }
unsigned machine_awaits(const uintptr_t **list) { return *list = awaits.pc, awaits.count; }
