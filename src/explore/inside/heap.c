/* The heap of the code under test: an arena for each thread at a fixed address, so that allocations of different
 * threads commute, and freed blocks that are remembered as such.
 *
 * A freed block goes to the thread that freed it: what malloc returns depends on nothing but the thread's own past, and
 * on the policy of reuse. Whether a bug needs a block to come back soon (ABA) or late is a choice of that policy.
 * Where the policy is to choose, blocks that other threads have freed come back as well: then who frees and who
 * allocates first matters, and both are steps that touch one place for all blocks of a size.
 * Between any two blocks lies an unused granule, so that running over the end of one is seen.
 *
 * What constructors of the program allocate, before the first execution, is at the beginning of the first thread's
 * arena and put back before each execution like global variables. */
#include "explore/inside/heap.h"
#include "explore/inside/check.h"
#include "explore/inside/detail.h"
#include "explore/inside/failures.h"
#include "explore/inside/hooks.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { GRANULE = HEAP_GRANULE, CLASSES = 64, LISTED = 128 };

/* of the first granule; pc: who allocated or freed it */
typedef struct allocation {
    uint32_t granules, bytes;
    uintptr_t pc;
} allocation;

/* The newest allocation of a size that a thread made beside others, by that thread's clock of races.c. */
typedef struct newest_made {
    uintptr_t pc;
    uint64_t clock;
} newest_made;

typedef struct heap_arena {
    uintptr_t end; /* of what was ever used */
    /* another number whenever blocks, their states or what was freed are others: equal numbers, equal contents */
    uint64_t version;
    uint64_t classes; /* of which something was freed: what the other lists have is nothing */
    uint64_t makes;   /* of which its thread has allocated something beside others */
    uint32_t freed[CLASSES];
    uint32_t list[CLASSES][LISTED]; /* oldest first */
    newest_made made[CLASSES];
} heap_arena;

uint8_t *heap_uses COPIED_STATE;
static heap_arena arenas[THREADS_MAX] COPIED_STATE;
static allocation *blocks COPIED_STATE;
static uint64_t in_use COPIED_STATE;
static thread_set arenas_used COPIED_STATE; /* in this execution */

static struct { /* what the constructors left */
    size_t size;
    char *memory;
    uint8_t *state;
    allocation *blocks;
    heap_arena arena;
    uint64_t in_use;
} birth PROCESS_STATE;

