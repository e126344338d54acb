/* What the files of the machine share: the fibers, the one execution that is running, and the way into a step.
 *
 * Everything happens on one thread of the operating system. A hook that the compiler planted (access.c), an intercepted
 * function (locks.c, threads.c, ...) or a hook in assembly (assembly.c) describes the step that its fiber is about to
 * take and calls `step_take`, which returns when a strategy has chosen this fiber. Whatever the fiber then does until
 * its next `step_take` is one transition. */
#ifndef PLUMB_EXPLORE_INSIDE_INSIDE_H
#define PLUMB_EXPLORE_INSIDE_INSIDE_H

#include "explore/inside/machine.h"

#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define CALLER ((uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* else compilers compute an address for each of a few fields anew */
#define ONE_REGISTER(pointer) __asm__("" : "+r"(pointer))

/* Fixed addresses: the same in every execution and every process, with or without address space randomization. */
#define STACKS_BASE UINT64_C(0x600000000000)
#define STACK_ROOM UINT64_C(0x80000) /* one fiber's, with the guard at its low end */
#define STACK_GUARD UINT64_C(0x10000)
#define HEAP_BASE UINT64_C(0x610000000000)
/* one fiber's; not a multiple of a page, or what threads touch first would compete for the same lines of the cache */
#define ARENA_ROOM UINT64_C(0x4000400)
#define TLS_BASE UINT64_C(0x620000000000)
#define TLS_ROOM UINT64_C(0x40000)
#define NOWHERE UINT64_C(0x8000000000000000) /* no area begins there */

enum { SITES_MAX = 256, READS_MAX = 24, ARRIVALS_MAX = 32, KEYS_MAX = 64, GRANULES_RECENT = 512 };

typedef enum fiber_state { FIBER_FREE, FIBER_LIVE, FIBER_ENDED } fiber_state;

/* What an atomic access would do to memory: with it a pending step is refreshed without executing it. */
typedef enum update {
    UPDATE_NONE,
    UPDATE_SET,
    UPDATE_ADD,
    UPDATE_SUB,
    UPDATE_AND,
    UPDATE_OR,
    UPDATE_XOR,
    UPDATE_NAND,
    UPDATE_CAS,
    UPDATE_UNKNOWN /* an instruction in assembly: seen only afterwards */
} update;

typedef struct read_seen { /* of this operation, since its last effective write: spin.c */
    uintptr_t address, pc, sp;
    uint64_t value, expected;
    uint64_t held;
    uint32_t site, activation;
    uint8_t size;
} read_seen;

/* Eight bytes of memory: who touched them in this execution, and what an acquire of them gets to know (races.c). */
typedef struct granule {
    uintptr_t number; /* address / 8 */
    uint32_t execution;
    bool shared, learned;
    /* in whatever execution: */
    bool plain : 1;     /* some step was a plain access: atomic ones are logged too */
    bool mixed : 1;     /* both plain and atomic accesses were steps */
    bool confirmed : 1; /* a confirmed load read it */
    bool strange : 1;   /* somebody wrote other than eight bytes there */
    /* in this execution: */
    uint32_t log; /* newest logged access, +1 */
    uint16_t readers, writers;
    bool atomic;      /* one was not logged */
    bool synced;      /* somebody released it */
    uint8_t releaser; /* the last one, when what it knew then is all that was released */
    /* its clock then: who has seen that knows all that was released. NO_RELEASE: nobody knows; 0: everybody */
    uint16_t release;
    uint16_t released[THREADS_MAX];
} __attribute__((aligned(64))) granule;

typedef struct arrival { /* at a hook, since the last write that was a step: where a pure loop repeats itself */
    uintptr_t pc, address;
    uint64_t operand, expected;
    uint32_t activation; /* of the function */
} arrival;

typedef enum operation_state { OPERATION_NONE, OPERATION_CALLED, OPERATION_VISIBLE } operation_state;

