#include "explore/strategy/share.h"

#include "base/hash.h"
#include "explore/reduction/races.h"

#include <assert.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { POOL_NODES = 1 << 16, SIGNATURES = 1 << 20, POOLS = STAGES_MAX, IDLE_NANOSECONDS = 50000 };

typedef struct shared_node {
    uint32_t parent;  /* 0: it is the root */
    uint8_t taken;    /* at the parent, to come here: a thread or an alternative */
    uint8_t of, next; /* a choice of so many, the next one that is free; of 0: a thread is picked */
    bool queued;
    alternatives a; /* sleep has the claimed ones as well */
} shared_node;

typedef struct pool { /* of one stage */
    _Atomic uint32_t lock, hungry, working, root_taken, finished, cut;
    uint32_t nodes;                            /* numbers 1 .. nodes */
    uint32_t queue[POOL_NODES], first, queued; /* nodes with something left, a ring */
    shared_node node[POOL_NODES];
} pool;

struct share {
    unsigned workers;
    _Atomic uint32_t abandoned;
    _Atomic uint32_t signatures, too_many;
    _Atomic uint64_t signature[SIGNATURES];
    pool pool[POOLS];
};

share *share_new(unsigned workers) {
    share *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s == MAP_FAILED) return NULL;
    s->workers = workers;
    return s;
}

void share_free(share *s) {
    if (s) munmap(s, sizeof *s);
}

bool share_is_abandoned(const share *s) { return atomic_load(&s->abandoned); }
void share_abandon(share *s) { atomic_store(&s->abandoned, 1); }
bool share_cut(const share *s, unsigned stage) { return atomic_load(&s->pool[stage].cut); }

uint64_t share_signatures(const share *s) { return atomic_load(&s->too_many) ? 0 : atomic_load(&s->signatures); }

void share_note_signature(share *s, uint64_t print) {
    if (!print) print = 1;
    if (atomic_load(&s->signatures) > SIGNATURES / 2) {
        atomic_store(&s->too_many, 1);
        return;
    }
    assert(atomic_load(&s->signatures) < SIGNATURES); /* a free place is found */
    for (size_t at = (size_t)(hash_mix(print) & (SIGNATURES - 1));; at = (at + 1) & (SIGNATURES - 1)) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&s->signature[at], &there, print)) {
            atomic_fetch_add(&s->signatures, 1);
            return;
        }
        if (there == print) return;
    }
}

/* A direct system call: in a process under test the names of the C library are the machine's. */
static void rest(void) { syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = IDLE_NANOSECONDS}, NULL); }

/* False: the work was abandoned meanwhile. A process that died may have had the lock. */
static bool lock(const share *s, pool *p) {
    while (atomic_exchange_explicit(&p->lock, 1, memory_order_acquire)) {
        if (share_is_abandoned(s)) return false;
        rest();
    }
    return true;
}

void share_seize(share *s, unsigned stage) { lock(s, &s->pool[stage]); }

static void unlock(pool *p) { atomic_store_explicit(&p->lock, 0, memory_order_release); }

/* ---- nodes with something left ---- */

static thread_set left_at(const shared_node *x) { return x->a.backtrack & x->a.enabled & ~x->a.sleep; }
static bool has_left(const shared_node *x) { return x->of ? x->next < x->of : left_at(x) != 0; }

static void enqueue(pool *p, uint32_t number) {
    shared_node *x = &p->node[number];
    assert(number && number <= p->nodes && p->queued < POOL_NODES);
    if (x->queued || !has_left(x)) return;
    x->queued = true;
    p->queue[(p->first + p->queued++) % POOL_NODES] = number;
}

void share_offer(share *s, unsigned stage, uint32_t number, thread_set initials, unsigned preferred) {
    assert(stage < POOLS);
    pool *p = &s->pool[stage];
    if (!lock(s, p)) return;
    assert(number && number <= p->nodes && !p->node[number].of);
    shared_node *x = &p->node[number];
    x->a.backtrack |= alternatives_needed(&x->a, initials, preferred);
    enqueue(p, number);
    unlock(p);
}

/* ---- publishing ---- */

/* Nodes and choices of the path in the order they were met: choice c if it comes before node d. */
static bool choice_is_next(const nodes *n, uint32_t d, uint32_t c) { return c < n->choices && n->choice[c].at <= d; }

static bool is_open_node(const node *d) {
    return !d->closed && !d->shared && d->backtrack & d->enabled & ~d->sleep & ~(1u << d->thread);
}

static bool is_open_choice(const choice *c) { return !c->closed && !c->shared && c->taken + 1 < c->n; }

/* How many nodes and choices lead to the first one with something left, itself included; false: there is none. */
static bool find_open(const nodes *n, uint32_t *nodes_to, uint32_t *choices_to) {
    for (uint32_t d = 0, c = 0;;) {
        bool open;
        if (choice_is_next(n, d, c)) open = is_open_choice(&n->choice[c++]);
        else if (d < n->depth) open = is_open_node(&n->at[d++]);
        else return false;
        *nodes_to = d;
        *choices_to = c;
        if (open) return true;
    }
}

