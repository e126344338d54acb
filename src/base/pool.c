#undef free /* here it is the C library's */

#include "base/pool.h"

#include <assert.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>

_Thread_local pool_scope *pool_now __attribute__((tls_model("initial-exec")));

/* ---- rings ---- */

static void ring_init(pool_link *r) { r->before = r->after = r; }
static bool ring_is_empty(const pool_link *r) { return r->after == r; }

static void link_after(pool_link *l, pool_link *where) {
    l->before = where;
    l->after = where->after;
    where->after->before = l;
    where->after = l;
}

static void unlink_from_ring(pool_link *l) {
    assert(l->before->after == l && l->after->before == l); /* it was allocated in a pool */
    l->before->after = l->after;
    l->after->before = l->before;
    *l = (pool_link){0};
}

static void move_ring(pool_link *from, pool_link *to) {
    if (ring_is_empty(from)) return;
    from->before->after = to->after;
    to->after->before = from->before;
    from->after->before = to;
    to->after = from->after;
    ring_init(from);
}

static pthread_mutex_t *lock_rings(const pool_scope *s) {
    if (!s || !s->family || !atomic_load_explicit(&s->family->teams, memory_order_relaxed)) return NULL;
    pthread_mutex_lock(&s->family->lock);
    return &s->family->lock;
}

static void unlock_rings(pthread_mutex_t *held) {
    if (held) pthread_mutex_unlock(held);
}

/* At the end of a block, so that the block's address is the allocator's own, whatever its alignment. */
typedef struct pool_trailer {
    pool_link link;
    void *block;
} pool_trailer;

static pool_trailer *trailer_of(void *block) {
    size_t end = malloc_usable_size(block) / sizeof(void *) * sizeof(void *);
    assert(end >= pool_size(0));
    return (pool_trailer *)(void *)((char *)block + end - sizeof(pool_trailer));
}

static void keep_after(void *block, pool_link *where) {
    pool_trailer *t = trailer_of(block);
    t->block = block;
    link_after(&t->link, where);
}

void pool_keep(void *block) {
    pool_scope *s = pool_now;
    pthread_mutex_t *held = lock_rings(s);
    keep_after(block, s->beside ? s->beside : &s->pool->blocks);
    unlock_rings(held);
}

void pool_unkeep(void *block) {
    pthread_mutex_t *held = lock_rings(pool_now);
    assert(trailer_of(block)->block == block);
    unlink_from_ring(&trailer_of(block)->link);
    unlock_rings(held);
}

/* Under the lock throughout: the neighbour in the ring has to stay. */
void *pool_resize(void *block, size_t own) {
    pthread_mutex_t *held = lock_rings(pool_now);
    pool_link *where = trailer_of(block)->link.before;
    unlink_from_ring(&trailer_of(block)->link);
    void *resized = realloc(block, pool_size(own));
    keep_after(resized ? resized : block, where);
    unlock_rings(held);
    return resized;
}

/* ---- pools ---- */

void pool_init(mem_pool *p) {
    ring_init(&p->blocks);
    ring_init(&p->cleanups);
    p->lost = false;
}

bool pool_is_empty(const mem_pool *p) { return ring_is_empty(&p->blocks) && ring_is_empty(&p->cleanups); }

/* A cleanup frees blocks of its own: the ring is not locked while it runs. */
static bool run_last_cleanup(mem_pool *p) {
    pthread_mutex_t *held = lock_rings(pool_now);
    pool_cleanup *c = ring_is_empty(&p->cleanups) ? NULL : (pool_cleanup *)(void *)p->cleanups.after;
    if (c) unlink_from_ring(&c->link);
    unlock_rings(held);
    if (c) c->run(c->what);
    return c;
}

/* In a scope of its own, so that cleanups may free what the pool has. */
void pool_drop(mem_pool *p) {
    pool_scope s;
    s.pool = p;
    s.back = NULL;
    s.beside = NULL;
    s.held = NULL;
    s.family = pool_now ? pool_now->family : NULL;
    s.outer = pool_now;
    pool_now = &s;
    while (run_last_cleanup(p)) {}
    pthread_mutex_t *held = lock_rings(&s);
    while (!ring_is_empty(&p->blocks)) {
        pool_trailer *t = (pool_trailer *)(void *)p->blocks.after;
        unlink_from_ring(&t->link);
        free(t->block);
    }
    unlock_rings(held);
    pool_now = s.outer;
    p->lost = false;
}

