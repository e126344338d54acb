#include "explore/reduction/symmetry.h"

#include "explore/model/dependence.h"
#include "explore/reduction/races.h"

#include <assert.h>

static bool same_group(const nodes *n, unsigned a, unsigned b) { return n->group[a] && n->group[a] == n->group[b]; }

static bool is_marker(const step *s, thread_set marked, unsigned t) {
    return (s->flags & STEP_MARKER) && !(marked >> t & 1);
}

/* Is the step made at node e dependent with the one that t has before it now? The world has brought its role up to
 * date: a compare-and-swap that would fail now is a read. That is right, because either e wrote there, and then they
 * are dependent anyway, or memory there is what it was when t fell asleep. */
static bool disturbs(const nodes *n, const world *w, const node *e, unsigned t) {
    const step *s = &w->pending[t];
    if (places_dependent(e->at, e->kind, s->at, s->kind) != INDEPENDENT) return true;
    return n->symmetry && (e->flags & STEP_MARKER) && !(e->marked >> e->thread & 1) && same_group(n, e->thread, t) &&
           is_marker(s, e->marked, t);
}

thread_set sleep_inherited(const nodes *n, const world *w, const node *before) {
    thread_set sleep = before->sleep & ~thread_bit(before->thread), kept = 0;
    for (; sleep; sleep &= sleep - 1) {
        unsigned t = thread_lowest(sleep);
        if (!disturbs(n, w, before, t)) kept |= thread_bit(t);
    }
    assert(!(kept & ~before->sleep) && !(kept >> before->thread & 1));
    /* what would keep a thread from its step wakes it; a join that is possible goes first, and alone */
    assert(!(kept & ~w->enabled) || kind_goes_first(w->pending[thread_lowest(w->enabled)].kind));
    return kept;
}

void symmetry_apply(const nodes *n, const world *w, node *d) {
    for (thread_set rest = d->able & ~d->marked; rest; rest &= rest - 1) {
        unsigned t = thread_lowest(rest);
        if (!n->group[t] || !is_marker(&w->pending[t], d->marked, t)) continue;
        for (unsigned lower = 0; lower < t; lower++)
            if (same_group(n, lower, t) && !(d->marked >> lower & 1)) d->enabled &= ~thread_bit(t);
    }
    assert(!(d->enabled & ~d->able));
}

thread_set retry_holds(const nodes *n, const world *w) {
    const uint16_t *count = n->count[n->recorded];
    thread_set held = 0;
    for (thread_set stopped = w->live & ~w->enabled; stopped; stopped &= stopped - 1) {
        unsigned t = thread_lowest(stopped);
        if (!(w->pending[t].flags & STEP_ASSUMED) || !count[t]) continue;
        const node *last = &n->at[n->position[count[t] - 1][t]];
        assert(last->thread == t);
        for (thread_set rest = w->enabled & ~held; rest; rest &= rest - 1) {
            const step *s = &w->pending[thread_lowest(rest)];
            if (places_dependent(last->at, last->kind, s->at, s->kind) != INDEPENDENT) held |= rest & -rest;
        }
    }
    assert(!(held & ~w->enabled));
    return held;
}

static bool window_on(const world *w, unsigned t, uintptr_t a) {
    assert(w->windows[t] <= WINDOWS_MAX);
    for (unsigned i = 0; i < w->windows[t]; i++)
        if (w->window[t][i].address == a) return true;
    return false;
}

thread_set window_holds(const world *w) {
    thread_set held = 0, open = 0;
    for (thread_set rest = w->live; rest; rest &= rest - 1)
        if (w->windows[thread_lowest(rest)]) open |= rest & -rest;
    for (thread_set rest = open ? w->enabled : 0; rest; rest &= rest - 1) {
        const step *s = &w->pending[thread_lowest(rest)];
        thread_set me = rest & -rest;
        if (s->at[0].role != PLACE_WRITE || s->kind == STEP_FREE) continue;
        for (thread_set others = open & ~me; others && !(held & me); others &= others - 1)
            if (window_on(w, thread_lowest(others), s->at[0].address)) held |= me;
    }
    assert(!(held & ~w->enabled));
    return held;
}

static thread_set marked_now(const nodes *n) {
    if (!n->recorded) return 0;
    const node *last = &n->at[n->recorded - 1];
    return last->marked | (last->flags & STEP_MARKER ? thread_bit(last->thread) : 0);
}

void pending_races(nodes *n, const world *w, unsigned t) {
    const step *s = &w->pending[t];
    assert(w->live >> t & 1 && n->recorded <= n->depth);
    bool marker = n->symmetry && is_marker(s, marked_now(n), t);
    clock_row clock;
    nodes_clock(n, w, t, clock);
    races_find(n,
               &(race_query){.depth = n->recorded,
                             .thread = t,
                             .at = s->at,
                             .kind = s->kind,
                             .flags = s->flags,
                             .marker = marker,
                             .reverse = true},
               clock);
}

void symmetry_races(nodes *n, const world *w, const node *d) { held_races(n, w, d->able & ~d->enabled); }

void held_races(nodes *n, const world *w, thread_set held) {
    assert(!(held & ~w->live));
    if (!n->recorded) return;
    const node *before = &n->at[n->recorded - 1];
    for (thread_set rest = held; rest; rest &= rest - 1) {
        unsigned t = thread_lowest(rest);
        if (before->thread == t || disturbs(n, w, before, t)) pending_races(n, w, t);
    }
}
