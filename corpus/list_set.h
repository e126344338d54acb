/* What the list-based sets share: sorted nodes between two sentinels. */
#ifndef CORPUS_LIST_SET_H
#define CORPUS_LIST_SET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct node {
    long key;
    _Atomic(struct node *) next;
    atomic_bool removed;
    pthread_mutex_t lock;
} node;

static node *head;

static inline node *node_new(long key, node *next) {
    node *n = malloc(sizeof *n);
    n->key = key;
    atomic_init(&n->next, next);
    atomic_init(&n->removed, false);
    pthread_mutex_init(&n->lock, NULL);
    return n;
}

static inline void list_setup(void) { head = node_new(-1000, node_new(1000, NULL)); }

#endif
