/* Fibers: a stack at a fixed address, callee-saved registers, and a thread-local block of its own that the thread
 * pointer leads to. So `errno`, `thread_local` and the exception state of C++ are each fiber's own. */
#include "explore/inside/fiber.h"
#include "explore/inside/access.h"
#include "explore/inside/buffers.h"
#include "explore/inside/check.h"
#include "explore/inside/failures.h"
#include "explore/inside/locks.h"
#include "explore/inside/real.h"
#include "explore/inside/snapshot.h"
#include "explore/inside/state.h"
#include "explore/inside/threads.h"
#include "explore/inside/faults.h"
#include "explore/inside/time.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MODULES_MAX = 64 };

current_thread current EXECUTION_COUNTS;
fiber fibers[THREADS_MAX] COPIED_STATE;
thread_set fibers_ran_since PROCESS_STATE;
driver_context fiber_driver PROCESS_STATE;
uintptr_t fiber_tls_size PROCESS_STATE;
/* The thread-local block, from the thread pointer: all of it, and the variables of loaded objects. */
static struct { ptrdiff_t from, to, variables_from, variables_to; } block PROCESS_STATE;
static char *tls_first PROCESS_STATE,
    *tls_others PROCESS_STATE; /* the variables at birth: of thread 0, of all others */

/* The thread-local variables of one loaded object; system libraries keep the values they have in this thread. */
typedef struct tls_module {
    ptrdiff_t offset; /* from the thread pointer */
    const void *image;
    size_t filled, size;
    bool system;
    const char *library;
} tls_module;
static tls_module module[MODULES_MAX] PROCESS_STATE;
static unsigned modules PROCESS_STATE;

static size_t variables_size(void) { return (size_t)(block.variables_to - block.variables_from); }
static char *variables_of(const fiber *f) { return (char *)f->fs + block.variables_from; }

static bool name_is_libc(const char *name) {
    return strstr(name, "/libc.so") || strstr(name, "/ld-linux") || strstr(name, "plumbline-explore");
}

static int module_look(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    const uintptr_t data = (uintptr_t)info->dlpi_tls_data;
    const ptrdiff_t offset = (ptrdiff_t)(data - fiber_driver.fs);
    const bool is_static = VARIABLES_ABOVE ? offset >= 0 && offset < (ptrdiff_t)TLS_ROOM / 2
                                           : offset < 0 && -offset <= (ptrdiff_t)TLS_ROOM / 2;
    if (!data || !is_static || modules == MODULES_MAX) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_TLS) continue;
        module[modules++] = (tls_module){offset,
                                         (const void *)(info->dlpi_addr + p->p_vaddr),
                                         p->p_filesz,
                                         p->p_memsz,
                                         name_is_libc(info->dlpi_name),
                                         info->dlpi_name};
        const ptrdiff_t end = offset + (ptrdiff_t)p->p_memsz;
        if (VARIABLES_ABOVE && end > block.variables_to) block.variables_to = end;
        if (!VARIABLES_ABOVE && offset < block.variables_from) block.variables_from = offset;
    }
    return 0;
}

/* libc's description of the thread lies on the other side of the thread pointer than the variables. */
static void block_measure(void) {
    const uint32_t *size = (const uint32_t *)symbol_address("_thread_db_sizeof_pthread");
    const ptrdiff_t control = size ? (ptrdiff_t)*size : PTHREAD_USUAL;
    block.variables_from = block.variables_to = CONTROL_HEADER;
    dl_iterate_phdr(module_look, NULL);
    if (VARIABLES_ABOVE) block.variables_to = (block.variables_to + 63) & ~(ptrdiff_t)63;
    else block.variables_from = -((-block.variables_from + 63) & ~(ptrdiff_t)63);
    block.from = VARIABLES_ABOVE ? -control : block.variables_from;
    block.to = VARIABLES_ABOVE ? block.variables_to : control;
    fiber_tls_size = (uintptr_t)(block.to - block.from);
    INVARIANT(-block.from <= (ptrdiff_t)TLS_ROOM / 2 && block.to <= (ptrdiff_t)TLS_ROOM / 2);
}

