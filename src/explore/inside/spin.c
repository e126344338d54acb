/* Threads that wait by reading the same again and again.
 *
 * Three degrees, from trusted to proved:
 *   spinning  a thread that has gone through the same reads twice, none of which changed, without a write of its own
 *   (locks
 *             that it took it has released again), is
 *             disabled until one of them changes. Behaviour alone: code may count its attempts. So that it goes on and
 *             leaves the loop is tried, too (goes_on). A loop that was not left after many rounds is learned to be
 *             endless, and only waits from then on; the places are kept for the report, and it never makes a livelock
 *             by itself (machine.c lets such a thread go on). Of a pure loop one time is enough: the thread is as it
 *             was, and would read the same again.
 *   await     an exchange or compare-and-swap of a pure loop that fails goes back to itself: disabled while it would
 *   fail,
 *             like a lock. Learned, then the exploration begins anew. So is a compare-and-swap whose failure only
 *             reloads: failing is the same as having loaded later.
 *   retry     a thread about to repeat a failed iteration of a pure loop stops for good; the execution without the
 *   failed
 *             iteration has the same results and later calls, so its history is at least as strong (EXPLORER-TRACES
 *             5). */
#include "explore/inside/inside.h"

#include <time.h>

enum { PLACES_MAX = 256, STEP_ROUNDS = 32, HURRY_ACCESSES = 2048, HURRY_CLOCK = 16, HURRY_NANOSECONDS = 5000000 };
#define ENDLESS (UINT64_C(1) << 56) /* with a place in the code: the loop there is not left by reading on */

typedef struct pcs {
    uintptr_t pc[PLACES_MAX];
    unsigned count;
} pcs;
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
__attribute__((weak)) bool loop_cas_loads(uintptr_t pc, uintptr_t *first) { return (void)pc, (void)first, false; }

