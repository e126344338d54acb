/* A lazy skip list with two levels: add and remove lock the predecessors of each level, contains locks nothing. A node
 * is in the set from the moment it is linked on all levels until it is marked.
 *
 * BUG_VALIDATE: add does not look again, once it has the locks, whether the predecessors still point to where it found
 * them. */
#include <plumbline/test.h>

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LEVELS = 2 };
typedef struct node {
    int key, top;
    pthread_mutex_t lock;
    atomic_bool marked, linked;
    struct node *_Atomic next[LEVELS];
} node;
typedef struct place {
    node *before[LEVELS], *behind[LEVELS];
    int found; /* the highest level it was found at; -1: nowhere */
} place;

static node *head;

static node *node_new(int key, int top) {
    node *n = calloc(1, sizeof *n);
    n->key = key;
    n->top = top;
    pthread_mutex_init(&n->lock, NULL);
    return n;
}

static place locate(int key) {
    place p = {.found = -1};
    node *before = head;
    for (int l = LEVELS - 1; l >= 0; l--) {
        node *n = before->next[l];
        for (; n->key < key; n = before->next[l]) before = n;
        if (p.found < 0 && n->key == key) p.found = l;
        p.before[l] = before;
        p.behind[l] = n;
    }
    return p;
}

/* Neighbouring levels may have the same predecessor: it is locked once. */
static void lock_up_to(const place *p, int top) {
    for (int l = 0; l <= top; l++)
        if (l == 0 || p->before[l] != p->before[l - 1]) pthread_mutex_lock(&p->before[l]->lock);
}

static void unlock_up_to(const place *p, int top) {
    for (int l = 0; l <= top; l++)
        if (l == 0 || p->before[l] != p->before[l - 1]) pthread_mutex_unlock(&p->before[l]->lock);
}

static bool still_there(const place *p, int top, const node *removed) {
    for (int l = 0; l <= top; l++) {
        node *expected = removed ? (node *)removed : p->behind[l];
        if (p->before[l]->marked || p->before[l]->next[l] != expected || (!removed && expected->marked)) return false;
    }
    return true;
}

static bool add(int key) {
    for (int top = key % LEVELS;;) {
        place p = locate(key);
        if (p.found >= 0) {
            node *n = p.behind[p.found];
            if (n->marked) continue;
            while (!n->linked) {}
            return false;
        }
        lock_up_to(&p, top);
#ifdef BUG_VALIDATE
        bool valid = true;
#else
        bool valid = still_there(&p, top, NULL);
#endif
        if (valid) {
            node *n = node_new(key, top);
            for (int l = 0; l <= top; l++) n->next[l] = p.behind[l];
            for (int l = 0; l <= top; l++) p.before[l]->next[l] = n;
            n->linked = true;
        }
        unlock_up_to(&p, top);
        if (valid) return true;
    }
}

static bool mark(node *n) {
    pthread_mutex_lock(&n->lock);
    bool mine = !n->marked;
    n->marked = true;
    if (!mine) pthread_mutex_unlock(&n->lock);
    return mine; /* and locked until it is unlinked */
}

static bool remove_key(int key) {
    for (node *victim = NULL;;) {
        place p = locate(key);
        if (!victim) {
            node *n = p.found >= 0 ? p.behind[p.found] : NULL;
            if (!n || !n->linked || n->top != p.found || n->marked || !mark(n)) return false;
            victim = n;
        }
        lock_up_to(&p, victim->top);
        bool valid = still_there(&p, victim->top, victim);
        for (int l = victim->top; valid && l >= 0; l--) p.before[l]->next[l] = victim->next[l];
        unlock_up_to(&p, victim->top);
        if (!valid) continue;
        pthread_mutex_unlock(&victim->lock);
        return true;
    }
}

static bool contains(int key) {
    place p = locate(key);
    return p.found >= 0 && p.behind[p.found]->linked && !p.behind[p.found]->marked;
}

PLUMB_OBJECT("set")
PLUMB_SETUP {
    head = node_new(INT_MIN, LEVELS - 1);
    node *end = node_new(INT_MAX, LEVELS - 1);
    for (int l = 0; l < LEVELS; l++) head->next[l] = end;
}
PLUMB_OP(add, k) { return plumb_bool(add((int)k)); }
PLUMB_OP(remove, k) { return plumb_bool(remove_key((int)k)); }
PLUMB_OP(contains, k) { return plumb_bool(contains((int)k)); }
