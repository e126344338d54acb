/* Loops for the proof of purity. A name says what must come out: pure_* is proved for at least one hook of its loop,
 * kept_* leaves something behind in a failed iteration and must not be listed, cas_* retries with what a failed
 * compare-and-swap found, first_* does so as well but its first load cannot be put off. */
#include <plumbline/test.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct node { struct node *_Atomic next; struct node *below; int v; } node;

typedef struct queue_ends { _Atomic(node *) head, tail; } queue_ends;
typedef struct maybe { long is, v; } maybe;

_Atomic(node *) top, head, tail;
atomic_int flag, lock;
long statistics;
__thread long own_statistics;
#define APART __attribute__((noinline, used))

APART int pure_pop(void) {
    node *t;
    do {
        t = atomic_load(&top);
        if (!t) return -1;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}

/* what is called behind the loop might have more arguments, in registers that the loop has used */
APART void pure_wait_and_free(void *old) {
    while (!atomic_load(&flag)) continue;
    free(old);
}

APART void pure_push(int v) {
    node *n = malloc(sizeof *n), *t;
    n->v = v;
    do {
        t = atomic_load(&top);
        n->below = t;
    } while (!atomic_compare_exchange_strong(&top, &t, n));
}

APART void pure_enqueue(int v) {
    node *n = malloc(sizeof *n), *t, *next;
    n->v = v;
    atomic_store(&n->next, NULL);
    for (;;) {
        t = atomic_load(&tail);
        next = atomic_load(&t->next);
        if (t != atomic_load(&tail)) continue;
        if (!next) {
            if (atomic_compare_exchange_strong(&t->next, &next, n)) break;
        } else {
            atomic_compare_exchange_strong(&tail, &t, next);
        }
    }
    atomic_compare_exchange_strong(&tail, &t, n);
}

APART int pure_dequeue(void) {
    node *h, *t, *next;
    for (;;) {
        h = atomic_load(&head);
        t = atomic_load(&tail);
        next = atomic_load(&h->next);
        if (h != atomic_load(&head)) continue;
        if (h == t) {
            if (!next) return -1;
            atomic_compare_exchange_strong(&tail, &t, next);
        } else {
            int v = next->v;
            if (atomic_compare_exchange_strong(&head, &h, next)) return v;
        }
    }
}

/* clang gives each way through the body a number and branches on it at the end: on most ways only one branch is
 * possible. */
queue_ends *ends;

static inline bool dequeue_into(long *v) {
    for (;;) {
        node *h = atomic_load(&ends->head), *t = atomic_load(&ends->tail), *next = atomic_load(&h->next);
        if (h != atomic_load(&ends->head)) continue;
        if (h == t && !next) return false;
        if (h == t) {
            atomic_compare_exchange_strong(&ends->tail, &t, next);
            continue;
        }
        *v = next->v;
        if (atomic_compare_exchange_strong(&ends->head, &h, next)) return true;
    }
}
APART maybe pure_dequeue_into(void) {
    long v;
    return dequeue_into(&v) ? (maybe){5, v} : (maybe){1, 0};
}

/* A number at first only: what a failed iteration has read decides where a later one goes. */
APART maybe kept_way(void) {
    for (long way = 3;;) {
        node *h = atomic_load(&ends->head), *t = atomic_load(&ends->tail);
        if (h == atomic_load(&ends->head)) return way == 3 ? (maybe){5, 0} : (maybe){way, t->v};
        way = t->v;
    }
}

APART void pure_test_and_set(void) { while (atomic_exchange(&lock, 1)) {} }
APART void pure_wait(void) { while (!atomic_load(&flag)) sched_yield(); }
APART void pure_swap_lock(void) {
    int zero;
    do zero = 0;
    while (!atomic_compare_exchange_strong(&lock, &zero, 1));
}
APART void pure_annotated(void) {
    do plumb_pure_loop();
    while (!atomic_load(&flag));
}
APART long pure_assembly(long *p) { /* compare-and-swap loop in assembly, from C */
    long old, found;
    statistics = 1; /* compilers tell of entry and exit only where they see an access */
    do {
        __asm__ volatile("movq %1, %0" : "=r"(old) : "m"(*p));
        found = old;
        __asm__ volatile("lock cmpxchgq %2, %1" : "+a"(found), "+m"(*p) : "r"(old + 1) : "memory", "cc");
    } while (found != old);
    return old;
}

APART int kept_gives_up(void) {
    node *t;
    int attempts = 0;
    do {
        if (attempts++ == 4) return -1;
        t = atomic_load(&top);
        if (!t) return -1;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}
APART int kept_gives_up_later(int limit) {
    node *t;
    volatile int attempts = 0;
    do {
        t = atomic_load(&top);
        if (!t || attempts == limit) return -1;
        attempts = attempts + 1;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}
APART int kept_counts_globally(void) {
    node *t;
    do {
        t = atomic_load(&top);
        if (!t) return -1;
        statistics++;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}
APART int kept_counts_for_thread(void) {
    node *t;
    do {
        t = atomic_load(&top);
        if (!t) return -1;
        own_statistics++;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}
APART int kept_counts_for_caller(int *tries) {
    node *t;
    do {
        t = atomic_load(&top);
        if (!t) return -1;
        ++*tries;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}
APART int kept_tells_caller(node **seen) { /* written, not read here: but the caller may */
    node *t;
    do {
        t = atomic_load(&top);
        if (!t) return -1;
        *seen = t;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}
APART int kept_backs_off(void) {
    unsigned wait = 1;
    while (atomic_exchange(&lock, 1)) {
        for (volatile unsigned i = 0; i < wait; i++) {}
        if (wait < 1024) wait *= 2;
        else return 0;
    }
    return 1;
}
APART int kept_calls(void (*note)(void)) {
    while (atomic_exchange(&lock, 1)) note();
    return 1;
}
APART int kept_remembers_last(void) { /* what it saw before decides */
    node *last = NULL, *t;
    do {
        t = atomic_load(&top);
        if (t == last) return -1;
        last = t;
    } while (!atomic_compare_exchange_strong(&top, &t, t->below));
    return t->v;
}
APART int kept_walks(void) { /* where it is in the list is what it keeps */
    int n = 0;
    for (node *p = atomic_load(&top); p; p = atomic_load(&p->next)) n++;
    return n;
}

APART void cas_push(int v) {
    node *n = malloc(sizeof *n), *t = atomic_load(&top);
    n->v = v;
    do n->below = t;
    while (!atomic_compare_exchange_strong(&top, &t, n));
}
APART long cas_add(_Atomic long *p, long d) {
    long old = atomic_load(p);
    while (!atomic_compare_exchange_strong(p, &old, old + d)) {}
    return old;
}
APART long kept_cas_counts(_Atomic long *p, long d) {
    long old = atomic_load(p), n = 0;
    while (!atomic_compare_exchange_strong(p, &old, old + d)) n++;
    return n;
}

APART long first_is_returned(_Atomic long *p, long d) {
    long old = atomic_load(p), first = old;
    while (!atomic_compare_exchange_strong(p, &old, old + d)) {}
    return first;
}
APART long first_is_checked(_Atomic long *p, long d) {
    long old = atomic_load(p);
    if (old < 0) return -1;
    while (!atomic_compare_exchange_strong(p, &old, old + d)) {}
    return old;
}
APART long first_is_followed(_Atomic long *p) { /* by a read of something else, which would be read later */
    long old = atomic_load(p), d = statistics;
    while (!atomic_compare_exchange_strong(p, &old, old + d)) {}
    return old;
}
APART long first_is_stored(_Atomic long *p, long d, long *seen) {
    long old = atomic_load(p);
    *seen = old;
    while (!atomic_compare_exchange_strong(p, &old, old + d)) {}
    return old;
}
APART long first_is_derived(_Atomic long *p, long d) {
    long old = atomic_load(p), next = old * 3;
    while (!atomic_compare_exchange_strong(p, &old, next)) d++;
    return old + d;
}
APART long first_is_other_value(_Atomic long *p, long d) { /* what the swap found is not what it retries with */
    long old = atomic_load(p), found = old;
    while (!atomic_compare_exchange_strong(p, &found, old + d)) old = found + 1;
    return old;
}

/* What is called behind a loop seems to take whatever is in the registers of arguments. */
APART void elsewhere(void) { statistics++; }
APART void pure_wait_and_call(void) {
    while (!atomic_load(&flag)) {}
    elsewhere();
}
APART void pure_lock_and_call(void) {
    while (atomic_exchange(&lock, 1)) {}
    elsewhere();
}
APART long cas_add_and_call(_Atomic long *p, long d) {
    long old = atomic_load(p);
    while (!atomic_compare_exchange_strong(p, &old, old + d)) {}
    elsewhere();
    return old;
}
APART void takes_three(long a, long b, long c) { statistics += a * b * c; }
APART void kept_count_and_call(long a) {
    long n = 0;
    while (!atomic_load(&flag)) n++;
    takes_three(a, 2, n);
}
APART void kept_parity_and_call(_Atomic long *p) {
    long n = 0, v;
    while (!(v = atomic_load(p))) n = !n;
    takes_three(v, v, n);
}
APART void first_is_passed_on(_Atomic long *p, long d) {
    long old = atomic_load(p), first = old;
    while (!atomic_compare_exchange_strong(p, &old, old + d)) {}
    takes_three(first, d, old);
}

int main(int argc, char **argv) {
    (void)argv;
    return argc > 100;
}
