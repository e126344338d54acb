/* Removes that are open, for the checkers of containers: each is a token, which may have taken something. And what each
 * client has open: an operation that is open for longer than `max_lag` events is excused, and its token is pending for
 * ever. */
#ifndef PLUMB_RUNTIME_TOKENS_H
#define PLUMB_RUNTIME_TOKENS_H

#include "base/mem.h"
#include "runtime/word_index.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct take_token {
    uint64_t call;
    uint64_t at;            /* a stack's: its step */
    uint32_t guess;         /* a stack's: the value it is guessed to have taken; NUMBER_NONE: nothing */
    uint32_t before, after; /* by call; `after` links unused ones */
    bool pending;           /* for ever */
} take_token;

typedef struct token_client {
    uint32_t it; /* value of an add, token of a remove; NUMBER_NONE: nothing is open */
    bool adds, excused;
} token_client;

typedef struct take_tokens {
    token_client *client;
    uint32_t clients;
    take_token *token;
    uint32_t used, room, unused;
    uint32_t first, last;   /* by call */
    uint32_t open, pending; /* so many; of these, for ever */
    uint64_t max_lag, excused;
    uint64_t patience; /* before this event no remove is open for too long */
} take_tokens;

static inline void tokens_init(take_tokens *k, uint32_t clients, uint64_t max_lag) {
    *k = (take_tokens){.clients = clients,
                       .room = 16,
                       .unused = NUMBER_NONE,
                       .first = NUMBER_NONE,
                       .last = NUMBER_NONE,
                       .max_lag = max_lag};
    k->client = MEM_ARRAY(token_client, clients);
    for (uint32_t i = 0; i < clients; i++) k->client[i] = (token_client){.it = NUMBER_NONE};
    k->token = MEM_ARRAY(take_token, k->room);
    k->patience = max_lag ? 0 : UINT64_MAX;
}

static inline void tokens_free(take_tokens *k) {
    free(k->client);
    free(k->token);
}

static inline void tokens_copy(take_tokens *k) { /* of a copy whose arrays are still the other one's */
    k->client = mem_copy(k->client, k->clients * sizeof *k->client);
    k->token = mem_copy(k->token, k->room * sizeof *k->token);
}

static inline size_t tokens_memory(const take_tokens *k) { return k->room * sizeof *k->token; }

static inline void tokens_append(take_tokens *k, uint32_t t, uint64_t call) {
    take_token *x = &k->token[t];
    assert(t < k->used);
    assert((k->first == NUMBER_NONE) == (k->last == NUMBER_NONE));
    assert(k->last == NUMBER_NONE || (k->token[k->last].after == NUMBER_NONE && k->token[k->last].call < call));
    x->call = call;
    x->before = k->last;
    x->after = NUMBER_NONE;
    if (k->last != NUMBER_NONE) k->token[k->last].after = t;
    else k->first = t;
    k->last = t;
}

static inline void tokens_unlink(take_tokens *k, uint32_t t) {
    const take_token *x = &k->token[t];
    assert(t < k->used);
    assert(x->before != NUMBER_NONE ? k->token[x->before].after == t : k->first == t);
    assert(x->after != NUMBER_NONE ? k->token[x->after].before == t : k->last == t);
    if (x->before != NUMBER_NONE) k->token[x->before].after = x->after;
    else k->first = x->after;
    if (x->after != NUMBER_NONE) k->token[x->after].before = x->before;
    else k->last = x->before;
}

static inline uint32_t tokens_add(take_tokens *k, uint64_t call) {
    uint32_t t = k->unused;
    if (t != NUMBER_NONE) k->unused = k->token[t].after;
    else {
        if (k->used == k->room) k->token = MEM_GROW(k->token, take_token, k->room *= 2);
        t = k->used++;
    }
    assert(t < k->used && k->used <= k->room);
    k->token[t].guess = NUMBER_NONE;
    k->token[t].pending = false;
    tokens_append(k, t, call);
    k->open++;
    return t;
}

static inline void tokens_remove(take_tokens *k, uint32_t t) {
    assert(k->open > 0 && k->pending <= k->open);
    tokens_unlink(k, t);
    k->open--;
    k->pending -= k->token[t].pending;
    k->token[t].after = k->unused;
    k->unused = t;
}

static inline void tokens_give_up(take_tokens *k, uint32_t t) {
    assert(!k->token[t].pending);
    k->token[t].pending = true;
    k->pending++;
    assert(k->pending <= k->open);
}

/* Of those that may return. */
static inline uint32_t tokens_oldest(const take_tokens *k) {
    uint32_t t = k->first;
    while (t != NUMBER_NONE && k->token[t].pending) t = k->token[t].after;
    assert((t == NUMBER_NONE) == (k->pending == k->open));
    return t;
}

static inline void tokens_excuse_owner(take_tokens *k, uint32_t t) {
    uint32_t owners = 0;
    for (uint32_t i = 0; i < k->clients; i++) {
        token_client *c = &k->client[i];
        if (c->it != t || c->adds || c->excused) continue;
        c->excused = true;
        owners++;
    }
    assert(owners == 1);
    k->excused += owners;
}

/* At event `tick`, when its patience is over. True: the oldest one was excused. */
static inline bool tokens_excuse_oldest(take_tokens *k, uint64_t tick) {
    uint32_t t = tokens_oldest(k);
    bool late = t != NUMBER_NONE && tick - k->token[t].call > k->max_lag;
    if (late) {
        tokens_excuse_owner(k, t);
        tokens_give_up(k, t);
        t = tokens_oldest(k);
    }
    k->patience = (t != NUMBER_NONE ? k->token[t].call : tick) + k->max_lag + 1;
    return late;
}

#endif
