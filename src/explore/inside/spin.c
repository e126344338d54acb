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
#include "explore/inside/spin.h"
#include "explore/inside/hooks.h"
#include "explore/inside/thread_life.h"
#include "explore/inside/time.h"

#include <time.h>

enum { PLACES_MAX = 256, STEP_ROUNDS = 32, HURRY_ACCESSES = 2048, HURRY_CLOCK = 16, HURRY_NANOSECONDS = 5000000 };
#define ENDLESS (UINT64_C(1) << 56) /* with a place in the code: the loop there is not left by reading on */

typedef struct pcs {
    uintptr_t pc[PLACES_MAX];
    unsigned count;
} pcs;
static pcs annotated PROCESS_STATE, spins PROCESS_STATE, awaits PROCESS_STATE;

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
typedef struct hook_facts {
    uintptr_t pc, first;
    bool pure, cas_loads;
} hook_facts;
static const hook_facts *hook_find(uintptr_t pc) {
    static hook_facts cache[256] PROCESS_STATE;
    hook_facts *h = &cache[(pc * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
    if (h->pc != pc) {
        *h = (hook_facts){.pc = pc, .pure = loop_is_pure(pc)};
        h->cas_loads = loop_cas_loads(pc, &h->first);
    }
    return h;
}

EXPORT void plumb_pure_loop(void) {
    if (mode_now() != OUTSIDE) fiber_now()->spin.annotated = true;
}

static bool reads_changed_since(const fiber *f, uint32_t first) {
    for (uint32_t i = first; i < f->spin.reads; i++)
        if (bytes_at(f->reads.read[i].address, f->reads.read[i].size) != f->reads.read[i].value) return true;
    return false;
}
static bool reads_changed(const fiber *f) { return reads_changed_since(f, f->spin.start); }

bool spin_ends(const fiber *f, const step *s) {
    if (s->flags & STEP_AWAIT) return s->at[0].role == PLACE_WRITE;
    return s->at[0].role == PLACE_WRITE || reads_changed(f);
}

/* A thread stopped in a pure loop is as it was when it last came there: it stays when all that it has read since then
 * is as it was, too. */
spin_prospect spin_foresee(const fiber *f, const step *s) {
    if (s->flags & STEP_ASSUMED) {
        if (f->spin.loop >= f->spin.reads) return SPIN_UNKNOWN;
        return reads_changed_since(f, f->spin.loop) ? SPIN_GOES_ON : SPIN_STAYS;
    }
    /* neither: waits for one of the others */
    return s->flags & STEP_AWAIT && hook_find(s->pc)->cas_loads ? SPIN_GOES_ON : SPIN_STAYS;
}

bool spin_failure_is_vain(const fiber *f, const step *s) {
    const hook_facts *h = hook_find(s->pc);
    for (uint32_t i = f->spin.arrivals; i-- > 0 && h->cas_loads;) {
        const arrival *b = &f->reads.arrived[i];
        if (b->pc == h->first && b->address == s->at[0].address && b->activation == f->calls.activation) return true;
    }
    return false;
}

void spin_start(fiber *f) {
    f->spin.spinning = f->spin.annotated = f->spin.repeats = false;
    f->spin.held = 0;
    spin_forget(f);
}

void spin_skips(uintptr_t pc) { pcs_add(&awaits, pc); }

static void await_mark(fiber *f, step *s) {
    pcs_add(&awaits, s->pc);
    s->flags |= STEP_AWAIT;
    f->spin.spinning = true;
    step_waits(WAIT_READS, s->at[0].address);
}

/* In the loop that it came to with that arrival. An iteration that failed without a reason is one that need not have
 * been: the execution without it is another one. */
static void assume(fiber *f, step *s, uint32_t arrived) {
    INVARIANT(arrived < f->spin.arrivals);
    if (f->spin.faked) execution_end(ENDED_ASSUMED);
    pcs_add(&awaits, s->pc);
    f->spin.loop = arrived < f->spin.unknown ? READS_MAX : f->reads.arrived[arrived].reads;
    s->flags |= STEP_ASSUMED;
    scheduler_assumes(f->number);
}

static bool in_operation(const fiber *f) { return f->operation.state != OPERATION_NONE || threads_use_main(); }

static void arrive(fiber *f, const arrival *a) {
    INVARIANT(f->spin.arrivals <= ARRIVALS_MAX);
    if (f->spin.arrivals < ARRIVALS_MAX) f->reads.arrived[f->spin.arrivals++] = *a;
}

/* The hook that a loop was proved at may be one that is no step. Who comes there again will do the same step again. */
void spin_pass(uintptr_t address, uintptr_t pc) {
    fiber *f = fiber_now();
    const arrival a = {pc, address, 0, 0, f->calls.activation, f->spin.reads};
    if (!in_operation(f) || !hook_find(pc)->pure) return;
    for (uint32_t i = f->spin.arrivals; i-- > 0;)
        if (f->reads.arrived[i].pc == pc && f->reads.arrived[i].address == address &&
            f->reads.arrived[i].activation == a.activation) {
            f->spin.again = true;
            f->spin.loop = i;
            return;
        }
    arrive(f, &a);
}

/* Loops that are pure. Returns true when the described step is dealt with. */
static bool blocking_look(fiber *f, step *s) {
    const arrival a = {s->pc,       s->at[0].address,    f->step.operand * (f->step.update != UPDATE_NONE),
                       s->expected, f->calls.activation, f->spin.reads};
    const hook_facts *h = hook_find(s->pc);
    bool fails = s->kind != STEP_READ && s->at[0].role != PLACE_WRITE;
    bool pure = h->pure || pcs_has(&annotated, s->pc);
    /* it may be free now, and taken when it is its turn */
    if (s->kind != STEP_READ && await_known(s->pc)) {
        await_mark(f, s);
        return true;
    }
    bool again = f->spin.again;
    f->spin.again = false;
    if (again && (s->kind == STEP_READ || fails)) {
        assume(f, s, f->spin.loop);
        return true;
    }
    for (uint32_t i = f->spin.arrivals; i-- > 0 && (pure || h->cas_loads);) {
        const arrival *b = &f->reads.arrived[i];
        if (b->activation != a.activation || b->address != a.address) continue;
        if (fails && h->cas_loads && b->pc == h->first) {
            await_mark(f, s);
            return true;
        }
        if (!pure || b->pc != a.pc || b->operand != a.operand || b->expected != a.expected) continue;
        if (s->kind != STEP_READ && !fails) continue;
        if (fails && i + 1 == f->spin.arrivals) await_learn(s->pc);
        assume(f, s, i);
        return true;
    }
    arrive(f, &a);
    return false;
}

/* The place of the same access among the reads so far, when it would change nothing: `reads` when there is none. */
static uint32_t find_read(const fiber *f, const step *s, uintptr_t sp) {
    uint32_t i = f->spin.read_at & read_bit(s->pc) ? f->spin.start : f->spin.reads;
    INVARIANT(f->spin.reads <= READS_MAX && f->spin.head <= READS_MAX);
    for (; i < f->spin.reads; i++) {
        const read_seen *r = &f->reads.read[i];
        if (r->address == s->at[0].address && r->pc == s->pc && r->site == s->site && r->sp == sp &&
            r->held == f->spin.held)
            break;
    }
    bool changes = i < f->spin.reads && s->kind != STEP_READ &&
                   (s->at[0].role == PLACE_WRITE || f->reads.read[i].expected != s->expected);
    return changes ? f->spin.reads : i;
}

static void wait_for_change(fiber *f, const step *s) {
    f->spin.spinning = true;
    step_waits(WAIT_READS, s->at[0].address);
}

bool spin_hurries(const fiber *f) { return f->spin.hurry && f->spin.hurry_since == f->step.last; }

static uint64_t cpu_nanoseconds(void) {
    struct timespec t = {0};
    REAL(clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Looks of a loop that doubles its pauses take for ever, so time counts, too: that of the processor, which does not
 * hang on what else it does. */
static bool hurried_enough(fiber *f) {
    static uint64_t since PROCESS_STATE;
    INVARIANT(f->spin.hurry && f->spin.hurry <= HURRY_ACCESSES);
    bool look = --f->spin.hurry % HURRY_CLOCK == 0;
    if (look && f->spin.hurry == HURRY_ACCESSES - HURRY_CLOCK) since = cpu_nanoseconds();
    else if (look && cpu_nanoseconds() - since > HURRY_NANOSECONDS) return true;
    return !f->spin.hurry;
}

/* Reads what it has read before, without a step: no other thread has taken one since. False: this is another access. */
static bool hurry_on(fiber *f, const step *s, uint32_t i) {
    if (i == f->spin.reads) {
        spin_forget_reads(f);
        return false;
    }
    time_passes(f);
    if (hurried_enough(f)) {
        f->spin.hurry = 0;
        await_learn(f->reads.read[f->spin.head].pc | ENDLESS);
        wait_for_change(f, s);
        return false;
    }
    return true;
}

/* And its last step was there: it was no lock or yield. */
static bool reads_one_place(const fiber *f) {
    INVARIANT(f->spin.head < f->spin.reads);
    if (step_last()->at[0].address != f->reads.read[f->spin.head].address) return false;
    for (uint32_t i = f->spin.head + 1; i < f->spin.reads; i++)
        if (f->reads.read[i].address != f->reads.read[f->spin.head].address) return false;
    return true;
}

/* At the head of a loop that may be counted: does it go on? Where it looks at one place, all the rounds that see the
 * same are one point in time, that of the last step: with or without them is a choice. Where it looks at several, or
 * does steps of other kinds, every access stays a step of its own. */
static bool goes_on(fiber *f, const step *s, bool *hurries) {
    *hurries = false;
    if (await_known(s->pc | ENDLESS)) {
        pcs_add(&spins, s->pc);
        return false;
    }
    if (reads_one_place(f) && !f->spin.hurried && !f->step.opaque) {
        f->spin.hurried = true;
        if (world_choose(2, CHOICE_OF_TEST)) return false;
        f->spin.hurry = HURRY_ACCESSES;
        f->spin.hurry_since = f->step.last;
        return *hurries = true;
    }
    if (f->spin.rounds < STEP_ROUNDS) return true;
    await_learn(s->pc | ENDLESS);
    return false;
}

bool spin_look(step *s, uintptr_t sp) {
    fiber *f = fiber_now();
    INVARIANT(s == &world_now()->pending[f->number]); /* the step that it has described */
    if (UNLIKELY(f->spin.hurry)) {
        if (spin_hurries(f)) return hurry_on(f, s, find_read(f, s, sp));
        f->spin.hurry = 0;
    }
    if (UNLIKELY(f->spin.annotated)) {
        f->spin.annotated = false;
        pcs_add(&annotated, s->pc);
    }
    if (options_now()->blocking && !f->step.opaque && in_operation(f) && blocking_look(f, s)) return false;
    uint32_t i = find_read(f, s, sp);
    if (i == f->spin.reads || options_now()->no_spinning) return false;
    if (reads_changed(f)) {
        spin_forget_reads(f);
        return false;
    }
    f->spin.repeats = true;
    if (f->spin.head == READS_MAX) f->spin.head = i;
    INVARIANT(f->spin.head < f->spin.reads);
    bool proved = f->reads.read[i].activation == f->calls.activation && hook_find(s->pc)->pure;
    if (i != f->spin.head || ++f->spin.rounds < (proved ? 1 : 2)) return false;
    bool hurries;
    if (!proved && goes_on(f, s, &hurries)) return hurries;
    if (proved) pcs_add(&awaits, s->pc);
    wait_for_change(f, s);
    return false;
}

unsigned machine_spins(const uintptr_t **list) {
    *list = spins.pc;
    return spins.count;
}
unsigned machine_awaits(const uintptr_t **list) {
    *list = awaits.pc;
    return awaits.count;
}
