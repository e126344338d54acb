#include "object/plugin_state.h"

#include "base/hash.h"
#include "base/pool.h"
#include "base/table.h"

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
    table numbers; /* by state */
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
    table_free(&t->numbers);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* What a state is compared with. */
typedef struct sought_state {
    const void *state;
    uint64_t hash;
} sought_state;

static uint32_t state_number_hash(const void *owner, uint32_t i) {
    return (uint32_t)hash_mix(((const plugin_states *)owner)->kept[i].hash);
}

static bool state_is(const void *owner, uint32_t i, const void *key) {
    const plugin_states *t = owner;
    const sought_state *sought = key;
    const plumb_object *d = t->definition;
    return t->kept[i].hash == sought->hash && d->equal(t->kept[i].state, sought->state, d->context);
}

/* Each step leaves the table as it was if memory runs out in it. */
static uint32_t add_state(plugin_states *t, const void *state, uint64_t hash) {
    uint32_t i = t->count;
    if (i == t->room) {
        uint32_t room = t->room ? t->room * 2 : 32;
        t->kept = MEM_GROW(t->kept, kept_state, room);
        t->room = room;
    }
    t->kept[i] = (kept_state){.state = mem_copy(state, t->definition->state_size), .hash = hash};
    table_add(&t->numbers, (uint32_t)hash_mix(hash), state_number_hash, t, i);
    return t->count++;
}

uint32_t plugin_states_keep(plugin_states *t, void *state) {
    const plumb_object *d = t->definition;
    uint64_t hash = d->hash(state, d->context);
    pool_enter(t, &t->lock);
    uint32_t number = table_find(&t->numbers, (uint32_t)hash_mix(hash), state_is, t, &(sought_state){state, hash});
    bool is_new = number == TABLE_NONE;
    if (is_new) number = add_state(t, state, hash);
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
