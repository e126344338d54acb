/* Under a weak memory model each place of atomic accesses keeps its writes in modification order: an access chooses
 * which one it reads, or behind which one it stands (messages.c). Memory holds the newest. */
#ifndef PLUMB_EXPLORE_INSIDE_MESSAGES_H
#define PLUMB_EXPLORE_INSIDE_MESSAGES_H

#include "explore/inside/races.h"
#include "explore/inside/steps.h"

static inline bool messages_wanted(void) { return UNLIKELY(options_now()->messages); }

/* One access: what it finds and leaves. */
typedef struct message_access {
    uintptr_t address;
    uint32_t size;
    unsigned at;      /* the message that it reads, or stands behind */
    bool older;       /* it is not the newest */
    uint64_t seen[2]; /* its value */
} message_access;

/* The running thread describes an access: fills in what a graph has to know of it. */
void message_pending(uintptr_t address, uint32_t size, uint8_t how, uint8_t order_failed, const uint64_t operand[2]);
void message_pending_lock(bool holds);
void message_pending_condition(uint8_t how, uint64_t operand);
/* The access is the last step: asks which message it reads or follows. */
message_access message_choose(uintptr_t address, uint32_t size);
/* It reads it, with this order; it leaves a message right behind it. */
void message_read(const message_access *m, unsigned order);
void message_write(const message_access *m, const uint64_t left[2], unsigned order, bool is_update);
/* A plain write, or a free: what was there before can no longer be read. */
void messages_forget(uintptr_t address, uint64_t size);
void messages_reset(void);

#endif
