/* Declared operations: registered before main, run and recorded. */
#ifndef PLUMB_EXPLORE_INSIDE_RECORD_H
#define PLUMB_EXPLORE_INSIDE_RECORD_H

#include "explore/inside/fiber.h"

void record_open(void);
void record_reset(void);
void record_visible(fiber *f); /* the first step of its operation is being executed */
static inline void operation_becomes(fiber *f, operation_state s) {
    f->operation.state = (uint8_t)s;
    f->spin.called = s == OPERATION_CALLED;
}
static inline void record_begin(fiber *f) {
    f->operation.item = NULL;
    f->operation.begun = false;
    operation_becomes(f, OPERATION_NONE);
}
bool items_have(enum plumb_item_kind kind); /* one was declared */
void items_run(enum plumb_item_kind kind);  /* all of that kind, in the order they were declared */
void invariants_check(void);

#endif
