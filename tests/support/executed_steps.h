/* Steps of an execution, written down by hand: what tests of reports about explored code show. */
#ifndef PLUMB_TESTS_EXECUTED_STEPS_H
#define PLUMB_TESTS_EXECUTED_STEPS_H

#include "explore/model/execution.h"

enum { HEAD = 0x1000, CELL = 0x1008, LOCK = 0x2000, BLOCK = 0x5000 };

static inline executed_step access_of(unsigned thread, step_kind kind, uintptr_t address, unsigned role,
                                      uint64_t holds) {
    executed_step s = {.thread = thread};
    s.step.kind = (uint8_t)kind;
    s.step.size = 8;
    s.step.order = 5;
    s.step.value = holds;
    s.step.pc = 0x400000 + (uintptr_t)kind * 16 + thread;
    s.step.at[0].address = address;
    s.step.at[0].size = 8;
    s.step.at[0].role = (uint8_t)role;
    return s;
}

static inline executed_step failed(executed_step s, uint64_t expected) {
    s.step.flags |= STEP_FAILED;
    s.step.expected = expected;
    return s;
}

static inline executed_step plain(executed_step s) {
    s.step.flags |= STEP_PLAIN;
    return s;
}

#endif
