#include "object/plugin_state.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct kept_state {
    void *state; /* never moves: other threads read it while the table grows */
    uint64_t hash;
} kept_state;

struct plugin_states {
    const plumb_object *definition;
    kept_state *kept;
    uint32_t count, room;
    uint32_t *slot; /* number + 1 */
    uint32_t slots;
    pthread_mutex_t lock;
};

plugin_states *plugin_states_new(const plumb_object *definition) {
    plugin_states *t = MEM_NEW(plugin_states);
    t->definition = definition;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void plugin_states_free(plugin_states *t) {
    const plumb_object *d = t->definition;
    for (uint32_t i = 0; i < t->count; i++) {
        if (d->release) d->release(t->kept[i].state, d->context);
        free(t->kept[i].state);
    }
    free(t->kept);
    free(t->slot);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* Nothing is changed before all memory is there: the table outlives a call that ran out of it. */
static void grow(plugin_states *t) {
    uint32_t room = t->room ? t->room * 2 : 64;
    t->kept = MEM_GROW(t->kept, kept_state, room);
    uint32_t *slot = mem_zero(2 * (size_t)room, sizeof *slot);
    free(t->slot);
    t->slot = slot;
    t->room = room;
    t->slots = 2 * room;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = (uint32_t)hash_mix(t->kept[i].hash) & (t->slots - 1);
        while (t->slot[at]) at = (at + 1) & (t->slots - 1);
        t->slot[at] = i + 1;
    }
}

static bool same(const plugin_states *t, uint32_t number, const void *state, uint64_t hash) {
    const plumb_object *d = t->definition;
    return t->kept[number].hash == hash && d->equal(t->kept[number].state, state, d->context);
}

uint32_t plugin_states_keep(plugin_states *t, void *state) {
    const plumb_object *d = t->definition;
    uint64_t hash = d->hash(state, d->context);
    pool_enter(t, &t->lock);
    if (t->count == t->room) grow(t);
    uint32_t at = (uint32_t)hash_mix(hash) & (t->slots - 1);
    while (t->slot[at] && !same(t, t->slot[at] - 1, state, hash)) at = (at + 1) & (t->slots - 1);
    bool is_new = !t->slot[at];
    if (is_new) {
        t->kept[t->count] = (kept_state){.state = mem_copy(state, d->state_size), .hash = hash};
        t->slot[at] = ++t->count;
    }
    uint32_t number = t->slot[at] - 1;
    pool_leave(&t->lock);
    if (!is_new && d->release) d->release(state, d->context);
    return number;
}

const void *plugin_states_at(plugin_states *t, uint32_t number) {
    pthread_mutex_lock(&t->lock);
    const void *state = t->kept[number].state;
    pthread_mutex_unlock(&t->lock);
    return state;
}