/* What a new thread finds: initial images, but libc's own variables as in this thread, which all fibers really are. */
static void tls_templates_make(void) {
    tls_first = malloc(variables_size());
    tls_others = malloc(variables_size());
    memcpy(tls_first, (char *)fiber_driver.fs + block.variables_from, variables_size());
    memcpy(tls_others, tls_first, variables_size());
    for (unsigned i = 0; i < modules; i++) {
        if (module[i].system) continue;
        char *to = tls_others + module[i].offset - block.variables_from;
        memcpy(to, module[i].image, module[i].filled);
        memset(to + module[i].filled, 0, module[i].size - module[i].filled);
    }
}

/* The dynamic thread vector leads __tls_get_addr to the blocks: without one of its own a fiber would find the variables
 * of shared libraries (libstdc++'s exception state) in the first thread's block. Two words an entry, its length before
 * it. */
static void dtv_make(uintptr_t fs) {
    typedef struct {
        uintptr_t where, owned;
    } entry;
    const entry *old = *(entry **)(fiber_driver.fs + DTV_AT) - 1;
    size_t n = old->where + 2;
    INVARIANT(n < 1 << 16); /* libc keeps the length before the vector */
    entry *copy = calloc(n, sizeof *copy);
    memcpy(copy, old, n * sizeof *copy);
    for (size_t i = 2; i < n; i++)
        if (copy[i].where - (fiber_driver.fs + (uintptr_t)block.variables_from) < variables_size())
            copy[i].where += fs - fiber_driver.fs;
    *(entry **)(fs + DTV_AT) = copy + 1;
}

static void tls_block_make(fiber *f) {
    memcpy((char *)f->fs + block.from, (char *)fiber_driver.fs + block.from, fiber_tls_size);
    control_block_moved(f->fs);
    dtv_make(f->fs);
}

static bool stack_grow(fiber *f, size_t size) {
    f->stack_size = size;
    return !mprotect((void *)stack_low(f), size, PROT_READ | PROT_WRITE);
}

static bool area_map(uintptr_t base, size_t size, int protection, char *wrong, size_t room) {
    void *p =
        mmap((void *)base, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == (void *)base) return true;
    snprintf(wrong, room, "the address range at %#lx that executions need is taken", (unsigned long)base);
    return false;
}

bool fibers_open(char *wrong, size_t room) {
    if (processor_lacks()) {
        snprintf(wrong, room, "%s", processor_lacks());
        return false;
    }
    if (sysconf(_SC_PAGESIZE) != PAGE_KNOWN) {
        snprintf(wrong, room, "pages of memory have %ld bytes here; executions are explored where they have %d",
                 sysconf(_SC_PAGESIZE), PAGE_KNOWN);
        return false;
    }
    free(malloc(64)); /* libc's per-thread cache of free blocks exists before it is copied */
    fiber_driver.fs = thread_pointer();
    block_measure();
    if (!area_map(STACKS_BASE, STACK_ROOM * THREADS_MAX, PROT_NONE, wrong, room) ||
        !area_map(TLS_BASE, TLS_ROOM * THREADS_MAX, PROT_READ | PROT_WRITE, wrong, room))
        return false;
    madvise((void *)STACKS_BASE, STACK_ROOM * THREADS_MAX, MADV_NOHUGEPAGE); /* most use a few pages */
    tls_templates_make();
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        fiber *f = fiber_at(t);
        f->number = (uint8_t)t;
        f->stack = STACKS_BASE + t * STACK_ROOM;
        f->fs = TLS_BASE + t * TLS_ROOM + TLS_ROOM / 2;
        f->tls = f->fs + (uintptr_t)block.from;
        f->stack_own = f->stack;
        f->tls_own = f->tls;
        if (!stack_grow(f, STACK_STANDARD)) {
            snprintf(wrong, room, "no memory for the stacks of executions");
            return false;
        }
        tls_block_make(f);
    }
    return true;
}

