/* The list of mutations, and what they need to know of a history: who writes a value, who removes it. */
#include "base/hash.h"
#include "base/mem.h"
#include "generate/choose.h"
#include "generate/plant.h"
#include "history/history_check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PRIORITY_QUEUES "pqueue-max pqueue-min pqueue-max-fifo pqueue-min-fifo"
#define PLAIN_CONTAINERS "queue stack deque multiset " PRIORITY_QUEUES
#define WIDE_CONTAINERS \
    "wide-queue wide-stack wide-deque wide-multiset wide-pqueue-max wide-pqueue-min wide-pqueue-max-fifo " \
    "wide-pqueue-min-fifo"
#define CONTAINERS PLAIN_CONTAINERS " " WIDE_CONTAINERS

static const mutation mutations[] = {
    {"fresh-value", "a value is returned that no operation ever gave",
     CONTAINERS " register swmr-register cas-register kv exchanger consensus set-agreement", plant_fresh_value},
    {"duplicate-remove", "a value that was added once is removed twice", CONTAINERS, plant_duplicate_remove},
    {"lost-value", "something is not found though it is there", PLAIN_CONTAINERS " set", plant_lost_value},
    {"phantom-value", "an element is found though it is not there", "set", plant_phantom_element},
    {"wrong-order", "two values come out in the wrong order", "queue stack deque " PRIORITY_QUEUES, plant_wrong_order},
    {"stale-read", "a read returns a value that was overwritten before",
     "register swmr-register cas-register kv max-register snapshot", plant_stale_read},
    {"lost-update", "two updates start from the same value, or one is not counted", "cas-register kv counter fetch-add",
     plant_lost_update},
    {"double-hold", "the object is taken while others hold all of it", "lock rwlock semaphore", plant_double_hold},
    {"one-sided", "one of two that met says it met none", "exchanger elimination", plant_one_sided},
    {"unseen-own", "a view lacks what its own operation wrote", "write-snapshot immediate-snapshot", plant_unseen_own},
    {"forgotten", "a view lacks what was written before it was asked for", "write-snapshot immediate-snapshot",
     plant_forgotten},
    {"taken-name", "two get the same name", "renaming", plant_taken_name},
    {"too-many-decisions", "more than k different values are decided", "set-agreement", plant_too_many_decisions},
    {"disagreement", "two clients are told different decisions", "consensus", plant_disagreement},
};

const mutation *mutation_at(unsigned i) { return i < sizeof mutations / sizeof *mutations ? &mutations[i] : NULL; }

const mutation *mutation_find(const char *name) {
    const mutation *m;
    for (unsigned i = 0; (m = mutation_at(i)); i++)
        if (!strcmp(m->name, name)) return m;
    return NULL;
}

bool mutation_applies(const mutation *m, const object_type *t) { return chooser_has_word(m->objects, t->name); }

/* ---- what a planter asks ---- */

value plant_key(const planting *p, uint32_t i) { return p->h->key ? p->h->key[i] : VALUE_NONE; }

value plant_arg(const planting *p, uint32_t i, unsigned a) { return p->h->arg[a] ? p->h->arg[a][i] : VALUE_NONE; }

static const method *method_of(const planting *p, uint32_t i) { return &p->o->type->methods[p->h->method[i]]; }

bool plant_is(const planting *p, uint32_t i, const char *method_name) {
    return !strcmp(method_of(p, i)->name, method_name);
}

unsigned plant_role(const planting *p, uint32_t i) { return method_of(p, i)->role; }

static uint32_t sighting_hash(const void *owner, uint32_t i) {
    const sighting *s = &((const planting *)owner)->seen[i];
    return (uint32_t)hash_pair(s->key, s->v);
}

static bool sighting_is(const void *owner, uint32_t i, const void *key) {
    const sighting *s = &((const planting *)owner)->seen[i], *sought = key;
    return s->key == sought->key && s->v == sought->v;
}