static void merge(mem_pool *from, mem_pool *to) {
    pthread_mutex_t *held = lock_rings(pool_now);
    move_ring(&from->blocks, &to->blocks);
    move_ring(&from->cleanups, &to->cleanups);
    to->lost = to->lost || from->lost;
    unlock_rings(held);
}

/* ---- running in a pool ---- */

/* The only frame that is jumped back to: what it needs afterwards does not change in between. */
static bool run_in(pool_scope *s, void (*body)(void *argument), void *argument) {
    jmp_buf back;
    s->back = &back;
    s->beside = NULL;
    s->held = NULL;
    s->outer = pool_now;
    if (setjmp(back)) return false;
    pool_now = s;
    body(argument);
    assert(pool_now == s && !s->held);
    pool_now = s->outer;
    return true;
}

bool pool_run(mem_pool *p, void (*body)(void *argument), void *argument) {
    pool_scope s; /* few of its fields are needed: this is on the way of every guarded operation */
    s.pool = p;
    s.family = NULL;
    return run_in(&s, body, argument);
}

bool pool_try(void (*body)(void *argument), void *argument) {
    if (!pool_now) {
        body(argument);
        return true;
    }
    return pool_team_try(pool_now, body, argument);
}

bool pool_none_or_fail(void) {
    pool_scope *s = pool_now;
    if (!s) return true;
    assert(s->back); /* cleanups allocate nothing */
    if (s->held) pthread_mutex_unlock(s->held);
    pool_drop(s->pool);
    pool_now = s->outer;
    longjmp(*(jmp_buf *)s->back, 1);
}

bool pool_is_running(void) { return pool_now; }

/* ---- threads ---- */

pool_scope *pool_team_begin(void) {
    pool_scope *s = pool_now;
    if (!s) return NULL;
    if (!s->family) {
        pthread_mutex_init(&s->own.lock, NULL);
        atomic_init(&s->own.teams, 0);
        s->family = &s->own;
    }
    atomic_fetch_add(&s->family->teams, 1);
    return s;
}

void pool_team_end(pool_scope *starter) {
    if (starter) atomic_fetch_sub(&starter->family->teams, 1);
}

bool pool_team_try(pool_scope *starter, void (*body)(void *argument), void *argument) {
    if (!starter) {
        body(argument);
        return true;
    }
    mem_pool own;
    pool_init(&own);
    pool_scope s;
    s.pool = &own;
    s.family = starter->family;
    bool good = run_in(&s, body, argument);
    pool_scope *before = pool_now;
    pool_now = starter; /* whose family the rings are of */
    own.lost = own.lost || !good;
    merge(&own, starter->pool);
    pool_now = before;
    return good;
}

/* ---- what several pools share ---- */

void pool_enter(void *block, pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    if (!pool_now) return;
    assert(!pool_now->held);
    pool_now->held = lock;
    pool_now->beside = &trailer_of(block)->link;
}

void pool_leave(pthread_mutex_t *lock) {
    if (pool_now) {
        assert(pool_now->held == lock);
        pool_now->held = NULL;
        pool_now->beside = NULL;
    }
    pthread_mutex_unlock(lock);
}

pool_link *pool_beside(void *block) {
    if (!pool_now) return NULL;
    pool_link *before = pool_now->beside;
    pool_now->beside = &trailer_of(block)->link;
    return before;
}

void pool_beside_end(pool_link *before) {
    if (pool_now) pool_now->beside = before;
}

/* ---- other resources ---- */

void pool_at_failure(pool_cleanup *c, void (*run)(void *what), void *what) {
    *c = (pool_cleanup){.run = run, .what = what};
    if (!pool_now) return;
    pthread_mutex_t *held = lock_rings(pool_now);
    link_after(&c->link, &pool_now->pool->cleanups);
    unlock_rings(held);
}

void pool_forget(pool_cleanup *c) {
    if (!c->link.after) return;
    pthread_mutex_t *held = lock_rings(pool_now);
    unlink_from_ring(&c->link);
    unlock_rings(held);
}
