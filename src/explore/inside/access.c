/* What compilers call for -fsanitize=thread: before every plain access, and in place of every atomic one. The runtime
 * behind these names is ours; gcc 12 and clang 14 use different members of the family. */
#include "explore/inside/limits.h"
#include "explore/inside/access.h"

#include "explore/inside/buffers.h"
#include "explore/inside/faults.h"
#include "explore/inside/hooks.h"
#include "explore/inside/messages.h"
#include "explore/inside/orders.h"
#include "explore/inside/signals.h"
#include "explore/inside/state.h"
#include "explore/inside/volatiles.h"
#include "explore/inside/windows.h"
#include "explore/model/memory_model.h"

/* where its caller's ends; asking for its own would make each hook build one */
#define FRAME ((uintptr_t)__builtin_dwarf_cfa())

#define ANY static __attribute__((noinline)) /* what is left to do where a hook is not so simple */

/* ---- plain and volatile accesses: the program performs them when the hook returns ---- */

/* The granule of an access that needs no question and cannot wait, of a thread that is in the middle of an operation.
 * NULL: it may not be so simple, and nothing was changed. */
ALWAYS_INLINE granule *quick_granule(uintptr_t a, uint64_t size, uintptr_t pc) {
    if (!step_is_free() || step_is_unsettled() || !spin_is_quick(fiber_now(), pc)) {
        frames_clean(); /* of the functions that the hook calls now */
        return NULL;
    }
    granule *g = granule_known(a / 8);
    if (!g || a % 8 + size > 8 || !g->shared) return NULL;
    return !address_is_heap(a) || heap_in_use(a) ? g : NULL;
}

/* x86-TSO: the program stores into its buffer. */
static void buffered_write(uintptr_t a, uint64_t size, uint8_t flags, unsigned order, uintptr_t pc) {
    const step all = {.at = {{a, (uint32_t)size, PLACE_WRITE}}, .pc = pc};
    buffer_store(a, size, flags, order, pc);
    if (size <= 8) step_settles_later(bytes_at(a, (uint32_t)size), 0);
    spin_forget(fiber_now());
    races_access(&all, flags & STEP_PLAIN, true);
}

/* A volatile access is a relaxed one. What is not plain and has another order is an instruction of inline assembly. */
ALWAYS_INLINE void access_step(uintptr_t a, uint64_t size, bool write, uint8_t flags, unsigned order, uintptr_t pc,
                               uintptr_t sp) {
    fiber *f = fiber_now();
    const step_kind kind = write ? STEP_WRITE : STEP_READ;
    const place_role role = write ? PLACE_WRITE : PLACE_READ;
    step *s;
    bool watched = size <= 8;
    if (step_is_free() && (write || !watched || !spin_is_possible(f, pc))) {
        s = step_make(kind, flags, a, (uint32_t)size, role, (uint8_t)order, pc);
        spin_fresh(f);
    } else {
        if (buffers_wanted()) buffer_before_load(a, size, pc);
        s = step_describe_ordered(kind, a, (uint32_t)size, role, order, pc);
        s->flags |= flags;
        if (buffers_wanted()) buffer_answers(s);
        const bool made = !write && watched && spin_before(s, sp);
        if (!made) step_take();
        if (buffers_wanted()) buffer_loaded();
        if (made) return;
    }
    uint64_t v = watched ? bytes_at(a, (uint32_t)size) : 0;
    if (!watched && write && windows_open()) windows_wrote(a, size, 0, 1);
    if (write || !watched) spin_forget(f);
    if (write && watched) step_settles_later(v, 0);
    else if (watched) step_last()->value = v;
    races_access(s, flags & STEP_PLAIN, write);
    if (!(flags & STEP_PLAIN)) races_sync_access(s, !write, write);
    if (!write && watched) spin_saw(s, v, sp);
}

/* Where accesses choose messages a plain one is no step: if nothing races it reads what happened before, which memory
 * holds. */
static void plain_passes(uintptr_t a, uint64_t size, bool write, uintptr_t pc) {
    const step s = {.at = {{a, (uint32_t)size, write ? PLACE_WRITE : PLACE_READ}}, .pc = pc};
    races_access(&s, true, write);
    if (write) {
        spin_forget(fiber_now());
        messages_forget(a, size);
    } else if (options_now()->blocking) spin_pass(a, pc);
}

static void weak_step(uintptr_t a, uint64_t size, bool write, uint8_t flags, unsigned order, uintptr_t pc,
                      uintptr_t sp) {
    volatile_settle();
    if (flags & STEP_PLAIN) plain_passes(a, size, write, pc);
    else if (order != RELAXED)
        fail(FAILURE_UNMODELLED,
             "inline assembly that accesses memory at %#lx under a weak memory model (--model tso has it)",
             (unsigned long)pc);
    else if (write) volatile_store(a, size, pc, sp);
    else volatile_load(a, size, pc, sp);
}

