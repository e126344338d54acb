#include "runtime/record/clock.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __has_include
#if __has_include(<linux/membarrier.h>) && defined(SYS_membarrier)
#include <linux/membarrier.h>
#define HAS_MEMBARRIER
#endif
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

/* ---- snapshots ---- */

bool scanner_init(snapshot_scanner *s, uint32_t slots) {
    s->before = calloc(slots, sizeof *s->before);
    s->moved = calloc(slots, sizeof *s->moved);
    return s->before && s->moved;
}

void scanner_free(snapshot_scanner *s) {
    free(s->before);
    free(s->moved);
}

static uint64_t announced(const log_slot *s) { return __atomic_load_n(&s->announced, __ATOMIC_SEQ_CST); }

/* Another program's memory may hold anything: never more than there are. */
static uint64_t used(const log_header *h) {
    uint64_t n = __atomic_load_n(&h->used, __ATOMIC_SEQ_CST);
    return n < h->slots ? n : h->slots;
}

/* With at most one slot that can move, one look at it is a snapshot; slots beyond had announced nothing when `used` was
 * read the second time. */
static bool scan_at_once(const log_header *h, const log_slot *slot, const log_slot *self, uint64_t *sum) {
    uint64_t n = used(h);
    if (n > (self ? 2u : 1u)) return false;
    *sum = 0;
    for (uint64_t i = 0; i < n; i++) *sum += announced(&slot[i]);
    return used(h) == n;
}

/* Two equal collects are a snapshot (Afek and others 1993). When a slot has changed twice, its owner has finished a
 * scan of its own in between, which lies inside this one: its rank is borrowed. So there are at most 2n + 2 collects.
 * `rank` is written after a scan and before the next announcement, so a thread that sees that announcement sees a rank
 * at least as new. */
uint64_t clock_scan(const log_header *h, log_slot *slot, const log_slot *self, snapshot_scanner *s) {
    uint64_t sum, n = 0;
    if (scan_at_once(h, slot, self, &sum)) return sum;
    memset(s->moved, 0, h->slots * sizeof *s->moved);
    for (bool first = true;; first = false) {
        uint64_t now = used(h);
        bool same = !first && now == n;
        assert(now >= n && now <= h->slots);
        for (uint64_t i = n; i < now; i++) s->before[i] = 0;
        n = now;
        sum = 0;
        for (uint64_t i = 0; i < n; i++) {
            uint64_t a = announced(&slot[i]);
            sum += a;
            if (a == s->before[i]) continue;
            s->before[i] = a;
            same = false;
            if (first) continue;
            if (s->moved[i]) return __atomic_load_n(&slot[i].rank, __ATOMIC_SEQ_CST);
            s->moved[i] = true;
        }
        if (same) return sum;
    }
}

/* ---- the time stamp counter ---- */

#if defined(__x86_64__)
/* A counter only: the announcement and the fence behind it keep the object's steps after it. */
uint64_t clock_tsc_before(void) { return __rdtsc(); }
void clock_tsc_fence(void) { _mm_lfence(); }
uint64_t clock_tsc_after(void) {
    unsigned processor;
    return __rdtscp(&processor);
}

static bool tsc_is_constant(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8)) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1u << 27);
}

enum { EXCHANGES = 64, SPINS = 2000 };

/* Two threads on two processors hand each other what they read: each must read more than it was handed. Whose turn does
 * not come sleeps: sched_yield lets everything else on a busy machine go first, 64 times over. */
typedef struct exchange {
    int processor[2];
    uint64_t ball; /* the last reading, times 2, plus whose turn it is */
    uint32_t wrong;
} exchange;

typedef struct player {
    exchange *x;
    unsigned me;
} player;