bool fiber_tls_find(uintptr_t address, unsigned *thread, uintptr_t *start, size_t *size, const char **library) {
    if (address - TLS_BASE >= TLS_ROOM * THREADS_MAX) return false;
    *thread = (unsigned)((address - TLS_BASE) / TLS_ROOM);
    for (unsigned i = 0; i < modules; i++) {
        *start = fiber_at(*thread)->fs + (uintptr_t)module[i].offset;
        *size = module[i].size;
        *library = module[i].library;
        if (address - *start < *size) return true;
    }
    return false;
}

void fibers_reset(void) {
    for (unsigned t = 0; t < explored_world.threads; t++) fiber_at(t)->state = FIBER_FREE;
    explored_world.threads = 0;
}

void fiber_now_is_first(void) { current.now = fiber_at(0); }

void fiber_share_stack(unsigned thread) { fiber_at(thread)->stack_own = NOWHERE; }
void fiber_share_tls(unsigned thread) { fiber_at(thread)->tls_own = NOWHERE; }

fiber *fiber_new(void (*body)(fiber *), size_t stack) {
    if (explored_world.threads == (buffers_wanted() ? THREADS_MAX / 2 : THREADS_MAX))
        fail(FAILURE_UNMODELLED, TOO_MANY_THREADS, explored_world.threads);
    fiber *f = fiber_at(explored_world.threads++);
    INVARIANT(f->number == explored_world.threads - 1 && f->stack == STACKS_BASE + f->number * STACK_ROOM);
    INVARIANT(f->tls == f->fs + (uintptr_t)block.from && tls_owner(f->tls) == f->number);
    stack = (stack + 0xffff) & ~(size_t)0xffff;
    if (stack > STACK_MOST || (stack > f->stack_size && !stack_grow(f, stack)))
        fail(FAILURE_UNMODELLED, "a thread with a stack of %lu MB", (unsigned long)(stack >> 20));
    memcpy(variables_of(f), f->number ? tls_others : tls_first, variables_size());
    f->sp = frame_new(f->stack + STACK_ROOM - 64, (uintptr_t)body, (uintptr_t)f);
    f->state = FIBER_LIVE;
    f->eager = false;
    step_begin(f);
    calls_begin(f);
    record_begin(f);
    wait_begin(f);
    spin_start(f);
    thread_begin(f);
    time_begin(f);
    faults_begin(f);
    shared_start(f);
    image_begin(f);
    return f;
}

void fiber_switch(fiber *to) {
    fiber *from = fiber_now();
    if (from == to) return;
    INVARIANT(thread_pointer() == from->fs && from->state == FIBER_LIVE && to->state == FIBER_LIVE);
    fiber_enter(to);
    fiber_exchange(&from->sp, to->sp);
    INVARIANT(fiber_now() == from && thread_pointer() == from->fs);
}

void fiber_run(fiber *f) {
    INVARIANT(thread_pointer() == fiber_driver.fs);
    fiber_enter(f);
    fiber_exchange(&fiber_driver.sp, f->sp);
    INVARIANT(thread_pointer() == fiber_driver.fs && mode_now() == OUTSIDE);
}

void fiber_hold_now(void (*meanwhile)(void)) { fiber_hold(&fiber_now()->sp, meanwhile); }

void fiber_stack_hash(hash128 *h, const fiber *f, uintptr_t from) {
    INVARIANT(from - f->stack < STACK_ROOM);
    hash128_bytes(h, (const void *)from, f->stack + STACK_ROOM - from);
}

void fiber_tls_hash(hash128 *h, const fiber *f) { hash128_bytes(h, variables_of(f), variables_size()); }

