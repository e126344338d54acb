#include "explore/inside/buffers.h"

#include "explore/inside/check.h"
#include "explore/inside/detail.h"
#include "explore/inside/failures.h"
#include "explore/inside/limits.h"
#include "explore/inside/races.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/spin.h"
#include "explore/inside/steps.h"
#include "explore/inside/tape.h"
#include "explore/model/memory_model.h"

enum { STORES_MOST = 32, STORE_BYTES = 64, OWNERS = THREADS_MAX / 2, NUMBERS_MOST = UINT16_MAX };

/* The places of numbers: a granule each. */
#define BUFFERS_BASE (NO_MEMORY_BASE + NO_MEMORY_ROOM / 4)
#define BUFFER_PLACES (UINT64_C(8) * (NUMBERS_MOST + 1))

typedef struct buffered_store {
    uintptr_t address, pc;
    uint32_t size, site;
    uint8_t order;
    bool publishes; /* is no plain access: who reads it may get to know what its thread knew */
    uint16_t knew[THREADS_MAX];
    uint8_t bytes[STORE_BYTES];
} buffered_store;

typedef struct store_buffer {
    uint32_t issued, flushed; /* numbers: of the newest store that was made, and that has reached memory */
    uint32_t drained;         /* up to there its thread has waited */
    buffered_store store[STORES_MOST];
} store_buffer;

static store_buffer buffers[OWNERS] COPIED_STATE;
/* What lies under the stores of the thread that runs. */
static uint8_t under[STORES_MOST][STORE_BYTES] PROCESS_STATE;
static struct over_memory {
    uint8_t owner;     /* +1; 0: none */
    uint8_t unsettled; /* so many of the newest the program has not made yet, as far as is known */
} over EXECUTION_COUNTS;

static store_buffer *buffer_of(unsigned owner) {
    INVARIANT(owner < OWNERS);
    return &buffers[owner];
}
static buffered_store *store_at(store_buffer *b, uint32_t number) { return &b->store[number % STORES_MOST]; }
static uint8_t *under_store(uint32_t number) { return under[number % STORES_MOST]; }

static place place_of(unsigned owner, uint32_t number, place_role role) {
    return (place){BUFFERS_BASE + owner * BUFFER_PLACES + UINT64_C(8) * number, 8, (uint8_t)role};
}

void buffers_reset(void) {
    for (unsigned t = 0; t < OWNERS; t++) buffers[t].issued = buffers[t].flushed = buffers[t].drained = 0;
}

static void buffer_copy(tape *t, store_buffer *b) {
    tape_copy(t, &b->issued, offsetof(store_buffer, store));
    for (uint32_t i = b->flushed + 1; i <= b->issued; i++) tape_copy(t, store_at(b, i), sizeof(buffered_store));
}

void buffers_copy(tape *t) {
    world *w = &explored_world;
    const unsigned n = w->threads;
    for (unsigned i = 0; i < n; i++) buffer_copy(t, &buffers[i]);
    tape_copy(t, &w->pending[THREADS_MAX - n], n * sizeof *w->pending);
}

void buffers_create(unsigned owner) {
    world *w = &explored_world;
    const unsigned t = buffer_thread(owner);
    INVARIANT(owner < OWNERS && buffer_is_empty(owner));
    w->creator[t] = (uint8_t)owner;
    w->created_at[t] = w->created_at[owner];
    w->group[t] = 0;
}

bool buffer_is_at(unsigned owner, uintptr_t number) { return buffer_of(owner)->flushed >= number; }
bool buffer_is_empty(unsigned owner) { return buffer_of(owner)->flushed == buffer_of(owner)->issued; }

/* ---- over memory ---- */

void buffer_settle(void) {
    if (!over.unsettled) return;
    store_buffer *b = buffer_of(fiber_now()->number);
    INVARIANT(over.owner == fiber_now()->number + 1 && b->issued - b->flushed >= over.unsettled);
    for (; over.unsettled; over.unsettled--) {
        buffered_store *s = store_at(b, b->issued + 1 - over.unsettled);
        memcpy(s->bytes, (const void *)s->address, s->size);
    }
}