typedef enum wait_kind {
    WAIT_NONE,
    WAIT_READS /* spinning */,
    WAIT_MUTEX,
    WAIT_SPINLOCK,
    WAIT_READ_LOCK,
    WAIT_WRITE_LOCK,
    WAIT_CONDITION,
    WAIT_SEMAPHORE,
    WAIT_BARRIER,
    WAIT_FUTEX,
    WAIT_ONCE,
    WAIT_GUARD,
    WAIT_JOIN
} wait_kind;

typedef struct fiber {
    /* the same in every execution that counts: */
    uintptr_t fs, stack, tls;
    uintptr_t stack_own, tls_own; /* the same; NOWHERE once somebody else was seen there */
    uint8_t number;
    void *sp;
    uint8_t state;
    uint8_t update; /* enum update: of the pending step */
    bool eager;     /* runs ahead to its first step, then hands back to `back` */
    bool detached, joined;
    uint8_t back;
    uint64_t operand, operand_high;
    uint32_t site, activation;   /* hash of the call stack; the number of the running function's activation */
    uint32_t depth, activations; /* height of the call stack; the number of the newest activation */
    uint32_t last_step;          /* NO_STEP: none so far */
    uint32_t op;                 /* index in world.ops, when visible */

    /* waiting: for what (step_enabled), and how it may end otherwise */
    uint8_t waits;
    uintptr_t waits_on, waits_second;
    uint32_t waits_value;
    bool signalled, timed, timed_out;
    uint32_t timeouts;

    /* spinning; what spin_forget clears and what hooks look at together stands in the same words */
    uint64_t held;    /* the locks that it holds, as one number */
    uint64_t read_at; /* a bit for each place in the code that stands in `read`, and maybe others */
    uint32_t reads, head;
    uint32_t rounds, arrivals;
    uint32_t hurry; /* so often it may still read the same without steps, after that step of its own: */
    bool annotated; /* its next step heads a pure loop */
    bool called;    /* its operation has no step so far: as `operation` says */
    bool hurried;   /* it has, since its reads last changed */
    bool again;     /* it came to the hook of a pure loop again */
    uint32_t hurry_since;
    uint32_t ticks; /* accesses without steps of that kind: time passes */
    uint32_t quiet; /* filtered accesses since the last step, or since they were last looked at */
    /* reads were dropped since the last write that was a step: not all that sent it round is known */
    bool partial;
    bool spinning, repeats; /* waits for a change; its pending step repeats a read */
    bool opaque;            /* nobody knows what its pending step would write */
    uint8_t operation;      /* operation_state */

    const plumb_item *item; /* the running operation */
    int64_t arg[OPERATION_ARGS];

    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument, *result;

    granule *touched; /* by shared_touch, the first of them */
    uint32_t slots, at_ends, cleanups;
    uint64_t drawn;              /* random numbers, so far (yield.c) */
    uint16_t knows[THREADS_MAX]; /* the clock of each thread: what happened before (races.c) */
    uint16_t fence_acquire[THREADS_MAX], fence_release[THREADS_MAX];

    /* of these so many, as said above: */
    read_seen read[READS_MAX];
    arrival arrived[ARRIVALS_MAX];
    struct {
        uint32_t site, activation;
    } sites[SITES_MAX];
    struct {
        uint32_t key;
        void *value;
    } slot[KEYS_MAX];
    struct {
        void (*run)(void *);
        void *object;
    } at_end[KEYS_MAX];
} fiber;

typedef enum mode {
    OUTSIDE,   /* our own code, constructors, the strategies: intercepted functions do what they always do */
    ALONE,     /* the code under test, and nobody else is there or will be seen to have been: no steps */
    RECORDING, /* the code under test, every shared access is a step */
} mode;

