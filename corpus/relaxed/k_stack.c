/* The k-stack of Henzinger, Kirsch, Payer and Sokolova: a list of segments of K + 1 (2) slots. A push puts its value
 * into a free slot of the top segment, a pop takes one from any slot of it: quasi(K), not linearizable. A pop that
 * finds the top segment empty marks it as deleted, looks again, and takes it off the list, or, when a value has come
 * meanwhile, removes the mark. A push that has put its value into a marked segment makes sure that it will be seen, or
 * takes it back and tries elsewhere ("committed").
 *
 * BUG_COMMIT: committed() reads the mark, and when it is set reads it once more to see what to do: the mark may be gone
 * by then, the push believes that it has to try again, and the value is in the stack twice. So it was in the Scal suite
 * (Round-Up paper, section VI.D).
 * BUG_EMPTY: a pop looks at the slots of the last segment once: a value may have come to one that it had looked at
 * already, before another thread took the one that it would have found. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

#ifndef K
#define K 1
#endif
enum { SLOTS = K + 1, VERSION_BITS = 16 };

typedef struct segment {
    struct segment *next;     /* below; NULL: the last one */
    atomic_int deleted;       /* how many want to take it off */
    atomic_ulong slot[SLOTS]; /* value, version; value 0: free */
} segment;
static atomic_ulong top;      /* segment, version */

static unsigned long word(unsigned long value, unsigned long version) {
    return value << VERSION_BITS | (version & ((1ul << VERSION_BITS) - 1));
}
static unsigned long next_version(unsigned long value, unsigned long old) { return word(value, old + 1); }
static segment *segment_of(unsigned long w) { return (segment *)(w >> VERSION_BITS); }

static int find(segment *s, bool is_free, unsigned first, unsigned long *old) {
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned at = (first + i) % SLOTS;
        *old = atomic_load(&s->slot[at]);
        if ((*old >> VERSION_BITS == 0) == is_free) return (int)at;
    }
    return -1;
}

/* Nothing was there at some time: nothing has changed between two looks at everything. */
static bool is_empty(segment *s) {
    unsigned long seen[SLOTS];
    for (unsigned i = 0; i < SLOTS; i++) {
        seen[i] = atomic_load(&s->slot[i]);
        if (seen[i] >> VERSION_BITS) return false;
    }
    for (unsigned i = 0; i < SLOTS; i++)
        if (atomic_load(&s->slot[i]) != seen[i]) return false;
    return true;
}

static bool take_back(segment *s, int i, unsigned long mine) {
    return atomic_compare_exchange_strong(&s->slot[i], &mine, next_version(0, mine));
}

static bool committed(unsigned long where, int i, unsigned long mine) {
    segment *s = segment_of(where);
    if (atomic_load(&s->slot[i]) != mine) return true; /* another thread has popped it */
    if (atomic_load(&s->deleted) == 0) return true;
#ifdef BUG_COMMIT
    if (atomic_load(&s->deleted) == 0) return false;
#endif
    unsigned long now = atomic_load(&top);
    if (segment_of(now) == s && atomic_compare_exchange_strong(&top, &now, next_version(now >> VERSION_BITS, now)))
        return true; /* no thread takes it off now */
    return !take_back(s, i, mine);
}

/* With the value in it: were it empty, a pop could take it off at once, and so on for ever. */
static bool add_segment(unsigned long where, long value) {
    segment *fresh = calloc(1, sizeof *fresh);
    fresh->next = segment_of(where);
    atomic_store(&fresh->slot[0], word((unsigned long)value, 1));
    return atomic_compare_exchange_strong(&top, &where, word((unsigned long)fresh, where + 1));
}

static void try_remove_segment(unsigned long where) {
    segment *s = segment_of(where);
    if (atomic_load(&top) != where) return;
    atomic_fetch_add(&s->deleted, 1);
    if (is_empty(s)) {
        unsigned long expected = where;
        if (atomic_compare_exchange_strong(&top, &expected, word((unsigned long)s->next, where + 1))) return;
    }
    atomic_fetch_sub(&s->deleted, 1);
}

static void push(long value) {
    for (;;) {
        unsigned long where = atomic_load(&top), old;
        int i = find(segment_of(where), true, 0, &old);
        if (where != atomic_load(&top)) continue;
        unsigned long mine = next_version((unsigned long)value, old);
        if (i < 0) {
            if (add_segment(where, value)) return;
        } else if (atomic_compare_exchange_strong(&segment_of(where)->slot[i], &old, mine) && committed(where, i, mine))
            return;
    }
}

static bool pop(long *value) {
    unsigned from = plumb_choose(SLOTS);
    for (;;) {
        unsigned long where = atomic_load(&top), old;
        segment *s = segment_of(where);
        int i = find(s, false, from, &old);
        if (where != atomic_load(&top)) continue;
        if (i >= 0) {
            *value = (long)(old >> VERSION_BITS);
            if (atomic_compare_exchange_strong(&s->slot[i], &old, next_version(0, old))) return true;
        } else if (s->next)
            try_remove_segment(where);
#ifdef BUG_EMPTY
        else return false;
#else
        else if (is_empty(s) && where == atomic_load(&top)) return false;
#endif
    }
}

PLUMB_OBJECT("stack")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP { atomic_store(&top, word((unsigned long)calloc(1, sizeof(segment)), 0)); }
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) push(2) : push(3) | pop : pop pop")
PLUMB_THREADS("push(1) push(2) : pop | pop")
PLUMB_THREADS("push(1) : push(2) pop | pop : pop")
PLUMB_THREADS("push(1) push(2) push(3) pop : push(4) | pop : pop pop")