/* Of memory that no other thread uses. */
static void access_alone(uintptr_t a, bool write, uintptr_t pc) {
    if (write) spin_forget_reads(fiber_now());
    else if (options_now()->blocking) spin_pass(a, pc);
}

static __attribute__((noinline)) void access_slow(uintptr_t a, uint64_t size, bool write, uint8_t flags, unsigned order,
                                                  uintptr_t pc, uintptr_t sp) {
    signal_point(pc);
    if (mode_now() == OUTSIDE || own_tls(a)) return;
    if (mode_now() == RECORDING) {
        const bool shared = shared_touch(a, size, write);
        if (shared && !(flags & STEP_PLAIN) && order != RELAXED) limit_at(PLACE_ASSEMBLY, pc);
        if (!shared) access_alone(a, write, pc);
        else if (messages_wanted()) weak_step(a, size, write, flags, order, pc, sp);
        else if (write && buffers_wanted()) buffered_write(a, size, flags, order, pc);
        else access_step(a, size, write, flags, order, pc, sp);
    }
    if (address_is_heap(a) && !is_repeated()) heap_check(a, size, write, pc);
}

/* The same of up to eight bytes, quickly where nothing has to be looked at: memory that was shared and plain before. */
ALWAYS_INLINE void plain_shared(uintptr_t a, uint32_t size, bool write, uintptr_t pc, uintptr_t sp) {
    granule *g = quick_granule(a, size, pc);
    fiber *f = fiber_now();
    if (!g || !g->plain || options_now()->races_fatal) { /* then a race ends the execution before the access */
        access_slow(a, size, write, STEP_PLAIN, SEQUENTIALLY_CONSISTENT, pc, sp);
        return;
    }
    thread_is_at(pc);
    const uint64_t v = memory_at(a, size);
    step *s = step_make_quick(f, write ? STEP_WRITE : STEP_READ, STEP_PLAIN, a, size, write ? PLACE_WRITE : PLACE_READ,
                              5, pc);
    if (write) {
        spin_forget(f);
        step_settles_later(v, 0);
    } else {
        s->value = v;
        spin_add(f, &(read_seen){a, pc, sp, v, 0, f->spin.held, f->calls.site, f->calls.activation, (uint8_t)size});
    }
    races_log(g, granule_bytes(a, size), pc, true, write);
}

/* A variable that no other thread was seen to touch, and which this thread has read before: pointers to the object
 * under test are. */
static inline bool is_known_private(uintptr_t a, uint64_t size) {
    const granule *g = granule_known(a / 8);
    return g && !g->shared && g->readers >> fiber_now()->number & 1 && a % 8 + size <= 8 && options_now()->filter &&
           !options_now()->blocking && !address_is_heap(a);
}

/* Most plain accesses are to memory that no other thread uses. */
ALWAYS_INLINE bool plain_is_private(uintptr_t a, uint64_t size, bool write) {
    if (!write && size == 8 && is_private_read(a)) {
        shared_quiet(a);
        return true;
    }
    if (own_stack(a)) return true;
    if (write || mode_now() != RECORDING || !is_known_private(a, size)) return false;
    if (size == 8) private_read_set(a);
    shared_quiet(a);
    return true;
}

static inline void plain_access(const volatile void *p, uint64_t size, bool write, uintptr_t pc, uintptr_t sp) {
    uintptr_t a = (uintptr_t)p;
    if (plain_is_private(a, size, write)) return;
    frames_clean();
    access_slow(a, size, write, STEP_PLAIN, SEQUENTIALLY_CONSISTENT, pc, sp);
}

static inline void visible_access(const volatile void *p, uint64_t size, bool write, unsigned order, uintptr_t pc,
                                  uintptr_t sp) {
    uintptr_t a = (uintptr_t)p;
    if (mode_now() == OUTSIDE) return;
    frames_clean();
    if (own_stack(a)) shared_quiet(a);
    else access_slow(a, size, write, 0, order, pc, sp);
}

void access_plain(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp) {
    plain_access((const void *)a, size, write, pc, sp);
    if (buffers_wanted()) buffer_is_certain();
}
void access_visible(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp) {
    visible_access((const void *)a, size, write, SEQUENTIALLY_CONSISTENT, pc, sp);
    if (buffers_wanted()) buffer_is_certain();
}

