#include "explore/inside/state.h"

#include "explore/inside/handlers.h"
#include "explore/inside/heap.h"
#include "explore/inside/reset.h"
#include "explore/inside/scheduler.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/threads.h"
#include "explore/inside/at_exit.h"

enum { STACK_CLEARED = 8192, FRAMES_CLEARED = 1024 };

void image_begin(fiber *f) { f->image = (fiber_image){.frames = f->stack + STACK_ROOM}; }

/* ---- what only the thread itself changes ---- */

/* Activations of functions are numbered; all that is ever asked is whether two are the same, and one that has returned
 * is never entered again. So each counts by its level on the call stack, or by where it is met first. */
static uint64_t activation_level(const fiber *f, uint32_t activation) {
    if (activation == f->calls.activation) return 1;
    const uint32_t depth = f->calls.depth < SITES_MAX ? f->calls.depth : SITES_MAX;
    for (uint32_t i = 0; i < depth; i++)
        if (f->sites[i].activation == activation) return 2 + i;
    return 0;
}

static uint64_t activation_met(const fiber *f, uint32_t n, uint32_t activation) {
    for (uint32_t i = 0; i < n; i++)
        if (f->reads.read[i].activation == activation) return i;
    return READS_MAX;
}

static void reads_hash(hash128 *h, const fiber *f) {
    for (uint32_t i = 0; i < f->spin.reads; i++) {
        read_seen r = f->reads.read[i];
        hash128_words(h, activation_level(f, r.activation), activation_met(f, i, r.activation));
        hash128_words(h, r.address, r.pc);
        hash128_words(h, r.sp, r.value);
        hash128_words(h, r.expected, r.held);
        hash128_words(h, r.site, r.size);
    }
    for (uint32_t i = 0; i < f->spin.arrivals; i++) {
        const arrival *a = &f->reads.arrived[i];
        hash128_words(h, activation_level(f, a->activation), activation_met(f, f->spin.reads, a->activation));
        hash128_words(h, a->pc, a->address);
        hash128_words(h, a->operand, a->expected);
        hash128_words(h, a->reads, i);
    }
}

static void own_hash(hash128 *h, const fiber *f) {
    fiber_stack_hash(h, f, (uintptr_t)f->sp);
    fiber_tls_hash(h, f);
    reads_hash(h, f);
    hash128_bytes(h, f->keys.slot, f->thread.slots * sizeof *f->keys.slot);
    hash128_bytes(h, f->keys.at_end, f->thread.at_ends * sizeof *f->keys.at_end);
}

static void image_make(void) {
    fiber *f = fiber_now();
    hash128 h = {f->number, 0};
    own_hash(&h, f);
    f->image.own = h;
    f->image.frames = (uintptr_t)f->sp + HELD_BYTES; /* behind what fiber_hold stored: the caller's frame */
}

void image_make_now(void) { fiber_hold_now(image_make); }

bool states_are_compared PROCESS_STATE;
void states_begin(const driver *d) { states_are_compared = d->compares; }

#define CLEAR_BELOW(size) \
    do { \
        char below[size]; \
        memset(below, 0, sizeof below); \
        __asm__ volatile("" ::"r"(below) : "memory"); \
    } while (0)

__attribute__((noinline)) void stack_clear(void) { CLEAR_BELOW(STACK_CLEARED); }
__attribute__((noinline)) void frames_clear(void) { CLEAR_BELOW(FRAMES_CLEARED); }

/* ---- what others may change of it ---- */

static void pending_hash(hash128 *h, const step *s) {
    enum { OF_MEMORY = STEP_FAILED | STEP_MARKER }; /* what it would do now, which memory says */
    hash128_words(h, s->kind | (uint64_t)(s->flags & ~OF_MEMORY) << 8 | (uint64_t)s->order << 16, s->pc);
    for (unsigned i = 0; i < 2; i++) hash128_words(h, s->at[i].address, s->at[i].size);
    hash128_words(h, s->expected, s->expected_high);
}

/* A thread that does not wait says anew what it waits for before it does. */
static void wait_hash(hash128 *h, const fiber *f) {
    fiber_wait w = f->wait;
    if (!thread_may_wait(f->number)) w = (fiber_wait){.timeouts = f->wait.timeouts};
    hash128_words(h, w.on, w.second);
    hash128_words(h, w.value | (uint64_t)w.timeouts << 32,
                  (uint64_t)w.kind | (uint64_t)w.signalled << 8 | (uint64_t)w.timed << 9 | (uint64_t)w.timed_out << 10);
}

static void spin_hash(hash128 *h, const fiber *f) {
    fiber_spin s = f->spin;
    if (!s.hurry) s.hurry_since = 0;
    hash128_bytes(h, &s, sizeof s);
}

static void time_hash(hash128 *h, const fiber *f) {
    fiber_time t = f->time;
    t.last = t.last == f->step.last;
    hash128_bytes(h, &t, sizeof t);
}

static void parts_hash(hash128 *h, const fiber *f) {
    hash128_words(h, f->step.operand, f->step.operand_high);
    hash128_words(h, f->step.update | (uint64_t)f->step.opaque << 8, f->calls.depth);
    wait_hash(h, f);
    spin_hash(h, f);
    hash128_words(h, (uintptr_t)f->operation.item, f->operation.state | (uint64_t)f->operation.begun << 8);
    if (f->operation.item) hash128_bytes(h, f->operation.arg, sizeof f->operation.arg);
    time_hash(h, f);
    hash128_words(h, f->faults.swaps, f->number);
}

static void thread_hash(hash128 *h, const world *w, const fiber *f) {
    hash128_words(h, f->number, f->state);
    hash128_bytes(h, &f->thread, sizeof f->thread);
    if (!(w->live >> f->number & 1)) return; /* ended, or waits for all the others without a frame of the program's */
    parts_hash(h, f);
    pending_hash(h, &w->pending[f->number]);
    hash128_words(h, f->image.own.low, f->image.own.high);
    if (f->stack_own == NOWHERE) fiber_stack_hash(h, f, f->image.frames);
    if (f->tls_own == NOWHERE) fiber_tls_hash(h, f);
}

hash128 state_now(const world *w) {
    hash128 h = {(uint64_t)w->live, w->threads};
    INVARIANT(!w->passed); /* each thread stands before a step */
    for (unsigned t = 0; t < w->threads; t++) thread_hash(&h, w, fiber_at(t));
    segments_hash(&h);
    heap_hash(&h);
    execution_state_hash(&h);
    keys_hash(&h);
    handlers_hash(&h);
    exits_hash(&h);
    return hash128_done(&h);
}