typedef struct machine_state {
    uint8_t mode;
    bool open, running;
    bool uses_main;
    fiber *now;
    void *driver_sp; /* the stack of strategies, while a fiber runs */
    uintptr_t driver_fs;
    uintptr_t stack_low, tls_low; /* of the fiber that runs: its stack_own, tls_own */
    uintptr_t tls_room;
    /* eight bytes that it has read since it was entered, and which nobody else was seen to touch, while RECORDING;
     * 0: none */
    uintptr_t old_news;

    world world;
    const driver *driver;
    machine_options options;
    const scenario *scenario;

    /* of this execution, up to `learned`: */
    thread_set waiting;   /* pending steps that may be disabled */
    thread_set refreshed; /* pending steps whose role depends on memory */
    thread_set joining;
    bool stale; /* refreshed steps are as they were some steps ago */
    thread_set assumed;
    unsigned unjoined;   /* created threads that nobody has joined yet */
    bool parked;         /* thread 0 waits for the end of all others */
    uint32_t boundaries; /* calls and returns so far */
    uint32_t marks;      /* linearization points so far */
    uint32_t keys;       /* of thread-specific data, made so far (threads.c) */
    uint32_t open_operations;
    bool settle; /* the value of world.last is known only after the program has executed it */
    uint64_t settle_old;
    uintptr_t settle_sp;
    uint32_t forced; /* rounds of spinning threads when nobody could go on */
    uint64_t quiet;  /* filtered accesses in this execution, as far as they were looked at */
    /* accesses (races.c): the log only grows along a path, and what was in it at a snapshot still is */
    uint32_t logged;

    bool learned;      /* in this execution: it does not count */
    bool windows;      /* are opened: confirmed reads count (windows.c) */
    bool constructing; /* the constructors of the program are running: before the first execution */
    /* the options leave out accesses to memory that nobody shares, and nobody asks where pure loops begin */
    bool plain_filter;
    bool detailed; /* somebody wants to know of every block: detail.c */
    bool forget;   /* what snapshots hold is no longer right (snapshot.h) */
    bool passes;   /* the driver may stay with a thread, and nobody looks at each step */
    /* while RECORDING, up to so many steps of the running thread may be passed, by accesses that never wait; else 0 */
    uint32_t free_steps;
    uint32_t keep_at;                 /* the next snapshot is due when so many steps were executed */
    thread_set ran;                   /* since the last snapshot */
    uint32_t execution;               /* the number of this one, for granules */
    uint8_t *heap_states;             /* of each granule of the heap */
    granule *recent[GRANULES_RECENT]; /* found last */
    fiber fiber[THREADS_MAX];
} machine_state;

extern machine_state m;

/* Of the code that goes on. Our own may put m.mode aside and back. */
static inline void mode_set(mode now) { m.mode = (uint8_t)now, m.old_news = 0, m.free_steps = 0; }

static inline bool address_is_heap(uintptr_t a) { return a - HEAP_BASE < ARENA_ROOM * THREADS_MAX; }

/* ---- fiber.c ---- */
bool fibers_open(char *wrong, size_t room);
void fibers_reset(void);
fiber *fiber_new(void (*body)(fiber *));
void fiber_switch(fiber *to);
void fiber_run(fiber *f); /* from the driver's stack: returns at the end of the execution */
void fiber_keep(void);    /* a snapshot of now: executions that begin with it go on here */
uintptr_t thread_pointer(void);
static inline void thread_pointer_set(uintptr_t v) { __asm__ volatile("wrfsbase %0" ::"r"(v) : "memory"); }
static inline void fiber_enter(fiber *to) {
    m.now = to;
    m.ran |= (thread_set)1 << to->number;
    m.stack_low = to->stack_own, m.tls_low = to->tls_own, m.old_news = 0;
    thread_pointer_set(to->fs);
}
/* Goes on where fiber_exchange left. In line, and by a jump: processors expect every call to return, and guess wrong
 * for each that does not. */