#define PLAIN(n) \
    ANY void read_shared_##n(uintptr_t a, uintptr_t pc, uintptr_t sp) { plain_shared(a, n, false, pc, sp); } \
    ANY void write_shared_##n(uintptr_t a, uintptr_t pc, uintptr_t sp) { plain_shared(a, n, true, pc, sp); } \
    EXPORT void __tsan_read##n(void *a) { \
        if (!plain_is_private((uintptr_t)a, n, false)) read_shared_##n((uintptr_t)a, CALLER, FRAME); \
    } \
    EXPORT void __tsan_write##n(void *a) { \
        if (!plain_is_private((uintptr_t)a, n, true)) write_shared_##n((uintptr_t)a, CALLER, FRAME); \
    } \
    EXPORT void __tsan_unaligned_read##n(void *a) { plain_access(a, n, false, CALLER, FRAME); } \
    EXPORT void __tsan_unaligned_write##n(void *a) { plain_access(a, n, true, CALLER, FRAME); } \
    EXPORT void __tsan_read_write##n(void *a) { \
        plain_access(a, n, false, CALLER, FRAME), plain_access(a, n, true, CALLER, FRAME); \
    } \
    EXPORT void __tsan_unaligned_read_write##n(void *a) { __tsan_read_write##n(a); } \
    EXPORT void __tsan_volatile_read##n(void *a) { visible_access(a, n, false, RELAXED, CALLER, FRAME); } \
    EXPORT void __tsan_volatile_write##n(void *a) { visible_access(a, n, true, RELAXED, CALLER, FRAME); } \
    EXPORT void __tsan_unaligned_volatile_read##n(void *a) { visible_access(a, n, false, RELAXED, CALLER, FRAME); } \
    EXPORT void __tsan_unaligned_volatile_write##n(void *a) { visible_access(a, n, true, RELAXED, CALLER, FRAME); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

/* `plumb cc` calls these where the store comes before the next hook (compile/rewrite_x86_64.c). */
#define CERTAIN(n) \
    void __tsan_certain_write##n(void *a); \
    void __tsan_certain_volatile_write##n(void *a); \
    EXPORT void __tsan_certain_write##n(void *a) { \
        if (plain_is_private((uintptr_t)a, n, true)) return; \
        write_shared_##n((uintptr_t)a, CALLER, FRAME); \
        if (buffers_wanted()) buffer_is_certain(); \
    } \
    EXPORT void __tsan_certain_volatile_write##n(void *a) { \
        visible_access(a, n, true, RELAXED, CALLER, FRAME); \
        if (buffers_wanted()) buffer_is_certain(); \
    }
CERTAIN(1)
CERTAIN(2)

EXPORT void __tsan_read_range(void *a, size_t n) {
    if (n) plain_access(a, n, false, CALLER, FRAME);
}
EXPORT void __tsan_write_range(void *a, size_t n) {
    if (n) plain_access(a, n, true, CALLER, FRAME);
}
EXPORT void __tsan_vptr_update(void **a, void *v) {
    if (*a != v) plain_access(a, 8, true, CALLER, FRAME);
}
EXPORT void __tsan_vptr_read(void **a) { plain_access(a, 8, false, CALLER, FRAME); }
EXPORT void __tsan_init(void) {}
EXPORT void __tsan_ignore_thread_begin(void) {}
EXPORT void __tsan_ignore_thread_end(void) {}

/* The call stack as a hash: with it, one place in a function that was not inlined is as many places as it has
 * callers. */
void calls_begin(fiber *f) { f->calls = (fiber_calls){0}; }

EXPORT void __tsan_func_entry(void *pc) {
    fiber *f = fiber_now();
    if (mode_now() == OUTSIDE) return;
    if (f->calls.depth < SITES_MAX) {
        f->sites[f->calls.depth].site = f->calls.site;
        f->sites[f->calls.depth].activation = f->calls.activation;
    }
    INVARIANT(f->calls.activation <= f->calls.activations && f->calls.depth <= f->calls.activations);
    f->calls.depth++;
    f->calls.activation = ++f->calls.activations;
    f->calls.site = (f->calls.site ^ (uint32_t)(uintptr_t)pc) * UINT32_C(0x9E3779B1) + f->calls.depth;
}
EXPORT void __tsan_func_exit(void) {
    fiber *f = fiber_now();
    if (mode_now() == OUTSIDE || !f->calls.depth) return;
    f->calls.depth--;
    if (f->calls.depth < SITES_MAX) {
        f->calls.site = f->sites[f->calls.depth].site;
        f->calls.activation = f->sites[f->calls.depth].activation;
    }
}

/* ---- memcpy and its family: linked with --wrap, so that only the code under test is led here ---- */

static void copy_accesses(void *to, const void *from, size_t n, uintptr_t pc, uintptr_t sp) {
    if (!n) return;
    if (from) plain_access(from, n, false, pc, sp);
    plain_access(to, n, true, pc, sp);
    if (buffers_wanted()) buffer_is_certain();
}
/* clang calls __tsan_memcpy where gcc leaves memcpy. */
#define COPIES(prefix) \
    void *prefix##_memcpy(void *to, const void *from, size_t n); \
    void *prefix##_memmove(void *to, const void *from, size_t n); \
    void *prefix##_memset(void *to, int c, size_t n); \
    EXPORT void *prefix##_memcpy(void *to, const void *from, size_t n) { \
        copy_accesses(to, from, n, CALLER, FRAME); \
        return memcpy(to, from, n); \
    } \
    EXPORT void *prefix##_memmove(void *to, const void *from, size_t n) { \
        copy_accesses(to, from, n, CALLER, FRAME); \
        return memmove(to, from, n); \
    } \
    EXPORT void *prefix##_memset(void *to, int c, size_t n) { \
        copy_accesses(to, NULL, n, CALLER, FRAME); \
        return memset(to, c, n); \
    }
