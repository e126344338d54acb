#!/bin/bash
# What people who did not write the explorer do with it: names of memory that is no variable of theirs, flags on the command line,
# objects made by constructors, locks on the stack and in thread-local memory, memory of plain and atomic accesses.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
explore() { plumb explore --quiet --schedule "$SCRATCH/schedule" "$@"; rm -f "$SCRATCH/schedule"; }
compilers=(gcc); command -v clang >/dev/null && compilers+=(clang)

# ---- names ---------------------------------------------------------------------------------------------------------------------
cat >queue_lock.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
extern int opterr; /* of libc */
struct slot { atomic_int waits; struct slot *_Atomic next; };
static _Thread_local struct slot mine;
static struct slot *_Atomic last;
static int count;
static void enter(struct slot *s) {
    s->waits = 1, s->next = NULL;
    struct slot *before = atomic_exchange(&last, s);
    if (before) { before->next = s; while (s->waits) {} }
}
static void leave(struct slot *s) {
    struct slot *me = s;
    if (!s->next) { if (atomic_compare_exchange_strong(&last, &me, 0)) return; while (!s->next) {} }
    s->next->waits = 0;
}
PLUMB_OBJECT("fetch-add")
#ifdef ON_STACK
#define SLOT struct slot own, *s = &own
#else
#define SLOT struct slot *s = &mine
#endif
PLUMB_OP(add, n) {
    SLOT;
    int v = count; /* before the lock: the bug */
    enter(s);
    opterr++;
    count = v + (int)n;
    leave(s);
    return plumb_int(v);
}
C
for cc in "${compilers[@]}"; do
    export PLUMB_CC=$cc
    explore --full queue_lock.c
    exits "a lost update: $cc" 1
    says "a thread-local variable has its thread in its name: $cc" out "writes mine@2.waits 1"
    says "so has a pointer to it: $cc" out "updates last to &mine@2"
    says "a variable of a library: $cc" out "reads opterr 1"
    says "lines of the source: $cc" out "queue_lock.c:9 enter"
    explore --full -DON_STACK queue_lock.c
    says "memory on a stack: $cc" out "updates last to &stack@2-"
done
unset PLUMB_CC
cat >aba.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
#include <stdlib.h>
struct link { struct link *next; };
typedef struct { long value; struct link link; } item;
static struct link *_Atomic top;
PLUMB_OBJECT("stack") PLUMB_THREADS("push(1) push(2) : pop | pop pop push(3) push(4) | pop") /* two on one line */
PLUMB_OP(push, v) {
    item *i = malloc(sizeof *i);
    i->value = v;
    i->link.next = top;
    while (!atomic_compare_exchange_strong(&top, &i->link.next, &i->link)) {}
    return plumb_none();
}
PLUMB_OP(pop) {
    struct link *t = top;
    while (t && !atomic_compare_exchange_strong(&top, &t, t->next)) {}
    if (!t) return plumb_empty();
    item *i = (item *)((char *)t - 8);
    long v = i->value;
    free(i);
    return plumb_int(v);
}
C
explore aba.c
says "reading freed memory is a failure" out "use after free: thread 1 reads from freed memory item#1.link.next"
explore --freed-reads --reuse oldest aba.c
exits "unless it is allowed: then its consequence is" 1
says "a block that is used again says whose memory it was" out "(once item#"
says "what contains a node has its own name" out "item#"

