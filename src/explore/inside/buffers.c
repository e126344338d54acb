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
    uint32_t unmade;          /* so many of the newest the program has not made yet, as far as is known */
    uint32_t loaded;          /* so many were open when that load was made */
    bool open;                /* it was seen that it had not, because a load comes first */
    bool marked;              /* what it will overwrite was changed, to see whether it has */
    buffered_store store[STORES_MOST];
} store_buffer;

static store_buffer buffers[OWNERS] COPIED_STATE;
/* What lies under the stores of the thread that runs. */
static uint8_t under[STORES_MOST][STORE_BYTES] PROCESS_STATE;
static uint8_t over EXECUTION_COUNTS; /* the thread whose stores lie over memory, +1; 0: of none */

static void buffer_pends(unsigned owner);

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
    for (unsigned t = 0; t < OWNERS; t++) memset(&buffers[t], 0, offsetof(store_buffer, store));
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

/* Without those that are open. */
static uint32_t newest_made(const store_buffer *b) { return b->issued - (b->open ? b->unmade : 0); }

bool buffer_is_at(unsigned owner, uintptr_t number) { return buffer_of(owner)->flushed >= number; }
bool buffer_is_empty(unsigned owner) { return buffer_of(owner)->flushed == buffer_of(owner)->issued; }

/* ---- what the program has stored ----
 *
 * A store has happened when its thread comes to the next hook: with one exception. Of `*a = *b` gcc calls the hook of
 * the store, then that of the load, and copies behind both. So what is about to be overwritten gets other bytes; who
 * finds these at the next hook knows that the store is still to come, and it stays open until the load was made. */

enum { MARK_BYTES = 8 };

/* The first of those that the program has not made. */
static const buffered_store *first_unmade(store_buffer *b) { return store_at(b, b->issued + 1 - b->unmade); }

static void marked_bytes(store_buffer *b, uint8_t *out) {
    static const uint8_t mask[MARK_BYTES] = {0xa5, 0xc3, 0x96, 0x69, 0x5a, 0x3c, 0x87, 0x1e};
    for (unsigned i = 0; i < MARK_BYTES; i++) out[i] = under_store(b->issued + 1 - b->unmade)[i] ^ mask[i];
}

static size_t mark_size(const buffered_store *s) { return s->size < MARK_BYTES ? s->size : MARK_BYTES; }

static void mark(store_buffer *b) {
    uint8_t bytes[MARK_BYTES];
    const buffered_store *s = first_unmade(b);
    marked_bytes(b, bytes);
    memcpy((void *)s->address, bytes, mark_size(s));
    b->marked = true;
}

/* True: the mark was still there. */
static bool unmark(store_buffer *b) {
    uint8_t bytes[MARK_BYTES];
    if (!b->marked) return false;
    const buffered_store *s = first_unmade(b);
    b->marked = false;
    marked_bytes(b, bytes);
    if (memcmp((const void *)s->address, bytes, mark_size(s))) return false;
    memcpy((void *)s->address, under_store(b->issued + 1 - b->unmade), mark_size(s));
    return true;
}

void buffer_is_certain(void) { unmark(buffer_of(fiber_now()->number)); }

/* A step that puts so many stores into the buffer, from this number on. */
static void issue(const place *what, uint8_t flags, unsigned order, uint32_t number, uint64_t n, uintptr_t pc) {
    const unsigned me = fiber_now()->number;
    step_describe_ordered(STEP_STORE, what->address, what->size, PLACE_UNUSED, order, pc)->flags |= flags;
    step_second(place_of(me, number, PLACE_ISSUE).address, (uint32_t)(8 * n), PLACE_ISSUE);
    scheduler_goes_first(me);
    step_take();
}

/* What was open is made: behind the load. */
static void issue_again(store_buffer *b, uint32_t n) {
    const buffered_store *s = store_at(b, b->issued + 1 - n);
    const place what = {s->address, s->size, PLACE_UNUSED};
    issue(&what, s->publishes ? 0 : STEP_PLAIN, s->order, b->issued + 1 - n, n, s->pc);
    if (s->size <= 8) step_last()->value = memory_at(s->address, s->size);
    buffer_pends(fiber_now()->number);
}

void buffer_settle(void) {
    store_buffer *b = buffer_of(fiber_now()->number);
    if (!b->unmade || b->open) return;
    INVARIANT(over == fiber_now()->number + 1 && b->issued - b->flushed >= b->unmade);
    if (unmark(b)) {
        b->open = true;
        buffer_pends(fiber_now()->number);
        return;
    }
    for (; b->unmade; b->unmade--) {
        buffered_store *s = store_at(b, b->issued + 1 - b->unmade);
        memcpy(s->bytes, (const void *)s->address, s->size);
    }
    if (b->loaded) issue_again(b, b->loaded);
    b->loaded = 0;
}

void buffer_loaded(void) {
    store_buffer *b = buffer_of(fiber_now()->number);
    if (!b->open) return;
    b->open = false;
    b->loaded = b->unmade;
}

/* ---- over memory ---- */

void buffers_aside(void) {
    if (!over) return;
    store_buffer *b = buffer_of(over - 1u);
    INVARIANT(!b->marked && (!b->unmade || b->open));
    for (uint32_t i = b->issued; i > b->flushed; i--)
        memcpy((void *)store_at(b, i)->address, under_store(i), store_at(b, i)->size);
    over = 0;
}

void buffers_over(const fiber *f) {
    INVARIANT(!over);
    store_buffer *b = buffer_of(f->number);
    for (uint32_t i = b->flushed + 1; i <= b->issued; i++) {
        const buffered_store *s = store_at(b, i);
        memcpy(under_store(i), (const void *)s->address, s->size);
        if (i <= newest_made(b)) memcpy((void *)s->address, s->bytes, s->size);
    }
    over = (uint8_t)(f->number + 1);
}

/* ---- its steps ---- */

void buffer_refresh(unsigned thread) {
    const store_buffer *b = buffer_of(buffer_owner(thread));
    const buffered_store *s = &b->store[(b->flushed + 1) % STORES_MOST];
    INVARIANT(!over && b->flushed < newest_made(b));
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
    if (b->flushed == newest_made(b)) {
        w->live &= ~me;
        scheduler_refreshes_not(t);
        return;
    }
    const buffered_store *s = store_at(b, b->flushed + 1);
    w->live |= me;
    scheduler_refreshes(t);
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
    INVARIANT(!over && w->live >> thread & 1 && w->pending[thread].kind == STEP_FLUSH);
    buffer_refresh(thread); /* a pick that was known asked for nothing */
    w->last = w->pending[thread];
    w->steps++;
    memcpy((void *)s->address, s->bytes, s->size);
    if (s->publishes) races_reaches_memory(s->address, s->size, fiber_at(owner), s->knew, s->order);
    b->flushed = number;
    INVARIANT(b->flushed <= b->issued && b->drained <= b->issued);
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
    uint32_t i = newest_made(b);
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
    INVARIANT(size && size <= STORE_BYTES && b->issued - b->flushed <= STORES_MOST);
    if (publishes) races_leaves(fiber_now(), s->knew, s->order);
    memcpy(under_store(b->issued), (const void *)a, size);
    b->unmade++;
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
    issue(&(place){a, (uint32_t)size, PLACE_UNUSED}, flags, order, b->issued + 1, n, pc);
    for (; size; a += STORE_BYTES) {
        const uint32_t part = size < STORE_BYTES ? (uint32_t)size : STORE_BYTES;
        add_store(b, a, part, !(flags & STEP_PLAIN));
        size -= part;
    }
    buffer_pends(me);
    mark(b);
}
