#include "explore/strategy/share.h"

#include "base/hash.h"
#include "base/mem.h"
#include "explore/reduction/races.h"
#include "explore/strategy/graph_pool.h"
#include "explore/strategy/pieces.h"

#include <assert.h>
#include <ctype.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { POOL_NODES = 1 << 16, SIGNATURES = 1 << 20, POOLS = STAGES_MAX, IDLE_NANOSECONDS = 50000, IDLE_MOST = 40000 };

typedef struct shared_node {
    uint32_t parent;  /* 0: it is the root */
    uint8_t taken;    /* at the parent, to come here: a thread or an alternative */
    uint8_t of, next; /* a choice of so many, the next one that is free; of 0: a thread is picked */
    bool queued;
    bool foreign; /* of a piece (pieces.h): another process explores what is left here */
    /* nodes below it that are published, walks whose path it is on and that published it, or begin there; one of which
     * nothing refers to any more, and that has nothing left, is free again */
    uint32_t references;
    alternatives a; /* sleep has the claimed ones as well */
} shared_node;

typedef struct pool { /* of one stage */
    _Atomic uint32_t lock, hungry, working, root_taken, finished, cut;
    uint32_t nodes;                            /* numbers 1 .. nodes were in use */
    uint32_t used, free;                       /* so many are; the first that is not, its parent being the next */
    uint32_t given;                            /* of a piece: nodes 1 .. given, which stay, and are told again */
    uint32_t queue[POOL_NODES], first, queued; /* nodes with something left, a ring */
    shared_node node[POOL_NODES];
} pool;

struct share {
    unsigned workers;
    graph_pool *graphs;
    _Atomic uint32_t abandoned;
    bool keeps;            /* what is left is wanted: a walk that ends early publishes all it has */
    _Atomic uint32_t lost; /* something that is left could not be published */
    _Atomic uint32_t signatures, too_many;
    _Atomic uint64_t signature[SIGNATURES];
    pool pool[POOLS];
};

share *share_new(unsigned workers) {
    share *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s == MAP_FAILED) return NULL;
    s->workers = workers;
    s->graphs = graph_pool_new(workers);
    if (s->graphs) return s;
    share_free(s);
    return NULL;
}

void share_free(share *s) {
    if (!s) return;
    graph_pool_free(s->graphs);
    munmap(s, sizeof *s);
}

graph_pool *share_graphs(const share *s) { return s->graphs; }

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

/* False: the work was abandoned meanwhile. A process that died may have had the lock; where what is left is wanted it
 * is waited for a while. */
static bool lock(const share *s, pool *p) {
    for (unsigned patience = s->keeps ? IDLE_MOST : 0; atomic_exchange_explicit(&p->lock, 1, memory_order_acquire);) {
        if (share_is_abandoned(s) && !patience--) return false;
        rest();
    }
    return true;
}

void share_seize(share *s, unsigned stage) { lock(s, &s->pool[stage]); }

static void unlock(pool *p) { atomic_store_explicit(&p->lock, 0, memory_order_release); }

/* ---- nodes with something left ---- */

static thread_set left_at(const shared_node *x) { return x->a.backtrack & x->a.enabled & ~x->a.sleep; }
static bool has_left(const shared_node *x) { return !x->foreign && (x->of ? x->next < x->of : left_at(x) != 0); }

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
    return !d->closed && !d->shared && d->backtrack & d->enabled & ~d->sleep & ~thread_bit(d->thread);
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

static uint32_t number_take(pool *p) {
    uint32_t number = p->free;
    if (number) p->free = p->node[number].parent;
    else number = ++p->nodes;
    assert(number && number < POOL_NODES && p->used < POOL_NODES);
    p->used++;
    return number;
}

static uint32_t add_node(pool *p, shared_node x) {
    assert(x.of ? x.next <= x.of : x.a.sleep != 0); /* the publisher's own alternative is taken */
    const uint32_t number = number_take(p);
    if (x.parent) p->node[x.parent].references++;
    x.references = 1; /* the publisher */
    p->node[number] = x;
    enqueue(p, number);
    return number;
}

/* One reference less; nodes that nothing refers to are free, and refer to their parents no more. */
static void release(pool *p, uint32_t number) {
    while (number) {
        shared_node *x = &p->node[number];
        assert(x->references && p->used);
        if (--x->references || x->queued || has_left(x)) return;
        const uint32_t parent = x->parent;
        x->parent = p->free;
        p->free = number;
        p->used--;
        number = parent;
    }
}