void buffers_aside(void) {
    if (!over.owner) return;
    buffer_settle();
    store_buffer *b = buffer_of(over.owner - 1u);
    for (uint32_t i = b->issued; i > b->flushed; i--)
        memcpy((void *)store_at(b, i)->address, under_store(i), store_at(b, i)->size);
    over.owner = 0;
}

static void lay_over(const buffered_store *s, uint32_t number) {
    memcpy(under_store(number), (const void *)s->address, s->size);
    memcpy((void *)s->address, s->bytes, s->size);
}

void buffers_over(const fiber *f) {
    INVARIANT(!over.owner);
    store_buffer *b = buffer_of(f->number);
    for (uint32_t i = b->flushed + 1; i <= b->issued; i++) lay_over(store_at(b, i), i);
    over.owner = (uint8_t)(f->number + 1);
}

/* ---- its steps ---- */

void buffer_refresh(unsigned thread) {
    const store_buffer *b = buffer_of(buffer_owner(thread));
    const buffered_store *s = &b->store[(b->flushed + 1) % STORES_MOST];
    INVARIANT(!over.owner && b->flushed < b->issued);
    step *pending = &explored_world.pending[thread];
    memcpy(&pending->value, s->bytes, s->size < 8 ? s->size : 8);
    /* a store that leaves memory as it is commutes with reads */
    pending->at[0].role = memcmp(s->bytes, (const void *)s->address, s->size) ? PLACE_WRITE : PLACE_READ;
}

static void buffer_pends(unsigned owner) {
    world *w = &explored_world;
    store_buffer *b = buffer_of(owner);
    const unsigned t = buffer_thread(owner);
    const thread_set me = thread_bit(t);
    if (b->flushed == b->issued) {
        w->live &= ~me;
        scheduler.refreshed &= ~me;
        return;
    }
    const buffered_store *s = store_at(b, b->flushed + 1);
    w->live |= me;
    scheduler.refreshed |= me;
    w->pending[t] = (step){.kind = STEP_FLUSH,
                           .size = (uint8_t)(s->size <= 8 ? s->size : 0),
                           .order = s->order,
                           .at = {{s->address, s->size, PLACE_WRITE}, place_of(owner, b->flushed + 1, PLACE_FLUSH)},
                           .pc = s->pc,
                           .site = s->site};
}

/* A load that the store would have answered finds it in memory. */
static void answered_no_more(unsigned owner, uint32_t number) {
    step *s = &explored_world.pending[owner];
    const place p = place_of(owner, number, PLACE_ANSWERED);
    if (!(explored_world.live >> owner & 1) || s->at[1].role != PLACE_ANSWERED || s->at[1].address != p.address) return;
    s->at[0].role = PLACE_READ;
    s->at[1] = (place){0};
}

void buffer_flush(unsigned thread) {
    world *w = &explored_world;
    const unsigned owner = buffer_owner(thread);
    store_buffer *b = buffer_of(owner);
    const uint32_t number = b->flushed + 1;
    const buffered_store *s = store_at(b, number);
    INVARIANT(!over.owner && w->live >> thread & 1 && w->pending[thread].kind == STEP_FLUSH);
    w->last = w->pending[thread];
    w->steps++;
    memcpy((void *)s->address, s->bytes, s->size);
    if (s->publishes) races_reaches_memory(s->address, s->size, fiber_at(owner), s->knew, s->order);
    b->flushed = number;
    answered_no_more(owner, number);
    buffer_pends(owner);
    if (UNLIKELY(detail_wanted())) plumb_explore_step(w->steps - 1, owner);
}

/* ---- waiting ---- */

/* Until so many have reached memory. */
static void wait_for(uint32_t number, uintptr_t pc) {
    const fiber *f = fiber_now();
    const place p = place_of(f->number, number, PLACE_DRAIN);
    step_describe(STEP_FENCE, p.address, p.size, PLACE_DRAIN, pc);
    step_waits(WAIT_BUFFER, number);
    scheduler_goes_first(f->number);
    step_take();
}

void buffer_drain(uintptr_t pc) {
    store_buffer *b = buffer_of(fiber_now()->number);
    if (mode_now() != RECORDING || b->issued == b->drained) return;
    wait_for(b->issued, pc);
    b->drained = b->issued;
    INVARIANT(b->flushed == b->issued);
}