void fiber_keep(void) {
    INVARIANT(fiber_now()->state != FIBER_FREE);
    fiber_hold(&fiber_now()->sp, snapshot_keep);
    fibers_ran_since |= thread_bit(fiber_now()->number); /* from now on */
}

TAPE_INLINE void fibers_copy_in(tape *t, unsigned n) {
    enum { FROM = offsetof(fiber, sp), SIZE = offsetof(fiber, clocks) - FROM };
    for (unsigned i = 0; i < n; i++) tape_copy(t, (char *)&fibers[i] + FROM, SIZE);
}
void fibers_copy(tape *t) { TAPE_BOTH_WAYS(t, fibers_copy_in, explored_world.threads); }

/* A thread that has ended is not entered again, unless it was the last to run. */
TAPE_INLINE void fiber_copy_own_in(tape *t, fiber *f) {
    INVARIANT(f->spin.reads <= READS_MAX && f->spin.arrivals <= ARRIVALS_MAX);
    INVARIANT(f->thread.slots <= KEYS_MAX && f->thread.at_ends <= KEYS_MAX);
    tape_copy(t, &f->clocks, sizeof f->clocks);
    tape_copy(t, f->reads.read, f->spin.reads * sizeof *f->reads.read);
    tape_copy_words(t, f->sites, (f->calls.depth < SITES_MAX ? f->calls.depth : SITES_MAX) * sizeof *f->sites);
    if (UNLIKELY(f->spin.arrivals | f->thread.slots | f->thread.at_ends)) {
        tape_copy(t, f->reads.arrived, f->spin.arrivals * sizeof *f->reads.arrived);
        tape_copy(t, f->keys.slot, f->thread.slots * sizeof *f->keys.slot);
        tape_copy(t, f->keys.at_end, f->thread.at_ends * sizeof *f->keys.at_end);
    }
    if (f->state == FIBER_ENDED && f != fiber_now()) return;
    INVARIANT(fiber_sp_is_own(f));
    tape_copy(t, f->sp, f->stack + STACK_ROOM - (uintptr_t)f->sp);
    tape_copy(t, variables_of(f), variables_size());
}

void fiber_keep_own(tape *t, fiber *f) {
    tape local = {.at = t->at, .end = t->end, .keeping = true};
    fiber_copy_own_in(&local, f);
    t->at = local.at;
    t->full |= local.full;
}

void fiber_bring_own(char *at, fiber *f) { fiber_copy_own_in(&(tape){.at = at, .keeping = false}, f); }

/* Of all threads the running one alone is not where fiber_exchange left it. */
void fibers_check(void) {
    const world *w = world_now();
    INVARIANT(w->threads <= THREADS_MAX && w->threads);
    for (unsigned t = 0; t < w->threads; t++) {
        const fiber *f = fiber_at(t);
        INVARIANT(f->number == t && f->state != FIBER_FREE);
        INVARIANT(f->stack == STACKS_BASE + t * STACK_ROOM && (f->stack_own == f->stack || f->stack_own == NOWHERE));
        INVARIANT(tls_owner(f->tls) == t && (f->tls_own == f->tls || f->tls_own == NOWHERE));
        INVARIANT(f->state == FIBER_ENDED || f == fiber_now() || fiber_sp_is_own(f));
        INVARIANT(f->step.last == NO_STEP || f->step.last < w->steps);
        INVARIANT(f->spin.reads <= READS_MAX && f->spin.head <= READS_MAX && f->spin.arrivals <= ARRIVALS_MAX);
        INVARIANT(f->spin.start <= f->spin.reads && (f->spin.reads != f->spin.start) == (f->spin.read_at != 0));
        INVARIANT(f->spin.unknown <= f->spin.arrivals);
        INVARIANT(f->calls.activation <= f->calls.activations && f->calls.depth <= f->calls.activations);
        INVARIANT(f->back < w->threads && f->wait.kind <= WAIT_BUFFER);
    }
    INVARIANT(fiber_now() == &fibers[fiber_now()->number]);
}
