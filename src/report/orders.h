/* Advice about memory orders, as lines for a reader and as changes to the source. */
#ifndef PLUMB_REPORT_ORDERS_H
#define PLUMB_REPORT_ORDERS_H

#include "explore/outside/orders_advice.h"

void orders_text(const orders_advice *a, const char *binary, text *out);

#endif