COPIES(__wrap)
COPIES(__tsan)

/* ---- atomics: performed here ---- */

__extension__ typedef unsigned __int128 uint128;

typedef struct atomic_access {
    step_kind kind;
    update update;
    uintptr_t address;
    uint32_t size;
    int order, order_failed;
    uint64_t operand, operand_high, expected, expected_high;
    uintptr_t pc, sp;
} atomic_access;

/* By value: an access whose address is taken is kept in memory instead of registers. */
static __attribute__((noinline)) bool atomic_is_step(uintptr_t address, uint32_t size, uintptr_t pc, bool write) {
    if (mode_now() == OUTSIDE) return false;
    if (own_stack(address) || own_tls(address)) {
        if (mode_now() == RECORDING) shared_quiet(address);
        return false;
    }
    if (mode_now() == RECORDING && shared_touch(address, size, write)) return true;
    if (write) spin_forget(fiber_now());
    if (address_is_heap(address)) heap_check(address, size, write, pc);
    return false;
}

/* As compilers map them to x86: a sequentially consistent store is an exchange. */
static bool is_locked(const atomic_access *x) {
    return x->kind != STEP_READ && (x->kind != STEP_WRITE || x->order == ORDER_SC);
}
static bool is_buffered(const atomic_access *x) {
    return buffers_wanted() && x->kind == STEP_WRITE && x->order != ORDER_SC;
}

/* The store is in the buffer: it was the last step. */
static void buffered_after(uint64_t stored) {
    buffer_settle();
    step_last()->value = stored;
    races_access(step_last(), false, true);
    spin_forget(fiber_now());
}

enum { VOLATILE = 6 };   /* relaxed, and not to be advised another order */
enum { OF_LIBRARY = 8 }; /* with an order that is not to be advised another, either */

/* What the code asks for, or is given instead. */
static __attribute__((noinline)) unsigned weak_order(const atomic_access *x) {
    if (x->order == VOLATILE) return RELAXED;
    if (x->order & OF_LIBRARY) return (unsigned)x->order & ~(unsigned)OF_LIBRARY;
    const order_role role = x->kind == STEP_READ    ? ORDER_OF_LOAD
                            : x->kind == STEP_WRITE ? ORDER_OF_STORE
                                                    : ORDER_OF_UPDATE;
    return order_asked(x->pc, role, (unsigned)x->order);
}
static __attribute__((noinline)) unsigned weak_order_failed(const atomic_access *x) {
    if (x->order_failed & OF_LIBRARY) return (unsigned)x->order_failed & ~(unsigned)OF_LIBRARY;
    return x->kind == STEP_CAS ? order_asked(x->pc, ORDER_OF_FAILURE, (unsigned)x->order_failed)
                               : (unsigned)x->order_failed;
}

ALWAYS_INLINE bool atomic_take(const atomic_access *x) {
    bool write = x->kind != STEP_READ;
    if (is_buffered(x)) {
        buffer_store(x->address, x->size, 0, (unsigned)x->order, x->pc);
        buffer_is_certain();
        return true;
    }
    if (buffers_wanted() && !write) buffer_before_load(x->address, x->size, x->pc);
    const unsigned order = messages_wanted() ? weak_order(x) : (unsigned)x->order;
    step *s =
        step_describe_ordered(x->kind, x->address, x->size, write ? PLACE_WRITE : PLACE_READ, (uint8_t)order, x->pc);
    s->expected = x->expected;
    s->expected_high = x->expected_high;
    if (messages_wanted()) {
        message_pending(x->address, x->size, (uint8_t)x->update, (uint8_t)weak_order_failed(x),
                        (uint64_t[2]){x->operand, x->operand_high});
        step_update_set(fiber_now(), x->update, x->operand, x->operand_high);
    } else if (write) step_refreshes(x->update, x->operand, x->operand_high);
    else if (buffers_wanted()) buffer_answers(s);
    if (x->kind != STEP_WRITE && spin_before(s, x->sp)) return false;
    step_take();
    return true;
}

/* What the step would do depends on memory, which is as it will be. */
ALWAYS_INLINE void atomic_make(const atomic_access *x) {
    fiber *f = fiber_now();
    bool write = x->kind != STEP_READ;
    step *s = step_make(x->kind, 0, x->address, x->size, write ? PLACE_WRITE : PLACE_READ, (uint8_t)x->order, x->pc);
    spin_fresh(f);
    if (!write) return;
    s->expected = x->expected;
    s->expected_high = x->expected_high;
    step_update_set(f, x->update, x->operand, x->operand_high);
    pending_refresh(f, s);
}

