/* Which memory orders of a test could be others under rc11. Of one that passes: how far each can be weakened by itself,
 * and as many as possible together. Of one that fails: the fewest that have to be stronger for it to pass. Every answer
 * is an exploration of all its programs with these orders in place of those that the code asks for. */
#ifndef PLUMB_EXPLORE_OUTSIDE_ORDERS_ADVICE_H
#define PLUMB_EXPLORE_OUTSIDE_ORDERS_ADVICE_H

#include "explore/outside/debug_info.h"
#include "explore/outside/explore_test.h"

/* One place in the source; the compiler may have made several of it. */
typedef struct order_place {
    order_site *site;
    unsigned sites;
    code_place where;
    unsigned role, order; /* order_role; what the code asks for */
    unsigned alone;       /* the weakest that passes by itself; of a failing test not used */
    unsigned together;    /* what is advised */
    bool tried;           /* there was time for it */
} order_place;

typedef struct orders_advice {
    order_place *place;
    unsigned places;
    bool passes;     /* as it is */
    bool mended;     /* it does not, and does with what is advised */
    bool hopeless;   /* it does not, and would not if all were seq_cst */
    bool exhaustive; /* every exploration on which the advice stands was complete */
    unsigned checks; /* explorations */
} orders_advice;

bool orders_advise(const explore_settings *s, const criterion *asked, const test_program *t, debug_info *d,
                   const explore_watch *w, orders_advice *out, error *e);
void orders_advice_free(orders_advice *a);
const char *order_name(unsigned order); /* "acq_rel" */

#endif
