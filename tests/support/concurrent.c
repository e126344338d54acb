#include "support/concurrent.h"

#include "base/mem.h"
#include "support/step_aside.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
    _Atomic uint64_t next; /* index and count */
    _Atomic int64_t v;
} node;

struct concurrent {
    _Alignas(128) _Atomic uint64_t head; /* queue: the dummy; stack: the top */
    _Alignas(128) _Atomic uint64_t tail;
    _Alignas(128) _Atomic uint64_t unused;
    bool lifo;
    defect d;
    uint32_t one_in;
    node *node;
};

static uint32_t index_of(uint64_t link) { return (uint32_t)link; }
static uint64_t link_to(uint32_t index, uint64_t old) { return index | ((old >> 32) + 1) << 32; }

static bool fires(const concurrent *c, concurrent_client *k, defect d) {
    if (c->d != d || random_below(&k->random, c->one_in)) return false;
    k->fired++;
    return true;
}

static uint32_t take_node(concurrent *c, concurrent_client *k) {
    if (k->spares) return k->spare[--k->spares];
    uint64_t top = atomic_load(&c->unused);
    while (index_of(top) && !atomic_compare_exchange_weak(
                                &c->unused, &top, link_to(index_of(atomic_load(&c->node[index_of(top)].next)), top))) {}
    if (!index_of(top)) abort(); /* more nodes are needed */
    return index_of(top);
}

static void give_node(concurrent *c, concurrent_client *k, uint32_t i) {
    if (k->spares < sizeof k->spare / sizeof *k->spare) {
        k->spare[k->spares++] = i;
        return;
    }
    uint64_t top = atomic_load(&c->unused);
    do {
        uint64_t old = atomic_load(&c->node[i].next);
        atomic_store(&c->node[i].next, link_to(index_of(top), old));
    } while (!atomic_compare_exchange_weak(&c->unused, &top, link_to(i, top)));
}

concurrent *concurrent_new(bool lifo, uint32_t nodes, defect d, uint32_t one_in) {
    concurrent *c = aligned_alloc(128, (sizeof *c + 127) / 128 * 128);
    c->lifo = lifo;
    c->d = d;
    c->one_in = one_in;
    c->node = mem_zero(nodes, sizeof *c->node);
    for (uint32_t i = 2; i < nodes; i++) c->node[i].next = i + 1 < nodes ? i + 1 : 0;
    c->unused = 2;
    c->head = c->tail = lifo ? 0 : 1;
    return c;
}

void concurrent_free(concurrent *c) {
    free(c->node);
    free(c);
}

void concurrent_client_init(concurrent_client *k, uint64_t seed) {
    *k = (concurrent_client){.random = {seed}, .late = CONCURRENT_EMPTY};
}

static void enqueue(concurrent *c, concurrent_client *k, int64_t v) {
    uint32_t i = take_node(c, k);
    node *n = &c->node[i];
    atomic_store(&n->v, v);
    atomic_store(&n->next, link_to(0, atomic_load(&n->next)));
    for (;;) {
        uint64_t tail = atomic_load(&c->tail), next = atomic_load(&c->node[index_of(tail)].next);
        if (tail != atomic_load(&c->tail)) continue;
        if (index_of(next)) {
            atomic_compare_exchange_strong(&c->tail, &tail, link_to(index_of(next), tail));
            continue;
        }
        if (!atomic_compare_exchange_strong(&c->node[index_of(tail)].next, &next, link_to(i, next))) continue;
        atomic_compare_exchange_strong(&c->tail, &tail, link_to(i, tail));
        return;
    }
}

static bool advance(concurrent *c, concurrent_client *k, uint64_t *from, uint64_t to) {
    if (c->d == DEFECT_RACE && fires(c, k, DEFECT_RACE)) {
        step_aside(); /* another thread may take it meanwhile */
        atomic_store(&c->head, to);
        return true;
    }
    return atomic_compare_exchange_strong(&c->head, from, to);
}

static int64_t dequeue(concurrent *c, concurrent_client *k) {
    for (;;) {
        uint64_t head = atomic_load(&c->head), tail = atomic_load(&c->tail),
                 next = atomic_load(&c->node[index_of(head)].next);
        if (head != atomic_load(&c->head)) continue;
        if (!index_of(next)) return CONCURRENT_EMPTY;
        if (index_of(head) == index_of(tail)) {
            atomic_compare_exchange_strong(&c->tail, &tail, link_to(index_of(next), tail));
            continue;
        }
        int64_t v = atomic_load(&c->node[index_of(next)].v);
        if (fires(c, k, DEFECT_DUPLICATE)) return v;
        if (!advance(c, k, &head, link_to(index_of(next), head))) continue;
        /* with it, a node may be taken twice: never used again */
        if (c->d != DEFECT_RACE) give_node(c, k, index_of(head));
        return v;
    }
}

static void push(concurrent *c, concurrent_client *k, int64_t v) {
    uint32_t i = take_node(c, k);
    atomic_store(&c->node[i].v, v);
    uint64_t top = atomic_load(&c->head);
    do atomic_store(&c->node[i].next, index_of(top));
    while (!atomic_compare_exchange_weak(&c->head, &top, link_to(i, top)));
}

static int64_t pop(concurrent *c, concurrent_client *k) {
    for (;;) {
        uint64_t top = atomic_load(&c->head);
        if (!index_of(top)) return CONCURRENT_EMPTY;
        uint64_t next = atomic_load(&c->node[index_of(top)].next);
        int64_t v = atomic_load(&c->node[index_of(top)].v);
        if (top != atomic_load(&c->head)) continue;
        if (fires(c, k, DEFECT_DUPLICATE)) return v;
        if (!advance(c, k, &top, link_to(index_of(next), top))) continue;
        if (c->d != DEFECT_RACE) give_node(c, k, index_of(top));
        return v;
    }
}

static void put(concurrent *c, concurrent_client *k, int64_t v) {
    if (c->lifo) push(c, k, v);
    else enqueue(c, k, v);
}

/* What was late is put in before anything else is done. */
static void catch_up(concurrent *c, concurrent_client *k) {
    if (k->late == CONCURRENT_EMPTY) return;
    put(c, k, k->late);
    k->late = CONCURRENT_EMPTY;
}

void concurrent_add(concurrent *c, concurrent_client *k, int64_t v) {
    catch_up(c, k);
    if (fires(c, k, DEFECT_LOST)) return;
    if (fires(c, k, DEFECT_LATE)) k->late = v;
    else put(c, k, v);
}

int64_t concurrent_remove(concurrent *c, concurrent_client *k) {
    catch_up(c, k);
    if (fires(c, k, DEFECT_EMPTY)) return CONCURRENT_EMPTY;
    return c->lifo ? pop(c, k) : dequeue(c, k);
}