/* Returns whether this access is a step of its own, which has now been chosen. */
ALWAYS_INLINE bool atomic_before(const atomic_access *x) {
    signal_point(x->pc);
    bool write = x->kind != STEP_READ;
    if (buffers_wanted() && is_locked(x)) buffer_drain(x->pc);
    granule *g = mode_now() == RECORDING ? granule_known(x->address / 8) : NULL;
    if (LIKELY(g && g->shared && x->address % 8 + x->size <= 8)) shared_touched(g);
    else if (!atomic_is_step(x->address, x->size, x->pc, write)) return false;
    if (step_is_free() && (x->kind == STEP_WRITE || !spin_is_possible(fiber_now(), x->pc))) atomic_make(x);
    else if (!atomic_take(x)) return false;
    if (address_is_heap(x->address) && !is_repeated()) heap_check(x->address, x->size, write, x->pc);
    return true;
}

ALWAYS_INLINE void atomic_after(const atomic_access *x, uint64_t seen, uint64_t left, uint64_t high) {
    step *last = step_last();
    INVARIANT(last->kind == x->kind && last->pc == x->pc && last->at[0].address == x->address);
    INVARIANT(last->at[0].size == x->size && fiber_now()->step.last == world_now()->steps - 1);
    bool effective = x->kind != STEP_READ && last->at[0].role == PLACE_WRITE,
         fails = x->kind != STEP_READ && last->flags & STEP_FAILED;
    if (UNLIKELY(windows_open()) && effective) windows_wrote(x->address, x->size, last->value, left);
    if (fails) last->order = (uint8_t)x->order_failed;
    last->value = left;
    last->high = high;
    granule *g = fiber_now()->shared.touched; /* by this access */
    if (LIKELY(!g->plain && x->address % 8 + x->size <= 8)) races_atomic(g);
    else races_remember(last, false, x->kind != STEP_READ && !fails);
    if (x->kind == STEP_READ || fails) races_read(granule_at(x->address), last);
    else races_sync_access(last, x->kind != STEP_WRITE, true);
    if (effective || x->size > 8 || x->kind == STEP_WRITE) spin_forget(fiber_now());
    else
        spin_keep(fiber_now(), &(read_seen){x->address, x->pc, x->sp, seen, x->expected, fiber_now()->spin.held,
                                            last->site, fiber_now()->calls.activation, (uint8_t)x->size});
}

/* ---- the same where an access chooses which message it reads ---- */

/* Every access is remembered: it may race with a plain one. */
static void weak_races(const step *s, bool write) {
    granule *g = fiber_now()->shared.touched;
    const uintptr_t a = s->at[0].address;
    if (!g->plain && g->number == a / 8 && (a + s->at[0].size - 1) / 8 == a / 8) races_atomic(g);
    else races_remember(s, false, write);
}

static uint128 weak_value(const uint64_t v[2]) { return (uint128)v[1] << 64 | v[0]; }
static uint64_t weak_mask(const atomic_access *x) {
    return x->size < 8 ? (UINT64_C(1) << 8 * x->size) - 1 : ~UINT64_C(0);
}

static bool weak_fails(const atomic_access *x, const message_access *m) {
    return x->kind == STEP_CAS &&
           (m->seen[0] != (x->expected & weak_mask(x)) || (x->size > 8 && m->seen[1] != x->expected_high));
}

static void weak_leaves(const atomic_access *x, const message_access *m, uint64_t left[2]) {
    left[0] = update_result(x->update, x->operand, m->seen[0], x->size);
    left[1] = x->operand_high;
    if (x->size > 8 && x->update != UPDATE_SET && x->update != UPDATE_CAS)
        fail(FAILURE_UNMODELLED, "arithmetic of 16 bytes at %#lx under a weak memory model", (unsigned long)x->pc);
}

/* The access is the last step. Returns what it has read; *failed: a compare-and-swap found another value. */
static __attribute__((noinline)) uint128 weak_access(const atomic_access *x, bool *failed) {
    step *last = step_last();
    weak_races(last, false);
    const message_access m = message_choose(x->address, x->size);
    if (m.older) last->flags |= STEP_STALE;
    if (m.older && x->kind == STEP_READ) last->expected = memory_at(x->address, x->size);
    const bool fails = weak_fails(x, &m), writes = x->kind != STEP_READ && !fails;
    uint64_t left[2] = {m.seen[0], m.seen[1]};
    if (writes) weak_leaves(x, &m, left);
    last->order = (uint8_t)(fails ? weak_order_failed(x) : weak_order(x));
    last->at[0].role = writes ? PLACE_WRITE : PLACE_READ;
    if (fails) last->flags |= STEP_FAILED;
    if (writes) weak_races(last, true);
    if (x->kind != STEP_WRITE) message_read(&m, last->order);
    if (writes) message_write(&m, left, last->order, x->kind != STEP_WRITE);
    last->value = left[0];
    last->high = left[1];
    if (x->kind == STEP_WRITE || left[0] != m.seen[0] || left[1] != m.seen[1] || x->size > 8) spin_forget(fiber_now());
    else
        spin_keep(fiber_now(), &(read_seen){x->address, x->pc, x->sp, m.seen[0], x->expected, fiber_now()->spin.held,
                                            last->site, fiber_now()->calls.activation, (uint8_t)x->size});
    *failed = fails;
    return weak_value(m.seen);
}