_Noreturn static inline __attribute__((always_inline)) void stack_take(void *sp) {
    __asm__ volatile("movq %0,%%rsp\n"
                     "popq %%r15\n popq %%r14\n popq %%r13\n popq %%r12\n popq %%rbx\n popq %%rbp\n"
                     "popq %%rcx\n jmp *%%rcx" ::"r"(sp)
                     : "memory");
    __builtin_unreachable();
}
/* As fiber_switch, never to come back. */
_Noreturn static inline __attribute__((always_inline)) void fiber_leave(fiber *to) {
    fiber_enter(to);
    stack_take(to->sp);
}
/* From any fiber: to the driver's stack. */
_Noreturn static inline __attribute__((always_inline)) void execution_leave(void) {
    mode_set(OUTSIDE);
    thread_pointer_set(m.driver_fs);
    stack_take(m.driver_sp);
}
/* The part of a thread-local block that an address lies in: whose thread it is, and whose variables ("" is the
 * program). */
bool fiber_tls_find(uintptr_t address, unsigned *thread, uintptr_t *start, size_t *size, const char **library);

/* ---- reset.c ---- */
bool reset_open(char *wrong, size_t room);
void reset_memory(void);
bool reset_fault(uintptr_t address);      /* a write to a watched page: true when it may be retried */
bool program_variable(uintptr_t address); /* in the writable memory of the executable */
bool program_owns(uintptr_t pc);          /* code of the program under test, not of system libraries */

/* ---- heap.c ---- */
bool heap_open(char *wrong, size_t room);
void heap_reset(void);
void heap_born(void); /* the constructors have run: every execution starts from this */
void heap_each_born(void (*each)(uintptr_t address, size_t bytes, uintptr_t pc));
void *heap_allocate(size_t size, size_t alignment, uintptr_t pc);
void heap_release(void *p, uintptr_t pc);
size_t heap_size(const void *p);
void heap_check_access(uintptr_t a, uint64_t size, bool write, uintptr_t pc);
enum { HEAP_GRANULE = 16 };
typedef enum heap_state { NEVER_USED, IN_USE, FREED } heap_state;
static inline uint32_t heap_granule(uintptr_t a) { return (uint32_t)((a - HEAP_BASE) / HEAP_GRANULE); }
static inline __attribute__((always_inline)) void heap_check(uintptr_t a, uint64_t size, bool write, uintptr_t pc) {
    if (UNLIKELY(m.heap_states[heap_granule(a)] != IN_USE || a % HEAP_GRANULE + size > HEAP_GRANULE))
        heap_check_access(a, size, write, pc);
}
void heap_check_leaks(void);

void heap_each_used(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size), void *context);
void reset_each_segment(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size), void *context);

/* ---- debugger.c ---- */
void plumb_explore_step(uint32_t number, unsigned thread);

/* ---- detail.c: one execution in every detail, for people ---- */
void detail_block(uintptr_t address, size_t bytes, uintptr_t pc);
void detail_freed(uintptr_t address);
/* ---- access.c: accesses that the program performs itself when this returns ---- */
void access_plain(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp);
void access_visible(uintptr_t a, uint64_t size, bool write, uintptr_t pc, uintptr_t sp); /* volatile, or in assembly */

static inline uint64_t memory_at(uintptr_t a, uint32_t size) {
    uint64_t v = 0;
    switch (size) {
    case 1: return *(const volatile uint8_t *)a;
    case 2: memcpy(&v, (const void *)a, 2); return v;
    case 4: memcpy(&v, (const void *)a, 4); return v;
    default: memcpy(&v, (const void *)a, 8); return v;
    }
}

/* The same of any size up to eight. */
static inline uint64_t bytes_at(uintptr_t a, uint32_t size) {
    uint64_t v = 0;
    if (LIKELY(!(size & (size - 1)))) return memory_at(a, size);
    memcpy(&v, (const void *)a, size);
    return v;
}

