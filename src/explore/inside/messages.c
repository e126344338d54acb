/* The memory of a weak model. A place is made when the first atomic access to it is described, with what memory holds
 * as its first message. Plain writes begin it anew: where nothing races, all that could still have read an older
 * message has happened before (docs/proofs/weak-memory.md).
 *
 * What a message releases is kept with it: an access that acquires gets to know what the thread knew that wrote it. */
#include "explore/inside/messages.h"

#include "explore/inside/failures.h"
#include "explore/inside/snapshot.h"

enum { PLACES_MOST = 512, MESSAGES_MOST = 4096, NO_MESSAGE = UINT16_MAX };

typedef struct message {
    uint64_t value[2];
    uint16_t released[THREADS_MAX];
    uint16_t newer;
    uint32_t writer; /* its step; NO_STEP: it was there before */
} message;

typedef struct message_place {
    uintptr_t address;
    uint64_t first[2];
    uint32_t size, life;
    uint16_t oldest, count; /* 0: none since it was begun anew */
} message_place;

static message messages[MESSAGES_MOST] COPIED_STATE;
static message_place places[PLACES_MOST] COPIED_STATE;
static uint32_t message_count COPIED_STATE, place_count COPIED_STATE;

void messages_reset(void) {
    message_count = place_count = 0;
    explored_world.read.step = NO_STEP;
}

void messages_copy(tape *t) {
    tape_copy(t, &message_count, sizeof message_count);
    tape_copy(t, &place_count, sizeof place_count);
    tape_copy(t, messages, message_count * sizeof *messages);
    tape_copy(t, places, place_count * sizeof *places);
}

/* ---- places ---- */

static void value_get(uintptr_t a, uint32_t size, uint64_t out[2]) {
    out[0] = memory_at(a, size);
    out[1] = size == 16 ? memory_at(a + 8, 8) : 0;
}

static bool overlaps(const message_place *p, uintptr_t a, uint64_t size) {
    return p->address < a + size && a < p->address + p->size;
}

static message_place *place_at(uintptr_t a) {
    for (uint32_t i = place_count; i-- > 0;)
        if (places[i].address == a) return &places[i];
    if (place_count == PLACES_MOST)
        fail(FAILURE_UNMODELLED, "more than %d places of atomic accesses under a weak memory model", PLACES_MOST);
    places[place_count] = (message_place){.address = a};
    return &places[place_count++];
}

static void sizes_differ(uintptr_t a, uint32_t size, const message_place *other) {
    fail(FAILURE_UNMODELLED, "atomic accesses of %u bytes at %#lx and of %u at %#lx under a weak memory model", size,
         (unsigned long)a, other->size, (unsigned long)other->address);
}

static void check_sizes(uintptr_t a, uint32_t size) {
    for (uint32_t i = 0; i < place_count; i++)
        if (places[i].count && overlaps(&places[i], a, size) && (places[i].address != a || places[i].size != size))
            sizes_differ(a, size, &places[i]);
}

static uint16_t message_new(const uint64_t v[2]) {
    if (message_count == MESSAGES_MOST)
        fail(FAILURE_UNMODELLED, "more than %d atomic writes in an execution under a weak memory model", MESSAGES_MOST);
    message *m = &messages[message_count];
    *m = (message){.value = {v[0], v[1]}, .newer = NO_MESSAGE, .writer = NO_STEP};
    return (uint16_t)message_count++;
}

/* With its first message. */
static message_place *place_of(uintptr_t a, uint32_t size) {
    message_place *p = place_at(a);
    if (p->count && p->size == size) return p;
    check_sizes(a, size);
    p->size = size;
    value_get(a, size, p->first);
    p->oldest = message_new(p->first);
    p->count = 1;
    return p;
}

void messages_forget(uintptr_t a, uint64_t size) {
    for (uint32_t i = 0; i < place_count; i++)
        if (places[i].count && overlaps(&places[i], a, size)) {
            places[i].count = 0;
            places[i].life++;
        }
}

/* ---- accesses ---- */

void message_pending(uintptr_t a, uint32_t size, uint8_t how, uint8_t order_failed, const uint64_t operand[2]) {
    const message_place *p = place_of(a, size);
    pending_access *x = &explored_world.access[fiber_now()->number];
    *x = (pending_access){.life = p->life, .update = how, .order_failed = order_failed};
    memcpy(x->operand, operand, sizeof x->operand);
    memcpy(x->first, p->first, sizeof x->first);
}

void message_pending_lock(bool holds) { explored_world.access[fiber_now()->number] = (pending_access){.holds = holds}; }

void message_pending_condition(uint8_t how, uint64_t operand) {
    explored_world.access[fiber_now()->number] = (pending_access){.update = how, .operand = {operand}};
}

static message *message_at(const message_place *p, unsigned at) {
    uint16_t i = p->oldest;
    INVARIANT(at < p->count);
    while (at--) i = messages[i].newer;
    return &messages[i];
}

message_access message_choose(uintptr_t a, uint32_t size) {
    const message_place *p = place_of(a, size);
    message_access m = {.address = a, .size = size, .at = world_choose(p->count, CHOICE_OF_MESSAGE)};
    m.older = m.at + 1u < p->count;
    memcpy(m.seen, message_at(p, m.at)->value, sizeof m.seen);
    return m;
}

void message_read(const message_access *m, unsigned order) {
    const message_place *p = place_of(m->address, m->size);
    const message *from = message_at(p, m->at);
    races_acquire_message(from->released, order);
    explored_world.read = (read_message){.step = explored_world.steps - 1, .from = from->writer, .newest = NO_STEP};
    if (m->older) explored_world.read.newest = message_at(p, p->count - 1u)->writer;
}

static void memory_put(const message_access *m, const uint64_t left[2]) { memcpy((void *)m->address, left, m->size); }

void message_write(const message_access *m, const uint64_t left[2], unsigned order, bool is_update) {
    message_place *p = place_of(m->address, m->size);
    const uint16_t number = message_new(left);
    message *before = message_at(p, m->at), *own = &messages[number];
    races_release_message(own->released, is_update ? before->released : NULL, order);
    own->writer = explored_world.steps - 1;
    own->newer = before->newer;
    before->newer = number;
    p->count++;
    if (own->newer == NO_MESSAGE) memory_put(m, left);
}
