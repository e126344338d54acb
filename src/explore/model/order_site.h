/* A place in the code that asks for a memory order. */
#ifndef PLUMB_EXPLORE_MODEL_ORDER_SITE_H
#define PLUMB_EXPLORE_MODEL_ORDER_SITE_H

#include <stdint.h>

typedef enum order_role { ORDER_OF_LOAD, ORDER_OF_STORE, ORDER_OF_UPDATE, ORDER_OF_FAILURE, ORDER_OF_FENCE } order_role;
enum { ORDER_NONE = 6 /* of a fence that is left out */, SITES_MOST = 256 };

typedef struct order_site {
    uintptr_t pc;
    uint8_t role, order;
} order_site;

#endif