/* ---- record.c ---- */
void record_reset(void);
void record_visible(fiber *f); /* the first step of its operation is being executed */
static inline void operation_becomes(fiber *f, operation_state s) {
    f->operation = (uint8_t)s, f->called = s == OPERATION_CALLED;
}

/* ---- machine.c: steps ---- */
void last_settle(void); /* the program has executed the store, or the instruction, that the last step stood before */

/* Whole words: what is read back as words soon (step_commit) would have to wait for the smaller stores to reach the
 * cache. */
static inline void place_set(place *p, uintptr_t address, uint32_t size, place_role role) {
    _Static_assert(offsetof(place, size) == 8 && offsetof(place, role) == 12 && sizeof(place) == 16, "two words");
    const uint64_t word = size | (uint64_t)role << 32;
    p->address = address;
    memcpy((char *)p + 8, &word, sizeof word);
}

static inline void step_set_head(step *s, step_kind kind, uint8_t flags, uint32_t size, unsigned order) {
    _Static_assert(offsetof(step, kind) == 0 && offsetof(step, flags) == 1 && offsetof(step, size) == 2 &&
                       offsetof(step, order) == 3 && offsetof(step, at) == 8 &&
                       offsetof(step, site) + 8 == sizeof(step) && offsetof(step, site) - offsetof(step, value) == 32,
                   "whole words");
    const uint64_t word =
        (uint64_t)kind | (uint64_t)flags << 8 | (uint64_t)(size <= 16 ? size : 0) << 16 | (uint64_t)order << 24;
    memcpy(s, &word, sizeof word);
}

static inline __attribute__((always_inline)) void step_set(step *s, const fiber *f, step_kind kind, uint8_t flags,
                                                           uintptr_t address, uint32_t size, place_role role,
                                                           unsigned order, uintptr_t pc) {
    const uint64_t site = f->site;
    step_set_head(s, kind, flags, size, order);
    place_set(&s->at[0], address, size, role);
    place_set(&s->at[1], 0, 0, PLACE_UNUSED);
    s->pc = pc;
    memcpy(&s->site, &site, sizeof site); /* the padding as well */
    memset(&s->value, 0, offsetof(step, site) - offsetof(step, value));
}

static inline __attribute__((always_inline)) step *step_describe_ordered(step_kind kind, uintptr_t address,
                                                                         uint32_t size, place_role role, unsigned order,
                                                                         uintptr_t pc) {
    fiber *f = m.now;
    step *s = &m.world.pending[f->number];
    ONE_REGISTER(s);
    thread_set me = (thread_set)1 << f->number;
    if (UNLIKELY(m.settle)) last_settle();
    m.waiting &= ~me, m.refreshed &= ~me, m.joining &= ~me;
    f->update = UPDATE_NONE, f->opaque = false;
    step_set(s, f, kind, 0, address, size, role, order, pc);
    return s;
}
static inline step *step_describe(step_kind kind, uintptr_t address, uint32_t size, place_role role, uintptr_t pc) {
    return step_describe_ordered(kind, address, size, role, 5 /* sequentially consistent */, pc);
}
void step_second(uintptr_t address, uint32_t size, place_role role);
void step_waits(wait_kind wait, uintptr_t on); /* the described step may be disabled: step_enabled decides */
void step_refreshes(update u, uint64_t operand, uint64_t operand_high);
void step_take(void);

/* Word by word, as it was written: wider loads would wait for the stores of a step that was described just now. */
static inline void words_copy(void *to, const void *from, size_t words) {
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, (const char *)from + 8 * i, 8);
        __asm__("" : "+r"(word));
        memcpy((char *)to + 8 * i, &word, 8);
    }
}

static inline uint64_t trail_with(uint64_t trail, uint8_t kind, uintptr_t address) {
    return (trail ^ kind ^ address) * UINT64_C(0x9E3779B97F4A7C15);
}
static inline void trail_extend(world *w) { w->trail = trail_with(w->trail, w->last.kind, w->last.at[0].address); }

