/* For objects that belong to clients: the engines pair a client's operations in their order, so these must not overlap
 * (equal time stamps make them). */
#ifndef PLUMB_ENGINE_CLIENT_ORDER_H
#define PLUMB_ENGINE_CLIENT_ORDER_H

#include "engine/engine.h"
#include "engine/self_check.h"

static inline bool accepts_clients_in_order(const problem *p, text *why_not) {
    uint32_t *last = mem_zero(p->h->clients, sizeof *last);
    bool good = true;
    for (uint32_t i = 0; i < p->n && good; i++) {
        uint32_t op = p->op[i], client = history_client(p->h, op);
        good = last[client] <= p->h->call[op];
        assert(client < p->h->clients);
        last[client] = p->h->ret[op];
    }
    free(last);
    if (!good) text_add(why_not, "needs clients whose operations do not overlap");
    return good;
}

#endif
