#include "explore/inside/steps.h"

#include "explore/inside/buffers.h"
#include "explore/inside/races.h"
#include "explore/inside/spin.h"
#include "explore/inside/windows.h"

unsettled_step unsettled EXECUTION_COUNTS;

void steps_reset(void) {
    world *w = &explored_world;
    w->steps = 0;
    w->choices = 0;
    w->last = (step){.kind = STEP_NOTHING};
    w->trail = 0;
}

void step_begin(fiber *f) { f->step = (fiber_step){.last = NO_STEP}; }

/* ---- describing a step ---- */

static step *step_pending(const fiber *f) { return &explored_world.pending[f->number]; }

void step_second(uintptr_t address, uint32_t size, place_role role) {
    INVARIANT(step_pending(fiber_now())->at[1].role == PLACE_UNUSED);
    step_pending(fiber_now())->at[1] = (place){address, size, (uint8_t)role};
}

void step_waits(wait_kind wait, uintptr_t on) {
    fiber *f = fiber_now();
    INVARIANT(wait > WAIT_NONE && wait <= WAIT_BUFFER);
    f->wait.kind = (uint8_t)wait;
    f->wait.on = on;
    scheduler_waits(f->number);
    step_pending(f)->flags |= STEP_WAITS;
}

void step_refreshes(update u, uint64_t operand, uint64_t operand_high) {
    fiber *f = fiber_now();
    INVARIANT(u > UPDATE_NONE && u <= UPDATE_UNKNOWN);
    step_update_set(f, u, operand, operand_high);
    scheduler_refreshes(f->number);
    pending_refresh(f, step_pending(f));
}

void step_is_opaque(bool opaque) { fiber_now()->step.opaque = opaque; }

void step_last_fails(void) {
    step *s = step_last();
    INVARIANT(fiber_now()->step.last == explored_world.steps - 1);
    s->flags = (uint8_t)((s->flags | STEP_FAILED) & ~STEP_MARKER);
    s->at[0].role = PLACE_READ;
}

void step_last_releases(uintptr_t address) {
    const fiber *f = fiber_now();
    step *s = step_last();
    if (f->step.last != NO_STEP && f->step.last == explored_world.steps - 1 && s->at[1].role == PLACE_UNUSED)
        s->at[1] = (place){address, 1, PLACE_RELEASE};
}

/* ---- what a pending step would do ---- */

/* An update that would leave memory as it is, is a read: it commutes with other reads (EXPLORER-TRACES, lever C2). */
void pending_refresh_any(const fiber *f, step *s) {
    const uint8_t how = f->step.update;
    uintptr_t a = s->at[0].address;
    uint32_t size = s->at[0].size;
    INVARIANT(how != UPDATE_NONE && s->at[0].size <= 16);
    uint64_t now = memory_at(a, size), high = size == 16 ? memory_at(a + 8, 8) : 0;
    bool fails = how == UPDATE_CAS && (now != s->expected || high != s->expected_high);
    bool known = how != UPDATE_UNKNOWN && (size <= 8 || how == UPDATE_SET || how == UPDATE_CAS);
    bool same = known && update_result((update)how, f->step.operand, now, size) == now &&
                (size <= 8 || f->step.operand_high == high);
    s->flags = (uint8_t)(s->flags & ~(STEP_FAILED | STEP_MARKER));
    if (fails) s->flags |= STEP_FAILED;
    s->at[0].role = fails || same ? PLACE_READ : PLACE_WRITE;
    if (!fails && !same && s->kind != STEP_WRITE) s->flags |= STEP_MARKER;
    s->value = now;
    s->high = high;
}

void pending_refresh_thread(unsigned thread) {
    if (is_buffer(thread)) {
        buffer_refresh(thread);
        return;
    }
    INVARIANT(thread < explored_world.threads && explored_world.live >> thread & 1);
    pending_refresh(fiber_at(thread), &explored_world.pending[thread]);
}

/* ---- the last step ---- */

void last_settle(void) {
    step *s = step_last();
    INVARIANT(unsettled.pending && s->at[0].size <= 8);
    /* it is its own, or of a thread that has just created it */
    INVARIANT(fiber_now()->step.last == explored_world.steps - 1 || fiber_now()->eager);
    unsettled.pending = false;
    s->value = memory_at(s->at[0].address, s->at[0].size);
    if (UNLIKELY(unsettled.races)) races_report();
    if (windows_open()) windows_wrote(s->at[0].address, s->at[0].size, unsettled.old, s->value);
    if (s->kind != STEP_UPDATE) return;
    bool same = s->value == unsettled.old;
    s->at[0].role = same ? PLACE_READ : PLACE_WRITE;
    if (!same) {
        spin_forget(fiber_now());
        return;
    }
    s->flags = (uint8_t)(s->flags & ~STEP_MARKER);
    spin_saw(s, s->value, unsettled.sp);
}

void step_commit(fiber *f) {
    world *w = &explored_world;
    const unsigned t = f->number;
    _Static_assert(sizeof(step) % 8 == 0, "whole words");
    INVARIANT(w->live >> t & 1 && w->pending[t].kind < STEP_KINDS && !step_is_unsettled());
    INVARIANT(!(w->pending[t].flags & STEP_ASSUMED)); /* such a thread has stopped for good */
    words_copy(&w->last, &w->pending[t], sizeof(step) / 8);
    INVARIANT(!memcmp(&w->last, &w->pending[t], sizeof w->last)); /* executed as announced */
    if (w->windows[t]) windows_meet(f, &w->last);
    f->step.last = w->steps++;
    f->shared.quiet = 0;
    spin_stops(f);
    if (f->spin.called) record_visible(f);
}