/* The last step was made, and the driver is told of it later. Another is being made. */
static inline __attribute__((always_inline)) void last_pass(world *w) {
    passed_step *p = &w->pass[w->passed++];
    ONE_REGISTER(p);
    const uint64_t trail = w->trail;
    const uintptr_t address = w->last.at[0].address;
    const uint8_t kind = w->last.kind;
    p->kind = kind, p->flags = w->last.flags, p->trail = trail;
    p->events = w->events[m.now->number];
    p->at[0].address = address;
    words_copy((char *)p->at + 8, (const char *)w->last.at + 8, sizeof p->at / 8 - 1);
    w->trail = trail_with(trail, kind, address);
    m.stale = true;
}

/* ---- steps that need no question and cannot wait: most of them where the driver stays with a thread. They are never
 * pending ---- */
static inline bool step_is_free(void) { return m.world.passed < m.free_steps; }

/* Where the thread is, should it crash: the last step is its own. */
static inline void thread_is_at(uintptr_t pc) { m.world.last.pc = pc; }

/* Makes it, of a thread whose operation is visible, when nothing is to be settled. */
static inline __attribute__((always_inline)) step *step_make_quick(fiber *f, step_kind kind, uint8_t flags,
                                                                   uintptr_t address, uint32_t size, place_role role,
                                                                   unsigned order, uintptr_t pc) {
    world *w = &m.world;
    last_pass(w);
    step_set(&w->last, f, kind, flags, address, size, role, order, pc);
    f->last_step = w->steps++;
    f->quiet = 0;
    return &w->last;
}

/* Returns the last step, about to be executed by the program. */
static inline __attribute__((always_inline)) step *step_make(step_kind kind, uint8_t flags, uintptr_t address,
                                                             uint32_t size, place_role role, unsigned order,
                                                             uintptr_t pc) {
    fiber *f = m.now;
    if (UNLIKELY(m.settle)) last_settle();
    step *s = step_make_quick(f, kind, flags, address, size, role, order, pc);
    if (UNLIKELY(f->called)) record_visible(f);
    return s;
}

unsigned world_choose(unsigned n, choice_kind kind);
void pending_refresh(fiber *f, step *s);
_Noreturn void thread_ends(void); /* the fiber's body has returned */
_Noreturn void execution_end(ending e);
void mode_refresh(void); /* after a create or a join */

/* ---- locks.c ---- */
bool step_enabled(const fiber *f, const step *s);

/* ---- threads.c ---- */
fiber *thread_start(void *(*run)(void *), int (*run_c11)(void *), void *argument); /* machine.c */
void thread_finish(void); /* destructors of what belongs to the thread */

/* ---- shared.c: which memory is shared ---- */
bool shared_open(void);
void shared_begin(void);                                  /* an execution: what was learned counts from now on */
bool shared_look(uintptr_t a, uint64_t size, bool write); /* is it a step? remembers who touched it */
granule *granule_find(uintptr_t number);                  /* as of this execution */
static inline granule **granule_slot(uintptr_t number) {  /* arenas and stacks of different threads must not meet */
    return &m.recent[(number * UINT64_C(0x9E3779B97F4A7C15)) >> 55];
}
/* NULL: nobody has asked for it lately. */
static inline granule *granule_known(uintptr_t number) {
    granule *g = *granule_slot(number);
    return LIKELY(g->number == number && g->execution == m.execution) ? g : NULL;
}
enum { SPIN_MOST = 1999 };
void shared_suspect(uintptr_t a);              /* so many accesses since the last step, and this is one of them */
static inline void shared_quiet(uintptr_t a) { /* an access that is no step: too many are suspicious */
    if (UNLIKELY(++m.now->quiet >= SPIN_MOST)) shared_suspect(a);
}
/* Of a granule that is known to be shared nobody asks any more who touched it. */
static inline __attribute__((always_inline)) bool shared_touch(uintptr_t a, uint64_t size, bool write) {
    granule *g = granule_known(a / 8);
    if (UNLIKELY(!g || (a + size - 1) / 8 != a / 8)) return shared_look(a, size, write);
    fiber *f = m.now;
    f->touched = g;
    if (g->shared) return true;
    if (UNLIKELY(!((write ? g->writers : g->readers) >> f->number & 1) || !m.options.filter))
        return shared_look(a, size, write);
    shared_quiet(a); /* it has been here before: that tells nothing new */
    return false;
}
void shared_force(uintptr_t a); /* somebody spins on it */
/* somebody has to wait there: unless its accesses are steps already, the execution ends and they will be */
void shared_demand(uintptr_t a);
void shared_quiet_many(uintptr_t a, uint32_t accesses); /* one of so many */
bool granule_is_shared(uintptr_t number);
uint32_t shared_known(void); /* how much was learned so far, that counts */
bool await_known(uintptr_t pc);
void await_learn(uintptr_t pc);