bool access_relaxed_load(uintptr_t a, uint32_t size, uintptr_t pc, uintptr_t sp, uint64_t *seen) {
    const atomic_access x = {STEP_READ, UPDATE_NONE, a, size, VOLATILE, VOLATILE, 0, 0, 0, 0, pc, sp};
    bool missed;
    if (!atomic_take(&x)) return false;
    *seen = (uint64_t)weak_access(&x, &missed);
    return true;
}

void access_relaxed_store(uintptr_t a, uint32_t size, uint64_t stored, uintptr_t pc, uintptr_t sp) {
    const atomic_access x = {STEP_WRITE, UPDATE_SET, a, size, VOLATILE, VOLATILE, stored, 0, 0, 0, pc, sp};
    bool missed;
    shared_touch(a, size, true);
    if (atomic_take(&x)) weak_access(&x, &missed);
}

/* ---- where nothing has to be looked at: most accesses, and none of our functions is called but at their end ---- */

static __attribute__((noinline)) uint64_t sync_read(granule *g, uint64_t result) {
    races_sync_any(g, step_last(), true, false);
    return result;
}
static __attribute__((noinline)) uint64_t sync_write(granule *g, uint64_t result) {
    races_sync_any(g, step_last(), false, true);
    return result;
}
static __attribute__((noinline)) uint64_t sync_update(granule *g, uint64_t result) {
    races_sync_any(g, step_last(), true, true);
    return result;
}

/* As atomic_make and atomic_after, of an access that found `old` there and leaves `left`. */
ALWAYS_INLINE uint64_t quick_step(granule *g, const atomic_access *x, uint64_t old, uint64_t left, bool fails,
                                  uint64_t result) {
    fiber *f = fiber_now();
    const bool writes = left != old;
    INVARIANT(g->shared && g->number == x->address / 8 && (!fails || !writes));
    const uint8_t order = (uint8_t)(fails ? x->order_failed : x->order), flags = fails ? STEP_FAILED
                                                                                 : writes && x->kind != STEP_WRITE
                                                                                     ? STEP_MARKER
                                                                                     : 0;
    step *s = step_make_quick(f, x->kind, flags, x->address, x->size, writes ? PLACE_WRITE : PLACE_READ, order, x->pc);
    s->value = left;
    if (x->kind == STEP_CAS) s->expected = x->expected;
    races_atomic(g);
    if (writes || x->kind == STEP_WRITE) spin_forget(f);
    else
        spin_add(f, &(read_seen){x->address, x->pc, x->sp, old, x->expected, f->spin.held, f->calls.site,
                                 f->calls.activation, (uint8_t)x->size});
    if (x->kind == STEP_WRITE) return sync_write(g, result);
    if (x->kind == STEP_READ || fails) return LIKELY(races_knows_release(g, f)) ? result : sync_read(g, result);
    const uint8_t bytes = granule_bytes(x->address, x->size);
    if (UNLIKELY(order < 4 || !races_knows_release(g, f) || !races_alone(g, bytes))) return sync_update(g, result);
    races_publish(g, f, bytes);
    return result;
}

#define HIGH(bits, v) ((bits) > 64 ? (uint64_t)((uint128)(v) >> 64) : 0)
#define ACCESS_CAS(bits, v, e, pc, sp) \
    const atomic_access x = {STEP_CAS,      UPDATE_CAS,    (uintptr_t)a,  bits / 8,      order, failed, \
                             (uint64_t)(v), HIGH(bits, v), (uint64_t)(e), HIGH(bits, e), pc,    sp}
#define ACCESS(kind, update, bits, v, pc, sp) \
    const atomic_access x = {kind, update, (uintptr_t)a, bits / 8, order, order, (uint64_t)(v), HIGH(bits, v), \
                             0,    0,      pc,           sp}

ALWAYS_INLINE granule *quick_atomic(uintptr_t a, uint32_t bits, uintptr_t pc) {
    granule *g = bits <= 64 ? quick_granule(a, bits / 8, pc) : NULL;
    return g && !g->plain ? g : NULL;
}
#define QUICK(bits, a) granule *g = quick_atomic((uintptr_t)(a), bits, CALLER)
#define UPDATE(bits, type, name, update, result) \
    ANY type name##_any_##bits(volatile type *a, type v, int order, uintptr_t pc, uintptr_t sp) { \
        ACCESS(STEP_UPDATE, update, bits, v, pc, sp); \
        bool stepped = atomic_before(&x), missed; \
        if (stepped && messages_wanted()) return (type)weak_access(&x, &missed); \
        type old = *a, new = (type)(result); \
        *a = new; \
        if (stepped) atomic_after(&x, (uint64_t)old, (uint64_t) new, HIGH(bits, new)); \
        return old; \
    } \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order) { \
        QUICK(bits, a); \
        if (!LIKELY(g)) return name##_any_##bits(a, v, order, CALLER, FRAME); \
        ACCESS(STEP_UPDATE, update, bits, v, CALLER, FRAME); \
        thread_is_at(x.pc); \
        type old = *a, new = (type)(result); \
        *a = new; \
        return (type)quick_step(g, &x, (uint64_t)old, (uint64_t) new, false, (uint64_t)old); \
    }

