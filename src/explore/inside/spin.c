/* Threads that wait by reading the same again and again.
 *
 * Three degrees, from trusted to proved:
 *   spinning  a thread that has gone through the same reads twice, none of which changed, without a write of its own
 *   (locks
 *             that it took it has released again), is
 *             disabled until one of them changes. Behaviour alone: code may count its attempts. So that it goes on and
 *             leaves the loop is tried, too (goes_on). A loop that was not left after millions of looks is learned to
 *             be endless, and only waits from then on; the places are kept for the report, and before it makes a
 *             livelock the thread looks on once more (scheduler.c).
 *             Of a pure loop one time is enough: the thread is as it
 *             was, and would read the same again.
 *   await     an exchange or compare-and-swap of a pure loop that fails goes back to itself: disabled while it would
 *   fail,
 *             like a lock. Learned, then the exploration begins anew; of a compare-and-swap for each value that it
 *             finds, since what it expects next may be made of that. So is a compare-and-swap whose failure only
 *             reloads: failing is the same as having loaded later.
 *   retry     a thread about to repeat a failed iteration of a pure loop stops for good; the execution without the
 *   failed
 *             iteration has the same results and later calls, so its history is at least as strong (EXPLORER-TRACES
 *             5). */
#include "explore/inside/spin.h"

#include "base/hash.h"
#include "explore/inside/handlers.h"
#include "explore/inside/hooks.h"
#include "explore/inside/limits.h"
#include "explore/inside/thread_life.h"
#include "explore/inside/time.h"

#include <time.h>

/* Real code counts up to a few hundred thousand looks. */
enum {
    PLACES_MAX = 256,
    STEP_ROUNDS = 32,
    HURRY_ACCESSES = 4000000,
    HURRY_AGAIN = 1 << 16,
    HURRY_NANOSECONDS = 200000000
};
/* With a place in the code: the loop there is not left by reading on; or it is, but late, or not in every state. */
#define ENDLESS (UINT64_C(1) << 56)
#define COUNTED (UINT64_C(1) << 57)
/* With a place, an expected value and one that was found instead: the thread came back expecting the same. */
#define CAME_BACK (UINT64_C(1) << 58)

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

static uintptr_t came_back(const step *s, uint64_t found) {
    return (hash_mix(s->pc ^ hash_mix(s->expected ^ hash_mix(found))) & (CAME_BACK - 1) >> 11) | CAME_BACK;
}

/* It failed before this, and comes back expecting the same. */
static bool swap_came_back(const fiber *f, const step *s, uint64_t *found) {
    const read_seen *r = f->spin.reads ? &f->reads.read[f->spin.reads - 1] : NULL;
    if (!r || r->pc != s->pc || r->address != s->at[0].address || r->expected != s->expected) return false;
    *found = r->value;
    return r->activation == f->calls.activation && *found != s->expected;
}

/* Where it chooses a message its role is not refreshed: what would it do to the newest? A compare-and-swap that finds
 * what it has not come back from goes on, too: it may expect something else then. */
static bool await_would_end(const fiber *f, const step *s) {
    if (!options_now()->messages) {
        if (s->at[0].role == PLACE_WRITE || s->at[0].size > 8) return s->at[0].role == PLACE_WRITE;
        return s->kind == STEP_CAS && !hook_find(s->pc)->cas_loads &&
               !await_known(came_back(s, bytes_at(s->at[0].address, s->at[0].size)));
    }
    const uint64_t now = memory_at(s->at[0].address, s->at[0].size);
    if (f->step.update == UPDATE_CAS) return now == s->expected;
    return update_result((update)f->step.update, f->step.operand, now, s->at[0].size) != now;
}

bool spin_ends(const fiber *f, const step *s) {
    if (s->flags & STEP_AWAIT) return await_would_end(f, s);
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
    if (s->flags & STEP_AWAIT && options_now()->messages) return await_would_end(f, s) ? SPIN_GOES_ON : SPIN_STAYS;
    return s->flags & STEP_AWAIT && hook_find(s->pc)->cas_loads ? SPIN_GOES_ON : SPIN_STAYS;
}

bool spin_is_endless(const step *s) { return await_known(s->pc | ENDLESS) && !await_known(s->pc | COUNTED); }