/* ---- windows.c: confirmed reads ---- */
void windows_begin(void); /* an execution, from its start or from a snapshot */
void windows_reset(void);
void windows_update(fiber *f);              /* it stands before its next step: which are open? */
void windows_meet(const fiber *f, step *s); /* it executes this step */
void windows_wrote(uintptr_t a, uint64_t size, uint64_t old, uint64_t new); /* a step did */
void windows_forbid(void);  /* from the next execution on there are none */
bool progress_wanted(void); /* progress.c */

/* ---- spin.c ---- */
bool spin_look(step *s, uintptr_t sp);
bool spin_hurries(const fiber *f);               /* it goes on reading the same without steps */
void spin_pass(uintptr_t address, uintptr_t pc); /* an access that is no step */
static inline uint64_t read_bit(uintptr_t pc) { return UINT64_C(1) << ((uint32_t)pc * UINT32_C(0x9E3779B1) >> 26); }
/* Marks the described access as waiting when it only repeats. True: it is performed at once, and is no step. */
static inline __attribute__((always_inline)) bool spin_is_possible(const fiber *f, uintptr_t pc) {
    return f->read_at & read_bit(pc) || f->hurry || f->annotated || m.options.blocking;
}
static inline __attribute__((always_inline)) bool spin_before(step *s, uintptr_t sp) {
    fiber *f = m.now;
    f->repeats = false;
    return spin_is_possible(f, s->pc) && spin_look(s, sp);
}
bool spin_ends(const fiber *f, const step *s);
void spin_skips(uintptr_t pc);                     /* iterations of the loop there are left out: the report says so */
bool spin_is_stuck(const fiber *f, const step *s); /* nobody else will go on: neither will it */
/* After a write to private memory a loop may still be a pure one (its proof has seen the write), but it no longer just
 * reads. */
static inline void spin_forget_reads(fiber *f) {
    f->reads = 0, f->read_at = 0, f->rounds = 0, f->head = READS_MAX, f->hurry = 0, f->hurried = false,
    f->partial = true;
}
static inline void spin_forget(fiber *f) {
    spin_forget_reads(f), f->partial = false, f->arrivals = 0, f->again = false;
}
/* It has read this and changed nothing. A loop of more reads than there is room for is never taken for waiting. */
static inline __attribute__((always_inline)) void spin_add(fiber *f, const read_seen *seen) {
    read_seen *r = &f->read[f->reads++];
    ONE_REGISTER(r);
    f->read_at |= read_bit(seen->pc);
    *r = *seen;
}
static inline __attribute__((always_inline)) void spin_keep(fiber *f, const read_seen *seen) {
    if (f->repeats) return;
    if (UNLIKELY(f->reads == READS_MAX)) spin_forget_reads(f);
    spin_add(f, seen);
}
static inline void spin_saw(const step *s, uint64_t seen, uintptr_t sp) {
    spin_keep(m.now, &(read_seen){s->at[0].address, s->pc, sp, seen, s->expected, m.now->held, s->site,
                                  m.now->activation, s->size});
}
/* Taken and released again, a lock is as it was: a loop may read, lock, look again and give up, and still only wait. */
static inline void spin_locks(fiber *f, uintptr_t lock) {
    f->held ^= (lock * UINT64_C(0x9E3779B97F4A7C15)) >> 7, f->arrivals = 0, f->again = false;
}