static uint32_t add_node(pool *p, shared_node x) {
    assert(p->nodes + 1 < POOL_NODES && x.parent <= p->nodes); /* parents have lower numbers: no cycles */
    assert(x.of ? x.next <= x.of : x.a.sleep != 0);            /* the publisher's own alternative is taken */
    p->node[++p->nodes] = x;
    enqueue(p, p->nodes);
    return p->nodes;
}

static void publish(const share *s, pool *p, nodes *n) {
    uint32_t to_node, to_choice, parent = 0;
    if (!find_open(n, &to_node, &to_choice) || !lock(s, p)) return;
    if (p->nodes + to_node + to_choice < POOL_NODES) {
        uint8_t taken = 0;
        for (uint32_t d = 0, c = 0; d < to_node || c < to_choice;) {
            shared_node x = {.parent = parent, .taken = taken};
            uint32_t *number;
            if (choice_is_next(n, d, c)) {
                choice *q = &n->choice[c++];
                x.of = q->n;
                x.next = q->closed ? q->n : (uint8_t)(q->taken + 1);
                taken = q->taken;
                number = &q->shared;
            } else {
                node *q = &n->at[d++];
                x.a = (alternatives){q->enabled, q->closed ? 0 : q->backtrack, q->sleep | 1u << q->thread};
                taken = q->thread;
                number = &q->shared;
            }
            if (!*number) *number = add_node(p, x);
            assert(*number > parent && *number <= p->nodes && p->node[*number].parent == parent);
            parent = *number;
        }
    }
    unlock(p);
}

/* ---- claiming ---- */

static unsigned claim_alternative(shared_node *x, thread_set *sleep) {
    assert(has_left(x));
    *sleep = x->a.sleep;
    if (x->of) return x->next++;
    unsigned t = (unsigned)__builtin_ctz(left_at(x));
    x->a.sleep |= 1u << t;
    assert(!(*sleep >> t & 1) && !(left_at(x) >> t & 1)); /* claimed once */
    return t;
}

/* The path to the node becomes what the walk is given, with the alternative as its end. */
static void give_path(const pool *p, walk *k, uint32_t number, unsigned taken) {
    k->given.length = 0;
    uint32_t length = 0;
    for (uint32_t x = number; x; x = p->node[x].parent) {
        assert(p->node[x].parent < x);
        length++;
    }
    walk_reserve_given(k, length);
    for (uint32_t x = number, i = length; i-- > 0; x = p->node[x].parent) {
        assert(x && i < k->given.room);
        k->given.shared[i] = x;
        k->given.choice[i] = (uint8_t)taken;
        taken = p->node[x].taken;
    }
    k->given.length = length;
}

static bool claim(const share *s, pool *p, walk *k) {
    if (!lock(s, p)) return false;
    bool found = p->queued > 0;
    if (found) {
        uint32_t number = p->queue[p->first];
        p->first = (p->first + 1) % POOL_NODES;
        p->queued--;
        shared_node *x = &p->node[number];
        assert(x->queued);
        x->queued = false;
        unsigned taken = claim_alternative(x, &k->given.sleep);
        give_path(p, k, number, taken);
        enqueue(p, number);
        atomic_fetch_add(&p->working, 1);
    }
    unlock(p);
    return found;
}

/* No process works and nothing is queued: it is over, since only work makes work. */
static bool is_over(const share *s, pool *p) {
    if (!lock(s, p)) return true;
    if (!atomic_load(&p->working) && !p->queued && atomic_load(&p->root_taken)) atomic_store(&p->finished, 1);
    unlock(p);
    return atomic_load(&p->finished);
}

static void count_down(_Atomic uint32_t *counter) {
    const uint32_t before = atomic_fetch_sub(counter, 1);
    assert(before > 0);
    (void)before;
}

static bool get_work(share *s, pool *p, walk *k) {
    atomic_fetch_add(&p->working, 1); /* first, so that is_over does not hold meanwhile */
    if (!atomic_exchange(&p->root_taken, 1)) {
        k->given.length = 0;
        k->working = true;
        return true;
    }
    count_down(&p->working);
    atomic_fetch_add(&p->hungry, 1);
    while (!(k->working = claim(s, p, k)) && !share_is_abandoned(s) && !is_over(s, p)) rest();
    count_down(&p->hungry);
    return k->working;
}

bool share_next(share *s, walk *k) {
    assert(k->o.share_stage < POOLS && k->policy->goes_back);
    pool *p = &s->pool[k->o.share_stage];
    if (share_is_abandoned(s)) return false;
    if (k->working) {
        if (atomic_load_explicit(&p->hungry, memory_order_relaxed)) publish(s, p, &k->n);
        if (walk_go_back(k)) return true;
        k->working = false;
        if (k->cut) atomic_store(&p->cut, 1);
        count_down(&p->working);
    }
    if (!get_work(s, p, k)) return false;
    walk_restart(k);
    return true;
}

void share_leave(share *s, walk *k) {
    if (k->working || !atomic_load(&s->pool[k->o.share_stage].finished)) share_abandon(s);
}