static void note_published(walk *k, uint32_t number, uint32_t index, bool is_choice) {
    if (k->publisheds == k->published_room) {
        k->published_room = k->published_room ? 2 * k->published_room : 64;
        k->published = MEM_GROW(k->published, published_node, k->published_room);
    }
    k->published[k->publisheds++] = (published_node){number, index, is_choice};
}

/* What the walk has gone back over, or all it has published. */
static void release_published(const share *s, pool *p, walk *k, bool all) {
    if (!k->publisheds || !lock(s, p)) return;
    for (; k->publisheds; k->publisheds--) {
        const published_node *x = &k->published[k->publisheds - 1];
        if (!all && x->index < (x->choice ? k->n.choices : k->n.depth)) break;
        release(p, x->number);
    }
    unlock(p);
}

/* The path to the first node with something left. False: there is none, or no room. */
static bool publish(const share *s, pool *p, walk *k) {
    uint32_t to_node, to_choice, parent = 0;
    nodes *n = &k->n;
    if (!find_open(n, &to_node, &to_choice) || !lock(s, p)) return false;
    const bool room = p->used + to_node + to_choice < POOL_NODES;
    if (room) {
        uint8_t taken = 0;
        for (uint32_t d = 0, c = 0; d < to_node || c < to_choice;) {
            shared_node x = {.parent = parent, .taken = taken};
            uint32_t *number, index;
            const bool is_choice = choice_is_next(n, d, c);
            if (is_choice) {
                index = c;
                choice *q = &n->choice[c++];
                x.of = q->n;
                x.next = q->closed ? q->n : (uint8_t)(q->taken + 1);
                taken = q->taken;
                number = &q->shared;
            } else {
                index = d;
                node *q = &n->at[d++];
                x.a = (alternatives){q->enabled, q->closed ? 0 : q->backtrack, q->sleep | thread_bit(q->thread)};
                taken = q->thread;
                number = &q->shared;
            }
            if (!*number) note_published(k, *number = add_node(p, x), index, is_choice);
            assert(*number <= p->nodes && p->node[*number].parent == parent);
            parent = *number;
        }
    }
    unlock(p);
    return room;
}

/* ---- claiming ---- */

static unsigned claim_alternative(shared_node *x, thread_set *sleep) {
    assert(has_left(x));
    *sleep = x->a.sleep;
    if (x->of) return x->next++;
    unsigned t = thread_lowest(left_at(x));
    x->a.sleep |= thread_bit(t);
    assert(!(*sleep >> t & 1) && !(left_at(x) >> t & 1)); /* claimed once */
    return t;
}

/* The path to the node becomes what the walk is given, with the alternative as its end. */
static void give_path(const pool *p, walk *k, uint32_t number, unsigned taken) {
    k->given.length = 0;
    uint32_t length = 0;
    for (uint32_t x = number; x; x = p->node[x].parent) {
        assert(length < p->used);
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
        x->references++; /* the claimant, until it is done */
        enqueue(p, number);
        atomic_fetch_add(&p->working, 1);
    }
    unlock(p);
    return found;
}

/* No process works and nothing is queued: it is over, since only work makes work. */
static bool is_over(const share *s, pool *p) {
    if (!lock(s, p)) return true;
    if (!atomic_load(&p->working) && !p->queued && atomic_load(&p->root_taken)) {
        assert(p->used == p->given); /* every node is free again */
        atomic_store(&p->finished, 1);
    }
    unlock(p);
    return atomic_load(&p->finished);
}

static void count_down(_Atomic uint32_t *counter) {
    const uint32_t before = atomic_fetch_sub(counter, 1);
    assert(before > 0);
    (void)before;
}

/* What the walk had claimed is explored. */
static void give_back(const share *s, pool *p, walk *k) {
    release_published(s, p, k, true);
    if (k->given.length && lock(s, p)) {
        release(p, k->given.shared[k->given.length - 1]);
        unlock(p);
    }
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
        if (atomic_load_explicit(&p->hungry, memory_order_relaxed)) publish(s, p, k);
        const bool more = walk_go_back(k);
        release_published(s, p, k, false);
        if (more) return true;
        give_back(s, p, k);
        k->working = false;
        if (k->cut) atomic_store(&p->cut, 1);
        count_down(&p->working);
    }
    if (!get_work(s, p, k)) return false;
    walk_restart(k);
    return true;
}

/* Of a walk that ends early, between two executions. */
static void publish_all(share *s, pool *p, walk *k) {
    uint32_t to_node, to_choice;
    while (publish(s, p, k)) continue;
    if (k->diverged || find_open(&k->n, &to_node, &to_choice)) atomic_store(&s->lost, 1);
}

