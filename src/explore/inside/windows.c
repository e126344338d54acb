/* Confirmed reads: a thread in an iteration of a pure loop has read a value that it will compare with what is there
 * later, and if that is another the iteration fails. Until then it has a *window* open on that place, and a strategy
 * need not let others write there: docs/EXPLORER.md has the proof. It needs that
 *   - no value comes back to such a place: a thread would find what it has read though it changed meanwhile (ABA);
 *   - nothing is freed: an iteration that is bound to fail could touch freed memory on its way;
 *   - no thread changes the variables that the addresses of loads were computed from.
 * All of it is watched in every execution. Where it does not hold that is learned, as shared memory is, and all begins
 * anew without windows. */
#include "explore/inside/windows.h"
#include "explore/inside/progress.h"
#include "explore/inside/pure.h"
#include "explore/inside/shared.h"
#include "explore/inside/snapshot.h"

enum { CHANGES_MAX = 4096, BUCKETS = 64, FACTS = 256, FORBIDDEN = 1 /* learned as a loop at this address */ };

/* All values that places have had in this execution. */
typedef struct change {
    uintptr_t address;
    uint64_t old, new;
    uint32_t older;
} change;
bool windows_are_open PROCESS_STATE;
static change changes[CHANGES_MAX] COPIED_STATE;
static uint32_t change_count COPIED_STATE, newest[BUCKETS] COPIED_STATE; /* +1 */

static inline uint32_t bucket_of(uintptr_t a) { return (uint32_t)((a * UINT64_C(0x9E3779B97F4A7C15)) >> 58); }

void windows_begin(void) {
    static int facts PROCESS_DATA = -1;
    if (facts < 0) facts = loops_have_confirmed();
    windows_are_open = facts && options_now()->blocking && !options_now()->messages && !options_now()->buffers &&
                       !progress_wanted() && !await_known(FORBIDDEN);
}

/* Changes are taken back in the opposite order: what was there at a snapshot still is. */
static void changes_cut(uint32_t n) {
    INVARIANT(n <= change_count && change_count <= CHANGES_MAX);
    for (; change_count > n; change_count--)
        newest[bucket_of(changes[change_count - 1].address)] = changes[change_count - 1].older;
}

void windows_reset(void) {
    memset(explored_world.windows, 0, sizeof explored_world.windows);
    changes_cut(0);
}

void windows_copy(tape *t) {
    uint32_t n = change_count;
    tape_copy(t, &n, sizeof n);
    if (!t->keeping) changes_cut(n);
}

void windows_forbid(void) {
    if (options_now()->blocking && !await_known(FORBIDDEN) && loops_have_confirmed()) await_learn(FORBIDDEN);
}

void windows_end(unsigned thread) { explored_world.windows[thread] = 0; }

/* ---- values that come back ---- */

static void write_unaligned(uintptr_t a, uint64_t size) {
    for (uintptr_t g = a / 8; g <= (a + size - 1) / 8; g++) {
        granule *at = granule_find(g);
        at->unaligned = true;
        if (at->confirmed) windows_forbid();
    }
}

void windows_wrote(uintptr_t a, uint64_t size, uint64_t old, uint64_t new) {
    uint32_t *head = &newest[bucket_of(a)];
    if (size != 8 || a % 8) {
        write_unaligned(a, size);
        return;
    }
    if (old == new) return;
    INVARIANT(*head <= change_count && (!*head || bucket_of(changes[*head - 1].address) == bucket_of(a)));
    for (uint32_t i = *head; i; i = changes[i - 1].older)
        if (changes[i - 1].address == a && (changes[i - 1].old == new || changes[i - 1].new == new) &&
            granule_find(a / 8)->confirmed)
            windows_forbid();
    if (change_count == CHANGES_MAX) {
        windows_forbid();
        return;
    }
    changes[change_count] = (change){a, old, new, *head};
    *head = ++change_count;
}

/* ---- which are open ---- */

static bool relies_on_nothing_shared(uintptr_t load) {
    uintptr_t variable;
    for (unsigned i = 0; loop_relies(load, i, &variable); i++)
        if (granule_is_shared(variable / 8)) return false;
    return true;
}

/* What is known of a load and a hook behind it, asked for once, and again when more memory is known to be shared. */
typedef struct confirming_fact {
    uintptr_t load, hook, head;
    uint32_t known;
    bool when[2];
} confirming_fact;
static const confirming_fact *fact_find(uintptr_t load, uintptr_t hook) {
    static confirming_fact cache[FACTS] PROCESS_STATE;
    confirming_fact *c = &cache[((load + 31 * hook) * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
    if (UNLIKELY(c->load != load || c->hook != hook || c->known != shared_known())) {
        unsigned when = relies_on_nothing_shared(load) ? loop_confirms(load, hook) : 0;
        *c = (confirming_fact){load, hook, loop_head(load), shared_known(), {when & 1, when & 2}};
    }
    return c;
}

static bool stays_open(const window *o, uintptr_t hook) { return fact_find(o->pc, hook)->when[o->value != 0]; }

/* A value that comes back does harm even if it did before this place was known to be one of a confirmed load. */
static void note_confirmed(const step *s) {
    granule *g = granule_find(s->at[0].address / 8);
    if (g->confirmed) return;
    g->confirmed = true;
    if (g->unaligned) windows_forbid();
    for (uint32_t i = change_count; i-- > 0;)
        for (uint32_t k = changes[i].older; k && changes[i].address == s->at[0].address; k = changes[k - 1].older)
            if (changes[k - 1].address == changes[i].address &&
                (changes[k - 1].old == changes[i].new || changes[k - 1].new == changes[i].new))
                windows_forbid();
}

void windows_update(fiber *f) {
    world *w = &explored_world;
    unsigned t = f->number, n = 0;
    window *o = w->window[t];
    const step *last = &w->last;
    uintptr_t hook = w->pending[t].pc;
    bool mine = w->steps && f->step.last == w->steps - 1;
    for (unsigned i = 0; i < w->windows[t]; i++)
        if (!(mine && last->at[0].address == o[i].address) && stays_open(&o[i], hook)) o[n++] = o[i];
    uintptr_t head = mine && last->kind == STEP_READ && last->size == 8 ? fact_find(last->pc, hook)->head : 0;
    if (head) {
        window new = {last->at[0].address, last->pc, last->value};
        note_confirmed(last);
        if (n < WINDOWS_MAX && stays_open(&new, hook)) {
            spin_skips(head);
            o[n++] = new;
        }
    }
    INVARIANT(n <= WINDOWS_MAX);
    w->windows[t] = (uint8_t)n;
}

void windows_meet(const fiber *f, step *s) {
    const window *o = explored_world.window[f->number];
    INVARIANT(explored_world.windows[f->number] <= WINDOWS_MAX);
    for (unsigned i = 0; i < explored_world.windows[f->number]; i++)
        if (s->at[0].role == PLACE_READ && s->at[0].address == o[i].address) s->flags |= STEP_INSIDE;
}