/* NULL: it occurs nowhere in this part. */
static sighting *sighting_of(const planting *p, value key, value v) {
    sighting sought = {.key = key, .v = v};
    uint32_t i = table_find(&p->by_value, (uint32_t)hash_pair(key, v), sighting_is, p, &sought);
    return i == TABLE_NONE ? NULL : &p->seen[i];
}

uint32_t plant_only_writer(const planting *p, uint32_t i, value v) {
    const sighting *s = sighting_of(p, plant_key(p, i), v);
    return s && s->written == 1 && v != p->o->init ? s->writer : NO_PLACE;
}

uint32_t plant_only_remover(const planting *p, uint32_t i, value v) {
    const sighting *s = sighting_of(p, plant_key(p, i), v);
    return s && s->removed == 1 ? s->remover : NO_PLACE;
}

/* ---- looking through the history ---- */

/* There is room for two of each operation. */
static sighting *see_value(planting *p, uint32_t i, value v) {
    value key = plant_key(p, i);
    sighting *s = sighting_of(p, key, v);
    if (s) return s;
    assert(p->sightings < 2 * p->h->n);
    s = &p->seen[p->sightings];
    *s = (sighting){.key = key, .v = v};
    table_add(&p->by_value, (uint32_t)hash_pair(key, v), sighting_hash, p, p->sightings++);
    return s;
}

static void see_written(planting *p, uint32_t i, value v) {
    sighting *s = see_value(p, i, v);
    s->written++;
    s->writer = i;
}

static void see_removed(planting *p, uint32_t i, value v) {
    sighting *s = see_value(p, i, v);
    s->removed++;
    s->remover = i;
}

/* The last argument is the one that is put in: cas(old, new), update(place, value), write(value). */
static void see_operation(planting *p, uint32_t i, int64_t *largest) {
    history *h = p->h;
    for (unsigned a = 0; a < h->nargs[i]; a++) {
        value v = h->arg[a][i];
        if (value_kind_of(h->values, v) == KIND_INT && value_as_int(h->values, v) > *largest)
            *largest = value_as_int(h->values, v);
    }
    if (h->nargs[i]) see_written(p, i, h->arg[h->nargs[i] - 1][i]);
    if (plant_role(p, i) & ROLE_REMOVES && !history_pending(h, i) && h->res[i] != VALUE_EMPTY)
        see_removed(p, i, h->res[i]);
}

static void look_through(planting *p) {
    int64_t largest = p->o->init_text && value_kind_of(p->h->values, p->o->init) == KIND_INT
                          ? value_as_int(p->h->values, p->o->init)
                          : 0;
    p->seen = MEM_ARRAY(sighting, 2 * (size_t)p->h->n);
    for (uint32_t i = 0; i < p->h->n; i++) see_operation(p, i, &largest);
    p->fresh = value_int(p->h->values, largest + 1);
}

/* The place nearest to position i, behind it first: at most one operation further on each side at a time. */
static bool plant_near(planting *p, const mutation *m, uint32_t i) {
    for (uint32_t away = 0; away < p->h->n; away++) {
        uint32_t behind = i + away;
        if (behind < p->h->n && !history_pending(p->h, behind) && m->plant(p, behind)) return true;
        if (away && away <= i && !history_pending(p->h, i - away) && m->plant(p, i - away)) return true;
    }
    return false;
}

bool mutation_plant(const mutation *m, const object *o, history *h, double at, error *e) {
    planting p = {.o = o, .h = h};
    uint32_t last = h->n ? h->n - 1 : 0;
    look_through(&p);
    bool planted = plant_near(&p, m, (uint32_t)(at * last));
    free(p.seen);
    table_free(&p.by_value);
    history_check(h); /* a mutation changes results, and nothing else */
    if (planted) return true;
    return error_set(
        e, EXIT_USAGE,
        "mutation %s finds no place in this history; expected more operations, fewer pending ones or fewer duplicates",
        m->name);
}
