/* A witness in the making: operations in the order in which an engine linearizes them. */
#ifndef PLUMB_ENGINE_ORDER_LOG_H
#define PLUMB_ENGINE_ORDER_LOG_H

#include "engine/engine.h"
#include "engine/self_check.h"

static inline void order_log_init(witness *w, uint32_t n) {
    *w = (witness){.op = MEM_ARRAY(uint32_t, n), .res = MEM_ARRAY(value, n)};
}

static inline void order_log_add(witness *w, uint32_t op, value res) {
    w->op[w->n] = op;
    w->res[w->n++] = res;
}

#endif