void share_leave(share *s, walk *k) {
    if (s->keeps && k->working) publish_all(s, &s->pool[k->o.share_stage], k);
    if (k->cut) atomic_store(&s->pool[k->o.share_stage].cut, 1);
    if (k->working || !atomic_load(&s->pool[k->o.share_stage].finished)) share_abandon(s);
}

/* ---- what is left, as text ---- */

void share_keep(share *s) { s->keeps = true; }
bool share_is_piece(const share *s, unsigned stage) { return s->pool[stage].given > 0; }

static bool set_read(const char **from, char end, thread_set *out) {
    const char *at = *from;
    for (*out = 0; *at != end; at++) {
        if (!isxdigit((unsigned char)*at) || isupper((unsigned char)*at) || *out >> (8 * sizeof *out - 4)) return false;
        const unsigned digit = (unsigned)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
        *out = *out << 4 | digit;
    }
    if (at == *from) return false;
    *from = at + 1;
    return true;
}

static void node_write(const shared_node *x, uint32_t parent, bool given, text *out) {
    text_printf(out, "%x,%x,%x,%x,", parent, x->taken, x->of, x->next);
    wide_set_write(out, x->a.enabled);
    text_char(out, ',');
    wide_set_write(out, x->a.backtrack);
    text_char(out, ',');
    wide_set_write(out, x->a.sleep);
    text_char(out, x->foreign ? NODE_FOREIGN : given ? NODE_OWN : NODE_PLAIN);
}

/* A node behind its parents, each once, with new numbers. */
static void path_write(const pool *p, uint32_t number, uint32_t *written, uint32_t *count, uint32_t *path, text *out) {
    uint32_t length = 0;
    for (uint32_t x = number; x && !written[x]; x = p->node[x].parent) path[length++] = x;
    while (length--) {
        const shared_node *x = &p->node[path[length]];
        node_write(x, written[x->parent], path[length] <= p->given, out);
        written[path[length]] = ++*count;
    }
}

bool share_save(const share *s, unsigned stage, text *out) {
    const pool *p = &s->pool[stage];
    uint32_t *written = mem_zero(POOL_NODES, sizeof *written), *path = MEM_ARRAY(uint32_t, POOL_NODES), count = 0;
    const bool all = !atomic_load(&s->lost) && atomic_load(&p->root_taken);
    text_printf(out, "%u ", atomic_load(&p->cut));
    for (uint32_t i = 1; all && i <= p->given; i++) path_write(p, i, written, &count, path, out);
    for (uint32_t i = 0; all && i < p->queued; i++)
        path_write(p, p->queue[(p->first + i) % POOL_NODES], written, &count, path, out);
    FREE_ALL(written, path);
    return all;
}

static bool node_read(const char **from, pool *p, uint32_t number) {
    thread_set field[7];
    const char *end = strpbrk(*from, " +!"), kind = end ? *end : NODE_PLAIN;
    for (unsigned i = 0; i < 7; i++)
        if (!set_read(from, i < 6 ? ',' : kind, &field[i])) return false;
    if (number > 1 && (kind != NODE_PLAIN) != (p->given > 0)) return false; /* a piece, or not */
    const thread_set all = ((thread_set)2 << (THREADS_MAX - 1)) - 1;
    const shared_node x = {.parent = (uint32_t)field[0],
                           .taken = (uint8_t)field[1],
                           .of = (uint8_t)field[2],
                           .next = (uint8_t)field[3],
                           .foreign = kind == NODE_FOREIGN,
                           .references = kind != NODE_PLAIN,
                           .a = {field[4], field[5], field[6]}};
    if (field[0] >= number || (number > 1 && !field[0]) || field[1] > UINT8_MAX || field[2] > UINT8_MAX ||
        field[3] > field[2] || (field[4] | field[5] | field[6]) & ~all)
        return false;
    if (!x.of && !x.a.sleep) return false;
    p->node[number] = x;
    if (x.parent) p->node[x.parent].references++;
    p->nodes = p->used = number;
    if (kind != NODE_PLAIN) p->given = number;
    return true;
}

bool share_load(share *s, unsigned stage, const char *from) {
    pool *p = &s->pool[stage];
    thread_set cut;
    assert(!p->nodes && !p->root_taken);
    if (!set_read(&from, ' ', &cut)) return false;
    while (*from)
        if (p->nodes + 2 >= POOL_NODES || !node_read(&from, p, p->nodes + 1)) return false;
    for (uint32_t i = 1; i <= p->nodes; i++) {
        if (!has_left(&p->node[i]) && p->node[i].references <= (p->given > 0))
            return false; /* a leaf has something left */
        enqueue(p, i);
    }
    atomic_store(&p->cut, cut != 0);
    atomic_store(&p->root_taken, 1);
    return true;
}
