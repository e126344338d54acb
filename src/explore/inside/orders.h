/* Which memory orders the code asks for, and others that it is given instead: for the advice of `plumb explore
 * --orders`. Where accesses choose messages only. */
#ifndef PLUMB_EXPLORE_INSIDE_ORDERS_H
#define PLUMB_EXPLORE_INSIDE_ORDERS_H

#include "explore/model/memory_model.h"
#include "explore/model/order_site.h"

/* "4012ab/0=2 ...": from now on; NULL: none. */
void orders_use(const char *list);
/* The order of an access or fence at pc; it is remembered what the code asks for. */
unsigned order_asked(uintptr_t pc, order_role role, unsigned order);
uint32_t orders_seen(const order_site **list);

#endif