void buffer_before(step_kind kind, place_role role, uintptr_t pc) {
    buffer_settle();
    const bool passes = kind == STEP_READ || kind == STEP_STORE || kind == STEP_FENCE || kind == STEP_YIELD ||
                        kind == STEP_CLOCK || role == PLACE_UNUSED;
    if (!passes) buffer_drain(pc);
}

uint16_t buffer_unsynchronised(void) {
    const store_buffer *b = buffer_of(fiber_now()->number);
    return (uint16_t)(b->issued == b->drained ? 0 : b->issued);
}

/* ---- loads ---- */

/* The newest that has a byte there; 0: none. */
static uint32_t newest_at(store_buffer *b, uintptr_t a, uint64_t size) {
    uint32_t i = b->issued;
    for (; i > b->flushed; i--) {
        const buffered_store *s = store_at(b, i);
        if (s->address < a + size && a < s->address + s->size) return i;
    }
    return 0;
}

static bool covers(const buffered_store *s, uintptr_t a, uint64_t size) {
    return s->address <= a && s->address + s->size >= a + size;
}

void buffer_before_load(uintptr_t a, uint64_t size, uintptr_t pc) {
    store_buffer *b = buffer_of(fiber_now()->number);
    buffer_settle();
    const uint32_t newest = newest_at(b, a, size);
    if (newest && !covers(store_at(b, newest), a, size)) wait_for(newest, pc);
}

void buffer_answers(step *s) {
    const unsigned owner = fiber_now()->number;
    const uint32_t number = newest_at(buffer_of(owner), s->at[0].address, s->at[0].size);
    if (!number) return;
    s->at[0].role = PLACE_UNUSED;
    s->at[1] = place_of(owner, number, PLACE_ANSWERED);
}

/* ---- stores ---- */

static void make_room(store_buffer *b, uint32_t n, uintptr_t pc) {
    if (b->issued + n - b->flushed <= STORES_MOST) return;
    limits_now()->buffers_full++;
    wait_for(b->issued + n - STORES_MOST, pc);
}

static void add_store(store_buffer *b, uintptr_t a, uint32_t size, bool publishes) {
    buffered_store *s = store_at(b, ++b->issued);
    s->address = a;
    s->size = size;
    s->pc = step_last()->pc;
    s->site = step_last()->site;
    s->order = step_last()->order;
    s->publishes = publishes;
    if (publishes) races_leaves(fiber_now(), s->knew, s->order);
    memcpy(under_store(b->issued), (const void *)a, size);
    over.unsettled++;
}

/* So much at once that no buffer has it: the store goes past it. */
static void store_past(uintptr_t a, uint64_t size, uint8_t flags, uintptr_t pc) {
    limits_now()->buffers_full++;
    step_describe(STEP_WRITE, a, (uint32_t)size, PLACE_WRITE, pc)->flags |= flags;
    step_take();
}

void buffer_store(uintptr_t a, uint64_t size, uint8_t flags, unsigned order, uintptr_t pc) {
    const unsigned me = fiber_now()->number;
    store_buffer *b = buffer_of(me);
    const uint64_t n = (size + STORE_BYTES - 1) / STORE_BYTES;
    INVARIANT(size);
    buffer_settle();
    if (n > STORES_MOST) {
        store_past(a, size, flags, pc);
        return;
    }
    make_room(b, (uint32_t)n, pc);
    if (b->issued + n > NUMBERS_MOST)
        fail(FAILURE_UNMODELLED, "more than %d stores of a thread under tso", NUMBERS_MOST);
    step_describe_ordered(STEP_STORE, a, (uint32_t)size, PLACE_UNUSED, order, pc)->flags |= flags;
    step_second(place_of(me, b->issued + 1, PLACE_ISSUE).address, (uint32_t)(8 * n), PLACE_ISSUE);
    scheduler_goes_first(me);
    step_take();
    for (; size; a += STORE_BYTES) {
        const uint32_t part = size < STORE_BYTES ? (uint32_t)size : STORE_BYTES;
        add_store(b, a, part, !(flags & STEP_PLAIN));
        size -= part;
    }
    buffer_pends(me);
}