#define CAS(bits, type, name, weak) \
    ANY int name##_any_##bits(volatile type *a, type *expected, type v, int order, int failed, uintptr_t pc, \
                              uintptr_t sp) { \
        ACCESS_CAS(bits, v, *expected, pc, sp); \
        bool stepped = atomic_before(&x), missed; \
        if (stepped && messages_wanted()) { \
            type seen = (type)weak_access(&x, &missed); \
            if (missed) *expected = seen; \
            return !missed; \
        } \
        type old = *a; \
        bool done = old == *expected, faked = weak && done && (stepped ? swap_fails(pc) : own_swap_fails()); \
        if (faked) done = false; \
        if (done) *a = v; \
        else *expected = old; \
        if (stepped) atomic_after(&x, (uint64_t)old, (uint64_t)(done ? v : old), HIGH(bits, done ? v : old)); \
        if (faked) spin_is_faked(fiber_now()); \
        return done; \
    } \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(volatile type *a, type *expected, type v, int order, \
                                                             int failed) { \
        if (weak && mode_now() == RECORDING && !options_now()->spurious) limit_at(PLACE_SPURIOUS, CALLER); \
        QUICK(bits, a); \
        if (!LIKELY(g) || (weak && swap_may_fail())) \
            return name##_any_##bits(a, expected, v, order, failed, CALLER, FRAME); \
        ACCESS_CAS(bits, v, *expected, CALLER, FRAME); \
        thread_is_at(x.pc); \
        type old = *a; \
        bool done = old == *expected; \
        if (done) *a = v; \
        else *expected = old; \
        return (int)quick_step(g, &x, (uint64_t)old, (uint64_t)(done ? v : old), !done, done); \
    }

