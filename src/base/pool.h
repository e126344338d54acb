/* What a public call of the library allocates belongs to a pool, so that running out of memory in its midst ends the
 * call and not the process that made it:
 *
 *     if (!pool_run(&h->pool, add_call, &arguments)) ...     out of memory: the pool is empty now, and h of no use
 *
 * While a pool runs, mem_alloc and its like (base/mem.h) link every block into the pool, and `free`, which is mem_free
 * in the rooms of the library (cmake/libraries.cmake), unlinks it. When an allocation fails, everything that the pool
 * holds is released and pool_run returns false. Outside of any pool, as in the command, blocks are malloc's, and
 * running out of memory is exit code 70. So what is allocated while a pool runs must be freed while one runs.
 *
 * Pools nest (pool_try: one engine of several may fail alone), and threads that a call starts have pools of their own
 * (pool_team). A block stays in its pool when it is resized. */
#ifndef PLUMB_BASE_POOL_H
#define PLUMB_BASE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct pool_link { /* of a ring; all zero: in none */
    struct pool_link *before, *after;
} pool_link;

/* Something else than memory, to be given back when the pool is dropped: a file, a thread, the memory of a plug-in. */
typedef struct pool_cleanup {
    pool_link link;
    void (*run)(void *what);
    void *what;
} pool_cleanup;

typedef struct mem_pool {
    pool_link blocks, cleanups; /* rings, this being their beginning and end */
    bool lost;                  /* a pool inside this one ran out of memory: something may be left in this one */
} mem_pool;

void pool_init(mem_pool *p);
void pool_drop(mem_pool *p); /* runs the cleanups, last one first, and frees all blocks */
bool pool_is_empty(const mem_pool *p);

/* Runs `body` in the pool. False: out of memory, and the pool was dropped. */
bool pool_run(mem_pool *p, void (*body)(void *argument), void *argument);
/* The same in a pool of its own, whose blocks then belong to the surrounding one. Without one it just runs. */
bool pool_try(void (*body)(void *argument), void *argument);
/* Ends the running pool as a failed allocation does. True: there is none. */
bool pool_none_or_fail(void);
bool pool_is_running(void);

/* ---- threads that a call starts, and waits for ---- */

typedef struct pool_scope pool_scope;

/* In the thread that starts others, before and after; NULL and no effect without a pool. */
pool_scope *pool_team_begin(void);
void pool_team_end(pool_scope *starter);
/* In the thread itself: pool_try, the surrounding pool being the starter's. */
bool pool_team_try(pool_scope *starter, void (*body)(void *argument), void *argument);

/* ---- what several pools share ---- */

/* Until pool_leave, new blocks belong to the pool of `block`, which was allocated by mem_alloc, and not to the running
 * one, which may be dropped before. Locks `lock`, which is unlocked should memory run out. */
void pool_enter(void *block, pthread_mutex_t *lock);
void pool_leave(pthread_mutex_t *lock);

pool_link *pool_beside(void *block); /* the same without a lock; for pool_beside_end */
void pool_beside_end(pool_link *before);

/* ---- other resources ---- */

void pool_at_failure(pool_cleanup *c, void (*run)(void *what), void *what); /* no effect without a pool */
void pool_forget(pool_cleanup *c);                                          /* the owner has given it back, or will */

/* ---- for base/mem.c ---- */

struct pool_scope {
    void *back; /* jmp_buf */
    mem_pool *pool;
    pool_link *beside; /* where new blocks are linked; NULL: into the pool */
    pthread_mutex_t *held;
    struct pool_family *family;
    pool_scope *outer;
};

extern _Thread_local pool_scope *pool_now __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Bytes of a block that is to be kept: behind its own come its place in the ring and its address. */
static inline size_t pool_size(size_t own) {
    enum { WORD = sizeof(void *) };
    return (own + WORD - 1) / WORD * WORD + sizeof(pool_link) + WORD;
}
void pool_keep(void *block);
void pool_unkeep(void *block);
void *pool_resize(void *block, size_t own); /* realloc of a kept block, in its pool; NULL: failed, it is as it was */

#endif