bool heap_open(char *wrong, size_t room) {
    if (blocks) return true;
    size_t granules = ARENA_ROOM * THREADS_MAX / GRANULE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *heap =
        mmap((void *)HEAP_BASE, ARENA_ROOM * THREADS_MAX, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    heap_uses = mmap(NULL, granules, PROT_READ | PROT_WRITE, flags, -1, 0);
    blocks = mmap(NULL, granules * sizeof *blocks, PROT_READ | PROT_WRITE, flags, -1, 0);
    for (unsigned t = 0; t < THREADS_MAX; t++) arenas[t].end = HEAP_BASE + t * ARENA_ROOM;
    if (heap == (void *)HEAP_BASE && heap_uses != MAP_FAILED && blocks != MAP_FAILED) return true;
    snprintf(wrong, room, "no room for the heap of executions at %#lx", (unsigned long)HEAP_BASE);
    blocks = NULL;
    return false;
}

static uint64_t versions PROCESS_STATE; /* given out so far */
static inline void arena_changes(heap_arena *a) { a->version = ++versions; }

static inline uintptr_t arena_base(unsigned t) { return HEAP_BASE + t * ARENA_ROOM; }

/* From there on it is as if it had never been used. */
static void arena_cut(unsigned t, uintptr_t end) {
    size_t more = arenas[t].end > end ? arenas[t].end - end : 0;
    INVARIANT(end - arena_base(t) <= ARENA_ROOM && end % GRANULE == 0);
    arena_changes(&arenas[t]);
    arenas[t].end = end;
    if (!more) return;
    memset((void *)end, 0, more);
    memset(heap_uses + heap_granule(end), NEVER_USED, more / GRANULE);
    memset(blocks + heap_granule(end), 0, more / GRANULE * sizeof *blocks);
}

static void arena_forget_frees(heap_arena *a) {
    for (; a->classes; a->classes &= a->classes - 1) a->freed[__builtin_ctzll(a->classes)] = 0;
    a->makes = 0;
}

static void *copy_of(const void *p, size_t size) {
    void *copy = malloc(size);
    return copy ? memcpy(copy, p, size) : NULL;
}

void heap_born(void) {
    birth.size = arenas[0].end - HEAP_BASE;
    if (!birth.size) return;
    birth.memory = copy_of((const void *)HEAP_BASE, birth.size);
    birth.state = copy_of(heap_uses, birth.size / GRANULE);
    birth.blocks = copy_of(blocks, birth.size / GRANULE * sizeof *blocks);
    birth.arena = arenas[0];
    birth.in_use = in_use;
    if (!birth.memory || !birth.state || !birth.blocks) abort();
}

static void birth_restore(void) {
    INVARIANT(birth.size <= ARENA_ROOM && birth.arena.end == HEAP_BASE + birth.size);
    memcpy((void *)HEAP_BASE, birth.memory, birth.size);
    memcpy(heap_uses, birth.state, birth.size / GRANULE);
    memcpy(blocks, birth.blocks, birth.size / GRANULE * sizeof *blocks);
    arenas[0] = birth.arena;
    arenas_used = 1;
    arena_changes(&arenas[0]);
    in_use = birth.in_use;
}

void heap_each_born(void (*each)(uintptr_t address, size_t bytes, uintptr_t pc)) {
    for (uint32_t g = 0; g < birth.size / GRANULE; g++)
        if (birth.blocks[g].granules && birth.state[g] & IN_USE)
            each(HEAP_BASE + (uintptr_t)g * GRANULE, birth.blocks[g].bytes, birth.blocks[g].pc);
}

void heap_reset(void) {
    for (; arenas_used; arenas_used &= arenas_used - 1) {
        unsigned t = thread_lowest(arenas_used);
        arena_forget_frees(&arenas[t]); /* of others' blocks, too */
        arena_cut(t, arena_base(t));
    }
    in_use = 0;
    if (birth.size) birth_restore();
}

TAPE_INLINE void arena_copy_frees(tape *t, heap_arena *a, uint64_t classes, bool same) {
    if (!t->keeping && !same) arena_forget_frees(a);
    a->classes = classes;
    for (uint64_t rest = classes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctzll(rest);
        tape_copy_unless(t, same, &a->freed[i], sizeof a->freed[i]);
        INVARIANT(a->freed[i] <= LISTED);
        tape_copy_unless(t, same, a->list[i], a->freed[i] * sizeof *a->list[i]);
    }
}

TAPE_INLINE void arena_copy_made(tape *t, heap_arena *a, uint64_t makes, bool same) {
    a->makes = makes;
    for (uint64_t rest = makes; rest; rest &= rest - 1)
        tape_copy_unless(t, same, &a->made[__builtin_ctzll(rest)], sizeof a->made[0]);
}

TAPE_INLINE void arena_copy(tape *t, unsigned i) {
    heap_arena *a = &arenas[i];
    struct {
        uintptr_t end;
        uint64_t version, classes, makes;
    } was = {a->end, a->version, a->classes, a->makes};
    tape_copy(t, &was, sizeof was);
    INVARIANT(was.end - arena_base(i) <= ARENA_ROOM && was.version <= versions);
    bool same = !t->keeping && was.version == a->version;
    if (!t->keeping && !same) {
        arena_cut(i, was.end);
        a->end = was.end;
        a->version = was.version;
    }
    const uintptr_t base = arena_base(i);
    const size_t size = was.end - base;
    tape_copy_pairs(t, (void *)base, size);
    _Static_assert(sizeof *blocks == GRANULE, "as many bytes as the memory");
    const size_t states = (size / GRANULE + 7) & ~(size_t)7; /* behind the end they say that it was never used */
    if (same) t->at += size + states;
    else {
        tape_copy_words(t, heap_uses + heap_granule(base), states);
        tape_copy_pairs(t, blocks + heap_granule(base), size);
    }
    arena_copy_frees(t, a, was.classes, same);
    arena_copy_made(t, a, was.makes, same);
}

TAPE_INLINE void heap_copy_in(tape *t, thread_set used) {
    tape_copy(t, &used, sizeof used);
    for (thread_set rest = used; rest; rest &= rest - 1) arena_copy(t, thread_lowest(rest));
    for (thread_set rest = arenas_used & ~used; rest; rest &= rest - 1) {
        unsigned i = thread_lowest(rest);
        arena_forget_frees(&arenas[i]);
        arena_cut(i, arena_base(i));
    }
    arenas_used = used;
    tape_copy(t, &in_use, sizeof in_use);
}

void heap_copy(tape *t) { TAPE_BOTH_WAYS(t, heap_copy_in, arenas_used); }

/* Who allocated or freed a block is for messages only. */
static void arena_hash(hash128 *h, unsigned t) {
    const heap_arena *a = &arenas[t];
    const uintptr_t base = arena_base(t);
    const size_t size = a->end - base, granules = size / GRANULE;
    const uint32_t first = heap_granule(base);
    hash128_words(h, t, a->classes);
    hash128_bytes(h, (const void *)base, size);
    hash128_bytes(h, heap_uses + first, granules);
    for (size_t g = 0; g < granules; g++)
        if (blocks[first + g].granules) hash128_words(h, g, blocks[first + g].bytes);
    for (uint64_t rest = a->classes; rest; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(rest);
        hash128_bytes(h, a->list[i], a->freed[i] * sizeof *a->list[i]);
    }
}

void heap_hash(hash128 *h) {
    for (thread_set rest = arenas_used; rest; rest &= rest - 1) arena_hash(h, thread_lowest(rest));
}

/* A thread may free what another one has allocated: the block is in one arena, and will be used again by the other. */
static void block_changes(uint32_t g) {
    arena_changes(&arenas[fiber_now()->number]);
    arena_changes(&arenas[g / (ARENA_ROOM / GRANULE)]);
}

static void *block_use(uint32_t g, uint32_t granules, size_t bytes, uintptr_t pc) {
    INVARIANT(granules && bytes <= (size_t)granules * GRANULE && !(heap_uses[g] & IN_USE));
    INVARIANT(!(heap_uses[g + granules] & IN_USE)); /* an unused granule lies between any two blocks */
    block_changes(g);
    const uint32_t whole = (uint32_t)(bytes / GRANULE);
    memset(heap_uses + g, IN_USE, whole);
    memset(heap_uses + g + whole, PARTLY_USED, granules - whole);
    blocks[g] = (allocation){granules, (uint32_t)bytes, pc};
    in_use++;
    if (UNLIKELY(detail_wanted())) detail_block(HEAP_BASE + (uintptr_t)g * GRANULE, bytes, pc);
    return (void *)(HEAP_BASE + (uintptr_t)g * GRANULE);
}

/* ---- blocks that come back ---- */

static bool frees_are_seen(uint32_t granules) {
    return options_now()->reuse == REUSE_CHOOSE && mode_now() == RECORDING && granules < CLASSES;
}
static uintptr_t frees_place(uint32_t granules) { return FREES_BASE + (uintptr_t)granules * 8; }
static uintptr_t block_place(uint32_t g) { return FREES_BASE + (CLASSES + (uintptr_t)g) * 8; }

static void *block_take(heap_arena *a, uint32_t i, uint32_t granules, size_t bytes, uintptr_t pc) {
    uint32_t n = a->freed[granules], g = a->list[granules][i];
    INVARIANT(n && n <= LISTED && i < n);
    INVARIANT(heap_uses[g] == FREED && blocks[g].granules == granules);
    memmove(&a->list[granules][i], &a->list[granules][i + 1], (n - 1 - i) * sizeof a->list[0][0]);
    a->freed[granules]--;
    arena_changes(a);
    if (frees_are_seen(granules)) races_allocated(block_place(g));
    return block_use(g, granules, bytes, pc);
}

/* ---- other memory could have been handed out, which --reuse choose would have tried ----
 *
 * Where allocating and freeing are no steps, executions that differ in nothing but their order are one: what could have
 * been the other way round counts, too. */

static bool reuse_is_fixed(uint32_t granules) {
    return granules < CLASSES && mode_now() == RECORDING && options_now()->reuse != REUSE_CHOOSE;
}

static void note_allocation(uint32_t granules, uintptr_t pc) {
    const unsigned me = fiber_now()->number;
    if (!reuse_is_fixed(granules)) return;
    for (thread_set rest = arenas_used; rest; rest &= rest - 1)
        if (arenas[thread_lowest(rest)].freed[granules]) limit_at(PLACE_REUSE_FIXED, pc);
    arenas[me].makes |= UINT64_C(1) << granules;
    arenas[me].made[granules] = (newest_made){pc, fiber_now()->clocks.knows[me]};
    arena_changes(&arenas[me]);
}

static void note_release(uint32_t granules) {
    if (!reuse_is_fixed(granules)) return;
    for (thread_set rest = arenas_used & ~thread_bit(fiber_now()->number); rest; rest &= rest - 1) {
        const unsigned other = thread_lowest(rest);
        const newest_made *m = &arenas[other].made[granules];
        if (arenas[other].makes >> granules & 1 && fiber_now()->clocks.knows[other] < m->clock)
            limit_at(PLACE_REUSE_FIXED, m->pc);
    }
}

/* The newest of its own first, then those of the others, and last memory that was never used: an allocator may hand out
 * any of them. NULL: that, or there is nothing else. */
static void *block_choose(uint32_t granules, size_t bytes, uintptr_t pc) {
    const unsigned me = fiber_now()->number;
    uint32_t all = 0;
    for (thread_set rest = arenas_used; rest; rest &= rest - 1) all += arenas[thread_lowest(rest)].freed[granules];
    if (!all) return NULL;
    uint32_t i = world_choose(all + 1, CHOICE_OF_MEMORY);
    if (i == all) return NULL;
    if (i < arenas[me].freed[granules])
        return block_take(&arenas[me], arenas[me].freed[granules] - 1 - i, granules, bytes, pc);
    i -= arenas[me].freed[granules];
    for (thread_set rest = arenas_used & ~thread_bit(me);; rest &= rest - 1) {
        INVARIANT(rest);
        heap_arena *a = &arenas[thread_lowest(rest)];
        if (i < a->freed[granules]) return block_take(a, a->freed[granules] - 1 - i, granules, bytes, pc);
        i -= a->freed[granules];
    }
}

static void *block_reuse(uint32_t granules, size_t bytes, uintptr_t pc) {
    heap_arena *a = &arenas[fiber_now()->number];
    if (options_now()->reuse == REUSE_CHOOSE) return block_choose(granules, bytes, pc);
    if (options_now()->reuse == REUSE_NEVER || !a->freed[granules]) return NULL;
    return block_take(a, options_now()->reuse == REUSE_OLDEST ? 0 : a->freed[granules] - 1, granules, bytes, pc);
}

void *heap_allocate(size_t size, size_t alignment, uintptr_t pc) {
    heap_arena *a = &arenas[fiber_now()->number];
    if (size > ARENA_ROOM / 2) return NULL;
    arenas_used |= (thread_set)1 << fiber_now()->number;
    uint32_t granules = size ? (uint32_t)((size + GRANULE - 1) / GRANULE) : 1;
    note_allocation(granules, pc);
    if (UNLIKELY(frees_are_seen(granules))) {
        step_describe(STEP_NOTHING, frees_place(granules), 1, PLACE_WRITE, pc);
        step_take();
    }
    if (alignment <= GRANULE && granules < CLASSES) {
        void *again = block_reuse(granules, size, pc);
        if (again) return again;
    }
    uintptr_t p = alignment > GRANULE ? (a->end + alignment - 1) & ~(alignment - 1) : a->end;
    uintptr_t end = p + (granules + 1) * GRANULE;
    if (end > HEAP_BASE + (fiber_now()->number + 1) * ARENA_ROOM)
        fail(FAILURE_UNMODELLED, "thread %u allocates more than %lu MB in one execution", fiber_now()->number,
             (unsigned long)(ARENA_ROOM >> 20));
    INVARIANT(p >= a->end && p % GRANULE == 0 && heap_uses[heap_granule(p)] == NEVER_USED);
    a->end = end;
    return block_use(heap_granule(p), granules, size, pc);
}

static void release_check(void *p, uintptr_t pc) {
    uintptr_t a = (uintptr_t)p;
    uint32_t g = heap_granule(a);
    if (a % GRANULE || !blocks[g].granules)
        fail(FAILURE_INVALID_FREE, "free of %p, which malloc never returned, at %#lx", p, (unsigned long)pc);
    if (heap_uses[g] == FREED)
        fail(FAILURE_DOUBLE_FREE, "%p is freed again at %#lx; it was freed at %#lx", p, (unsigned long)pc,
             (unsigned long)blocks[g].pc);
}

/* Freeing is a write to the whole block: a thread that still reads it is in a race with this. */
void heap_release(void *p, uintptr_t pc) {
    release_check(p, pc);
    uint32_t g = heap_granule((uintptr_t)p), granules = blocks[g].granules;
    const bool seen = frees_are_seen(granules);
    if (mode_now() == RECORDING && (shared_touch((uintptr_t)p, (uint64_t)granules * GRANULE, true) || seen)) {
        step *s = step_describe(STEP_FREE, (uintptr_t)p, granules * GRANULE, PLACE_WRITE, pc);
        if (seen) step_second(frees_place(granules), 1, PLACE_WRITE);
        s->flags |= STEP_PLAIN;
        step_take();
        races_access(s, true, true);
        release_check(p, pc);
        if (seen) races_freed(block_place(g));
    }
    note_release(granules);
    if (mode_now() == RECORDING) windows_forbid();
    spin_forget(fiber_now());
    INVARIANT(in_use && heap_uses[g] & IN_USE && heap_uses[g + granules - 1] & IN_USE);
    INVARIANT(blocks[g].granules == granules && blocks[g].bytes <= granules * GRANULE);
    block_changes(g);
    memset(heap_uses + g, FREED, granules);
    blocks[g].pc = pc;
    in_use--;
    if (UNLIKELY(detail_wanted())) detail_freed((uintptr_t)p);
    heap_arena *a = &arenas[fiber_now()->number];
    arenas_used |= (thread_set)1 << fiber_now()->number;
    if (granules >= CLASSES || a->freed[granules] == LISTED) return;
    a->classes |= UINT64_C(1) << granules;
    INVARIANT(a->freed[granules] < LISTED);
    a->list[granules][a->freed[granules]++] = g;
}

void heap_each_used(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size), void *context) {
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        uintptr_t base = HEAP_BASE + t * ARENA_ROOM;
        if (arenas[t].end > base) each(context, base, (const void *)base, arenas[t].end - base);
    }
}

