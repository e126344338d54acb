#include "explore/strategy/graph_pool.h"

#include "base/mem.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 64, SLOT_BYTES = 1 << 20, REST_NANOSECONDS = 20000 };

typedef struct slot { /* a graph, its events, its places; pages that are not used take no memory */
    _Alignas(64) unsigned char bytes[SLOT_BYTES];
} slot;

struct graph_pool {
    unsigned workers;
    _Atomic uint32_t lock, begun, waiting, filled; /* slots 0 .. filled-1 */
    slot at[SLOTS];
};

graph_pool *graph_pool_new(unsigned workers) {
    graph_pool *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    p->workers = workers;
    return p;
}

void graph_pool_free(graph_pool *p) {
    if (p) munmap(p, sizeof *p);
}

bool graph_pool_begins(graph_pool *p) { return !atomic_exchange(&p->begun, 1); }

bool graph_pool_wants(const graph_pool *p) {
    return atomic_load_explicit(&p->waiting, memory_order_relaxed) >
           atomic_load_explicit(&p->filled, memory_order_relaxed);
}

/* A direct system call: in a process under test the names of the C library are the machine's. */
static void rest(void) { syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = REST_NANOSECONDS}, NULL); }

static bool try_lock(graph_pool *p) { return !atomic_exchange_explicit(&p->lock, 1, memory_order_acquire); }
static void unlock(graph_pool *p) { atomic_store_explicit(&p->lock, 0, memory_order_release); }

static size_t bytes_of(const graph *g) { return sizeof *g + g->n * sizeof *g->event + g->places * sizeof *g->place; }

static void pack(slot *to, const graph *g) {
    unsigned char *at = to->bytes;
    memcpy(at, g, sizeof *g);
    memcpy(at += sizeof *g, g->event, g->n * sizeof *g->event);
    memcpy(at + g->n * sizeof *g->event, g->place, g->places * sizeof *g->place);
}

static graph *unpack(const slot *from) {
    const unsigned char *at = from->bytes;
    graph g;
    memcpy(&g, at, sizeof g);
    g.event = (graph_event *)(uintptr_t)(at + sizeof g);
    g.place = (graph_place *)(uintptr_t)(at + sizeof g + g.n * sizeof *g.event);
    return graph_copy(&g);
}

bool graph_pool_give(graph_pool *p, const graph *g) {
    if (!g->n || bytes_of(g) > SLOT_BYTES || !try_lock(p)) return false;
    const uint32_t filled = atomic_load(&p->filled);
    if (filled < SLOTS) {
        pack(&p->at[filled], g);
        atomic_store(&p->filled, filled + 1);
    }
    unlock(p);
    return filled < SLOTS;
}

/* NULL: there is none. A process that gives one does not wait: where all of them wait, and nothing is here, nothing
 * will come. */
static graph *take_newest(graph_pool *p, bool *over) {
    graph *g = NULL;
    if (!try_lock(p)) return NULL;
    const uint32_t filled = atomic_load(&p->filled);
    assert(filled <= SLOTS && atomic_load(&p->waiting) <= p->workers);
    if (filled) {
        g = unpack(&p->at[filled - 1]);
        atomic_store(&p->filled, filled - 1);
        atomic_fetch_sub(&p->waiting, 1);
    } else *over = atomic_load(&p->waiting) == p->workers;
    unlock(p);
    return g;
}

graph *graph_pool_take(graph_pool *p, const share *s) {
    graph *g = NULL;
    atomic_fetch_add(&p->waiting, 1);
    for (bool over = false; !g && !over && !share_is_abandoned(s); g = take_newest(p, &over)) rest();
    return g;
}