# ---- flags, and assembly -----------------------------------------------------------------------------------------------------------
mkdir -p include
echo '#define START 0' >include/start.h
cat >flags.c <<'C'
#include <plumbline/test.h>
#include <start.h>
static struct { long pad; _Alignas(8) unsigned long pair[2]; } s;
static long spin = START, n;
static long swap(long *at, long v) { __asm__ volatile("xchgq %0, %1" : "+r"(v), "+m"(*at)::"memory"); return v; }
static char pair_cas(unsigned long *at) {
    char done;
    unsigned long a = 0, d = 0;
    __asm__ volatile("lock cmpxchg16b %1; setz %0" : "=q"(done), "+m"(*(unsigned __int128 *)at), "+a"(a), "+d"(d) : "b"(1ul), "c"(2ul) : "memory", "cc");
    return done;
}
PLUMB_OBJECT("fetch-add")
PLUMB_OP(add, k) {
#ifdef MISALIGNED
    pair_cas(s.pair + !((unsigned long)s.pair & 8));
#endif
    while (swap(&spin, 1)) {}
    long v = n;
    n = v + k;
    if (0) pair_cas(s.pair);
#ifndef BROKEN
    swap(&spin, 0);
#else
    swap(&spin, 0), n = v + k;
#endif
    return plumb_int(v);
}
C
explore -Iinclude --time 20 --program "add(1) | add(2) | add(3)" flags.c
exits "a lock by xchg in assembly passes" 0
ok "and is exhausted but for looking on, for it is known what xchg writes" "$(grep -Eqx 'covered: (every interleaving|all interleavings within limits)( under sequential consistency)?(; [0-9]+ loops? (is|are) taken for endless because [a-z ]+)?' "$SCRATCH/out"; echo $?)"
explore -I include -DBROKEN flags.c
exits "-I and -D go to the compiler" 1
says "an exchange shows what it wrote" out "updates spin to 1"
explore -Iinclude -DMISALIGNED flags.c
says "cmpxchg16b at an odd place" out "whose address is no multiple of 16"

# ---- C++: what constructors make, and calls that wait on memory not known to be shared -------------------------------------------------
cat >made.cpp <<'C'
#include <plumbline/test.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>
static std::vector<int> stack{7, 8};
static std::map<std::string, int> names{{"a name that does not fit into the string itself", 1}};
static std::mutex lock;
PLUMB_OBJECT("stack")
PLUMB_FINAL { plumb_assert(stack.size() >= 2 && stack[0] == 7 && names.size() == 1); }
PLUMB_OP(push, v) { std::lock_guard<std::mutex> l(lock); stack.push_back((int)v); return plumb_none(); }
PLUMB_OP(pop) {
    std::lock_guard<std::mutex> l(lock);
    if (stack.size() == 2) return plumb_empty();
    int v = stack.back();
    stack.pop_back();
    return plumb_int(v);
}
C
explore --length 1-2 --threads 2 made.cpp
exits "objects of constructors are as new in each execution" 0
cat >late.c <<'C'
#include <plumbline/test.h>
#include <pthread.h>
#include <stdlib.h>
typedef struct { pthread_mutex_t lock; int v; } box;
static box *_Atomic shown;
PLUMB_OBJECT("register") PLUMB_INITIAL("0")
PLUMB_ONE_THREAD(write)
PLUMB_OP(write, x) {
    box *b = shown ? shown : calloc(1, sizeof *b);
    pthread_mutex_lock(&b->lock); /* the first time no other thread knows it */
    shown = b;
    b->v = (int)x;
    pthread_mutex_unlock(&b->lock);
    return plumb_none();
}
PLUMB_OP(read) {
    box *b = shown;
    if (!b) return plumb_int(0);
    pthread_mutex_lock(&b->lock);
    int v = b->v;
    pthread_mutex_unlock(&b->lock);
    return plumb_int(v);
}
C
explore --threads 2 --length 1-2 late.c
exits "a lock that is shown while it is held" 0
cat >mixed.c <<'C'
#include <plumbline/test.h>
static unsigned version;
static long low, high;
PLUMB_OBJECT("register") PLUMB_INITIAL("0") PLUMB_ONE_THREAD(write)
PLUMB_OP(write, x) {
    __atomic_store_n(&version, version + 1, __ATOMIC_SEQ_CST); /* one plain access, one atomic */
    __atomic_store_n(&low, x, __ATOMIC_SEQ_CST);
    __atomic_store_n(&high, x, __ATOMIC_SEQ_CST);
    __atomic_store_n(&version, version + 1, __ATOMIC_SEQ_CST);
    return plumb_none();
}
PLUMB_OP(read) {
    while (__atomic_load_n(&version, __ATOMIC_SEQ_CST) & 1) {}
    long a = __atomic_load_n(&low, __ATOMIC_SEQ_CST), b = __atomic_load_n(&high, __ATOMIC_SEQ_CST);
    return plumb_int(a == b ? a : 77);
}
C
plumb explore --quiet --schedule mixed.schedule mixed.c
exits "plain and atomic accesses to one place: found" 1
plumb replay mixed.schedule
exits "and replayed in a process that has learned nothing" 1
says "as the same violation" out "read() -> 77"