bool spin_failure_is_vain(const fiber *f, const step *s) {
    const hook_facts *h = hook_find(s->pc);
    for (uint32_t i = f->spin.arrivals; i-- > 0 && h->cas_loads;) {
        const arrival *b = &f->reads.arrived[i];
        if (b->pc == h->first && b->address == s->at[0].address && b->activation == f->calls.activation) return true;
    }
    return false;
}

void spin_start(fiber *f) {
    f->spin.spinning = f->spin.annotated = f->spin.repeats = f->spin.probes = false;
    f->spin.held = 0;
    f->spin.hurry = 0;
    spin_forget(f);
}

void spin_skips(uintptr_t pc) { pcs_add(&awaits, pc); }

/* What is known of a loop decides where steps and choices are: this execution ends here, or a failure that it still
 * shows would not be repeated with what is known then. */
_Noreturn static void learn_loop(uintptr_t what) {
    await_learn(what);
    execution_learns();
    execution_end(ENDED_LEARNED);
}

static void await_mark(fiber *f, step *s) {
    pcs_add(&awaits, s->pc);
    s->flags |= STEP_AWAIT;
    f->spin.spinning = f->spin.sure = true;
    f->spin.by_choice = false;
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
    /* where it chooses a message it is not known before; who comes again has failed before */
    bool fails = s->kind != STEP_READ && (s->at[0].role != PLACE_WRITE || options_now()->messages);
    bool pure = h->pure || pcs_has(&annotated, s->pc);
    /* it may be free now, and taken when it is its turn; what it waits for is not known where it chooses a message */
    const bool swaps = s->kind == STEP_CAS;
    if (s->kind != STEP_READ && await_known(s->pc) && !(swaps && options_now()->messages)) {
        uint64_t found;
        if (swaps && swap_came_back(f, s, &found) && !await_known(came_back(s, found))) learn_loop(came_back(s, found));
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
        if (fails && h->cas_loads && b->pc == h->first && !options_now()->messages) {
            await_mark(f, s);
            return true;
        }
        if (!pure || b->pc != a.pc || b->operand != a.operand || b->expected != a.expected) continue;
        if (s->kind != STEP_READ && !fails) continue;
        if (fails && i + 1 == f->spin.arrivals && !(swaps && options_now()->messages)) learn_loop(s->pc);
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

static void wait_for_change(fiber *f, const step *s, bool by_choice, bool sure) {
    f->spin.spinning = true;
    f->spin.by_choice = by_choice;
    f->spin.sure = sure;
    step_waits(WAIT_READS, s->at[0].address);
}

/* ---- in a hurry ---- */

static struct hurry_clock { /* of the thread that is in one */
    uint64_t looks, since, next;
    bool chosen; /* to look on rather than to wait for a change */
} hurrying PROCESS_STATE;

bool spin_hurries(const fiber *f) { return f->spin.hurry && f->spin.hurry_since == f->step.last; }

static uintptr_t loop_pc(const fiber *f) {
    INVARIANT(f->spin.head < f->spin.reads);
    return f->reads.read[f->spin.head].pc;
}

void spin_waited(const fiber *f) {
    if (reads_changed_since(f, f->spin.head)) limit_at(PLACE_LOOKED_UNTIL, loop_pc(f));
}

/* What a loop looks at and sees: one that was not left although it looked on for long need not do so again, when it is
 * met in the next execution. Fewer looks are enough to notice that it counts by what only it knows. */
static uint64_t looked_out[64] PROCESS_STATE;

static uint64_t *looked_out_at(const fiber *f, uint64_t *hash) {
    uint64_t h = loop_pc(f);
    for (uint32_t i = f->spin.head; i < f->spin.reads; i++) {
        h = (h ^ f->reads.read[i].address) * UINT64_C(0x9E3779B97F4A7C15);
        h = (h ^ f->reads.read[i].value) * UINT64_C(0x9E3779B97F4A7C15);
    }
    *hash = h | 1;
    return &looked_out[h >> 58];
}

static void hurry_begin(fiber *f) {
    uint64_t hash;
    const bool before = *looked_out_at(f, &hash) == hash;
    f->spin.hurried = true;
    f->spin.hurry = before ? HURRY_AGAIN : HURRY_ACCESSES;
    f->spin.hurry_since = f->step.last;
    hurrying.looks = 0;
    hurrying.chosen = false;
    free_steps_set(0); /* so that whatever it does is seen here */
}

void spin_looks_on(fiber *f) {
    f->spin.probes = false;
    hurry_begin(f);
}

/* Its steps have seen what others have changed since. All the rounds that it makes in a hurry came before the last of
 * these steps, at a time when all of it was as they saw it: that is what it sees until the hurry ends. */
static uint64_t hidden[READS_MAX] PROCESS_STATE; /* what is there now */
static bool past_is_shown PROCESS_STATE;

static void bytes_put(const read_seen *r, uint64_t v) {
    if (bytes_at(r->address, r->size) != v) memcpy((void *)r->address, &v, r->size);
}

static void past_show(fiber *f) {
    INVARIANT(!past_is_shown);
    past_is_shown = true;
    for (uint32_t i = f->spin.head; i < f->spin.reads; i++) {
        hidden[i] = bytes_at(f->reads.read[i].address, f->reads.read[i].size);
        bytes_put(&f->reads.read[i], f->reads.read[i].value);
    }
}

/* True: it was shown. What the thread is about to do is described anew. */
static bool past_hide(fiber *f) {
    if (!past_is_shown) return false;
    past_is_shown = false;
    for (uint32_t i = f->spin.reads; i-- > f->spin.head;) bytes_put(&f->reads.read[i], hidden[i]);
    scheduler_stale();
    if (world_now()->live >> f->number & 1 && f->step.update != UPDATE_NONE) pending_refresh_thread(f->number);
    return true;
}

/* No block of it was freed meanwhile. */
static bool past_can_be_shown(const fiber *f) {
    for (uint32_t i = f->spin.head; i < f->spin.reads; i++)
        if (address_is_heap(f->reads.read[i].address) && !heap_in_use(f->reads.read[i].address)) return false;
    return true;
}

void spin_left(fiber *f) {
    bool hurries = spin_hurries(f);
    f->spin.hurry = 0;
    if (!hurries) return;
    past_hide(f);
    const uintptr_t pc = loop_pc(f);
    if (hurrying.chosen && hurrying.looks) limit_at(PLACE_LOOKED_ON, pc);
    if ((f->spin.rounds >= STEP_ROUNDS || await_known(pc | ENDLESS)) && !await_known(pc | COUNTED))
        learn_loop(pc | COUNTED);
}

void spin_steps(fiber *f, const step *s) {
    const bool lock = s->kind >= STEP_LOCK && s->kind <= STEP_TRYRDLOCK;
    if (!lock && s->kind != STEP_YIELD && !f->step.opaque) {
        spin_left(f);
        return;
    }
    past_hide(f);
    f->spin.hurry = 0;
    f->spin.broken = true;
}

static uint64_t cpu_nanoseconds(void) {
    struct timespec t = {0};
    REAL(clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Looks of a loop that doubles its pauses take for ever, so time counts, too: that of the processor, which does not
 * hang on what else it does. */
static bool hurried_enough(fiber *f) {
    enum { EACH = 64, PART = 16 };
    INVARIANT(f->spin.hurry && f->spin.hurry <= HURRY_ACCESSES);
    f->spin.hurry--;
    if (++hurrying.looks == 1) {
        hurrying.since = cpu_nanoseconds();
        hurrying.next = 2;
    } else if (hurrying.looks == hurrying.next) {
        hurrying.next += hurrying.looks < EACH ? 1 : hurrying.looks / PART;
        if (cpu_nanoseconds() - hurrying.since > HURRY_NANOSECONDS) return true;
    }
    return !f->spin.hurry;
}

/* Reads what it has read before, without a step: no other thread has taken one since. False: this is a step. */
static bool hurry_on(fiber *f, const step *s, uint32_t i) {
    if (i == f->spin.reads) {
        spin_forget_reads(f); /* and so the hurry ends */
        return false;
    }
    time_passes(f);
    if (!hurried_enough(f)) return true;
    uint64_t hash, *slot = looked_out_at(f, &hash);
    *slot = hash;
    f->spin.hurry = 0;
    if (past_hide(f)) {
        spin_forget_reads(f);
        return false;
    }
    if (!await_known(loop_pc(f) | COUNTED) && !await_known(loop_pc(f) | ENDLESS)) learn_loop(loop_pc(f) | ENDLESS);
    wait_for_change(f, s, false, true);
    return false;
}

/* And its last step was there: it was no lock or yield. */
static bool reads_one_place(const fiber *f) {
    INVARIANT(f->spin.head < f->spin.reads);
    if (step_last()->at[0].address != f->reads.read[f->spin.head].address) return false;
    for (uint32_t i = f->spin.head + 1; i < f->spin.reads; i++)
        if (f->reads.read[i].address != f->reads.read[f->spin.head].address) return false;
    return true;
}

/* ---- at the head of a loop that may be counted ---- */

/* With or without more rounds: the thread waits for a change, and has not counted far enough yet, or it goes on until
 * it leaves the loop. */
static bool hurry_chosen(fiber *f) {
    f->spin.hurried = true;
    if (world_choose(2, CHOICE_OF_TEST)) return false;
    hurry_begin(f);
    hurrying.chosen = true;
    return true;
}

/* Where it looks at one place, all the rounds that see the same are one point in time, that of the last step. Where it
 * looks at several, or does steps of other kinds, every access is a step of its own for some rounds; then it is let
 * alone, to learn whether it ends. If so all further rounds are one choice from then on. True: it goes on in a
 * hurry. */
static bool goes_on(fiber *f, const step *s) {
    const bool counted = await_known(s->pc | COUNTED), able = !f->step.opaque && !f->spin.hurried;
    const bool endless = await_known(s->pc | ENDLESS) && !counted;
    if (endless) {
        pcs_add(&spins, s->pc);
        wait_for_change(f, s, false, f->step.opaque || f->spin.broken);
    } else if (able && (counted || reads_one_place(f))) {
        if (hurry_chosen(f)) return true;
        wait_for_change(f, s, true, false);
    } else if (f->spin.rounds >= STEP_ROUNDS && able) {
        hurry_begin(f);
        return true;
    } else if (f->spin.rounds >= STEP_ROUNDS) {
        if (!await_known(s->pc | ENDLESS)) learn_loop(s->pc | ENDLESS);
        pcs_add(&spins, s->pc);
        wait_for_change(f, s, false, true);
    }
    return false;
}

/* At the head of a loop that is counted, when something has changed since it was read in the last round: has the thread
 * left the loop with that round? */
static bool leaves_with_last_round(fiber *f, const step *s, uint32_t i) {
    if (i != f->spin.head || f->spin.hurried || f->step.opaque || !await_known(s->pc | COUNTED)) return false;
    if (!past_can_be_shown(f)) return false;
    spin_waited(f);
    if (!hurry_chosen(f)) return false;
    past_show(f);
    return true;
}

/* A handler that comes in between is no part of the proof. */
static bool is_proved(const fiber *f, const step *s, uint32_t i) {
    return !signals_are_sent() && f->reads.read[i].activation == f->calls.activation && hook_find(s->pc)->pure;
}

/* An access that it has made before, since when it has changed nothing. True: again, without a step. */
static bool look_again(fiber *f, const step *s, uint32_t i) {
    const bool proved = is_proved(f, s, i);
    if (reads_changed(f)) {
        if (!proved && leaves_with_last_round(f, s, i)) return true;
        spin_forget_reads(f);
        return false;
    }
    f->spin.repeats = true;
    if (f->spin.head == READS_MAX) f->spin.head = i;
    INVARIANT(f->spin.head < f->spin.reads);
    if (i != f->spin.head || ++f->spin.rounds < (proved ? 1 : 2)) return false;
    if (!proved) return goes_on(f, s);
    pcs_add(&awaits, s->pc);
    wait_for_change(f, s, false, true);
    return false;
}

bool spin_look(step *s, uintptr_t sp) {
    fiber *f = fiber_now();
    INVARIANT(s == &world_now()->pending[f->number]); /* the step that it has described */
    if (UNLIKELY(f->spin.hurry)) {
        if (spin_hurries(f) && f->step.opaque) return false; /* it will be a step */
        if (spin_hurries(f)) return hurry_on(f, s, find_read(f, s, sp));
        f->spin.hurry = 0;
    }
    if (UNLIKELY(f->spin.annotated)) {
        f->spin.annotated = false;
        pcs_add(&annotated, s->pc);
    }
    if (options_now()->blocking && !f->step.opaque && in_operation(f) && blocking_look(f, s)) return false;
    uint32_t i = find_read(f, s, sp);
    return i != f->spin.reads && !options_now()->no_spinning && !options_now()->messages && look_again(f, s, i);
}

unsigned machine_spins(const uintptr_t **list) {
    *list = spins.pc;
    return spins.count;
}
unsigned machine_awaits(const uintptr_t **list) {
    *list = awaits.pc;
    return awaits.count;
}