size_t heap_size(const void *p) { return blocks[heap_granule((uintptr_t)p)].bytes; }

static uint32_t block_of(uint32_t g) {
    while (g > 0 && !blocks[g].granules) g--;
    return g;
}

/* Of the block that the last byte lies in. */
static bool is_behind_the_end(uintptr_t a, uint64_t size) {
    const uint32_t g = block_of(heap_granule(a + size - 1));
    return a + size > HEAP_BASE + (uintptr_t)g * GRANULE + blocks[g].bytes;
}

void heap_check_access(uintptr_t a, uint64_t size, bool write, uintptr_t pc) {
    if (!write && !options_now()->use_after_free_reads) return;
    uint32_t first = heap_granule(a), last = heap_granule(a + size - 1);
    for (uint32_t g = first; g <= last; g++) {
        if (LIKELY(heap_uses[g] == IN_USE) || (heap_uses[g] == PARTLY_USED && !is_behind_the_end(a, size))) continue;
        const char *what = write ? "writes to" : "reads from";
        if (heap_uses[g] != FREED)
            fail(FAILURE_USE_AFTER_FREE, "thread %u %s %#lx outside of every allocated block, at %#lx",
                 fiber_now()->number, what, (unsigned long)a, (unsigned long)pc);
        g = block_of(g);
        fail(FAILURE_USE_AFTER_FREE, "thread %u %s freed memory %#lx at %#lx; it was freed at %#lx",
             fiber_now()->number, what, (unsigned long)a, (unsigned long)pc, (unsigned long)blocks[g].pc);
    }
}