# ---- an operation that waits ---------------------------------------------------------------------------------------------------------
cat >waits.c <<'C'
#include <plumbline/test.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static long buffer[8];
static unsigned head, tail;
PLUMB_OBJECT("queue")
#ifdef DECLARED
PLUMB_WAITS(deq)
#endif
PLUMB_OP(enq, v) {
    pthread_mutex_lock(&m);
    buffer[tail++ % 8] = v;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return plumb_none();
}
PLUMB_OP(deq) {
    pthread_mutex_lock(&m);
    WAIT (head == tail) pthread_cond_wait(&c, &m);
    long v = buffer[head++ % 8];
    pthread_mutex_unlock(&m);
    return plumb_int(v);
}
C
explore -DWAIT=while waits.c
exits "two who wait for nothing" 1
says "what to say when that is meant" out "PLUMB_WAITS(deq)"
explore -DWAIT=while -DDECLARED --length 1-2 --time 5 waits.c
exits "declared: no program waits for ever" 0
explore -DWAIT=if -DDECLARED waits.c
exits "who does not look again after waiting" 1
says "takes what is not there" out "not linearizable with respect to queue"

# ---- a lock that spins for a while and then sleeps ----------------------------------------------------------------------------------
cat >parks.cpp <<'C'
#include <plumbline/test.h>
#include <atomic>
static std::atomic<int> state;
static long n;
static void lock() {
    int free = 0;
    if (state.compare_exchange_strong(free, 1)) return;
    while (state.exchange(2)) state.wait(2);
}
static void unlock() { if (state.exchange(0) == WAITED_FOR) state.notify_one(); }
PLUMB_OBJECT("fetch-add")
PLUMB_OP(add, k) {
    lock();
    long v = n;
    n = v + k;
    unlock();
    return plumb_int(v);
}
C
explore --flags "-std=c++20" -DWAITED_FOR=2 --time 5 --program "add(1) | add(2)" parks.cpp
exits "std::atomic::wait" 0
ok "every interleaving of it, but for how often it looks before it waits" "$(grep -q "^covered: all interleavings within limits under sequential consistency; 1 loop that counts its looks" "$SCRATCH/out"; echo $?)"
explore --flags "-std=c++20" -DWAITED_FOR=1 --time 5 parks.cpp
exits "a wake-up is lost" 1
says "behind its spinning" out "deadlock: no thread can go on"
# ---- what was compiled elsewhere ---------------------------------------------------------------------------------------------
printf 'int two(void);\nint main(void) { return two() - 2; }\n' >one.c
printf 'int two(void) { return 2; }\n' >plain.c && gcc -c plain.c
printf 'long c; __thread int two_of_it = 2; int two(void) { __atomic_fetch_add(&c, 1, 5); return two_of_it; }\n' >hidden.c && gcc -c hidden.c
explore -std=c11 -pthread one.c plain.o; exits "objects of another compiler take part" 0
explore -std=c11 -pthread --foreign=warn one.c plain.o; exits "as they are" 0
says "and are listed" out "was not seen: plain.o"
explore one.c plain.c; ok "ours are not" "$(! grep -q 'not seen' "$SCRATCH/out"; echo $?)"
explore one.c hidden.o
if [ "$code" -eq 0 ]; then
    says "not looked into, for want of a decoder" out "was not seen: hidden.o (not looked into)"
else
    exits "atomic instructions that cannot be seen are refused" 65
    says "with the flag that says go on" err "--foreign=warn"
    explore --foreign=warn one.c hidden.o; exits "which plumb explore knows" 0
    says "and the report says so" out "was not seen: hidden.o (with atomic instructions)"
fi

finish