#define ATOMIC(bits, type) \
    ANY type load_any_##bits(const volatile type *a, int order, uintptr_t pc, uintptr_t sp) { \
        ACCESS(STEP_READ, UPDATE_NONE, bits, 0, pc, sp); \
        bool stepped = atomic_before(&x), missed; \
        if (stepped && messages_wanted()) return (type)weak_access(&x, &missed); \
        type v = *a; \
        if (stepped) atomic_after(&x, (uint64_t)v, (uint64_t)v, HIGH(bits, v)); \
        return v; \
    } \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order) { \
        QUICK(bits, a); \
        if (!LIKELY(g)) return load_any_##bits(a, order, CALLER, FRAME); \
        ACCESS(STEP_READ, UPDATE_NONE, bits, 0, CALLER, FRAME); \
        thread_is_at(x.pc); \
        type v = *a; \
        return (type)quick_step(g, &x, (uint64_t)v, (uint64_t)v, false, (uint64_t)v); \
    } \
    ANY void store_any_##bits(volatile type *a, type v, int order, uintptr_t pc, uintptr_t sp) { \
        ACCESS(STEP_WRITE, UPDATE_SET, bits, v, pc, sp); \
        bool stepped = atomic_before(&x), missed; \
        if (stepped && messages_wanted()) { \
            weak_access(&x, &missed); \
            return; \
        } \
        *a = v; \
        if (stepped && is_buffered(&x)) buffered_after((uint64_t)v); \
        else if (stepped) atomic_after(&x, (uint64_t)v, (uint64_t)v, HIGH(bits, v)); \
    } \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v, int order) { \
        QUICK(bits, a); \
        if (!LIKELY(g)) { \
            store_any_##bits(a, v, order, CALLER, FRAME); \
            return; \
        } \
        ACCESS(STEP_WRITE, UPDATE_SET, bits, v, CALLER, FRAME); \
        thread_is_at(x.pc); \
        type old = *a; \
        *a = v; \
        quick_step(g, &x, (uint64_t)old, (uint64_t)v, false, 0); \
    } \
    UPDATE(bits, type, exchange, UPDATE_SET, v) \
    UPDATE(bits, type, fetch_add, UPDATE_ADD, old + v) \
    UPDATE(bits, type, fetch_sub, UPDATE_SUB, old - v) \
    UPDATE(bits, type, fetch_and, UPDATE_AND, old &v) \
    UPDATE(bits, type, fetch_or, UPDATE_OR, old | v) \
    UPDATE(bits, type, fetch_xor, UPDATE_XOR, old ^ v) \
    UPDATE(bits, type, fetch_nand, UPDATE_NAND, ~(old & v)) \
    CAS(bits, type, strong, false) \
    CAS(bits, type, weak, true) \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type e, type v, int order, int failed) { \
        ACCESS_CAS(bits, v, e, CALLER, FRAME); \
        bool stepped = atomic_before(&x), missed; \
        if (stepped && messages_wanted()) return (type)weak_access(&x, &missed); \
        type old = *a; \
        if (old == e) *a = v; \
        if (stepped) atomic_after(&x, (uint64_t)old, (uint64_t)(old == e ? v : old), HIGH(bits, old == e ? v : old)); \
        return old; \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
ATOMIC(128, uint128)

/* ---- words of the machine's own that threads share ---- */

uint64_t access_load(const volatile uint64_t *a, uintptr_t pc) { return load_any_64(a, ORDER_SC, pc, FRAME); }
void access_set(volatile uint64_t *a, uint64_t bits, uintptr_t pc) { fetch_or_any_64(a, bits, ORDER_SC, pc, FRAME); }
void access_clear(volatile uint64_t *a, uint64_t bits, uintptr_t pc) {
    fetch_and_any_64(a, ~bits, ORDER_SC, pc, FRAME);
}

/* ---- states of the C library's, where accesses choose messages ---- */

enum { ACQUIRES = OF_LIBRARY | ORDER_ACQUIRE, RELEASES = OF_LIBRARY | ORDER_RELEASE };

uint32_t access_state(uintptr_t a, uint32_t size, uintptr_t pc) {
    return size == 1 ? load_any_8((const volatile uint8_t *)a, ACQUIRES, pc, FRAME)
                     : load_any_32((const volatile uint32_t *)a, ACQUIRES, pc, FRAME);
}
bool access_state_swap(uintptr_t a, uint32_t size, uint32_t from, uint32_t to, uintptr_t pc) {
    uint8_t byte = (uint8_t)from;
    if (size == 1) return strong_any_8((volatile uint8_t *)a, &byte, (uint8_t)to, ACQUIRES, ACQUIRES, pc, FRAME);
    return strong_any_32((volatile uint32_t *)a, &from, to, ACQUIRES, ACQUIRES, pc, FRAME);
}
void access_state_set(uintptr_t a, uint32_t size, uint32_t to, uintptr_t pc) {
    if (size == 1) store_any_8((volatile uint8_t *)a, (uint8_t)to, RELEASES, pc, FRAME);
    else store_any_32((volatile uint32_t *)a, to, RELEASES, pc, FRAME);
}

EXPORT void __tsan_atomic_thread_fence(int order) {
    if (mode_now() != RECORDING) return;
    if (messages_wanted()) {
        order = (int)order_asked(CALLER, ORDER_OF_FENCE, (unsigned)order);
        if (order == ORDER_NONE) return;
        step_describe_ordered(STEP_FENCE, 0, 0, PLACE_UNUSED, (unsigned)order, CALLER);
        step_take();
        spin_forget(fiber_now());
    }
    if (buffers_wanted() && order == ORDER_SC) buffer_drain(CALLER);
    races_fence(order);
}
EXPORT void __tsan_atomic_signal_fence(int order) { (void)order; }

/* Both words change together or neither does: one step with two places. */
EXPORT bool plumb_dcas(volatile uint64_t *a, uint64_t old_a, uint64_t new_a, volatile uint64_t *b, uint64_t old_b,
                       uint64_t new_b) {
    signal_point(CALLER);
    bool shared = mode_now() == RECORDING && shared_touch((uintptr_t)a, 8, true);
    if (mode_now() == RECORDING) shared |= shared_touch((uintptr_t)b, 8, true);
    if (shared && messages_wanted())
        fail(FAILURE_UNMODELLED, "plumb_dcas at %#lx under a weak memory model", (unsigned long)CALLER);
    if (shared) {
        step *s = step_describe(STEP_CAS, (uintptr_t)a, 8, PLACE_WRITE, CALLER);
        step_second((uintptr_t)b, 8, PLACE_WRITE);
        s->expected = old_a;
        s->expected_high = old_b;
        step_take();
        spin_forget(fiber_now());
        bool fails = *a != old_a || *b != old_b;
        if (fails) step_last()->flags |= STEP_FAILED;
        if (windows_open() && !fails) {
            windows_wrote((uintptr_t)a, 16, 0, 1);
            windows_wrote((uintptr_t)b, 16, 0, 1);
        }
        step_last()->value = fails ? *a : new_a;
        step_last()->high = fails ? *b : new_b;
        for (unsigned i = 0; i < 2; i++) {
            step_last()->at[i].role = fails ? PLACE_READ : PLACE_WRITE;
            step one = *step_last();
            one.at[0] = one.at[i];
            races_access(&one, false, !fails);
            races_sync_access(&one, true, !fails);
        }
    }
    if (*a != old_a || *b != old_b) return false;
    *a = new_a;
    *b = new_b;
    return true;
}
