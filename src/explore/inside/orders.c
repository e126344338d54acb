#include "explore/inside/orders.h"

#include "explore/inside/options.h"

#include <stdlib.h>

static order_site seen[SITES_MOST] PROCESS_STATE, used[SITES_MOST] PROCESS_STATE;
static uint32_t seen_count PROCESS_STATE, used_count PROCESS_STATE;

void orders_use(const char *list) {
    used_count = 0;
    while (list && *list && used_count < SITES_MOST) {
        char *end;
        const uintptr_t pc = (uintptr_t)strtoull(list, &end, 16);
        const unsigned role = *end == '/' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
        const unsigned order = *end == '=' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
        used[used_count++] = (order_site){pc, (uint8_t)role, (uint8_t)order};
        list = *end ? end + 1 : end;
    }
}

static const order_site *site_of(const order_site *list, uint32_t n, uintptr_t pc, order_role role) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i].pc == pc && list[i].role == role) return &list[i];
    return NULL;
}

unsigned order_asked(uintptr_t pc, order_role role, unsigned order) {
    if (!site_of(seen, seen_count, pc, role) && seen_count < SITES_MOST)
        seen[seen_count++] = (order_site){pc, (uint8_t)role, (uint8_t)order};
    const order_site *instead = site_of(used, used_count, pc, role);
    return instead ? instead->order : order;
}

uint32_t orders_seen(const order_site **list) {
    *list = seen;
    return seen_count;
}