static void pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)processor, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *play(void *context) {
    player *p = context;
    pin(p->x->processor[p->me]);
    for (unsigned i = 0; i < EXCHANGES; i++) {
        uint64_t ball;
        for (unsigned spins = 0; (ball = __atomic_load_n(&p->x->ball, __ATOMIC_SEQ_CST)) % 2 != p->me; spins++)
            if (spins % SPINS == SPINS - 1) nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
        uint64_t mine = clock_tsc_after() & UINT64_MAX >> 1;
        if (mine <= ball / 2) __atomic_store_n(&p->x->wrong, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&p->x->ball, 2 * mine + !p->me, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static bool in_step(int a, int b) {
    exchange x = {.processor = {a, b}};
    player p[2] = {{&x, 0}, {&x, 1}};
    pthread_t t[2];
    for (unsigned i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, play, &p[i])) {
            if (i) pthread_join(t[0], NULL);
            return false;
        }
    for (unsigned i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return !x.wrong;
}

static bool tsc_is_synchronised(void) {
    cpu_set_t set;
    int first = -1;
    if (sched_getaffinity(0, sizeof set, &set)) return false;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET((unsigned)i, &set)) continue;
        if (first >= 0 && !in_step(first, i)) return false;
        if (first < 0) first = i;
    }
    return true;
}
#else
uint64_t clock_tsc_before(void) { return 0; }
uint64_t clock_tsc_after(void) { return 0; }
void clock_tsc_fence(void) {}
static bool tsc_is_constant(void) { return false; }
static bool tsc_is_synchronised(void) { return false; }
#endif

bool clock_tsc_usable(error *e) {
    if (!tsc_is_constant())
        return error_set(e, EXIT_USAGE,
                         "clock TSC: this processor has no constant time stamp counter; expected TICKET or SNAPSHOT");
    if (tsc_is_synchronised()) return true;
    return error_set(e, EXIT_USAGE,
                     "clock TSC: the processors' time stamp counters are not in step; expected TICKET or SNAPSHOT");
}

/* ---- barriers on all processors ---- */

#ifdef HAS_MEMBARRIER
static bool barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

static bool barriers_include(int wanted) {
    long all = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return all > 0 && (all & wanted) == wanted;
}
#else /* built where the system has none: as if it refused them */
enum {
    MEMBARRIER_CMD_PRIVATE_EXPEDITED = 1,
    MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
    MEMBARRIER_CMD_GLOBAL_EXPEDITED,
    MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
};

static bool barrier(int command) {
    (void)command;
    return false;
}

static bool barriers_include(int wanted) {
    (void)wanted;
    return false;
}
#endif

bool clock_enable_barriers(bool attached) {
    if (!barriers_include(MEMBARRIER_CMD_PRIVATE_EXPEDITED) || !barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED))
        return false;
    return !attached || barrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

/* A slot that is not in use has shown all that was written to it. `refused` is stored before this looks, and a thread
 * that takes a slot, or the first one ever, looks at `refused` afterwards. */
static bool all_are_fenced(const log_header *h, const log_slot *slot) {
    uint64_t n = used(h);
    for (uint64_t i = 0; i < n; i++)
        if (__atomic_load_n(&slot[i].taken, __ATOMIC_SEQ_CST) && !__atomic_load_n(&slot[i].fenced, __ATOMIC_SEQ_CST))
            return false;
    return true;
}

static bool refused(log_header *h) {
    __atomic_store_n(&h->refused, 1, __ATOMIC_SEQ_CST);
    return false;
}

bool clock_fence_writers(log_header *h, const log_slot *slot, bool ours) {
    if (!h->barriers || barrier(ours ? MEMBARRIER_CMD_PRIVATE_EXPEDITED : MEMBARRIER_CMD_GLOBAL_EXPEDITED)) return true;
    return refused(h) || all_are_fenced(h, slot);
}

/* ---- a thread alone ---- */

static void raise_ticket(log_header *h, uint64_t least) {
    uint64_t now = __atomic_load_n(&h->ticket, __ATOMIC_SEQ_CST);
    while (now < least &&
           !__atomic_compare_exchange_n(&h->ticket, &now, least, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

/* More than a thread alone can count while another one ends that; stamps have 56 bits. */
#define STAMPS_ALONE (UINT64_C(1) << 40)

/* The shared counter is above whatever the thread will have counted before it can find out that it is not alone.
 * Several may do this at the same time: none of them goes on before the barrier. */
static bool end_solitude(log_header *h, log_slot *slot, uint64_t holder) {
    log_slot *s = &slot[holder - 1];
    assert(holder >= 1 && holder <= h->slots);
    if (!barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return refused(h); /* a filter of system calls, say */
    raise_ticket(h, __atomic_load_n(&s->done, __ATOMIC_SEQ_CST) + STAMPS_ALONE);
    __atomic_store_n(&s->alone, 0, __ATOMIC_SEQ_CST);
    if (!barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return refused(h);
    __atomic_store_n(&h->holder, LOG_SHARED, __ATOMIC_SEQ_CST);
    return true;
}

bool clock_join(log_header *h, log_slot *slot, uint32_t number) {
    uint64_t holder = __atomic_load_n(&h->holder, __ATOMIC_SEQ_CST), mine = number + 1u;
    assert(number < h->slots && h->clock == PLUMB_CLOCK_TICKET);
    if (!h->barriers) return true;
    if (!holder) {
        __atomic_store_n(&slot[number].alone, 1,
                         __ATOMIC_SEQ_CST); /* before another thread can find this slot in `holder` */
        if (__atomic_compare_exchange_n(&h->holder, &holder, mine, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
        __atomic_store_n(&slot[number].alone, 0, __ATOMIC_SEQ_CST);
    }
    return holder == LOG_SHARED || holder == mine || end_solitude(h, slot, holder);
}

uint64_t clock_ticket_now(const log_header *h, const log_slot *slot) {
    uint64_t holder = __atomic_load_n(&h->holder, __ATOMIC_SEQ_CST), count = 0;
    if (holder && holder <= h->slots) count = __atomic_load_n(&slot[holder - 1].done, __ATOMIC_SEQ_CST);
    uint64_t ticket = __atomic_load_n(&h->ticket, __ATOMIC_SEQ_CST);
    return ticket > count ? ticket : count;
}

/* ---- cuts ---- */

/* TICKET, SNAPSHOT with cut C: returns up to C, calls only up to C - 1. A call with stamp C may belong to a thread that
 * began after an operation returned whose return was published after its log was read: it is left to the next round,
 * so that the two are not taken for overlapping. TSC: nothing that was stamped at C or later. */
uint64_t clock_limit(const log_header *h, log_slot *slot, snapshot_scanner *s) {
    uint64_t limit;
    switch (h->clock) {
    case PLUMB_CLOCK_TSC: limit = 2 * (clock_tsc_after() & UINT64_MAX >> PLUMB_STAMP_SHIFT) - 1; break;
    case PLUMB_CLOCK_SNAPSHOT: limit = 2 * clock_scan(h, slot, NULL, s); break;
    default: limit = 2 * clock_ticket_now(h, slot); break;
    }
    BETWEEN_LOADS(); /* pairs with the announcements: what is not visible now has not begun */
    return limit;
}