void heap_check_leaks(void) {
    if (!in_use) return;
    for (unsigned t = 0; t < THREADS_MAX; t++)
        for (uint32_t g = t ? heap_granule(HEAP_BASE + t * ARENA_ROOM) : (uint32_t)(birth.size / GRANULE),
                      end = heap_granule(arenas[t].end);
             g < end; g++)
            if (blocks[g].granules && heap_uses[g] & IN_USE)
                fail(FAILURE_LEAK, "%lu blocks are never freed; one of %u bytes was allocated by thread %u at %#lx",
                     (unsigned long)in_use, blocks[g].bytes, t, (unsigned long)blocks[g].pc);
}

/* Every block lies in its arena, all of it is in the same state, and those in use are as many as were counted. */
void heap_check_counts(void) {
    uint64_t found = 0;
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        const uint32_t end = (uint32_t)((arenas[t].end - HEAP_BASE) / GRANULE);
        INVARIANT(arenas[t].end - arena_base(t) <= ARENA_ROOM);
        for (uint32_t g = (uint32_t)((arena_base(t) - HEAP_BASE) / GRANULE); g < end; g++) {
            if (!blocks[g].granules) continue;
            INVARIANT(g + blocks[g].granules < end + 1 && heap_uses[g] != NEVER_USED);
            INVARIANT(!((heap_uses[g + blocks[g].granules - 1] ^ heap_uses[g]) & IN_USE));
            found += heap_uses[g] & IN_USE;
        }
    }
    INVARIANT(found == in_use);
}