/* ---- races.c ---- */
void races_begin(void); /* an execution, from its start or from a snapshot */
void races_reset(void);
void races_forget(void); /* what this execution found */
/* The granule of a step that its thread has just touched. */
static inline granule *granule_at(uintptr_t address) {
    granule *g = m.now->touched;
    return LIKELY(g->number == address / 8) ? g : granule_find(address / 8);
}
/* remembers an access to these bytes of it */
void races_log(granule *g, uint8_t bytes, uintptr_t pc, bool plain, bool write);
void races_remember(const step *s, bool plain, bool write);
/* Atomic accesses race only with plain ones: where there were none so far they are not worth remembering. */
static inline void races_access(const step *s, bool plain, bool write) {
    granule *g = m.now->touched;
    uintptr_t a = s->at[0].address;
    if (LIKELY(!plain && !g->plain && g->number == a / 8 && (a + s->at[0].size - 1) / 8 == a / 8)) g->atomic = true;
    else races_remember(s, plain, write);
}
void races_sync_any(granule *g, const step *s, bool reads, bool writes);
static inline void races_sync(const step *s, bool reads, bool writes) {
    races_sync_any(granule_at(s->at[0].address), s, reads, writes);
}
enum { NO_RELEASE = UINT16_MAX };
/* Has who knows that all that was released there? Most reads do; nothing is left then for a fence to make known,
 * either. */
static inline bool release_known(const granule *g, const uint16_t *knows) { return knows[g->releaser] >= g->release; }
static inline void races_read(granule *g, const step *s) {
    if (UNLIKELY(!release_known(g, m.now->knows))) races_sync_any(g, s, true, false);
}
/* Of who knows all that was released there. */
static inline void races_publish(granule *g, fiber *f) {
    memcpy(g->released, f->knows, sizeof g->released);
    g->synced = true, g->releaser = f->number, g->release = f->knows[f->number]++;
}
/* what others released there before is not forgotten: readers of a lock, posts */
void races_release(const step *s);
void races_fence(int order);
void races_create(fiber *child);
void races_join(const fiber *child);

/* ---- failures.c ---- */
bool failures_open(char *wrong, size_t room);
_Noreturn void fail(failure_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- unmodelled.c ---- */
void refuse(const char *name, uintptr_t pc); /* ends the run when code under test is the caller */

/* The function behind one that we intercept, and whatever has a name; as numbers, since C keeps functions and data
 * apart. */
uintptr_t real_function(const char *name);
uintptr_t symbol_address(const char *name);
#define REAL(name) ((__typeof__(&name))real_function(#name))

/* ---- scenario.c ---- */
unsigned scenario_threads(const scenario *s);
unsigned scenario_group(const scenario *s, unsigned thread);
void scenario_run_before(const scenario *s);
void scenario_run_thread(const scenario *s, unsigned thread);
void scenario_run_after(const scenario *s);
bool scenario_has_after(const scenario *s);
bool items_have(enum plumb_item_kind kind); /* one was declared */
void items_run(enum plumb_item_kind kind);  /* all of that kind, in the order they were declared */
void invariants_check(void);
int explore_main(int argc, char **argv, char **envp, int (*main)(int, char **, char **)); /* serve.c */
int trial_main(int argc, char **argv, char **envp, int (*main)(int, char **, char **));

#endif