/* What is known of a hook, asked for once. */
typedef struct hook {
    uintptr_t pc, first;
    bool pure, cas_loads;
} hook;
static const hook *hook_find(uintptr_t pc) {
    static hook cache[256];
    hook *h = &cache[(pc * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
    if (h->pc != pc) {
        *h = (hook){.pc = pc, .pure = loop_is_pure(pc)};
        h->cas_loads = loop_cas_loads(pc, &h->first);
    }
    return h;
}

EXPORT void plumb_pure_loop(void) {
    if (m.mode != OUTSIDE) m.now->annotated = true;
}

static bool reads_changed(const fiber *f) {
    for (uint32_t i = 0; i < f->reads; i++)
        if (bytes_at(f->read[i].address, f->read[i].size) != f->read[i].value) return true;
    return false;
}

bool spin_ends(const fiber *f, const step *s) {
    if (s->flags & STEP_AWAIT) return s->at[0].role == PLACE_WRITE;
    return s->at[0].role == PLACE_WRITE || reads_changed(f);
}

bool spin_is_stuck(const fiber *f, const step *s) {
    if (s->flags & STEP_ASSUMED) return !f->partial && f->reads && !reads_changed(f);
    return !(s->flags & STEP_AWAIT) || !hook_find(s->pc)->cas_loads; /* neither: waits for one of the others */
}

void spin_skips(uintptr_t pc) { pcs_add(&awaits, pc); }

static void await_mark(fiber *f, step *s) {
    pcs_add(&awaits, s->pc);
    s->flags |= STEP_AWAIT;
    f->spinning = true;
    step_waits(WAIT_READS, s->at[0].address);
}

static void assume(fiber *f, step *s) {
    pcs_add(&awaits, s->pc);
    s->flags |= STEP_ASSUMED;
    m.assumed |= (thread_set)1 << f->number;
}

static bool in_operation(const fiber *f) { return f->operation != OPERATION_NONE || m.uses_main; }

static void arrive(fiber *f, const arrival *a) {
    if (f->arrivals < ARRIVALS_MAX) f->arrived[f->arrivals++] = *a;
}

/* The hook that a loop was proved at may be one that is no step. Who comes there again will do the same step again. */
void spin_pass(uintptr_t address, uintptr_t pc) {
    fiber *f = m.now;
    const arrival a = {pc, address, 0, 0, f->activation};
    if (!in_operation(f) || !hook_find(pc)->pure) return;
    for (uint32_t i = f->arrivals; i-- > 0;)
        if (f->arrived[i].pc == pc && f->arrived[i].address == address && f->arrived[i].activation == a.activation) {
            f->again = true;
            return;
        }
    arrive(f, &a);
}

/* Loops that are pure. Returns true when the described step is dealt with. */
static bool blocking_look(fiber *f, step *s) {
    const arrival a = {s->pc, s->at[0].address, f->operand * (f->update != UPDATE_NONE), s->expected, f->activation};
    const hook *h = hook_find(s->pc);
    bool fails = s->kind != STEP_READ && s->at[0].role != PLACE_WRITE;
    bool pure = h->pure || pcs_has(&annotated, s->pc);
    /* it may be free now, and taken when it is its turn */
    if (s->kind != STEP_READ && await_known(s->pc)) return await_mark(f, s), true;
    bool again = f->again;
    f->again = false;
    if (again && (s->kind == STEP_READ || fails)) return assume(f, s), true;
    for (uint32_t i = f->arrivals; i-- > 0 && (pure || h->cas_loads);) {
        const arrival *b = &f->arrived[i];
        if (b->activation != a.activation || b->address != a.address) continue;
        if (fails && h->cas_loads && b->pc == h->first) return await_mark(f, s), true;
        if (!pure || b->pc != a.pc || b->operand != a.operand || b->expected != a.expected) continue;
        if (s->kind != STEP_READ && !fails) continue;
        if (fails && i + 1 == f->arrivals) await_learn(s->pc);
        return assume(f, s), true;
    }
    arrive(f, &a);
    return false;
}

/* The place of the same access among the reads so far, when it would change nothing: `reads` when there is none. */
static uint32_t find_read(const fiber *f, const step *s, uintptr_t sp) {
    uint32_t i = f->read_at & read_bit(s->pc) ? 0 : f->reads;
    for (; i < f->reads; i++) {
        const read_seen *r = &f->read[i];
        if (r->address == s->at[0].address && r->pc == s->pc && r->site == s->site && r->sp == sp && r->held == f->held)
            break;
    }
    bool changes =
        i < f->reads && s->kind != STEP_READ && (s->at[0].role == PLACE_WRITE || f->read[i].expected != s->expected);
    return changes ? f->reads : i;
}

static void wait_for_change(fiber *f, const step *s) {
    f->spinning = true;
    step_waits(WAIT_READS, s->at[0].address);
}

bool spin_hurries(const fiber *f) { return f->hurry && f->hurry_since == f->last_step; }

static uint64_t cpu_nanoseconds(void) {
    struct timespec t = {0};
    REAL(clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Looks of a loop that doubles its pauses take for ever, so time counts, too: that of the processor, which does not
 * hang on what else it does. */
static bool hurried_enough(fiber *f) {
    static uint64_t since;
    bool look = --f->hurry % HURRY_CLOCK == 0;
    if (look && f->hurry == HURRY_ACCESSES - HURRY_CLOCK) since = cpu_nanoseconds();
    else if (look && cpu_nanoseconds() - since > HURRY_NANOSECONDS) return true;
    return !f->hurry;
}

/* Reads what it has read before, without a step: nobody else has done one since. False: this is another access. */
static bool hurry_on(fiber *f, const step *s, uint32_t i) {
    if (i == f->reads) {
        spin_forget_reads(f);
        return false;
    }
    f->ticks++;
    if (hurried_enough(f)) {
        f->hurry = 0;
        await_learn(f->read[f->head].pc | ENDLESS);
        wait_for_change(f, s);
        return false;
    }
    return true;
}

/* And its last step was there: it was no lock or yield. */
static bool reads_one_place(const fiber *f) {
    if (m.world.last.at[0].address != f->read[f->head].address) return false;
    for (uint32_t i = f->head + 1; i < f->reads; i++)
        if (f->read[i].address != f->read[f->head].address) return false;
    return true;
}

/* At the head of a loop that may be counted: does it go on? Where it looks at one place, all the rounds that see the
 * same are one point in time, that of the last step: with or without them is a choice. Where it looks at several, or
 * does steps of other kinds, every access stays a step of its own. */
static bool goes_on(fiber *f, const step *s, bool *hurries) {
    *hurries = false;
    if (await_known(s->pc | ENDLESS)) return pcs_add(&spins, s->pc), false;
    if (reads_one_place(f) && !f->hurried && !f->opaque) {
        f->hurried = true;
        if (world_choose(2, CHOICE_OF_TEST)) return false;
        f->hurry = HURRY_ACCESSES, f->hurry_since = f->last_step;
        return *hurries = true;
    }
    if (f->rounds < STEP_ROUNDS) return true;
    await_learn(s->pc | ENDLESS);
    return false;
}

bool spin_look(step *s, uintptr_t sp) {
    fiber *f = m.now;
    if (UNLIKELY(f->hurry)) {
        if (spin_hurries(f)) return hurry_on(f, s, find_read(f, s, sp));
        f->hurry = 0;
    }
    if (UNLIKELY(f->annotated)) f->annotated = false, pcs_add(&annotated, s->pc);
    if (m.options.blocking && !f->opaque && in_operation(f) && blocking_look(f, s)) return false;
    uint32_t i = find_read(f, s, sp);
    if (i == f->reads || m.options.no_spinning) return false;
    if (reads_changed(f)) {
        spin_forget_reads(f); /* partial from now on: what was read before may still send it round again */
        return false;
    }
    f->repeats = true;
    if (f->head == READS_MAX) f->head = i;
    bool proved = f->read[i].activation == f->activation && hook_find(s->pc)->pure;
    if (i != f->head || ++f->rounds < (proved ? 1 : 2)) return false;
    bool hurries;
    if (!proved && goes_on(f, s, &hurries)) return hurries;
    if (proved) pcs_add(&awaits, s->pc);
    wait_for_change(f, s);
    return false;
}

unsigned machine_spins(const uintptr_t **list) { return *list = spins.pc, spins.count; }
unsigned machine_awaits(const uintptr_t **list) { return *list = awaits.pc, awaits.count; }
